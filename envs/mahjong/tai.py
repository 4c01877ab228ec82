"""Tai (§14, §15): kernels that find the best way to count a winning hand.

Items are bits of an integer; so are sets of kinds. A hand is seat q of a record; it is split into its melds, a pair, a
set of concealed pongs and concealed chows, whose numbers stand in one integer, three bits for every first kind.
"""

import numpy as np

from ..engine.rng import kernel
from .complete import COPIES, RANKS, SUITED, complete, count
from .constants import KINDS
from .melds import CHOW, CONCEALED, EACH, SPAN

NOWHERE, PAIR, TRIPLET, CLOSED, EDGE, TWO_SIDED = range(6)  # places of the winning tile
SELF, ROB = 1, 2  # ways to win; 0 is by a discard

ITEMS = (
    "self_draw", "concealed_hand", "concealed_self_draw", "dragon_pong", "round_wind", "seat_wind", "single_wait",
    "robbed_kong", "kong_draw", "last_draw", "last_discard", "all_claimed", "half_claimed", "all_chows",
    "three_concealed", "four_concealed", "five_concealed", "all_pongs", "half_flush", "full_flush", "all_honors",
    "little_dragons", "big_dragons", "little_winds", "big_winds", "heavenly", "earthly", "human",
)  # fmt: skip
(
    SELF_DRAW, CONCEALED_HAND, CONCEALED_SELF_DRAW, DRAGON_PONG, ROUND_WIND, SEAT_WIND, SINGLE_WAIT,
    ROBBED_KONG, KONG_DRAW, LAST_DRAW, LAST_DISCARD, ALL_CLAIMED, HALF_CLAIMED, ALL_CHOWS,
    THREE_CONCEALED, FOUR_CONCEALED, FIVE_CONCEALED, ALL_PONGS, HALF_FLUSH, FULL_FLUSH, ALL_HONORS,
    LITTLE_DRAGONS, BIG_DRAGONS, LITTLE_WINDS, BIG_WINDS, HEAVENLY, EARTHLY, HUMAN, SECOND_DRAGON,
) = (1 << i for i in range(29))  # fmt: skip
WORTH = (1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 2, 5, 8, 4, 4, 8, 16, 4, 8, 8, 16, 16, 16, 16, 1)
"""Tai of the items by default; the last is DRAGON_PONG's once more, for a second one."""

WINDS, DRAGONS = 27, 31  # their first kinds


@kernel
def total(s, items):
    """Add up the tai of items."""
    tai = 0
    for i in range(s.worth.size):
        if items >> i & 1:
            tai += np.int64(s.worth[i])
    return tai


@kernel
def size(items):
    """Count the elements of a set."""
    n = 0
    while items > 0:
        n += items & 1
        items >>= 1
    return n


@kernel
def owned(s, q, i):
    """Count the tiles of kind `i` in a seat's melds."""
    n = 0
    for j in range(s.melds[q]):
        kind, form = np.int64(s.kind[q, j]), np.int64(s.form[q, j])
        if kind <= i < kind + SPAN[form]:
            n += EACH[form]
    return n


@kernel
def waits(s, q, drop):
    """§14: count the waits of a hand without the tile `drop`."""
    h, n = s.hand[q], 0
    for i in range(KINDS):
        n += count(h, i, -1, drop) + owned(s, q, i) < COPIES and complete(h, i, drop)
    return n


@kernel
def chows(h, pair, pongs, add):
    """Find the chows that a pair and a set of pongs leave; -1 if other tiles are left."""
    found = before = last = np.int64(0)
    for i in range(KINDS):
        left = count(h, i, add, -1) - 2 * (i == pair) - 3 * (pongs >> i & 1)
        if i >= SUITED:
            if left != 0:
                return -1
        else:
            rank = i % RANKS
            if rank == 0:
                before = last = 0
            left -= before + last
            if left < 0 or (left > 0 and rank > 6):
                return -1
            before, last = last, left
            found |= left << 3 * chow_number(i)
    return found


