"""Counter-based random numbers for kernels: a stream is a uint64[2] row (key, counter), the i-th number its hash.

Streams are independent when their keys are, any row can be drawn from on any thread, and copying two numbers copies
a stream. The mixing function is SplitMix64's (Steele, Lea and Flood 2014). Constants and operands are wrapped in
uint64 because NumPy and Numba would otherwise promote them to floats.
"""

import numpy as np
from numba import njit

kernel = njit(nogil=True, error_model="numpy")
"""Decorator of every function over records: no interpreter lock, no checks that raise."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31, _S32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_STRETCH = 64  # entries of a mask that are counted at once
_UNIT = 2.0**-53  # spacing of the doubles that `uniform` returns


@kernel
def hash64(x):
    """Mix 64 bits so that nearby inputs give unrelated outputs."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@kernel
def combine(a, b):
    """Hash two uint64 into one."""
    return hash64(hash64(a + GOLDEN) ^ (b * GOLDEN))


@kernel
def random64(rng):
    """Draw 64 random bits."""
    rng[1] += np.uint64(1)
    return hash64(rng[0] + rng[1] * GOLDEN)


@kernel
def below(rng, n):
    """Draw a whole number in [0, n), n at most 2**31; the bias is below n / 2**32."""
    return np.int64(((random64(rng) >> _S32) * np.uint64(n)) >> _S32)


@kernel
def uniform(rng):
    """Draw a double in [0, 1)."""
    return np.float64(random64(rng) >> _S11) * _UNIT


@kernel
def choose(mask, rng):
    """Draw the index of a 1 in a 0/1 mask uniformly; -1 when there is none.

    A few blind throws find one fast where most entries are 1; the count settles the rest, by whole stretches first.
    """
    size = mask.shape[0]
    for _ in range(4):
        i = below(rng, size)
        if mask[i]:
            return i
    n = 0
    for i in range(size):
        n += np.int64(mask[i])
    if n == 0:
        return -1
    k = below(rng, n)
    i = 0
    while i + _STRETCH <= size:
        n = 0
        for j in range(i, i + _STRETCH):
            n += np.int64(mask[j])
        if k < n:
            break
        k -= n
        i += _STRETCH
    while True:
        k -= mask[i]
        if k < 0:
            return i
        i += 1
