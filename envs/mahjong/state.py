"""The record of a hand of mahjong; § numbers refer to RULES.md.

``hand[q]`` counts the concealed tiles of seat q by kind. Its j-th meld is ``form[q, j]`` with the lowest kind
``kind[q, j]``; ``taken[q, j]`` is the kind that was claimed for it (-1: none) and ``giver[q, j]`` whose discard it was.
Discards stand in order in ``discard``, with the seat in ``by`` and who claimed them in ``claimed`` (-1: nobody);
``river[q]`` counts those that lie before seat q. The tile of a win by claim is nobody's: it stays ``offer``.
"""

import numpy as np

from ..engine.rng import below, kernel
from .constants import KINDS, MOST_MELDS, SEATS, WALL
from .tai import ITEMS, WORTH

DEAL, DRAW, SELF_KONG, MELDED_KONG, CLAIMED = range(5)  # how a turn began
DISCARDS = WALL + SEATS * MOST_MELDS + 1  # the most that a hand can have

# Actions (§20); answers are stored as the action less ANSWER.
DECLARE, WIN, TAKE_PONG, TAKE_KONG, TAKE_LOW, TAKE_MIDDLE, TAKE_HIGH, PASS = 34, 68, 69, 70, 71, 72, 73, 74
ANSWER = WIN - 1

HEAD_BUMP, ALL = range(2)
NO_BAN, OWN_DISCARD, STRICT = range(3)

OF_CHOICE = (
    "heavenly", "earthly", "human", "concealed_self_draw", "all_honors", "last_discard", "half_claimed",
)  # fmt: skip
CONSTANTS = (
    "dealer", "streak", "round_wind", "dealer_tai", "reserve", "reserve_per_kong", "tail_no_claim", "min_tai",
    "multi_win", "missed_win", "swap_call_ban", "kong_from_left", "win_after_melded_kong", "hide_concealed_kong",
    "ask_all", "single_wait", "five_concealed",
)  # fmt: skip


def state_dtype(**params: int | str) -> np.dtype:
    """Return the record's dtype, the same for all parameters.

    ``turn`` is the seat whose turn it is or whose tile is offered, ``start`` how its turn began, ``last`` the kind that
    it drew (-1: none), ``offer`` the kind that is offered (-1: none). ``answer`` holds what seats have answered, 0 for
    those that have not; ``missed`` who may not win for now; ``left`` counts the wall, ``kongs`` all declared kongs.
    After a win ``won`` holds the winners' tai + 1, ``payer`` who pays alone (-1: all), ``points`` the returns.
    """
    fields = [
        ("ply", "i4"),
        ("stake", "i4"),
        ("fan", "i4"),
        ("points", "i4", (SEATS,)),
        ("left", "i2"),
        ("discards", "i2"),
        ("won", "i2", (SEATS,)),
        ("to_move", "i1"),
        ("turn", "i1"),
        ("phase", "i1"),
        ("start", "i1"),
        ("last", "i1"),
        ("offer", "i1"),
        ("payer", "i1"),
        ("kongs", "i1"),
        ("answer", "i1", (SEATS,)),
        ("missed", "i1", (SEATS,)),
        ("melds", "i1", (SEATS,)),
        ("hand", "i1", (SEATS, KINDS)),
        ("form", "i1", (SEATS, MOST_MELDS)),
        ("kind", "i1", (SEATS, MOST_MELDS)),
        ("taken", "i1", (SEATS, MOST_MELDS)),
        ("giver", "i1", (SEATS, MOST_MELDS)),
        ("wall", "i1", (KINDS,)),
        ("discard", "i1", (DISCARDS,)),
        ("by", "i1", (DISCARDS,)),
        ("claimed", "i1", (DISCARDS,)),
        ("river", "i1", (SEATS, KINDS)),
        ("worth", "i1", (len(WORTH),)),
        *[(name, "i1") for name in CONSTANTS],
    ]
    return np.dtype(fields, align=True)


def blank(**params: int | str) -> np.ndarray:
    """Return one record, shape (1,), with its constants set."""
    record = np.zeros(1, state_dtype(**params))
    values = {
        **params,
        "stake": params["base"],
        "multi_win": ("head_bump", "all").index(str(params["multi_win"])),
        "missed_win": ("none", "until_own_discard", "strict").index(str(params["missed_win"])),
        "single_wait": params["single_wait_all_claimed"],
        "five_concealed": params["five_concealed_all_pongs"],
    }
    for name in ("stake", "fan", *CONSTANTS):
        record[name] = values[name]
    record["worth"] = WORTH
    for name in OF_CHOICE:
        record["worth"][0, ITEMS.index(name)] = params[name]
    return record


@kernel
def live(s):
    """§4: count the tiles that can still be drawn."""
    return np.int64(s.left) - np.int64(s.reserve) - np.int64(s.reserve_per_kong) * np.int64(s.kongs)


@kernel
def after(q):
    """§3: the seat whose turn follows."""
    return (q + 1) % SEATS


@kernel
def draw_from(counts, n, rng):
    """Draw one of `n` tiles, all equally likely, with one random number; return its kind."""
    i, k = below(rng, n), 0
    while i >= counts[k]:
        i -= counts[k]
        k += 1
    return k
