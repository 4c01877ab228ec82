"""Observation encoders of mahjong; RULES.md lists every number. They read nothing that is hidden from the observer."""

from itertools import permutations

import numpy as np

from ..engine.rng import kernel
from .complete import RANKS, SUITED
from .constants import (
    CLAIM,
    KINDS,
    MATRIX_DEALER,
    MATRIX_HAND,
    MATRIX_HELD,
    MATRIX_HIDDEN,
    MATRIX_LIVE,
    MATRIX_MELDS,
    MATRIX_RIVERS,
    MATRIX_ROUND,
    MATRIX_ROUND_WIND,
    MATRIX_SEAT_WIND,
    MATRIX_SIDE,
    MATRIX_STREAK,
    MATRIX_UNSEEN,
    PLANE_CLAIM,
    PLANE_DRAWN,
    PLANE_HAND,
    PLANE_HIDDEN,
    PLANE_LATEST,
    PLANE_LIVE,
    PLANE_MELDS,
    PLANE_OFFER,
    PLANE_RIVERS,
    PLANE_ROB,
    PLANE_ROUND_WIND,
    PLANE_SEAT_WIND,
    PLANE_STREAK,
    PLANE_UNSEEN,
    PLANES,
    ROB,
    SEATS,
    TURN,
)
from .hidden import hides
from .melds import EACH, SPAN
from .state import TAKE_HIGH, TAKE_LOW, live
from .tai import WINDS

CELLS = 4 * RANKS


@kernel
def add_melds(s, seat, q, v, at, unit):
    """Add `unit` to ``v[at + k]`` for every tile of kind k in the melds of `q`; return how many `seat` does not see."""
    hidden = 0
    for j in range(s.melds[q]):
        k, form = at + np.int64(s.kind[q, j]), np.int64(s.form[q, j])
        if hides(s, seat, q, j):
            hidden += 1
        else:
            for i in range(k, k + SPAN[form]):
                v[i] += unit * EACH[form]
    return hidden


@kernel
def add_rivers(s, seat, v, rivers, width, unseen):
    """Add the seats' discards, `width` apart from `rivers` on, and write the `unseen` copies of every kind, all / 4."""
    for k in range(KINDS):
        v[unseen + k] = 1.0 - 0.25 * s.hand[seat, k]
    for i in range(s.discards):
        if s.claimed[i] < 0:
            # A mask gives the remainder by four seats, and is faster.
            k, q = np.int64(s.discard[i]), (np.int64(s.by[i]) - np.int64(seat)) & (SEATS - 1)
            v[rivers + width * q + k] += np.float32(0.25)
            v[unseen + k] -= np.float32(0.25)
    for q in range(SEATS):
        add_melds(s, seat, q, v, unseen, -0.25)
    if s.phase == ROB and seat != s.turn:
        v[unseen + np.int64(s.offer)] -= 0.25


@kernel
def held(s, q):
    """Count the concealed tiles of a seat, which everybody can do."""
    n = 0
    for k in range(KINDS):
        n += s.hand[q, k]
    return n


@kernel
def fill_plane(v, plane, value):
    """Write a number everywhere in a plane."""
    for i in range(CELLS * plane, CELLS * plane + CELLS):
        v[i] = value


@kernel
def observe_planes(s, seat, x):
    """Write (planes, 4, 9)."""
    v = x.reshape(x.size)
    v[:] = 0.0
    for k in range(KINDS):
        for n in range(s.hand[seat, k]):
            v[CELLS * (PLANE_HAND + n) + k] = 1.0
    for i in range(SEATS):
        hidden = add_melds(s, seat, (seat + i) % SEATS, v, CELLS * (PLANE_MELDS + i), 0.25)
        if hidden > 0:
            fill_plane(v, PLANE_HIDDEN + i - 1, hidden / 5.0)
    add_rivers(s, seat, v, CELLS * PLANE_RIVERS, CELLS, CELLS * PLANE_UNSEEN)
    mark_latest(s, seat, v, CELLS * PLANE_LATEST)
    if s.offer >= 0:
        v[CELLS * PLANE_OFFER + np.int64(s.offer)] = 1.0
    if s.last >= 0 and s.turn == seat:
        v[CELLS * PLANE_DRAWN + np.int64(s.last)] = 1.0
    v[CELLS * PLANE_SEAT_WIND + WINDS + (np.int64(seat) - np.int64(s.dealer)) % SEATS] = 1.0
    v[CELLS * PLANE_ROUND_WIND + WINDS + np.int64(s.round_wind)] = 1.0
    if s.phase != TURN:
        fill_plane(v, PLANE_CLAIM if s.phase == CLAIM else PLANE_ROB, 1.0)
    fill_plane(v, PLANE_LIVE, live(s) / 71.0)
    fill_plane(v, PLANE_STREAK, min(np.int64(s.streak), 4) / 4.0)


