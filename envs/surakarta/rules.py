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
from .loops import NEAR, SIGHTS

DIRECTIONS = 9  # to the neighbours, see `beside`
STEPS = DIRECTIONS * POINTS
CAPTURES = 2 * len(SIGHTS)  # pairs of an arc and a way
THROWS = 64  # before all actions are marked


def state_dtype(**_: object) -> np.dtype:
    """Return the record's dtype.

    The last ``quiet`` turns took nothing; they moved a man from ``source`` to ``target`` (ring buffers).
    ``seen`` counts how often the position has occurred since the last capture. ``latest`` are the points from and to
    which a man last moved (-1: none yet), ``men`` the seats' men, ``winner`` is a seat (-1: none), ``drawn`` 1 after a
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
    """§2: two rows of men on either side, seat 0 to move; §9: the start has occurred once."""
    for p in range(MEN):
        s.board[p], s.board[POINTS - 1 - p] = 2, 1
    s.men[0] = s.men[1] = MEN
    s.latest[0] = s.latest[1] = s.winner = -1
    s.seen = 1


@kernel
def legal(s, mask):
    """§5, §6: steps and captures."""
    if s.to_move < 0:
        mask[:] = 0
        return np.int64(0)
    count = mark_steps(s, mask)
    for i in range(CAPTURES):
        a = capture(s, i)
        if a >= 0:
            # Two arcs may lead to the same man.
            count += 1 - mask[a]
            mask[a] = 1
    return count


@kernel
def mark_steps(s, mask):
    """§5: write which men may step where, whole rows at once, which compilers make fast; return how many steps."""
    b, count = s.board, np.int64(0)
    for p in range(POINTS):
        mine, steps = np.int8(b[p] == s.to_move + 1), np.int8(0)
        for q in range(POINTS):
            free = mine & NEAR[p, q] & np.int8(b[q] == 0)
            mask[POINTS * p + q] = free
            steps += free
        count += steps
    return count


@kernel
def first_seen(b, arc, way, but):
    """Find the first man in sight from an arc one way, except one on point `but`; -1 if there is none."""
    for i in range(SIGHTS.shape[2]):
        p = np.int64(SIGHTS[arc, way, i])
        if b[p] != 0 and p != but:
            return p
    return np.int64(-1)


@kernel
def capture(s, i):
    """§6: find the capture over arc i // 2 by the man seen one way or, for odd i, the other; -1 if there is none.

    The man passes over the point that it came from.
    """
    b, arc, way, me = s.board, i // 2, i % 2, s.to_move + 1
    p = first_seen(b, arc, way, -1)
    if p < 0 or b[p] != me:
        return np.int64(-1)
    q = first_seen(b, arc, 1 - way, p)
    return POINTS * p + q if q >= 0 and b[q] != me else np.int64(-1)


@kernel
def beside(p, d):
    """Find the point next to p in one of nine directions, of which one leads nowhere; -1 beyond the edge."""
    r, c = p // SIDE + d // 3 - 1, p % SIDE + d % 3 - 1
    return r * SIDE + c if 0 <= r < SIDE and 0 <= c < SIDE else -1


@kernel
def stepped_to(s, p, d):
    """§5: find where the man of the seat to move on point p steps in a direction; -1 if there is none or it cannot."""
    if s.board[p] != s.to_move + 1:
        return -1
    q = beside(p, d)
    return q if q >= 0 and s.board[q] == 0 else -1


@kernel
def can_act(s):
    """§8: whether the seat to move has a step or a capture; §7: without men it has none."""
    for p in range(POINTS):
        if s.board[p] == s.to_move + 1:
            for d in range(DIRECTIONS):
                if stepped_to(s, p, d) >= 0:
                    return True
    for i in range(CAPTURES):
        if capture(s, i) >= 0:
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
    """§9: whether enough turns have taken nothing, or the position has occurred often enough, for a draw."""
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
    """Play at random to the end; throwing until an action is allowed is usually cheaper than marking all."""
    while s.to_move >= 0:
        step(s, random_action(s, rng, mask))


@kernel
def random_action(s, rng, mask):
    """Draw an allowed action, all equally likely."""
    for _ in range(THROWS):
        i = below(rng, STEPS + CAPTURES)
        if i < STEPS:
            p = i % POINTS
            q = stepped_to(s, p, i // POINTS)
            if q >= 0:
                return POINTS * p + q
        else:
            a = new_capture(s, i - STEPS)
            if a >= 0:
                return a
    legal(s, mask)
    return choose(mask, rng)


@kernel
def new_capture(s, i):
    """Find a capture as `capture` does, unless a smaller i has the same; -1 if there is none."""
    a = capture(s, i)
    for before in range(i):
        if a >= 0 and capture(s, before) == a:
            return np.int64(-1)
    return a


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
