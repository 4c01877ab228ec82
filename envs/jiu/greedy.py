"""Take the most, then make the most shapes by the published table for the layout: the yardstick `greedy`.

A shape is three stones of a unit cell whose fourth point has none of the side's: a triangle; a gate, if one more stone
stands next to that point (and, in the battle, the point is empty); a double gate, if two cells lack that point.
"""

from typing import NamedTuple

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import below, kernel
from ..engine.spec import Game
from ..grid.board import side
from ..grid.rays import neighbour
from .constants import DROP, JUMP, LAYOUT, TAKE
from .rules import legal, step
from .state import squares_at
from .weigh import DOUBLE_GATE, GATE, TRIANGLE

STONE, WIN = 10**7, 10**9  # worth more than any shapes, and than any stones
DEEPEST = 32  # micro-actions of a turn to look ahead


class Notes(NamedTuple):
    """A position (DEEPEST,) for every action that is tried, and what can follow it (DEEPEST, actions)."""

    states: np.ndarray
    masks: np.ndarray


def notes(game: Game) -> Notes:
    """Return what `policy` needs."""
    return Notes(np.repeat(game.blank, DEEPEST), np.zeros((DEEPEST, game.actions), np.int8))


@kernel
def policy(s, notes, rng):
    """Choose the action whose turn takes most and then leaves the best shapes, with ties broken at random."""
    best, choice, ties = np.int64(-2 * WIN), np.int64(-1), np.int64(0)
    legal(s, notes.masks[0])
    for a in range(notes.masks.shape[1]):
        if notes.masks[0, a]:
            value = best_end(s, a, notes)
            if value > best:
                best, choice, ties = value, a, 1
            elif value == best:
                ties += 1
                if below(rng, ties) == 0:
                    choice = a
    return choice


@kernel
def best_end(s, a, notes):
    """Play an action in a copy, and every way to finish the move with it; return the best value."""
    best, level = np.int64(-2 * WIN), 1
    notes.states[1] = s
    step(notes.states[1], a)
    begin_level(notes, level, s.to_move)
    while level > 0:
        t = notes.states[level]
        if not moving(t, s.to_move) or level == DEEPEST - 1:
            best = max(best, worth(s, t))
            level -= 1
            continue
        a = next_action(notes.masks[level])
        if a < 0:
            level -= 1
            continue
        level += 1
        notes.states[level] = t
        step(notes.states[level], a)
        begin_level(notes, level, s.to_move)
    return best


@kernel
def begin_level(notes, level, seat):
    """Mark what can follow where the move of `seat` goes on."""
    if moving(notes.states[level], seat):
        legal(notes.states[level], notes.masks[level])


@kernel
def next_action(mask):
    """Find an action that has not been tried, and unmark it; -1 if there is none."""
    for a in range(mask.size):
        if mask[a]:
            mask[a] = 0
            return a
    return -1


@kernel
def moving(t, seat):
    """Whether a stone of `seat` is in motion."""
    return t.to_move == seat and (t.phase == JUMP or t.phase == DROP)


@kernel
def worth(s, t):
    """Value the position `t` at the end of a move from `s`."""
    seat = np.int64(s.to_move)
    if t.to_move == OVER and t.winner >= 0:
        return WIN if t.winner == seat else -WIN
    due = np.int64(t.due) if t.to_move == seat and t.phase == TAKE else 0
    gain = np.int64(s.stones[1 - seat]) - np.int64(t.stones[1 - seat]) + due
    return STONE * gain + shapes(t, seat) - shapes(t, 1 - seat)


@kernel
def shapes(s, seat):
    """Value a side's shapes."""
    b, total = s.board, np.int64(0)
    for q in range(b.size):
        if b[q] != seat + 1:
            cells = squares_at(s, q, seat + 1)
            if cells > 0:
                total += worth_of_point(s, q, seat, cells)
    return total


@kernel
def worth_of_point(s, q, seat, cells):
    """Value a point that this many unit cells of a side's stones lack."""
    if s.phase != LAYOUT and s.board[q] != 0:
        return TRIANGLE * cells
    if cells > 1:
        return DOUBLE_GATE
    beside = np.int64(0)
    for d in range(4):
        p = neighbour(side(s), q, d)
        beside += p >= 0 and s.board[p] == seat + 1
    # Two of the cell's own stones are next to the point.
    return GATE if beside > 2 else TRIANGLE
