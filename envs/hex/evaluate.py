"""What a Hex position is worth: whose ways from side to side are shorter, by two-distances, and more numerous.

A way through a cell is as long as the cell's distances from both sides; every empty cell counts what DECAY holds for
that, so that the shortest ways weigh most and several weigh more than one. The candidates are the cells that such ways
of either seat lead through.
"""

import math

import numpy as np

from ..engine.rng import kernel
from ..engine.spec import Game
from ..grid.board import side
from .distance import FAR, frame, measure
from .rules import can_swap

SCALE = 8000.0
UNIT = 1000.0  # worth of a ratio of e between the seats' sums
TEMPO = 2300  # worth of being to move
DECAY = 0.25 ** np.arange(2.0 * FAR)  # what a way counts, by its length beyond the least, 2
RANK = 1024.0  # of a cell that all ways of one seat lead through
SHARE = 16  # candidates have at least one part in this many of the best one's rank


def notes(game: Game) -> np.ndarray:
    """Return one record (1,): each seat's sum and what every empty cell adds to it, and room to compute them."""
    n = game.params["board_size"]
    framed = (n + 2) ** 2
    fields = [
        ("total", "f8", (2,)),
        ("part", "f8", (2, n * n)),
        ("framed", "i1", (framed,)),
        ("far", "i2", (2, framed)),
        ("work", "i2", (4, framed)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def survey(s, e):
    """Measure both seats' distances."""
    measure_ways(s.board, side(s), e)


@kernel
def measure_ways(b, n, e):
    """Measure both seats' distances on any board of n x n cells."""
    for seat in range(2):
        frame(b, n, seat, e.framed)
        measure(n, e.framed, False, e.far[0], e.work)
        measure(n, e.framed, True, e.far[1], e.work)
        add_up(n, seat, e)


@kernel
def add_up(n, seat, e):
    """Write what every cell adds to a seat's sum, and the sum."""
    total = 0.0
    part = e.part[seat]
    for r in range(n):
        for c in range(n):
            p = (r + 1) * (n + 2) + c + 1
            worth = 0.0
            if e.framed[p] == 0:
                worth = DECAY[np.int64(e.far[0, p]) + np.int64(e.far[1, p]) - 2]
            part[r * n + c if seat == 0 else c * n + r] = worth
            total += worth
    e.total[seat] = total


@kernel
def share(e, a):
    """Rank a cell by its parts in both sums."""
    return np.int64(RANK * (e.part[0, a] / e.total[0] + e.part[1, a] / e.total[1]))


@kernel
def follow(before, s, e, a):
    """Measure anew: one stone may change all distances."""
    survey(s, e)


@kernel
def evaluate(s, e, seat):
    """Compare the seats' sums; being to move is worth something, too."""
    value = np.int64(round(UNIT * math.log(e.total[seat] / e.total[1 - seat])))
    return value + TEMPO if s.to_move == seat else value - TEMPO


@kernel
def candidates(s, e, moves, ranks):
    """Write the cells, ranked by their parts in both sums, except those with hardly any; the swap ranks first."""
    b, best, count = s.board, np.int64(0), np.int64(0)
    for a in range(b.size):
        ranks[a] = share(e, a)
        if b[a] == 0:
            best = max(best, np.int64(ranks[a]))
    for a in range(b.size):
        if b[a] == 0 and np.int64(ranks[a]) * SHARE >= best:
            moves[count], ranks[count] = a, ranks[a]
            count += 1
    if can_swap(s):
        moves[count], ranks[count] = b.size, best + 1
        count += 1
    return count
