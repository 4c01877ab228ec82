"""The kernels of `puct`: search guided by priors and values, with a tree per game; each search binds them to its game.

The trees are `tree.Tree`s, used in their own way. All of them lie one after the other in one block of arrays, so that
one call serves every game. ``total`` sums values in [-1, 1] from seat 0's side, whoever moves, and a node without
visits may hold the value that it had when it was made; so total / max(visits, 1) is a node's value at any time. The
moves of a decision become its children all at once, in ascending order; children of a chance node are its outcomes,
made when they are drawn, or all at once where dice are averaged, with their probabilities as priors. Where wins are
proven, walks end at proven nodes and avoid moves that are proven to lose.

A simulation has three parts: `select` walks to a leaf and says what there is to judge; that is judged, for all games
together; `update` enters the judgement and backs it up. Leaves are positions in which a seat decides, or ends of games.
"""

import math
from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import stub
from ...envs.engine.kernels import pick, settle
from ...envs.engine.protocol import CHANCE, chance, evaluate, legal, playout, resolve, returns, step, survey
from .tree import Tree, add, all_proven, child_of, find_played, keep, put

ENDED, CLOSED, OPENED = 0, 1, 2  # kinds of leaves: over, to be valued, to be valued and its new children given priors
OUT_OF_QUESTION = 1e12  # what is taken off the bound of a move that is proven to lose
LEAST_PRIOR = 1e-30  # what a prior of 0 counts as where its logarithm is wanted


class Terms(NamedTuple):
    """How to search: the weight of exploration, what a move without visits is held to be worth to its mover, whether
    that is relative to what its position is worth, whether every move is valued instead when it becomes a child,
    whether dice are averaged, whether wins are proven, and the bounds of the returns.
    """

    c: float
    fpu: float
    relative: bool
    valued: bool
    averaged: bool
    proves: bool
    low: float
    high: float


class Planted(NamedTuple):
    """The trees of m games: the block in which all trees lie, how many nodes each has, and where in it the trees of
    these games lie, int64.
    """

    trees: Tree
    nodes: int
    slots: np.ndarray


class Plots(NamedTuple):
    """Where the trees of games lie, and what each was grown for: the slot (1,) of the free one; for each game its slot,
    its root's position, the action that was then played there (-1: unknown) and the episode, all int64.
    """

    free: np.ndarray
    slots: np.ndarray
    states: np.ndarray
    actions: np.ndarray
    episodes: np.ndarray


class Halving(NamedTuple):
    """How simulations are spread over the moves of the root by sequential halving: for each simulation how many visits
    the next move has, int64 (m, simulations), which is empty where the root is searched like any other node; the Gumbel
    noise float64 (m, actions); the two constants for how much values weigh against it.
    """

    order: np.ndarray
    gumbels: np.ndarray
    c_visit: float
    c_scale: float


class Leaves(NamedTuple):
    """The leaves of m simulations: their positions, their kind int8, the seat to move int64, and the value float32,
    from seat 0's side where the game has ended, else from that of the seat to move; the nodes on the way there int32
    (m, depth), who moves at each (CHANCE included) int8, and how many there are int64.
    """

    states: np.ndarray
    kind: np.ndarray
    seat: np.ndarray
    value: np.ndarray
    path: np.ndarray
    movers: np.ndarray
    length: np.ndarray


class Asked(NamedTuple):
    """New nodes whose positions are to be valued too: how many int64 (1,), the first that belongs to each leaf
    int64 (m + 1,), the positions, the node int32, the seat from whose side int64, and the value float32.
    """

    size: np.ndarray
    first: np.ndarray
    states: np.ndarray
    node: np.ndarray
    seat: np.ndarray
    value: np.ndarray


class Scratch(NamedTuple):
    """Room for a mask, the probabilities of outcomes, and returns."""

    mask: np.ndarray
    p: np.ndarray
    r: np.ndarray


def part(trees, slot, nodes):
    """Find a tree in the block of all trees; works in kernels and in Python."""
    low, high = slot * nodes, (slot + 1) * nodes
    size, nodes = trees.size[slot : slot + 1], trees.nodes[low:high]
    return Tree(size, nodes, trees.fresh, trees.amaf_visits, trees.amaf_total)


