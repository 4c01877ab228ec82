"""The kernels of df-pn, depth-first proof-number search (Nagai 2002), bound to a game with its ``proof.py``.

For games of two seats that take turns and always have a winner. From the side of the seat to move a position has two
numbers: the least that must still be shown to prove that it wins, and to prove that it loses; 0 and HUGE is a win. A
position is as near a win as the nearest loss among those that follow, and as far from a loss as these together are from
a win. Only the first few of them by rank are counted (Arneson, Hayward and Henderson 2010), others when those have
failed. The search stays below a position until its numbers leave the bounds within which it is the best to look at;
the bounds leave some room (Pawlewicz and Lew 2007) so that the search comes back less often.

What is known stands in a table. Positions that are looked at again need their actions again, which a second table
keeps for a while. All that a search knows lies in arrays: it stops after a given number of positions and goes on when
called again.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.protocol import PROVEN, alike, examine, key, reexamine, relevant, returns, step
from ...envs.engine.ranking import bring_best

HUGE = 1 << 30  # the number of an impossible proof
UNKNOWN = HUGE // 2  # the number of a proof that goes further than there are levels
ENTRY = np.dtype([("position", "u8"), ("win", "i4"), ("loss", "i4"), ("work", "i4")], align=True)
"""The position's hash, its two numbers, and how many positions were examined for them."""

BUCKET = 4
MEETINGS = 64  # most positions met, mostly met again, for every one examined
LEVEL, EXAMINED, ENTERING, MET = 0, 1, 2, 3


class Proofs(NamedTuple):
    """What the search keeps of every level, int64 (levels,): the numbers at which it is left, its numbers, positions
    examined before it was entered, how many actions are listed (-1 where the position is decided, and the numbers say
    how), which of them is looked at, and whether the level's notes are those of its position.
    `moves` and `ranks` (levels, actions) int32 are the actions, `after` uint64 the hashes of where they lead, and
    `wins` and `losses` int32 the numbers there. `lists` (slots, 1 + actions) int16 keeps the number of actions of each
    position met and then the actions, and `owners` (slots,) uint64 says whose they are.
    `at` (4,) says where the search stands: the level, positions examined, whether the level is to be entered, and how
    often positions have been entered.
    """

    at: np.ndarray
    win_limit: np.ndarray
    loss_limit: np.ndarray
    win: np.ndarray
    loss: np.ndarray
    before: np.ndarray
    listed: np.ndarray
    chosen: np.ndarray
    examined: np.ndarray
    position: np.ndarray
    moves: np.ndarray
    ranks: np.ndarray
    after: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    lists: np.ndarray
    owners: np.ndarray


def make_proofs(levels: int, actions: int, slots: int) -> Proofs:
    """Allocate the levels for a game of `actions` actions, and `slots` places to remember lists, a power of 2."""
    return Proofs(
        at=np.zeros(4, np.int64),
        win_limit=np.zeros(levels, np.int64),
        loss_limit=np.zeros(levels, np.int64),
        win=np.zeros(levels, np.int64),
        loss=np.zeros(levels, np.int64),
        before=np.zeros(levels, np.int64),
        listed=np.zeros(levels, np.int64),
        chosen=np.zeros(levels, np.int64),
        examined=np.zeros(levels, np.int64),
        position=np.zeros(levels, np.uint64),
        moves=np.zeros((levels, actions), np.int32),
        ranks=np.zeros((levels, actions), np.int32),
        after=np.zeros((levels, actions), np.uint64),
        wins=np.zeros((levels, actions), np.int32),
        losses=np.zeros((levels, actions), np.int32),
        lists=np.zeros((slots, 1 + actions), np.int16),
        owners=np.zeros(slots, np.uint64),
    )


def begin(proofs, states, notes):
    """Prepare to prove who wins the position ``states[0]``; `notes` has a record for every level, and one more."""
    proofs.at[:] = 0
    proofs.at[ENTERING] = 1
    proofs.position[0] = alike(states[0], notes[notes.shape[0] - 1])
    proofs.win[0] = proofs.loss[0] = 1
    proofs.win_limit[0] = proofs.loss_limit[0] = UNKNOWN


def prove(proofs, states, notes, table, few, share, r, budget):
    """Go on until the root is decided, or too far from that, or `budget` positions are examined in all.

    `few` plus one in `share` of the actions that have not failed are looked at together. Afterwards ``proofs.win[0]``
    is 0 if the seat to move wins, by ``proofs.moves[0, proofs.chosen[0]]``, and ``proofs.loss[0]`` is 0 if it loses.
    """
    at = proofs.at
    while at[EXAMINED] < budget and at[MET] < MEETINGS * budget:
        level = at[LEVEL]
        if at[ENTERING]:
            at[ENTERING] = 0
            at[MET] += 1
            enter(proofs, level, states, notes, table, r)
        if proofs.listed[level] >= 0:
            refresh(proofs, level, table)
            sum_up(proofs, level, few, share)
        if within_limits(proofs, level):
            descend(proofs, level, states, few, share)
            continue
        store(proofs, level, table)
        if level == 0:
            return
        above = level - 1
        i = proofs.chosen[above]
        proofs.wins[above, i], proofs.losses[above, i] = proofs.win[level], proofs.loss[level]
        at[LEVEL] = above


