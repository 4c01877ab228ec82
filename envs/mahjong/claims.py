"""What a seat may do: win, discard, declare, claim; § numbers refer to RULES.md."""

import numpy as np

from ..engine.rng import kernel
from .complete import RANKS, SUITED, complete
from .constants import CLAIM, KINDS, ROB, SEATS, TURN
from .melds import CHOW, PONG
from .state import (
    CLAIMED,
    DEAL,
    MELDED_KONG,
    PASS,
    SELF_KONG,
    STRICT,
    TAKE_KONG,
    TAKE_LOW,
    TAKE_PONG,
    WIN,
    after,
    live,
)
from .tai import EARTHLY, HEAVENLY, HUMAN, KONG_DRAW, LAST_DISCARD, LAST_DRAW, ROBBED_KONG, SELF_DRAW, best_items, total


@kernel
def calm(s):
    """Whether nobody has claimed a tile or declared a kong yet."""
    n = 0
    for q in range(SEATS):
        n += s.melds[q]
    return n == 0


@kernel
def given_items(s, q):
    """§14: the items that follow from how seat `q` wins now."""
    items, empty = 0, live(s) == 0
    if s.phase == ROB:
        return ROBBED_KONG
    waiting = calm(s) and q != s.dealer and first_turn(s, q)
    if s.phase == CLAIM:
        if empty:
            items |= LAST_DISCARD
        return items | (HUMAN if waiting else 0)
    items = SELF_DRAW
    if s.start == DEAL and s.discards == 0:
        return items | HEAVENLY
    if s.start == SELF_KONG or s.start == MELDED_KONG:
        items |= KONG_DRAW
    if empty:
        items |= LAST_DRAW
    return items | (EARTHLY if waiting else 0)


@kernel
def first_turn(s, q):
    """Whether a seat has not discarded yet."""
    for i in range(s.discards):
        if s.by[i] == q:
            return False
    return True


@kernel
def win_items(s, q):
    """§14: the items of the hand that seat `q` wins with now."""
    drawn = s.phase == TURN
    return best_items(s, q, np.int64(s.last if drawn else s.offer), drawn, given_items(s, q))


@kernel
def completes(s, q):
    """Whether seat `q` has a complete hand, with the tile that is offered if there is one."""
    return complete(s.hand[q], np.int64(s.offer), -1)


@kernel
def can_win(s, q):
    """§11, §12: whether seat `q` may win now."""
    if s.phase == TURN:
        if s.start == CLAIMED or (s.start == MELDED_KONG and s.win_after_melded_kong == 0):
            return False
        if s.missed[q] and s.missed_win == STRICT:
            return False
    elif s.missed[q]:
        return False
    if not completes(s, q):
        return False
    return s.min_tai == 0 or total(s, win_items(s, q)) >= s.min_tai


@kernel
def banned(s, form, claimed, low, k):
    """§6: whether a meld with the `claimed` kind and the lowest kind `low` forbids discarding `k` at once."""
    if s.swap_call_ban == 0:
        return False
    if form == PONG or claimed == low + 1:
        return k == claimed
    other = low + 3 if claimed == low else low - 1  # the far end of the two tiles from the hand
    return k == claimed or (k == other and k // RANKS == claimed // RANKS and k >= 0)


@kernel
def may_discard(s, k):
    """§6: whether the seat whose turn it is may discard `k`."""
    q = np.int64(s.turn)
    if s.hand[q, k] == 0:
        return False
    j = s.melds[q] - 1
    return s.start != CLAIMED or not banned(s, s.form[q, j], np.int64(s.taken[q, j]), np.int64(s.kind[q, j]), k)


@kernel
def leaves_discard(s, q, form, low):
    """§6: whether a claim of the offered tile would leave seat `q` a discard."""
    if s.swap_call_ban == 0:
        return True
    offer = np.int64(s.offer)
    for k in range(KINDS):
        used = 2 * (k == offer) if form == PONG else np.int64(low <= k <= low + 2 and k != offer)
        if s.hand[q, k] > used and not banned(s, form, offer, low, k):
            return True
    return False


@kernel
def can_chow(s, q, low):
    """§8: whether seat `q` holds the other two tiles of the chow from `low` with the offered tile."""
    if low < 0 or low % RANKS > 6 or low // RANKS != s.offer // RANKS:
        return False
    for k in range(low, low + 3):
        if k != s.offer and s.hand[q, k] == 0:
            return False
    return leaves_discard(s, q, CHOW, low)


@kernel
def can_kong(s):
    """§7: whether a kong would leave a live tile for its replacement."""
    return live(s) > np.int64(s.reserve_per_kong)


@kernel
def pong_of(s, q, k):
    """Find the seat's pong of kind `k` among its melds; -1 if there is none."""
    for j in range(s.melds[q]):
        if s.form[q, j] == PONG and s.kind[q, j] == k:
            return j
    return -1


@kernel
def can_answer(s, q, a):
    """§8, §10: whether seat `q` may answer `a` to the tile that is offered."""
    if a == PASS:
        return True
    if a == WIN:
        return can_win(s, q)
    if s.phase == ROB or live(s) <= s.tail_no_claim:
        return False
    offer, left = np.int64(s.offer), q == after(np.int64(s.turn))
    if a == TAKE_PONG:
        return s.hand[q, offer] >= 2 and leaves_discard(s, q, PONG, offer)
    if a == TAKE_KONG:
        return s.hand[q, offer] >= 3 and can_kong(s) and (not left or s.kong_from_left == 1)
    return left and offer < SUITED and can_chow(s, q, offer - (a - TAKE_LOW))


@kernel
def has_answer(s, q):
    """Whether seat `q` can do more than pass."""
    for a in range(WIN, PASS):
        if can_answer(s, q, a):
            return True
    return False
