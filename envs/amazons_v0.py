"""Amazons, version 0, as a PettingZoo module: ``from boyi.envs import amazons_v0; env = amazons_v0.env()``."""

from .faces.aec import module

env, raw_env = module("amazons")
