"""Counter-based random numbers for kernels: a stream is a row of uint64, its i-th number a hash of its key and i.

An open stream (key, counter) serves searches, playouts and decisions: it is hashed by the mixing function of SplitMix64
(Steele, Lea and Flood 2014), which is quick but invertible: anyone who sees a number can compute the next. A sealed
stream (half of the key, counter, other half) serves dice, draws and deals: its numbers are SipHash-2-4 (Aumasson and
Bernstein 2012) of the counter, so past numbers say nothing about later ones. Keys come from SipHash, too (`derive`): it
is made for short messages under a secret key, takes 64-bit words and needs some 15 ns, half the time of ThreeFry or
Philox at the rounds considered safe, neither of which was made to keep secrets.

Streams are independent when their keys are, any row can be drawn from on any thread, and copying a row copies a stream.
Constants and operands are wrapped in uint64 because NumPy and Numba would otherwise promote them to floats.
"""

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""How Numba compiles kernels: no interpreter lock, no checks that raise, and no counting of references.

A kernel allocates nothing, so nothing it holds can go away under it; counting costs up to three quarters of its time.
Numba refuses a kernel that would allocate after all.
"""

kernel = njit(**OPTIONS)
"""Decorator of every function over records."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31, _S32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_STRETCH = 64  # entries of a mask that are counted at once
_UNIT = 2.0**-53  # spacing of the doubles that `uniform` returns
SEALED = (1, 3)  # shape of a sealed stream; an open one has (2,)

# SipHash: what its state begins with ("somepseudorandomlygeneratedbytes"), and the last word of a message of 16 bytes.
_V0, _V1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_V2, _V3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_LENGTH, _FINAL = np.uint64(16 << 56), np.uint64(0xFF)
_S13, _S16, _S17, _S21 = np.uint64(13), np.uint64(16), np.uint64(17), np.uint64(21)
_S43, _S47, _S48, _S51 = np.uint64(43), np.uint64(47), np.uint64(48), np.uint64(51)
_NOTHING = np.uint64(0)


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
def _sip_round(v0, v1, v2, v3):
    v0 += v1
    v2 += v3
    v1 = ((v1 << _S13) | (v1 >> _S51)) ^ v0
    v3 = ((v3 << _S16) | (v3 >> _S48)) ^ v2
    v0 = (v0 << _S32) | (v0 >> _S32)
    v2 += v1
    v0 += v3
    v1 = ((v1 << _S17) | (v1 >> _S47)) ^ v2
    v3 = ((v3 << _S21) | (v3 >> _S43)) ^ v0
    v2 = (v2 << _S32) | (v2 >> _S32)
    return v0, v1, v2, v3


@kernel
def siphash(k0, k1, a, b):
    """Compute SipHash-2-4 of the message of two little-endian words `a`, `b` under the key of the words `k0`, `k1`."""
    v0, v1, v2, v3 = k0 ^ _V0, k1 ^ _V1, k0 ^ _V2, k1 ^ _V3
    for word in (a, b, _LENGTH):
        v3 ^= word
        v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
        v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= _FINAL
    for _ in range(4):
        v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@kernel
def random64(rng):
    """Draw 64 random bits from an open or a sealed stream."""
    if rng.ndim == 2:  # Numba compiles the branch that a stream's type takes, and the other not at all
        rng[0, 1] += np.uint64(1)
        return siphash(rng[0, 0], rng[0, 2], rng[0, 1], _NOTHING)
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

    A few blind tries find one fast where most entries are 1; otherwise entries are counted, whole stretches first.
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
