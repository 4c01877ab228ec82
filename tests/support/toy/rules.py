"""The rules of Ring over one record; clause numbers refer to RULES.md.

The cells of the ring and the actions that play them, with `side` = 2; the last action is the exchange::

      0 1
    5     2      seat 0 is at home in cells 0 and 1, seat 1 in 2 and 3, seat 2 in 4 and 5
      4 3

``ring`` holds 0 for an empty cell and seat + 1 for a stone; ``place`` says where each card is: DECK, GONE, or seat + 1.
A chance event with stones left to place is the draw after an exchange, one without is the die of the next turn.
"""

import numpy as np

from boyi.envs.engine.protocol import CHANCE, CUT, OVER
from boyi.envs.engine.rng import GOLDEN, below, combine, kernel

from . import SEATS

DECK, GONE = 0, -1
NOBODY = SEATS  # a seat that holds no card and so knows none
DIE = (2.0 / 3.0, 1.0 / 3.0)  # §2: chances of one stone and of two


def state_dtype(side: int, spare: int, limit: int) -> np.dtype:
    """Return the record's dtype; ``turn`` is the seat whose turn it is, ``stones`` what it may still place."""
    fields = [
        ("ply", "i4"),
        ("limit", "i2"),
        ("empty", "i2"),
        ("to_move", "i1"),
        ("turn", "i1"),
        ("stones", "i1"),
        ("place", "i1", (SEATS + spare,)),
        ("ring", "i1", (SEATS * side,)),
    ]
    return np.dtype(fields, align=True)


def blank(side: int, spare: int, limit: int) -> np.ndarray:
    """Return one record, shape (1,), with its constants set."""
    record = np.zeros(1, state_dtype(side, spare, limit))
    record["limit"] = limit
    return record


@kernel
def reset(s, rng):
    """§1: deal every seat one card; seat 0 has the first turn."""
    for seat in range(SEATS):
        s.place[seat] = seat + 1
    redeal(s, NOBODY, rng)
    s.empty = s.ring.shape[0]
    s.to_move = CHANCE


@kernel
def legal(s, mask):
    """§3: any empty cell; §4: or the exchange, while the deck lasts."""
    mask[:] = 0
    if s.to_move < 0:
        return 0
    n = s.ring.shape[0]
    for i in range(n):
        mask[i] = s.ring[i] == 0
    mask[n] = in_deck(s) > 0
    return s.empty + mask[n]


@kernel
def step(s, a):
    """§3: place a stone, the last one ends the turn; §4: or put the card aside; §5: the end."""
    if a == s.ring.shape[0]:
        s.place[card_of(s, s.turn)] = GONE
        s.to_move = CHANCE
    else:
        s.ring[a] = s.turn + 1
        s.empty -= 1
        s.stones -= 1
        if s.stones == 0:
            s.turn = (s.turn + 1) % SEATS
            s.to_move = CHANCE
    s.ply += 1
    if s.empty == 0:
        s.to_move = OVER
    elif s.ply == s.limit:
        s.to_move = CUT


@kernel
def chance(s, p):
    """§2: the die decides how many stones; §4: every card of the deck is drawn alike."""
    if s.stones == 0:
        p[0], p[1] = DIE
        return 2
    n, deck = s.place.shape[0], in_deck(s)
    for card in range(n):
        p[card] = (s.place[card] == DECK) / deck
    return n


@kernel
def resolve(s, o):
    """§2: set the stones of this turn; §4: take card `o`."""
    if s.stones == 0:
        s.stones = o + 1
    else:
        s.place[o] = s.turn + 1
    s.to_move = s.turn


@kernel
def in_deck(s):
    """Count the cards of the deck."""
    n = 0
    for card in range(s.place.shape[0]):
        n += s.place[card] == DECK
    return n


@kernel
def card_of(s, seat):
    """Find the card in a seat's hand; -1 between putting one aside and drawing the next."""
    for card in range(s.place.shape[0]):
        if s.place[card] == seat + 1:
            return card
    return -1


@kernel
def score(s, seat):
    """§6: the card's worth, and one for every two neighbouring stones of the seat."""
    n = s.ring.shape[0]
    total = card_of(s, seat) + 1
    for i in range(n):
        total += s.ring[i] == seat + 1 and s.ring[(i + 1) % n] == seat + 1
    return total


@kernel
def returns(s, r):
    """§6: the best scores share the stakes of all three; nothing is won on an unfinished ring."""
    r[:] = 0.0
    if s.empty > 0:
        return
    best = max(score(s, 0), score(s, 1), score(s, 2))
    winners = 0
    for seat in range(SEATS):
        winners += score(s, seat) == best
    for seat in range(SEATS):
        r[seat] = SEATS / winners - 1.0 if score(s, seat) == best else -1.0


@kernel
def redeal(s, seat, rng):
    """§7: put the cards that others hold back into the deck, and deal these seats a card each."""
    holders = 0
    for q in range(SEATS):
        card = card_of(s, q)
        if q != seat and card >= 0:
            s.place[card] = DECK
            holders += 1 << q
    for q in range(SEATS):
        if holders >> q & 1:
            card, more = -1, below(rng, in_deck(s))
            while more >= 0:
                card += 1
                more -= s.place[card] == DECK
            s.place[card] = q + 1


@kernel
def key(s):
    """Hash the position; the ply counts only where it is limited."""
    h = combine(np.uint64(s.to_move + 3 + 6 * s.turn), np.uint64(s.stones))
    h = combine(h, np.uint64(s.ply if s.limit > 0 else 0))
    for card in range(s.place.shape[0]):
        h = combine(h, np.uint64(s.place[card] + 1))
    for i in range(s.ring.shape[0]):
        h = combine(h, np.uint64(s.ring[i]))
    return h ^ (np.uint64(s.limit) * GOLDEN)


def symmetries(side: int, spare: int, limit: int) -> np.ndarray:
    """Return the action permutations that keep the game as it is, (cells, actions): every turn of the ring."""
    cells = SEATS * side
    turned = (np.arange(cells)[:, None] + np.arange(cells)) % cells
    return np.column_stack([turned, np.full(cells, cells)])
