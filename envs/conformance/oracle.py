"""Conformance: a game beside its oracle, the same rules written again in slow, plain Python by somebody else.

`check_game(spec, oracle=Amazons)` plays random games in both and compares what they say at every ply: who moves, what
is legal, what it is called, what everybody sees and, at the end, what everybody gets; and the same for the record that
is read back from the diagram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from typing import Any, Protocol

import numpy as np

from ..engine.protocol import CHANCE
from .random_games import Position, Probe

GAMES = 4  # compared for every parameter set
CLOSELY = 16  # positions of a game whose observations and diagrams are compared, too; all if there are no more


class Oracle(Protocol):
    """A game as an oracle plays it; made with the game's parameters by their names.

    It may have ``name(action)``, ``observe_<encoder>(seat)`` as nested lists, ``resolve(outcome)`` where chance takes
    part, and ``deal(state)``, which takes from the start record what was dealt at random.
    """

    def __init__(self, **params: Any) -> None: ...

    def mover(self) -> int | None:
        """Return the seat to move, or None at a chance event and at the end."""

    def legal(self) -> set[int]:
        """Return the legal actions."""

    def play(self, action: int) -> None:
        """Play a legal action."""

    def returns(self) -> list[float]:
        """Return what every seat gets; zeros before the end."""


Player = Callable[[Any], int]
"""Chooses one of an oracle's legal actions."""


def side_by_side(
    probe: Probe, oracle: type[Oracle], seed: int, player: Player | None = None
) -> Iterator[tuple[Position, Any]]:
    """Play one game in both; yield every position, with the oracle at that point."""
    states, decided = probe.start(seed), False
    other: Any = oracle(**probe.game.params)
    if hasattr(other, "deal"):
        other.deal(states[0])
    for choice, position in probe.moves(seed, states, None if player is None else partial(player, other)):
        if choice >= 0:
            (other.play if decided else other.resolve)(choice)
        decided = position.to_move >= 0
        yield position, other


def compare(probe: Probe, oracle: type[Oracle], players: Iterable[Player | None] = (None,) * GAMES) -> None:
    """Raise `GameError` where a game and its oracle differ, in one game by each player: None plays at random."""
    text = probe.game.module("text")
    for seed, player in zip(count(probe.seeds.start), players, strict=False):
        generator = np.random.default_rng([seed, 2])
        for position, other in side_by_side(probe, oracle, seed, player):
            _compare_position(probe, position, other)
            if generator.random() * probe.game.longest < CLOSELY or position.to_move < CHANCE:
                _compare_shown(probe, position, other)
                with probe.blame(position, "diagram or read"):
                    again = probe.look(seed, text.read(text.diagram(position.states[0])))
                _compare_position(probe, again, other, "of the record read from its diagram ")
                _compare_shown(probe, again, other, "of the record read from its diagram ")


def _compare_position(probe: Probe, position: Position, other: Any, whose: str = "") -> None:
    """Compare who moves, what is legal, what it is called, and the returns."""
    mover = position.to_move if position.to_move >= 0 else None
    probe.require(other.mover() == mover, position, f"the oracle says {whose}that {other.mover()} moves, not {mover}")
    lawful, ours = set(other.legal()) if mover is not None else set(), set(np.flatnonzero(position.mask).tolist())
    differing = sorted(lawful ^ ours)
    probe.require(not differing, position, f"{whose or 'here '}the oracle sees actions {differing[:10]} differently")
    if position.to_move < CHANCE:
        theirs = [float(value) for value in other.returns()]
        same = np.allclose(theirs, position.returns)
        probe.require(same, position, f"the oracle says {whose}that the returns are {theirs}, not {position.returns}")


def _compare_shown(probe: Probe, position: Position, other: Any, whose: str = "") -> None:
    """Compare names of actions and what every seat sees, as far as the oracle knows them."""
    text = probe.game.module("text")
    if hasattr(other, "name"):
        for a in np.flatnonzero(position.mask).tolist():
            ours, theirs = text.name(position.states[0], a), other.name(a)
            probe.require(ours == theirs, position, f"the oracle calls action {a} {theirs!r}, not {ours!r}")
    for encoder in probe.game.spec.encoders:
        if hasattr(other, f"observe_{encoder}"):
            for seat in range(probe.game.seats):
                x, theirs = probe.observe(position, seat, encoder), getattr(other, f"observe_{encoder}")(seat)
                same = np.allclose(np.asarray(theirs, np.float32), x)
                probe.require(same, position, f"the oracle {whose}sees another observe_{encoder} for seat {seat}")
