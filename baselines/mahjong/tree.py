"""The kernels of the published search in mahjong: alternating own discards and own draws, layer by layer.

A discard node is a hand with one tile more than it keeps, a draw node the hand that it keeps. Both are identified by
the multisets of tiles drawn and discarded since the root, in whatever order, so that a node is entered once. Nodes of a
level are rows: `tiles` and `unseen` (n, 34) int8, the concealed tiles and the copies of every kind that the seat has
not seen and has not drawn on the way, and `keys` (n,) uint64, by which a table finds the row. Levels are entered one
after the other, so that an evaluator can be asked about all hands of a level at once. Then they are valued from the
last one back to the first.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.rng import GOLDEN, hash64
from ...envs.mahjong.claims import can_win, completes, may_discard
from ...envs.mahjong.complete import complete
from ...envs.mahjong.constants import KINDS, TURN
from ...envs.mahjong.greedy import count_unseen
from ...envs.mahjong.rules import finish, settle_answers, step
from ...envs.mahjong.state import ANSWER, DRAW, WIN, live

WIDEST = 17  # concealed tiles of a hand, hence branches of a discard node
NOTHING = -1  # instead of a row: no such branch


class Level(NamedTuple):
    """Nodes of one kind at one distance from the root, the first `size[0]` rows in use.

    `tiles`, `unseen` and `keys` are as the module says; `branch` (n, 17 or 34) int32 is the row of what follows by
    a discard or a draw, -1 for none, and `points` (n, 34) what a draw that wins brings. `slots` is the table in which
    keys are found: rows plus one, 0 for none; the number of slots is a power of 2.
    """

    size: np.ndarray  # (1,) int64
    tiles: np.ndarray
    unseen: np.ndarray
    keys: np.ndarray
    branch: np.ndarray
    points: np.ndarray
    slots: np.ndarray


def make_level(rows: int, *, draws: bool) -> Level:
    """Allocate a level of draw nodes or of discard nodes; memory that is not used is not touched."""
    return Level(
        np.zeros(1, np.int64),
        np.empty((rows, KINDS), np.int8),
        np.empty((rows, KINDS), np.int8),
        np.empty(rows, np.uint64),
        np.empty((rows, KINDS if draws else WIDEST), np.int32),
        np.empty((rows * draws, KINDS)),
        np.zeros(1 << (2 * rows).bit_length(), np.int32),
    )


def insert_hand(level, tiles, unseen, key):
    """Find the row of the node with this key, or enter it as a new one with these tiles."""
    last = np.uint64(level.slots.shape[0] - 1)
    slot = hash64(key) & last
    while level.slots[slot] != 0:
        i = np.int64(level.slots[slot]) - 1
        if level.keys[i] == key:
            return i
        slot = (slot + np.uint64(1)) & last
    i = level.size[0]
    level.size[0] = i + 1
    level.slots[slot] = i + 1
    level.keys[i] = key
    for k in range(KINDS):
        level.tiles[i, k] = tiles[k]
        level.unseen[i, k] = unseen[k]
    return i


def changed(key, k, purpose):
    """Return the key after one more draw (purpose 1) or discard (2) of kind `k`, the same in any order."""
    return key + hash64(np.uint64(3 * k + purpose) * GOLDEN)


def add_root(states, seat, unseen, level):
    """Enter the hand of a seat in record 0 as the only node of a level; `unseen` (34,) int64 is scratch."""
    s = states[0]
    count_unseen(s, seat, unseen)
    insert_hand(level, s.hand[seat], unseen, GOLDEN)


def mark_discards(states, allowed):
    """Mark the kinds that the seat whose turn it is may discard in record 0."""
    for k in range(KINDS):
        allowed[k] = may_discard(states[0], k)


def branches(n, alpha):
    """Return how many discards of `n` concealed tiles are followed, `alpha` in tenths: the ceiling, as published."""
    return (alpha * n + 9) // 10


def best_left(values, taken):
    """Find the kind of the highest value among those whose bit is not set, the first of equals; -1 for none."""
    best = -1
    for k in range(KINDS):
        if taken >> k & 1 == 0 and (best < 0 or values[k] > values[best]):
            best = k
    return best


def add_discards(level, allowed, worth, alpha, after):
    """Enter the draw nodes that follow from a level of discard nodes, by kinds that are `allowed` (34,).

    From every node its `branches` best discards are followed; `worth` (n, 34) says what they are worth.
    """
    for i in range(level.size[0]):
        tiles, unseen = level.tiles[i], level.unseen[i]
        n, taken = 0, np.int64(0)
        for k in range(KINDS):
            n += np.int64(tiles[k])
            taken |= np.int64(tiles[k] == 0 or allowed[k] == 0) << k
        most = branches(n, alpha)
        for branch in range(WIDEST):
            level.branch[i, branch] = NOTHING
            k = best_left(worth[i], taken) if branch < most else -1
            if k >= 0:
                taken |= np.int64(1) << k
                tiles[k] -= 1
                level.branch[i, branch] = insert_hand(after, tiles, unseen, changed(level.keys[i], k, 2))
                tiles[k] += 1


def add_draws(level, states, seat, after):
    """Enter the discard nodes that follow from a level of draw nodes, or what a draw that wins in record 0 brings."""
    s = states[0]
    for i in range(level.size[0]):
        tiles, unseen = level.tiles[i], level.unseen[i]
        for k in range(KINDS):
            level.branch[i, k], level.points[i, k] = NOTHING, 0.0
            if unseen[k] > 0:
                won = complete(tiles, np.int64(k), -1)
                tiles[k] += 1
                if won:
                    for j in range(KINDS):
                        s.hand[seat, j] = tiles[j]
                    s.last = k
                    won = can_win(s, seat)
                if won:
                    level.points[i, k] = points_of(s, np.int64(-1), seat)
                else:
                    unseen[k] -= 1
                    level.branch[i, k] = insert_hand(after, tiles, unseen, changed(level.keys[i], k, 1))
                    unseen[k] += 1
                tiles[k] -= 1


def points_of(s, giver, seat):
    """Count what a seat gets if it wins now, paid by `giver` or by all (-1); reset the record's points to zero."""
    finish(s, giver)
    points = np.float64(s.points[seat])
    for q in range(s.points.size):
        s.points[q] = s.won[q] = 0
    s.to_move, s.payer = seat, -1
    return points


