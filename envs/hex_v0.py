"""Hex, version 0, as a PettingZoo module: ``from boyi.envs import hex_v0; env = hex_v0.env()``."""

from .faces.module import module

env, raw_env, parallel_env = module("hex")
