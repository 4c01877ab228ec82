"""What a proof of who wins at Hex needs of a position: whether connections decide it and, if not, which moves matter.

The seat to move wins if it has joined its sides virtually or can with one move, and loses if the other seat has joined
its own. Otherwise it must play within the carriers of all the other's threats. Of those cells it can leave out

- vulnerable ones, where a stone can be killed at once by one answer. Taking back both stones is an answer no worse
  than playing on: whatever wins then, one move that is not vulnerable wins at once;
- those dominated by another cell that stays: a stone there would kill them.

Moves are ranked by the two-distances on the filled-in board. In a position that is won without a key, the move is
chosen by the two-distances on the board as it is.
"""

import numpy as np

from ..engine.protocol import PROVEN
from ..engine.rng import GOLDEN, hash64, kernel
from ..engine.spec import Game
from ..grid.bitset import copy, has, put_in, take_out
from ..grid.board import side
from . import evaluate
from .connections import connect, inside, net_dtype
from .distance import ring
from .evaluate import measure_ways, share
from .fill import EMPTY, KILLERS, fill, fill_on, place
from .reconnect import reconnect
from .rules import can_swap


def notes(game: Game) -> np.ndarray:
    """Return one record (1,): what connects for the seat to move and for the other, and room to find it."""
    n = game.params["board_size"]
    framed, net = (n + 2) ** 2, net_dtype(n)
    fields = [
        ("first", net),
        ("second", net),
        ("ways", evaluate.notes(game).dtype),
        ("kept", "u8", net["must"].shape),
        ("framed", "i1", (framed,)),
        ("code", "u2", (framed,)),
        ("pile", "i2", (framed,)),
        ("waits", "i1", (framed,)),
        ("filled", "i1", (n * n,)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def examine(s, e):
    """Fill the board in and find connections: for the seat to move until it wins, for the other all there are."""
    n, seat = side(s), np.int64(s.to_move)
    fill_in(s, e, n)
    connect(e.first, e.framed, n, np.int64(0), seat == 0)
    connect(e.second, e.framed, n, np.int64(1), seat == 1)


@kernel
def reexamine(old, s, e, a):
    """Write into `e` what `examine` would, from the notes `old` of the position in which the other seat played `a`."""
    n, seat = side(s), np.int64(s.to_move)
    if a == n * n or old.filled[a] != EMPTY:
        examine(s, e)
        return
    copy(old.framed, e.framed)
    copy(old.code, e.code)
    e.waits[:] = 0
    fill_on(n, e.framed, e.code, e.pile, e.waits, a, np.int64(2 - seat))
    for i in range(n * n):
        e.filled[i] = e.framed[place(n, i)]
    reconnect(old.first, e.first, old.framed, e.framed, n, np.int64(0), seat == 0)
    reconnect(old.second, e.second, old.framed, e.framed, n, np.int64(1), seat == 1)


@kernel
def fill_in(s, e, n):
    """Write the board with all settled cells filled in."""
    fill(s.board, n, e.framed, e.code, e.pile, e.waits)
    for i in range(n * n):
        e.filled[i] = e.framed[place(n, i)]


@kernel
def alike(s, e):
    """Hash the filled-in board or half a turn of it, the seat to move, and whether it may swap.

    `e` serves only as room to fill the board in: what `examine` wrote there is lost.
    """
    n = side(s)
    fill_in(s, e, n)
    first = last = np.uint64(2 * np.int64(s.to_move) + can_swap(s) + 8 * n) * GOLDEN
    for i in range(n * n):
        first = (first ^ np.uint64(e.filled[i])) * GOLDEN
        last = (last ^ np.uint64(e.filled[n * n - 1 - i])) * GOLDEN
        first ^= first >> np.uint64(29)
        last ^= last >> np.uint64(29)
    return hash64(min(first, last))


@kernel
def relevant(s, e, moves, ranks):
    """Write moves, one of which wins if any move does, and their ranks; 0 if none wins, PROVEN if ``moves[0]`` does."""
    if s.to_move == 0:
        return judge(s, e, e.first, e.second, moves, ranks)
    return judge(s, e, e.second, e.first, moves, ranks)


@kernel
def judge(s, e, mine, theirs, moves, ranks):
    """Do as `relevant` does, given what connects for the seat to move and for the other."""
    n = side(s)
    if s.swap == 1 and s.ply == 0:
        return list_all(n, moves, ranks)
    if mine.won or mine.key >= 0:
        moves[0] = mine.key if mine.key >= 0 else best_way(s, e, n)
        return PROVEN
    count = np.int64(0)
    if not theirs.won:
        measure_ways(e.filled, n, e.ways)
        count = list_cells(s, e, theirs, n, moves, ranks)
    if can_swap(s):
        moves[count], ranks[count] = n * n, 1
        count += 1
    return count


@kernel
def list_all(n, moves, ranks):
    """Write all cells: a first move that may be taken over is no better for winning more."""
    for i in range(n * n):
        moves[i], ranks[i] = i, 1
    return n * n


@kernel
def best_way(s, e, n):
    """Find the empty cell that most ways of the seat to move lead through: settled cells are still to be played."""
    measure_ways(s.board, n, e.ways)
    ways, best = e.ways.part[np.int64(s.to_move)], np.int64(-1)
    for i in range(n * n):
        if s.board[i] == EMPTY and (best < 0 or ways[i] > ways[best]):
            best = i
    return best


@kernel
def list_cells(s, e, theirs, n, moves, ranks):
    """Write the cells that must be played and are neither vulnerable nor dominated by another of them."""
    e.kept[:] = np.uint64(0)
    enemy, found = 2 - np.int64(s.to_move), False
    for i in range(n * n):
        if e.filled[i] == EMPTY and has(theirs.must, i) and KILLERS[enemy, e.code[place(n, i)]] == 0:
            put_in(e.kept, i)
            found = True
    count = np.int64(0)
    for i in range(n * n):
        if e.filled[i] == EMPTY and (has(e.kept, i) or (not found and has(theirs.must, i))):
            if not dominated(e, n, i, 3 - enemy):
                moves[count], ranks[count] = i, share(e.ways, i) + 1
                count += 1
            else:
                take_out(e.kept, i)
    return count


@kernel
def dominated(e, n, i, colour):
    """Whether a stone on another cell that is kept would kill this one."""
    killers = np.int64(KILLERS[colour, e.code[place(n, i)]])
    for j in range(6):
        if killers >> j & 1 and has(e.kept, inside(n, ring(n, place(n, i), j))):
            return True
    return False
