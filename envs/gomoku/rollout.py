"""Complete a five, else prevent one, else play near the latest stone: how tree searches finish games of Gomoku."""

from typing import NamedTuple

import numpy as np

from ..engine.rng import below, kernel
from ..engine.spec import Game
from ..grid.board import side
from ..grid.directions import LINES
from ..grid.rays import run_of
from .constants import ROW
from .rules import step

NEAR, THROWS = 2, 3  # how far from the latest stone, and how often an empty point is looked for there


class Notes(NamedTuple):
    """Points that would complete a row, or once would have, for each seat (2, points) int32, and how many (2,)."""

    points: np.ndarray
    noted: np.ndarray


def notes(game: Game) -> Notes:
    """Return what `rollout` needs."""
    return Notes(np.zeros((2, 8 * game.actions), np.int32), np.zeros(2, np.int32))


@kernel
def rollout(s, notes, rng, mask, p, used):
    """Play to the end: each seat completes a row if it can, or takes the point where the other would."""
    notes.noted[:] = 0
    for a in range(s.board.size):
        if s.board[a] != 0:
            note_fours(s, notes, a)
    while s.to_move >= 0:
        seat = np.int64(s.to_move)
        a = open_point(s, notes, seat)
        if a < 0:
            a = open_point(s, notes, 1 - seat)
        if a < 0:
            a = random_point(s, rng)
        used[seat, a] = 1
        step(s, a)
        note_fours(s, notes, a)


@kernel
def random_rollout(s, notes, rng, mask, p, used):
    """Play uniformly random actions to the end."""
    b = s.board
    while s.to_move >= 0:
        a = any_point(b, rng)
        used[s.to_move, a] = 1
        step(s, a)


@kernel
def random_point(s, rng):
    """Draw an empty point, near the latest stone if a few throws find one there."""
    b, n = s.board, side(s)
    if s.last >= 0:
        r, c = s.last // n - NEAR, s.last % n - NEAR
        for _ in range(THROWS):
            i = below(rng, (2 * NEAR + 1) ** 2)
            y, x = r + i // (2 * NEAR + 1), c + i % (2 * NEAR + 1)
            if 0 <= y < n and 0 <= x < n and b[y * n + x] == 0:
                return y * n + x
    return any_point(b, rng)


@kernel
def any_point(b, rng):
    """Draw an empty point by throwing until one is hit."""
    a = below(rng, b.size)
    while b[a] != 0:
        a = below(rng, b.size)
    return a


@kernel
def open_point(s, notes, seat):
    """Find a point noted for a seat that is still empty, the latest first, and forget those passed over; -1: none."""
    while notes.noted[seat] > 0:
        a = np.int64(notes.points[seat, notes.noted[seat] - 1])
        if s.board[a] == 0:
            return a
        notes.noted[seat] -= 1
    return np.int64(-1)


@kernel
def note_fours(s, notes, a):
    """Note the points that would complete a row through the stone on point a."""
    b, n = s.board, side(s)
    r, c = a // n, a % n
    stone = b[a]
    for dr, dc in LINES:
        ahead, behind = run_of(b, n, r, c, dr, dc, stone), run_of(b, n, r, c, -dr, -dc, stone)
        for way in (1, -1):
            far = ahead if way == 1 else behind
            y, x = r + way * (far + 1) * dr, c + way * (far + 1) * dc
            if 0 <= y < n and 0 <= x < n and b[y * n + x] == 0:
                row = 2 + ahead + behind + run_of(b, n, y, x, way * dr, way * dc, stone)
                seat = np.int64(stone) - 1
                if (row == ROW or (row > ROW and s.exact == 0)) and notes.noted[seat] < notes.points.shape[1]:
                    notes.points[seat, notes.noted[seat]] = y * n + x
                    notes.noted[seat] += 1
