"""EinStein würfelt nicht!: a race of numbered stones, a die choosing the stone. See RULES.md."""

from ..engine.lazy import importer
from ..engine.spec import Param, Spec

__all__ = ["SPEC"]


def _columns(board_size: int, columns: int) -> int:
    return columns or board_size


def _actions(stones: int, **_: object) -> int:
    return 3 * stones


def _faces(stones: int, **_: object) -> int:
    return stones


def start_squares(board_size: int, columns: int, stones: int) -> list[tuple[int, int]]:
    """List seat 0's start squares (r, c) in order (§3), no more than there are stones."""
    smallest = next(t for t in range(stones) if (t + 1) * (t + 2) // 2 >= stones)
    t = max(0, min(smallest, board_size - 2, _columns(board_size, columns) - 2))
    return [(r, c) for r in range(t + 1) for c in range(t + 1 - r)][:stones]


def _longest(board_size: int, columns: int, stones: int, **_: object) -> int:
    far = board_size + _columns(board_size, columns) - 2
    return 2 * sum(far - r - c for r, c in start_squares(board_size, columns, stones)) - 1


def _planes(board_size: int, columns: int, stones: int, **_: object) -> tuple[int, int, int]:
    return 3 * stones + 1, board_size, _columns(board_size, columns)


def _mobility(board_size: int, columns: int, stones: int, **_: object) -> tuple[int, int, int]:
    return 3 * stones + 6, board_size, _columns(board_size, columns)


def _policy(stones: int, **_: object) -> tuple[int]:
    return (7 * stones,)


def _value(stones: int, **_: object) -> tuple[int]:
    return (6 * stones,)


SPEC = Spec(
    name="einstein",
    title="EinStein",
    package=__name__,
    version=0,
    seats=2,
    params={
        "board_size": Param(5, "rows", low=2, high=15),
        "columns": Param(0, "columns; 0: as many as rows", low=0, high=15),
        "stones": Param(6, "highest number on a stone, and faces of the die", low=1, high=6),
        "placement": Param("random", "which stone starts where", choices=("random", "fixed")),
        "substitution": Param("adjacent", "which stones move for a captured one", choices=("adjacent", "nearest")),
    },
    actions=_actions,
    longest=_longest,
    encoders={"planes": _planes, "mobility": _mobility, "policy42": _policy, "value36": _value},
    tested=(
        {},
        {"placement": "fixed", "substitution": "nearest"},
        {"board_size": 2, "stones": 1},
        {"board_size": 3, "stones": 2},
        {"board_size": 4, "columns": 6, "stones": 3, "substitution": "nearest"},
        {"board_size": 2, "columns": 1},
    ),
    chance_outcomes=_faces,
)

__getattr__, __dir__ = importer(__name__, __all__)
