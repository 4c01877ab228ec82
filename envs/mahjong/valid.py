"""What a record of mahjong must be to be a position; § numbers refer to RULES.md.

Positions that somebody has set up are among them: melds may claim discards that are not there, discards may be out of
turn, and the number of actions played may be any that is not too large.
"""

import numpy as np

from ..engine.protocol import CHANCE, OVER
from ..engine.rng import kernel
from . import SPEC
from .claims import calm, can_answer, can_kong, can_win, has_answer, pong_of
from .complete import COPIES, RANKS, SUITED
from .constants import CLAIM, KINDS, MOST_MELDS, ROB, SEATS, TURN
from .encode import held
from .hidden import has_discard
from .melds import ADDED, CHOW, CONCEALED, KONG, NONE, PONG
from .rules import pay
from .state import (
    ALL,
    ANSWER,
    CLAIMED,
    DEAL,
    DISCARDS,
    HEAD_BUMP,
    MELDED_KONG,
    NO_BAN,
    OF_CHOICE,
    PASS,
    SELF_KONG,
    STRICT,
    WIN,
    live,
)
from .state import CONSTANTS as OPTIONS
from .tai import ITEMS, WORTH, owned

CONSTANTS = ("stake", "fan", "worth", *OPTIONS)
"""Fields that `blank` sets for good."""

