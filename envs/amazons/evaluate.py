"""What a position of Amazons is worth: who reaches the empty cells first, by queen and king moves, and who is shut in.

After Jens Lieberum, "An evaluation function for the game of Amazons" (2005). Where the seats' regions are closed, what
counts is how many cells each reaches first; as long as the board is open, it is how much nearer a seat is, and how
freely each of its amazons moves. A row of the board is an integer here, with a bit for every column.
"""

import numpy as np

from ..engine.rng import kernel
from ..engine.spec import Game
from ..grid.board import side
from .constants import ARROW, GO, QUEEN, SHOOT
from .rules import phase

SCALE = 200.0

# In hundredths of log odds, fitted to games of `alphabeta:depth=1` with itself; SHUT and OPEN were chosen by matches.
FIRST = 50  # a cell that a seat reaches first, by queen moves
TIE = 10  # one that both reach at once, to the seat to move
LEAD, OPEN_LEAD = 27, 4  # FAR king moves by which a seat is nearer to a cell, on a closed board and on an open one
TEMPO = 40  # being to move, on an open board
SHUT = 200  # an amazon that cannot move, on an open board; a free one costs a tenth of it or less

FAR = 6  # most king moves by which a seat counts as nearer to a cell
OPEN = 80  # measure of contest from which a board is open
AHEAD = 64  # worth of the next cell to an amazon's freedom; every further one is worth half as much


def notes(game: Game) -> np.ndarray:
    """Return one record (1,): rows of the empty cells and of each seat's amazons, and room to let them spread."""
    n = game.params["board_size"]
    fields = [
        ("empty", "i4", (n,)),
        ("amazons", "i4", (2, n)),
        ("front", "i4", (2, n)),
        ("spread", "i4", (2, n)),
        ("unseen", "i4", (2, n)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def survey(s, e):
    """Write the rows of empty cells and of amazons."""
    n = side(s)
    e.empty[:] = 0
    e.amazons[:] = 0
    for cell in range(s.board.size):
        stands = np.int64(s.board[cell])
        if stands == 0:
            e.empty[cell // n] |= 1 << cell % n
        elif stands != ARROW:
            e.amazons[stands - 1, cell // n] |= 1 << cell % n


@kernel
def follow(before, s, e, a):
    """§5: move the amazon in hand; §6: close a cell."""
    n = side(s)
    if phase(before) == GO:
        for cell in (np.int64(before.last), np.int64(a)):
            e.empty[cell // n] ^= 1 << cell % n
            e.amazons[before.to_move, cell // n] ^= 1 << cell % n
    elif phase(before) == SHOOT:
        e.empty[a // n] ^= 1 << a % n


@kernel
def count(bits):
    """Count the ones among 32 bits, by pairs, by fours, by eights and in all."""
    bits -= bits >> 1 & 0x55555555
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333)
    return ((bits + (bits >> 4) & 0x0F0F0F0F) * 0x01010101 >> 24) & 0xFF


@kernel
def along(bits, empty):
    """Find the cells of a row that rooks on some of its cells reach: they pass one, then two, four, … cells more."""
    left = right = bits
    through_left = through_right = empty
    for far in (1, 2, 4, 8, 16):
        left |= through_left & left << far
        right |= through_right & right >> far
        through_left &= through_left << far
        through_right &= through_right >> far
    return (left | right) & empty


@kernel
def as_queens(front, empty, spread):
    """Write the empty cells that queens on the cells of `front` reach in one move."""
    n = empty.size
    for r in range(n):
        spread[r] = along(np.int64(front[r]), np.int64(empty[r]))
    for upward in range(2):
        straight = left = right = np.int64(0)
        for i in range(n):
            r = n - 1 - i if upward else i
            here, bits = np.int64(empty[r]), np.int64(front[r])
            straight, left, right = straight & here, left << 1 & here, right >> 1 & here
            spread[r] |= straight | left | right
            straight, left, right = straight | bits, left | bits, right | bits


@kernel
def as_kings(front, empty, spread):
    """Write the empty cells that kings on the cells of `front` reach in one move."""
    n = empty.size
    for r in range(n):
        bits = np.int64(front[r])
        if r > 0:
            bits |= front[r - 1]
        if r < n - 1:
            bits |= front[r + 1]
        spread[r] = (bits | bits << 1 | bits >> 1) & empty[r]


@kernel
def race(e, queens):
    """Let all amazons spread over the empty cells, move by move of queens or of kings.

    Return how many more cells seat 0 reaches first; how many both reach at once; how many are in contest, counted
    twice if both reach them at once and once if one of them comes a move later; and by how many moves in all seat 0 is
    nearer, at most FAR for each cell.
    """
    n, level, nearer = e.empty.size, 0, 0
    first = ties = contest = lead = 0
    for seat in range(2):
        for r in range(n):
            e.front[seat, r], e.unseen[seat, r] = e.amazons[seat, r], e.empty[r]
    spreading = True
    while spreading:
        for seat in range(2):
            if queens:
                as_queens(e.front[seat], e.empty, e.spread[seat])
            else:
                as_kings(e.front[seat], e.empty, e.spread[seat])
        spreading = False
        for r in range(n):
            unseen, unseen_too = np.int64(e.unseen[0, r]), np.int64(e.unseen[1, r])
            mine, theirs = unseen & e.spread[0, r], unseen_too & e.spread[1, r]
            if mine | theirs:
                spreading = True
                nearer += count(mine) - count(theirs)
                first += count(mine & unseen_too & ~theirs) - count(theirs & unseen & ~mine)
                ties += count(mine & theirs)
                contest += count(mine & e.front[1, r]) + count(theirs & e.front[0, r])
            e.unseen[0, r], e.unseen[1, r] = unseen & ~mine, unseen_too & ~theirs
            e.front[0, r], e.front[1, r] = mine, theirs
        lead += nearer if level < FAR else 0
        level += 1
    # The other seat will never reach what only one has reached by now.
    return first, ties, contest + 2 * ties, lead + nearer * max(0, FAR - level)


@kernel
def freedom(s, cell):
    """Add up the cells that the amazon on a cell reaches, the nearest counting most."""
    b, n = s.board, side(s)
    row, column = cell // n, cell % n
    total = 0
    for dr, dc in QUEEN:
        r, c, worth = row + dr, column + dc, AHEAD
        while 0 <= r < n and 0 <= c < n and b[r * n + c] == 0:
            total += worth
            worth //= 2
            r, c = r + dr, c + dc
    return total


@kernel
def evaluate(s, e, seat):
    """Value a position; the amazons of a seat that only has to shoot are where the other finds them."""
    first, ties, contest, _ = race(e, True)
    _, _, _, lead = race(e, False)
    turn = 0 if phase(s) == SHOOT else 1 if s.to_move == 0 else -1
    shut = 0
    for cell in range(s.board.size):
        if s.board[cell] == 1:
            shut += SHUT * AHEAD // (AHEAD + freedom(s, cell))
        elif s.board[cell] == 2:
            shut -= SHUT * AHEAD // (AHEAD + freedom(s, cell))
    opened = min(contest, OPEN)
    on_open = FAR * (TEMPO * turn - shut) + OPEN_LEAD * lead
    on_closed = FAR * (FIRST * first + TIE * ties * turn) + LEAD * lead
    value = np.int64((opened * on_open + (OPEN - opened) * on_closed) / (FAR * OPEN))
    return value if seat == 0 else -value
