"""The hand of a mahjong position as the evaluators of hands are shown it, without the search."""

import numpy as np

from boyi.baselines.mahjong.evaluator import Hands
from boyi.envs import find
from boyi.envs.engine.bind import bind
from boyi.envs.mahjong.constants import KINDS
from boyi.envs.mahjong.greedy import count_unseen

GAME = find("mahjong")


def root_hands(state: np.ndarray) -> Hands:
    """Show an evaluator the hand that the seat to move is to discard from."""
    s, seat = state[0], int(state["to_move"][0])
    unseen = np.zeros(KINDS, np.int64)
    bind(count_unseen_one, GAME)(state, seat, unseen)
    left = int(s["left"]) - int(s["reserve"]) - int(s["reserve_per_kong"]) * int(s["kongs"])
    tiles = s["hand"][seat : seat + 1]
    return Hands(state, seat, 5 - int(s["melds"][seat]), left // 4, tiles, unseen[None].astype(np.int8))


def count_unseen_one(states: np.ndarray, seat: int, unseen: np.ndarray) -> None:
    count_unseen(states[0], seat, unseen)
