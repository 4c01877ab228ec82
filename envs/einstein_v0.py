"""EinStein würfelt nicht!, version 0, as a PettingZoo module: ``from boyi.envs import einstein_v0``."""

from .faces.aec import module

env, raw_env = module("einstein")
