"""The kernel that shows hands of a search as an encoder would."""

import numpy as np

from ...envs.engine.protocol import observe
from ...envs.mahjong.constants import KINDS, SEATS, TURN
from ...envs.mahjong.greedy import count_unseen
from ...envs.mahjong.state import live


def observe_hands(states, imagined, seat, tiles, unseen, draws, base, x):
    """Write to ``x[i]`` what a seat sees when it is to discard from ``tiles[i]`` (m, 34).

    Record 0 of `states` is where the search began, `unseen` (m, 34) the copies that the seat has not seen when it holds
    each hand, and `draws` the draws that it then has left. What it has discarded on the way lies in its river, kind by
    kind; the other seats have done nothing. `imagined` (1,) and `base` (34,) are scratch.
    """
    start, s = states[0], imagined[0]
    turn = start.phase == TURN and start.turn == seat
    count_unseen(start, seat, base)
    for i in range(tiles.shape[0]):
        imagined[0] = states[0]
        drawn = np.int64(0)
        for k in range(KINDS):
            # What was drawn on the way and is not held any more.
            for _ in range(start.hand[seat, k] + base[k] - unseen[i, k] - tiles[i, k]):
                s.discard[s.discards], s.by[s.discards], s.claimed[s.discards] = k, seat, -1
                s.discards += 1
                s.river[seat, k] += 1
            s.hand[seat, k] = tiles[i, k]
            drawn += base[k] - unseen[i, k]
        s.left -= max(live(s) // SEATS - draws, 0) * SEATS
        s.phase, s.turn, s.to_move, s.offer = TURN, seat, seat, -1
        if drawn > 0 or not turn:
            s.last = -1
        s.answer[:] = 0
        observe(s, seat, x[i])
