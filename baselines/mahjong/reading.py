"""What a person is told about discards besides their worth: shanten, useful tiles and danger."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.view import View
from ...envs.mahjong.constants import KINDS, MOST_MELDS
from ...envs.mahjong.distance import distance_tables
from ...envs.mahjong.tiles import name_of
from .evaluator import Hands, Risk
from .reading_kernels import read_discards


def read_hand(view: View, k: int, danger: Risk) -> dict[str, list[str]]:
    """Say what is known of each discard among the actions (75,) in game k of a view, "" for all other actions.

    "shanten" is how many tiles the hand then lacks to wait for its last one; "useful" are the kinds that lower it, with
    the number of copies that the seat has not seen; "danger" is the chance that somebody wins on the discard.
    """
    states, seat, game = view.states[k : k + 1], int(view.seat[k]), view.game
    need = MOST_MELDS - int(states["melds"][0, seat])
    unseen, distances, copies, kinds = np.zeros((4, KINDS), np.int64)
    powers = np.int64(1) << np.arange(KINDS)
    bind(read_discards, game)(states, seat, need, distance_tables(), unseen, powers, distances, copies, kinds)
    hand = states["hand"][:, seat]
    chances, _ = danger(Hands(states, seat, need, 0, hand, unseen[None].astype(np.int8)))
    notes: dict[str, list[str]] = {name: [""] * game.actions for name in ("shanten", "useful", "danger")}
    for a in np.flatnonzero(view.mask[k, :KINDS]):
        found = [name_of(i) for i in range(KINDS) if kinds[a] >> i & 1]
        notes["shanten"][a] = str(distances[a] - 1)
        notes["useful"][a] = f"{' '.join(found)} ({copies[a]})"
        notes["danger"][a] = f"{chances[a]:.1%}"
    return notes
