"""Kernels around the network: what comes out of it, for the rules."""

import math

from ...envs.engine.protocol import legal


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
