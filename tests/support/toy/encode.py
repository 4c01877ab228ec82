"""Observation encoders of Ring; RULES.md lists every plane."""

import numpy as np

from boyi.envs.engine.rng import kernel

from . import SEATS
from .rules import GONE


@kernel
def observe_planes(s, seat, x):
    """Write (4 + cards, 1, cells): the stones of each seat, mine first, stones to place / 2, and every card."""
    observe_from(s, seat, 0, x)


@kernel
def observe_turned(s, seat, x):
    """Write the same planes with the ring turned, so that the observer's home comes first."""
    observe_from(s, seat, home(seat, s.ring.shape[0]), x)


@kernel
def home(seat, cells):
    """Find a seat's first cell."""
    return seat * cells // SEATS


@kernel
def observe_from(s, seat, first, x):
    """Write the planes of a ring that begins at cell `first`; of the cards, mine is 1.0 and those put aside are 0.5."""
    cells = s.ring.shape[0]
    for k in range(SEATS):
        stone = (seat + k) % SEATS + 1
        for i in range(cells):
            x[k, 0, i] = s.ring[(first + i) % cells] == stone
    x[SEATS] = s.stones / 2.0
    for card in range(s.place.shape[0]):
        mine, gone = s.place[card] == seat + 1, s.place[card] == GONE
        x[SEATS + 1 + card] = mine + 0.5 * gone


def permutation_turned(side: int, spare: int, limit: int) -> np.ndarray:
    """Return (3, actions): the game's action for each action of the frame that a seat sees."""
    cells = SEATS * side
    turned = (np.arange(cells) + side * np.arange(SEATS)[:, None]) % cells
    return np.column_stack([turned, np.full(SEATS, cells)])
