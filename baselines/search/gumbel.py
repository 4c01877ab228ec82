"""Gumbel AlphaZero's way to search at the root and to learn from it (Danihelka, Guez, Schrittwieser, Silver 2022).

A few moves are drawn without replacement, by Gumbel noise added to the log priors. Sequential halving spends the
simulations on them, and the best of the last moves is played. What is learned is the prior improved by the values
found, which in expectation cannot be worse than the prior, however few the simulations.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2

import numpy as np

from .puct_kernels import LEAST_PRIOR, Halving


@lru_cache(maxsize=4096)
def visiting_order(considered: int, sims: int) -> tuple[int, ...]:
    """List how many visits the next move has in each of `sims` simulations, among `considered` moves, then halved."""
    left, visits, order = considered, 0, list[int]()
    rounds = max(1, ceil(log2(considered)))
    while len(order) < sims:
        for _ in range(max(1, sims // (rounds * left))):
            order += [visits] * left
            visits += 1
        left = max(min(2, considered), left // 2)
    return tuple(order[:sims])


def visiting_orders(masks: np.ndarray, considered: int, sims: np.ndarray) -> np.ndarray:
    """List the orders (m, most) int64 of the `sims` (m,) that follow after roots of `masks` (m, actions) are opened."""
    most = max(1, int(sims.max()))
    order = np.zeros((sims.size, most), np.int64)
    for k, (legal, count) in enumerate(zip(masks.sum(axis=1, dtype=np.int64).tolist(), sims.tolist(), strict=True)):
        planned = visiting_order(min(considered, legal), max(1, count))
        order[k, : len(planned)], order[k, len(planned) :] = planned, planned[-1]
    return order


def scores(masks: np.ndarray, priors: np.ndarray, weighed: np.ndarray, plan: Halving, visits: np.ndarray) -> np.ndarray:
    """Add to the log priors the values `weighed` in [-1, 1], with the weight that the visits give: (m, actions)."""
    weight = (plan.c_visit + visits.max(axis=1, keepdims=True)) * plan.c_scale
    logits = np.log(np.maximum(priors, LEAST_PRIOR)) + weight * (1.0 + weighed) / 2.0
    return np.where(masks != 0, logits, -np.inf)


def completed(priors: np.ndarray, worth: np.ndarray, visits: np.ndarray, raw: np.ndarray) -> np.ndarray:
    """Fill in what moves without visits are worth: the mean of the judged value `raw` (m,) and of what was found."""
    seen = visits > 0
    covered = np.where(seen, priors, 0.0).sum(axis=1)
    found = np.where(seen, priors * np.where(seen, worth, 0.0), 0.0).sum(axis=1) / np.maximum(covered, LEAST_PRIOR)
    total = visits.sum(axis=1)
    mixed = (raw + total * found) / (1 + total)
    return np.where(seen, worth, mixed[:, None])


def improved(
    masks: np.ndarray, priors: np.ndarray, worth: np.ndarray, visits: np.ndarray, raw: np.ndarray, plan: Halving
) -> tuple[np.ndarray, np.ndarray]:
    """Return the improved policy (m, actions), made of the prior and what its moves proved to be worth, and its value.

    The value (m,) is not the mean of the visits: halving spends a good part of them on moves that turn out to be bad.
    """
    values = completed(priors, worth, visits, raw)
    logits = scores(masks, priors, values, plan, visits)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    policy: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return policy, (policy * values).sum(axis=1)


def winners(masks: np.ndarray, priors: np.ndarray, worth: np.ndarray, visits: np.ndarray, plan: Halving) -> np.ndarray:
    """Return the move (m,) of the highest score, noise included, among those with the most visits."""
    finals = visits == visits.max(axis=1, keepdims=True)
    found = scores(masks, priors, np.nan_to_num(worth), plan, visits) + plan.gumbels
    actions: np.ndarray = np.where(finals & (masks != 0), found, -np.inf).argmax(axis=1)
    return actions
