"""How the shapes of a side are counted for `evaluate`: over padded boards, whole rows at once.

A padded board has one dead point after every row, which is also the one before the next row, and two dead rows above
and below; `padded` finds a point on it. A unit cell goes by the place of its upper left corner, and the four cells
around a place i are those at i - width - 1, i - width, i - 1 and i. Cells that hang over the edge never have three
stones.

Counts are kept in 16 bits, which no board of 26 lines exceeds: compilers then count sixteen points at once, not four.
"""

from typing import NamedTuple

import numpy as np

from ..engine.rng import kernel

TRIANGLE, GATE, DOUBLE_GATE = 50, 100, 800  # of the published table for the layout


class Weights(NamedTuple):
    """What a side's stone on a place, or one that came there, is worth by what is around it: for each square of the
    side's, each hole of the other's, if it can be jumped, for each stone that it can jump (whatever stands there now),
    and for each stone of its side beside it that could be jumped into the place if that were empty.
    """

    squares: int
    holes: int
    exposed: int
    prey: int
    uncovered: int


def room(n: int) -> int:
    """Count the places of a padded board of `n` lines."""
    return (n + 4) * (n + 1) + 1


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
    """Value a side's shapes by the published table, given its stones `own` and how many every unit cell has, `cells`.

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

    A hole is an empty point that a cell of three stones lacks, counted once for each cell; a gate is a step into a
    hole from outside its cell; a dalian (RULES.md, §14) is a gate whose runner leaves a square.
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


@kernel
def weigh_places(e, seat, n, stones, points):
    """Write into ``e.worth`` what a side's stones are worth where they stand, and other places if one came there."""
    weigh_cells(e.cells[seat], e.cells[1 - seat], e.own[seat], e.worth, n, stones, points)
    weigh_jumps(e.own[seat], e.own[1 - seat], e.empty, e.worth, n, stones, points)


@kernel
def weigh_cells(cells, others, own, worth, n, stones, points):
    """Write what the side's squares and the `others`' holes around each place are worth."""
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    a, b, c, d = cells[first - width - 1 :], cells[first - width :], cells[first - 1 :], cells[first:]
    a_3, b_3, c_3, d_3 = others[first - width - 1 :], others[first - width :], others[first - 1 :], others[first:]
    here, out = own[first : first + many], worth[first : first + many]
    square, more_square = np.int16(points.squares), np.int16(stones.squares - points.squares)
    hole, more_hole = np.int16(points.holes), np.int16(stones.holes - points.holes)
    for i in range(many):
        squares = np.int16(np.int16(a[i] == 4) + np.int16(b[i] == 4) + np.int16(c[i] == 4) + np.int16(d[i] == 4))
        holes = np.int16(np.int16(a_3[i] == 3) + np.int16(b_3[i] == 3) + np.int16(c_3[i] == 3) + np.int16(d_3[i] == 3))
        out[i] = np.int16(np.int16(square + more_square * here[i]) * squares)
        out[i] = np.int16(out[i] + np.int16(hole + more_hole * here[i]) * holes)


@kernel
def weigh_jumps(own, theirs, empty, worth, n, stones, points):
    """Add what the jumps over and from each place are worth, and those into it over stones beside it."""
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    own_up, own_down = own[first - width :], own[first + width :]
    own_left, own_right = own[first - 1 :], own[first + 1 :]
    up, down, left, right = theirs[first - width :], theirs[first + width :], theirs[first - 1 :], theirs[first + 1 :]
    up_2, down_2 = theirs[first - 2 * width :], theirs[first + 2 * width :]
    left_2, right_2 = theirs[first - 2 :], theirs[first + 2 :]
    free_up, free_down = empty[first - width :], empty[first + width :]
    free_left, free_right = empty[first - 1 :], empty[first + 1 :]
    free_up_2, free_down_2 = empty[first - 2 * width :], empty[first + 2 * width :]
    free_left_2, free_right_2 = empty[first - 2 :], empty[first + 2 :]
    here, out = own[first : first + many], worth[first : first + many]
    # A loop for each: compilers do not handle many points at once in a loop that reads much.
    exposed, more = np.int16(points.exposed), np.int16(stones.exposed - points.exposed)
    for i in range(many):
        hit = (up[i] & free_down[i]) | (down[i] & free_up[i]) | (left[i] & free_right[i]) | (right[i] & free_left[i])
        out[i] = np.int16(out[i] + np.int16(exposed + more * here[i]) * hit)
    prey, more = np.int16(points.prey), np.int16(stones.prey - points.prey)
    for i in range(many):
        jumps = np.int8((up[i] & free_up_2[i]) + (down[i] & free_down_2[i]))
        jumps = np.int8(jumps + (left[i] & free_left_2[i]) + (right[i] & free_right_2[i]))
        out[i] = np.int16(out[i] + np.int16(prey + more * here[i]) * jumps)
    uncovered, more = np.int16(points.uncovered), np.int16(stones.uncovered - points.uncovered)
    for i in range(many):
        beside = np.int8((own_up[i] & up_2[i]) + (own_down[i] & down_2[i]))
        beside = np.int8(beside + (own_left[i] & left_2[i]) + (own_right[i] & right_2[i]))
        out[i] = np.int16(out[i] + np.int16(uncovered + more * here[i]) * beside)


@kernel
def mark_ways(e, seat, n, steps):
    """Write into ``e.ways`` where a side's stones can jump and, with `steps`, step to, as a bit for each direction."""
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    theirs, empty = e.own[1 - seat], e.empty
    here = e.own[seat, first : first + many]
    up, down, left, right = theirs[first - width :], theirs[first + width :], theirs[first - 1 :], theirs[first + 1 :]
    free_up, free_down = empty[first - width :], empty[first + width :]
    free_left, free_right = empty[first - 1 :], empty[first + 1 :]
    free_up_2, free_down_2 = empty[first - 2 * width :], empty[first + 2 * width :]
    free_left_2, free_right_2 = empty[first - 2 :], empty[first + 2 :]
    ways = e.ways[first : first + many]
    bit = np.int8(steps)
    for i in range(many):
        to_up = (free_up[i] & bit) | (up[i] & free_up_2[i])
        to_down = (free_down[i] & bit) | (down[i] & free_down_2[i])
        to_left = (free_left[i] & bit) | (left[i] & free_left_2[i])
        to_right = (free_right[i] & bit) | (right[i] & free_right_2[i])
        ways[i] = here[i] * np.int8(to_up + 2 * to_down + 4 * to_left + 8 * to_right)


@kernel
def mark_holes(cells, empty, out, n):
    """Mark the empty points that a cell of three stones of a side lacks."""
    width = n + 1
    first, many = 2 * width + 2, n * width - 1
    a, b, c, d = cells[first - width - 1 :], cells[first - width :], cells[first - 1 :], cells[first:]
    here, marks = empty[first : first + many], out[first : first + many]
    for i in range(many):
        marks[i] = here[i] & np.int8((a[i] == 3) | (b[i] == 3) | (c[i] == 3) | (d[i] == 3))
