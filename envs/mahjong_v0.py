"""Taiwanese 16-tile mahjong, version 0, as a PettingZoo module: ``from boyi.envs import mahjong_v0``."""

from .faces.module import module

env, raw_env, parallel_env = module("mahjong")
