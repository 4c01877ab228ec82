"""Agents that ask a program behind pipes: what `gtp`, `gomocup` and `jsonl` have in common.

A program that breaks off, is late, floods or says what the protocol or the rules do not allow loses the game; the
reason is in `faults` and in the log "boyi". It is started when it is first asked, and again after it has failed.
"""

from __future__ import annotations

import logging
import os
import time
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import GIVEN_UP
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent
from .program import Program, ProgramError, split_command

GRACE = 0.5  # seconds beyond its time that a program is allowed: pipes and schedulers take some
LOG = logging.getLogger("boyi")
RAW = Param(False, "also tell what the protocol has no word for: for an engine of this package")


class External(Agent):
    """Asks a program about one game at a time, and tells it from the start any game that it has not followed."""

    positional: ClassVar[str | None] = "cmd"
    foreign = True
    params = {
        "cmd": Param("", "its command line"),
        "seconds": Param(0.0, "time per decision that it is told, where above 0", low=0.0, high=86400.0),
        "wait": Param(60.0, "longest wait for a decision without a time, in seconds", low=0.0, high=86400.0),
        "start": Param(30.0, "longest wait for it to start, in seconds", low=0.0, high=86400.0),
        "pause": Param(0.0, "seconds that it is left alone after an answer", low=0.0, high=60.0),
    }
    farewell: ClassVar[str]
    """The line that asks a program to end."""

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.program: Program | None = None
        self.game: tuple[int, int] | None = None
        self.told: list[int] = []

    def __getstate__(self) -> dict[str, object]:
        """Pickle and copy without the program: the copy starts another."""
        return {**self.__dict__, "program": None, "game": None, "told": []}

    @property
    def alone(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if not self.values["cmd"]:
            raise BoyiError(
                f"{self.name} runs a program: give its command line, as in {self.name}:cmd='program --fast'"
            )
        if self.program is None:
            split_command(self.values["cmd"])

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        self.faults = {}
        return np.array([self._decide(view, k) for k in range(view.row.size)], np.int64)

    def _decide(self, view: View, k: int) -> int:
        try:
            return self._answer(view, k)
        except ProgramError as error:
            self.faults[k] = f"{error}{'' if self.program is None else self.program.circumstances()}"
            LOG.warning("%s: %s", self, self.faults[k])
            self._drop()
            return GIVEN_UP
        except BaseException:
            # Interrupted in the middle of a question: its answer would be taken for the answer to the next one.
            self._drop()
            raise

    def _answer(self, view: View, k: int) -> int:
        """Tell the program what it does not know of game k of a view, and ask it."""
        game = int(view.row[k]), int(view.episode[k])
        # A forked child inherits the program but none of the threads that talk to it.
        if self.program is not None and self.program.owner != os.getpid():
            self._drop()
        if self.program is not None and not (game == self.game and self.follows(view, k)):
            self.leave_game()
        if self.game is None:
            started, before = time.monotonic(), self.starting
            self._open(view, k, game)
            self.starting = before + time.monotonic() - started
        action = self._read(view, k, self.ask(view, k))
        self.told.append(action)
        return action

    def _open(self, view: View, k: int, game: tuple[int, int]) -> None:
        """Begin a game with the program, which is started if it is not running."""
        if self.program is None:
            self.program = Program(self.values["cmd"], self.values["pause"])
            self.greet(view.game, time.monotonic() + self.values["start"])
        self.begin(view, k, time.monotonic() + self.values["start"])
        self.game, self.told = game, []

    def follows(self, view: View, k: int) -> bool:
        """Whether the game begins with the actions that the program was told."""
        return self.told == self.played(view, k)[: len(self.told)]

    def news(self, view: View, k: int) -> list[int]:
        """Return the actions that the program has not been told yet, and count them as told."""
        latest = self.played(view, k)[len(self.told) :]
        self.told += latest
        return latest

    def _read(self, view: View, k: int, text: str) -> int:
        """Read an answer; `ProgramError` when it is not a legal action."""
        try:
            action = self.read(view, k, text)
        except BoyiError:
            action = GIVEN_UP
        if not (0 <= action < view.game.actions and view.mask[k, action]):
            where = view.game.module("text").diagram(view.states[k])
            LOG.info("%s: %r is not legal in\n%s", self, text, where)
            raise ProgramError(f"answered {text[:80]!r}, which is not a legal action")
        return action

    def read(self, view: View, k: int, text: str) -> int:
        """Read an answer as an action of game k of a view; `BoyiError` when it is not one."""
        return int(view.game.module("text").parse(view.states[k], text))

    def time_told(self, view: View, k: int) -> float | None:
        """Seconds that the program is told it has for a decision; None: it is told nothing."""
        times = [self.seconds] if self.seconds else []
        times += [float(times_left[k]) for times_left in (view.clock, view.limit) if times_left is not None]
        return max(0.0, min(times)) if times else None

    @property
    def seconds(self) -> float:
        """Seconds for a decision that the program knows of; 0: it knows of none."""
        return float(self.values["seconds"])

    def deadline(self, view: View, k: int) -> float:
        """Say when, by `time.monotonic`, a decision that begins now is too late."""
        told = self.time_told(view, k)
        return time.monotonic() + (self.values["wait"] if told is None else told + GRACE)

    def send(self, text: str) -> None:
        assert self.program is not None
        started = time.monotonic()
        self.program.send(text)
        self.starting += time.monotonic() - started  # the pause does not count as thinking

    def receive(self, until: float) -> str:
        assert self.program is not None
        return self.program.receive(until)

    @abstractmethod
    def greet(self, game: Game, until: float) -> None:
        """Meet a program that has just been started."""

    @abstractmethod
    def begin(self, view: View, k: int, until: float) -> None:
        """Tell it that a game begins about which it knows nothing yet."""

    @abstractmethod
    def ask(self, view: View, k: int) -> str:
        """Ask it about its game and return its answer."""

    def leave_game(self) -> None:
        """Let it turn to another game, or to the same one from the start."""
        self.game = None

    def _drop(self) -> None:
        """End the program at once."""
        program, self.program, self.game = self.program, None, None
        if program is not None:
            program.close()

    def part(self) -> str | None:
        """Ask the program to end; return what it did wrong where it had to be killed."""
        program, self.program, self.game = self.program, None, None
        return None if program is None else program.leave(self.farewell)

    def close(self) -> None:
        wrong = self.part()
        if wrong is not None:
            LOG.warning("%s: %s", self, wrong)


def stream(view: View, k: int) -> list[int]:
    """List what an engine of this package needs to draw as it would without the pipe."""
    return [*map(int, view.rng[k]), int(view.game_key[k])]
