"""Gomoku, version 0, as a PettingZoo module: ``from boyi.envs import gomoku_v0; env = gomoku_v0.env()``."""

from .faces.module import module

env, raw_env, parallel_env = module("gomoku")
