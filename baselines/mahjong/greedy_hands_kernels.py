"""The kernel that plays hands of mahjong by the rule of `greedy`, and the stubs that write rows about them."""

from ...envs.engine.bind import stub
from ...envs.engine.kernels import settle
from ...envs.engine.protocol import policy, reset, step
from ...envs.mahjong.constants import SEATS
from ...envs.mahjong.state import DECLARE


@stub
def sample_discard(s, a, notes, scratch, rows):
    """Write rows about the seat to move, which is about to discard `a`; return how many. `scratch` is (2, 34) int64."""
    raise NotImplementedError


@stub
def label_hand(s, rows, lost):
    """Add how a hand has ended to its rows, or to `lost` (2,)."""
    raise NotImplementedError


def play_hands(states, blank, count, rng, p, notes, scratch, rows, lost):
    """Play `count` hands by the rule of `greedy`, each seat dealing in turn; return how many rows were written."""
    s, n = states[0], 0
    for game in range(count):
        first = n
        states[0] = blank[0]
        s.dealer = game % SEATS
        reset(s, rng)
        settle(s, rng, p)
        while s.to_move >= 0:
            a = policy(s, notes, rng)
            if a < DECLARE:
                n += sample_discard(s, a, notes, scratch, rows[n:])
            step(s, a)
            settle(s, rng, p)
        label_hand(s, rows[first:n], lost)
    return n
