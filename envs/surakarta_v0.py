"""Surakarta, version 0, as a PettingZoo module: ``from boyi.envs import surakarta_v0; env = surakarta_v0.env()``."""

from .faces.module import module

env, raw_env, parallel_env = module("surakarta")
