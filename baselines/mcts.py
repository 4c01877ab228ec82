"""`mcts`: Monte Carlo tree search with UCT (Kocsis and Szepesvari 2006) and random playouts, all in kernels.

The tree is a preallocated struct of arrays; node 0 is the root, children hang on a linked list, so memory is one entry
a node however wide the game. Every node keeps the sum of returns, scaled to [0, 1], of the seat that moved into it, which
serves any number of seats. Chance nodes sample their outcomes; in hidden games every simulation starts from a world
redealt for the seat that decides, and only what is legal in that world is considered (Cowling, Powley and Whitehouse 2012).
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from ..envs.batch import View
from ..envs.bind import bind
from ..envs.kernels import pick, settle
from ..envs.protocol import CHANCE, chance, key, legal, playout, redeal, resolve, returns, step
from ..envs.rng import choose
from ..envs.spec import Game, Param
from .agent import Agent

DEPTH = 512  # longest path of a simulation inside the tree
LOOKAHEAD = 16  # most actions and chance events between two decisions that the search for a kept subtree follows
TIMED_NODES = 1_000_000  # size of the tree when the search is limited by time


class Tree(NamedTuple):
    """Arrays of one entry a node: visits int32, total float32, first child and next sibling int32 (0: none), the
    action or outcome that leads to the node int16, and how many actions are still untried int16 (-1: not counted).
    """

    size: np.ndarray  # (1,) int64, nodes in use
    visits: np.ndarray
    total: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    action: np.ndarray
    untried: np.ndarray

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def make_tree(nodes: int) -> Tree:
    """Allocate a tree for so many nodes."""
    return Tree(
        np.zeros(1, np.int64),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.float32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int16),
        np.zeros(nodes, np.int16),
    )


def put(tree, i, a):
    """Write node i as new, reached by action or outcome `a`."""
    tree.visits[i] = 0
    tree.total[i] = 0.0
    tree.child[i] = tree.sibling[i] = 0
    tree.action[i] = a
    tree.untried[i] = -1


def add(tree, parent, a):
    """Add a child, or return 0 when the tree is full."""
    i = tree.size[0]
    if i == tree.visits.shape[0]:
        return 0
    tree.size[0] = i + 1
    put(tree, i, a)
    tree.sibling[i] = tree.child[parent]
    tree.child[parent] = i
    return i


def child_of(tree, node, a):
    """Find the child reached by `a`; 0 when there is none."""
    i = tree.child[node]
    while i != 0 and tree.action[i] != a:
        i = tree.sibling[i]
    return i


def best_child(tree, node, c, mask, hidden):
    """Pick the child with the highest upper confidence bound, in hidden games among those legal in this world; 0: none."""
    n = tree.visits[node]
    if hidden:
        n = 0
        i = tree.child[node]
        while i != 0:
            n += mask[tree.action[i]] * tree.visits[i]
            i = tree.sibling[i]
    logarithm = np.float32(c * c * math.log(n + 1.0))
    best, most = 0, np.float32(-1.0)
    i = tree.child[node]
    while i != 0:
        if not hidden or mask[tree.action[i]]:
            inverse = np.float32(1.0) / np.float32(tree.visits[i])
            bound = tree.total[i] * inverse + np.float32(math.sqrt(logarithm * inverse))
            if bound > most:
                best, most = i, bound
        i = tree.sibling[i]
    return best


def drop_tried(tree, node, mask):
    """Clear the actions that have a child from a mask; return how many were set."""
    tried = 0
    i = tree.child[node]
    while i != 0:
        tried += mask[tree.action[i]]
        mask[tree.action[i]] = 0
        i = tree.sibling[i]
    return tried


def descend(tree, s, node, c, hidden, rng, mask):
    """Choose the next node below a decision: an untried action at random, else the best child; (0, False) when full."""
    if not hidden and tree.untried[node] == 0:
        return best_child(tree, node, c, mask, False), False
    n = legal(s, mask)
    untried = n - drop_tried(tree, node, mask)
    if untried > 0:
        new = add(tree, node, choose(mask, rng))
        if new != 0:
            tree.untried[node] = untried - 1
            return new, True
    elif not hidden:
        tree.untried[node] = 0
    legal(s, mask)
    return best_child(tree, node, c, mask, hidden), False


def simulate(tree, s, c, hidden, rng, mask, p, path, movers):
    """Walk from the root to a new node or the end; return the length of the path. Chance is sampled on the way."""
    node, length = 0, 1
    path[0] = 0
    new = False
    while s.to_move >= CHANCE and not new and length < path.shape[0]:
        mover = s.to_move
        if mover == CHANCE:
            o = pick(p, chance(s, p), rng)
            below = child_of(tree, node, o)
            if below == 0:
                below = add(tree, node, o)
            if below == 0:
                return length
            resolve(s, o)
        else:
            below, new = descend(tree, s, node, c, hidden, rng, mask)
            if below == 0:
                return length
            step(s, tree.action[below])
        movers[length], path[length] = mover, below
        node = below
        length += 1
    return length


def search(tree, root, scratch, sims, seat, hidden, c, low, high, rng, mask, p, path, movers, r):
    """Run `sims` simulations from ``root[0]`` for `seat`; ``scratch[0]`` is the record they play on."""
    s = scratch[0]
    scale = 1.0 / (high - low)
    for _ in range(sims):
        scratch[0] = root[0]
        if hidden:
            redeal(s, seat, rng)
        length = simulate(tree, s, c, hidden, rng, mask, p, path, movers)
        settle(s, rng, p)
        playout(s, rng, mask, p)
        returns(s, r)
        tree.visits[0] += 1
        for k in range(1, length):
            tree.visits[path[k]] += 1
            if movers[k] >= 0:
                tree.total[path[k]] += np.float32((r[movers[k]] - low) * scale)


def locate(tree, start, stack, cursor, target):
    """Find below node `start`, whose record is ``stack[0]``, the node of the position ``target[0]``; -1: not there.

    A depth-first walk over the nodes that exist, to the target's ply; `cursor` (len(stack),) holds what comes next.
    """
    goal, wanted = target[0], key(target[0])
    if stack[0].ply == goal.ply and stack[0].to_move == goal.to_move and key(stack[0]) == wanted:
        return start
    level = 0
    cursor[0] = tree.child[start]
    while level >= 0:
        node = cursor[level]
        if node == 0:
            level -= 1
            continue
        cursor[level] = tree.sibling[node]
        stack[level + 1] = stack[level]
        s = stack[level + 1]
        if s.to_move == CHANCE:
            resolve(s, tree.action[node])
        else:
            step(s, tree.action[node])
        if s.ply == goal.ply and s.to_move == goal.to_move and key(s) == wanted:
            return node
        if s.to_move >= CHANCE and s.ply <= goal.ply and level + 2 < stack.shape[0]:
            level += 1
            cursor[level] = tree.child[node]
    return -1


def keep(tree, node, other, old):
    """Copy the subtree of `node` into the tree `other`, as its root; `old` (nodes,) int32 is scratch."""
    put(other, 0, 0)
    other.visits[0], other.untried[0] = tree.visits[node], tree.untried[node]
    other.size[0] = 1
    old[0] = node
    new = 0
    while new < other.size[0]:
        i = tree.child[old[new]]
        last = 0
        while i != 0:
            j = other.size[0]
            other.size[0] = j + 1
            old[j] = i
            put(other, j, tree.action[i])
            other.visits[j], other.total[j], other.untried[j] = tree.visits[i], tree.total[i], tree.untried[i]
            if last == 0:
                other.child[new] = j
            else:
                other.sibling[last] = j
            last = j
            i = tree.sibling[i]
        new += 1


class Memory:
    """The trees of one game in progress: the one in use and the one that the kept part is copied to."""

    def __init__(self, game: Game, nodes: int) -> None:
        self.tree, self.spare = make_tree(nodes), make_tree(nodes)
        self.old = np.zeros(nodes, np.int32)
        self.root = np.zeros(1, game.dtype)
        self.action = -1
        self.episode = -1

    @property
    def nbytes(self) -> int:
        return self.tree.nbytes + self.spare.nbytes + self.old.nbytes


class MCTS(Agent):
    """Tree search with random playouts; deterministic for a seed when counted in simulations."""

    name = "mcts"
    params = {
        "sims": Param(1000, "simulations per decision", low=1, high=10**9),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(0.3, "weight of exploration, for returns scaled to [0, 1]", low=0.0, high=100.0),
        "nodes": Param(0, "size of the tree; 0: enough for the simulations", low=0, high=2**31 - 1),
        "reuse": Param(True, "keep the part of the tree that was played, where nothing is hidden"),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.sims, self.seconds, self.c = self.values["sims"], self.values["seconds"], self.values["c"]
        self.nodes = self.values["nodes"] or (TIMED_NODES if self.seconds else 4 * self.sims + 1000)
        self.memories: dict[int, Memory] = {}
        self.game: Game | None = None

    def act(self, view: View) -> np.ndarray:
        return np.array([int(self.visits(view, k).argmax()) for k in range(view.row.size)], np.int64)

    def visits(self, view: View, k: int = 0) -> np.ndarray:
        """Search game k of a view; return how often each action (actions,) was visited, ties broken by value."""
        game = view.game
        if game != self.game:
            self.game, self.memories = game, {}
        memory = self.memories.setdefault(int(view.row[k]), Memory(game, self.nodes))
        self._plant(memory, view, k)
        self._grow(memory, view, k)
        counts = np.zeros(game.actions)
        tree = memory.tree
        i = tree.child[0]
        while i:
            counts[tree.action[i]] = tree.visits[i] + tree.total[i] / (tree.visits[i] + 1.0) / 2
            i = tree.sibling[i]
        memory.action = int(counts.argmax())
        return counts

    def _plant(self, memory: Memory, view: View, k: int) -> None:
        """Make the position the root: the part of the old tree that leads on from it, or a new tree."""
        game, target = view.game, view.states[k : k + 1]
        node = -1
        if self.values["reuse"] and memory.episode == view.episode[k] and not game.spec.hidden:
            node = self._find(memory, game, target)
        if node >= 0:
            bind(keep, game)(memory.tree, node, memory.spare, memory.old)
            memory.tree, memory.spare = memory.spare, memory.tree
        else:
            memory.tree.size[0] = 1
            for array in memory.tree[1:]:
                array[0] = 0
            memory.tree.untried[0] = -1
        memory.root[:] = target
        memory.episode = int(view.episode[k])

    def _find(self, memory: Memory, game: Game, target: np.ndarray) -> int:
        start = bind(child_of, game)(memory.tree, 0, memory.action)
        if not start:
            return -1
        stack = np.repeat(memory.root, LOOKAHEAD)
        bind(_play, game)(stack, memory.action)
        cursor = np.zeros(LOOKAHEAD, np.int64)
        return int(bind(locate, game)(memory.tree, start, stack, cursor, target))

    def _grow(self, memory: Memory, view: View, k: int) -> None:
        game, run = view.game, bind(search, view.game)
        scratch = (np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes)))
        path, movers = np.zeros(DEPTH, np.int64), np.zeros(DEPTH, np.int64)
        r = np.zeros(game.seats, np.float32)

        def simulations(count: int) -> None:
            run(
                memory.tree, memory.root, memory.root.copy(), count, view.seat[k], game.spec.hidden,
                self.c, game.low, game.high, view.rng[k], *scratch, path, movers, r,
            )  # fmt: skip

        if not self.seconds:
            simulations(self.sims)
            return
        started, done, chunk = time.perf_counter(), 0, 16
        while (spent := time.perf_counter() - started) < self.seconds:
            simulations(chunk)
            done += chunk
            # Aim at a look on the clock every hundredth of the time that is left.
            rate = done / max(time.perf_counter() - started, 1e-6)
            chunk = max(1, int(rate * (self.seconds - spent) / 100))


def _play(states, a):
    """Play an action in ``states[0]``."""
    step(states[0], a)
