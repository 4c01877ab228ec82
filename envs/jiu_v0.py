"""Jiu, version 0, as a PettingZoo module: ``from boyi.envs import jiu_v0; env = jiu_v0.env()``."""

from .faces.module import module

env, raw_env, parallel_env = module("jiu")
