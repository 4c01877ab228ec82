"""Bring the connections on a Hex board up to date after stones have been added, without finding again what still holds.

Where the enemy has gained a cell, connections through it are lost. Where the seat has gained one, carriers that contain
it get smaller and groups grow together; only what changes as a result is combined anew. A pair that has lost its
carriers does not get back those for which it had no room, so a little less is found than by `connect`.
"""

import numpy as np

from ..engine.rng import kernel
from ..grid.bitset import copy, has, meets, put_in, subtract
from .connections import (
    MADE,
    SWEPT,
    UNNAMED,
    add_full,
    add_link,
    add_semi,
    add_way,
    clear,
    combine,
    complete,
    connect,
    gather,
    gather_others,
    gather_sides,
    keep_full,
    keep_semi,
    mark_stones,
    pair_of,
    wait,
)
from .fill import EMPTY, place


@kernel
def reconnect(old, net, before, framed, n, seat, enough):
    """Write to `net` the connections on a framed board, given the `old` ones on the board `before` new stones."""
    if old.won:  # by a connection that is not kept
        connect(net, framed, n, seat, enough)
        return
    clear(net)
    compare(net, before, framed, n, seat)
    mark_stones(net, framed, n, seat)
    gather_sides(net, n, seat)
    if net.won:
        return
    for i in range(n * n):
        if net.group[i] == UNNAMED and old.group[i] == i:
            gather(net, n, i, i)
    gather_others(net, n)
    for k in range(old.pairs):
        net.changed[k] = not stays(old, net, k, n)
        if not net.changed[k]:
            take_over(old, net, k)
    for k in range(old.pairs):
        if net.changed[k]:
            renew_fulls(old, net, framed, n, k)
    for k in range(old.pairs):
        if net.changed[k]:
            renew_semis(old, net, framed, n, k)
    for k in range(old.pairs):
        if not net.changed[k] and loses(old, net, k):
            recombine(net, framed, n, np.int64(net.pair[old.ends[k, 0], old.ends[k, 1]]))
    renew_ways(old, net)
    complete(net, framed, n, enough)


@kernel
def compare(net, before, framed, n, seat):
    """Note which cells the seat has gained and lost."""
    net.gained[:] = np.uint64(0)
    net.lost[:] = np.uint64(0)
    for i in range(n * n):
        p = place(n, i)
        if before[p] == EMPTY and framed[p] != EMPTY:
            put_in(net.gained if framed[p] == seat + 1 else net.lost, i)


@kernel
def point_now(net, point, n):
    """Find which point an earlier point has become; -1 for an enemy's stone."""
    return point if point >= n * n else np.int64(net.group[point])


@kernel
def same_point(net, point, n):
    """Whether a point is what it was: neither played on nor part of a group of another name."""
    return point >= n * n or (net.group[point] == point and not has(net.gained, point))


@kernel
def stays(old, net, k, n):
    """Whether a pair has the ends it had, and the seat gained nothing in its carriers."""
    if not (same_point(net, np.int64(old.ends[k, 0]), n) and same_point(net, np.int64(old.ends[k, 1]), n)):
        return False
    for i in range(old.fulls[k]):
        if meets(old.full[k, i], net.gained):
            return False
    for i in range(old.semis[k]):
        if meets(old.semi[k, i], net.gained):
            return False
    return True


@kernel
def take_over(old, net, k):
    """Copy what a pair has not lost."""
    x, y = np.int64(old.ends[k, 0]), np.int64(old.ends[k, 1])
    to = pair_of(net, x, y)
    count = np.int64(0)
    for i in range(old.fulls[k]):
        if not meets(old.full[k, i], net.lost):
            copy(old.full[k, i], net.full[to, count])
            net.fresh[to, count] = old.fresh[k, i]
            if old.fresh[k, i]:
                wait(net, to)
            count += 1
    net.fulls[to] = count
    if count > 0:
        add_link(net, x, y)
    count = np.int64(0)
    for i in range(old.semis[k]):
        if not meets(old.semi[k, i], net.lost):
            copy(old.semi[k, i], net.semi[to, count])
            net.middle[to, count] = old.middle[k, i]
            count += 1
    net.semis[to] = count
    if net.fulls[to] + net.semis[to] == 0:
        net.pairs = to
        net.pair[x, y] = net.pair[y, x] = -1


@kernel
def loses(old, net, k):
    """Whether a pair that stays has lost a full connection."""
    for i in range(old.fulls[k]):
        if meets(old.full[k, i], net.lost):
            return True
    return False


@kernel
def recombine(net, framed, n, k):
    """Apply the or-rule to all semi-connections of a pair, if it has any left."""
    i = np.int64(0)
    while k >= 0 and i < net.semis[k]:
        combine(net, k, i)
        for j in range(net.made):
            add_full(net, framed, n, np.int64(net.ends[k, 0]), np.int64(net.ends[k, 1]), SWEPT + 1 + j)
        i += 1


@kernel
def renew_fulls(old, net, framed, n, k):
    """Add the full connections of a pair that has changed; those that differ from before wait to be extended."""
    a, b = np.int64(old.ends[k, 0]), np.int64(old.ends[k, 1])
    x, y = point_now(net, a, n), point_now(net, b, n)
    same = same_point(net, a, n) and same_point(net, b, n)
    if x >= 0 and y >= 0 and x != y:
        for i in range(old.fulls[k]):
            if not meets(old.full[k, i], net.lost):
                subtract(old.full[k, i], net.gained, net.scratch[MADE])
                if same and not old.fresh[k, i] and not meets(old.full[k, i], net.gained):
                    keep_full(net, framed, n, x, y, MADE)
                else:
                    add_full(net, framed, n, x, y, MADE)


@kernel
def renew_semis(old, net, framed, n, k):
    """Add the semi-connections of a pair that has changed; one whose key has been played is a full one."""
    a, b = np.int64(old.ends[k, 0]), np.int64(old.ends[k, 1])
    x, y = point_now(net, a, n), point_now(net, b, n)
    if x >= 0 and y >= 0 and x != y:
        for i in range(old.semis[k]):
            if not meets(old.semi[k, i], net.lost):
                subtract(old.semi[k, i], net.gained, net.scratch[MADE])
                key = np.int64(old.middle[k, i])
                if has(net.gained, key):
                    add_full(net, framed, n, x, y, MADE)
                elif x == a and y == b and not meets(old.semi[k, i], net.gained):
                    keep_semi(net, framed, n, x, y, key)
                else:
                    add_semi(net, framed, n, x, y, key)


@kernel
def renew_ways(old, net):
    """Add the semi-connections between the sides; one whose key has been played joins them."""
    for i in range(old.ways):
        if not meets(old.way[i], net.lost):
            key = np.int64(old.keys[i])
            subtract(old.way[i], net.gained, net.scratch[MADE])
            add_way(net, net.scratch[MADE], key)
            if has(net.gained, key):
                net.won = 1
