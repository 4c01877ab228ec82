"""A table of the page: one game, what its viewer may see of it, and what they may do.

Everything here is quick but what asks an agent. What a message holds is what leaves the server: in a game with hidden
tiles the person at the table learns what their seat sees, and nothing of who is being asked.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...envs.engine.batch import random_seed
from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import Form, Whole, read
from ...envs.engine.spec import find
from ...envs.faces.picking import paths
from ...envs.faces.render import seen
from ...envs.records.files import replace_file
from ...envs.records.game_record import Ending
from ..arena.sitting import Answer, Sitting

FORMAT = "boyi-table-1"
MOST_SEATS = 16
LONGEST = 1000  # letters of a game's or an agent's string


class Setup(Form, frozen=True, kw_only=True):
    """What is played: a game's string, "person" or an agent's string for each seat, a seed, and a clock in seconds."""

    game: str
    seats: list[str]
    seed: Whole | None = None
    clock: float | None = None

    def __post_init__(self) -> None:
        if len(self.seats) > MOST_SEATS or max(map(len, [self.game, *self.seats])) > LONGEST:
            raise ValueError(f"a table has {MOST_SEATS} seats at most, and names of {LONGEST} letters")


class Kept(Form, frozen=True, kw_only=True):
    """A table in a file: its setup with the seed drawn, actions and their seconds, and how a game was given up."""

    format: str = FORMAT
    setup: Setup
    moves: list[tuple[Whole, float]]
    lost: Whole | None = None
    ended: Ending = Ending.UNFINISHED
    reason: str = ""


class Table:
    """One game with persons and agents. `BoyiError` when it cannot be, and for whatever cannot be done at it."""

    def __init__(self, setup: Setup) -> None:
        game = find(setup.game)
        seed = random_seed() if setup.seed is None else setup.seed
        self.setup = msgspec.structs.replace(setup, game=str(game), seed=seed)
        self.sitting = Sitting(game, setup.seats, seed, setup.clock)
        persons = self.sitting.persons
        if game.spec.hidden and len(persons) > 1:
            raise BoyiError(f"{game}: one person at most sits at a table, for on one page each would see all hands")
        self.viewer = persons[0] if game.spec.hidden and persons else None
        """The seat whose view is shown, None where everything is."""
        self.states = [self.sitting.state.copy()]
        """The positions so far, the one at hand last."""
        self.since = time.perf_counter()

    @classmethod
    def of(cls, kept: Kept) -> Table:
        """Set a table up again as it was kept."""
        table = cls(kept.setup)
        for action, seconds in kept.moves:
            table._play(action, seconds)
        if kept.ended in (Ending.RESIGNED, Ending.FORFEIT, Ending.TIME):
            if kept.lost is None or kept.lost >= table.sitting.game.seats:
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
        self.sitting.take(answer)
        self._note()

    def _note(self) -> None:
        """Keep the position where a move has led to it, and see whose time it was."""
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
        """End the game where the person to move has no time left; return the seconds that they have."""
        if self.sitting.clock is None or not self.persons_turn:
            return None
        seat, spent = self.sitting.to_move, time.perf_counter() - self.since
        return None if self.sitting.flagged(spent) else self.sitting.left(seat) - spent

    # What is shown of it

    @property
    def closed(self) -> bool:
        """Whether the viewer may not see everything."""
        return self.viewer is not None and self.sitting.to_move >= 0

    def known(self) -> list[int]:
        """List the moves that the viewer may know of, by how many there were before each.

        What is sent counts these alone: how many others there were would say how many seats had been asked.
        """
        moves = self.sitting.moves
        return [k for k, move in enumerate(moves) if not self.closed or move.seat == self.viewer]

    def look(self, ply: int) -> tuple[str, str]:
        """Draw the position after so many moves that the viewer knows of, and write it as text."""
        positions = [*self.known(), len(self.states) - 1]
        if not 0 <= ply < len(positions):
            raise BoyiError("there is no such position to look at")
        state = self.states[positions[ply]]
        return self.svg_of(state), self._diagram(state)

    def svg_of(self, state: np.void) -> str:
        """Draw a position as the viewer sees it."""
        return seen(self.sitting.game, "draw", "svg")(state, self.viewer)

    def _diagram(self, state: np.void) -> str:
        return seen(self.sitting.game, "text", "diagram")(state, self.viewer if self.closed else None)

    def message(self) -> dict[str, Any]:
        """Say all that a page shows of the table."""
        sitting, state = self.sitting, self.states[-1]
        name = sitting.game.module("text").name
        svg = self.svg_of(state)
        legal: list[dict[str, Any]] = []
        if self.persons_turn:
            actions = np.flatnonzero(sitting.batch.mask[0]).tolist()
            found = paths(sitting.game, state, actions, svg)
            legal = [{"action": a, "name": name(state, a), "path": found[a]} for a in actions]
        asked = self.viewer if self.closed and self.persons_turn else None if self.closed else sitting.to_move
        over = sitting.to_move < 0
        left = None if sitting.clock is None else [round(sitting.left(seat), 1) for seat in range(sitting.game.seats)]
        return {
            "type": "table",
            "setup": {**msgspec.structs.asdict(self.setup), "seed": self.setup.seed if over else None},
            "title": sitting.game.spec.title,
            "labels": sitting.labels,
            "viewer": self.viewer,
            "ply": len(self.known()),
            "turn": asked,
            "mine": self.persons_turn,
            "dice": sitting.game.spec.dice and not sitting.game.spec.hidden,
            "svg": svg,
            "diagram": self._diagram(state),
            "legal": legal,
            "moves": [
                {"seat": sitting.moves[k].seat, "name": name(self.states[k], sitting.moves[k].action)}
                for k in self.known()
            ],
            "back": [] if sitting.clock is not None else self._decisions(),
            "clock": None if left is None or self.closed else left,
            "over": over,
            "ended": sitting.ended,
            "returns": sitting.returns,
            "reason": sitting.reason,
        }

    def _decisions(self) -> list[int]:
        """List the decisions of persons that can be taken back, by the moves that the viewer knew of before each."""
        moves, persons = self.sitting.moves, self.sitting.persons
        return [ply for ply, k in enumerate(self.known()) if moves[k].seat in persons]

    def close(self) -> None:
        """Let the agents go."""
        self.sitting.close()


def save(path: Path, table: Table) -> None:
    """Keep a table in a file."""
    replace_file(path, msgspec.json.encode(table.kept()))


def load(path: Path) -> Table:
    """Read a table that was kept; `BoyiError` says what is wrong with the file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror}") from None
    return Table.of(read(content, Kept, where=str(path), what="a table", format=FORMAT))
