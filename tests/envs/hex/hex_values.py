"""Who wins every position of a small Hex board, by looking at all that can follow: what proofs are judged by.

A position, whatever its number of stones, is a number in base 3, cell i being digit i: 0 empty, else seat + 1. So
whatever follows from a position has a higher number.
"""

from functools import lru_cache

import numpy as np
from numba import njit

IF_FIRST, IF_SECOND = 1, 2  # bits: seat 0 wins if seat 0, if seat 1 is to move


@njit
def joined(b, n):
    """Whether seat 0 has joined top and bottom, by flood fill."""
    seen, pile = np.zeros(n * n, np.bool_), [c for c in range(n) if b[c] == 1]
    while len(pile) > 0:
        i = pile.pop()
        if seen[i]:
            continue
        seen[i] = True
        r, c = i // n, i % n
        if r == n - 1:
            return True
        for dr, dc in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            if 0 <= r + dr < n and 0 <= c + dc < n and b[(r + dr) * n + c + dc] == 1:
                pile.append((r + dr) * n + c + dc)
    return False


@njit
def decode(code, b):
    """Write the cells of a position."""
    for i in range(b.size):
        b[i] = code % 3
        code //= 3


@njit
def solve(n, value):
    """Write the bits of every position, those with more stones first."""
    b, power = np.zeros(n * n, np.int8), 3 ** np.arange(n * n)
    for code in range(value.size - 1, -1, -1):
        decode(code, b)
        if np.all(b > 0):
            value[code] = IF_FIRST + IF_SECOND if joined(b, n) else 0
            continue
        if_first, if_second = False, True
        for i in range(n * n):
            if b[i] == 0:
                if_first |= value[code + power[i]] & IF_SECOND != 0
                if_second &= value[code + 2 * power[i]] & IF_FIRST != 0
        value[code] = IF_FIRST * if_first + IF_SECOND * if_second


@njit
def encode(b):
    """Find the number of a position."""
    code = 0
    for i in range(b.size - 1, -1, -1):
        code = code * 3 + b[i]
    return code


@njit
def wins(value, code, seat, mover):
    """Whether a seat wins a position if `mover` moves."""
    return (value[code] & (IF_FIRST if mover == 0 else IF_SECOND) != 0) == (seat == 0)


@lru_cache
def values(n: int) -> np.ndarray:
    """Return the bits IF_FIRST and IF_SECOND of every position of the n x n board."""
    found = np.zeros(3 ** (n * n), np.uint8)
    solve(n, found)
    return found
