"""Names of cells: each its own, read back in either case, counted from the top or from the bottom."""

import pytest

from boyi.envs import BoyiError
from boyi.envs.grid.cells import Cells


@pytest.mark.parametrize("cells", [Cells(1, 1), Cells(3, 2), Cells(2, 3, upward=True), Cells(26, 26), Cells(99, 1)])
def test_names_are_read_back(cells: Cells) -> None:
    names = [cells.name(i) for i in range(cells.rows * cells.columns)]
    assert len(set(names)) == len(names)
    for written in (names, [f" {name.upper()}\n" for name in names]):
        assert [cells.read(name) for name in written] == list(range(len(names)))


def test_rows_are_counted_from_either_end() -> None:
    assert [Cells(2, 2).name(i) for i in range(4)] == ["a1", "b1", "a2", "b2"]
    assert [Cells(2, 2, upward=True).name(i) for i in range(4)] == ["a2", "b2", "a1", "b1"]
    assert (Cells(3, 2).numbers, Cells(3, 2, upward=True).numbers) == (["1", "2", "3"], ["3", "2", "1"])


@pytest.mark.parametrize("text", ["", "a", "1", "a0", "a01", "a4", "c1", "1a", "aa1", "a1 b1", "ä1", "a１", "-"])
def test_what_names_no_cell_is_refused(text: str) -> None:
    assert Cells(3, 2).find(text) is None
    with pytest.raises(BoyiError, match=r"points are a1 to b3, or pass$"):
        Cells(3, 2).read(text, "points", ", or pass")
