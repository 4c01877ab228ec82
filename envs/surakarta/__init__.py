"""Surakarta: men step on the board and take along the loops around its corners. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec
from .constants import LOOKED_BACK, POINTS, SIDE

__all__ = ["SPEC"]


def _actions(**_: object) -> int:
    return POINTS * POINTS


def _longest(no_capture_limit: int, **_: object) -> int:
    """Count the turns up to each of 23 captures: the next one ends a seat, or no more of them end the game."""
    return 23 * no_capture_limit


def _planes(**_: object) -> tuple[int, int, int]:
    return 5, SIDE, SIDE


SPEC = Spec(
    name="surakarta",
    title="Surakarta",
    package=__name__,
    version=0,
    seats=2,
    params={
        "no_capture_limit": Param(100, "turns without a capture that are a draw", low=1, high=LOOKED_BACK),
        "repetition": Param(3, "the occurrence of a position that is a draw, 0 or 1: none", low=0, high=9),
    },
    actions=_actions,
    longest=_longest,
    encoders={"planes": _planes},
    tested=(
        {},
        {"no_capture_limit": 1},
        {"no_capture_limit": 12, "repetition": 2},
        {"no_capture_limit": 40, "repetition": 0},
        {"no_capture_limit": 250, "repetition": 9},
    ),
)

__getattr__, __dir__ = importer(__name__, __all__)