FLAWS = (
    "every constant is one that some parameters make",
    "turn is a seat, and phase, start, answer and missed are among what they can be",
    "last and offer are kinds of tiles, or -1",
    "hand and wall hold 0 to 4 tiles of a kind",
    "form, kind, taken and giver hold as many melds as melds says, of tiles that can be claimed so, and no more",
    "kongs counts the kongs",
    "discard, by and claimed hold as many discards as discards says, and no more",
    "river counts the discards that nobody has claimed",
    "a discard that was claimed is in a meld of its claimer, or has won",
    "there are four tiles of every kind, and left counts those of the wall",
    "to_move is the seat whose turn it is or another that is asked, -1 before a draw, or -2 after the end",
    "a seat has 16 concealed tiles less three for every meld, and one more in its turn",
    "start is how the turn can have begun, by the melds of the seat whose turn it is",
    "last is the tile drawn last in a turn that began with a draw, and in the hand",
    "live tiles are left for a draw, and none after the last of a hand that nobody has won",
    "ply is at least 0 and no more than turns and answers allow",
    "in a turn no tile is offered and nothing answered",
    "the seat whose turn it is can discard a tile",
    "offer is the latest discard, or a tile in the hand that matches a pong",
    "answers are what the seats that were asked can do, up to the seat to move",
    "won, payer and points are 0, -1 and 0 before a win",
    "won, payer and points are what a seat that can win is paid",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(
    PARAMETERS, STATUS, TILE, COUNTS, MELDS, KONGS, THROWN, RIVER, TAKEN, TILES, MOVER, SIZES, START, LAST, LIVE, PLY,
    OFFERED, DISCARDABLE, OFFER, ANSWERS, UNPAID, PAID,
) = range(len(FLAWS))  # fmt: skip

MOST_STREAK, MOST_POINTS, MOST_RESERVE, MOST_TAIL, MOST_TAI = (
    int(SPEC.params[name].high or 0) for name in ("streak", "base", "reserve", "tail_no_claim", "min_tai")
)
LEAST_WORTH = np.array([0 if name in OF_CHOICE else worth for name, worth in zip((*ITEMS, ""), WORTH, strict=True)])
MOST_WORTH = np.array(
    [int(SPEC.params[name].high or 0) if name in OF_CHOICE else worth
     for name, worth in zip((*ITEMS, ""), WORTH, strict=True)]
)  # fmt: skip


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    found = flaw_of_fields(s)
    if found >= 0:
        return found
    found = flaw_of_tiles(s)
    if found >= 0:
        return found
    found = flaw_of_turn(s) if s.phase == TURN else flaw_of_offer(s)
    if found >= 0:
        return found
    if winners(s) == 0:
        return -1 if is_unpaid(s) else UNPAID
    return -1 if is_paid(s) else PAID


@kernel
def winners(s):
    """Count the seats that have won."""
    n = 0
    for q in range(SEATS):
        n += s.won[q] != 0
    return n


# What each field can be by itself


@kernel
def flaw_of_fields(s):
    """Find the first flaw of a field by itself."""
    if not fits_parameters(s):
        return PARAMETERS
    if not (0 <= s.turn < SEATS and TURN <= s.phase <= ROB and DEAL <= s.start <= CLAIMED):
        return STATUS
    for q in range(SEATS):
        if s.answer[q] < 0 or s.answer[q] > PASS - ANSWER or s.missed[q] < 0 or s.missed[q] > (s.missed_win != NO_BAN):
            return STATUS
    if s.last < -1 or s.last >= KINDS or s.offer < -1 or s.offer >= KINDS:
        return TILE
    for k in range(KINDS):
        if s.wall[k] < 0 or s.wall[k] > COPIES:
            return COUNTS
        for q in range(SEATS):
            if s.hand[q, k] < 0 or s.hand[q, k] > COPIES:
                return COUNTS
    for q in range(SEATS):
        if s.melds[q] < 0 or s.melds[q] > MOST_MELDS:
            return MELDS
        for j in range(MOST_MELDS):
            if not (is_meld(s, q, j) if j < s.melds[q] else is_no_meld(s, q, j)):
                return MELDS
    return -1 if are_discards(s) else THROWN


@kernel
def fits_parameters(s):
    """Whether every constant is one that some parameters make."""
    options = s.dealer_tai | s.reserve_per_kong | s.multi_win | s.swap_call_ban | s.kong_from_left
    options |= s.win_after_melded_kong | s.hide_concealed_kong | s.ask_all | s.single_wait | s.five_concealed
    for i in range(len(WORTH)):
        if s.worth[i] < LEAST_WORTH[i] or s.worth[i] > MOST_WORTH[i]:
            return False
    return (
        0 <= options <= 1
        and 0 <= s.dealer < SEATS
        and 0 <= s.round_wind < SEATS
        and 0 <= s.streak <= MOST_STREAK
        and 0 <= s.stake <= MOST_POINTS
        and 0 <= s.fan <= MOST_POINTS
        and 0 <= s.reserve <= MOST_RESERVE
        and 0 <= s.tail_no_claim <= MOST_TAIL
        and 0 <= s.min_tai <= MOST_TAI
        and NO_BAN <= s.missed_win <= STRICT
    )


@kernel
def is_meld(s, q, j):
    """§2, §7, §8: whether the j-th meld of seat `q` is a meld, and was claimed as it can be."""
    form, k, taken, giver = np.int64(s.form[q, j]), np.int64(s.kind[q, j]), np.int64(s.taken[q, j]), s.giver[q, j]
    if form < CHOW or form > CONCEALED or k < 0 or k >= KINDS:
        return False
    if form == CONCEALED:
        return taken == giver == -1
    if giver < 0 or giver >= SEATS or giver == q:
        return False
    if form == CHOW:
        return k < SUITED and k % RANKS <= RANKS - 3 and k <= taken <= k + 2 and giver == (q - 1) % SEATS
    return taken == k


@kernel
def is_no_meld(s, q, j):
    """Whether the place of a meld is empty."""
    return s.form[q, j] == NONE and s.kind[q, j] == 0 and s.taken[q, j] == s.giver[q, j] == -1


@kernel
def are_discards(s):
    """Whether there are as many discards as are counted, each by one seat and claimed by another or nobody."""
    if s.discards < 0 or s.discards > DISCARDS:
        return False
    for i in range(DISCARDS):
        there, claimer = i < s.discards, s.claimed[i]
        if s.discard[i] < 0 or s.discard[i] >= (KINDS if there else 1) or s.by[i] < 0:
            return False
        if s.by[i] >= (SEATS if there else 1) or claimer < -1 or claimer >= (SEATS if there else 0):
            return False
        if claimer == s.by[i]:
            return False
    return True


# Where the tiles are


@kernel
def flaw_of_tiles(s):
    """Find the first flaw in where the tiles are."""
    if count_melds(s, KONG) + count_melds(s, ADDED) + count_melds(s, CONCEALED) != s.kongs:
        return KONGS
    if not lies_in_rivers(s):
        return RIVER
    # The tile of a claimed win is nobody's: it is the latest discard, or has left the hand that added the kong.
    claimed_win = s.phase != TURN and winners(s) > 0
    for i in range(s.discards - (claimed_win and s.phase == CLAIM)):
        if s.claimed[i] >= 0 and not is_melded(s, i):
            return TAKEN
    left = 0
    for k in range(KINDS):
        n = np.int64(s.wall[k]) + (claimed_win and k == s.offer)
        left += s.wall[k]
        for q in range(SEATS):
            n += np.int64(s.hand[q, k]) + s.river[q, k] + owned(s, q, k)
        if n != COPIES:
            return TILES
    return -1 if left == s.left else TILES


@kernel
def count_melds(s, form):
    """Count the melds of a form."""
    n = 0
    for q in range(SEATS):
        for j in range(s.melds[q]):
            n += s.form[q, j] == form
    return n


@kernel
def lies_in_rivers(s):
    """Whether the rivers hold the discards that nobody has claimed; they are put back on return."""
    for q in range(SEATS):
        for k in range(KINDS):
            if s.river[q, k] < 0 or s.river[q, k] > COPIES:
                return False
    add_to_rivers(s, -1)
    good = True
    for q in range(SEATS):
        for k in range(KINDS):
            good &= s.river[q, k] == 0
    add_to_rivers(s, 1)
    return good


@kernel
def add_to_rivers(s, sign):
    """Add the discards that nobody has claimed to the rivers (1), or take them away (-1)."""
    for i in range(s.discards):
        if s.claimed[i] < 0:
            s.river[s.by[i], s.discard[i]] += sign


@kernel
def is_melded(s, i):
    """§10: whether a claimed discard has a meld of its own among those of its claimer."""
    q, n = s.claimed[i], 0
    for j in range(i + 1):
        n += s.claimed[j] == q and s.discard[j] == s.discard[i] and s.by[j] == s.by[i]
    for j in range(s.melds[q]):
        n -= s.taken[q, j] == s.discard[i] and s.giver[q, j] == s.by[i]
    return n <= 0


# The turn


@kernel
def flaw_of_turn(s):
    """Find the first flaw of a turn: at a decision, before a draw, or where a hand has ended in it."""
    turn = np.int64(s.turn)
    if s.to_move != turn and s.to_move != CHANCE and s.to_move != OVER:
        return MOVER
    # A hand that has ended without a win was forfeited in a turn, or nobody has claimed its last discard.
    more = s.to_move == turn or (s.to_move == OVER and (winners(s) > 0 or held(s, turn) % 3 == 2))
    if not fits_hands(s, more):
        return SIZES
    if not has_begun(s) or (s.to_move == CHANCE and s.start in (DEAL, CLAIMED)):
        return START
    if not fits_last(s, more):
        return LAST
    if live(s) < (s.to_move == CHANCE) or (not more and s.to_move == OVER and (live(s) > 0 or not has_thrown(s, -1))):
        return LIVE
    if s.ply < 0 or s.ply > most_turns(s) + (s.to_move == OVER):
        return PLY
    if s.offer >= 0:
        return OFFERED
    for q in range(SEATS):
        if s.answer[q] != 0:
            return OFFERED
    return DISCARDABLE if more and not has_discard(s) else -1


@kernel
def fits_hands(s, more):
    """§2: whether every seat has its number of concealed tiles, the one whose turn it is one `more`."""
    for q in range(SEATS):
        if held(s, q) != 16 - 3 * np.int64(s.melds[q]) + (more and q == s.turn):
            return False
    return True


@kernel
def has_begun(s):
    """§5, §7: whether the turn can have begun as `start` says."""
    q, j = np.int64(s.turn), s.melds[s.turn] - 1
    if s.start == DEAL:
        return q == s.dealer and calm(s) and s.discards == (s.phase == CLAIM)
    if s.start == SELF_KONG:
        for i in range(s.melds[q]):
            if s.form[q, i] >= ADDED:
                return True
        return False
    if s.start == MELDED_KONG:
        return j >= 0 and s.form[q, j] == KONG
    return s.start != CLAIMED or (j >= 0 and CHOW <= s.form[q, j] <= PONG)


@kernel
def fits_last(s, holding):
    """§5: whether `last` is a tile of the hand if the turn began with a draw and the seat is still `holding` it."""
    if not holding or s.start in (DEAL, CLAIMED):
        return s.last == -1
    return s.last >= 0 and (s.hand[s.turn, s.last] > 0 or s.last == s.offer)


@kernel
def has_thrown(s, claimer):
    """Whether the latest discard is of the seat whose turn it is, and was claimed by `claimer` (-1: nobody)."""
    i = s.discards - 1
    return i >= 0 and s.by[i] == s.turn and s.claimed[i] == claimer


@kernel
def most_turns(s):
    """§19: count the most actions that finished turns, and kongs declared in turns, can have taken: four each."""
    finished = s.discards - (s.phase == CLAIM)
    return 4 * (np.int64(finished) + count_melds(s, ADDED) + count_melds(s, CONCEALED))


# An offered tile


@kernel
def flaw_of_offer(s):
    """Find the first flaw while a tile may be claimed, or where a hand has ended then."""
    won, turn = winners(s) > 0, np.int64(s.turn)
    if s.to_move != OVER and (s.to_move < 0 or s.to_move >= SEATS or s.to_move == turn):
        return MOVER
    robbing = s.phase == ROB
    if not fits_hands(s, robbing and not won):
        return SIZES
    if not has_begun(s) or (robbing and s.start in (DEAL, CLAIMED)):
        return START
    if not fits_last(s, robbing):
        return LAST
    if live(s) < 0 or (robbing and not can_kong(s)):
        return LIVE
    if s.ply < 0 or s.ply > most_turns(s) + (4 if s.to_move == OVER else (s.to_move - turn) % SEATS):
        return PLY
    if not is_offered(s, won):
        return OFFER
    return -1 if fits_answers(s) else ANSWERS


@kernel
def is_offered(s, won):
    """§8, §10: whether the tile is the latest discard, or one to be added to a pong; a tile that has `won` is gone."""
    k = np.int64(s.offer)
    if k < 0:
        return False
    if s.phase == CLAIM:
        return has_thrown(s, first_winner(s)) and s.discard[s.discards - 1] == k
    return pong_of(s, np.int64(s.turn), k) >= 0 and s.hand[s.turn, k] == (not won)


@kernel
def first_winner(s):
    """§10: find the first seat after the one whose turn it is that has won; -1 if none has."""
    for i in range(1, SEATS):
        q = (np.int64(s.turn) + i) % SEATS
        if s.won[q] != 0:
            return q
    return -1


@kernel
def fits_answers(s):
    """§8 to §10: whether all that could answer before the seat to move have answered, and nobody else.

    After a forfeit, the seat to move may have been any seat after the last answer.
    """
    turn, at = np.int64(s.turn), np.int64(0)
    for i in range(SEATS):
        if s.answer[(turn + i) % SEATS] != 0:
            at = i
    if s.answer[turn] != 0 or at == SEATS - 1:
        return False
    if s.to_move >= 0:
        if at >= (s.to_move - turn) % SEATS:
            return False
        at = (s.to_move - turn) % SEATS - 1
    for i in range(1, at + 1):
        if not has_answered(s, (turn + i) % SEATS):
            return False
    return True


@kernel
def has_answered(s, q):
    """§9: whether the answer of seat `q` is one that it may give, or 0 if it was not asked.

    A seat that has let a win pass may have had no other answer, and may not win any more.
    """
    a = s.answer[q] + ANSWER
    asked = s.ask_all or has_answer(s, q)
    if a == ANSWER:
        return not asked
    if a == WIN and s.multi_win != ALL:
        return False
    return (asked or s.missed[q]) and can_answer(s, q, a)


# The end


@kernel
def is_unpaid(s):
    """Whether no win is noted."""
    for q in range(SEATS):
        if s.points[q] != 0:
            return False
    return s.payer == -1


@kernel
def is_paid(s):
    """§10, §11, §17: whether the winners were able to win, and all are paid what that is worth."""
    if s.to_move != OVER or s.payer != (-1 if s.phase == TURN else s.turn):
        return False
    if winners(s) > 1 and s.multi_win == HEAD_BUMP:
        return False
    for q in range(SEATS):
        if s.answer[q] != 0 or (s.won[q] != 0 and ((q == s.turn) != (s.phase == TURN) or not can_win(s, q))):
            return False
    return is_worth(s)


@kernel
def is_worth(s):
    """§17: whether paying the winners again gives the same; the record is as before on return."""
    won = s.won[0], s.won[1], s.won[2], s.won[3]
    points = s.points[0], s.points[1], s.points[2], s.points[3]
    s.points[:] = 0
    for q in range(SEATS):
        if won[q] != 0:
            pay(s, q)
    good = True
    for q in range(SEATS):
        good &= s.won[q] == won[q] and s.points[q] == points[q]
        s.won[q], s.points[q] = won[q], points[q]
    return good
