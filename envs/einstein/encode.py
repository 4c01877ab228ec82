"""Observation encoders of EinStein würfelt nicht!; RULES.md lists every number. All turn the board for seat 1."""

import numpy as np

from ..engine.protocol import CHANCE
from ..engine.rng import kernel
from ..grid.dihedral import in_blocks
from .rules import movable_by


@kernel
def seen(s, seat, i):
    """Find the square of the observer's i-th stone or, for i >= k, the other's, on the observer's board; -1: none."""
    k = s.square.size // 2
    at = int(s.square[i if seat == 0 else (i + k) % (2 * k)])
    return at if at < 0 or seat == 0 else s.board.size - 1 - at


@kernel
def observe_planes(s, seat, x):
    """Write (3 k + 1, rows, columns): my stones, their stones, the faces of the die, whether it is my turn."""
    size, many = s.board.size, s.square.size
    flat = x.reshape(x.size)
    flat[:] = 0.0
    for i in range(many):
        at = seen(s, seat, i)
        if at >= 0:
            flat[i * size + at] = 1.0
    if s.die > 0 and s.to_move >= 0:
        face = (many + int(s.die) - 1) * size
        flat[face : face + size] = 1.0
    if s.turn == seat and s.to_move >= CHANCE:
        turn = (many + many // 2) * size
        flat[turn : turn + size] = 1.0


@kernel
def observe_mobility(s, seat, x):
    """Write (3 k + 6, rows, columns): `planes`, the stones of either side, their chances to move, and which may now."""
    observe_planes(s, seat, x)
    size, k = s.board.size, s.square.size // 2
    flat = x.reshape(x.size)
    shown = (3 * k + 1) * size
    for i in range(2 * k):
        at = seen(s, seat, i)
        if at >= 0:
            flat[shown + i // k * size + at] = 1.0
    chances, now = shown + 2 * size, shown + 4 * size
    for side in range(2):
        owner = seat if side == 0 else 1 - seat
        for die in range(1, k + 1):
            for number in movable_by(s, owner, die):
                if number > 0:
                    at = seen(s, seat, side * k + number - 1)
                    flat[chances + side * size + at] += 1.0
                    if die == s.die and owner == s.to_move:
                        flat[now + at] = 1.0
    for at in range(chances, now):
        flat[at] /= k


@kernel
def observe_policy42(s, seat, x):
    """Write (7 k,): the stones as `value36` does, then one entry for each face of the die."""
    observe_value36(s, seat, x)
    many = s.square.size
    x[3 * many :] = 0.0
    if s.die > 0 and s.to_move >= 0:
        x[3 * many + s.die - 1] = 1.0


@kernel
def observe_value36(s, seat, x):
    """Write (6 k,): for each of my stones, then of theirs, whether it is there, its row and its column in [0, 1]."""
    columns = int(s.columns)
    rows = s.board.size // columns
    for i in range(s.square.size):
        at = seen(s, seat, i)
        if at < 0:
            x[3 * i] = x[3 * i + 1] = x[3 * i + 2] = 0.0
        else:
            x[3 * i] = 1.0
            x[3 * i + 1] = (at // columns) / (rows - 1)
            x[3 * i + 2] = (at % columns) / max(1, columns - 1)


def symmetries(encoder: str, **params: int | str) -> tuple[np.ndarray, np.ndarray]:
    """Return (8, numbers) and (8, actions), §12: where the images put numbers and actions of the seat to move.

    Number j of the flattened observation is number ``numbers[i, j]`` of the i-th image's, action a its action
    ``actions[i, a]``. The identity comes first; mirroring changes fastest, then the mover's numbers, then the other's.
    A board that is not square has no mirror image, and so 4 images.
    """
    size, k = int(params["board_size"]), int(params["stones"])
    columns = int(params["columns"]) or size
    board = np.arange(size * columns).reshape(size, columns)
    numbers, actions = [], []
    for theirs in (False, True):
        for mine in (False, True):
            for mirrored in (False, True)[: 1 + (size == columns)]:
                own = np.arange(k)[:: -1 if mine else 1]
                other = np.arange(k)[:: -1 if theirs else 1]
                stones = np.concatenate([own, k + other])
                turned = board.T.ravel() if mirrored else board.ravel()
                actions.append(in_blocks(own, np.array([1, 0, 2] if mirrored else [0, 1, 2])))
                if encoder in ("planes", "mobility"):
                    rest = np.arange(3 * k, 3 * k + (6 if encoder == "mobility" else 1))
                    numbers.append(in_blocks(np.concatenate([stones, 2 * k + own, rest]), turned))
                else:
                    entries = in_blocks(stones, np.array([0, 2, 1] if mirrored else [0, 1, 2]))
                    die = 6 * k + own if encoder == "policy42" else own[:0]
                    numbers.append(np.concatenate([entries, die]))
    return np.stack(numbers), np.stack(actions)
