"""Taiwanese 16-tile mahjong: four seats, hidden hands, claims on discards, tai. See RULES.md.

Useful without a game: `shanten`, `acceptance` and `score`, of hands written as ``"123m456p7z"``.
"""

from typing import TYPE_CHECKING

from ..engine.lazy import importer
from ..engine.spec import Param, Spec
from .constants import KINDS, MATRIX_SIDE, MOST_MELDS, PLANES, SEATS, WALL

if TYPE_CHECKING:
    from .hand import acceptance, shanten
    from .scoring import score

__all__ = ["SPEC", "acceptance", "score", "shanten"]


def _longest(reserve: int, **_: object) -> int:
    """Return four actions, one turn's and three answers, for the deal, every live tile and every chow or pong."""
    return 4 * (1 + WALL - reserve + SEATS * MOST_MELDS)


def _dearest(base: int, fan: int, streak: int, **values: int) -> int:
    """Bound what one seat pays another: no hand has all items of §14 that this adds up."""
    of_choice = ("concealed_self_draw", "all_honors", "last_discard", "half_claimed")
    first = max(values["heavenly"], values["earthly"], values["human"])
    return base + fan * (60 + first + sum(values[name] for name in of_choice) + 1 + 2 * streak)


def _low(base: int, fan: int, streak: int, multi_win: str, **values: int) -> float:
    winners = SEATS - 1 if multi_win == "all" else 1
    return -float(max(winners * _dearest(base, fan, streak, **values), (SEATS - 1) * base))


def _high(base: int, fan: int, streak: int, **values: int) -> float:
    return float((SEATS - 1) * _dearest(base, fan, streak, **values))


def _first_seat(dealer: int, **_: object) -> int:
    return dealer


def _forfeit(base: int, **_: object) -> tuple[float, float]:
    return -float((SEATS - 1) * base), float(base)


SPEC = Spec(
    name="mahjong",
    title="Mahjong",
    package=__name__,
    version=0,
    seats=SEATS,
    params={
        "dealer": Param(0, "the dealer's seat", low=0, high=3),
        "streak": Param(0, "for how many hands before this one the dealer has held the deal", low=0, high=99),
        "round_wind": Param(0, "prevailing wind: 0 East, 1 South, 2 West, 3 North", low=0, high=3),
        "base": Param(1000, "points of a win without tai", low=0, high=1_000_000),
        "fan": Param(500, "points of one tai", low=0, high=1_000_000),
        "dealer_tai": Param(True, "whether the dealer pays and gets 1 + 2 * streak tai more"),
        "reserve": Param(16, "tiles that are never drawn", low=0, high=32),
        "reserve_per_kong": Param(0, "tiles added to the reserve for every kong", low=0, high=1),
        "tail_no_claim": Param(0, "only wins can be claimed when no more tiles than this can be drawn", low=0, high=71),
        "min_tai": Param(0, "fewest tai of a win, not counting the dealer's", low=0, high=16),
        "multi_win": Param("head_bump", "who wins when several claim it", choices=("head_bump", "all")),
        "missed_win": Param(
            "none",
            "what a seat may not win after it has let a win pass",
            choices=("none", "until_own_discard", "strict"),
        ),
        "swap_call_ban": Param(False, "whether discarding a tile like the claimed one at once is banned"),
        "kong_from_left": Param(True, "whether the seat after the discarder may claim a kong"),
        "win_after_melded_kong": Param(True, "whether the replacement tile of a claimed kong may win"),
        "hide_concealed_kong": Param(True, "whether others do not see the kind of a concealed kong"),
        "ask_all": Param(False, "whether seats that can only pass are asked"),
        "heavenly": Param(16, "tai of T26", low=0, high=64),
        "earthly": Param(16, "tai of T27", low=0, high=64),
        "human": Param(16, "tai of T28", low=0, high=64),
        "concealed_self_draw": Param(3, "tai of T03", low=0, high=64),
        "all_honors": Param(16, "tai of T21", low=0, high=64),
        "last_discard": Param(1, "tai of T11", low=0, high=64),
        "half_claimed": Param(1, "tai of T13", low=0, high=64),
        "single_wait_all_claimed": Param(True, "whether T07 adds to T12"),
        "five_concealed_all_pongs": Param(True, "whether T18 adds to T17"),
    },
    actions=75,
    longest=_longest,
    encoders={
        "planes": (PLANES, 4, 9),
        "matrix19": (1, MATRIX_SIDE, MATRIX_SIDE),
        "matrix19_extended": (1, MATRIX_SIDE, MATRIX_SIDE),
    },
    tested=(
        {},
        {"dealer": 2, "streak": 3, "round_wind": 1, "multi_win": "all", "missed_win": "strict", "ask_all": True},
        {"reserve": 0, "swap_call_ban": True, "kong_from_left": False, "missed_win": "until_own_discard"},
        {
            "reserve_per_kong": 1, "tail_no_claim": 3, "min_tai": 2, "win_after_melded_kong": False,
            "dealer_tai": False, "hide_concealed_kong": False, "single_wait_all_claimed": False,
            "five_concealed_all_pongs": False,
        },
    ),
    low=_low,
    high=_high,
    chance_outcomes=KINDS,
    hidden=True,
    unit="points",
    first_seat=_first_seat,
    forfeit=_forfeit,
)  # fmt: skip

__getattr__, __dir__ = importer(__name__, __all__, {"acceptance": "hand", "score": "scoring", "shanten": "hand"})