def tree_of(planted, k):
    """Find the tree of the k-th game."""
    return part(planted.trees, planted.slots[k], planted.nodes)


def result(s, terms, r):
    """Read seat 0's return, scaled to [-1, 1], from a game that has ended."""
    returns(s, r)
    return 2.0 * (np.float64(r[0]) - terms.low) / (terms.high - terms.low) - 1.0


def value_of(nodes, i):
    """Return what node i is worth to seat 0."""
    return np.float64(nodes[i].total) / max(np.int64(nodes[i].visits), 1)


def standing(nodes, i, seat):
    """Say what is proven of a node's worth to a seat: 1 won, -1 lost, 0 nothing."""
    return 0 if nodes[i].proven == 0 else 1 if nodes[i].proven == seat + 1 else -1


def strongest(nodes, node, seat, terms):
    """Pick the child of a decision of `seat` with the highest Q + c P sqrt(N) / (1 + n), the first of equals."""
    reach = terms.c * math.sqrt(np.float64(nodes[node].visits))
    unknown = terms.fpu
    if terms.relative:
        unknown += value_of(nodes, node) if seat == 0 else -value_of(nodes, node)
    best, most = 0, -np.inf
    i = np.int64(nodes[node].child)
    while i != 0:
        n = np.int64(nodes[i].visits)
        q = unknown
        if n > 0 or terms.valued:
            q = value_of(nodes, i) if seat == 0 else -value_of(nodes, i)
        bound = q + reach * np.float64(nodes[i].prior) / (1 + n)
        if standing(nodes, i, seat) < 0:
            bound -= OUT_OF_QUESTION
        if bound > most:
            best, most = i, bound
        i = np.int64(nodes[i].sibling)
    return best


def most_visits(nodes, node):
    """Count the visits of the most visited child of a node."""
    most = np.int64(0)
    i = np.int64(nodes[node].child)
    while i != 0:
        most = max(most, np.int64(nodes[i].visits))
        i = np.int64(nodes[i].sibling)
    return most


def halved(nodes, seat, halving, k):
    """Pick the child of the root of game k that sequential halving visits next.

    Among those with as many visits as its order wants, or, where none has, those that lack the fewest, it is the
    highest in Gumbel noise, log prior and value; when the order is at its end, the finalists take turns.
    """
    wanted = halving.order[k, min(np.int64(nodes[0].visits) - 1, halving.order.shape[1] - 1)]
    weight = (halving.c_visit + most_visits(nodes, np.int64(0))) * halving.c_scale
    best, least, fewest, most = 0, np.int64(2**62), np.int64(2**62), -np.inf
    i = np.int64(nodes[0].child)
    while i != 0:
        n = np.int64(nodes[i].visits)
        lacking = max(wanted - n, 0)
        if standing(nodes, i, seat) < 0:
            lacking += 2**40
        if lacking < least or (lacking == least and n <= fewest):
            score = halving.gumbels[k, nodes[i].action] + math.log(max(np.float64(nodes[i].prior), LEAST_PRIOR))
            if n > 0:
                score += weight * (1.0 + (value_of(nodes, i) if seat == 0 else -value_of(nodes, i))) / 2.0
            if lacking < least or n < fewest or score > most:
                best, least, fewest, most = i, lacking, n, score
        i = np.int64(nodes[i].sibling)
    return best


def room_for(tree, n):
    """Tell whether `n` more nodes fit."""
    return tree.size[0] + n <= tree.nodes.shape[0]


def appraise(tree, i, seat, asked, terms, r):
    """Value new node i, whose position lies in the next free place of `asked`: at once where the game has ended.

    Otherwise its value is asked for, from the side of the seat to move, or of `seat` where chance is next.
    """
    j = asked.size[0]
    s = asked.states[j]
    if s.to_move < CHANCE:
        tree.nodes[i].total = result(s, terms, r)
    else:
        asked.node[j], asked.seat[j] = i, s.to_move if s.to_move >= 0 else seat
        asked.size[0] = j + 1


