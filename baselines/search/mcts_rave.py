"""All moves as first: what an action is worth wherever it was played later, and the selection that mixes it in.

Rapid action value estimation (Gelly and Silver 2011). A node gets all its children at once. Besides its own visits each
child holds the number of simulations through its parent in which the same seat played its action from there on, and the
sum of its returns in these. `rave` is the number of visits whose mean is as trustworthy as that of all others together.
"""

import math

import numpy as np

from ...envs.engine.protocol import legal
from ...envs.engine.rng import below
from .tree import add

EXPANDED = 5  # visits of a node before it gets its children, which are many


def add_all(tree, s, node, mask):
    """Add a child for every legal action; return how many, 0 where the tree has no room for all."""
    n = legal(s, mask)
    if tree.size[0] + n > tree.nodes.shape[0]:
        return 0
    for a in range(mask.shape[0]):
        if mask[a]:
            add(tree, node, a)
    tree.nodes[node].untried = 0
    return n


def best_mixed(tree, node, settings, lost):
    """Pick the child of the highest bound; 0 where all are proven as `lost`.

    The mean of n own visits and m others, with sums T and A, is weighted for the least expected squared error:
    (A + T (1 + m / rave)) / (n + m + n m / rave).
    """
    share = np.float32(1.0 / settings.rave)
    logarithm = np.float32(settings.c * settings.c * math.log(tree.nodes[node].visits + 1.0))
    best, most = 0, np.float32(-1.0)
    i = tree.nodes[node].child
    while i != 0:
        n, m = np.float32(tree.nodes[i].visits), tree.amaf_visits[i]
        own = n * (np.float32(1.0) + m * share)
        bound = np.float32(settings.fpu)
        if n + m > np.float32(0.0):
            bound = (tree.amaf_total[i] + tree.nodes[i].total * (np.float32(1.0) + m * share)) / (own + m)
            bound += np.float32(math.sqrt(logarithm / (n + np.float32(1.0))))
        if bound > most and tree.nodes[i].proven != lost:
            best, most = i, bound
        i = tree.nodes[i].sibling
    return best


def descend_all(tree, s, node, settings, rng, mask):
    """Choose the next node below a decision, at random where all are new; 0: simulate from here."""
    if tree.nodes[node].child == 0:
        if node != 0 and tree.nodes[node].visits < EXPANDED:
            return 0
        n = add_all(tree, s, node, mask)
        return tree.size[0] - 1 - below(rng, n) if n > 0 else 0
    return best_mixed(tree, node, settings, 2 - np.int64(s.to_move) if settings.proves else np.int64(-1))


def credit(tree, path, movers, length, used, r, low, scale):
    """Add a simulation's returns to all children along its path whose action their seat played from there on.

    `used` (seats, actions) int8 marks what was played below the path.
    """
    for k in range(length - 1, 0, -1):
        if movers[k] >= 0:
            mine = used[movers[k]]
            mine[tree.nodes[path[k]].action] = 1
            value = np.float32((r[movers[k]] - low) * scale)
            i = tree.nodes[path[k - 1]].child
            while i != 0:
                if mine[tree.nodes[i].action]:
                    tree.amaf_visits[i] += np.float32(1.0)
                    tree.amaf_total[i] += value
                i = tree.nodes[i].sibling
