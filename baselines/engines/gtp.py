"""GTP, the text protocol that Hex programs such as MoHex speak: `gtp` runs one of them as an agent.

Version 2 of the protocol, with the move swap-pieces; black is seat 0 and joins top and bottom. Optional commands
are sent only to programs that list them.
"""

from __future__ import annotations

import math

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from .external import LOG, External, stream
from .gtp_server import COLOURS, STREAM
from .program import ProgramError

TIME_LEFT = (" 0", "")
"""How `time_left COLOUR TIME` ends, first as the protocol has it: some programs take no number of stones."""


class Refused(ProgramError):
    """A command that a program knows nothing of, or will not carry out."""


class GTP(External):
    """Any program that speaks GTP, in Hex."""

    name = "gtp"
    farewell = "quit"

    params = {**External.params, "setup": Param("", "commands for it when it has started, with ; in between")}

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.commands: set[str] = set()
        self.known = 0.0
        """Seconds for a decision that the program has been told."""
        self.forms: list[str] = []
        """The endings with which it may still take `time_left`."""
        self.said: set[str] = set()
        """What has been logged about the running program."""

    @property
    def by_history(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if game.name != "hex":
            raise BoyiError(f"gtp plays hex, not {game}: jsonl plays every game, gomocup plays gomoku")
        super().fit(game)

    def greet(self, game: Game, until: float) -> None:
        self.commands, self.said = set(self.command("list_commands", until).split()), set()
        self.forms = [*TIME_LEFT] * ("time_left" in self.commands)
        for text in filter(None, map(str.strip, self.values["setup"].split(";"))):
            try:
                self.command(text, until)
            except Refused as error:
                raise BoyiError(f"setup: the program {error}") from None

    def begin(self, view: View, k: int, until: float) -> None:
        params = view.game.params
        if "param_game" in self.commands:
            self.command(f"param_game allow_swap {int(params['swap'])}", until)
        self.command(f"boardsize {params['board_size']}", until)
        self.command("clear_board", until)
        self._tell_time(None if view.clock is None else float(view.clock[k]), until)

    def _tell_time(self, clock: float | None, until: float) -> None:
        """Tell it the time it has; log what it cannot be told and how long its answers are awaited."""
        wanted, left = self.values["seconds"], 0 if clock is None else max(1, int(clock))
        self.known, told = 0.0, not wanted and clock is None
        for seconds in dict.fromkeys((wanted, float(math.ceil(wanted)))):
            period = f"{seconds:g} 1" if seconds else "0 0"
            if not told and "time_settings" in self.commands:
                told = self._takes(f"time_settings {left} {period}", until)
                self.known = seconds if told else 0.0
        why = "refuses" if "time_settings" in self.commands else "has no"
        if not told and wanted:
            waited = "" if clock is not None else f", and each is awaited for {self.values['wait']:g} s"
            self._warn(f"the program {why} time_settings: it is not told of its {wanted:g} s a decision{waited}")
        elif self.known != wanted:
            self._warn(f"the program takes whole seconds: it is told {self.known:g} s a decision, not {wanted:g}")
        if not told and clock is not None and not self.forms:
            self._warn(f"the program {why} time_settings and takes no time_left: it is not told of its clock")

    @property
    def seconds(self) -> float:
        return self.known

    def _warn(self, sentence: str) -> None:
        """Log a sentence, once for each program that runs."""
        if sentence not in self.said:
            self.said.add(sentence)
            LOG.warning("%s: %s", self, sentence)

    def _takes(self, text: str, until: float) -> bool:
        """Send a command; return whether it was carried out."""
        try:
            self.command(text, until)
        except Refused:
            return False
        return True

    def ask(self, view: View, k: int) -> str:
        start, until = len(self.told), self.deadline(view, k)
        seat, name = int(view.seat[k]), view.game.module("text").name
        for at, action in enumerate(self.news(view, k), start):
            self.command(f"play {COLOURS[at % 2]} {name(view.states[k], action)}", until)
        while view.clock is not None and self.forms:
            if self._takes(f"time_left {COLOURS[seat]} {int(view.clock[k])}{self.forms[0]}", until):
                break
            del self.forms[0]
        if STREAM in self.commands:
            self.command(" ".join(map(str, (STREAM, *stream(view, k)))), until)
        return self.command(f"genmove {COLOURS[seat]}", until)

    def command(self, text: str, until: float) -> str:
        """Send a command and return the response; `ProgramError` where it is a failure or not a response at all."""
        self.send(text)
        lines = [self.receive(until)]
        while not lines[0].strip():
            lines = [self.receive(until)]
        if lines[0][0] not in "=?":
            raise ProgramError(f"answered {lines[0][:80]!r} to {text!r}, which is not a response of GTP")
        while lines[-1].strip():
            lines.append(self.receive(until))
        response = "\n".join(lines)[1:].strip()
        if lines[0][0] == "?":
            raise Refused(f"refused {text!r}: {response[:80]}")
        return response
