"""The simulations of Monte Carlo tree search, which a search binds to a game.

Chance nodes sample their outcomes; in hidden games every simulation starts from a world redealt for the seat that
decides, and only what is legal in that world is considered (Cowling, Powley and Whitehouse 2012). A node is proven for
a seat that surely gets the highest return from there (Winands, Björnsson and Saito 2008): simulations keep away from
proven losses, end at what is proven, and end altogether when the root is.
"""

import math
from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import stub
from ...envs.engine.kernels import pick, settle
from ...envs.engine.protocol import CHANCE, OVER, chance, legal, redeal, resolve, returns, rollout, step
from ...envs.engine.rng import choose
from .mcts_rave import credit, descend_all
from .tree import add, all_proven, child_of


class Settings(NamedTuple):
    """How a search goes: `c` weighs exploration, `fpu` is the value of what is untried, `widen` the exponent of how
    many actions are considered (0.0: all), `rave` the visits that all-moves-as-first is worth (0.0: it is not kept),
    `examine` the visits after which a position is examined (0: never); whether something is hidden, whether wins are
    proven, and the range of returns.
    """

    c: float
    fpu: float
    widen: float
    rave: float
    examine: int
    hidden: bool
    proves: bool
    low: float
    high: float


class Scratch(NamedTuple):
    """Room for a simulation: a mask, the probabilities of outcomes, what each seat played below its path (seats,
    actions) int8, the path's nodes and who moved into each, both int64, and returns.
    """

    mask: np.ndarray
    p: np.ndarray
    used: np.ndarray
    path: np.ndarray
    movers: np.ndarray
    r: np.ndarray


ALWAYS = 1000.0  # first-play urgency above every bound: what is untried comes first


@stub
def learn(tree, root, path, length, knowledge):
    """Learn what can be seen of the position at the end of a path from ``root[0]``; return who wins it, or -1.

    Searches that examine nothing do not ask.
    """
    return np.int64(-1)


def best_child(tree, node, c, mask, hidden, lost):
    """Pick the child with the highest upper confidence bound and return that bound too; (0, -1) where there is none.

    Where something is `hidden`, only what is legal in this world counts. Children proven as `lost` are left out.
    """
    n = tree.nodes[node].visits
    if hidden:
        n = 0
        i = tree.nodes[node].child
        while i != 0:
            n += mask[tree.nodes[i].action] * tree.nodes[i].visits
            i = tree.nodes[i].sibling
    logarithm = np.float32(c * c * math.log(n + 1.0))
    best, most = 0, np.float32(-1.0)
    i = tree.nodes[node].child
    while i != 0:
        if not hidden or mask[tree.nodes[i].action]:
            inverse = np.float32(1.0) / np.float32(tree.nodes[i].visits)
            bound = tree.nodes[i].total * inverse + np.float32(math.sqrt(logarithm * inverse))
            if bound > most and tree.nodes[i].proven != lost:
                best, most = i, bound
        i = tree.nodes[i].sibling
    return best, most


def drop_tried(tree, node, mask):
    """Clear the actions that have a child from a mask; return how many were set."""
    tried = 0
    i = tree.nodes[node].child
    while i != 0:
        tried += mask[tree.nodes[i].action]
        mask[tree.nodes[i].action] = 0
        i = tree.nodes[i].sibling
    return tried


def descend(tree, s, node, settings, rng, mask):
    """Choose the next node below a decision, perhaps a new one at random; say whether it is new; (0, False): none.

    A new one is wanted where no child is left, or where the best falls short of `fpu` and widening allows another.
    """
    hidden, lost = settings.hidden, 2 - np.int64(s.to_move) if settings.proves else np.int64(-1)
    if not hidden and tree.nodes[node].untried == 0:
        return best_child(tree, node, settings.c, mask, hidden, lost)[0], False
    n = legal(s, mask)
    eager = settings.fpu >= ALWAYS and settings.widen == 0.0
    best, bound = 0, np.float32(-1.0)
    if not eager:
        best, bound = best_child(tree, node, settings.c, mask, hidden, lost)
    untried = n - drop_tried(tree, node, mask)
    if untried == 0 and not hidden:
        tree.nodes[node].untried = 0
    if untried > 0 and (eager or best == 0 or (bound <= settings.fpu and widens(tree, node, n - untried, settings))):
        new = add(tree, node, choose(mask, rng))
        if new != 0:
            tree.nodes[node].untried = untried - 1
            return new, True
    if eager:
        legal(s, mask)
        best, bound = best_child(tree, node, settings.c, mask, hidden, lost)
    return best, False


