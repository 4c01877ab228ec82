"""Kernels around the network: one makes priors of its output, one values positions in its place."""

import math

import numpy as np

from ...envs.engine.protocol import key, legal
from ..search.puct_kernels import judge_by_playout


def prior_rows(states, logits, mask, priors):
    """Write the softmax of the logits (m, actions) over the legal actions of every position; `mask` is scratch."""
    for k in range(states.shape[0]):
        legal(states[k], mask)
        high = -math.inf
        for a in range(mask.shape[0]):
            if mask[a] and logits[k, a] > high:
                high = logits[k, a]
        total = 0.0
        for a in range(mask.shape[0]):
            priors[k, a] = math.exp(logits[k, a] - high) if mask[a] else 0.0
            total += priors[k, a]
        for a in range(mask.shape[0]):
            priors[k, a] /= total


def playout_rows(states, seats, stream, terms, scratch, values):
    """Value positions (m,), which change, for `seats` by one random game each, drawn from the position alone."""
    for k in range(states.shape[0]):
        stream[0], stream[1] = key(states[k]), np.uint64(0)
        values[k] = judge_by_playout(states[k], seats[k], stream, terms, scratch, 0, 1.0)
