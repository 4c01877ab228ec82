"""The kernel that reads what a hand lacks after each discard."""

from ...envs.mahjong.constants import KINDS
from ...envs.mahjong.distance import FAR, accepted, weigh_discards
from ...envs.mahjong.greedy import count_unseen


def read_discards(states, seat, need, tables, unseen, powers, distances, copies, kinds):
    """Write what a seat of record 0 lacks after every discard (34,), `FAR` where there is none, and what then helps it.

    `copies` (34,) counts the unseen tiles that help, `kinds` is the set of their kinds, as sums of the `powers` (34,)
    of two. `unseen` (34,) is scratch.
    """
    hand = states[0].hand[seat]
    count_unseen(states[0], seat, unseen)
    weigh_discards(hand, need, tables, distances)
    for k in range(KINDS):
        if distances[k] < FAR:
            copies[k] = accepted(hand, k, need, unseen, tables)[1]
            kinds[k] = accepted(hand, k, need, powers, tables)[1]
