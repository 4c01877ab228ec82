"""Random games under watch: positions with what the kernels say about them, for the checks to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..engine.bind import Kernel, bind
from ..engine.kernels import observe_rows, reset_one
from ..engine.protocol import CHANCE, CUT
from ..engine.spec import Game
from .kernels import advance_one, chance_one, look_one

SPREAD = 12  # about how many positions of a random game are looked at closely
EDGE = 64  # entries around a mask or an observation that nobody may write
EVENTS = 1000  # more chance events than this in a row would never end


class GameError(AssertionError):
    """A game that breaks its contract; the message says which promise, and where that was seen."""


class Position(NamedTuple):
    """A record (1,) of a random game, its mask (actions,) int8, returns (seats,) float32 and key."""

    seed: int
    states: np.ndarray
    mask: np.ndarray
    returns: np.ndarray
    key: int

    @property
    def to_move(self) -> int:
        return int(self.states["to_move"][0])


class Probe:
    """Random games, chance events included; `positions` are a spread of theirs, every start and end included."""

    def __init__(self, game: Game, games: int = 20, seed: int = 0) -> None:
        self.game, self.seeds = game, range(seed, seed + games)
        self.positions: list[Position] = []
        for each in self.seeds:
            played = list(self.walk(each, self.start(each)))
            wanted = np.random.default_rng(each).random(len(played)) * len(played) < SPREAD
            wanted[0] = wanted[-1] = True
            self.positions += [position for position, kept in zip(played, wanted, strict=True) if kept]

    def kernel(self, generic: Kernel, encoder: str | None = None, **choices: Kernel) -> Kernel:
        return bind(generic, self.game, encoder, **choices)

    def start(self, seed: int) -> np.ndarray:
        """Deal a start position (1,)."""
        states = self.game.blank.copy()
        self.kernel(reset_one)(states, open_stream(seed))
        return states

    def walk(self, seed: int, states: np.ndarray) -> Iterator[Position]:
        """Play on at random from a position, and yield it and every one that follows, to the end."""
        return (position for _, position in self.moves(seed, states))

    def moves(
        self, seed: int, states: np.ndarray, choose: Callable[[], int] | None = None
    ) -> Iterator[tuple[int, Position]]:
        """Play on as `walk` does; also yield the action or outcome that led to each position, -1 for the first.

        If there is a `choose`, it is asked for the action once the position has been looked at.
        """
        generator, events, choice = np.random.default_rng([seed, 1]), 0, -1
        latest, longest = int(states["ply"][0]) + self.game.longest, self.game.longest
        while True:
            position = self.look(seed, states)
            late = int(states["ply"][0]) > latest
            self.require(not late, position, f"this is longer than the longest game, {longest}")
            yield choice, position
            if position.to_move < CHANCE:
                return
            decides = position.to_move >= 0
            events = 0 if decides else events + 1
            self.require(events <= EVENTS, position, f"{EVENTS} chance events follow each other")
            states = states.copy()
            likely = position.mask if decides else self.odds(position)
            asked = choose if decides else None
            choice = int(generator.choice(np.flatnonzero(likely))) if asked is None else asked()
            self.kernel(advance_one)(states, choice)
            rise = states["ply"][0] - position.states["ply"][0]
            self.require(
                rise == decides, position, f"ply rises by {rise}: every step raises it by one, chance does not"
            )

    def look(self, seed: int, states: np.ndarray) -> Position:
        """Write a position's mask and returns over old contents; its record must stay as it is."""
        room, r = np.full(self.game.actions + 2 * EDGE, 77, np.int8), np.full(self.game.seats, np.nan, np.float32)
        mask = room[EDGE:-EDGE]
        keys, before = np.zeros(1, np.uint64), field_bytes(states)
        count = self.kernel(look_one)(states, mask, r, keys)
        position = Position(seed, states, mask, r, int(keys[0]))
        self.require(field_bytes(states) == before, position, "key, returns or legal changes the record")
        self.require((room[:EDGE] == 77).all() and (room[-EDGE:] == 77).all(), position, "legal writes past the mask")
        self.require(CUT <= position.to_move < self.game.seats, position, "to_move is no seat and no protocol constant")
        self.require(((mask == 0) | (mask == 1)).all(), position, "the mask was not all written, or not with 0 and 1")
        self.require(mask.sum() == count, position, f"legal counts {count} actions, the mask holds {mask.sum()}")
        self.require((count > 0) == (position.to_move >= 0), position, f"there are {count} legal actions here")
        return position

    def odds(self, position: Position) -> np.ndarray:
        """Write the probabilities (outcomes,) of a chance event."""
        p = np.full(max(1, self.game.chance_outcomes), np.nan)
        self.require(
            self.game.chance_outcomes > 0, position, "a chance event, but the spec declares no chance_outcomes"
        )
        n = self.kernel(chance_one)(position.states, p)
        good = 0 < n <= p.size and (p[:n] >= 0).all() and abs(p[:n].sum() - 1) < 1e-9
        self.require(good, position, f"{n} outcomes have the probabilities {p[:n]}, which do not sum to 1")
        return p[:n]

    def observe(self, position: Position, seat: int, encoder: str, filling: float = np.nan) -> np.ndarray:
        """Observe a position over a buffer full of `filling`; its record must stay as it is."""
        x, before = np.full((1, *self.game.shape(encoder)), filling, np.float32), field_bytes(position.states)
        rows, seats = np.zeros(1, np.int64), np.array([seat])
        self.kernel(observe_rows, encoder)(0, 1, position.states, rows, seats, x)
        self.require(field_bytes(position.states) == before, position, f"observe_{encoder} changes the record")
        return x[0]

    def require(self, promise: Any, position: Position | None, failure: str | Callable[[], str]) -> None:
        """Raise `GameError` with the position's seed, ply and diagram, unless the promise is kept.

        A failure that takes long to write (arrays, a diagram) is given as a function that writes it.
        """
        if not promise:
            raise GameError(self.report(position, failure if isinstance(failure, str) else failure()))

    def report(self, position: Position | None, failure: str) -> str:
        if position is None:
            return f"game {self.game}, seeds {self.seeds.start} to {self.seeds.stop - 1}: {failure}"
        state = position.states[0]
        try:
            diagram = self.game.module("text").diagram(state)
        except Exception as error:
            diagram = f"(its diagram raises {error!r}) {state}"
        return f"game {self.game}, seed {position.seed}, ply {state['ply']}: {failure}\n{diagram}"

    @contextmanager
    def blame(self, position: Position, name: str) -> Iterator[None]:
        """Turn what the game's Python raises into a `GameError` that names the function."""
        try:
            yield
        except GameError:
            raise
        except Exception as error:
            raise GameError(self.report(position, f"{name} raises {error!r}")) from error


def open_stream(seed: int) -> np.ndarray:
    return np.array([seed, 0], np.uint64)


def field_bytes(states: np.ndarray) -> bytes:
    """Gather the bytes of every field: NumPy's copies leave those of the padding between fields undefined."""
    return b"".join(states[field].tobytes() for field in states.dtype.names or ())
