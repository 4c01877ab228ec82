"""Virtual connections on a Hex board: what a seat can join even if the enemy moves first (H-search, Anshelevich 2002).

The ends of a connection are points: an empty cell, a group of the seat's stones, or a side, which takes in the groups
that touch it. A full connection joins its ends whatever the enemy plays, a semi-connection if the seat moves first, on
its key. Both need only the empty cells of their carrier, which includes the key but not the ends.

Two full connections can be combined if they meet at a point, have no cell in common and do not pass through each
other's ends. Over a group they give a full connection, over an empty cell a semi-connection with that cell as its key
(and-rule). Semi-connections of one pair give a full connection if no cell is in all their carriers (or-rule).

What is found is sound, but not all there is: every pair keeps only a few carriers, the smallest, and connections
between two empty cells are short. A carrier is a set of cells, a bit each in words of 64. Points are numbered as cells,
a group by its first stone, then the two sides.
"""

import numpy as np

from ..engine.rng import kernel
from ..grid.bitset import copy, count, count_both, has, intersect, is_nothing, meets, put_in, unite, within
from .distance import ring
from .fill import EMPTY, place

FULLS, SEMIS = 10, 24  # carriers that a pair keeps of each kind
PAIRS = 16  # pairs kept per point: of empty cells, only near ones connect
WAYS = 64  # semi-connections between the sides that are kept
LONGEST = 4  # cells in the carrier of a connection that has an empty cell at each end
ROOM = 8  # most full connections that one use of the or-rule gives
WORK = 400_000  # pairs of connections looked at, at most
UNNAMED = -2  # temporarily, the point of a stone
# Rows of scratch: the current connection, what the and-rule makes from it, and what the or-rule works on.
AT, MADE, MEET, UNION, SWEPT = 0, 1, 2, 3, 4


