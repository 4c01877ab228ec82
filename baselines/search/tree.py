"""The tree of Monte Carlo search: how its nodes are kept, found again and carried over to another tree.

The tree is a preallocated array of records; node 0 is the root, and children form a linked list, so memory is one entry
per node however wide the game. Every node keeps the sum of returns, scaled to [0, 1], of the seat that moved into it,
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
TRUSTED = 10  # fewest visits for an action to count as expected


SHARED = [
    ("visits", np.int32),
    ("total", np.float32),
    ("child", np.int32),
    ("sibling", np.int32),
    ("action", np.int16),
]
NODE = np.dtype([*SHARED, ("untried", np.int16), ("proven", np.int8)])
GUIDED_NODE = np.dtype([*SHARED, ("proven", np.int8), ("prior", np.float32)], align=True)
"""What is known of a node, side by side, so that a walk waits for memory once per node: visits and sum of returns;
first child and next sibling (0: none); the action or outcome that leads here; the seat that surely wins from here, plus
one (0: unknown). Searches that try actions one by one keep how many are still untried (-1: not counted), guided ones
the prior.
"""


class Tree(NamedTuple):
    """Nodes (n,), and how many of them are in use; a node (1,) as it is when new; for searches that want them, visits
    and total of a node's action wherever it was played later, both float32, else empty. In Python the fields of nodes
    can also be read by name.
    """

    size: np.ndarray  # (1,) int64
    nodes: np.ndarray
    fresh: np.ndarray
    amaf_visits: np.ndarray
    amaf_total: np.ndarray

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in (*NODE.names, "prior"):  # type: ignore[misc]
            raise AttributeError(name)
        field: np.ndarray = self.nodes[name]
        return field

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def make_tree(nodes: int, *, guided: bool = False, amaf: bool = False) -> Tree:
    """Allocate a tree of `nodes` nodes, with what guided searches and all-moves-as-first keep where that is wanted."""
    kind = GUIDED_NODE if guided else NODE
    fresh = np.zeros(1, kind)
    if not guided:
        fresh["untried"] = -1
    amaf_nodes = nodes * amaf
    return Tree(
        np.zeros(1, np.int64),
        np.zeros(nodes, kind),
        fresh,
        np.zeros(amaf_nodes, np.float32),
        np.zeros(amaf_nodes, np.float32),
    )


def put(tree, i, a):
    """Write node i as new, reached by action or outcome `a`."""
    tree.nodes[i] = tree.fresh[0]
    tree.nodes[i].action = a
    if tree.amaf_visits.size > 0:
        tree.amaf_visits[i] = tree.amaf_total[i] = 0.0


def copy(tree, i, other, j):
    """Copy what is known of node i to node j of another tree, except its place in the tree."""
    other.nodes[j] = tree.nodes[i]
    other.nodes[j].child = other.nodes[j].sibling = 0
    if tree.amaf_visits.size > 0:
        other.amaf_visits[j], other.amaf_total[j] = tree.amaf_visits[i], tree.amaf_total[i]


def add(tree, parent, a):
    """Add a child, or return 0 when the tree is full."""
    i, nodes = tree.size[0], tree.nodes
    if i == nodes.shape[0]:
        return 0
    tree.size[0] = i + 1
    put(tree, i, a)
    nodes[i].sibling = nodes[parent].child
    nodes[parent].child = i
    return i


def child_of(tree, node, a):
    """Find the child reached by `a`; 0 when there is none."""
    nodes = tree.nodes
    i = nodes[node].child
    while i != 0 and nodes[i].action != a:
        i = nodes[i].sibling
    return i


def all_proven(tree, node, winner):
    """Tell whether all children of a node are proven to be won by a seat."""
    i = tree.nodes[node].child
    while i != 0 and tree.nodes[i].proven == winner + 1:
        i = tree.nodes[i].sibling
    return i == 0


def children(tree: Tree, node: int) -> list[int]:
    """List the children of a node."""
    found, i = list[int](), int(tree.child[node])
    while i:
        found.append(i)
        i = int(tree.sibling[i])
    return found


def expected_line(game: Game, tree: Tree, states: np.ndarray, action: int) -> list[int]:
    """Follow the most visited actions after one at the root, whose record is ``states[0]``, up to where dice fall."""
    state, node, line = states.copy(), int(bind(child_of, game)(tree, 0, action)), list[int]()
    while node:
        bind(step_one, game)(state, action)
        node = max(children(tree, node), key=lambda child: int(tree.visits[child]), default=0)
        if not node or state["to_move"][0] < 0 or tree.visits[node] < TRUSTED:
            break
        action = int(tree.action[node])
        line.append(action)
    return line


def locate(tree, start, stack, cursor, target):
    """Find below node `start`, whose record is ``stack[0]``, the node of the position ``target[0]``; -1: not there.

    A depth-first walk over the nodes that exist, to the target's ply; `cursor` (len(stack),) holds what comes next.
    """
    goal, wanted = target[0], key(target[0])
    if stack[0].ply == goal.ply and stack[0].to_move == goal.to_move and key(stack[0]) == wanted:
        return start
    level = 0
    cursor[0] = tree.nodes[start].child
    while level >= 0:
        node = cursor[level]
        if node == 0:
            level -= 1
            continue
        cursor[level] = tree.nodes[node].sibling
        stack[level + 1] = stack[level]
        s = stack[level + 1]
        if s.to_move == CHANCE:
            resolve(s, np.int64(tree.nodes[node].action))
        else:
            step(s, np.int64(tree.nodes[node].action))
        if s.ply == goal.ply and s.to_move == goal.to_move and key(s) == wanted:
            return node
        if s.to_move >= CHANCE and s.ply <= goal.ply and level + 2 < stack.shape[0]:
            level += 1
            cursor[level] = tree.nodes[node].child
    return -1


def find_played(tree, root, action, target, stack, cursor):
    """Find the node of the position ``target[0]``, to which `action` has led from ``root[0]``; -1: not there.

    `stack` and `cursor` (`LOOKAHEAD`,) are room for records and int64.
    """
    start = np.int64(child_of(tree, np.int64(0), action))
    if start == 0:
        return np.int64(-1)
    stack[0] = root[0]
    step(stack[0], action)
    return np.int64(locate(tree, start, stack, cursor, target))


def keep(tree, node, other, old):
    """Copy the subtree of `node` into the tree `other`, as its root; `old` (nodes,) int32 is scratch."""
    new = np.int64(0)
    copy(tree, node, other, new)
    other.size[0] = 1
    old[0] = node
    while new < other.size[0]:
        i = tree.nodes[old[new]].child
        last = 0
        while i != 0:
            j = other.size[0]
            other.size[0] = j + 1
            old[j] = i
            copy(tree, i, other, j)
            if last == 0:
                other.nodes[new].child = j
            else:
                other.nodes[last].sibling = j
            last = j
            i = tree.nodes[i].sibling
        new += 1
