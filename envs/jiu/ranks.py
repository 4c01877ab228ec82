"""How promising single actions of Jiu are, from the stones around them; places are those of the boards of `weigh`."""

import numpy as np

from ..engine.protocol import URGENT
from ..engine.rng import kernel
from ..grid.directions import DOWN, LEFT, UP
from .weigh import DOUBLE_GATE, GATE, TRIANGLE, Weights, padded

CAPTURE = 1000  # for every stone taken
OPENS, CLOSES, LOSES = 30, 25, 15  # a square of one's own, a hole to either side, a triangle of one's own
DANGER, PREY = 40, 15  # a stone that can be jumped, and one that could be jumped next
LEAVES = Weights(squares=0, holes=-CLOSES, exposed=DANGER, prey=0, uncovered=-DANGER)
COMES = Weights(squares=0, holes=CLOSES, exposed=-DANGER, prey=PREY, uncovered=0)


@kernel
def beyond(i, width, d):
    """Find the two cells around place i that lie on its far side in a direction."""
    if d == UP:
        return i - width - 1, i - width
    if d == DOWN:
        return i - 1, i
    if d == LEFT:
        return i - width - 1, i - 1
    return i - width, i


@kernel
def away(width, d):
    """Find how far a step in a direction goes."""
    if d == UP:
        return -width
    if d == DOWN:
        return width
    return -1 if d == LEFT else 1


@kernel
def lacking(cells, i, width):
    """Count the cells of three stones around place i."""
    count = np.int64(0)
    for j in (i - width - 1, i - width, i - 1, i):
        count += cells[j] == 3
    return count


@kernel
def layout_gain(cells, own, i, width):
    """Find what a stone at the empty place i adds to a side's shapes by the published table."""
    before = around(cells, own, i, width)
    own[i] = 1
    for j in (i - width - 1, i - width, i - 1, i):
        cells[j] += 1
    after = around(cells, own, i, width)
    own[i] = 0
    for j in (i - width - 1, i - width, i - 1, i):
        cells[j] -= 1
    return after - before


@kernel
def around(cells, own, i, width):
    """Value a side's shapes at the nine places around i."""
    total = np.int64(0)
    for row in (i - width, i, i + width):
        for j in (row - 1, row, row + 1):
            if own[j] == 0:
                holes = lacking(cells, j, width)
                if holes > 1:
                    total += DOUBLE_GATE
                elif holes == 1:
                    beside = np.int64(own[j - 1]) + own[j + 1] + own[j - width] + own[j + width]
                    total += GATE if beside > 2 else TRIANGLE
    return total


@kernel
def exposed(e, i, left, width, seat):
    """Whether a stone of `seat` at place i can be jumped once it has left place `left`."""
    theirs, empty = e.own[1 - seat], e.empty
    for step in (1, width):
        for j, k in ((i - step, i + step), (i + step, i - step)):
            if theirs[j] == 1 and (empty[k] == 1 or k == left):
                return True
    return False


@kernel
def fills(s, e, n, p, left, seat):
    """§9: count the stones that a gun would take if a stone came from place `left` (0: none) to point p."""
    if s.gun == 0:
        return 0
    i, r, c = padded(n, p), p // n, p % n
    first = padded(n, r * n)
    row = np.int64(s.rows[seat, r]) + 1 - (first <= left < first + n)
    column = np.int64(s.columns[seat, c]) + 1 - (left > 0 and (left - i) % (n + 1) == 0)
    return 2 * (np.int64(row == n) + np.int64(column == n))


@kernel
def rank_step(s, e, n, p, q, d, seat):
    """Rank the step from p to q by what `weigh_places` has found, squares made and opened, and triangles."""
    width, i, j = n + 1, padded(n, p), padded(n, q)
    mine, theirs = e.cells[seat], e.cells[1 - seat]
    rank = np.int64(e.worth[i]) + np.int64(e.worth[j])
    due = fills(s, e, n, q, i, seat)
    for k in beyond(j, width, d):
        due += mine[k] == 3
        rank += LOSES * np.int64((mine[k] == 2) & (theirs[k] == 0))
    for k in beyond(i, width, d ^ 1):
        rank += OPENS * np.int64(mine[k] == 4) - LOSES * np.int64((mine[k] == 3) & (theirs[k] == 0))
    if e.own[1 - seat, j + away(width, d)] == 1:
        # It can be jumped into the point that it has left.
        rank -= DANGER * (1 - np.int64(exposed(e, j, 0, width, seat)))
    return rank + URGENT + CAPTURE * due if due > 0 else rank


@kernel
def threatened(e, i, width, seat):
    """Value the stones next to place i that a stone of `seat` there could jump."""
    total = 0
    for step in (-width, width, -1, 1):
        if e.own[1 - seat, i + step] == 1 and e.empty[i + 2 * step] == 1:
            total += PREY
    return total


@kernel
def rank_landing(s, e, n, p, seat):
    """Rank the end of a jump by the squares that it makes there, and the jumps that may follow."""
    i = padded(n, p)
    return CAPTURE * lacking(e.cells[seat], i, n + 1) + threatened(e, i, n + 1, seat)


@kernel
def rank_drop(s, e, n, q, seat):
    """Rank the landing of a flight on point q; the lifted stone is on no board."""
    width, j = n + 1, padded(n, q)
    mine, theirs = e.cells[seat], e.cells[1 - seat]
    rank, due = CLOSES * lacking(theirs, j, width), fills(s, e, n, q, padded(n, np.int64(s.runner)), seat)
    for k in (j - width - 1, j - width, j - 1, j):
        due += mine[k] == 3
        rank += LOSES * np.int64(mine[k] == 2 and theirs[k] == 0)
    rank -= DANGER * np.int64(exposed(e, j, 0, width, seat))
    rank += threatened(e, j, width, seat)
    return rank + URGENT + CAPTURE * due if due > 0 else rank


@kernel
def rank_lifted(e, n, p, seat):
    """Rank a stone to lift by how little its leaving breaks, and by what it opens."""
    width, i = n + 1, padded(n, p)
    rank = DANGER * np.int64(exposed(e, i, 0, width, seat)) - CLOSES * lacking(e.cells[1 - seat], i, width)
    for k in (i - width - 1, i - width, i - 1, i):
        rank += OPENS * np.int64(e.cells[seat, k] == 4) - LOSES * np.int64(e.cells[seat, k] == 3)
    return rank
