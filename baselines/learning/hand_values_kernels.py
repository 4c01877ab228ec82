"""The kernel that finds which rows of planes are equal, so that a network need look at each only once."""

import numpy as np

from ...envs.engine.rng import GOLDEN, hash64


def distinct_rows(x, first, last, slots, sums, rows, which):
    """Copy rows `first` to `last` - 1 of planes ``x`` (m, C, H, W) to `rows` (…, C·W), each once, and count them.

    ``which[i, r - first]`` (m, last - first) says where row r of ``x[i]`` is. Scratch: `slots`, zeros, their number a
    power of 2 above that of the rows, and `sums` (W,).
    """
    size, mask = 0, np.uint64(slots.shape[0] - 1)
    for i in range(x.shape[0]):
        for r in range(first, last):
            # A sum for every column, so that they do not wait for each other; equal rows have equal sums.
            sums[:] = 0.0
            for c in range(x.shape[1]):
                for j in range(x.shape[3]):
                    sums[j] = sums[j] * 1.618 + x[i, c, r, j]
            key = 0.0
            for j in range(x.shape[3]):
                key = key * 2.718 + sums[j]
            slot = hash64(np.uint64(np.int64(key * 65536.0)) + GOLDEN) & mask
            while slots[slot] != 0 and not same_row(x, i, r, rows[slots[slot] - 1]):
                slot = (slot + np.uint64(1)) & mask
            if slots[slot] == 0:
                for c in range(x.shape[1]):
                    for j in range(x.shape[3]):
                        rows[size, c * x.shape[3] + j] = x[i, c, r, j]
                size += 1
                slots[slot] = size
            which[i, r - first] = slots[slot] - 1
    return size


def same_row(x, i, r, row):
    """Say whether row r of ``x[i]`` is the one given."""
    for c in range(x.shape[1]):
        for j in range(x.shape[3]):
            if x[i, c, r, j] != row[c * x.shape[3] + j]:
                return False
    return True