def net_dtype(n: int) -> np.dtype:
    """Return the dtype of a seat's connections on a board of n x n cells.

    `won` says that a full connection joins the sides and `key` names a move that joins them (-1: none known). `must`
    is the intersection of the carriers of all semi-connections found between the sides, all ones where there are none;
    `way` and `keys` are the first of these; `middle` is the key of any other. A pair's number is in `pair` (-1: none).
    The and-rule has yet to extend what is `fresh`; pairs with fresh connections wait in a ring, the `queue`. `link`
    lists the points that each point is connected with.
    """
    points, words = n * n + 2, -(-n * n // 64)
    pairs = min(points * (points - 1) // 2, PAIRS * points)
    fields = [
        ("must", "u8", (words,)),
        ("full", "u8", (pairs, FULLS, words)),
        ("semi", "u8", (pairs, SEMIS, words)),
        ("way", "u8", (WAYS, words)),
        ("gained", "u8", (words,)),
        ("lost", "u8", (words,)),
        ("scratch", "u8", (5 + ROOM, words)),
        ("pairs", "i4"),
        ("work", "i4"),
        ("first", "i4"),
        ("waiting", "i4"),
        ("made", "i4"),
        ("ways", "i4"),
        ("key", "i2"),
        ("keys", "i2", (WAYS,)),
        ("group", "i2", (n * n,)),
        ("pile", "i2", (n * n,)),
        ("pair", "i2", (points, points)),
        ("links", "i2", (points,)),
        ("link", "i2", (points, points)),
        ("ends", "i2", (pairs, 2)),
        ("queue", "i2", (pairs,)),
        ("middle", "i2", (pairs, SEMIS)),
        ("fulls", "i1", (pairs,)),
        ("semis", "i1", (pairs,)),
        ("queued", "i1", (pairs,)),
        ("fresh", "i1", (pairs, FULLS)),
        ("changed", "i1", (pairs,)),
        ("won", "i1"),
    ]
    return np.dtype(fields, align=True)


@kernel
def connect(net, framed, n, seat, enough):
    """Find a seat's connections on a framed board; stop once the sides are joined or, if `enough`, half joined."""
    clear(net)
    mark_stones(net, framed, n, seat)
    gather_sides(net, n, seat)
    gather_others(net, n)
    if not net.won:
        touch_neighbours(net, framed, n, seat)
        complete(net, framed, n, enough)


@kernel
def complete(net, framed, n, enough):
    """Apply the rules until nothing waits, the sides are joined or, if `enough`, half joined, or `WORK` is done."""
    while net.waiting > 0 and not net.won and net.work < WORK and not (enough and net.key >= 0):
        k = np.int64(net.queue[net.first])
        net.first = (net.first + 1) % net.queue.size
        net.waiting -= 1
        net.queued[k] = 0
        for i in range(net.fulls[k]):
            if net.fresh[k, i]:
                net.fresh[k, i] = 0
                copy(net.full[k, i], net.scratch[AT])
                extend(net, framed, n, np.int64(net.ends[k, 0]), np.int64(net.ends[k, 1]))
                extend(net, framed, n, np.int64(net.ends[k, 1]), np.int64(net.ends[k, 0]))


@kernel
def clear(net):
    """Forget everything."""
    net.must[:] = ~np.uint64(0)
    net.pairs = net.ways = net.work = net.first = net.waiting = 0
    net.key, net.won = -1, 0
    net.pair[:] = -1
    net.links[:] = 0


@kernel
def mark_stones(net, framed, n, seat):
    """Name the point of every empty cell; -1 for an enemy's stone, UNNAMED for the seat's own."""
    for i in range(n * n):
        stone = framed[place(n, i)]
        net.group[i] = i if stone == EMPTY else UNNAMED if stone == seat + 1 else -1


@kernel
def gather_sides(net, n, seat):
    """Name the points of the groups that touch the sides; one group may join both."""
    cells = n * n
    step = 1 if seat == 0 else n
    for end in range(2):
        for k in range(n):
            i = k * step + end * (cells - n if seat == 0 else n - 1)
            if net.group[i] == UNNAMED:
                gather(net, n, i, cells + end)
            elif end == 1 and net.group[i] == cells:
                net.won = 1


@kernel
def gather_others(net, n):
    """Name the points of all other groups."""
    for i in range(n * n):
        if net.group[i] == UNNAMED:
            gather(net, n, i, i)


@kernel
def gather(net, n, i, point):
    """Name the point of a stone's whole group."""
    net.group[i], net.pile[0] = point, i
    height = 1
    while height > 0:
        height -= 1
        p = place(n, np.int64(net.pile[height]))
        for j in range(6):
            q = ring(n, p, j)
            i = inside(n, q)
            if i >= 0 and net.group[i] == UNNAMED:
                net.group[i], net.pile[height] = point, i
                height += 1


@kernel
def inside(n, p):
    """Find which cell stands at p; -1 for the frame."""
    r, c = p // (n + 2), p % (n + 2)
    return (r - 1) * n + c - 1 if 0 < r <= n and 0 < c <= n else -1


@kernel
def touch_neighbours(net, framed, n, seat):
    """Connect points that touch, with empty carriers."""
    net.scratch[MADE, :] = np.uint64(0)
    for i in range(n * n):
        if net.group[i] == i and framed[place(n, i)] == EMPTY:
            at = i // n if seat == 0 else i % n
            if at == 0:
                add_full(net, framed, n, i, n * n, MADE)
            if at == n - 1:
                add_full(net, framed, n, i, n * n + 1, MADE)
            for j in range(6):
                q = inside(n, ring(n, place(n, i), j))
                if q >= 0 and net.group[q] >= 0 and (q > i or framed[place(n, q)] != EMPTY):
                    add_full(net, framed, n, i, np.int64(net.group[q]), MADE)


@kernel
def is_empty(framed, n, point):
    """Whether a point is an empty cell."""
    return point < n * n and framed[place(n, point)] == EMPTY


@kernel
def extend(net, framed, n, far, over):
    """Apply the and-rule to the current connection, from `far` to `over`, and all those that lead on from there."""
    half = is_empty(framed, n, over)
    for i in range(net.links[over]):
        to = np.int64(net.link[over, i])
        if to != far and not (to < n * n and has(net.scratch[AT], to)):
            k = np.int64(net.pair[over, to])
            for j in range(net.fulls[k]):
                net.work += 1
                if not net.fresh[k, j] and fits(net, k, j, far, n):
                    unite(net.full[k, j], net.scratch[AT], net.scratch[MADE])
                    if half:
                        put_in(net.scratch[MADE], over)
                        add_semi(net, framed, n, far, to, over)
                    else:
                        add_full(net, framed, n, far, to, MADE)


@kernel
def fits(net, k, j, far, n):
    """Whether a full connection shares no cell with the current one and does not pass through its far end."""
    carrier, at = net.full[k, j], net.scratch[AT]
    return not meets(carrier, at) and not (far < n * n and has(carrier, far))


@kernel
def pair_of(net, x, y):
    """Find the entry of a pair, or make it; -1 if there is no room."""
    k = np.int64(net.pair[x, y])
    if k < 0 and net.pairs < net.fulls.size:
        k = np.int64(net.pairs)
        net.pairs += 1
        net.pair[x, y] = net.pair[y, x] = k
        net.ends[k, 0], net.ends[k, 1] = x, y
        net.fulls[k] = net.semis[k] = net.queued[k] = 0
    return k


@kernel
def too_long(framed, n, x, y, size):
    """Whether a carrier of this size is too large to be kept for a pair of empty cells."""
    return size > LONGEST and is_empty(framed, n, x) and is_empty(framed, n, y)


@kernel
def add_full(net, framed, n, x, y, row):
    """Keep a full connection, if it is worth it, and let it be extended."""
    i = keep_full(net, framed, n, x, y, row)
    if i >= 0:
        k = np.int64(net.pair[x, y])
        net.fresh[k, i] = 1
        wait(net, k)


@kernel
def keep_full(net, framed, n, x, y, row):
    """Keep a full connection unless a known one lies within it, and drop those that contain it; its place or -1."""
    carrier = net.scratch[row]
    size = count(carrier)
    if too_long(framed, n, x, y, size):
        return -1
    k = pair_of(net, x, y)
    if k < 0 or covered(net.full[k], net.fulls[k], carrier):
        return -1
    if min(x, y) == n * n:
        net.won = 1
        return -1
    if net.fulls[k] == 0:
        add_link(net, x, y)
    net.fulls[k] = drop(net.full[k], net.fresh[k], np.int64(net.fulls[k]), carrier)
    net.semis[k] = drop(net.semi[k], net.middle[k], np.int64(net.semis[k]), carrier)
    i = place_for(net.full[k], np.int64(net.fulls[k]), size)
    if i < 0:
        return -1
    net.fulls[k] = max(np.int64(net.fulls[k]), i + 1)
    copy(carrier, net.full[k, i])
    net.fresh[k, i] = 0
    return i


@kernel
def wait(net, k):
    """Let a pair wait for its fresh connections to be extended."""
    if not net.queued[k]:
        net.queue[(net.first + net.waiting) % net.queue.size], net.queued[k] = k, 1
        net.waiting += 1


@kernel
def add_link(net, x, y):
    """Note that x and y have become connected."""
    net.link[x, net.links[x]] = y
    net.link[y, net.links[y]] = x
    net.links[x] += 1
    net.links[y] += 1


@kernel
def add_semi(net, framed, n, x, y, key):
    """Keep the semi-connection just made, if it is worth it, and apply the or-rule to it."""
    i = keep_semi(net, framed, n, x, y, key)
    if i >= 0:
        combine(net, np.int64(net.pair[x, y]), i)
        for j in range(net.made):
            add_full(net, framed, n, x, y, SWEPT + 1 + j)


@kernel
def keep_semi(net, framed, n, x, y, key):
    """Keep the semi-connection just made unless a known connection lies within it; its place or -1.

    Semi-connections that contain it are dropped; those that join the sides have a list of their own.
    """
    carrier = net.scratch[MADE]
    if min(x, y) == n * n:
        add_way(net, carrier, key)
        return -1
    size = count(carrier)
    if too_long(framed, n, x, y, size):
        return -1
    k = pair_of(net, x, y)
    if k < 0 or covered(net.full[k], net.fulls[k], carrier) or covered(net.semi[k], net.semis[k], carrier):
        return -1
    net.semis[k] = drop(net.semi[k], net.middle[k], np.int64(net.semis[k]), carrier)
    i = place_for(net.semi[k], np.int64(net.semis[k]), size)
    if i < 0:
        return -1
    net.semis[k] = max(np.int64(net.semis[k]), i + 1)
    copy(carrier, net.semi[k, i])
    net.middle[k, i] = key
    return i


@kernel
def add_way(net, carrier, key):
    """Note a semi-connection between the sides; if no cell is in all of them, they make a full one."""
    net.key = key
    intersect(net.must, carrier)
    net.won = is_nothing(net.must)
    if net.ways < WAYS and not covered(net.way, net.ways, carrier):
        copy(carrier, net.way[net.ways])
        net.keys[net.ways] = key
        net.ways += 1


@kernel
def combine(net, k, i):
    """Apply the or-rule to the i-th semi-connection of a pair and the others: two, three, or as many as it takes."""
    net.made = 0
    semi, many = net.semi[k], net.semis[k]
    copy(semi[i], net.scratch[MEET])
    for j in range(many):
        intersect(net.scratch[MEET], semi[j])
    if not is_nothing(net.scratch[MEET]):
        return
    for j in range(many):
        if not meets(semi[i], semi[j]):
            keep(net, semi[i], semi[j], semi[j])
    for j in range(many):
        if j != i and meets(semi[i], semi[j]):
            copy(semi[i], net.scratch[MEET])
            intersect(net.scratch[MEET], semi[j])
            for h in range(j + 1, many):
                if not meets(net.scratch[MEET], semi[h]) and meets(semi[i], semi[h]):
                    keep(net, semi[i], semi[j], semi[h])
    if net.made == 0:
        sweep(net, semi, many, i)


@kernel
def keep(net, a, b, c):
    """Write down the union of three carriers as a full connection, while there is room."""
    if net.made < ROOM:
        row = net.scratch[SWEPT + 1 + net.made]
        unite(a, b, row)
        unite(row, c, row)
        net.made += 1


@kernel
def sweep(net, semi, many, i):
    """Keep adding to a semi-connection the one that leaves the fewest cells in common, until none are left."""
    meet, union = net.scratch[MEET], net.scratch[UNION]
    copy(semi[i], meet)
    copy(semi[i], union)
    while not is_nothing(meet):
        best, least = 0, 1 << 20
        for j in range(many):
            left = count_both(meet, semi[j]) * 256 + count(semi[j])
            if left < least:
                best, least = j, left
        intersect(meet, semi[best])
        unite(union, semi[best], union)
    keep(net, union, union, union)


@kernel
def drop(carriers, marks, many, carrier):
    """Drop those of the first `many` carriers that contain `carrier`, with their marks; return how many stay."""
    for i in range(many - 1, -1, -1):
        if within(carrier, carriers[i]):
            many -= 1
            copy(carriers[many], carriers[i])
            marks[i] = marks[many]
    return many


@kernel
def place_for(carriers, many, size):
    """Find where a carrier of `size` cells goes: behind the first `many` or, if there is no room, in the place of the
    largest; -1 if that is no larger.
    """
    if many < carriers.shape[0]:
        return many
    i = np.int64(largest(carriers, many))
    return i if count(carriers[i]) > size else np.int64(-1)


@kernel
def covered(carriers, many, carrier):
    """Whether one of the first `many` carriers lies within `carrier`."""
    for i in range(many):
        if within(carriers[i], carrier):
            return True
    return False


@kernel
def largest(carriers, many):
    """Find the largest of the first `many` carriers."""
    best, most = 0, -1
    for i in range(many):
        size = count(carriers[i])
        if size > most:
            best, most = i, size
    return best
