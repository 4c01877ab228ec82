"""Fill the board at random, saving bridges: how tree searches finish their simulations of Hex.

Two stones with two empty common neighbours, or a stone and a side of its own, are as good as firmly joined: when the
enemy plays on one of the two cells, the other one saves the bridge.
"""

from typing import NamedTuple

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import below, kernel
from ..engine.spec import Game
from ..grid.board import side
from .rules import can_swap, step

EMPTY, FIRST, SECOND = 0, 1, 2  # what a cell holds: nothing or seat + 1


def _saving() -> np.ndarray:
    """For each owner and what six cells around a stone hold, in two bits each: which of them saves a bridge, or -1."""
    around = np.arange(4**6)[:, None] >> np.arange(0, 12, 2) & 3
    table = np.full((3, 4**6), -1, np.int8)
    for owner in (FIRST, SECOND):
        mine = around == owner
        saves = (around == EMPTY) & np.roll(mine, 1, 1) & np.roll(mine, -1, 1)
        table[owner] = np.where(saves.any(1), saves.argmax(1), -1)
    return table


SAVING = _saving()


class Notes(NamedTuple):
    """A board with a border of each side's own stones, ((n + 2) ** 2,) int8, and the action of each of its cells; the
    empty cells in the order in which they are filled, int32, and each one's place in it; the six ways to a neighbour.
    """

    board: np.ndarray
    action: np.ndarray
    order: np.ndarray
    place: np.ndarray
    ring: np.ndarray


def notes(game: Game) -> Notes:
    """Return what `rollout` needs."""
    n = int(game.params["board_size"])
    board, action = np.zeros((n + 2, n + 2), np.int8), np.zeros((n + 2, n + 2), np.int32)
    board[:, [0, -1]], board[[0, -1]] = SECOND, FIRST
    action[1:-1, 1:-1] = np.arange(n * n).reshape(n, n)
    order, place = np.zeros((2, board.size), np.int32)
    ring = np.array([-n - 2, -n - 1, 1, n + 2, n + 1, -1], np.int32)
    return Notes(board.ravel(), action.ravel(), order, place, ring)


@kernel
def rollout(s, notes, rng, mask, p, used):
    """Fill the board at random, but save bridges from the enemy's latest stone; only `returns` is defined then."""
    fill_board(s, notes, rng, used, True)


@kernel
def random_rollout(s, notes, rng, mask, p, used):
    """Fill the board at random; only `returns` is defined then."""
    fill_board(s, notes, rng, used, False)


@kernel
def fill_board(s, notes, rng, used, saves):
    """Fill the board, the seats in turn, in one random order of the empty cells, and mark in `used` who got which.

    The winner on the full board is also the winner of the game, who joined the sides first.
    """
    if s.to_move < 0:
        return
    b, n = s.board, side(s)
    if can_swap(s) and below(rng, b.size) == 0:
        used[s.to_move, b.size] = 1
        step(s, b.size)
    board, order, place = notes.board, notes.order, notes.place
    empty = np.int64(0)
    for r in range(n):
        for c in range(n):
            q = (r + 1) * (n + 2) + c + 1
            board[q] = b[r * n + c]
            if board[q] == EMPTY:
                order[empty], place[q] = q, empty
                empty += 1
    stone = np.int64(s.to_move) + 1
    answer = np.int64(-1)
    if saves and 0 <= s.last < b.size:
        answer = saving(notes, n, (s.last // n + 1) * (n + 2) + s.last % n + 1, stone)
    for i in range(empty):
        j = np.int64(place[answer]) if answer >= 0 else i + below(rng, empty - i)
        q = np.int64(order[j])
        other = order[i]
        order[i], order[j], place[other] = q, other, j
        board[q] = stone
        used[stone - 1, notes.action[q]] = 1
        stone = 3 - stone
        if saves:
            answer = saving(notes, n, q, stone)
    s.winner = winner(board, n)
    s.to_move = OVER


@kernel
def saving(notes, n, q, owner):
    """Find the cell that saves a bridge of `owner`'s from the stone that was put on `q`; -1 if there is none."""
    board = notes.board
    code = np.int64(board[q - n - 2]) + 4 * np.int64(board[q - n - 1]) + 16 * np.int64(board[q + 1])
    code += 64 * np.int64(board[q + n + 2]) + 256 * np.int64(board[q + n + 1]) + 1024 * np.int64(board[q - 1])
    way = SAVING[owner, code]
    return q + notes.ring[way] if way >= 0 else np.int64(-1)


@kernel
def winner(board, n):
    """Find who has joined the sides on a full board, along the border between the colours: see `rules.playout`."""
    ar, ac, br, bc = -1, 0, 0, -1
    while ar < n and bc < n:
        r, c = ar - (bc - ac), ac + (bc - ac) + (br - ar)
        if board[(r + 1) * (n + 2) + c + 1] == FIRST:
            ar, ac = r, c
        else:
            br, bc = r, c
    return 0 if ar >= n else 1
