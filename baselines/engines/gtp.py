"""GTP, the text protocol that Hex programs such as MoHex speak and HexGui listens to: both ends of it.

Version 2 of the protocol, with the move swap-pieces; black is seat 0 and joins top and bottom. `gtp` runs a program as
an agent, `serve` makes any agent such a program. One command of our own, boyi-stream, lets an engine of this package
draw as it would in the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TextIO

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from ...envs.engine.version import __version__
from ...envs.engine.view import View
from .engine import Engine, one_line, whole
from .external import External, stream
from .program import ProgramError

COLOURS = ("black", "white")
STREAM = "boyi-stream"


class GTP(External):
    """Any program that speaks GTP, in Hex."""

    name = "gtp"
    farewell = "quit"

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.commands: set[str] = set()
        if self.values["seconds"] % 1:
            raise BoyiError(f"gtp tells times in whole seconds, not {self.values['seconds']:g}")

    @property
    def by_history(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if game.name != "hex":
            raise BoyiError(f"gtp plays hex, not {game}: jsonl plays every game, gomocup plays gomoku")
        super().fit(game)

    def greet(self, game: Game, until: float) -> None:
        self.commands = set(self.command("list_commands", until).split())

    def begin(self, view: View, k: int, until: float) -> None:
        params = view.game.params
        if "param_game" in self.commands:
            self.command(f"param_game allow_swap {int(params['swap'])}", until)
        self.command(f"boardsize {params['board_size']}", until)
        self.command("clear_board", until)
        seconds = self.values["seconds"]
        if "time_settings" in self.commands and (seconds or view.clock is not None):
            left = 0 if view.clock is None else max(1, int(view.clock[k]))
            self.command(f"time_settings {left} {int(seconds)} 1" if seconds else f"time_settings {left} 0 0", until)

    def ask(self, view: View, k: int) -> str:
        start, until = len(self.told), self.deadline(view, k)
        seat, name = int(view.seat[k]), view.game.module("text").name
        for at, action in enumerate(self.news(view, k), start):
            self.command(f"play {COLOURS[at % 2]} {name(view.states[k], action)}", until)
        if view.clock is not None and "time_left" in self.commands:
            self.command(f"time_left {COLOURS[seat]} {int(view.clock[k])} 0", until)
        if STREAM in self.commands:
            self.command(" ".join(map(str, (STREAM, *stream(view, k)))), until)
        return self.command(f"genmove {COLOURS[seat]}", until)

    def command(self, text: str, until: float) -> str:
        """Send a command and return the response; `ProgramError` where it fails or is none."""
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
            raise ProgramError(f"refused {text!r}: {response[:80]}")
        return response


class Refusal(Exception):
    """A command that fails, and why."""


class Server:
    """Answers GTP commands for an engine."""

    def __init__(self, engine: Engine) -> None:
        if engine.game.name != "hex":
            raise BoyiError(f"gtp is spoken for hex, not {engine.game}: choose the protocol jsonl")
        self.engine = engine
        self.ended = False
        self.times: tuple[float | None, float | None] = None, None
        """What a game begins with: the seconds on the clock and for a decision."""
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "boyi",
            "version": lambda _: __version__,
            "known_command": lambda words: str(words[:1] != [] and words[0] in self.commands).lower(),
            "list_commands": lambda _: "\n".join(self.commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "play": self._play,
            "genmove": self._genmove,
            "undo": self._undo,
            "showboard": lambda _: "\n" + self.engine.diagram(),
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            STREAM: self._stream,
        }

    def answer(self, line: str) -> str | None:
        """Answer a line, blank line included; None where it holds no command."""
        words = "".join(c for c in line.partition("#")[0] if c.isprintable() or c == "\t").split()
        if not words:
            return None
        number = words.pop(0) if words[0].isdecimal() else ""
        name, words = (words[0].lower(), words[1:]) if words else ("", [])
        if name not in self.commands:
            return f"?{number} unknown command\n\n"
        try:
            return f"={number} {self.commands[name](words)}".rstrip() + "\n\n"
        except (Refusal, BoyiError) as error:
            return f"?{number} {one_line(error)}\n\n"

    def _boardsize(self, words: list[str]) -> str:
        try:
            (size,) = set(_numbers(words, len(words), "boardsize SIZE"))
            self.engine.begin(board_size=size)
        except (BoyiError, Refusal, ValueError):
            raise Refusal("unacceptable size") from None
        self.engine.clock, self.engine.limit = self.times
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self.engine.begin()
        self.engine.clock, self.engine.limit = self.times
        return ""

    def _quit(self, words: list[str]) -> str:
        self.ended = True
        return ""

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise Refusal("syntax error: play COLOUR MOVE")
        self._turn_of(words[0])
        self.engine.play(self.engine.parse(words[1]))
        return ""

    def _genmove(self, words: list[str]) -> str:
        self._turn_of(words[0] if words else "")
        return self.engine.move()

    def _turn_of(self, word: str) -> None:
        """Check that a colour is to move."""
        seats = [seat for seat, colour in enumerate(COLOURS) if word.lower() in (colour, colour[0])]
        if not seats:
            raise Refusal(f"no colour {word!r}: black or white")
        if self.engine.to_move < 0:
            raise Refusal("the game is over")
        if seats[0] != self.engine.to_move:
            raise Refusal(f"it is {COLOURS[self.engine.to_move]}'s turn")

    def _undo(self, words: list[str]) -> str:
        if not self.engine.undo():
            raise Refusal("cannot undo")
        return ""

    def _time_settings(self, words: list[str]) -> str:
        main, period, stones = _numbers(words, 3, "time_settings MAIN BYO_YOMI STONES")
        if main or not period:
            self.times = main, None
        else:
            # A byo-yomi time without stones: no limit, by the protocol.
            self.times = None, period / stones if stones else None
        self.engine.clock, self.engine.limit = self.times
        return ""

    def _time_left(self, words: list[str]) -> str:
        left, stones = _numbers(words[1:], 2, "time_left COLOUR TIME STONES")
        if self.engine.to_move >= 0 and words[0].lower() in (colour := COLOURS[self.engine.to_move], colour[0]):
            self.engine.clock = None if stones else left
            self.engine.limit = left / stones if stones else None
        return ""

    def _final_score(self, words: list[str]) -> str:
        if self.engine.to_move >= 0:
            raise Refusal("the game is not over")
        return f"{'BW'[self.engine.returns.index(max(self.engine.returns))]}+"

    def _stream(self, words: list[str]) -> str:
        self.engine.draw_from(_numbers(words, 3, f"{STREAM} KEY COUNTER GAME"))
        return ""


def _numbers(words: list[str], count: int, form: str) -> list[int]:
    numbers = [whole(word) for word in words]
    if len(numbers) != count or min(numbers, default=0) < 0:
        raise Refusal(f"syntax error: {form}")
    return numbers


def serve(engine: Engine, lines: Iterator[str], out: TextIO) -> None:
    """Answer commands until the input ends or one of them is quit."""
    server = Server(engine)
    for line in lines:
        response = server.answer(line)
        if response is not None:
            out.write(response)
            out.flush()
        if server.ended:
            return
