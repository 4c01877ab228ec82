"""What a seat does not know, and how it is dealt anew (§18, §23 of RULES.md)."""

import numpy as np

from ..engine.protocol import CHANCE
from ..engine.rng import below, kernel
from .claims import can_answer, has_answer, may_discard
from .complete import COPIES
from .constants import KINDS, ROB, SEATS, TURN
from .melds import CONCEALED
from .state import ANSWER, HEAD_BUMP, PASS, WIN, after, draw_from


@kernel
def hides(s, seat, q, j):
    """§18: whether seat `seat` does not see the kind of the j-th meld of seat `q`."""
    return q != seat and s.form[q, j] == CONCEALED and s.hide_concealed_kong == 1


@kernel
def redeal(s, seat, rng):
    """§23: deal anew what `seat` does not see: hidden kongs, others' hands, the tile drawn last, answers."""
    if s.to_move < CHANCE:
        return
    while True:
        for q in range(SEATS):
            if q != seat:
                gather(s, seat, q)
        for q in range(SEATS):
            for j in range(s.melds[q]):
                if hides(s, seat, q, j):
                    s.kind[q, j] = draw_kong(s, rng)
        for q in range(SEATS):
            if q != seat:
                deal_hand(s, q, rng)
        if s.to_move != s.turn or s.phase != TURN or has_discard(s):
            break
    if s.turn != seat and s.last >= 0:
        s.last = draw_from(s.hand[s.turn], concealed(s, s.turn), rng)
    for q in range(SEATS):
        if q != seat:
            s.missed[q] = 0
    if s.phase != TURN:
        q = after(np.int64(s.turn))
        while q != s.to_move:
            if q != seat:
                s.answer[q] = draw_answer(s, q, rng)
            q = after(q)


@kernel
def concealed(s, q):
    """§2: count the concealed tiles of a seat from what everybody sees."""
    more = q == s.turn and ((s.phase == TURN and s.to_move >= 0) or s.phase == ROB)
    return 16 - 3 * np.int64(s.melds[q]) + more


@kernel
def gather(s, seat, q):
    """Put the tiles of `q` that `seat` does not see back into the wall; the tile of an added kong is seen."""
    for k in range(KINDS):
        seen = s.phase == ROB and q == s.turn and k == s.offer
        s.wall[k] += s.hand[q, k] - seen
        s.hand[q, k] = seen
    for j in range(s.melds[q]):
        if hides(s, seat, q, j):
            s.wall[s.kind[q, j]] += COPIES


@kernel
def draw_kong(s, rng):
    """Take four equal tiles from the wall, all kinds with four there being equally likely; return the kind."""
    n = 0
    for k in range(KINDS):
        n += s.wall[k] == COPIES
    i, k = below(rng, n), 0
    while True:
        i -= s.wall[k] == COPIES
        if i < 0:
            s.wall[k] = 0
            return k
        k += 1


@kernel
def deal_hand(s, q, rng):
    """Fill a hand from the wall."""
    held = wall = 0
    for k in range(KINDS):
        held += s.hand[q, k]
        wall += s.wall[k]
    for _ in range(held, concealed(s, q)):
        k = draw_from(s.wall, wall, rng)
        s.wall[k] -= 1
        s.hand[q, k] += 1
        wall -= 1


@kernel
def has_discard(s):
    """§6: whether the seat whose turn it is may discard anything."""
    for k in range(KINDS):
        if may_discard(s, k):
            return True
    return False


@kernel
def draw_answer(s, q, rng):
    """§23: draw an answer that `q` may have given: no win if nobody would have been asked after it."""
    if not s.ask_all and not has_answer(s, q):
        return 0
    n = 0
    for a in range(WIN + (s.multi_win == HEAD_BUMP), PASS + 1):
        n += can_answer(s, q, a)
    i = below(rng, n)
    for a in range(WIN + (s.multi_win == HEAD_BUMP), PASS):
        i -= can_answer(s, q, a)
        if i < 0:
            return a - ANSWER
    return PASS - ANSWER
