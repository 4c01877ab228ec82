"""The kernels of `lookout`, bound to a game with its evaluation: small alpha-beta searches for what is decided.

A search goes by steps, int64 (k, 2): turns that are searched, and turns that tactics may last beyond them.
"""

import numpy as np

from ...envs.engine.protocol import step
from .alphabeta_kernels import LIMIT, begin, iterate, start_iteration
from .puct_kernels import ENDED, OPENED, tree_of


def reaches(levels, states, notes, rest, steps, budget, alpha, beyond):
    """Ask step by step whether the position ``states[0]`` is worth more than `alpha` to its mover.

    With `beyond` False, ask whether it is worth no more. Each search meets at most `budget` positions; where that was
    not enough, steps that go at least as far both ways are left out. `rest` is a table and what else `iterate` takes.
    """
    table, low, high, r = rest
    most_turns, most_tactics = LIMIT, LIMIT
    for i in range(steps.shape[0]):
        turns, tactics = steps[i]
        if turns < most_turns or tactics < most_tactics:
            begin(levels, states, notes)
            start_iteration(levels, turns, alpha, alpha + 1)
            if not iterate(levels, states, notes, table, 1, tactics, 0, 0, low, high, r, budget):
                most_turns, most_tactics = turns, tactics
            elif (levels.best[0] > alpha) == beyond:
                return True
    return False


def wins(levels, states, notes, rest, steps, budget, sure):
    """Ask whether the mover of ``states[0]`` wins for certain; if so, by the action ``levels.choice[0]``."""
    return reaches(levels, states, notes, rest, steps, budget, sure - 1, True)


def close_rows(planted, leaves, levels, states, notes, rest, attack, defence, budget, sure):
    """Close the leaves that have just been opened and are decided, as if the game had ended there.

    Roots stay open.
    """
    for k in range(planted.slots.shape[0]):
        length = leaves.length[k]
        if leaves.kind[k] == OPENED and length > 1:
            states[0] = leaves.states[k]
            value = 0.0
            if wins(levels, states, notes, rest, attack, budget, sure):
                value = 1.0
            elif reaches(levels, states, notes, rest, defence, budget, -sure, False):
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


def win_rows(roots, levels, states, notes, rest, steps, budget, sure, found):
    """Write to `found` (m,) an action that wins each of the positions `roots` (m,), -1 where none is found."""
    for k in range(roots.shape[0]):
        states[0] = roots[k]
        won = wins(levels, states, notes, rest, steps, budget, sure)
        found[k] = levels.choice[0] if won else -1


def loss_rows(roots, actions, levels, states, notes, rest, steps, budget, sure, found):
    """Write to `found` (m,) whether the other seat wins once an action (m,) has been played in each of `roots` (m,).

    An action that leaves the same seat to move, or ends the game, loses nothing.
    """
    for k in range(roots.shape[0]):
        states[0], mover = roots[k], roots[k].to_move
        step(states[0], actions[k])
        passes = states[0].to_move >= 0 and states[0].to_move != mover
        found[k] = passes and wins(levels, states, notes, rest, steps, budget, sure)
