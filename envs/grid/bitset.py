"""Sets of cells, one bit per cell, in words of 64 bits (words,) uint64: a set takes -(-cells // 64) of them."""

import numpy as np

from ..engine.rng import kernel

_ONE = np.uint64(1)


@kernel
def count(a):
    """Count the cells of a set."""
    found = 0
    for w in range(a.size):
        found += popcount(a[w])
    return found


@kernel
def count_both(a, b):
    """Count the cells that two sets have in common."""
    found = 0
    for w in range(a.size):
        found += popcount(a[w] & b[w])
    return found


@kernel
def popcount(x):
    """Count the ones of a word."""
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def has(a, i):
    """Whether cell i is in a set."""
    return (a[i >> 6] >> np.uint64(i & 63)) & _ONE != 0


@kernel
def put_in(a, i):
    """Put cell i into a set."""
    a[i >> 6] |= _ONE << np.uint64(i & 63)


@kernel
def take_out(a, i):
    """Take cell i out of a set."""
    a[i >> 6] &= ~(_ONE << np.uint64(i & 63))


@kernel
def meets(a, b):
    """Whether two sets have a cell in common."""
    for w in range(a.size):
        if a[w] & b[w] != 0:
            return True
    return False


@kernel
def within(a, b):
    """Whether a set lies within another."""
    for w in range(a.size):
        if a[w] & ~b[w] != 0:
            return False
    return True


@kernel
def unite(a, b, to):
    """Write the union of two sets."""
    for w in range(a.size):
        to[w] = a[w] | b[w]


@kernel
def subtract(a, b, to):
    """Write a set without the cells of another."""
    for w in range(a.size):
        to[w] = a[w] & ~b[w]


@kernel
def intersect(a, b):
    """Take out of a set what is not in another."""
    for w in range(a.size):
        a[w] &= b[w]


@kernel
def copy(a, to):
    """Copy a set, or any row."""
    for w in range(a.size):
        to[w] = a[w]


@kernel
def is_nothing(a):
    """Whether a set is empty."""
    for w in range(a.size):
        if a[w] != 0:
            return False
    return True