def enter(proofs, level, states, notes, table, r):
    """List the actions that matter in a position, or find it decided."""
    s = states[level]
    proofs.before[level] = proofs.at[EXAMINED]
    proofs.chosen[level] = proofs.examined[level] = 0
    whole = key(s)
    slot = np.int64(whole & np.uint64(proofs.owners.size - 1))
    if proofs.owners[slot] == whole:
        n = np.int64(proofs.lists[slot, 0])
        for i in range(n):
            proofs.moves[level, i] = proofs.lists[slot, 1 + i]
    else:
        look_at(proofs, level, states, notes)
        n = np.int64(relevant(s, notes[level], proofs.moves[level], proofs.ranks[level]))
        if n <= 0 or level == states.shape[0] - 1:
            proofs.listed[level] = -1
            proofs.win[level] = 0 if n == PROVEN else HUGE if n == 0 else UNKNOWN
            proofs.loss[level] = HUGE if n == PROVEN else 0 if n == 0 else UNKNOWN
            return
        for i in range(n):
            bring_best(proofs.moves[level], proofs.ranks[level], i, n)
            proofs.lists[slot, 1 + i] = proofs.moves[level, i]
        proofs.owners[slot], proofs.lists[slot, 0] = whole, n
    proofs.listed[level] = n
    look_ahead(proofs, level, states, notes, r)


def look_at(proofs, level, states, notes):
    """Examine a position, working down from the nearest one above it that was examined, or else from the root."""
    k = np.int64(level)
    while k > 0 and not proofs.examined[k - 1]:
        k -= 1
    if k == 0:
        examine(states[0], notes[0])
        proofs.examined[0] = 1
        k = np.int64(1)
    while k <= level:
        a = np.int64(proofs.moves[k - 1, proofs.chosen[k - 1]])
        reexamine(notes[k - 1], states[k], notes[k], a)
        proofs.examined[k] = 1
        k += 1
    proofs.at[EXAMINED] += 1


def look_ahead(proofs, level, states, notes, r):
    """Hash the positions that follow, whose numbers are 1 unless the game has ended there."""
    mover = np.int64(states[level].to_move)
    for i in range(proofs.listed[level]):
        states[level + 1] = states[level]
        s = states[level + 1]
        step(s, np.int64(proofs.moves[level, i]))
        proofs.wins[level, i] = proofs.losses[level, i] = 1
        if s.to_move < 0:
            returns(s, r)
            won = r[mover] > 0
            proofs.wins[level, i], proofs.losses[level, i] = (HUGE, 0) if won else (0, HUGE)
            proofs.after[level, i] = 0
        else:
            proofs.after[level, i] = alike(s, notes[notes.shape[0] - 1])


def refresh(proofs, level, table):
    """Look up what is known of the positions that follow."""
    for i in range(proofs.listed[level]):
        k = find_proof(table, proofs.after[level, i])
        if k >= 0:
            proofs.wins[level, i], proofs.losses[level, i] = table[k].win, table[k].loss


def sum_up(proofs, level, few, share):
    """Compute the numbers of a position from those of what follows, as far as these are counted."""
    wins, losses = proofs.wins[level], proofs.losses[level]
    left = counted(proofs, level, few, share)
    win, loss = np.int64(HUGE), np.int64(0)
    for i in range(proofs.listed[level]):
        if losses[i] == 0:
            proofs.chosen[level] = i
            proofs.win[level], proofs.loss[level] = 0, HUGE
            return
        if wins[i] > 0 and left > 0:
            left -= 1
            win = min(win, np.int64(losses[i]))
            loss += np.int64(wins[i])
    proofs.win[level], proofs.loss[level] = win, min(loss, HUGE - 1)


def counted(proofs, level, few, share):
    """Find how many of the actions that have not failed are looked at together."""
    live = 0
    for i in range(proofs.listed[level]):
        live += proofs.wins[level, i] > 0
    return few + live // share


def within_limits(proofs, level):
    """Whether the search stays below a position."""
    win, loss = proofs.win[level], proofs.loss[level]
    if proofs.listed[level] < 0:
        return False
    return win > 0 and loss > 0 and win < proofs.win_limit[level] and loss < proofs.loss_limit[level]


def descend(proofs, level, states, few, share):
    """Go to the position nearest to a loss among those that follow, the first of equals, with limits of its own."""
    wins, losses = proofs.wins[level], proofs.losses[level]
    left = counted(proofs, level, few, share)
    best, least, second = np.int64(-1), np.int64(HUGE), np.int64(HUGE)
    for i in range(proofs.listed[level]):
        if wins[i] > 0 and left > 0:
            left -= 1
            loss = np.int64(losses[i])
            if best < 0 or loss < least:
                best, least, second = i, loss, least
            else:
                second = min(second, loss)
    proofs.chosen[level] = best
    below = level + 1
    proofs.win_limit[below] = proofs.loss_limit[level] - proofs.loss[level] + wins[best]
    proofs.loss_limit[below] = min(proofs.win_limit[level], second + second // 4 + 1)
    states[below] = states[level]
    step(states[below], np.int64(proofs.moves[level, best]))
    proofs.position[below] = proofs.after[level, best]
    proofs.at[LEVEL], proofs.at[ENTERING] = below, 1


def find_proof(table, position):
    """Find the entry of a position; -1 when there is none."""
    first = np.int64(position & np.uint64(table.shape[0] - BUCKET))
    for i in range(first, first + BUCKET):
        if table[i].position == position:
            return i
    return np.int64(-1)


def store(proofs, level, table):
    """Keep the numbers of a position; in a full bucket they displace those that took the least work."""
    position, work = proofs.position[level], proofs.at[EXAMINED] - proofs.before[level]
    first = np.int64(position & np.uint64(table.shape[0] - BUCKET))
    victim = first
    for i in range(first, first + BUCKET):
        if table[i].position == position:
            victim = i
            work += np.int64(table[i].work)
            break
        if table[i].work < table[victim].work:
            victim = i
    entry = table[victim]
    entry.position, entry.win, entry.loss = position, proofs.win[level], proofs.loss[level]
    entry.work = min(work, HUGE)
