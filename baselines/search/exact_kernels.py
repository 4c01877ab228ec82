"""The kernels of the exact solver: expected returns under best play, by depth-first search with a table of positions.

Bound to a game with two seats, zero sum and nothing hidden. Values are seat 0's expected returns, in double precision.
Games never return to a position at a lower ply, so every value follows from those of positions closer to the end. With
dice the table holds the positions before a roll, without them every position in which somebody decides.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.kernels import branch
from ...envs.engine.protocol import CHANCE, key, resolve, returns, step


class Solutions(NamedTuple):
    """An open-addressing hash table: `size` (1,) int64 entries in use, `keys` uint64 (0: empty), `values` float64.

    The number of slots is a power of 2. A position is identified by 63 bits alone: among n positions some two share
    them with a probability of n² / 2**64.
    """

    size: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def make_solutions(positions: int) -> Solutions:
    """Allocate a table that has room for `positions` positions."""
    slots = 1 << (positions * 3 // 2).bit_length()
    return Solutions(np.zeros(1, np.int64), np.zeros(slots, np.uint64), np.zeros(slots))


def slot_of(table, s):
    """Find the slot that holds a position, or the empty one where it belongs; return it and the position's key."""
    wanted = key(s) | np.uint64(1)
    last = np.uint64(table.keys.shape[0] - 1)
    slot = (wanted >> np.uint64(1)) & last
    while table.keys[slot] != 0 and table.keys[slot] != wanted:
        slot = (slot + np.uint64(1)) & last
    return slot, wanted


def wins_at_once(stack, level, mask, best, r):
    """Whether some action ends the game with the best result for the seat to move."""
    for a in range(mask.shape[0]):
        if mask[a]:
            stack[level + 1] = stack[level]
            s = stack[level + 1]
            step(s, a)
            if s.to_move < CHANCE:
                returns(s, r)
                if r[0] == best:
                    return True
    return False


def enter(stack, level, masks, odds, values, table, dice, low, high, r):
    """Prepare a record's branches; return whether its value is known already, and if so the value."""
    s = stack[level]
    if s.to_move < CHANCE:
        returns(s, r)
        return True, np.float64(r[0])
    if s.to_move == CHANCE or not dice:
        slot, wanted = slot_of(table, s)
        if table.keys[slot] == wanted:
            return True, table.values[slot]
    branch(s, masks[level], odds[level])
    if s.to_move >= 0:
        best = high if s.to_move == 0 else low
        if wins_at_once(stack, level, masks[level], best, r):
            return True, best
    values[level] = 0.0 if s.to_move == CHANCE else -np.inf if s.to_move == 0 else np.inf
    return False, 0.0


def remember(table, s, value, positions):
    """Keep a position's value; return False where there is no room for it."""
    if table.size[0] == positions:
        return False
    slot, wanted = slot_of(table, s)
    table.keys[slot], table.values[slot] = wanted, value
    table.size[0] += 1
    return True


def first_marked(mask):
    """Find the first 1 in a mask; -1 when there is none."""
    for a in range(mask.shape[0]):
        if mask[a]:
            return a
    return -1


def combine(s, value, probability, branch_value):
    """Add what one more branch is worth to the value of the branches before it."""
    if s.to_move == CHANCE:
        return value + probability * branch_value
    return max(value, branch_value) if s.to_move == 0 else min(value, branch_value)


def solve(stack, masks, odds, values, table, positions, dice, low, high, r):
    """Compute the value of ``stack[0]``; NaN when more than `positions` positions would have to be remembered.

    For every action and chance event on the way `stack` holds a record, `masks` (len(stack), max(actions, outcomes))
    what is still to be tried, `odds` (len(stack), outcomes) the probabilities and `values` (len(stack),) what the
    branches tried so far are worth: recursion spelled out, because kernels do not recurse. `low` and `high` bound the
    returns: immediate wins are looked for first, and nothing is searched after a certain win. `r` is scratch (seats,).
    """
    known, value = enter(stack, 0, masks, odds, values, table, dice, low, high, r)
    level = 0
    while not known:
        s = stack[level]
        a = first_marked(masks[level])
        if a >= 0:
            stack[level + 1] = s
            if s.to_move == CHANCE:
                resolve(stack[level + 1], a)
            else:
                step(stack[level + 1], a)
            found, value = enter(stack, level + 1, masks, odds, values, table, dice, low, high, r)
            if not found:
                level += 1
                continue
        else:
            value = values[level]
            if (s.to_move == CHANCE or not dice) and not remember(table, s, value, positions):
                return np.nan
            if level == 0:
                return value
            level -= 1
        # A branch of this level is finished: its mark is the first one left.
        a = first_marked(masks[level])
        masks[level, a] = 0
        values[level] = combine(stack[level], values[level], odds[level, min(a, odds.shape[1] - 1)], value)
        if stack[level].to_move >= 0 and values[level] == (high if stack[level].to_move == 0 else low):
            masks[level, :] = 0
    return value