def value_draws(level, after, values):
    """Value draw nodes by what follows: every tile not seen is equally likely."""
    for i in range(level.size[0]):
        total, n = 0.0, 0
        for k in range(KINDS):
            u = np.int64(level.unseen[i, k])
            if u > 0:
                j = level.branch[i, k]
                total += u * (after[j] if j >= 0 else level.points[i, k])
                n += u
        values[i] = total / n


def value_discards(level, after, values):
    """Value discard nodes by the best of what follows."""
    for i in range(level.size[0]):
        values[i] = -np.inf
        for branch in range(WIDEST):
            j = level.branch[i, branch]
            if j >= 0:
                values[i] = max(values[i], after[j])


def value_leaves(level, worth, values):
    """Value discard nodes by the best discard alone, `worth` (n, 34)."""
    for i in range(level.size[0]):
        values[i] = -np.inf
        for k in range(KINDS):
            if level.tiles[i, k] > 0:
                values[i] = max(values[i], np.float64(worth[i, k]))


def imagine(states, seat, a):
    """Play a claim or a kong in record 0 as if nobody else claimed anything; a kong then waits for its replacement."""
    s = states[0]
    s.answer[:] = 0
    if s.phase == TURN:
        step(s, a)
        s.answer[:] = 0
        if s.phase != TURN:
            settle_answers(s)
    else:
        s.answer[seat] = a - ANSWER
        settle_answers(s)


def foresee(states, seat, ahead, discarded):
    """Turn record 0 into what the seat's draw will find once `ahead` live tiles are gone, the drawn one included.

    `discarded` says whether the seat has discarded in between.
    """
    s = states[0]
    if s.phase != TURN or discarded:
        s.start = DRAW
    s.phase, s.offer = TURN, -1
    if discarded:
        s.by[s.discards] = seat
        s.discards += 1
        s.missed[seat] = s.missed[seat] and completes(s, seat)
    s.turn = s.to_move = seat
    s.left -= ahead
    s.answer[:] = 0


def undraw(states, left):
    """Put back the tile that the seat to move drew in record 0; count in `left` (34,) what could have been drawn."""
    s = states[0]
    k = np.int64(s.last)
    s.hand[s.turn, k] -= 1
    s.wall[k] += 1
    for i in range(KINDS):
        left[i] = s.wall[i]


def live_tiles(states):
    """Count the live tiles of record 0."""
    return live(states[0])


def win_points(states, seat):
    """Count what a seat gets if it wins now, in its turn or by a claim; record 0 is used up."""
    s = states[0]
    if s.phase == TURN:
        return points_of(s, np.int64(-1), seat)
    s.answer[:] = 0
    s.answer[seat] = WIN - ANSWER
    return points_of(s, np.int64(s.turn), seat)
