"""Hex: join your two sides of the rhombus. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec

__all__ = ["SPEC"]


def _actions(board_size: int, swap: bool) -> int:
    return board_size * board_size + swap


def _planes(board_size: int, swap: bool) -> tuple[int, int, int]:
    return 3 + swap, board_size, board_size


def _neurohex(board_size: int, swap: bool) -> tuple[int, int, int]:
    return 6, board_size + 4, board_size + 4


SPEC = Spec(
    name="hex",
    title="Hex",
    package=__name__,
    version=0,
    seats=2,
    params={
        "board_size": Param(11, "cells along a side", low=1, high=26),
        "swap": Param(False, "the pie rule: the second player may take over the first stone, mirrored"),
    },
    actions=_actions,
    longest=_actions,
    encoders={"planes": _planes, "oriented": _planes, "neurohex": _neurohex},
    tested=(
        {},
        {"board_size": 1},
        {"board_size": 1, "swap": True},
        {"board_size": 2, "swap": True},
        {"board_size": 3, "swap": True},
        {"board_size": 26},
    ),
)

__getattr__, __dir__ = importer(__name__, __all__)
