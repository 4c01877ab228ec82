"""What a record of Ring must be to be a position; clause numbers refer to RULES.md."""

from boyi.envs.engine.protocol import CHANCE, CUT, OVER
from boyi.envs.engine.rng import kernel

from . import SEATS
from .rules import GONE, card_of, in_deck

CONSTANTS = ("limit",)
"""Fields that `blank` sets for good."""

FLAWS = (
    "ring holds 0 and the stones of three seats",
    "empty counts the cells without a stone",
    "place is the deck, a seat or aside",
    "turn is a seat",
    "stones is 0, 1 or 2",
    "ply counts the stones on the ring and the cards put aside, up to the limit",
    "to_move is turn, -1 before a die or a draw, -2 on a full ring or after a forfeit, or -3 at the limit",
    "every seat holds one card, but for the turn's between putting one aside and a draw",
)
"""The rules, in the order in which `flaw` looks: each may rely on those before it."""


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    empty, gone = 0, 0
    for i in range(s.ring.shape[0]):
        if s.ring[i] < 0 or s.ring[i] > SEATS:
            return 0
        empty += s.ring[i] == 0
    if s.empty != empty:
        return 1
    for card in range(s.place.shape[0]):
        if s.place[card] < GONE or s.place[card] > SEATS:
            return 2
        gone += s.place[card] == GONE
    if s.turn < 0 or s.turn >= SEATS:
        return 3
    if s.stones < 0 or s.stones > 2:
        return 4
    if s.ply != s.ring.shape[0] - empty + gone or 0 < s.limit < s.ply:
        return 5
    if not fits_mover(s):
        return 6
    if not fits_hands(s):
        return 7
    return -1


@kernel
def fits_mover(s):
    """§2 to §5: whether it is `to_move`'s turn to go on, or the game has ended as it says."""
    if s.empty == 0:
        return s.to_move == OVER
    if s.ply == s.limit and s.limit > 0:
        return s.to_move == CUT
    if s.to_move == CHANCE:
        return s.stones == 0 or in_deck(s) > 0
    return (s.to_move == OVER or s.to_move == s.turn) and s.stones > 0


@kernel
def fits_hands(s):
    """§1, §4: whether the cards are dealt, and one is missing only where a draw comes next or would have come."""
    for seat in range(SEATS):
        held = 0
        for card in range(s.place.shape[0]):
            held += s.place[card] == seat + 1
        if held != 1 - (seat == s.turn and card_of(s, seat) < 0 and waits_for_card(s)):
            return False
    return s.to_move != CHANCE or s.stones == 0 or card_of(s, s.turn) < 0


@kernel
def waits_for_card(s):
    """§4: whether the latest action can have been the exchange, before the draw."""
    return s.stones > 0 and s.ply > 0 and (s.to_move == CHANCE or s.to_move == CUT)