def open_outcomes(tree, node, s, n, asked, terms, scratch):
    """Make all outcomes of a chance event children of its node; `scratch.p` holds the probabilities."""
    for o in range(n - 1, -1, -1):
        if scratch.p[o] > 0.0:
            i = add(tree, node, o)
            tree.nodes[i].prior = scratch.p[o]
            j = asked.size[0]
            asked.states[j] = s
            resolve(asked.states[j], o)
            appraise(tree, i, np.int64(0), asked, terms, scratch.r)


def open_moves(tree, node, s, asked, terms, scratch):
    """Make all legal actions children of a decision, where there is room; return whether there was."""
    mask = scratch.mask
    if not room_for(tree, legal(s, mask)):
        return False
    for a in range(mask.shape[0] - 1, -1, -1):
        if mask[a]:
            i = add(tree, node, a)
            if terms.valued:
                j = asked.size[0]
                asked.states[j] = s
                step(asked.states[j], a)
                appraise(tree, i, np.int64(s.to_move), asked, terms, scratch.r)
    return True


def draw(tree, node, s, rng, asked, terms, scratch):
    """Draw an outcome and return the node below; 0 when the tree is full."""
    n = chance(s, scratch.p)
    if terms.averaged and tree.nodes[node].child == 0:
        if not room_for(tree, n):
            return 0
        open_outcomes(tree, node, s, n, asked, terms, scratch)
    o = pick(scratch.p, n, rng)
    below = np.int64(child_of(tree, node, o))
    if below == 0:
        below = np.int64(add(tree, node, o))
    if below != 0:
        resolve(s, o)
    return below


def select(tree, s, rng, leaves, j, asked, terms, halving, k, scratch):
    """Walk from the root of game k, whose position is `s`, to leaf j; `s` becomes its position."""
    nodes, path, movers = tree.nodes, leaves.path[j], leaves.movers[j]
    node, length = np.int64(0), 0
    opened, going, known = False, True, False
    while going:
        path[length], movers[length] = node, s.to_move
        length += 1
        below = 0
        known = node != 0 and nodes[node].proven != 0
        within = length < path.shape[0] and not known
        if within and s.to_move >= 0 and nodes[node].child != 0:
            if node == 0 and halving.order.shape[1] > 0:
                below = halved(nodes, s.to_move, halving, k)
            else:
                below = strongest(nodes, node, s.to_move, terms)
            step(s, np.int64(nodes[below].action))
        elif within and s.to_move == CHANCE and not opened:
            # With averaged dice a walk values the outcomes of one event; the next event waits for another walk.
            opened = terms.averaged and nodes[node].child == 0
            below = draw(tree, node, s, rng, asked, terms, scratch)
        going = below != 0
        if going:
            node = below
    leaves.length[j] = length
    new = s.to_move >= 0 and nodes[node].child == 0
    settle(s, rng, scratch.p)
    leaves.seat[j] = s.to_move
    if known:
        leaves.kind[j], leaves.value[j] = ENDED, 1.0 if nodes[node].proven == 1 else -1.0
    elif s.to_move < CHANCE:
        leaves.kind[j], leaves.value[j] = ENDED, result(s, terms, scratch.r)
    elif new and open_moves(tree, node, s, asked, terms, scratch):
        leaves.kind[j] = OPENED
    else:
        leaves.kind[j] = CLOSED


def average(nodes, node):
    """Average the outcomes below a chance node by their probabilities."""
    total = weight = 0.0
    i = nodes[node].child
    while i != 0:
        total += np.float64(nodes[i].prior) * value_of(nodes, i)
        weight += np.float64(nodes[i].prior)
        i = nodes[i].sibling
    return total / weight


def give_priors(nodes, node, priors):
    """Share the weights (actions,) out among the children of a node, evenly where they have none."""
    n, total = 0, 0.0
    i = nodes[node].child
    while i != 0:
        total += np.float64(priors[nodes[i].action])
        n += 1
        i = nodes[i].sibling
    i = nodes[node].child
    while i != 0:
        nodes[i].prior = priors[nodes[i].action] / total if total > 0.0 else 1.0 / n
        i = nodes[i].sibling


