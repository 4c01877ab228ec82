"""What a proof that a seat wins by fours and threes needs of a position: its threats, and all that meets them.

The attacker is the seat to move where a proof begins. It makes a four or an open three, or does what it must; the other
seat stops what is threatened, or makes fours itself. Where nothing is threatened the attack is over, so a loss here
means only that nothing is won in this way.
"""

import numpy as np

from ..engine.protocol import PROVEN
from ..engine.rng import kernel
from ..engine.spec import Game
from ..grid.bitset import copy
from . import evaluate
from .evaluate import follow, survey
from .shapes import COMPLETE, WINNING_FOUR
from .threats import find_kind, threats

WINS_ALONE = True
"""Only wins are proved: the lack of a proof says nothing about who wins."""


def notes(game: Game) -> np.ndarray:
    """Return one record (1,): the attacker, and what is kept for evaluation."""
    return np.zeros(1, np.dtype([("kept", evaluate.notes(game).dtype), ("attacker", "i1")], align=True))


@kernel
def examine(s, e):
    """Fill the notes from the stones; the seat to move is the attacker."""
    survey(s, e.kept)
    e.attacker = s.to_move


@kernel
def reexamine(old, s, e, a):
    """Fill the notes from those of the position before the latest stone."""
    e.kept.zobrist = old.kept.zobrist
    for seat in range(2):
        copy(old.kept.lines[seat], e.kept.lines[seat])
        copy(old.kept.shapes[seat], e.kept.shapes[seat])
        copy(old.kept.counts[seat], e.kept.counts[seat])
        copy(old.kept.kinds[seat], e.kept.kinds[seat])
    e.attacker = old.attacker
    follow(s, s, e.kept, a)


@kernel
def relevant(s, e, moves, ranks):
    """List what continues the attack, or meets it; PROVEN where the seat to move wins or nothing threatens it."""
    mover = np.int64(s.to_move)
    mine, theirs = e.kept.counts[mover], e.kept.counts[1 - mover]
    moves[0] = find_kind(e.kept, mover, COMPLETE)
    if mine[COMPLETE] > 0:
        return PROVEN
    if s.ply == s.board.size - 1:
        return 0 if mover == e.attacker else PROVEN
    if theirs[COMPLETE] > 1:
        return 0
    if theirs[COMPLETE] == 0 and mine[WINNING_FOUR] > 0:
        moves[0] = find_kind(e.kept, mover, WINNING_FOUR)
        return PROVEN
    if mover != e.attacker and theirs[COMPLETE] == 0 and theirs[WINNING_FOUR] == 0:
        return PROVEN
    return threats(s, e.kept, moves, ranks)
