"""The bounded table of positions that alpha-beta search has met, and its kernels.

Buckets of four entries of 16 bytes, as many as fit a line of a processor's cache. Every entry belongs to the search of
one decision, its generation; entries of other generations count as empty, so a new search starts with an empty table
at no cost, and what one game stored cannot change what is found in another.
"""

import numpy as np

from .evaluation import WIN

ENTRY = np.dtype([("position", "u8"), ("value", "i4"), ("move", "i2"), ("depth", "i1"), ("about", "u1")], align=True)
"""The position's hash, its value as a bound from the mover's side, the best action (-1: unknown), the turns searched,
and 4 x generation + the kind of bound."""

BUCKET = 4
UPPER, LOWER, EXACT = 1, 2, 3  # kinds of bound; 0 in an entry that was never used
GENERATIONS = 63  # numbered from 1


def make_table(entries: int) -> np.ndarray:
    """Allocate a table of at most `entries` entries: the largest power of 2, or none below one bucket."""
    return np.zeros(1 << (entries.bit_length() - 1) if entries >= BUCKET else 0, ENTRY)


def find_entry(table, generation, position):
    """Find the entry of a position; -1 when there is none."""
    if table.shape[0] == 0:
        return -1
    first = np.int64(position & np.uint64(table.shape[0] - BUCKET))
    for i in range(first, first + BUCKET):
        if table[i].position == position and np.int64(table[i].about) >> 2 == generation:
            return i
    return -1


def write_entry(table, generation, position, value, move, depth, bound):
    """Store what a search of a position gave; in a full bucket it displaces the entry searched least deeply."""
    if table.shape[0] == 0:
        return
    first = np.int64(position & np.uint64(table.shape[0] - BUCKET))
    victim, least = first, np.int64(1000)
    for i in range(first, first + BUCKET):
        if np.int64(table[i].about) >> 2 != generation:
            if least > -1000:
                victim, least = i, np.int64(-1000)
        elif table[i].position == position:
            victim = i
            if move < 0:
                move = np.int64(table[i].move)
            break
        elif table[i].depth < least:
            victim, least = i, np.int64(table[i].depth)
    entry = table[victim]
    entry.position, entry.value, entry.move = position, value, move
    entry.depth, entry.about = depth, 4 * generation + bound


def value_in(value, level):
    """Turn a value at a level of the search into the entry's, where a win is counted from the position itself."""
    return value + level if value > WIN else value - level if value < -WIN else value


def value_out(value, level):
    """Turn an entry's value into that at a level of the search, where a win is counted from the root."""
    return value - level if value > WIN else value + level if value < -WIN else value
