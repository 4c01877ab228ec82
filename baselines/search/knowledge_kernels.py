"""What tree search learns about positions often met, where a game says which moves matter (its ``proof.py``).

Such a position is examined once: either it is found won or lost and counts as proven, or the moves that do not matter
leave the tree. If any move wins, one of those that stay does, so if all of these lose, the position is still lost.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.protocol import PROVEN, examine, reexamine, relevant, step
from .mcts_rave import add_all
from .tree import add, child_of


class Knowledge(NamedTuple):
    """Notes (records,) on the positions examined last, `owners` (records,) the names of their nodes, plus one, and
    `used` (records,) when each was needed last, both int64; a record (1,) to replay moves on; `moves` and `ranks`
    (actions,) int32, and `mask` (actions,) int8 are scratch; `at` (2,) counts the looks at records and the positions
    examined.
    """

    notes: np.ndarray
    owners: np.ndarray
    used: np.ndarray
    replay: np.ndarray
    moves: np.ndarray
    ranks: np.ndarray
    mask: np.ndarray
    at: np.ndarray


LOOKS, EXAMINED = 0, 1


def learn(tree, root, path, length, knowledge):
    """Examine the position at the end of a path from ``root[0]``; return who wins it, as far as that is seen, or -1.

    A lost position keeps its moves. So does any position for which the tree has no room.
    """
    node, s = path[length - 1], knowledge.replay[0]
    n = look(tree, root, path, length, knowledge, np.int64(0))
    if n == 0:
        return np.int64(1 - s.to_move)
    if tree.nodes[node].child == 0:
        add_all(tree, s, node, knowledge.mask)
    return narrow(tree, node, n, np.int64(s.to_move), knowledge)


def look(tree, root, path, length, knowledge, first):
    """Examine the position at the end of a path, left in ``replay[0]``; count what matters as `relevant` does."""
    record = examine_path(tree, root, path, length, knowledge, first)
    return np.int64(relevant(knowledge.replay[0], knowledge.notes[record], knowledge.moves, knowledge.ranks))


def narrow(tree, node, n, mover, knowledge):
    """Keep only the first n of `moves` below a node, or prove the one that wins; return who then wins, else -1."""
    if n == PROVEN:
        return prove_move(tree, node, np.int64(knowledge.moves[0]), mover)
    knowledge.mask[:] = 0
    for i in range(n):
        knowledge.mask[knowledge.moves[i]] = 1
    leave_out(tree, node, knowledge.mask)
    return np.int64(-1)


def prove_move(tree, node, a, mover):
    """Mark the move that wins, which may have been left out before; return who wins, -1 where there is no room."""
    i = np.int64(child_of(tree, node, a))
    if i == 0:
        i = np.int64(add(tree, node, a))
    if i == 0:
        return np.int64(-1)
    tree.nodes[i].proven = mover + 1
    return mover


def leave_out(tree, node, mask):
    """Remove from the tree the children whose actions are not in a mask."""
    last = np.int64(0)
    i = np.int64(tree.nodes[node].child)
    while i != 0:
        following = np.int64(tree.nodes[i].sibling)
        if not mask[tree.nodes[i].action]:
            if last == 0:
                tree.nodes[node].child = following
            else:
                tree.nodes[last].sibling = following
        else:
            last = i
        i = following


def examine_path(tree, root, path, length, knowledge, first):
    """Find the notes on the end of a path, made from those on the nearest position above it that has any.

    They are the same whichever that is. ``replay[0]`` is left as the position at the end; node i is named `first` + i.
    """
    s = knowledge.replay[0]
    knowledge.replay[0] = root[0]
    known, record = np.int64(length), np.int64(-1)
    while record < 0 and known > 0:
        known -= 1
        record = find_record(knowledge, first + path[known])
    if record < 0:
        record = claim(knowledge, first + path[0])
        examine(s, knowledge.notes[record])
        knowledge.at[EXAMINED] += 1
    for k in range(1, length):
        a = np.int64(tree.nodes[path[k]].action)
        step(s, a)
        if k > known:
            before, record = record, claim(knowledge, first + path[k])
            reexamine(knowledge.notes[before], s, knowledge.notes[record], a)
            knowledge.at[EXAMINED] += 1
    return record


def find_record(knowledge, name):
    """Find the record of a position and note that it is needed now; -1 where there is none."""
    for i in range(knowledge.owners.size):
        if knowledge.owners[i] == name + 1:
            return need(knowledge, np.int64(i))
    return np.int64(-1)


def claim(knowledge, name):
    """Give a position the record that was needed least recently."""
    i = np.int64(knowledge.used.argmin())
    knowledge.owners[i] = name + 1
    return need(knowledge, i)


def need(knowledge, i):
    """Note that a record is needed now; return it."""
    knowledge.at[LOOKS] += 1
    knowledge.used[i] = knowledge.at[LOOKS]
    return i
