"""Kernels of self-play."""

from ...envs.engine.protocol import legal, step
from ...envs.engine.rng import below


def stray_rows(states, lengths, streams, mask, actions):
    """Play `lengths` (m,) random actions in the positions (m,), from their streams (m, 2), or until the game ends.

    They are written to `actions` (m, most); `mask` is scratch. For games without chance.
    """
    for k in range(states.shape[0]):
        s = states[k]
        for ply in range(lengths[k]):
            if s.to_move >= 0:
                left, a = below(streams[k], legal(s, mask)), 0
                while mask[a] == 0 or left > 0:
                    left -= mask[a] != 0
                    a += 1
                step(s, a)
                actions[k, ply] = a