def widens(tree, node, tried, settings):
    """Whether a node has been visited often enough to consider another action than those `tried`."""
    return settings.widen == 0.0 or tried < math.ceil(math.pow(tree.nodes[node].visits, settings.widen))


def sample_child(tree, s, node, rng, p):
    """Draw the next node below a chance event and apply its outcome; 0 when the tree is full."""
    n = chance(s, p)
    if tree.nodes[node].untried < 0:
        possible = 0
        for o in range(n):
            possible += p[o] > 0.0
        tree.nodes[node].untried = possible
    o = pick(p, n, rng)
    i = child_of(tree, node, o)
    if i == 0:
        i = add(tree, node, o)
        tree.nodes[node].untried -= i != 0
    if i != 0:
        resolve(s, o)
    return i


def simulate(tree, root, s, settings, rng, scratch, knowledge):
    """Walk from the root to a new node, a proven one or the end; return the length of the path."""
    mask, path, movers = scratch.mask, scratch.path, scratch.movers
    node, length = np.int64(0), 1
    path[0] = 0
    new = False
    while s.to_move >= CHANCE and not new and tree.nodes[node].proven == 0 and length < path.shape[0]:
        mover = s.to_move
        if mover == CHANCE:
            node = sample_child(tree, s, node, rng, scratch.p)
        elif settings.rave > 0.0:
            node = descend_all(tree, s, node, settings, rng, mask)
        else:
            node, new = descend(tree, s, node, settings, rng, mask)
        if node == 0:
            return length
        if mover >= 0:
            step(s, np.int64(tree.nodes[node].action))
        movers[length], path[length] = mover, node
        length += 1
        if settings.examine > 0 and tree.nodes[node].visits == settings.examine and s.to_move >= 0:
            winner = learn(tree, root, path, length, knowledge)
            if winner >= 0:
                prove(tree, path, movers, length, winner)
    return length


def follows(tree, node, mover, winner):
    """Whether a node is won for a seat because a child of it is; `mover` decides there, or chance does."""
    return mover == winner or (tree.nodes[node].untried == 0 and all_proven(tree, node, winner))


def prove(tree, path, movers, length, winner):
    """Mark the end of a path as won for a seat, and what follows from that towards the root."""
    k = length - 1
    tree.nodes[path[k]].proven = winner + 1
    while k > 0 and follows(tree, path[k - 1], movers[k], winner):
        k -= 1
        tree.nodes[path[k]].proven = winner + 1


def run_simulations(tree, root, board, sims, seat, settings, rng, notes, scratch, knowledge):
    """Run `sims` simulations from ``root[0]`` for `seat`, fewer if the root is proven; they play on ``board[0]``.

    `notes` is for the rollouts, `knowledge` for what is learned about positions often met.
    """
    s, path, movers, used, r = board[0], scratch.path, scratch.movers, scratch.used, scratch.r
    scale = 1.0 / (settings.high - settings.low)
    for _ in range(sims):
        if tree.nodes[0].proven != 0:
            break
        board[0] = root[0]
        if settings.hidden:
            redeal(s, seat, rng)
        if settings.rave > 0.0:
            used[:] = 0
        length = simulate(tree, root, s, settings, rng, scratch, knowledge)
        known = np.int64(tree.nodes[path[length - 1]].proven) - 1
        if known >= 0:
            r[:] = settings.low
            r[known] = settings.high
        else:
            ended = s.to_move == OVER
            settle(s, rng, scratch.p)
            rollout(s, notes, rng, scratch.mask, scratch.p, used)
            returns(s, r)
            if ended and settings.proves:
                for winner in range(2):
                    if r[winner] >= settings.high:
                        prove(tree, path, movers, length, winner)
        tree.nodes[0].visits += 1
        for k in range(1, length):
            tree.nodes[path[k]].visits += 1
            if movers[k] >= 0:
                tree.nodes[path[k]].total += np.float32((r[movers[k]] - settings.low) * scale)
        if settings.rave > 0.0:
            credit(tree, path, movers, length, used, r, settings.low, scale)
