"""Taiwanese 16-tile mahjong, version 0, as a PettingZoo module: ``from boyi.envs import mahjong_v0``."""

from .faces.aec import module

env, raw_env = module("mahjong")