@kernel
def mark_latest(s, seat, v, at):
    """Mark every seat's latest discard in a plane of its own, mine first, if it was not claimed."""
    found = 0
    for i in range(s.discards - 1, -1, -1):
        q = (np.int64(s.by[i]) - np.int64(seat)) % SEATS
        if found >> q & 1 == 0:
            found |= 1 << q
            if s.claimed[i] < 0:
                v[at + CELLS * q + np.int64(s.discard[i])] = 1.0
        if found == 15:
            break


@kernel
def observe_matrix19(s, seat, x):
    """Write (1, 19, 19)."""
    observe_matrix19_extended(s, seat, x)
    x.reshape(x.size)[MATRIX_SEAT_WIND:] = 0.0


@kernel
def observe_matrix19_extended(s, seat, x):
    """Write (1, 19, 19)."""
    v = x.reshape(x.size)
    v[:] = 0.0
    for k in range(KINDS):
        v[MATRIX_HAND + k] = 0.25 * s.hand[seat, k]
    for i in range(SEATS):
        q = (seat + i) % SEATS
        hidden = add_melds(s, seat, q, v, MATRIX_MELDS + KINDS * i, 0.25)
        if i > 0:
            v[MATRIX_HIDDEN + i - 1] = hidden / 5.0
            v[MATRIX_HELD + i - 1] = held(s, q) / 17.0
    add_rivers(s, seat, v, MATRIX_RIVERS, KINDS, MATRIX_UNSEEN)
    v[MATRIX_ROUND] = min(1.0, s.discards // 4 / 19.0)
    v[MATRIX_LIVE] = min(1.0, live(s) / 55.0)
    v[MATRIX_SEAT_WIND + (seat - np.int64(s.dealer)) % SEATS] = 1.0
    v[MATRIX_ROUND_WIND + np.int64(s.round_wind)] = 1.0
    v[MATRIX_DEALER + (np.int64(s.dealer) - seat) % SEATS] = 1.0
    v[MATRIX_STREAK] = min(np.int64(s.streak), 4) / 4.0


def symmetries(encoder: str, **params: int | str) -> tuple[np.ndarray, np.ndarray]:
    """Return (12, numbers) and (12, actions), §22: where the images put numbers and actions of the seat to move.

    Number j of the flattened observation is number ``numbers[i, j]`` of the i-th image's, action a its action
    ``actions[i, a]``. The identity comes first; reversing the ranks changes fastest, then the order of the suits.
    """
    numbers, actions = [], []
    for suits in permutations(range(3)):
        for reverse in (False, True):
            ranks = np.arange(RANKS)[:: -1 if reverse else 1]
            cells = np.concatenate([*(RANKS * suit + ranks for suit in suits), np.arange(SUITED, CELLS)])
            kinds, image = cells[:KINDS], np.arange(75)
            image[:KINDS], image[KINDS : 2 * KINDS] = kinds, KINDS + kinds
            if reverse:
                image[[TAKE_LOW, TAKE_HIGH]] = TAKE_HIGH, TAKE_LOW
            actions.append(image)
            if encoder == "planes":
                numbers.append((CELLS * np.arange(PLANES)[:, None] + cells).ravel())
            else:
                entries = np.arange(MATRIX_SIDE**2)
                unseen = [MATRIX_UNSEEN] if encoder == "matrix19_extended" else []
                for first in (*range(MATRIX_HAND, MATRIX_ROUND, KINDS), *unseen):
                    entries[first : first + KINDS] = first + kinds
                numbers.append(entries)
    return np.stack(numbers), np.stack(actions)
