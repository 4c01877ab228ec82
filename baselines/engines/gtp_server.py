"""GTP for Hex, spoken by an engine: `Server` answers the commands of HexGui, or of `gtp`, for any agent.

Version 2 of the protocol, with the move swap-pieces; black is seat 0 and joins top and bottom. One command is our own:
boyi-stream lets an engine draw as it would in the arena.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...envs.engine.errors import BoyiError
from ...envs.engine.version import __version__
from .lines import one_line, whole

if TYPE_CHECKING:
    from .engine import Engine

COLOURS = ("black", "white")
STREAM = "boyi-stream"


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
        """Answer a line, the blank line after the answer included; None where the line holds no command."""
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

    def reply(self, line: str) -> str:
        return self.answer(line) or ""

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
        main, period, stones = _times(words, (3,), "time_settings MAIN BYO_YOMI STONES")
        if main or not period:
            self.times = main, None
        else:
            # A byo-yomi time without stones: no limit, by the protocol.
            self.times = None, period / stones if stones else None
        self.engine.clock, self.engine.limit = self.times
        return ""

    def _time_left(self, words: list[str]) -> str:
        left, *more = _times(words[1:], (1, 2), "time_left COLOUR TIME [STONES]")
        stones = sum(more)
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


def _times(words: list[str], counts: tuple[int, ...], form: str) -> list[float]:
    """Read seconds, fractions allowed, and stones."""
    if len(words) not in counts or not all(re.fullmatch(r"\d{1,9}(\.\d{1,9})?", word, re.ASCII) for word in words):
        raise Refusal(f"syntax error: {form}")
    return list(map(float, words))
