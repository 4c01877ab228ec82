"""Gomoku: five in a row. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec

__all__ = ["SPEC"]


def _points(board_size: int, rule: str) -> int:
    return board_size * board_size


def _planes(board_size: int, rule: str) -> tuple[int, int, int]:
    return 4, board_size, board_size


def _flat(board_size: int, rule: str) -> tuple[int]:
    return (2 * board_size * board_size,)


SPEC = Spec(
    name="gomoku",
    title="Gomoku",
    package=__name__,
    version=0,
    seats=2,
    params={
        "board_size": Param(15, "points along a side", low=5, high=22),
        "rule": Param("freestyle", "five or more in a row win, or exactly five", choices=("freestyle", "standard")),
    },
    actions=_points,
    longest=_points,
    encoders={"planes": _planes, "ruled": _planes, "flat": _flat},
    tested=(
        {},
        {"board_size": 5},
        {"board_size": 6, "rule": "standard"},
        {"board_size": 22, "rule": "standard"},
    ),
)

__getattr__, __dir__ = importer(__name__, __all__)
