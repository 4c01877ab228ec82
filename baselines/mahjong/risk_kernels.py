"""The kernels that say how likely a mahjong discard is to be won on, and those that are used to fit their numbers."""

import math

import numpy as np

from ...envs.mahjong.complete import RANKS, SUITED, complete
from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS
from ...envs.mahjong.distance import distance
from ...envs.mahjong.greedy import count_unseen
from ...envs.mahjong.state import live

DRAWS = 14  # counts of own draws left that are distinguished, 0 to 13 or more
NEVER = 99  # stands for own discards since a tile was let pass, where it never was
TERMS = {
    "stage": (MOST_MELDS + 1) * DRAWS,
    "spot": 16,
    "age": 6,
    "side": 7,
    "pairs": 4,
    "gap": 4,
    "own": 2,
    "near": 7,
}
"""Terms, and how many numbers each has.

- `stage`: the opponent's melds, and the draws that are left.
- `spot`: honor, end of a suit, beside it, or middle, and how many copies the seat has not seen.
- `age`: how many own discards ago the opponent last let the tile pass.
- `side`: how many discards ago it did so with the tile three ranks lower, and with the one three higher: if lately, it
  does not wait for both ends of the two tiles between.
- `pairs`: how many pairs of unseen tiles there are of the two kinds next below, and of the two next above; `gap`: of
  the kind below and the kind above.
- `own`: whether the opponent has discarded the tile itself; `near`: how many tiles within three ranks.
"""
STAGE, SPOT, AGE, SIDE, PAIRS, GAP, OWN, NEAR, SIZE = np.cumsum([0, *TERMS.values()]).tolist()
AGES, SIDES, WAYS = (2, 3, 5, 8, NEVER), (0, 1, 2, 4, 7, NEVER), (1, 4, 9)
"""Where the next number begins: of `age`, of `side` (-1: no such tile), and of `pairs` and `gap`."""
CELLS = 10  # numbers summed for a chance: two terms look both ways
WON = CELLS  # the column of a row after its cells


def mark_ages(s, o, ages):
    """Write how many own discards ago seat `o` last let a tile of each kind (34,) pass or discarded one.

    0 means since its hand last changed, as long as it is the turn of the seat that asks.
    """
    ages[:] = NEVER
    own = 0
    for back in range(np.int64(s.discards)):
        i = np.int64(s.discards) - 1 - back
        k = np.int64(s.discard[i])
        if ages[k] == NEVER:
            ages[k] = own
        own += s.by[i] == o


def beside(numbers, k, d, otherwise):
    """Look up the kind `d` ranks above `k`, `otherwise` where its suit has none or it is an honor."""
    j = k + d
    return np.int64(numbers[j]) if k < SUITED and j >= 0 and j // RANKS == k // RANKS else np.int64(otherwise)


def spot_of(k):
    """Tell apart honors (0), ends of a suit (1), the kinds beside these (2), and the middle (3)."""
    rank = k % RANKS
    return 0 if k >= SUITED else 1 + min(rank, RANKS - 1 - rank, 2)


def bin_of(number, bounds):
    """Count the bounds that a number reaches."""
    n = np.int64(0)
    for bound in bounds:
        n += number >= bound
    return n


def find_cells(s, o, k, unseen, ages, cells):
    """Write which numbers (10,) tell whether seat `o` wins on kind `k`; `ages` (34,) are those of that seat."""
    low, high = beside(unseen, k, -1, 0), beside(unseen, k, 1, 0)
    cells[0] = STAGE + DRAWS * np.int64(s.melds[o]) + min(live(s) // SEATS, DRAWS - 1)
    cells[1] = SPOT + 4 * spot_of(k) + min(np.int64(unseen[k]), 3)
    cells[2] = AGE + bin_of(ages[k], AGES)
    for i in range(2):
        age = beside(ages, k, 6 * i - 3, -1)
        cells[3 + i] = SIDE + bin_of(age, SIDES)
        ways = beside(unseen, k, 4 * i - 2, 0) * (high if i else low)
        cells[5 + i] = PAIRS + bin_of(ways, WAYS)
    cells[7] = GAP + bin_of(low * high, WAYS)
    cells[8] = OWN + (s.river[o, k] > 0)
    near = np.int64(0)
    for d in range(1, 4):
        near += beside(s.river[o], k, -d, 0) + beside(s.river[o], k, d, 0)
    cells[9] = NEAR + min(near, 6)


def weigh_dangers(states, seat, numbers, unseen, ages, cells, chances):
    """Write how likely a seat's discards (34,) in record 0 are to be won on; `unseen`, `ages`, `cells` are scratch."""
    s = states[0]
    count_unseen(s, seat, unseen)
    chances[:] = 1.0
    for i in range(1, SEATS):
        o = (seat + i) % SEATS
        mark_ages(s, o, ages)
        for k in range(KINDS):
            if ages[k] > 0:
                find_cells(s, o, k, unseen, ages, cells)
                logit = 0.0
                for j in range(CELLS):
                    logit += numbers[cells[j]]
                chances[k] *= 1.0 - 1.0 / (1.0 + math.exp(-logit))
    for k in range(KINDS):
        chances[k] = 1.0 - chances[k]


def sample_discard(s, a, notes, scratch, rows):
    """Write a row for every pair of a kind that the seat could discard and an opponent from whom it is not safe: its
    cells, and whether that opponent would win.
    """
    q, ages, n = np.int64(s.turn), scratch[0], 0
    count_unseen(s, q, notes.unseen)
    for i in range(1, SEATS):
        o = (q + i) % SEATS
        mark_ages(s, o, ages)
        waits = distance(s.hand[o], MOST_MELDS - np.int64(s.melds[o]), notes.tables) == 1
        for k in range(KINDS):
            if s.hand[q, k] > 0 and ages[k] > 0:
                find_cells(s, o, k, notes.unseen, ages, rows[n])
                rows[n, WON] = waits and complete(s.hand[o], np.int64(k), -1)
                n += 1
    return n


def label_hand(s, rows, lost):
    """Count a discard that was won on, and what it cost."""
    if s.payer >= 0:
        lost[0] += 1
        lost[1] -= s.points[s.payer]
