"""The rules of Surakarta over one record; § numbers refer to RULES.md.

Points are numbered row by row from the top left, see `loops`. ``board`` holds 0 for an empty point and seat + 1 for a
man; action 36 p + q moves the man on point p to q.
"""

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import GOLDEN, below, choose, hash64, kernel
from ..grid.board import hash_all, pay_winner
from ..grid.dihedral import images, in_blocks, moved
from ..grid.repetition import forget_turns, hash_turns, note_turn, occurrences, quiet_fields
from .constants import LOOKED_BACK, MEN, POINTS, SIDE
from .loops import NEAR, NEAR_OF, RAYS, RAYS_OF, STRAIGHT, WAYS

THROWS = 64  # before all actions are marked


def state_dtype(**_: object) -> np.dtype:
    """Return the record's dtype.

    The last ``quiet`` turns took nothing; they moved a man from ``source`` to ``target``, written round and round.
    ``seen`` counts how often the position has stood since the last capture. ``latest`` are the points from and to which
    a man has moved last (-1: none yet), ``men`` the seats' men, ``winner`` is a seat (-1: none), ``drawn`` 1 after a
    draw.
    """
    fields = [
        ("ply", "i4"),
        ("quiet", "i4"),
        ("no_capture_limit", "i2"),
        ("seen", "i2"),
        ("latest", "i2", (2,)),
        *quiet_fields(LOOKED_BACK),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("drawn", "i1"),
        ("repetition", "i1"),
        ("men", "i1", (2,)),
        ("board", "i1", (POINTS,)),
    ]
    return np.dtype(fields, align=True)


def blank(no_capture_limit: int, repetition: int) -> np.ndarray:
    """Return one record, shape (1,), with its constants set."""
    record = np.zeros(1, state_dtype())
    record["no_capture_limit"], record["repetition"] = no_capture_limit, repetition
    return record


@kernel
def reset(s, rng):
    """§2: two rows of men on either side, seat 0 to move; §9: the start has stood once."""
    for p in range(MEN):
        s.board[p], s.board[POINTS - 1 - p] = 2, 1
    s.men[0] = s.men[1] = MEN
    s.latest[0] = s.latest[1] = s.winner = -1
    s.seen = 1


@kernel
def prey(b, p, way):
    """§6: find the man that the man on point p may take on one of its ways along a loop; -1 if there is none."""
    for i in range(RAYS.shape[2]):
        q = np.int64(RAYS[p, way, i])
        if b[q] != 0 and q != p:
            return q if i >= STRAIGHT[p, way] and b[q] != b[p] else -1
    return -1


@kernel
def legal(s, mask):
    """§5: steps to empty neighbours; §6: captures, which several ways may lead to."""
    mask[:] = 0
    count = np.int64(0)
    if s.to_move < 0:
        return count
    b = s.board
    for p in range(POINTS):
        if b[p] == s.to_move + 1:
            first = POINTS * p
            for i in range(NEAR_OF[p]):
                q = NEAR[p, i]
                if b[q] == 0:
                    mask[first + q] = 1
                    count += 1
            for way in range(RAYS_OF[p]):
                q = prey(b, p, way)
                if q >= 0:
                    count += 1 - mask[first + q]
                    mask[first + q] = 1
    return count


@kernel
def can_act(s):
    """§8: whether the seat to move has a step or a capture; §7: without men it has none."""
    b = s.board
    for p in range(POINTS):
        if b[p] == s.to_move + 1:
            for i in range(NEAR_OF[p]):
                if b[NEAR[p, i]] == 0:
                    return True
            for way in range(RAYS_OF[p]):
                if prey(b, p, way) >= 0:
                    return True
    return False


@kernel
def step(s, a):
    """§3: move a man, and take the one that it meets; §7 to §9: what may end the game."""
    b, seat, p, q = s.board, np.int64(s.to_move), a // POINTS, a % POINTS
    takes = b[q] != 0
    b[p], b[q] = 0, seat + 1
    s.latest[0], s.latest[1] = p, q
    s.ply += 1
    s.to_move = 1 - seat
    if takes:
        s.men[1 - seat] -= 1
        forget_turns(s)
    else:
        note_turn(s, p, q)
    s.seen = occurrences(s)
    if not can_act(s):
        s.winner, s.to_move = seat, OVER
    elif draws(s):
        s.drawn, s.to_move = 1, OVER


@kernel
def draws(s):
    """§9: whether so many turns have taken nothing, or the position has stood so often, that it is a draw."""
    return s.quiet == s.no_capture_limit or s.seen == s.repetition > 1


@kernel
def returns(s, r):
    """§10: +1 to the winner, -1 to the other; 0 for both in a draw."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the men, the seat to move, and the turns that draws depend on."""
    h = np.uint64(np.int64(s.to_move) + 4 + 8 * np.int64(s.quiet)) * GOLDEN
    return hash64(hash_turns(hash64(hash_all(h, s.board, 0)), s))


@kernel
def playout(s, rng, mask, p):
    """Play at random to the end; throwing until an action is allowed is mostly cheaper than marking all."""
    while s.to_move >= 0:
        step(s, random_action(s, rng, mask))


@kernel
def random_action(s, rng, mask):
    """Draw an allowed action, all equally likely."""
    b, ways = s.board, NEAR.shape[1] + WAYS
    for _ in range(THROWS):
        i = below(rng, POINTS * ways)
        p, way = i // ways, i % ways
        if b[p] == s.to_move + 1:
            if way < NEAR_OF[p]:
                q = np.int64(NEAR[p, way])
                if b[q] == 0:
                    return POINTS * p + q
            elif 0 <= way - NEAR.shape[1] < RAYS_OF[p]:
                q = new_prey(b, p, way - NEAR.shape[1])
                if q >= 0:
                    return POINTS * p + q
    legal(s, mask)
    return choose(mask, rng)


@kernel
def new_prey(b, p, way):
    """Find the man that may be taken on this way and on none of those before it; -1 if there is none."""
    q = prey(b, p, way)
    for before in range(way):
        if q >= 0 and prey(b, p, before) == q:
            return -1
    return q


def symmetries(**_: object) -> np.ndarray:
    """§13: return the action permutations that keep steps and captures as they are, (8, actions)."""
    return np.stack([in_blocks(image, image) for image in images(SIDE)])


def image(states: np.ndarray, k: int) -> np.ndarray:
    """Return the k-th image of records (n,): only the left and right of the start are alike."""
    cells = images(SIDE)[k]
    there = moved(states, cells, ("board",), ("latest",))
    listed = np.arange(LOOKED_BACK) < states["quiet"][:, None]
    for name in ("source", "target"):
        there[name] = np.where(listed, cells[states[name]], 0)
    return there
