"""The rules of Taiwanese 16-tile mahjong as kernels over one record; § numbers refer to RULES.md."""

import numpy as np

from ..engine.protocol import CHANCE, OVER
from ..engine.rng import GOLDEN, hash64, kernel
from ..grid.board import hash_all
from .claims import can_answer, can_kong, can_win, completes, has_answer, may_discard, pong_of, win_items
from .complete import COPIES
from .constants import CLAIM, DEALT, KINDS, MOST_MELDS, ROB, SEATS, TILES, TURN
from .hidden import redeal
from .melds import ADDED, CHOW, CONCEALED, KONG, PONG
from .state import (
    ALL,
    ANSWER,
    CLAIMED,
    DECLARE,
    DISCARDS,
    DRAW,
    MELDED_KONG,
    NO_BAN,
    OWN_DISCARD,
    PASS,
    SELF_KONG,
    STRICT,
    TAKE_KONG,
    TAKE_LOW,
    TAKE_PONG,
    WIN,
    after,
    blank,
    draw_from,
    live,
    state_dtype,
)
from .tai import total

__all__ = [
    "blank",
    "chance",
    "key",
    "legal",
    "redeal",
    "reset",
    "resolve",
    "returns",
    "state_dtype",
    "statistics",
    "step",
]


@kernel
def reset(s, rng):
    """§3: the deal, four tiles at a time, and one more for the dealer, who moves first."""
    for k in range(KINDS):
        s.wall[k] = COPIES
    s.left = TILES
    for i in range(DEALT):
        k = draw_from(s.wall, np.int64(s.left), rng)
        s.wall[k] -= 1
        s.left -= 1
        s.hand[(np.int64(s.dealer) + i // 4) % SEATS, k] += 1
    for q in range(SEATS):
        for j in range(MOST_MELDS):
            s.taken[q, j] = s.giver[q, j] = -1
    for i in range(DISCARDS):
        s.claimed[i] = -1
    s.last = s.offer = s.payer = -1
    s.turn = s.to_move = s.dealer


@kernel
def legal(s, mask):
    """§6, §7, §11: discards, kongs and the win of a turn; §8: the answers to an offered tile."""
    mask[:] = 0
    if s.to_move < 0:
        return 0
    n, q = 0, np.int64(s.to_move)
    if s.phase != TURN:
        for a in range(WIN, PASS + 1):
            mask[a] = can_answer(s, q, a)
            n += mask[a]
        return n
    for k in range(KINDS):
        if s.hand[q, k] > 0:
            mask[k] = may_discard(s, k)
            n += mask[k]
    mask[WIN] = can_win(s, q)
    return n + mask[WIN] + (mark_kongs(s, q, mask) if s.start != CLAIMED and can_kong(s) else 0)


@kernel
def mark_kongs(s, q, mask):
    """§7: write the kongs that a seat can declare in its turn; return how many."""
    n = 0
    for k in range(KINDS):
        if s.hand[q, k] == COPIES:
            mask[DECLARE + k] = 1
            n += 1
    for j in range(s.melds[q]):
        k = s.kind[q, j]
        if s.form[q, j] == PONG and s.hand[q, k] > 0:
            mask[DECLARE + k] = 1
            n += 1
    return n


@kernel
def step(s, a):
    """§5: play the action `a` of a turn, or an answer."""
    s.ply += 1
    q = np.int64(s.to_move)
    if s.phase != TURN:
        if a != WIN and s.missed_win != NO_BAN and can_win(s, q):
            s.missed[q] = 1
        s.answer[q] = a - ANSWER
        ask_from(s, after(q) if a != WIN or s.multi_win == ALL else np.int64(s.turn))
        return
    if a != WIN and s.missed_win == STRICT and can_win(s, q):
        s.missed[q] = 1
    if a == WIN:
        finish(s, np.int64(-1))
    elif a < DECLARE:
        discard_tile(s, q, a)
    elif s.hand[q, a - DECLARE] == COPIES:
        s.hand[q, a - DECLARE] = 0
        declare(s, q, CONCEALED, a - DECLARE)
        replace(s, SELF_KONG)
    else:
        put_up(s, ROB, a - DECLARE)


@kernel
def discard_tile(s, q, k):
    """§6: discard a tile, which the others may claim; §12: what was missed may be forgotten."""
    if s.missed_win == OWN_DISCARD or (s.missed_win == STRICT and not completes(s, q)):
        s.missed[q] = 0
    s.hand[q, k] -= 1
    s.river[q, k] += 1
    i = s.discards
    s.discard[i], s.by[i] = k, q
    s.discards += 1
    s.last = -1
    put_up(s, CLAIM, k)


@kernel
def put_up(s, phase, k):
    """§9: offer a tile to the seats after the one whose turn it is."""
    s.phase, s.offer = phase, k
    ask_from(s, after(np.int64(s.turn)))


@kernel
def ask_from(s, q):
    """§9: ask the first seat from `q` on that has something to answer; after the last of them, settle."""
    while q != s.turn:
        if s.ask_all or has_answer(s, q):
            s.to_move = q
            return
        q = after(q)
    settle_answers(s)


@kernel
def settle_answers(s):
    """§10: a win goes before a pong or kong, and these before a chow."""
    giver, k, phase = np.int64(s.turn), np.int64(s.offer), s.phase
    claimer = a = np.int64(-1)
    for i in range(1, SEATS):
        q = (giver + i) % SEATS
        if s.answer[q] == WIN - ANSWER:
            finish(s, giver)
            return
        if 0 < s.answer[q] < PASS - ANSWER and (claimer < 0 or s.answer[q] + ANSWER <= TAKE_KONG):
            claimer, a = q, s.answer[q] + ANSWER
    s.answer[:] = 0
    s.phase, s.offer = TURN, -1
    if phase == ROB:
        s.hand[giver, k] -= 1
        s.form[giver, pong_of(s, giver, k)] = ADDED
        s.kongs += 1
        replace(s, SELF_KONG)
    elif claimer >= 0:
        claim(s, claimer, a, k, giver)
    elif live(s) == 0:
        s.to_move = OVER
    else:
        s.turn = after(giver)
        s.start, s.to_move = DRAW, CHANCE


@kernel
def claim(s, q, a, k, giver):
    """§10: seat `q` takes the discard `k` for a meld, and its turn begins."""
    take_discard(s, q)
    low = k if a < TAKE_LOW else k - (a - TAKE_LOW)
    if a < TAKE_LOW:
        s.hand[q, k] -= 2 if a == TAKE_PONG else 3
        declare(s, q, PONG if a == TAKE_PONG else KONG, k)
    else:
        for i in range(low, low + 3):
            s.hand[q, i] -= i != k
        declare(s, q, CHOW, low)
    j = s.melds[q] - 1
    s.taken[q, j], s.giver[q, j] = k, giver
    s.turn = s.to_move = q
    s.start = CLAIMED
    if a == TAKE_KONG:
        replace(s, MELDED_KONG)


@kernel
def take_discard(s, q):
    """Take the latest discard away for seat `q`."""
    i = s.discards - 1
    s.claimed[i] = q
    s.river[s.by[i], s.discard[i]] -= 1


@kernel
def declare(s, q, form, kind):
    """Lay down a meld."""
    j = s.melds[q]
    s.form[q, j], s.kind[q, j] = form, kind
    s.melds[q] += 1
    s.kongs += form in (KONG, CONCEALED)


@kernel
def replace(s, start):
    """§5: wait for the replacement after a kong."""
    s.start, s.to_move, s.last = start, CHANCE, -1


@kernel
def finish(s, giver):
    """§10, §17: `giver` pays the seats that answered with a win; if -1, all others pay the seat whose turn it is."""
    s.payer = giver
    if giver < 0:
        pay(s, np.int64(s.turn))
    else:
        for i in range(1, SEATS):
            q = (giver + i) % SEATS
            if s.answer[q] == WIN - ANSWER:
                pay(s, q)
        for i in range(1, SEATS):
            q = (giver + i) % SEATS
            if s.won[q] > 0:
                if s.phase == CLAIM:
                    take_discard(s, q)
                else:
                    s.hand[giver, s.offer] -= 1
                break
        s.answer[:] = 0
    s.to_move = OVER


@kernel
def pay(s, q):
    """§17: what seat `q` gets for its hand."""
    tai = total(s, win_items(s, q))
    s.won[q] = tai + 1
    for p in range(SEATS):
        if p != q and (s.payer < 0 or p == s.payer):
            more = 1 + 2 * np.int64(s.streak) if s.dealer_tai and (p == s.dealer or q == s.dealer) else 0
            amount = np.int64(s.stake) + np.int64(s.fan) * (tai + more)
            s.points[p] -= amount
            s.points[q] += amount


@kernel
def chance(s, p):
    """§4: every tile of the wall is equally likely."""
    share = 1.0 / s.left
    for k in range(KINDS):
        p[k] = s.wall[k] * share
    return KINDS


@kernel
def resolve(s, o):
    """§4, §5: the seat whose turn it is draws a tile of kind `o`."""
    s.wall[o] -= 1
    s.left -= 1
    s.hand[s.turn, o] += 1
    s.last = o
    s.to_move = s.turn


@kernel
def returns(s, r):
    """§17: the points."""
    for q in range(SEATS):
        r[q] = s.points[q]


def statistics(s: np.void) -> dict[str, list[float]]:
    """Count for every seat, after the end: whether it has won, won by self-draw, or alone paid for another's win."""
    won, payer = s["won"] > 0, np.int64(s["payer"])
    alone = np.arange(SEATS) == payer
    counted = {"win": won, "self-draw": won & (payer < 0), "deal-in": alone & won.any()}
    return {name: [float(value) for value in values] for name, values in counted.items()}


@kernel
def key(s):
    """Hash all that the rest of the hand depends on."""
    h = mix(GOLDEN, np.int64(s.to_move) + 4 + 8 * (np.int64(s.turn) + 4 * (s.phase + 3 * np.int64(s.start))))
    h = mix(h, np.int64(s.last) + 1 + 64 * (np.int64(s.offer) + 1))
    h = hash_all(hash_all(h, s.answer, 0), s.missed, 0)
    h = hash_all(hash_all(h, s.hand.reshape(SEATS * KINDS), 0), s.wall, 0)
    for q in range(SEATS):
        h = mix(h, np.int64(s.melds[q]))
        for j in range(s.melds[q]):
            h = mix(h, np.int64(s.form[q, j]) + 8 * np.int64(s.kind[q, j]))
            h = mix(h, np.int64(s.taken[q, j]) + 1 + 64 * (np.int64(s.giver[q, j]) + 1))
    for i in range(s.discards):
        h = mix(h, np.int64(s.discard[i]) + 64 * (np.int64(s.by[i]) + 4 * (np.int64(s.claimed[i]) + 1)))
    return hash64(h)


@kernel
def mix(h, value):
    """Mix a number that is not negative into a hash."""
    return (h ^ np.uint64(value)) * GOLDEN
