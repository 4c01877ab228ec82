"""Shapes on the board of Jiu that the rules for winning and players look for; § numbers refer to RULES.md."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import side
from ..grid.rays import neighbour


@kernel
def owns_cell(b, n, corner, stone, open_point):
    """Whether the unit cell right and down of `corner` has a stone like `stone` on every point but `open_point`."""
    for p in (corner, corner + 1, corner + n, corner + n + 1):
        if p != open_point and b[p] != stone:
            return False
    return True


@kernel
def on_board(n, r, c):
    """Whether a unit cell has its upper left corner on (r, c)."""
    return 0 <= r < n - 1 and 0 <= c < n - 1


@kernel
def dalian(s, seat, corner, k):
    """§14: find the k-th of 16 dalians that a square with this upper left corner may be part of.

    Returns whether it is one, its points p and q, and the corner of its other cell. k encodes the corner of the square
    that the runner stands on, the direction out of the square in which it steps, and which of two cells it completes.
    """
    b, n = s.board, side(s)
    r, c = corner // n, corner % n
    low, east, sideways, far = k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3
    # The runner stands on (r + low, c + east); out of the square is up or down, or left or right.
    pr, pc = r + low, c + east
    if sideways:
        qr, qc = pr, pc + (1 if east else -1)
        br, bc = qr - 1 + far, qc if east else qc - 1
    else:
        qr, qc = pr + (1 if low else -1), pc
        br, bc = qr if low else qr - 1, qc - 1 + far
    if not on_board(n, br, bc):
        return False, -1, -1, -1
    p, q, other = pr * n + pc, qr * n + qc, br * n + bc
    good = b[q] == 0 and owns_cell(b, n, corner, seat + 1, -1) and owns_cell(b, n, other, seat + 1, q)
    return good, p, q, other


@kernel
def apart(n, a, b):
    """Whether the unit cells with these corners have no point in common."""
    return abs(a // n - b // n) > 1 or abs(a % n - b % n) > 1


@kernel
def two_dalians(s, seat, any_two):
    """§14: whether a side has two dalians apart from each other or, with `any_two`, that differ in p or q."""
    n = side(s)
    for a in range(n * n - n - 1):
        if a % n < n - 1 and owns_cell(s.board, n, a, seat + 1, -1):
            for k in range(16):
                found, p, q, b = dalian(s, seat, a, k)
                if found and second_dalian(s, seat, any_two, a, b, p, q):
                    return True
    return False


@kernel
def second_dalian(s, seat, any_two, a, b, p, q):
    """Whether there is a dalian besides the one of the cells `a` and `b`, whose runner steps from `p` to `q`."""
    n = side(s)
    for c in range(n * n - n - 1):
        free = any_two or (apart(n, a, c) and apart(n, b, c))
        if free and c % n < n - 1 and owns_cell(s.board, n, c, seat + 1, -1):
            for k in range(16):
                found, p2, q2, d = dalian(s, seat, c, k)
                if found and ((p2 != p or q2 != q) if any_two else (apart(n, a, d) and apart(n, b, d))):
                    return True
    return False


@kernel
def has_gate(s, seat, flying):
    """§14: whether a side has a gate."""
    b, n = s.board, side(s)
    for corner in range(n * n - n - 1):
        if corner % n < n - 1:
            q = missing(b, n, corner, seat + 1)
            if q >= 0 and b[q] == 0 and (s.stones[seat] > 3 if flying else reaches(s, seat, q, corner)):
                return True
    return False


@kernel
def missing(b, n, corner, stone):
    """Find the only point of a unit cell that has no stone like `stone`; -1 if there are none or several."""
    found = np.int64(-1)
    for p in (corner, corner + 1, corner + n, corner + n + 1):
        if b[p] != stone:
            if found >= 0:
                return -1
            found = p
    return found


@kernel
def reaches(s, seat, q, corner):
    """Whether a side's stone outside a unit cell can step, or jump once, to the cell's empty point `q`."""
    b, n = s.board, side(s)
    for d in range(4):
        p = neighbour(n, q, d)
        if p >= 0 and not in_cell(n, p, corner):
            if b[p] == seat + 1:
                return True
            p = neighbour(n, p, d) if b[p] == 2 - seat else -1
            if p >= 0 and b[p] == seat + 1:
                return True
    return False


@kernel
def in_cell(n, p, corner):
    """Whether a point is a corner of a unit cell."""
    return 0 <= p // n - corner // n <= 1 and 0 <= p % n - corner % n <= 1
