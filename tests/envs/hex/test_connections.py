"""What is filled in and what connects on a Hex board, held against all that can follow and against known templates."""

from typing import Any

import numpy as np
import pytest
from hex_positions import played
from hex_values import decode, encode, values, wins
from numba import njit

from boyi.envs import find
from boyi.envs.grid.bitset import count, has
from boyi.envs.hex.connections import connect, net_dtype
from boyi.envs.hex.fill import EMPTY, fill, fill_on, place
from boyi.envs.hex.reconnect import reconnect

pytestmark = pytest.mark.kernels


def notes(n: int) -> np.ndarray:
    """Return room to fill in and to connect on a board of n x n cells, before and after a stone."""
    framed = (n + 2) ** 2
    fields = [
        ("net", net_dtype(n)),
        ("framed", "i1", (framed,)),
        ("code", "u2", (framed,)),
        ("pile", "i2", (framed,)),
        ("waits", "i1", (framed,)),
    ]
    return np.zeros(2, np.dtype(fields, align=True))


@njit
def reduce(b, n, e):
    fill(b, n, e.framed, e.code, e.pile, e.waits)
    take(b, n, e)


@njit
def take(b, n, e):
    for i in range(b.size):
        b[i] = e.framed[place(n, i)]


@njit
def wrongly_filled(n, codes, value, notes):
    """Find a position whose winner changes when it is filled in, -1 if there is none; and how many cells are filled."""
    b, filled = np.zeros(n * n, np.int8), 0
    for code in codes:
        decode(code, b)
        empty = np.sum(b == EMPTY)
        reduce(b, n, notes[0])
        filled += empty - np.sum(b == EMPTY)
        if value[encode(b)] != value[code]:
            return code, filled
    return -1, filled


@njit
def is_wrong(code, b, n, value, net, seat):
    """Whether what connects for a seat is wrong: a win that is none, a winning move of the other's that is ruled out.

    Cells that are filled in need not be played.
    """
    other = 1 - seat
    if net.won:
        return not wins(value, code, seat, other)
    if net.key >= 0 and (b[net.key] != EMPTY or not wins(value, code + 3**net.key * (seat + 1), seat, other)):
        return True
    saved = np.all(b != EMPTY)
    for i in range(n * n):
        if b[i] == EMPTY and wins(value, code + 3**i * (other + 1), other, seat):
            saved = True
            if not has(net.must, i):
                return True
    return not saved and wins(value, code, other, other)


@njit
def wrongly_connected(n, codes, value, notes, seat):
    """Find a position in which what connects for a seat is wrong; and how many it is found to win second, and first."""
    b, found, e = np.zeros(n * n, np.int8), np.zeros(2, np.int64), notes[0]
    for code in codes:
        decode(code, b)
        reduce(b, n, e)
        connect(e.net, e.framed, n, seat, False)
        found[0] += e.net.won
        found[1] += e.net.won or e.net.key >= 0
        if is_wrong(code, b, n, value, e.net, seat):
            return code, found
    return -1, found


@njit
def wrongly_reconnected(n, codes, value, notes, seat, seed):
    """Do as `wrongly_connected` does, with stones of either seat put on the board one by one."""
    np.random.seed(seed)
    b, found = np.zeros(n * n, np.int8), np.zeros(2, np.int64)
    for code in codes:
        decode(code, b)
        old, new = notes[0], notes[1]
        reduce(b, n, old)
        connect(old.net, old.framed, n, seat, False)
        while np.any(b == EMPTY):
            i = np.random.choice(np.flatnonzero(b == EMPTY))
            colour = np.random.randint(1, 3)
            code += 3**i * colour
            new.framed[:] = old.framed.copy()
            new.code[:] = old.code.copy()
            new.waits[:] = 0
            fill_on(n, new.framed, new.code, new.pile, new.waits, i, colour)
            take(b, n, new)
            if value[encode(b)] != value[code]:
                return code, found
            reconnect(old.net, new.net, old.framed, new.framed, n, seat, False)
            found[0] += new.net.won
            found[1] += new.net.won or new.net.key >= 0
            if is_wrong(code, b, n, value, new.net, seat):
                return code, found
            old, new = new, old
    return -1, found


