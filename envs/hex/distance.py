"""Two-distances on a Hex board (van Rijswijck 2002): how far cells are from a side if the enemy may always interfere.

An empty cell next to a side is at distance 1 from it; any other is one further than the SECOND nearest of its
neighbours, because the other seat takes the nearest. Two cells are neighbours if they touch or if the seat's own stones
join them, and what stones join to a side is next to it.

The board stands in a frame of cells that belong to nobody, so that every cell has six around it; seat 1's is
mirrored, so that both seats' sides are the first row and the last.
"""

import numpy as np

from ..engine.rng import kernel

OWN, BLOCKED = 1, 2  # in the framed board, where 0 is empty
FAR = 99  # distance of what cannot be reached


@kernel
def frame(b, n, seat, framed):
    """Write the board as the seat sees it into `framed` ((n + 2)²,)."""
    framed[:] = BLOCKED
    for r in range(n):
        for c in range(n):
            stone = np.int64(b[r * n + c] if seat == 0 else b[c * n + r])
            framed[(r + 1) * (n + 2) + c + 1] = 0 if stone == 0 else OWN if stone == seat + 1 else BLOCKED


@kernel
def ring(n, p, j):
    """Find the j-th of the six framed cells around p; each also touches the next."""
    if j < 3:
        return p - (n + 2) if j == 0 else p - (n + 1) if j == 1 else p + 1
    return p + (n + 2) if j == 3 else p + (n + 1) if j == 4 else p - 1


@kernel
def measure(n, framed, last, far, work):
    """Write into `far` every empty cell's distance from the first row or the `last`; `work` (4, cells) is scratch.

    Cells leave the queue by distance, nearest first, and tell their neighbours: the second to tell sets the distance.
    """
    queue, pile, told, count = work[0], work[1], work[2], work[3]
    far[:] = FAR
    told[:] = -1
    count[:] = 1
    first = (n if last else 1) * (n + 2) + 1
    size = np.int64(0)
    for p in range(first, first + n):
        size = tell(n, framed, p, np.int64(0), np.int64(1), queue, size, pile, told, count, far)
    count[:] = 0
    done = 0
    while done < size:
        p = np.int64(queue[done])
        for j in range(6):
            size = tell(n, framed, ring(n, p, j), p, np.int64(far[p]) + 1, queue, size, pile, told, count, far)
        done += 1


@kernel
def tell(n, framed, p, teller, distance, queue, size, pile, told, count, far):
    """Tell a cell, or all cells that its stones join, that a neighbour is this near; return the queue's new length.

    No cell is told twice by the same one.
    """
    if framed[p] == BLOCKED or told[p] == teller:
        return size
    told[p] = teller
    pile[0] = p
    height = 1
    while height > 0:
        height -= 1
        p = np.int64(pile[height])
        if framed[p] == OWN:
            for j in range(6):
                q = ring(n, p, j)
                if framed[q] != BLOCKED and told[q] != teller:
                    told[q] = teller
                    pile[height] = q
                    height += 1
        elif far[p] == FAR:
            count[p] += 1
            if count[p] == 2:
                far[p] = distance
                queue[size] = p
                size += 1
    return size
