"""Prefer captures: how tree searches finish their simulations of Jiu.

A few throws look for a jump or a move into a square and otherwise settle for any move; the stone taken is one of a
square if a few throws find one. Stones are laid out, and lifted to fly, at random.
"""

import numpy as np

from ..engine.rng import below, choose, kernel
from ..engine.spec import Game
from ..grid.board import side
from ..grid.rays import neighbour
from .constants import DROP, JUMP, LAYOUT, MOVE, PUT, STOP, TAKE, TAKE_OFF, TURN
from .rules import can_begin_jump, flies, legal, random_action, step
from .state import squares_at

THROWS = 24  # at moves, before any of those found is made
PICKS = 4  # of stones to take, and of points to fly to, before the latest is taken


def notes(game: Game) -> np.ndarray:
    """Return what `rollout` is given: an array that holds nothing."""
    return np.zeros(1, np.int8)


@kernel
def rollout(s, notes, rng, mask, p, used):
    """Play to the end, preferring captures."""
    while s.to_move >= 0:
        a = action(s, rng, mask)
        used[s.to_move, a] = 1
        step(s, a)


@kernel
def random_rollout(s, notes, rng, mask, p, used):
    """Play uniformly random actions to the end."""
    while s.to_move >= 0:
        a = random_action(s, rng, mask)
        used[s.to_move, a] = 1
        step(s, a)


@kernel
def action(s, rng, mask):
    """Choose an allowed action, mostly one that takes."""
    if s.phase == LAYOUT:
        return random_action(s, rng, mask)
    a = np.int64(-1)
    if s.phase == TURN and not flies(s, s.to_move):
        a = throw_move(s, rng)
    elif s.phase == TAKE:
        a = throw_point(s, rng, TAKE_OFF, 2 - np.int64(s.to_move), 2 - np.int64(s.to_move))
    elif s.phase == DROP:
        a = throw_point(s, rng, PUT, np.int64(0), np.int64(s.to_move) + 1)
    elif s.phase == JUMP:
        legal(s, mask)
        mask[STOP * s.board.size] = 0
        a = choose(mask, rng)
    return a if a >= 0 else random_action(s, rng, mask)


@kernel
def throw_move(s, rng):
    """Find a jump or a step into a square, else a step, by throwing; -1 if nothing is found."""
    b, n, points, me = s.board, side(s), s.board.size, np.int64(s.to_move) + 1
    found = np.int64(-1)
    for _ in range(THROWS):
        i = below(rng, 4 * points)
        p, d = i % points, i // points
        if b[p] != me:
            continue
        q = neighbour(n, p, d)
        if q < 0 or b[q] == me:
            continue
        if b[q] != 0:
            if can_begin_jump(s, p, d):
                return MOVE * points + i
            continue
        found = MOVE * points + i
        b[p] = 0
        squares = squares_at(s, q, me)
        b[p] = me
        if squares > 0:
            return found
    return found


@kernel
def throw_point(s, rng, plane, wanted, stone):
    """Find a point that holds `wanted`, and belongs to a square of `stone` or would, by throwing; -1: none."""
    b, points = s.board, s.board.size
    found, picks = np.int64(-1), 0
    for _ in range(THROWS):
        q = below(rng, points)
        if b[q] == wanted:
            found = plane * points + q
            picks += 1
            if picks == PICKS or squares_at(s, q, stone) > 0:
                break
    return found