def some(n: int, many: int) -> np.ndarray:
    """Return all positions of a board, or so many."""
    if 3 ** (n * n) <= many:
        return np.arange(3 ** (n * n))
    return np.random.default_rng(n).integers(0, 3 ** (n * n), many)


def sparse(n: int, many: int) -> np.ndarray:
    """Return positions of a board with a stone on few cells."""
    rng = np.random.default_rng(n)
    stones = rng.integers(0, 3, (many, n * n)) * (rng.random((many, n * n)) < 0.2)
    return stones @ 3 ** np.arange(n * n)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_filling_changes_no_winner(n: int) -> None:
    code, filled = wrongly_filled(n, some(n, 400_000), values(n), notes(n))
    assert code == -1, np.base_repr(code, 3)
    assert filled > 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_connects_wins_and_what_wins_must_be_played(n: int, seat: int) -> None:
    for codes in (some(n, 100_000), sparse(n, 5_000)):
        code, found = wrongly_connected(n, codes, values(n), notes(n), seat)
        assert code == -1, np.base_repr(code, 3)
        assert found[1] >= found[0] > 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_so_it_does_when_stones_are_added(n: int, seat: int) -> None:
    code, found = wrongly_reconnected(n, sparse(n, 5_000), values(n), notes(n), seat, 0)
    assert code == -1, np.base_repr(code, 3)
    assert found[1] >= found[0] > 0


@pytest.mark.parametrize("n", [3, 4])
def test_small_boards_are_decided_at_sight(n: int) -> None:
    """No position of 3x3 needs a search, and hardly one in ten thousand of 4x4."""
    codes = some(n, 100_000)
    for seat in (0, 1):
        _, found = wrongly_connected(n, codes, values(n), notes(n), seat)
        true = [sum(wins(values(n), code, seat, mover) for code in codes) for mover in (1 - seat, seat)]
        assert (np.array(true) - found <= codes.size // 10_000 * (n > 3)).all()


def connected(n: int, moves: str, seat: int) -> Any:
    """Return what connects for a seat after some moves; the board is not filled in, so that connections must do it."""
    states, room = played(moves, board_size=n).states, notes(n)
    run_connect(states["board"][0], n, room, seat)
    return room[0]["net"]


@njit
def run_connect(b, n, notes, seat):
    e = notes[0]
    fill(b, n, e.framed, e.code, e.pile, e.waits)
    for i in range(n * n):
        e.framed[place(n, i)] = b[i]
    connect(e.net, e.framed, n, seat, False)


def full(net: Any, x: int, y: int) -> list[int]:
    """Return how many cells the full connections of two points need, least first; none if they are not connected."""
    k = net["pair"][x, y]
    return [] if k < 0 else sorted(int(count(cells)) for cells in net["full"][k][: net["fulls"][k]])


def cell(n: int, name: str) -> int:
    return int(find("hex", board_size=n).module("text").parse(find("hex", board_size=n).blank[0], name))


@pytest.mark.parametrize(
    ("moves", "x", "y", "least"),
    [
        ("d4 a1", "d4", "d5", 0),  # touching
        ("d4 a1 e5 a2", "d4", "e5", 2),  # a bridge
        ("d4 a1 c6 a2", "d4", "c6", 2),  # the other kind
        ("d6 a1", "d6", "bottom", 2),  # a bridge to the side
        ("d5 a1", "d5", "bottom", 8),  # the ziggurat
        ("d6 c7 g6 a1", "d6", "bottom", 6),  # a ladder along the second row, which g6 lets escape
    ],
)
def test_known_connections_are_found(moves: str, x: str, y: str, least: int) -> None:
    assert joining(7, moves, x, y)[0] == least


def joining(n: int, moves: str, x: str, y: str) -> list[int]:
    """Return how many cells seat 0's full connections of two cells need after some moves, least first."""
    net = connected(n, moves, 0)
    ends = [n * n + 1 if name == "bottom" else int(net["group"][cell(n, name)]) for name in (x, y)]
    return full(net, *ends)


def test_a_ladder_without_escape_is_no_connection() -> None:
    assert not joining(7, "d6 c7 d2 a1", "d6", "bottom")


def test_stones_on_the_fourth_row_are_connected_on_a_wide_board() -> None:
    assert joining(11, "f8 a1", "f8", "bottom")
