"""How the shapes of a side are counted for `evaluate`: over padded boards, whole rows at once.

A padded board has one dead point behind every row, which is the one before the next row too, and two dead rows above;
`place` finds a point on it. A unit cell goes by the place of its upper left corner, and the four cells around a place i
are those at i - width - 1, i - width, i - 1 and i. Cells that hang over the edge never have three stones.

Counts are kept in 16 bits, which no board of 26 lines exceeds: compilers then count sixteen points at once, not four.
"""

import numpy as np

from ..engine.rng import kernel

TRIANGLE, GATE, DOUBLE_GATE = 50, 100, 800  # of the published table for the layout


def room(n: int) -> int:
    """Count the places of a padded board of `n` lines."""
    return (n + 3) * (n + 1) + 3


@kernel
def padded(n, p):
    """Find a point's place on a padded board."""
    return p + p // n + 2 * n + 4


@kernel
def change(e, n, p, seat, by):
    """Note that a stone of `seat` has come to a point (`by` 1) or has left it (-1)."""
    i = padded(n, p)
    cells = e.cells[seat]
    e.own[seat, i] += by
    e.empty[i] -= by
    for j in (i - n - 2, i - n - 1, i - 1, i):
        cells[j] += by


@kernel
def layout_worth(cells, own, n):
    """Value a side's shapes by the published table, `own` its stones and `cells` those in every unit cell.

    A triangle is three stones of a cell, the fourth point not the side's; a gate has one more stone beside that point;
    a double gate is a point that two cells lack.
    """
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    a, b = cells[first - width - 1 :], cells[first - width :]
    c, d = cells[first - 1 :], cells[first:]
    up, down, left, right = own[first - width :], own[first + width :], own[first - 1 :], own[first + 1 :]
    here = own[first : first + many]
    triangles, gates, doubles = np.int16(0), np.int16(0), np.int16(0)
    for i in range(many):
        lacking = np.int16(np.int16(a[i] == 3) + np.int16(b[i] == 3) + np.int16(c[i] == 3) + np.int16(d[i] == 3))
        beside = np.int16(np.int16(up[i]) + np.int16(down[i]) + np.int16(left[i]) + np.int16(right[i]))
        free = here[i] == 0
        triangles = np.int16(triangles + np.int16(free & (lacking > 0)))
        gates = np.int16(gates + np.int16(free & (lacking > 0) & (beside > 2)))
        doubles = np.int16(doubles + np.int16(free & (lacking > 1)))
    return (
        TRIANGLE * np.int64(triangles) + (GATE - TRIANGLE) * np.int64(gates) + (DOUBLE_GATE - GATE) * np.int64(doubles)
    )


@kernel
def count_shapes(cells, own, other, empty, n):
    """Count a side's holes, gates, dalians, stones of the `other` side that it can jump, and steps.

    A hole is an empty point that a cell of three stones lacks, counted once a cell; a gate is a step into a hole from
    outside its cell; a dalian (RULES.md, §14) is one whose runner leaves a square.
    """
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    here = empty[first : first + many]
    a, b = cells[first - width - 1 :], cells[first - width :]
    c, d = cells[first - 1 :], cells[first:]
    up, down, left, right = own[first - width :], own[first + width :], own[first - 1 :], own[first + 1 :]
    # The cells of a neighbour that do not touch the point itself: squares that its stone would leave.
    up_1, up_2 = cells[first - 2 * width - 1 :], cells[first - 2 * width :]
    down_1, down_2 = cells[first + width - 1 :], cells[first + width :]
    left_1, left_2 = cells[first - width - 2 :], cells[first - 2 :]
    right_1, right_2 = cells[first - width + 1 :], cells[first + 1 :]
    prey = other[first : first + many]
    above, below = empty[first - width :], empty[first + width :]
    before, behind = empty[first - 1 :], empty[first + 1 :]
    holes, gates, dalians, jumps, steps = np.int16(0), np.int16(0), np.int16(0), np.int16(0), np.int16(0)
    for i in range(many):
        free = here[i] == 1
        lacks_a, lacks_b = free & (a[i] == 3), free & (b[i] == 3)
        lacks_c, lacks_d = free & (c[i] == 3), free & (d[i] == 3)
        holes = np.int16(holes + np.int16(lacks_a) + np.int16(lacks_b) + np.int16(lacks_c) + np.int16(lacks_d))
        from_up, from_down = (up[i] == 1) & (lacks_c | lacks_d), (down[i] == 1) & (lacks_a | lacks_b)
        from_left, from_right = (left[i] == 1) & (lacks_b | lacks_d), (right[i] == 1) & (lacks_a | lacks_c)
        gates = np.int16(gates + np.int16(from_up) + np.int16(from_down) + np.int16(from_left) + np.int16(from_right))
        dalians = np.int16(dalians + np.int16(from_up & ((up_1[i] == 4) | (up_2[i] == 4))))
        dalians = np.int16(dalians + np.int16(from_down & ((down_1[i] == 4) | (down_2[i] == 4))))
        dalians = np.int16(dalians + np.int16(from_left & ((left_1[i] == 4) | (left_2[i] == 4))))
        dalians = np.int16(dalians + np.int16(from_right & ((right_1[i] == 4) | (right_2[i] == 4))))
        upright = ((up[i] == 1) & (below[i] == 1)) | ((down[i] == 1) & (above[i] == 1))
        across = ((left[i] == 1) & (behind[i] == 1)) | ((right[i] == 1) & (before[i] == 1))
        jumps = np.int16(jumps + np.int16((prey[i] == 1) & (upright | across)))
        beside = np.int16(np.int16(up[i]) + np.int16(down[i]) + np.int16(left[i]) + np.int16(right[i]))
        steps = np.int16(steps + np.int16(free) * beside)
    return np.int64(holes), np.int64(gates), np.int64(dalians), np.int64(jumps), np.int64(steps)
