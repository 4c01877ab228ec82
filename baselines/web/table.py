"""A table of the page: one game between persons and agents, and what its persons may do.

Everything here is quick except what asks an agent. What a message holds is what leaves the server: in a game with
hidden tiles, the person at the table learns what their seat sees, and nothing about who is being asked.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...envs.engine.batch import random_seed
from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import Form, Whole, parse_json, read
from ...envs.engine.spec import find
from ...envs.faces.picking import paths
from ...envs.records.game_record import Ending, GameRecord, read_line
from ..arena.sitting import PERSON, Answer, Sitting
from .story import Replay, Story

FORMAT = "boyi-table-1"
MOST_SEATS = 16
LONGEST = 1000  # letters of a game's or an agent's string
LONGEST_POSITION = 100_000  # letters of a position


class Setup(Form, frozen=True, kw_only=True):
    """What is played: a game's string, "person" or an agent's string for each seat, a clock in seconds, and a seed with
    the number of the game among its games; `position` is the text of a position to begin in.
    """

    game: str
    seats: list[str]
    seed: Whole | None = None
    episode: Whole = 0
    clock: float | None = None
    position: str = ""

    def __post_init__(self) -> None:
        if len(self.seats) > MOST_SEATS or max(map(len, [self.game, *self.seats])) > LONGEST:
            raise ValueError(f"a table has {MOST_SEATS} seats at most, and names of {LONGEST} letters")
        if len(self.position) > LONGEST_POSITION:
            raise ValueError(f"a position has {LONGEST_POSITION:,} letters at most")


class Kept(Form, frozen=True, kw_only=True):
    """A table in a file: its setup with the seed drawn, actions and their seconds, and how a game was given up."""

    format: str = FORMAT
    setup: Setup
    moves: list[tuple[Whole, float]]
    lost: Whole | None = None
    ended: Ending = Ending.UNFINISHED
    reason: str = ""


class Table(Story):
    """One game with persons and agents. `BoyiError` when it cannot be set up, and for what cannot be done at it."""

    def __init__(self, setup: Setup) -> None:
        game = find(setup.game)
        position = game.module("text").read(setup.position) if setup.position.strip() else None
        seed = random_seed() if setup.seed is None else setup.seed
        self.game, self.setup = game, msgspec.structs.replace(setup, game=str(game), seed=seed)
        self.sitting = Sitting(game, setup.seats, seed, setup.clock, episode=setup.episode, position=position)
        self.labels, persons = self.sitting.labels, self.sitting.persons
        if game.spec.hidden and len(persons) > 1:
            raise BoyiError(f"{game}: one person at most sits at a table, for on one page each would see all hands")
        self.viewer = persons[0] if game.spec.hidden and persons else None
        self.states = [self.sitting.state.copy()]
        self.since = time.perf_counter()
        self.expected: list[str] = []
        """The latest move of an agent, and what it expects to follow."""

    @classmethod
    def of(cls, kept: Kept) -> Table:
        """Set a table up again as it was kept."""
        table = cls(kept.setup)
        for action, seconds in kept.moves:
            table._play(action, seconds)
        if kept.ended in (Ending.RESIGNED, Ending.FORFEIT, Ending.TIME):
            if kept.lost is None or kept.lost >= table.game.seats:
                raise BoyiError(f"{kept.lost} is no seat that can have lost")
            table.sitting.lose(kept.lost, kept.ended, kept.reason)
        return table

    def kept(self) -> Kept:
        """Say what a file keeps of the table."""
        sitting = self.sitting
        moves = [(move.action, round(move.seconds, 6)) for move in sitting.moves]
        return Kept(setup=self.setup, moves=moves, lost=sitting.loser, ended=sitting.ended, reason=sitting.reason)

    # What is done at it

    @property
    def persons_turn(self) -> bool:
        return self.sitting.to_move in self.sitting.persons

    @property
    def agents_turn(self) -> bool:
        return self.sitting.to_move >= 0 and not self.persons_turn

    def play(self, action: int, ply: int) -> None:
        """Play an action of a person in the position after `ply` moves that the viewer knows of."""
        if not self.persons_turn or ply != len(self.known()):
            raise BoyiError("that came too late: the position has changed")
        mask = self.sitting.batch.mask[0]
        if not 0 <= action < mask.size or not mask[action]:
            raise BoyiError("that is not a legal action here")
        self._play(action, time.perf_counter() - self.since)

    def _play(self, action: int, seconds: float) -> None:
        self.sitting.play(action, seconds)
        self._note()

    def take(self, answer: Answer) -> None:
        """Play what the agent to move has answered."""
        before = self.states[-1]
        self.sitting.take(answer)
        shown = answer.line and not self.game.spec.hidden
        self.expected = self.named(before, [answer.action, *answer.line]) if shown else []
        self._note()

    def _note(self) -> None:
        """Keep the position where a move has led to it, and begin to time the next decision."""
        if len(self.sitting.moves) == len(self.states):
            self.states.append(self.sitting.state.copy())
        self.since = time.perf_counter()

    def back_to(self, ply: int) -> Table:
        """Set up the table as it was after `ply` moves that the viewer knows of, with agents of its own."""
        if self.sitting.clock is not None:
            raise BoyiError("nothing is taken back while a clock runs")
        if ply not in self._decisions():
            raise BoyiError("there is no decision of a person to go back to")
        return Table.of(Kept(setup=self.setup, moves=self.kept().moves[: self.known()[ply]]))

    def resign(self) -> None:
        """Give the game up for the person to move, or for the only one there is."""
        persons = self.sitting.persons
        seat = self.sitting.to_move if self.persons_turn else persons[0] if len(persons) == 1 else None
        if self.sitting.to_move < 0 or seat is None:
            raise BoyiError("nobody is there to resign")
        self.sitting.lose(seat, Ending.RESIGNED)

    def check_clock(self) -> float | None:
        if self.sitting.clock is None or not self.persons_turn:
            return None
        seat, spent = self.sitting.to_move, time.perf_counter() - self.since
        return None if self.sitting.flagged(spent) else self.sitting.left(seat) - spent

    # What is shown of it

    @property
    def closed(self) -> bool:
        return self.viewer is not None and self.sitting.to_move >= 0

    def done(self) -> list[tuple[int, int]]:
        return [(move.seat, move.action) for move in self.sitting.moves]

    @property
    def returns(self) -> list[float] | None:
        return self.sitting.returns

    def message(self) -> dict[str, Any]:
        sitting, name = self.sitting, self.game.module("text").name
        told = self.told(sitting.ended, sitting.reason)
        legal: list[dict[str, Any]] = []
        if self.persons_turn:
            actions = np.flatnonzero(sitting.batch.mask[0]).tolist()
            found = paths(self.game, self.states[-1], actions, told["svg"])
            legal = [{"action": a, "name": name(self.states[-1], a), "path": found[a]} for a in actions]
        over, timed = sitting.to_move < 0, sitting.clock is not None
        secret = self.closed and not self.persons_turn
        left = [round(sitting.left(seat), 1) for seat in range(self.game.seats)] if timed and not self.closed else None
        return {
            **told,
            "setup": {**msgspec.structs.asdict(self.setup), "seed": self.setup.seed if over else None},
            "recorded": False,
            "turn": None if over or secret else sitting.to_move,
            "mine": self.persons_turn,
            "legal": legal,
            "expected": self.expected,
            "back": [] if timed else self._decisions(),
            "clock": left,
            "over": over,
        }

    def _decisions(self) -> list[int]:
        """List persons' decisions that can be taken back, by how many moves the viewer knew of before each."""
        moves, persons = self.sitting.moves, self.sitting.persons
        return [ply for ply, k in enumerate(self.known()) if moves[k].seat in persons]

    def record(self) -> GameRecord:
        if self.closed:
            raise BoyiError("a game with hidden hands can be saved only when it is over")
        return self.sitting.record()

    def close(self) -> None:
        self.sitting.close()


def branch(story: Story, ply: int) -> Kept:
    """Write down a table at which persons try out how a game might go on after `ply` moves, with the same dice."""
    if story.game.spec.hidden:
        raise BoyiError(f"{story.game}: hands that others hold cannot be tried out")
    moves = [(action, 0.0) for _, action in story.done()[: story.at(ply)]]
    seats = [PERSON] * story.game.seats
    if isinstance(story, Table):
        setup = msgspec.structs.replace(story.setup, seats=seats, clock=None)
    else:
        record = story.record()
        setup = Setup(game=str(story.game), seats=seats, seed=record.seed, episode=record.episode)
    return Kept(setup=setup, moves=moves)


def written(story: Story) -> bytes:
    """Write what a file keeps of a table, or the record that is looked at."""
    return msgspec.json.encode(story.kept()) if isinstance(story, Table) else story.record().line().encode()


def load(path: Path) -> Story:
    """Read what was kept; `BoyiError` says what is wrong with the file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror}") from None
    found = parse_json(content, str(path))
    if isinstance(found, dict) and "actions" in found:
        return Replay(read_line(content, str(path)))
    return Table.of(read(content, Kept, where=str(path), what="a table", format=FORMAT))
