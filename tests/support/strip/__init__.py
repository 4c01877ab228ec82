"""Strip: a toy game for two with dice, in which the same seat may act again and chance may come twice running.

A row of numbers, some below zero. A coin (heads one time in three) says whose turn it is: tails, the other seat's; then
a die how many numbers that seat takes, one after another, 1 or 2, from the left end or the right. It ends when none are
left. The return is what a seat has taken less what the other has.
"""

from boyi.envs.engine.spec import Param, Spec


def _longest(cells: int) -> int:
    return cells


def _shape(cells: int) -> tuple[int]:
    return (cells,)


SPEC = Spec(
    name="strip",
    title="Strip",
    package=__name__,
    version=0,
    seats=2,
    params={"cells": Param(6, "numbers in the row", low=1, high=12)},
    actions=2,
    longest=_longest,
    encoders={"planes": _shape},
    tested=({},),
    low=-24.0,
    high=24.0,
    chance_outcomes=3,
)
