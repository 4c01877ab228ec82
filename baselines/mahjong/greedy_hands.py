"""Hands of mahjong that `greedy` plays against itself, from which numbers are fitted."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import Kernel, bind, stub
from ...envs.engine.kernels import settle
from ...envs.engine.protocol import policy, reset, step
from ...envs.engine.spec import find
from ...envs.mahjong.constants import KINDS, SEATS
from ...envs.mahjong.state import DECLARE


@stub
def sample_discard(s, a, notes, scratch, rows):  # type: ignore[no-untyped-def]
    """Write rows about the seat to move, which is about to discard `a`; return how many. `scratch` is (2, 34) int64."""
    raise NotImplementedError


@stub
def label_hand(s, rows, lost):  # type: ignore[no-untyped-def]
    """Add to the rows of a hand, or to `lost` (2,), how it has ended."""
    raise NotImplementedError


def play_hands(states, blank, count, rng, p, notes, scratch, rows, lost):  # type: ignore[no-untyped-def]
    """Play `count` hands by the rule of `greedy`, every seat the dealer by turns; return how many rows were written."""
    s, n = states[0], 0
    for game in range(count):
        first = n
        states[0] = blank[0]
        s.dealer = game % SEATS
        reset(s, rng)  # type: ignore[no-untyped-call]
        settle(s, rng, p)  # type: ignore[no-untyped-call]
        while s.to_move >= 0:
            a = policy(s, notes, rng)  # type: ignore[no-untyped-call]
            if a < DECLARE:
                n += sample_discard(s, a, notes, scratch, rows[n:])
            step(s, a)  # type: ignore[no-untyped-call]
            settle(s, rng, p)  # type: ignore[no-untyped-call]
        label_hand(s, rows[first:n], lost)
    return n


def sample_hands(
    count: int, seed: int, most: int, columns: int, sample_discard: Kernel, label_hand: Kernel
) -> tuple[np.ndarray, np.ndarray]:
    """Let `greedy` play so many hands; return the rows (n, columns) int32, `most` of a hand, and `lost` (2,)."""
    game = find("mahjong")
    rule = game.module("greedy")
    rows, lost, scratch = np.zeros((most * count, columns), np.int32), np.zeros(2), np.zeros((2, KINDS), np.int64)
    play = bind(play_hands, game, policy=rule.policy, sample_discard=sample_discard, label_hand=label_hand)
    rng, p = np.array([seed, 0], np.uint64), np.zeros(KINDS)
    n = play(game.blank.copy(), game.blank, count, rng, p, rule.notes(game), scratch, rows, lost)
    return rows[:n], lost
