"""Amazons: queens that close a cell with every move. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec

__all__ = ["SPEC"]


def _cells(board_size: int) -> int:
    return board_size * board_size


def _longest(board_size: int) -> int:
    """Count three actions for every cell that is empty at the start: each turn closes one."""
    return 3 * (board_size * board_size - 8)


def _planes(board_size: int) -> tuple[int, int, int]:
    return 7, board_size, board_size


SPEC = Spec(
    name="amazons",
    title="Amazons",
    package=__name__,
    version=0,
    seats=2,
    params={"board_size": Param(10, "cells along a side", low=4, high=20)},
    actions=_cells,
    longest=_longest,
    encoders={"planes": _planes},
    tested=(
        {},
        {"board_size": 4},
        {"board_size": 7},
    ),
)

__getattr__, __dir__ = importer(__name__, __all__)
