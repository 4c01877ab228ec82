"""The rules of EinStein würfelt nicht! over one record; § numbers refer to RULES.md.

With k stones a seat, stone i (1 to k) of a seat has the index ``seat * k + i - 1``. ``square`` holds each stone's
square, r * columns + c, or -1; ``board`` each square's stone as its index + 1, or 0.
"""

import numpy as np

from ..engine.protocol import CHANCE, OVER
from ..engine.rng import GOLDEN, below, hash64, kernel
from ..grid.board import hash_all, pay_winner
from . import start_squares


def state_dtype(board_size: int, columns: int, stones: int, placement: str, substitution: str) -> np.dtype:
    """Return the record's dtype.

    ``turn`` is the seat whose turn it is and, after the end, the one that moved last; ``die`` is 0 before the roll;
    ``left`` counts each seat's stones; ``last`` is the latest action (-1: none), ``winner`` a seat (-1: none).
    """
    fields = [
        ("ply", "i4"),
        ("square", "i2", (2 * stones,)),
        ("last", "i1"),
        ("to_move", "i1"),
        ("turn", "i1"),
        ("die", "i1"),
        ("winner", "i1"),
        ("fixed", "i1"),
        ("nearest", "i1"),
        ("columns", "i1"),
        ("left", "i1", (2,)),
        ("board", "i1", (board_size * (columns or board_size),)),
    ]
    return np.dtype(fields, align=True)


def blank(board_size: int, columns: int, stones: int, placement: str, substitution: str) -> np.ndarray:
    """Return one record, shape (1,), with its constants set and §3: every stone on its square of a fixed start."""
    record = np.zeros(1, state_dtype(board_size, columns, stones, placement, substitution))
    width = record["columns"] = columns or board_size
    record["fixed"] = placement == "fixed"
    record["nearest"] = substitution == "nearest"
    record["square"] = -1
    for i, (r, c) in enumerate(start_squares(board_size, columns, stones)):
        record["square"][0, i] = r * width + c
        record["square"][0, stones + i] = board_size * width - 1 - (r * width + c)
    return record


@kernel
def reset(s, rng):
    """§3: shuffle each seat's stones over its start squares, unless they are fixed; §4: seat 0's turn begins."""
    k = s.square.size // 2
    if s.fixed == 0:
        for first in (0, k):
            for i in range(k - 1, 0, -1):
                j = below(rng, i + 1)
                s.square[first + i], s.square[first + j] = s.square[first + j], s.square[first + i]
    for i in range(2 * k):
        if s.square[i] >= 0:
            s.board[s.square[i]] = i + 1
            s.left[i // k] += 1
    s.last = s.winner = -1
    s.to_move = CHANCE


@kernel
def lower(s, seat, number):
    """Find the seat's stone of the next lower number; 0 when there is none."""
    first = seat * (s.square.size // 2)
    number -= 1
    while number > 0 and s.square[first + number - 1] < 0:
        number -= 1
    return number


@kernel
def higher(s, seat, number):
    """Find the seat's stone of the next higher number; 0 when there is none."""
    k = s.square.size // 2
    first = seat * k
    number += 1
    while number <= k and s.square[first + number - 1] < 0:
        number += 1
    return number if number <= k else 0


@kernel
def movable_by(s, seat, die):
    """§5: the two stones that a die lets a seat choose from, 0 for none."""
    if s.square[seat * (s.square.size // 2) + die - 1] >= 0:
        return die, 0
    low, high = lower(s, seat, die), higher(s, seat, die)
    if s.nearest == 1 and low > 0 and high > 0:
        if die - low < high - die:
            high = 0
        elif die - low > high - die:
            low = 0
    return low, high


@kernel
def movable(s):
    """§5: the two stones that the die lets the mover choose from, 0 for none."""
    return movable_by(s, int(s.turn), int(s.die))


@kernel
def directions(s, number):
    """§6: whether a stone of the mover can go along its row, and along its column; diagonally, it needs both."""
    at, columns = int(s.square[s.turn * (s.square.size // 2) + number - 1]), int(s.columns)
    r, c = at // columns, at % columns
    if s.turn == 0:
        return c < columns - 1, r < s.board.size // columns - 1
    return c > 0, r > 0


@kernel
def legal(s, mask):
    """§5, §6: every step of every movable stone."""
    mask[:] = 0
    if s.to_move < 0:
        return 0
    n = 0
    for number in movable(s):
        if number > 0:
            row, column = directions(s, number)
            a = 3 * (number - 1)
            mask[a] = row
            mask[a + 1] = column
            mask[a + 2] = row and column
            n += mask[a] + mask[a + 1] + mask[a + 2]
    return n


@kernel
def step(s, a):
    """§6: move; §7: capture; §8: win, or §4: the other seat's turn begins with the roll."""
    seat, k = int(s.turn), s.square.size // 2
    stone = seat * k + a // 3
    at, d = int(s.square[stone]), a % 3
    by = (d != 1) + (d != 0) * int(s.columns)
    to = at + by if seat == 0 else at - by
    captured = int(s.board[to]) - 1
    if captured >= 0:
        s.square[captured] = -1
        s.left[captured // k] -= 1
    s.board[at] = 0
    s.board[to] = stone + 1
    s.square[stone] = to
    s.last = a
    s.ply += 1
    s.die = 0
    goal = s.board.size - 1 if seat == 0 else 0
    if to == goal or s.left[1 - seat] == 0:
        s.winner = seat
        s.to_move = OVER
    else:
        s.turn = 1 - seat
        s.to_move = CHANCE


@kernel
def chance(s, p):
    """§4: every face of the die is equally likely."""
    k = s.square.size // 2
    p[:k] = 1.0 / k
    return k


@kernel
def resolve(s, o):
    """§4: the die shows o + 1."""
    s.die = o + 1
    s.to_move = s.turn


@kernel
def returns(s, r):
    """§9: +1 to the winner, -1 to the other."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the squares of the stones, whose turn it is, the die, whether the game goes on, and the rules."""
    h = np.uint64(int(s.to_move) + 4 + 8 * (int(s.die) + 8 * int(s.turn + 2 * s.nearest))) * GOLDEN
    return hash64(hash_all(h, s.square, -1))


@kernel
def playout(s, rng, mask, p):
    """Play at random to the end: one of the steps of the movable stones, drawn without writing a mask.

    A stone that can go both ways can go diagonally as well, so it has three steps, and otherwise one (§6).
    """
    k = s.square.size // 2
    while s.to_move >= CHANCE:
        if s.to_move == CHANCE:
            resolve(s, below(rng, k))
        number, other = movable(s)
        if number == 0:
            number, other = other, 0
        row, column = directions(s, number)
        d = below(rng, 3) if row and column else int(not row)
        if other > 0:
            n = 3 if row and column else 1
            row, column = directions(s, other)
            x = below(rng, n + (3 if row and column else 1)) - n
            if x >= 0:
                number = other
                d = x if row and column else int(not row)
        step(s, 3 * (number - 1) + d)
