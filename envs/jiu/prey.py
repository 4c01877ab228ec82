"""Which stones are worth taking most: those on which the other side's next squares, dalians and jumps hang."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import side
from .ranks import away, beyond, exposed, lacking, threatened
from .weigh import padded

IN_SQUARE, IN_HOLE, IN_GATE, IN_DALIAN = 15, 20, 60, 150
UNBLOCKS, HUNTER, HUNTED = 30, 3, 10  # a hole of the taker's; for every point of `threatened`; jumped anyway


@kernel
def list_damage(s, e, seat):
    """Write into ``e.damage`` what taking each stone of a side would hurt it, from its gates."""
    n = side(s)
    width = n + 1
    cells, own, damage = e.cells[seat], e.own[seat], e.damage
    for q in range(s.board.size):
        i = padded(n, q)
        if s.board[q] == 0 and lacking(cells, i, width) > 0:
            for j in (i - width - 1, i - width, i - 1, i):
                if cells[j] == 3:
                    add_to_cell(damage, j, width, IN_HOLE)
            for d in range(4):
                runner = i - away(width, d)
                if own[runner] == 1:
                    hurt_gate(cells, damage, i, runner, d, width)


@kernel
def hurt_gate(cells, damage, i, runner, d, width):
    """Add what hangs on a runner that steps in direction d to place i, if it makes a square there."""
    squares = np.int64(0)
    for j in beyond(i, width, d):
        if cells[j] == 3:
            squares += 1
            add_to_cell(damage, j, width, IN_GATE)
    if squares == 0:
        return
    damage[runner] += IN_GATE * squares
    for j in beyond(runner, width, d ^ 1):
        if cells[j] == 4:
            add_to_cell(damage, j, width, IN_DALIAN)
            damage[runner] += IN_DALIAN
            for k in beyond(i, width, d):
                if cells[k] == 3:
                    add_to_cell(damage, k, width, IN_DALIAN)


@kernel
def add_to_cell(damage, j, width, worth):
    """Add to the four places of a cell."""
    damage[j] += worth
    damage[j + 1] += worth
    damage[j + width] += worth
    damage[j + width + 1] += worth


@kernel
def rank_prey(e, i, width, seat):
    """Rank the taking of the stone of `seat` at place i."""
    rank = np.int64(e.damage[i]) + HUNTER * threatened(e, i, width, seat)
    rank += UNBLOCKS * lacking(e.cells[1 - seat], i, width)
    for j in (i - width - 1, i - width, i - 1, i):
        rank += IN_SQUARE * np.int64(e.cells[seat, j] == 4)
    return rank - HUNTED * np.int64(exposed(e, i, 0, width, seat))
