"""Ring: a toy game with dice, a card draw, hidden cards, three seats and turns of several actions. See RULES.md."""

from boyi.envs.engine.spec import Param, Spec

SEATS = 3


def _actions(side: int, spare: int, limit: int) -> int:
    return SEATS * side + 1


def _longest(side: int, spare: int, limit: int) -> int:
    return min(limit or 10**6, SEATS * side + spare)


def _outcomes(side: int, spare: int, limit: int) -> int:
    return SEATS + spare


def _shape(side: int, spare: int, limit: int) -> tuple[int, int, int]:
    return SEATS + 1 + SEATS + spare, 1, SEATS * side


SPEC = Spec(
    name="toy",
    title="Ring",
    package=__name__,
    version=0,
    seats=SEATS,
    params={
        "side": Param(3, "cells per seat", low=1, high=8),
        "spare": Param(2, "cards that are left over after the deal", low=0, high=9),
        "limit": Param(0, "truncate the game after so many actions; 0: never", low=0, high=100),
    },
    actions=_actions,
    longest=_longest,
    encoders={"planes": _shape, "turned": _shape},
    tested=({}, {"side": 1, "spare": 0}, {"side": 2, "limit": 4}),
    low=-1.0,
    high=2.0,
    chance_outcomes=_outcomes,
    hidden=True,
    forfeit=lambda **_: (-1.0, 0.5),
)
