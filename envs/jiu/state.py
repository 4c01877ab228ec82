"""The record of a game of Jiu, and how stones are put on its board and taken off.

Points are numbered row by row from the top left. ``board`` holds 0 for an empty point and seat + 1 for a stone.
``stones``, ``rows``, ``columns`` and ``squares`` count a seat's stones, those in every line, and its unit squares (§8).
"""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import side
from ..grid.repetition import quiet_fields
from . import SPEC
from .constants import LOOKED_BACK

OPTIONS = ("layout_only", "gun", "must_take", "revisit", "dalian_gates", "repetition")
CHOICES = ("flying", "single_jump_ban", "dalian_win")


def state_dtype(board_size: int, **params: int | str) -> np.dtype:
    """Return the record's dtype, which depends only on the board's size.

    ``turns`` of the battle are over, the last ``quiet`` of them took nothing; they moved a stone from ``source`` to
    ``target`` (ring buffers). ``seen`` counts how often this position has occurred before a turn. Of the turn in
    progress: ``start``, where its stone came from (-1: nothing moved yet), ``runner``, the stone that jumps or is
    lifted (-1: none), ``jumps``, ``least``, the fewest jumps allowed, ``taken`` stones, and ``due``, those still to
    take; ``been`` marks where it has stood, if that matters. ``latest`` is the point that each seat used last (-1:
    none), ``winner`` a seat (-1: none), and ``drawn`` 1 after a draw.
    """
    fields = [
        ("ply", "i4"),
        ("turns", "i4"),
        ("quiet", "i4"),
        ("max_turns", "i4"),
        ("no_capture_limit", "i2"),
        ("start", "i2"),
        ("runner", "i2"),
        ("jumps", "i2"),
        ("taken", "i2"),
        ("seen", "i2"),
        ("latest", "i2", (2,)),
        ("stones", "i2", (2,)),
        ("squares", "i2", (2,)),
        *quiet_fields(LOOKED_BACK),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("drawn", "i1"),
        ("phase", "i1"),
        ("least", "i1"),
        ("due", "i1"),
        *[(name, "i1") for name in (*OPTIONS, *CHOICES)],
        ("rows", "i1", (2, board_size)),
        ("columns", "i1", (2, board_size)),
        ("board", "i1", (board_size * board_size,)),
        ("been", "i1", (board_size * board_size,)),
    ]
    return np.dtype(fields, align=True)


def blank(**params: int | str) -> np.ndarray:
    """Return one record, shape (1,), with its constants set: choices by their places in the spec."""
    record = np.zeros(1, state_dtype(board_size=int(params["board_size"])))
    for name in (*OPTIONS, "no_capture_limit", "max_turns"):
        record[name] = params[name]
    for name in CHOICES:
        record[name] = SPEC.params[name].choices.index(str(params[name]))
    return record


@kernel
def squares_at(s, p, stone):
    """§8: count the unit squares of stones like `stone` around point `p`, which has one or will."""
    b, n = s.board, side(s)
    r, c = p // n, p % n
    up, down = r > 0 and b[p - n] == stone, r < n - 1 and b[p + n] == stone
    left, right = c > 0 and b[p - 1] == stone, c < n - 1 and b[p + 1] == stone
    count = np.int64(0)
    if up and left and b[p - n - 1] == stone:
        count += 1
    if up and right and b[p - n + 1] == stone:
        count += 1
    if down and left and b[p + n - 1] == stone:
        count += 1
    if down and right and b[p + n + 1] == stone:
        count += 1
    return count


@kernel
def put_stone(s, p, seat):
    """Put a stone of `seat` on the empty point `p`."""
    n = side(s)
    s.squares[seat] += squares_at(s, p, seat + 1)
    s.board[p] = seat + 1
    s.stones[seat] += 1
    s.rows[seat, p // n] += 1
    s.columns[seat, p % n] += 1


@kernel
def lift_stone(s, p, seat):
    """Take the stone of `seat` off point `p`."""
    n = side(s)
    s.board[p] = 0
    s.squares[seat] -= squares_at(s, p, seat + 1)
    s.stones[seat] -= 1
    s.rows[seat, p // n] -= 1
    s.columns[seat, p % n] -= 1