@kernel
def chow_number(i):
    """Number the kinds that a chow can begin with."""
    return min(i - 2 * (i // RANKS), 20)


@kernel
def wait_at(k, win, pair, pongs, runs):
    """Find what the winning tile completes at place k: 0 the pair, 1 a pong, 2 to 4 a chow (as last, middle, first)."""
    if k == 0:
        return PAIR if win == pair else NOWHERE
    if k == 1:
        return TRIPLET if pongs >> win & 1 else NOWHERE
    rank, first = win % RANKS, win - 4 + k
    if win >= SUITED or rank - 4 + k < 0 or rank - 4 + k > 6 or (runs >> 3 * chow_number(first) & 7) == 0:
        return NOWHERE
    if k == 3:
        return CLOSED
    return EDGE if (k == 2 and rank == 2) or (k == 4 and rank == 6) else TWO_SIDED


@kernel
def tile_items(s, q, add):
    """Find the items that depend on the suits alone."""
    suits = honors = np.int64(0)
    for i in range(KINDS):
        if count(s.hand[q], i, add, -1) + owned(s, q, i) > 0:
            if i >= SUITED:
                honors = 1
            else:
                suits |= 1 << i // RANKS
    if suits == 0:
        return ALL_HONORS
    if size(suits) > 1:
        return 0
    return HALF_FLUSH if honors else FULL_FLUSH


@kernel
def claim_items(s, q, given):
    """Find the items that depend on what has been claimed, and on how the hand was won."""
    claimed = 0
    for j in range(s.melds[q]):
        claimed += s.form[q, j] != CONCEALED
    if claimed == 0:
        return CONCEALED_HAND
    if claimed < 5:
        return 0
    return HALF_CLAIMED if given & SELF_DRAW else ALL_CLAIMED


@kernel
def split_items(s, q, pair, pongs, runs):
    """Find the items that depend on the melds and the pair: of triplets, and ALL_CHOWS if all five melds are chows."""
    triplets, all_chows = pongs, pongs == 0
    for j in range(s.melds[q]):
        if s.form[q, j] != CHOW:
            triplets |= 1 << np.int64(s.kind[q, j])
            all_chows = False
    items = 0
    if all_chows and pair < SUITED:
        items |= ALL_CHOWS
    if size(triplets) == 5:
        items |= ALL_PONGS
    return items | honor_items(s, q, pair, triplets)


@kernel
def honor_items(s, q, pair, triplets):
    """Find the items of dragons and winds."""
    items = 0
    dragons, winds = size(triplets >> DRAGONS), size(triplets >> WINDS & 15)
    if dragons == 3:
        items |= BIG_DRAGONS
    elif dragons == 2 and pair >= DRAGONS:
        items |= LITTLE_DRAGONS
    elif dragons > 0:
        items |= DRAGON_PONG | (SECOND_DRAGON if dragons == 2 else 0)
    if winds == 4:
        items |= BIG_WINDS
    elif winds == 3 and WINDS <= pair < DRAGONS:
        items |= LITTLE_WINDS
    else:
        if triplets >> (WINDS + np.int64(s.round_wind)) & 1:
            items |= ROUND_WIND
        if triplets >> (WINDS + (np.int64(q) - np.int64(s.dealer)) % 4) & 1:
            items |= SEAT_WIND
    return items


@kernel
def settled(s, items, triplets, wait, kinds):
    """Add what depends on the winning tile's place and how many `kinds` are waited for; remove what §15 excludes.

    `triplets` counts the concealed ones.
    """
    if wait == TRIPLET and items & SELF_DRAW == 0:
        triplets -= 1
    if triplets >= 3:
        items |= THREE_CONCEALED if triplets == 3 else (FOUR_CONCEALED if triplets == 4 else FIVE_CONCEALED)
    if kinds == 1 and wait in (PAIR, CLOSED, EDGE) and (s.single_wait == 1 or items & ALL_CLAIMED == 0):
        items |= SINGLE_WAIT
    if wait != TWO_SIDED or kinds < 2 or items & (SELF_DRAW | ROBBED_KONG):
        items &= ~ALL_CHOWS
    if s.five_concealed == 0 and items & FIVE_CONCEALED:
        items &= ~ALL_PONGS
    if items & SELF_DRAW and items & CONCEALED_HAND:
        items = (items | CONCEALED_SELF_DRAW) & ~(SELF_DRAW | CONCEALED_HAND)
    if items & ALL_HONORS:
        items &= ~ALL_PONGS
    if items & (HEAVENLY | EARTHLY):
        items &= ~(SELF_DRAW | CONCEALED_HAND | CONCEALED_SELF_DRAW)
    if items & HEAVENLY:
        items &= ~(SINGLE_WAIT | KONG_DRAW)
    if items & HUMAN:
        items &= ~CONCEALED_HAND
    return items


@kernel
def best_items(s, q, win, drawn, given):
    """§14: find the items of the way to count the complete hand of seat `q` for the most tai.

    The winning tile is of kind `win`: one of those in the hand if it was `drawn`, else one more. `given` are the items
    that follow from how it came.
    """
    h, none = s.hand[q], np.int64(-1)
    add, drop = none if drawn else win, win if drawn else none
    given |= tile_items(s, q, add) | claim_items(s, q, given)
    kinds = 0 if given & HEAVENLY else waits(s, q, drop)
    kongs = candidates = np.int64(0)
    for j in range(s.melds[q]):
        kongs += s.form[q, j] == CONCEALED
    for i in range(KINDS):
        if count(h, i, add, -1) >= 3:
            candidates |= 1 << i
    best, most = 0, -1
    for pair in range(KINDS):
        pongs = candidates
        while count(h, pair, add, -1) >= 2:
            runs = chows(h, pair, pongs, add)
            if runs >= 0:
                items = given | split_items(s, q, pair, pongs, runs)
                for k in range(5):
                    wait = wait_at(k, pair if given & HEAVENLY else win, pair, pongs, runs)
                    if wait != NOWHERE:
                        found = settled(s, items, size(pongs) + kongs, wait, kinds)
                        if total(s, found) > most:
                            best, most = found, total(s, found)
            if pongs == 0:
                break
            pongs = (pongs - 1) & candidates
    return best


def best_items_one(states, seat, win, drawn, given):
    """Call `best_items` for record 0."""
    return best_items(states[0], seat, win, drawn, given)
