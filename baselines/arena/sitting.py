"""One game between persons and agents, decision by decision, with moves taken back, clocks and its record.

A game in progress is its seed and its moves; undo plays it again from the start, with the same dice and draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from ...envs.faces.render import sees_seats
from ...envs.records.game_record import Ending, GameRecord, write_down
from ..agent import blame, timed_act
from ..agents import AgentLike, labels, make_agent
from .matches import check_clock, too_late

PERSON = "person"


@dataclass(frozen=True)
class Move:
    """Who played what, and how long it took."""

    seat: int
    action: int
    seconds: float


class Answer(NamedTuple):
    """What an agent has decided, the seconds it took and what it expects to follow, or why it gives the game up."""

    action: int
    seconds: float
    fault: str
    line: list[int]


class Sitting:
    """One game with an agent or `PERSON` on each seat; seats with the same string have an agent each.

    With `clock`, a seat that has used up that many seconds loses. The game is that of an `episode` of the seed, and
    begins in a `position`, a record of shape (1,), where one is given.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[AgentLike],
        seed: int,
        clock: float | None = None,
        *,
        episode: int = 0,
        position: np.ndarray | None = None,
    ) -> None:
        if len(seats) != game.seats:
            raise BoyiError(f"{game} has {game.seats} seats, and {len(seats)} are given")
        if PERSON in seats and game.spec.hidden and not sees_seats(game, "text", "diagram"):
            raise BoyiError(f"{game} has no diagram for a single seat, so a person would see hidden information")
        self.game, self.seed, self.clock = game, seed, check_clock(clock)
        self.players = [None if like == PERSON else make_agent(like, game) for like in seats]
        self.labels = labels(seats)
        self.episode, self.position = episode, position
        self.batch = Batch(game, 1, encoder=None, history=True)
        self.moves: list[Move] = []
        self.returns: list[float] | None = None
        self.ended, self.reason = Ending.UNFINISHED, ""
        self.loser: int | None = None
        """Who has lost other than by the rules."""
        self.thinking = 0.0
        """Seconds that a person has spent on the decision at hand."""
        self.overdue: dict[str, float] = {}
        """Seconds of a decision that came too late, under the label of its seat."""
        self._begin()

    def _begin(self) -> None:
        """Go to the beginning of the game."""
        self.batch.reset(self.seed, episode=self.episode)
        if self.position is not None:
            self.batch.set_states(self.position)
        if self.batch.to_move[0] < 0:
            raise BoyiError(f"{self.game}: the game is over in this position")
        self.moves = []

    @property
    def persons(self) -> list[int]:
        """The seats on which persons sit."""
        return [seat for seat, agent in enumerate(self.players) if agent is None]

    @property
    def to_move(self) -> int:
        """The seat to move; below 0 when the game has ended."""
        return int(self.batch.to_move[0]) if self.ended is Ending.UNFINISHED else -1

    @property
    def state(self) -> np.void:
        record: np.void = self.batch.states[0]
        return record

    def left(self, seat: int) -> float:
        """Seconds that a seat has left, infinite where no clock runs."""
        spent = sum(move.seconds for move in self.moves if move.seat == seat)
        return math.inf if self.clock is None else self.clock - spent

    def flagged(self, seconds: float) -> bool:
        """Whether a decision that took `seconds` is too late, so that the seat to move has lost."""
        seat = self.to_move
        if seconds <= self.left(seat):
            return False
        self.overdue[self.labels[seat]] = seconds
        self.lose(seat, Ending.TIME, too_late(self.labels[seat], self.clock))
        return True

    def play(self, action: int, seconds: float) -> None:
        """Play a legal action for the seat to move, unless its time is up."""
        if self.flagged(seconds):
            return
        self.thinking = 0.0
        move = Move(self.to_move, action, seconds)
        scores, over, cut = self.batch.step(np.array([action]))
        self.moves.append(move)
        if over[0] or cut[0]:
            self.ended, self.returns = Ending.OVER if over[0] else Ending.CUT, scores[0].tolist()

    def answer(self) -> str | None:
        """Let the agent to move decide; return its move by name, None when it has given up or used up its time.

        `BoyiError` names the agent when it fails or answers with an action that is not legal.
        """
        state = self.state
        answer = self.ask()
        self.take(answer)
        return None if self.reason else self.game.module("text").name(state, answer.action)

    def ask(self, hurry: Event | None = None) -> Answer:
        """Ask the agent whose turn it is to decide, which changes nothing; `BoyiError` names it when it fails.

        A `hurry` is set from outside when the answer is wanted at once.
        """
        seat = self.to_move
        agent, view = self.players[seat], self.batch.view()._replace(hurry=hurry)
        assert agent is not None
        if self.clock is not None:
            view = view._replace(clock=np.array([self.left(seat)]))
        with blame(self.labels[seat]):
            actions, seconds = timed_act(agent, view)
            action, fault = int(actions[0]), agent.faults.get(0, "")
            return Answer(action, seconds, fault, [] if fault else agent.expects(view, 0, action))

    def take(self, answer: Answer) -> None:
        """Play what the agent to move has answered, or end the game where it has given up."""
        label = self.labels[self.to_move]
        if answer.fault:
            self.lose(self.to_move, Ending.FORFEIT, f"{label}: {answer.fault}")
            return
        with blame(label):
            self.play(answer.action, answer.seconds)

    def undo(self) -> bool:
        """Go back to the previous decision of a person; False when there is none."""
        earlier = [k for k, move in enumerate(self.moves) if self.players[move.seat] is None]
        if not earlier:
            return False
        kept = self.moves[: earlier[-1]]
        self._begin()
        for move in kept:
            self.play(move.action, move.seconds)
        return True

    def lose(self, loser: int | None, ended: Ending, reason: str = "") -> None:
        """End the game as lost for a seat other than by the rules."""
        self.ended, self.reason, self.returns = ended, reason, self.game.lost(loser)
        self.loser = loser

    def close(self) -> None:
        """Close the agents."""
        for agent in self.players:
            if agent is not None:
                agent.close()

    def record(self) -> GameRecord:
        """Write the game down as far as it was played; `BoyiError` for one that began in a position set up by hand."""
        if self.position is not None:
            raise BoyiError("a game that began in a position set up by hand cannot be recorded")
        moves = [[move for move in self.moves if move.seat == seat] for seat in range(self.game.seats)]
        overdue = [self.overdue.get(label, 0.0) for label in self.labels]
        return write_down(
            self.game,
            self.seed,
            self.labels,
            [move.action for move in self.moves],
            self.ended,
            self.returns,
            [sum(move.seconds for move in own) + late for own, late in zip(moves, overdue, strict=True)],
            [len(own) for own in moves],
            episode=self.episode,
            clock=self.clock,
            reason=self.reason,
        )