def update(tree, leaves, j, asked, first, last, priors, terms):
    """Enter the values asked[first:last] and leaf j's value and priors (actions,); back the value up to the root.

    A chance node whose dice are averaged takes the average, and passes on how much that changes its total, so that a
    decision remains the mean of what its moves are worth, weighted by visits. What an end proves is also proven further
    up, as long as the winner moves there or the other seat has nothing else.
    """
    nodes, values, seats = tree.nodes, asked.value, asked.seat
    for k in range(first, last):
        nodes[asked.node[k]].total = values[k] if seats[k] == 0 else -values[k]
    path, movers, length = leaves.path[j], leaves.movers[j], leaves.length[j]
    if leaves.kind[j] == OPENED:
        give_priors(nodes, path[length - 1], priors)
    value = np.float64(leaves.value[j])
    if leaves.kind[j] != ENDED and leaves.seat[j] != 0:
        value = -value
    winner = np.int64(-1)
    if terms.proves and leaves.kind[j] == ENDED and abs(value) == 1.0:
        winner = np.int64(value < 0.0)
    for k in range(length - 1, -1, -1):
        i = path[k]
        n = np.int64(nodes[i].visits)
        if winner >= 0 and k < length - 1 and movers[k] != winner and not all_proven(tree, i, winner):
            winner = np.int64(-1)
        if winner >= 0:
            nodes[i].proven = winner + 1
        if nodes[i].proven != 0:
            nodes[i].total = n + 1 if nodes[i].proven == 1 else -n - 1
        elif terms.averaged and movers[k] == CHANCE and nodes[i].child != 0:
            before = np.float64(nodes[i].total) if n > 0 else 0.0
            nodes[i].total = average(nodes, i) * (n + 1)
            value = np.float64(nodes[i].total) - before
        elif n == 0:
            nodes[i].total = value
        else:
            nodes[i].total += value
        nodes[i].visits = n + 1


def plant_rows(trees, nodes, plots, which, targets, episodes, reuse, old, stack, cursor):
    """Make the positions `targets` (m,) roots of the games `which` (m,), in known trees or else in new ones.

    `old` (nodes,) int32, `stack` and `cursor` are scratch, as `keep` and `find_played` take it.
    """
    for k in range(which.shape[0]):
        i = which[k]
        tree, action, known = part(trees, plots.slots[i], nodes), plots.actions[i], np.int64(-1)
        if reuse and action >= 0 and plots.episodes[i] == episodes[k]:
            known = find_played(tree, plots.states[i : i + 1], action, targets[k : k + 1], stack, cursor)
        if known >= 0:
            keep(tree, known, part(trees, plots.free[0], nodes), old)
            plots.slots[i], plots.free[0] = plots.free[0], plots.slots[i]
            tree = part(trees, plots.slots[i], nodes)
        if known < 0 or tree.nodes[0].child == 0:
            tree.size[0] = 1
            put(tree, np.int64(0), np.int64(0))
        plots.states[i], plots.episodes[i], plots.actions[i] = targets[k], episodes[k], -1


def select_rows(planted, roots, streams, leaves, asked, terms, halving, scratch):
    """Walk once in each of the trees of the positions `roots`."""
    asked.size[0] = 0
    m = planted.slots.shape[0]
    for k in range(m):
        asked.first[k] = asked.size[0]
        leaves.states[k] = roots[k]
        select(tree_of(planted, k), leaves.states[k], streams[k], leaves, k, asked, terms, halving, k, scratch)
    asked.first[m] = asked.size[0]


def update_rows(planted, leaves, asked, priors, terms):
    """Enter what was judged, including `priors` (m, actions), in each of the trees."""
    for k in range(planted.slots.shape[0]):
        update(tree_of(planted, k), leaves, k, asked, asked.first[k], asked.first[k + 1], priors[k], terms)


@stub
def judge(s, seat, rng, terms, scratch, e, scale):
    """Value a position, which may change, for `seat`, in [-1, 1]; `e` and `scale` are what an evaluation needs."""
    raise NotImplementedError


def evaluated(s, e, seat, scale):
    """Value a position for `seat` by the game's evaluation, squashed to [-1, 1]; `e` is room for its notes."""
    survey(s, e)
    return math.tanh(evaluate(s, e, seat) / scale)


