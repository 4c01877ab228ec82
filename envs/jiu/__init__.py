"""Tibetan Jiu chess: fill the board, then move, jump, make squares, fly. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec
from .constants import LAYOUT_PLANES, LOOKED_BACK, PLANES, STOP

__all__ = ["SPEC"]


def _actions(board_size: int, **_: object) -> int:
    return STOP * board_size**2 + 1


def _longest(board_size: int, layout_only: bool, max_turns: int, **_: object) -> int:
    """Count the layout, three actions a turn (a flight and a stop), and one for every stone that is taken."""
    return board_size**2 if layout_only else 2 * board_size**2 + 3 * max_turns


def _planes(board_size: int, **_: object) -> tuple[int, int, int]:
    return PLANES, board_size, board_size


def _layout4(board_size: int, **_: object) -> tuple[int, int, int]:
    return LAYOUT_PLANES, board_size, board_size


SPEC = Spec(
    name="jiu",
    title="Jiu",
    package=__name__,
    version=0,
    seats=2,
    params={
        "board_size": Param(14, "points along a side", low=6, high=26, even=True),
        "layout_only": Param(False, "whether the game ends when the board is full"),
        "gun": Param(True, "whether a full line takes two stones"),
        "must_take": Param(True, "whether what was earned must be taken"),
        "revisit": Param(True, "whether a jumping stone may land where it has been"),
        "flying": Param("size", "who flies: a side of at most n stones, or of fewer", choices=("size", "below")),
        "single_jump_ban": Param(
            "flyer", "who may not take by a single jump", choices=("flyer", "both", "stronger", "none")
        ),
        "dalian_win": Param(
            "apart", "whether two dalians win, and which count as two", choices=("apart", "any", "off")
        ),
        "dalian_gates": Param(True, "whether a side that has a gate, but no square, loses to two dalians"),
        "repetition": Param(3, "the occurrence of a position that is a draw, 0 or 1: none", low=0, high=9),
        "no_capture_limit": Param(100, "turns without a capture that are a draw, 0: none", low=0, high=LOOKED_BACK),
        "max_turns": Param(1000, "turns of the battle after which the game is cut off", low=1, high=100_000),
    },
    actions=_actions,
    longest=_longest,
    encoders={"planes": _planes, "layout4": _layout4},
    tested=(
        {},
        {"board_size": 6, "max_turns": 60},
        {"board_size": 6, "layout_only": True},
        {"board_size": 6, "single_jump_ban": "both", "must_take": False, "revisit": False, "no_capture_limit": 40},
        {"board_size": 6, "single_jump_ban": "stronger", "flying": "below", "dalian_win": "any", "repetition": 2},
        {"board_size": 6, "gun": False, "dalian_gates": False, "single_jump_ban": "none", "no_capture_limit": 0},
        {"board_size": 26, "max_turns": 5},
    ),
)

__getattr__, __dir__ = importer(__name__, __all__)
