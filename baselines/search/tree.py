"""The tree of Monte Carlo search: how its nodes are kept, found again and carried over to another tree.

The tree is a preallocated struct of arrays; node 0 is the root, children hang on a linked list, so memory is one entry
a node however wide the game. Every node keeps the sum of returns, scaled to [0, 1], of the seat that moved into it,
which serves any number of seats.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.kernels import step_one
from ...envs.engine.protocol import CHANCE, key, resolve, step
from ...envs.engine.spec import Game

DEPTH = 512  # longest path of a simulation inside the tree
LOOKAHEAD = 16  # most actions and chance events between two decisions that the search for a kept subtree follows
TIMED_NODES = 1_000_000  # size of the tree when the search is limited by time


class Tree(NamedTuple):
    """Arrays of one entry a node: visits int32, total float32, first child and next sibling int32 (0: none), the
    action or outcome that leads to the node int16, how many actions or outcomes are still untried int16 (-1: not
    counted), and the seat that surely wins from here int8, plus one (0: unknown). Searches that need them have the
    prior float32, and visits and total of the action wherever it was played later (float32 both); else they are empty.
    """

    size: np.ndarray  # (1,) int64, nodes in use
    visits: np.ndarray
    total: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    action: np.ndarray
    untried: np.ndarray
    proven: np.ndarray
    prior: np.ndarray
    amaf_visits: np.ndarray
    amaf_total: np.ndarray

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def make_tree(nodes: int, *, prior: bool = False, amaf: bool = False) -> Tree:
    """Allocate a tree for so many nodes, with priors or with what all-moves-as-first keeps where that is wanted."""
    return Tree(
        np.zeros(1, np.int64),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.float32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int16),
        np.zeros(nodes, np.int16),
        np.zeros(nodes, np.int8),
        np.zeros(nodes * prior, np.float32),
        np.zeros(nodes * amaf, np.float32),
        np.zeros(nodes * amaf, np.float32),
    )


def put(tree, i, a):
    """Write node i as new, reached by action or outcome `a`."""
    tree.visits[i] = 0
    tree.total[i] = 0.0
    tree.child[i] = tree.sibling[i] = 0
    tree.action[i] = a
    tree.untried[i] = -1
    tree.proven[i] = 0
    if tree.prior.size > 0:
        tree.prior[i] = 0.0
    if tree.amaf_visits.size > 0:
        tree.amaf_visits[i] = tree.amaf_total[i] = 0.0


def copy(tree, i, other, j):
    """Copy what is known of node i to node j of another tree, but for its place in the tree."""
    put(other, j, np.int64(tree.action[i]))
    other.visits[j], other.total[j], other.untried[j] = tree.visits[i], tree.total[i], tree.untried[i]
    other.proven[j] = tree.proven[i]
    if tree.prior.size > 0:
        other.prior[j] = tree.prior[i]
    if tree.amaf_visits.size > 0:
        other.amaf_visits[j], other.amaf_total[j] = tree.amaf_visits[i], tree.amaf_total[i]


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
            resolve(s, np.int64(tree.action[node]))
        else:
            step(s, np.int64(tree.action[node]))
        if s.ply == goal.ply and s.to_move == goal.to_move and key(s) == wanted:
            return node
        if s.to_move >= CHANCE and s.ply <= goal.ply and level + 2 < stack.shape[0]:
            level += 1
            cursor[level] = tree.child[node]
    return -1


def find_played(game: Game, tree: Tree, root: np.ndarray, action: int, target: np.ndarray) -> int:
    """Find the node of the position ``target[0]``, to which `action` has led on from ``root[0]``; -1: not there."""
    start = bind(child_of, game)(tree, 0, action)
    if not start:
        return -1
    stack = np.repeat(root, LOOKAHEAD)
    bind(step_one, game)(stack, action)
    return int(bind(locate, game)(tree, start, stack, np.zeros(LOOKAHEAD, np.int64), target))


def keep(tree, node, other, old):
    """Copy the subtree of `node` into the tree `other`, as its root; `old` (nodes,) int32 is scratch."""
    new = np.int64(0)
    copy(tree, node, other, new)
    other.size[0] = 1
    old[0] = node
    while new < other.size[0]:
        i = tree.child[old[new]]
        last = 0
        while i != 0:
            j = other.size[0]
            other.size[0] = j + 1
            old[j] = i
            copy(tree, i, other, j)
            if last == 0:
                other.child[new] = j
            else:
                other.sibling[last] = j
            last = j
            i = tree.sibling[i]
        new += 1
