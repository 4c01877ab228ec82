"""Observation encoders of Hex; RULES.md lists every plane."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import side, write_stones
from ..grid.dihedral import TRANSPOSED, TURNED, images, in_blocks, with_kept
from .rules import HIGH, LOW, can_swap, sides
from .rules import symmetries as rules_symmetries

PAD = 2  # cells of padding that NeuroHex puts around the board


@kernel
def observe_planes(s, seat, x):
    """Write (3 + swap, n, n): my stones, their stones, the cells on my two sides, and whether a swap is possible."""
    n, flat = side(s), x.reshape(x.size)
    write_stones(s.board, seat, flat)
    flat[2 * n * n :] = 0.0
    for i in range(n):
        if seat == 0:
            x[2, 0, i] = x[2, n - 1, i] = 1.0
        else:
            x[2, i, 0] = x[2, i, n - 1] = 1.0
    if can_swap(s):
        x[3] = 1.0


@kernel
def observe_oriented(s, seat, x):
    """Write what `planes` shows, (3 + swap, n, n), mirrored for seat 1: the observer always owns the first axis."""
    observe_planes(s, seat, x)
    if seat == 1:
        for plane in x:
            for i in range(plane.shape[0]):
                for j in range(i):
                    plane[i, j], plane[j, i] = plane[j, i], plane[i, j]


@kernel
def observe_neurohex(s, seat, x):
    """Write (6, n + 4, n + 4): mine, theirs, then the stones joined to each of the four sides.

    The observer always owns the first axis, so seat 1 sees the board transposed; the padding holds the sides' stones.
    """
    b, n = s.board, side(s)
    x[:] = 0.0
    x[0, :PAD, :] = x[2, :PAD, :] = 1.0
    x[0, n + PAD :, :] = x[3, n + PAD :, :] = 1.0
    x[1, :, :PAD] = x[4, :, :PAD] = 1.0
    x[1, :, n + PAD :] = x[5, :, n + PAD :] = 1.0
    for a in range(b.size):
        r, c = a // n, a % n
        i, j = (r + PAD, c + PAD) if seat == 0 else (c + PAD, r + PAD)
        if b[a] != 0:
            other = int(b[a] != seat + 1)
            x[other, i, j] = 1.0
            x[2 + 2 * other, i, j] = sides(s, a) & LOW != 0
            x[3 + 2 * other, i, j] = sides(s, a) & HIGH != 0


def permutation_oriented(board_size: int, swap: bool) -> np.ndarray:
    """Return (2, actions): the game's action for each action of the frame that a seat sees."""
    return with_kept(images(board_size)[[0, TRANSPOSED]], swap)


permutation_neurohex = permutation_oriented


def symmetries(encoder: str, board_size: int, swap: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (2, numbers) and (2, actions), §9: where identity and half a turn put numbers and actions of a frame.

    Half a turn of the board is also half a turn of the mirrored board. It exchanges the two ends of either axis, and so
    the planes of `neurohex` that show what is joined to them.
    """
    if encoder == "neurohex":
        planes, turned = np.array([0, 1, 3, 2, 5, 4]), images(board_size + 2 * PAD)[TURNED]
    else:
        planes, turned = np.arange(3 + swap), images(board_size)[TURNED]
    numbers = np.stack([np.arange(planes.size * turned.size), in_blocks(planes, turned)])
    return numbers, rules_symmetries(board_size, swap)
