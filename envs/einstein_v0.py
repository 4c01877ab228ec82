"""EinStein würfelt nicht!, version 0, as a PettingZoo module: ``from boyi.envs import einstein_v0``."""

from .faces.module import module

env, raw_env, parallel_env = module("einstein")
