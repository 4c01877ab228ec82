"""What a person is told of discards beside what they are worth."""

import numpy as np
import pytest
from mahjong_positions import played, redealt, table

from boyi.baselines.agents import make_agent
from boyi.baselines.mahjong.evaluator import Hands
from boyi.baselines.mahjong.reading import read_hand
from boyi.baselines.mahjong.risk import Danger
from boyi.envs import find
from boyi.envs.mahjong.constants import KINDS
from boyi.envs.mahjong.tiles import kind_of

pytestmark = pytest.mark.kernels

GAME = find("mahjong")
RISK = Danger(GAME).risk


def test_a_hand_that_waits() -> None:
    """123m 456m 789m 123p 99s and 45s are one tile away once 1z has gone: any 3s or 6s that has not been seen."""
    state = table("123456789m123p4599s1z", live=30, last="1z")
    unseen = 8 - int(state["river"][0, :, [kind_of("3s"), kind_of("6s")]].sum())
    notes = read_hand(played(state).view(), 0, RISK)
    a = kind_of("1z")
    assert (notes["shanten"][a], notes["useful"][a]) == ("0", f"3s 6s ({unseen})")
    assert int(notes["shanten"][kind_of("5m")]) > 0
    assert notes["shanten"][kind_of("2z")] == notes["danger"][kind_of("2z")] == ""


def test_danger_is_what_the_search_charges() -> None:
    state = table("1358m2469p1335s24677z", live=30)
    hands = Hands(state, 0, 5, 7, state["hand"][:, 0], np.zeros((1, KINDS), np.int8))
    chances, notes = RISK(hands)[0], read_hand(played(state).view(), 0, RISK)
    held = np.flatnonzero(state["hand"][0, 0])
    assert [notes["danger"][a] for a in held] == [f"{chances[a]:.1%}" for a in held]
    assert len({notes["danger"][a] for a in held}) > 3


def test_it_says_the_same_whatever_others_hold() -> None:
    state = table("1358m2469p1335s24677z", live=30)
    view = played(state).view()
    others = [redealt(state, 0, k) for k in range(5)]
    assert len({other.tobytes() for other in others}) == 5
    for other in others:
        assert read_hand(played(other).view(), 0, RISK) == read_hand(view, 0, RISK)


def test_who_looks_over_hands_says_it() -> None:
    view = played(table("1358m2469p1335s24677z", live=30)).view()
    weights = make_agent("expectimax", GAME).weigh(view)
    assert weights.notes == read_hand(view, 0, RISK)
