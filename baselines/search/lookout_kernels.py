"""The kernels of `lookout`, bound to a game with its evaluation: small alpha-beta searches for what is decided."""

import numpy as np

from .alphabeta_kernels import begin, iterate, start_iteration
from .puct_kernels import ENDED, OPENED, tree_of


def asked(levels, states, notes, rest, turns, budget, alpha):
    """Ask whether the position ``states[0]`` is worth more than `alpha` to its mover, by a search of so many turns.

    The answer is ``levels.best[0]``, above alpha or not. Return whether the `budget` of positions has sufficed. `rest`
    is a table, and what else `iterate` wants.
    """
    table, quiescence, low, high, r = rest
    begin(levels, states, notes)
    start_iteration(levels, turns, alpha, alpha + 1)
    return iterate(levels, states, notes, table, 1, quiescence, 0, low, high, r, budget)


def close_rows(planted, leaves, levels, states, notes, rest, turns, budget, sure):
    """Close the leaves that have just been opened and are decided, as if the game had ended there.

    Roots stay open. A leaf that was closed is opened, and looked at, each time that a simulation comes to it.
    """
    for k in range(planted.slots.shape[0]):
        length = leaves.length[k]
        if leaves.kind[k] == OPENED and length > 1:
            states[0] = leaves.states[k]
            value = 0.0
            if asked(levels, states, notes, rest, turns, budget, sure - 1) and levels.best[0] >= sure:
                value = 1.0
            elif asked(levels, states, notes, rest, turns, budget, -sure) and levels.best[0] <= -sure:
                value = -1.0
            if value != 0.0:
                tree, node = tree_of(planted, k), leaves.path[k, length - 1]
                # Its moves are the newest nodes of the tree.
                i = np.int64(tree.nodes[node].child)
                while i != 0:
                    tree.size[0] -= 1
                    i = np.int64(tree.nodes[i].sibling)
                tree.nodes[node].child = 0
                leaves.kind[k] = ENDED
                leaves.value[k] = value if leaves.seat[k] == 0 else -value


def win_rows(roots, levels, states, notes, rest, turns, budget, sure, wins):
    """Write to `wins` (m,) an action that wins each of the positions `roots` (m,), -1 where none is found."""
    for k in range(roots.shape[0]):
        wins[k], ahead, going = -1, 1, True
        while going and ahead <= turns:
            states[0] = roots[k]
            going = asked(levels, states, notes, rest, ahead, budget, sure - 1)
            if going and levels.best[0] >= sure:
                wins[k], going = levels.choice[0], False
            ahead += 1
