"""A game as a page shows it: its positions and moves, as far as the viewer may know of them, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import step_one
from ...envs.engine.spec import Game
from ...envs.faces.render import seen
from ...envs.records.game_record import Ending, GameRecord, positions


class Story:
    """A game that is shown, played or not. Messages count the moves that the viewer knows of."""

    game: Game
    labels: Sequence[str]
    viewer: int | None = None
    """The seat whose view is shown, None where everything is."""
    states: list[np.void]
    """The positions so far, the one at hand last."""

    @property
    def persons_turn(self) -> bool:
        """Whether a person is to move."""
        return False

    @property
    def agents_turn(self) -> bool:
        """Whether an agent is to move."""
        return False

    def done(self) -> list[tuple[int, int]]:
        """List the moves: the seat, and the action."""
        raise NotImplementedError

    @property
    def returns(self) -> list[float] | None:
        """What each seat got (seats,), None before the end."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether the viewer may not see everything."""
        return False

    def known(self) -> list[int]:
        """List the moves that the viewer may know of, by how many there were before each.

        Messages count these alone: the number of others would tell how many seats had been asked.
        """
        return [k for k, (seat, _) in enumerate(self.done()) if not self.closed or seat == self.viewer]

    def at(self, ply: int) -> int:
        """Find the position after `ply` moves that the viewer knows of; `BoyiError` where there is none."""
        places = [*self.known(), len(self.states) - 1]
        if not 0 <= ply < len(places):
            raise BoyiError("there is no such position to look at")
        return places[ply]

    def look(self, ply: int) -> tuple[str, str]:
        """Draw the position after `ply` moves that the viewer knows of, and write it as text."""
        state = self.states[self.at(ply)]
        return self.picture(state), self.diagram(state)

    def picture(self, state: np.void) -> str:
        """Draw a position as the viewer sees it."""
        return seen(self.game, "draw", "svg")(state, self.viewer)

    def diagram(self, state: np.void) -> str:
        """Write a position as text, as the viewer may see it."""
        return seen(self.game, "text", "diagram")(state, self.viewer if self.closed else None)

    def named(self, state: np.void, actions: Sequence[int]) -> list[str]:
        """Name actions that are played one after the other from a position."""
        states, names = np.array([state], self.game.dtype), list[str]()
        for action in actions:
            names.append(self.game.module("text").name(states[0], action))
            bind(step_one, self.game)(states, action)
        return names

    def told(self, ended: Ending, reason: str) -> dict[str, Any]:
        """Say what a page shows of any game."""
        moves, name = self.done(), self.game.module("text").name
        return {
            "type": "table",
            "title": self.game.spec.title,
            "hidden": self.game.spec.hidden,
            "dice": self.game.spec.dice and not self.game.spec.hidden,
            "labels": list(self.labels),
            "viewer": self.viewer,
            "ply": len(self.known()),
            "svg": self.picture(self.states[-1]),
            "diagram": self.diagram(self.states[-1]),
            "moves": [{"seat": moves[k][0], "name": name(self.states[k], moves[k][1])} for k in self.known()],
            "ended": ended,
            "returns": self.returns,
            "reason": reason,
        }

    def unplayed(self) -> dict[str, Any]:
        """Fill in, for a game in which nobody decides here, what a page shows of those in which somebody does."""
        return {"recorded": True, "mine": False, "legal": [], "expected": [], "back": [], "clock": None}

    def message(self) -> dict[str, Any]:
        """Say all that a page shows of the game."""
        raise NotImplementedError

    def record(self) -> GameRecord:
        """Write the game down; `BoyiError` where it cannot be, or would tell what the viewer may not know."""
        raise NotImplementedError

    def check_clock(self) -> float | None:
        """End the game where the person to move has no time left; return the seconds that they have."""
        return None

    def close(self) -> None:
        """Close the agents."""


class Replay(Story):
    """A recorded game; `BoyiError` when these rules cannot have produced it."""

    def __init__(self, record: GameRecord) -> None:
        self.kept = record
        self.game, self.states = positions(record, "the game")
        self.labels = record.seats

    def done(self) -> list[tuple[int, int]]:
        actions = self.kept.actions
        return [(int(state["to_move"]), action) for state, action in zip(self.states, actions, strict=False)]

    @property
    def returns(self) -> list[float] | None:
        return self.kept.returns

    def message(self) -> dict[str, Any]:
        record = self.kept
        setup = {"game": str(self.game), "seats": record.seats, "seed": record.seed, "clock": record.clock}
        return {
            **self.told(record.ended, record.reason),
            **self.unplayed(),
            "setup": setup,
            "turn": None,
            "over": True,
        }

    def record(self) -> GameRecord:
        return self.kept
