"""How many tiles a hand lacks (§2): tables, and kernels over a row of counts ``h``, one of every kind.

The distance of a hand is the least sum of ``max(T[i] - h[i], 0)`` over all complete T: `need` melds and a pair, at
most four tiles of a kind. Shanten is one less. For a group (a suit or the honors), a row ``d[pair][melds]`` says what
it lacks for 0 or 1 pairs and 0 to 5 melds; the row of two groups together is the (min, +) convolution of theirs. That
is tomohxx's method (shanten-number), with a row stored for every way to hold the tiles of a group. But few rows differ:
those of a group are among 198, and those of any groups together among 328. So a row is known by its number, its class,
and two groups are joined by looking into a table of 328 x 328.
"""

import math
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ..engine.rng import kernel
from .complete import COPIES, RANKS, SUITED, count
from .constants import KINDS, MOST_MELDS

DIGITS = COPIES + 1  # a group's counts are read as a number of this base, the lowest rank first
HONORS = DIGITS**RANKS  # where the honors' classes begin
WEIGHT = np.array([DIGITS ** (min(i // RANKS * RANKS + RANKS, KINDS) - 1 - i) for i in range(KINDS)])
"""What a tile of each kind adds to the number that its group's counts make."""

SIZES = MOST_MELDS + 1  # from none to five melds
FAR = 64  # tiles lacking for what is impossible; twice as many still fit into eight bits


class Tables(NamedTuple):
    """The tables that the kernels look into, 4 MB.

    `classes` (5**9 + 5**7,) uint16: the class of every way to hold tiles of a suit, then of the honors. `joined`
    (328, 328) uint16: that of two classes together. `lacking` (328, 6) uint8: what a class lacks for a pair and 0 to 5
    melds.
    """

    classes: np.ndarray
    joined: np.ndarray
    lacking: np.ndarray


@lru_cache
def distance_tables() -> Tables:
    """Build the tables once per process: it takes 0.2 s, so no file need be kept."""
    suits, of_suit = _group(RANKS, 2)
    honors, of_honors = _group(KINDS - SUITED, 0)
    groups = np.unique(np.concatenate([suits, honors]))
    # Joining an empty group changes nothing: one group's rows are among those of two. More groups have no new ones.
    keys = np.unique(_joined(groups))
    classes = np.concatenate([np.searchsorted(keys, suits)[of_suit], np.searchsorted(keys, honors)[of_honors]])
    joined = np.searchsorted(keys, _joined(keys))
    return Tables(classes.astype(np.uint16), joined.astype(np.uint16), np.ascontiguousarray(_rows(keys)[1].T))


def _group(kinds: int, chows: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the keys (n,) of a group's rows, and (5**kinds,) which of them belongs to each way to hold its tiles.

    Rank by rank, the tiles lacking so far are a state ``[chows begun two ranks before, one before, pair, melds]``; ways
    to hold the first ranks that lead to the same state are no longer told apart. Two equal chows are enough: three use
    the same tiles as three pongs.
    """
    shape = (3, 3, 2, SIZES)
    states = np.full((*shape, 1), FAR, np.uint8)
    states[0, 0, 0, 0] = 0
    reached = np.zeros(1, np.int64)
    for rank in range(kinds):
        begun = chows if rank + 2 < kinds else 0
        after = np.stack([_after(states, held, begun) for held in range(DIGITS)], axis=-1).reshape(*shape, -1)
        whole = np.ascontiguousarray(after.reshape(-1, after.shape[-1]).T).view(np.dtype((np.void, math.prod(shape))))
        _, first, number = np.unique(whole.ravel(), return_index=True, return_inverse=True)
        states, reached = after[..., first], number.reshape(-1, DIGITS)[reached].ravel()
    return _keys(states[0, 0]), reached


def _after(before: np.ndarray, held: int, chows: int) -> np.ndarray:
    """Advance by one rank, of which `held` tiles are there and at which up to `chows` chows may begin."""
    after = np.full_like(before, FAR)
    for older, old, new, pong, pair in product(range(3), range(3), range(chows + 1), range(2), range(2)):
        used, melds = older + old + new + 3 * pong + 2 * pair, new + pong
        if used <= COPIES:
            ways = before[older, old, : 2 - pair, : SIZES - melds] + np.uint8(max(used - held, 0))
            best = after[old, new, pair:, melds:]
            np.minimum(best, ways, out=best)
    return after


def _joined(keys: np.ndarray) -> np.ndarray:
    """Convolve rows with each other, all given by their keys: (n,) to (n, n)."""
    rows = _rows(keys)
    joined = np.full((2, SIZES, keys.size, keys.size), FAR, np.uint8)
    for (pair, other), melds in product([(0, 0), (0, 1), (1, 0)], range(SIZES)):
        ways = rows[pair, melds, :, None] + rows[other, : SIZES - melds, None, :]
        best = joined[pair + other, melds:]
        np.minimum(best, ways, out=best)
    return _keys(joined)


def _keys(rows: np.ndarray) -> np.ndarray:
    """Pack every row (2, 6, …), whose entries are at most 17, into one number, which `_rows` unpacks."""
    flat = rows.reshape(2 * SIZES, *rows.shape[2:]).astype(np.int64)
    return np.sum([flat[i] << 5 * i for i in range(2 * SIZES)], axis=0)


def _rows(keys: np.ndarray) -> np.ndarray:
    return np.stack([keys >> 5 * i & 31 for i in range(2 * SIZES)]).astype(np.uint8).reshape(2, SIZES, -1)


@kernel
def class_of(h, first, end, drop):
    """Find the place in `classes` of the counts of the kinds from `first` on, without a tile `drop` (-1: none)."""
    n = 0
    for i in range(first, end):
        n = DIGITS * n + count(h, i, -1, drop)
    return n if end < KINDS else n + HONORS


@kernel
def distance(h, need, tables):
    """Count the tiles that a hand lacks for `need` melds and a pair: its shanten plus 1."""
    classes, joined = tables.classes, tables.joined
    a, b = classes[class_of(h, 0, RANKS, -1)], classes[class_of(h, RANKS, 2 * RANKS, -1)]
    c, d = classes[class_of(h, 2 * RANKS, SUITED, -1)], classes[class_of(h, SUITED, KINDS, -1)]
    return int(tables.lacking[joined[joined[a, b], joined[c, d]], need])


@kernel
def accepted(h, drop, need, values, tables):
    """Find the distance without a tile of kind `drop` (-1: none), and the sum of `values` of kinds that then lower it.

    With the unseen copies of all kinds as `values`, the sum is the number of accepted tiles; with powers of two it is
    the set of accepted kinds. A kind of which the hand holds four is never accepted.
    """
    classes, joined = tables.classes, tables.joined
    at_a, at_b = class_of(h, 0, RANKS, drop), class_of(h, RANKS, 2 * RANKS, drop)
    at_c, at_d = class_of(h, 2 * RANKS, SUITED, drop), class_of(h, SUITED, KINDS, drop)
    a, b, c, d = classes[at_a], classes[at_b], classes[at_c], classes[at_d]
    ab, cd = joined[a, b], joined[c, d]
    now = int(tables.lacking[joined[ab, cd], need])
    total = accepted_of(h, 0, RANKS, drop, at_a, joined[b, cd], now, need, values, tables)
    total += accepted_of(h, RANKS, 2 * RANKS, drop, at_b, joined[a, cd], now, need, values, tables)
    total += accepted_of(h, 2 * RANKS, SUITED, drop, at_c, joined[ab, d], now, need, values, tables)
    total += accepted_of(h, SUITED, KINDS, drop, at_d, joined[ab, c], now, need, values, tables)
    return now, total


@kernel
def accepted_of(h, first, end, drop, at, others, now, need, values, tables):
    """Add up one group's part of `accepted`; `others` is the class of the three other groups."""
    total = 0
    for i in range(first, end):
        # Four stay four, which lowers nothing. Comparisons are multiplied because branches would take twice as long.
        more = tables.classes[at + WEIGHT[i] * (count(h, i, -1, drop) < COPIES)]
        total += int(values[i]) * int(tables.lacking[tables.joined[others, more], need] < now)
    return total


@kernel
def weigh_discards(h, need, tables, distances):
    """Write for every kind the distance after discarding it, `FAR` for those that the hand does not hold."""
    classes, joined = tables.classes, tables.joined
    at_a, at_b = class_of(h, 0, RANKS, -1), class_of(h, RANKS, 2 * RANKS, -1)
    at_c, at_d = class_of(h, 2 * RANKS, SUITED, -1), class_of(h, SUITED, KINDS, -1)
    a, b, c, d = classes[at_a], classes[at_b], classes[at_c], classes[at_d]
    ab, cd = joined[a, b], joined[c, d]
    weigh_group(h, 0, RANKS, at_a, joined[b, cd], need, tables, distances)
    weigh_group(h, RANKS, 2 * RANKS, at_b, joined[a, cd], need, tables, distances)
    weigh_group(h, 2 * RANKS, SUITED, at_c, joined[ab, d], need, tables, distances)
    weigh_group(h, SUITED, KINDS, at_d, joined[ab, c], need, tables, distances)


@kernel
def weigh_group(h, first, end, at, others, need, tables, distances):
    """Do one group's part of `weigh_discards`; `others` is the class of the three other groups."""
    for i in range(first, end):
        distances[i] = FAR
        if h[i] > 0:
            distances[i] = tables.lacking[tables.joined[others, tables.classes[at - WEIGHT[i]]], need]
