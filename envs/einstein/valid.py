"""What a record of EinStein würfelt nicht! must be to be a position; § numbers refer to RULES.md.

Positions that somebody has set up are among them: they have no latest action, and any number of plies that says
whose turn it is.
"""

from ..engine.protocol import CHANCE, OVER
from ..engine.rng import kernel

CONSTANTS = ("fixed", "nearest", "columns")
"""Fields that `blank` sets for good."""

FLAWS = (
    "columns is how many squares of the board a row has",
    "square is where on the board a stone stands, and -1 for one that is off it",
    "board holds the stones where square says that they stand",
    "left counts each seat's stones",
    "no seat has more steps to go than at the start",
    "ply is at least 0 and leaves room for a game",
    "winner is the seat that has just moved and is home or has captured all, or -1",
    "turn is the seat whose turn it is, and after a win the winner",
    "to_move is turn, -1 before the roll, or -2 once the game has ended",
    "die is 0 before the roll and after a win, and else a face",
    "last has brought its stone from an empty square to where it stands, or is -1",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(COLUMNS, SQUARE, BOARD, LEFT, STEPS, PLY, WINNER, TURN, MOVER, DIE, LAST) = range(len(FLAWS))

MOST = 1 << 30  # plies at the end of a game: a set-up may say any number, but counting on must not overflow


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    k, size, columns = s.square.size // 2, s.board.size, int(s.columns)
    if columns < 1 or size % columns != 0:
        return COLUMNS
    for i in range(2 * k):
        if s.square[i] < -1 or s.square[i] >= size:
            return SQUARE
    if not agrees(s):
        return BOARD
    for seat in range(2):
        if s.left[seat] != count(s, seat):
            return LEFT
    for seat in range(2):
        if steps_left(s, seat) > steps_at_start(k, size // columns, columns):
            return STEPS
    if s.ply < 0 or int(s.ply) + steps_left(s, 0) + steps_left(s, 1) > MOST:
        return PLY
    mover = (s.ply + 1) % 2
    if s.winner < -1 or s.winner > 1 or s.winner == 1 - mover or not wins_are_told(s):
        return WINNER
    if s.turn != (mover if s.winner >= 0 else 1 - mover):
        return TURN
    if s.to_move != OVER and (s.winner >= 0 or (s.to_move != CHANCE and s.to_move != s.turn)):
        return MOVER
    rolled = s.to_move != CHANCE and s.winner < 0
    if s.die < rolled or s.die > rolled * k:
        return DIE
    if s.last != -1 and not has_moved(s, mover):
        return LAST
    return -1


@kernel
def agrees(s):
    """Whether every stone on the board stands on its square, and every stone's square holds it on the board."""
    for i in range(s.square.size):
        if s.square[i] >= 0 and s.board[s.square[i]] != i + 1:
            return False
    for at in range(s.board.size):
        i = int(s.board[at]) - 1
        if i < -1 or i >= s.square.size or (i >= 0 and s.square[i] != at):
            return False
    return True


@kernel
def count(s, seat):
    """Count a seat's stones on the board."""
    k, n = s.square.size // 2, 0
    for i in range(seat * k, seat * k + k):
        n += s.square[i] >= 0
    return n


@kernel
def steps_left(s, seat):
    """Count the steps along rows and columns that a seat's stones have to go."""
    k, columns, n = s.square.size // 2, int(s.columns), 0
    for i in range(seat * k, seat * k + k):
        if s.square[i] >= 0:
            at = s.square[i] if seat == 1 else s.board.size - 1 - s.square[i]
            n += at // columns + at % columns
    return n


@kernel
def steps_at_start(k, rows, columns):
    """§3: count them for a seat at the start, where k stones fill the shortest diagonals of its corner that fit."""
    t, placed, steps = 0, 0, 0
    while placed < k and (t == 0 or t < min(rows, columns) - 1):
        new = min(t + 1, k - placed)
        steps += new * (rows + columns - 2 - t)
        placed += new
        t += 1
    return steps


@kernel
def wins_are_told(s):
    """§8: whether `winner` has won, and nobody else has."""
    k = s.square.size // 2
    for seat in range(2):
        home = s.left[1 - seat] == 0
        for i in range(seat * k, seat * k + k):
            home |= s.square[i] == (s.board.size - 1 if seat == 0 else 0)
        if home != (s.winner == seat):
            return False
    return True


@kernel
def has_moved(s, mover):
    """§6: whether `last` is an action that may have brought the mover's stone to its square."""
    k, columns = s.square.size // 2, int(s.columns)
    if s.ply == 0 or s.last < 0 or s.last >= 3 * k:
        return False
    at, d = int(s.square[mover * k + s.last // 3]), s.last % 3
    if at < 0:
        return False
    back = -1 if mover == 0 else 1
    r, c = at // columns + back * (d != 0), at % columns + back * (d != 1)
    return 0 <= r < s.board.size // columns and 0 <= c < columns and s.board[r * columns + c] == 0
