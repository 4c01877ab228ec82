"""Which stones are worth taking most: those on which the other side's next squares, dalians and jumps depend."""

import numpy as np

from ..engine.rng import kernel
from .ranks import PREY, away, beyond
from .weigh import Weights, mark_holes, weigh_places

IN_HOLE, IN_GATE, IN_DALIAN = 20, 60, 150
STONES = Weights(squares=15, holes=30, exposed=-10, prey=3 * PREY, uncovered=0)


@kernel
def weigh_prey(e, seat, n):
    """Write into ``e.worth`` what taking each stone of a side is worth."""
    weigh_places(e, seat, n, STONES, STONES)
    mark_holes(e.cells[seat], e.empty, e.ways, n)
    add_damage(e.cells[seat], e.own[seat], e.worth, e.ways, n)
    e.ways[:] = 0


@kernel
def add_damage(cells, own, worth, holes, n):
    """Add how much taking each stone of a side would hurt its gates, whose holes are marked."""
    width = n + 1
    for i in range(holes.size):
        if holes[i]:
            for j in (i - width - 1, i - width, i - 1, i):
                if cells[j] == 3:
                    add_to_cell(worth, j, width, IN_HOLE)
            for d in range(4):
                runner = i - away(width, d)
                if own[runner] == 1:
                    hurt_gate(cells, worth, i, runner, d, width)


@kernel
def hurt_gate(cells, worth, i, runner, d, width):
    """Add what depends on a runner that steps in direction d to place i, if it makes a square there."""
    squares = np.int64(0)
    for j in beyond(i, width, d):
        if cells[j] == 3:
            squares += 1
            add_to_cell(worth, j, width, IN_GATE)
    if squares == 0:
        return
    worth[runner] += IN_GATE * squares
    for j in beyond(runner, width, d ^ 1):
        if cells[j] == 4:
            add_to_cell(worth, j, width, IN_DALIAN)
            worth[runner] += IN_DALIAN
            for k in beyond(i, width, d):
                if cells[k] == 3:
                    add_to_cell(worth, k, width, IN_DALIAN)


@kernel
def add_to_cell(worth, j, width, by):
    """Add to the four places of a cell."""
    worth[j] += by
    worth[j + 1] += by
    worth[j + width] += by
    worth[j + width + 1] += by
