"""Kernels over lists of actions and their ranks, in which the highest come first."""

from .rng import kernel


@kernel
def bring_best(moves, ranks, i, n):
    """Exchange candidate i with the first of the highest rank after it, if that rank is higher.

    The highest rank is found first, then its place: that way compilers look at many ranks at once.
    """
    behind = ranks[i:n]
    highest = behind[0]
    for j in range(behind.size):
        highest = max(highest, behind[j])
    best = i
    while ranks[best] != highest:
        best += 1
    a, rank = moves[best], ranks[best]
    moves[best], ranks[best] = moves[i], ranks[i]
    moves[i], ranks[i] = a, rank
