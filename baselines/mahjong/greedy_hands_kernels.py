"""The kernel that plays hands of mahjong by the rule of `greedy`, and what it is bound with to note things of them."""

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
    """Add to the rows of a hand, or to `lost` (2,), how it has ended."""
    raise NotImplementedError


def play_hands(states, blank, count, rng, p, notes, scratch, rows, lost):
    """Play `count` hands by the rule of `greedy`, every seat the dealer by turns; return how many rows were written."""
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