def judge_by_evaluation(s, seat, rng, terms, scratch, e, scale):
    """Value a position by the game's evaluation."""
    return evaluated(s, e, seat, scale)


def judge_by_playout(s, seat, rng, terms, scratch, e, scale):
    """Value a position by one random game from there."""
    settle(s, rng, scratch.p)
    playout(s, rng, scratch.mask, scratch.p)
    value = result(s, terms, scratch.r)
    return value if seat == 0 else -value


def judge_rows(states, seats, notes, scale, values):
    """Value positions (m,) by the game's evaluation, each from its seat's side."""
    for k in range(states.shape[0]):
        values[k] = evaluated(states[k], notes[0], seats[k], scale)


def grow(planted, roots, streams, leaves, asked, terms, halving, scratch, sims, priors, notes, scale):
    """Run `sims` simulations in each tree with the same `priors` (actions,) everywhere, valuing leaves by `judge`;
    there is room for one leaf; `notes` (1,) and `scale` are what its evaluation needs.
    """
    s = leaves.states[0]
    for k in range(planted.slots.shape[0]):
        tree, rng = tree_of(planted, k), streams[k]
        for _ in range(sims):
            asked.size[0] = 0
            leaves.states[0] = roots[k]
            select(tree, s, rng, leaves, 0, asked, terms, halving, k, scratch)
            if leaves.kind[0] != ENDED:
                leaves.value[0] = judge(s, leaves.seat[0], rng, terms, scratch, notes[0], scale)
            for j in range(asked.size[0]):
                asked.value[j] = judge(asked.states[j], asked.seat[j], rng, terms, scratch, notes[0], scale)
            update(tree, leaves, 0, asked, 0, asked.size[0], priors, terms)


def stir_rows(planted, noise, share):
    """Mix a share (m,) of noise (m, actions) into the priors of the moves at each root."""
    for k in range(planted.slots.shape[0]):
        nodes = tree_of(planted, k).nodes
        i = nodes[0].child
        while i != 0:
            nodes[i].prior = (1.0 - share[k]) * nodes[i].prior + share[k] * noise[k, nodes[i].action]
            i = nodes[i].sibling


def cut_rows(planted, cut):
    """Remove from each root the moves that `cut` (m, actions) names, where it has others."""
    for k in range(planted.slots.shape[0]):
        nodes, left = tree_of(planted, k).nodes, False
        i = nodes[0].child
        while i != 0:
            left |= not cut[k, nodes[i].action]
            i = nodes[i].sibling
        before, i = np.int64(-1), np.int64(nodes[0].child)
        while left and i != 0:
            after = np.int64(nodes[i].sibling)
            if not cut[k, nodes[i].action]:
                before = i
            elif before < 0:
                nodes[0].child = after
            else:
                nodes[before].sibling = after
            i = after


def value_rows(planted, seats, values):
    """Write what each root is worth (m,) to its seat."""
    for k in range(planted.slots.shape[0]):
        value = value_of(tree_of(planted, k).nodes, np.int64(0))
        values[k] = value if seats[k] == 0 else -value


def gather_rows(planted, seats, visits, worth, priors, eligible):
    """Write the priors (m, actions) of the moves at each root, which of them are `eligible` (m, actions), and the
    visits of the eligible ones and their worth to the seat to move.

    Eligible are the moves that are proven to win; where there are none, those that are not proven to lose; else all.
    """
    for k in range(planted.slots.shape[0]):
        nodes, sign, best = tree_of(planted, k).nodes, 1.0 if seats[k] == 0 else -1.0, -1
        i = nodes[0].child
        while i != 0:
            best = max(best, standing(nodes, i, seats[k]))
            i = nodes[i].sibling
        i = nodes[0].child
        while i != 0:
            a = nodes[i].action
            priors[k, a] = nodes[i].prior
            if standing(nodes, i, seats[k]) == best:
                eligible[k, a], visits[k, a] = True, nodes[i].visits
                if nodes[i].visits > 0:
                    worth[k, a] = sign * value_of(nodes, i)
            i = nodes[i].sibling
