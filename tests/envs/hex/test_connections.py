"""What is filled in and what connects on a Hex board, held against all that can follow and against known templates."""

import numpy as np
import pytest
from hex_values import decode, encode, values, wins
from numba import njit

from boyi.envs.hex.connections import connect, has, net_dtype
from boyi.envs.hex.fill import fill, place

pytestmark = pytest.mark.kernels


def notes(n: int) -> np.ndarray:
    """Return room to fill in and to connect on a board of n x n cells."""
    framed = (n + 2) ** 2
    fields = [
        ("net", net_dtype(n)),
        ("framed", "i1", (framed,)),
        ("code", "u2", (framed,)),
        ("pile", "i2", (framed,)),
        ("waits", "i1", (framed,)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@njit
def reduce(b, n, e):
    fill(b, n, e.framed, e.code, e.pile, e.waits)
    for i in range(b.size):
        b[i] = e.framed[place(n, i)]


@njit
def wrongly_filled(n, codes, value, notes):
    """Find a position whose winner changes when it is filled in, -1 if there is none; and how many cells are filled."""
    b, filled = np.zeros(n * n, np.int8), 0
    for code in codes:
        decode(code, b)
        empty = np.sum(b == 0)
        reduce(b, n, notes[0])
        filled += empty - np.sum(b == 0)
        if value[encode(b)] != value[code]:
            return code, filled
    return -1, filled


@njit
def wrongly_connected(n, codes, value, notes, seat):
    """Find a position in which what connects for a seat is wrong; and how many are won by it if the seat moves second,
    and first.
    """
    b, full, filled, e = np.zeros(n * n, np.int8), np.zeros(n * n, np.int8), np.zeros(3, np.int64), notes[0]
    power = 3 ** np.arange(n * n) * (seat + 1)
    other = 1 - seat
    for code in codes:
        decode(code, full)
        b[:] = full
        reduce(b, n, e)
        connect(e.net, e.framed, n, seat, False)
        filled[0] += e.net.won
        filled[1] += e.net.won or e.net.key >= 0
        if e.net.won and not wins(value, code, seat, other):
            return code, filled
        if e.net.key >= 0 and (b[e.net.key] != 0 or not wins(value, code + power[e.net.key], seat, other)):
            return code, filled
        if not e.net.won:
            saved = np.all(b != 0)
            for i in range(n * n):
                if b[i] == 0 and wins(value, code + 3**i * (other + 1), other, seat):
                    saved = True
                    if not has(e.net.must, i):
                        return code, filled
            if not saved and wins(value, code, other, other):
                return code, filled
    return -1, filled


def some(n: int, many: int) -> np.ndarray:
    """Return all positions of a board, or so many."""
    if 3 ** (n * n) <= many:
        return np.arange(3 ** (n * n))
    return np.random.default_rng(n).integers(0, 3 ** (n * n), many)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_filling_changes_no_winner(n: int) -> None:
    code, filled = wrongly_filled(n, some(n, 400_000), values(n), notes(n))
    assert code == -1, np.base_repr(code, 3)
    assert filled > 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_connects_wins_and_what_wins_must_be_played(n: int, seat: int) -> None:
    code, found = wrongly_connected(n, some(n, 100_000), values(n), notes(n), seat)
    assert code == -1, np.base_repr(code, 3)
    assert found[1] >= found[0] > 0
