"""Rows of marks: written behind their margins, read back, and refused with the row that is wrong."""

import re

import numpy as np
import pytest

from boyi.envs import BoyiError
from boyi.envs.grid.diagram import check_ply, read_head, read_rows, write_line, write_rows

BOARD = np.array([[0, 1, 2], [2, 0, 0]])
WIDE = [".", "X1", "O1"]


def test_rows_are_written_behind_margins_and_read_back() -> None:
    assert write_rows(BOARD, [" 1 ", " 2 "]) == [" 1  . X O", " 2  O . ."]
    assert write_rows(BOARD, ["  1", "  2"], WIDE, wide=4) == ["  1   .  X1  O1", "  2  O1   .   ."]
    assert write_line("   ", "abc") == "    a b c"
    assert (read_rows(write_rows(BOARD, [" 1 ", " 2 "]), 3, "12", "it") == BOARD).all()
    assert (read_rows(write_rows(BOARD, ["  1", "  2"], WIDE, wide=4), 3, "12", "it", WIDE) == BOARD).all()


@pytest.mark.parametrize("row", ["b . X", "b . X O .", "b . X #", "b .X O .", "b . x O", "b", ""])
def test_a_wrong_row_is_named(row: str) -> None:
    with pytest.raises(BoyiError, match=re.escape("not it: row b must hold 3 of the marks . X O")):
        read_rows(["a . . .", row], 3, "ab", "it")
    with pytest.raises(BoyiError, match=r"not it: row b must hold 3 of these$"):
        read_rows(["a . . .", row], 3, "ab", "it", WIDE, "these")


@pytest.mark.parametrize("text", ["", "go 2", "toy 2\n", "toy 2\n1\n2", "toy 2\n1\n2\n3\n4", "toy 02\n1\n2\n3"])
def test_a_head_says_how_many_rows_follow(text: str) -> None:
    with pytest.raises(BoyiError, match=r"not a toy: it starts with toy 2$"):
        read_head(r"toy ([1-9])", text, "a toy", "toy 2")


def test_a_head_is_matched() -> None:
    lines, head = read_head(r"toy ([1-9])", "\ntoy 2\n1\n2\n3\n", "a toy", "toy 2")
    assert (lines, head[1]) == (["toy 2", "1", "2", "3"], "2")
    assert check_ply(4, 4, "a toy") == 4
    with pytest.raises(BoyiError, match="not a toy: no game of this size has 5 plies"):
        check_ply(5, 4, "a toy")
