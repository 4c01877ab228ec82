"""OpenSpiel's numbers for what happens in a game of EinStein.

In OpenSpiel player 1 begins, with the stones on the lower right, so our board is given half a turn for it.
Its history begins with an order of each player's stones on these squares, ours being numbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from ..engine.errors import BoyiError

STONES, SQUARES = 6, 25
FILLED = ((10, 6, 5, 2, 1, 0), (24, 23, 22, 19, 18, 14))  # our squares, of our seat 0 and 1, in their order
ORDERS = {order: number for number, order in enumerate(permutations(range(STONES)))}
AHEAD = (1, 5, 6)  # what seat 0's steps add to a square
WIDTH = 5
THEIR_STEPS = ((5, 3, 4), (2, 1, 0))  # their numbers for our steps, by our seat


def their_action(record: np.void, a: int) -> int:
    """Number the action `a` in a position as OpenSpiel does."""
    stone = int(record["turn"]) * STONES + a // 3
    return _number(stone, a, record["square"].tolist())


def _destination(square: int, a: int, seat: int) -> int:
    """Find the square to which a step leads; -1: it leaves the board."""
    to = square + (AHEAD[a % 3] if seat == 0 else -AHEAD[a % 3])
    return to if 0 <= to < SQUARES and abs(to % WIDTH - square % WIDTH) <= 1 else -1


def _number(stone: int, a: int, squares: Sequence[int]) -> int:
    """Number a step: by the square it leaves, its direction, and whether it captures."""
    seat = stone // STONES
    captures = _destination(squares[stone], a, seat) in squares
    return ((SQUARES - 1 - squares[stone]) * 6 + THEIR_STEPS[seat][a % 3]) * 2 + captures


def their_actions(record: np.void, history: Sequence[int]) -> list[int]:
    """Write a history, dice and start included, that leads to a position of EinStein by these actions.

    The start is not known, nor which stone went when: where several starts fit, the first will do, because the game
    goes on in the same way from all of them. A die that shows the stone moved allows every move.
    """
    for start in _starts(record, history):
        actions, squares = [], list(start)
        for seat in (1, 0):
            own = [start[seat * STONES : (seat + 1) * STONES].index(square) for square in FILLED[seat]]
            actions.append(ORDERS[tuple(own)])
        for ply, a in enumerate(history):
            stone = ply % 2 * STONES + a // 3
            to = _destination(squares[stone], a, ply % 2) if squares[stone] >= 0 else -1
            if to < 0:
                break
            actions += [a // 3, _number(stone, a, squares)]
            if to in squares:
                squares[squares.index(to)] = -1
            squares[stone] = to
        if squares == record["square"].tolist():
            return [*actions, int(record["die"]) - 1]
    raise BoyiError("the history of this game of EinStein does not lead to its position")


def _starts(record: np.void, history: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every start (12 squares) from which the stones still on the board have come by their steps."""
    found: list[list[tuple[int, ...]]] = []
    for seat, sign in ((0, 1), (1, -1)):
        own = record["square"][seat * STONES : (seat + 1) * STONES].tolist()
        for a in history[seat::2]:
            if own[a // 3] >= 0:
                own[a // 3] -= sign * AHEAD[a % 3]
        free = [square for square in FILLED[seat] if square not in own]
        gone = [i for i in range(STONES) if own[i] < 0]
        orders = []
        for order in permutations(free) if len(free) == len(gone) else ():
            for i, square in zip(gone, order, strict=True):
                own[i] = square
            orders.append(tuple(own))
        found.append(orders)
    for first, second in product(*found):
        yield first + second
