"""Play for the fewest tiles lacking, then for the most unseen tiles that help: the yardstick `greedy`."""

from typing import NamedTuple

import numpy as np

from ..engine.rng import kernel
from ..engine.spec import Game
from .claims import can_answer, can_win, may_discard
from .complete import COPIES
from .constants import KINDS, MOST_MELDS, SEATS, TURN
from .distance import FAR, Tables, accepted, distance, distance_tables, weigh_discards
from .hidden import hides
from .melds import EACH, SPAN
from .state import PASS, TAKE_HIGH, TAKE_LOW, TAKE_PONG, WIN


class Notes(NamedTuple):
    """The tables, and what is worked out on the way to a decision, (34,) each."""

    tables: Tables
    unseen: np.ndarray
    distances: np.ndarray
    hand: np.ndarray


def notes(game: Game) -> Notes:
    """Return what `policy` needs."""
    unseen, distances = np.zeros((2, KINDS), np.int64)
    return Notes(distance_tables(), unseen, distances, np.zeros(KINDS, np.int8))


@kernel
def policy(s, notes, rng):
    """Choose the win; the discard that leaves the least distance and then accepts most; a claim that lowers it.

    No kong is declared. Among equals the first is taken.
    """
    q = np.int64(s.to_move)
    count_unseen(s, q, notes.unseen)
    for k in range(KINDS):
        notes.hand[k] = s.hand[q, k]
    need = MOST_MELDS - np.int64(s.melds[q])
    if s.phase == TURN:
        return WIN if can_win(s, q) else best_discard(s, need, notes)[0]
    if can_answer(s, q, WIN):
        return WIN
    least, most, choice = distance(notes.hand, need, notes.tables), -1, PASS
    for a in range(TAKE_PONG, TAKE_HIGH + 1):
        if (a == TAKE_PONG or a >= TAKE_LOW) and can_answer(s, q, a):
            use(s, a, notes.hand, -1)
            _, d, n = best_discard(s, need - 1, notes)
            use(s, a, notes.hand, 1)
            if d < least or (d == least and choice != PASS and n > most):
                least, most, choice = d, n, a
    return choice


@kernel
def use(s, a, hand, sign):
    """Take the tiles that a claim uses out of a hand (-1), or put them back (1)."""
    offer = np.int64(s.offer)
    if a == TAKE_PONG:
        hand[offer] += 2 * sign
    else:
        low = offer - (a - TAKE_LOW)
        for k in range(low, low + 3):
            hand[k] += sign * (k != offer)


@kernel
def best_discard(s, need, notes):
    """Find the discard, the distance it leaves and how many unseen tiles are accepted then."""
    weigh_discards(notes.hand, need, notes.tables, notes.distances)
    best, least, most = -1, FAR, -1
    for k in range(KINDS):
        if notes.distances[k] < least and (s.phase != TURN or may_discard(s, k)):
            least = notes.distances[k]
    for k in range(KINDS):
        # What is accepted takes ten times as long to find as the distance.
        if notes.distances[k] == least and least < FAR and (s.phase != TURN or may_discard(s, k)):
            n = accepted(notes.hand, k, need, notes.unseen, notes.tables)[1]
            if n > most:
                best, most = k, n
    return best, least, most


@kernel
def count_unseen(s, seat, unseen):
    """Count the copies of every kind that a seat has not seen."""
    for k in range(KINDS):
        unseen[k] = COPIES - s.hand[seat, k]
        for q in range(SEATS):
            unseen[k] -= s.river[q, k]
    for q in range(SEATS):
        for j in range(s.melds[q]):
            if not hides(s, seat, q, j):
                k, form = np.int64(s.kind[q, j]), np.int64(s.form[q, j])
                for i in range(k, k + SPAN[form]):
                    unseen[i] -= EACH[form]
