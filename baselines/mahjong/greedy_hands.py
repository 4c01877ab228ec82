"""Hands of mahjong that `greedy` plays against itself, from which numbers are fitted."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import Kernel, bind
from ...envs.engine.spec import find
from ...envs.mahjong.constants import KINDS
from .greedy_hands_kernels import play_hands


def sample_hands(
    count: int, seed: int, most: int, columns: int, sample_discard: Kernel, label_hand: Kernel
) -> tuple[np.ndarray, np.ndarray]:
    """Let `greedy` play `count` hands; return the rows (n, columns) int32, at most `most` a hand, and `lost` (2,)."""
    game = find("mahjong")
    rule = game.module("greedy")
    rows, lost, scratch = np.zeros((most * count, columns), np.int32), np.zeros(2), np.zeros((2, KINDS), np.int64)
    play = bind(play_hands, game, policy=rule.policy, sample_discard=sample_discard, label_hand=label_hand)
    rng, p = np.array([seed, 0], np.uint64), np.zeros(KINDS)
    n = play(game.blank.copy(), game.blank, count, rng, p, rule.notes(game), scratch, rows, lost)
    return rows[:n], lost
