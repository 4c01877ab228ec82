"""The images of a square board, by turning it and its transpose, as tables of where each cell goes."""

from collections.abc import Sequence

import numpy as np

from ..engine.view import copied

TURNED, TRANSPOSED = 2, 4  # places in `images` of half a turn and of the transpose alone, which is a mirror image


def images(n: int) -> np.ndarray:
    """Return (8, n * n): where each image puts the cells of a board: four turns, then those of its transpose."""
    cells = np.arange(n * n).reshape(n, n)
    return np.stack([np.rot90(board, turns).ravel() for board in (cells, cells.T) for turns in range(4)])


def moved(states: np.ndarray, image: np.ndarray, boards: Sequence[str], places: Sequence[str]) -> np.ndarray:
    """Return the image of records (n,): `boards` are fields with an entry for each cell, `places` hold cells, or -1.

    A game whose start is not symmetric writes its `rules.image` with this: see `conformance.check.symmetries`.
    """
    there = copied(states)
    for name in boards:
        there[name][:, image] = states[name]
    for name in places:
        there[name] = np.where(states[name] < 0, -1, image[states[name]])
    return there


def with_kept(tables: np.ndarray, kept: int) -> np.ndarray:
    """Add `kept` numbers at the end that all images keep, such as actions that name no cell: (k, m + kept)."""
    behind = tables.shape[1] + np.arange(kept)
    return np.concatenate([tables, np.tile(behind, (len(tables), 1))], axis=1)


def in_blocks(blocks: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Number what is in equal blocks that are permuted, and permuted alike inside: planes of cells, for example."""
    return (np.asarray(blocks)[:, None] * inside.size + inside).ravel()


def turned_steps(image: np.ndarray, n: int, steps: tuple[tuple[int, int], ...]) -> list[int]:
    """Find which of the steps (rows, columns) each becomes in an image (n * n,) of a board of at least 3 x 3."""
    middle, away = n + 1, [n * down + right for down, right in steps]
    return [away.index(int(image[middle + by] - image[middle])) for by in away]
