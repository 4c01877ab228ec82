"""The kernels of the plain evaluator of mahjong's hands, and those that are used to fit its numbers."""

import math
from typing import NamedTuple

import numpy as np

from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS, TURN
from ...envs.mahjong.distance import accepted
from ...envs.mahjong.greedy import count_unseen
from ...envs.mahjong.melds import CHOW
from ...envs.mahjong.state import live
from ...envs.mahjong.tai import DRAGONS, WINDS


class Terms(NamedTuple):
    """The numbers from which a hand's worth follows: the `logits` (shanten, accepted) of the chance to finish, to which
    each tile that makes a pong adds `pongs` (shanten,); the `points` (shanten,) of a finished hand, and `honors` (2,)
    extra for every valued triplet and pair; the `cost` of a hand that is not finished.
    """

    logits: np.ndarray
    pongs: np.ndarray
    points: np.ndarray
    honors: np.ndarray
    cost: float


class EveryTerms(NamedTuple):
    """`Terms` of all hands: `logits` (opened, draws, shanten, accepted), `points` (opened, shanten), rest the same."""

    logits: np.ndarray
    pongs: np.ndarray
    points: np.ndarray
    honors: np.ndarray
    cost: float


class Scratch(NamedTuple):
    """Room for `value_records`: points (shanten,), unseen (1, 34) int8, and three rows (34,) int64."""

    points: np.ndarray
    unseen: np.ndarray
    base: np.ndarray
    valued: np.ndarray
    values: np.ndarray


def value_hands(tiles, unseen, need, valued, terms, tables, values, q):
    """Write to `q` (m, 34) what every discard of the hands `tiles` (m, 34) is worth, -inf for what they do not hold.

    `need` melds are lacking; `valued` (34,) is what `mark_valued` writes; `values` (34,) is scratch.
    """
    for i in range(tiles.shape[0]):
        h = tiles[i]
        for k in range(KINDS):
            values[k] = weight(unseen[i, k], h[k])
        for k in range(KINDS):
            q[i, k] = -np.inf
            if h[k] > 0:
                values[k] = weight(unseen[i, k], h[k] - 1)
                lacks, n = accepted(h, k, need, values, tables)
                values[k] = weight(unseen[i, k], h[k])
                shanten = min(max(lacks - 1, 0), terms.pongs.shape[0] - 1)
                logit = terms.logits[shanten, n & 1023] + terms.pongs[shanten] * (n >> 10)
                chance = 1.0 / (1.0 + math.exp(-logit))
                triplets, pairs = valued_sets(h, k, valued)
                gain = terms.points[shanten] + terms.honors[0] * triplets + terms.honors[1] * pairs
                q[i, k] = chance * (gain + terms.cost) - terms.cost


def value_records(states, seats, every, tables, scratch, q):
    """Write to `q` (m, 34) what every discard of `seats` (m,) is worth in records (m,), as `value_hands` does; rows are
    zero where it is not the seat's turn. `every` is `EveryTerms`, `scratch` is `Scratch`.
    """
    points, unseen, base, valued, values = scratch
    for i in range(states.shape[0]):
        s, seat = states[i], np.int64(seats[i])
        q[i, :] = 0.0
        if s.phase == TURN and s.turn == seat:
            count_unseen(s, seat, base)
            for k in range(KINDS):
                unseen[0, k] = base[k]
            opened, laid = np.int64(s.melds[seat] > 0), mark_valued(s, seat, valued)
            for k in range(points.shape[0]):
                points[k] = every.points[opened, k] + every.honors[0] * laid
            logits = every.logits[opened, min(live(s) // SEATS, every.logits.shape[1] - 1)]
            terms = Terms(logits, every.pongs, points, every.honors, every.cost)
            need = MOST_MELDS - np.int64(s.melds[seat])
            value_hands(s.hand[seat : seat + 1], unseen, need, valued, terms, tables, values, q[i : i + 1])


def weight(unseen, held):
    """Count the unseen copies of a kind, and again, above ten bits, those that make a pong with the `held` ones."""
    return np.int64(unseen) * (1 + 1024 * (held >= 2))


def valued_sets(h, drop, valued):
    """Add up the tai of triplets and pairs of honors without one tile `drop`; `valued` (34,) gives each kind's tai."""
    triplets = pairs = 0
    for k in range(WINDS, KINDS):
        n = np.int64(h[k]) - (k == drop)
        triplets += np.int64(valued[k]) * (n >= 3)
        pairs += np.int64(valued[k]) * (n == 2)
    return triplets, pairs


def mark_valued(s, seat, valued):
    """Write the tai of a pong of every kind (34,); return those of the seat's melds."""
    for k in range(KINDS):
        valued[k] = k >= DRAGONS
    valued[WINDS + np.int64(s.round_wind)] += 1
    valued[WINDS + (seat - np.int64(s.dealer)) % SEATS] += 1
    n = 0
    for j in range(s.melds[seat]):
        if s.form[seat, j] != CHOW:
            n += valued[s.kind[seat, j]]
    return n


def mark_valued_one(states, seat, valued):
    """Call `mark_valued` for record 0."""
    return mark_valued(states[0], seat, valued)


def sample_discard(s, a, notes, scratch, rows):
    """Write a row of all that `SEEN` names, for the discard `a`; the seat's number holds the place of how it ends."""
    q, row, (valued, values) = np.int64(s.turn), rows[0], (scratch[0], scratch[1])
    count_unseen(s, q, notes.unseen)
    for k in range(KINDS):
        values[k] = weight(notes.unseen[k], s.hand[q, k] - (k == a))
    lacks, n = accepted(s.hand[q], a, MOST_MELDS - np.int64(s.melds[q]), values, notes.tables)
    laid = mark_valued(s, q, valued)
    triplets, pairs = valued_sets(s.hand[q], a, valued)
    row[0], row[1], row[2], row[3], row[4] = lacks - 1, n & 1023, n >> 10, s.melds[q] > 0, live(s) // SEATS
    row[5], row[6], row[8] = triplets + laid, pairs, q
    return 1


def label_hand(s, rows, lost):
    """Write how the hand has ended for the seat of each row."""
    for i in range(rows.shape[0]):
        q = rows[i, 8]
        rows[i, 7], rows[i, 8] = s.won[q] > 0, s.points[q]
