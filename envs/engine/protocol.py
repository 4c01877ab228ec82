"""The protocol of a game: the kernels its ``rules.py``, ``encode.py`` and ``valid.py`` supply, as documented stubs.

Generic kernels import these names; `bind` compiles them with a game's own functions in their place. Kernels are
scalar: they take one record ``s`` (mutated in place), allocate nothing, raise nothing and never recurse. Scratch fields
of a record are zero whenever a kernel returns, so equal histories give equal bytes. Every record has ``to_move: i1``, a
seat or one of the constants below, and ``ply: i4``, the number of actions taken, which every ``step`` raises by one.

An ``Optional`` stub has the default that it names, or else that its body shows; a game leaves it out where that fits.
"""

from .rng import kernel
from .to_move import CHANCE, CUT, OVER

URGENT = 1_000_000  # candidates of this rank or higher are tried before what a search has learned about others
FORCED = 1 << 28  # rank of the first of the tactics where a seat may not leave the position as it is
PROVEN = -1  # what `relevant` returns where the seat to move wins

__all__ = ["CHANCE", "CUT", "FORCED", "OVER", "PROVEN", "URGENT", "kernel"]


def reset(s, rng):
    """Turn a blank record into a start position. `rng` deals what is random without being an explicit chance event."""
    raise NotImplementedError


def legal(s, mask):
    """Write the int8 mask of the seat to move, all zero at chance and at the end; return how many actions it has."""
    raise NotImplementedError


def step(s, a):
    """Play the LEGAL action `a`: set `to_move` (the same seat may act again) and raise `ply`."""
    raise NotImplementedError


def returns(s, r):
    """Write the final score of every seat into `r`; zeros for an undecided record."""
    raise NotImplementedError


def observe(s, seat, x):
    """Write the chosen encoder's observation from `seat`'s side: ``observe_<encoder>`` in ``encode.py``."""
    raise NotImplementedError


def key(s):
    """Hash the position to uint64: equal positions, equal keys."""
    raise NotImplementedError


def flaw(s):
    """Find the first rule of ``FLAWS`` that a record breaks; -1 for a position, as far as form tells; in ``valid.py``.

    The record may hold ANY bytes: each is checked before it serves as an index or bounds a loop.
    """
    raise NotImplementedError


def chance(s, p):
    """Write the outcomes' probabilities into `p` and return how many outcomes there are. Optional."""
    return 0


def resolve(s, o):
    """Apply outcome `o` of the chance event that `s` waits for. Optional."""


def redeal(s, seat, rng):
    """Resample everything `seat` cannot know, consistent with what it has seen. Optional: nothing is hidden."""


def playout(s, rng, mask, p):
    """Play uniformly random actions to the end of the game. Optional: `kernels.random_playout`."""
    raise NotImplementedError


def policy(s, notes, rng):
    """Choose as a simple player does, `rng` for ties, `notes` to work in; in ``greedy.py``. Optional: there is none."""
    raise NotImplementedError


def rollout(s, notes, rng, mask, p, used):
    """Play to the end as a quick but not blind player does, from `notes(game)`; in ``rollout.py``. Optional.

    Marks what each seat played in `used` (seats, actions) int8, which the caller has cleared.
    """
    raise NotImplementedError


def survey(s, e):
    """Write into the record `e` (a dtype of the game's ``evaluate.py``) what evaluation keeps of a position."""
    raise NotImplementedError


def follow(before, s, e, a):
    """Bring `e`, which was that of `before`, up to date: action or outcome `a` has led to `s`. In ``evaluate.py``."""
    raise NotImplementedError


def evaluate(s, e, seat):
    """Value an unfinished position for `seat`, a whole number between -10**6 and 10**6; in ``evaluate.py``."""
    raise NotImplementedError


def candidates(s, e, moves, ranks):
    """Write legal actions that deserve a search, at least one, with higher ranks for those to try first; count them.

    In ``evaluate.py``. Optional: all legal actions, ranks all 0.
    """
    raise NotImplementedError


def tactics(s, e, moves, ranks):
    """Write, as `candidates` does, what must still be tried where a search ends; nothing if the position is quiet.

    If the first rank is `FORCED` or higher, the seat has to play one of them. In ``evaluate.py``. Optional: every
    position is quiet.
    """
    return 0


def threats(s, e, moves, ranks):
    """Write, as `tactics` does, only moves that win unless they are met, or moves that meet such a move; for proofs.

    In ``evaluate.py``. Optional: there are none but `tactics`.
    """
    return 0


def transposition(s, e):
    """Hash what the value of a position depends on to uint64; in ``evaluate.py``. Optional: `key`."""
    raise NotImplementedError


def examine(s, e):
    """Write into the record `e` (a dtype of the game's ``proof.py``) what a proof of who wins looks at."""
    raise NotImplementedError


def reexamine(old, s, e, a):
    """Write into `e` what `examine` would, or a little less, from what `old` holds of the position `a` was played in.

    In ``proof.py``. Optional: `examine`.
    """
    raise NotImplementedError


def relevant(s, e, moves, ranks):
    """Write actions, one of which wins if any action does, and ranks, for an examined position; count the actions.

    Those of higher ranks are tried first. 0 means that the seat to move loses, PROVEN that it wins, by ``moves[0]``. In
    ``proof.py``. Optional: all legal actions, ranks all 0.
    """
    raise NotImplementedError


def alike(s, e):
    """Hash a position to uint64: equal hashes only if the seat to move wins both or neither; `e` is room to work in.

    In ``proof.py``. Optional: `key`.
    """
    raise NotImplementedError
