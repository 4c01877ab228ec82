"""Images of a board: a group, true to the rules also where the start is not symmetric, and to what blocks hold."""

from functools import partial

import numpy as np
import pytest

from boyi.envs import find
from boyi.envs.conformance import check
from boyi.envs.conformance.check import GameError
from boyi.envs.gomoku import rules
from boyi.envs.grid.dihedral import TRANSPOSED, TURNED, images, in_blocks, moved, turned_steps, with_kept
from boyi.envs.grid.directions import LINES, NEXT

GOMOKU = find("gomoku:board_size=6")


@pytest.mark.parametrize("n", [2, 3, 6])
def test_images_form_the_group_of_the_square(n: int) -> None:
    tables = images(n)
    group = {table.tobytes() for table in tables}
    assert len(group) == 8 and (tables[0] == np.arange(n * n)).all()
    assert all(a[b].tobytes() in group for a in tables for b in tables)
    assert (tables[TURNED] == np.arange(n * n)[::-1]).all()
    assert (tables[TRANSPOSED].reshape(n, n) == np.arange(n * n).reshape(n, n).T).all()


def test_images_keep_neighbours() -> None:
    """Cells that touch go to cells that touch, and steps between them to the steps that are said."""
    n = 4
    for image in images(n):
        for steps in (NEXT, tuple((k * down, k * right) for down, right in LINES for k in (1, -1))):
            turned = turned_steps(image, n, steps)
            for r, c in np.ndindex(n, n):
                for (down, right), to in zip(steps, turned, strict=True):
                    if 0 <= r + down < n and 0 <= c + right < n:
                        here, there = image[r * n + c], image[(r + down) * n + c + right]
                        assert (there // n - here // n, there % n - here % n) == steps[to]


def test_blocks_and_what_is_kept() -> None:
    assert in_blocks(np.array([1, 0]), np.array([2, 0, 1])).tolist() == [5, 3, 4, 2, 0, 1]
    assert with_kept(np.array([[0, 1], [1, 0]]), 2).tolist() == [[0, 1, 2, 3], [1, 0, 2, 3]]
    assert with_kept(np.array([[1, 0]]), 0).tolist() == [[1, 0]]


def lopsided(start: object, seed: int) -> np.ndarray:
    """Begin with two stones that no image but the first leaves where they are."""
    states: np.ndarray = start(seed)  # type: ignore[operator]
    states["board"][0, [1, 9]], states["ply"], states["last"] = (1, 2), 2, 9
    return states


def test_images_agree_with_the_rules_where_the_start_is_not_symmetric(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = check.Probe(GOMOKU, games=3)
    probe.start = partial(lopsided, probe.start)  # type: ignore[method-assign]
    with pytest.raises(GameError, match="makes this another game"):
        check.symmetries(probe)

    def image(states: np.ndarray, k: int) -> np.ndarray:
        return moved(states, images(6)[k], ["board"], ["last"])

    monkeypatch.setattr(rules, "image", image, raising=False)
    check.symmetries(probe)
    check.images(probe)
    monkeypatch.setattr(rules, "image", lambda states, k: image(states, k ^ 1))
    with pytest.raises(GameError, match="makes this another game"):
        check.symmetries(probe)


def test_images_of_records_move_stones_and_places() -> None:
    states = np.repeat(GOMOKU.blank, 2)
    states["last"] = -1
    states["board"][0, [1, 9]], states["last"][0] = (1, 2), 9
    there = moved(states, images(6)[TURNED], ["board"], ["last"])
    assert np.flatnonzero(there["board"][0]).tolist() == [26, 34] and there["board"][0, 34] == 1
    assert there["last"].tolist() == [26, -1] and not there["board"][1].any() and states["board"][0, 1] == 1
