"""The kernels of `knowledge.Examiner`: what guided searches learn about their roots, and about positions often met.

The priors are shared out anew among the moves that matter.
"""

import numpy as np

from ...envs.engine.protocol import PROVEN, examine, relevant
from .knowledge_kernels import EXAMINED, look, narrow
from .puct_kernels import tree_of
from .tree import all_proven


def look_rows(roots, knowledge, wins, lost, kept):
    """Write what is seen of the positions `roots` (m,), as `knowledge.Sight` has it; `kept` starts out full."""
    for k in range(roots.shape[0]):
        knowledge.at[EXAMINED] += 1
        examine(roots[k], knowledge.notes[0])
        n = np.int64(relevant(roots[k], knowledge.notes[0], knowledge.moves, knowledge.ranks))
        lost[k] = n == 0
        if n == PROVEN:
            wins[k] = knowledge.moves[0]
        elif n > 0:
            kept[k] = False
            for i in range(n):
                kept[k, knowledge.moves[i]] = True


def learn_rows(planted, roots, leaves, often, knowledge):
    """Examine the positions on the way to each leaf, except its root, that have now been met `often` (m,) times."""
    for k in range(planted.slots.shape[0]):
        tree, path, first = tree_of(planted, k), leaves.path[k], planted.slots[k] * planted.nodes
        for length in range(2, leaves.length[k] + 1):
            node = np.int64(path[length - 1])
            if tree.nodes[node].visits == often[k] and tree.nodes[node].child != 0 and tree.nodes[node].proven == 0:
                n = look(tree, roots[k : k + 1], path, length, knowledge, first)
                mover = np.int64(knowledge.replay[0].to_move)
                winner = 1 - mover if n == 0 else narrow(tree, node, n, mover, knowledge)
                if winner >= 0:
                    prove_path(tree, path, leaves.movers[k], length, winner)
                    break
                share_out(tree.nodes, node)


def prove_path(tree, path, movers, length, winner):
    """Mark the end of a path as won for a seat, and as far towards the root as that follows."""
    for k in range(length - 1, -1, -1):
        i = path[k]
        if k < length - 1 and movers[k] != winner and not all_proven(tree, i, winner):
            break
        n = np.int64(tree.nodes[i].visits)
        tree.nodes[i].proven, tree.nodes[i].total = winner + 1, n if winner == 0 else -n


def share_out(nodes, node):
    """Make the priors of the children of a node sum to 1 again."""
    total = 0.0
    i = np.int64(nodes[node].child)
    while i != 0:
        total += np.float64(nodes[i].prior)
        i = np.int64(nodes[i].sibling)
    i = np.int64(nodes[node].child)
    while i != 0 and total > 0.0:
        nodes[i].prior = nodes[i].prior / total
        i = np.int64(nodes[i].sibling)
