"""The kernels of `greedy`: a game's rule for the seats to move in many games, and in whole games."""

from ...envs.engine.kernels import settle
from ...envs.engine.protocol import policy, reset, step


def act_rows(states, streams, actions, notes):
    """Decide for the seat to move in every record, from the decision's own stream (m, 2)."""
    for k in range(states.shape[0]):
        actions[k] = policy(states[k], notes, streams[k])


def greedy_games(states, blank, count, rng, p, notes):
    """Play `count` games in ``states[0]``, every seat by the rule."""
    s = states[0]
    for _ in range(count):
        states[0] = blank[0]
        reset(s, rng)
        settle(s, rng, p)
        while s.to_move >= 0:
            step(s, policy(s, notes, rng))
            settle(s, rng, p)
