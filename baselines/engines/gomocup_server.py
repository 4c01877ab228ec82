"""The Gomocup protocol, spoken by an engine: `Server` answers a master of Gomoku programs for any agent.

Points are written x,y from 0, column first. The INFO boyi-stream is our own: it lets an engine draw as it would in the
arena.
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

RULES = {"freestyle": 0, "standard": 1}
STREAM = "boyi-stream"
MARGIN = 0.1  # share of a turn's time that is left for what lies between an engine and its master
MOST_MARGIN = 0.2  # seconds
FOREVER = 2147483647  # milliseconds that mean no limit


def read_point(text: str, size: int) -> int:
    """Read a point x,y; `BoyiError` when it is not one on the board."""
    found = re.fullmatch(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*", text)
    if found is None or int(found[1]) >= size or int(found[2]) >= size:
        raise BoyiError(f"no point {text!r}: write x,y from 0,0 to {size - 1},{size - 1}")
    return int(found[2]) * size + int(found[1])


class Server:
    """Answers the lines of the protocol for an engine."""

    def __init__(self, engine: Engine) -> None:
        if engine.game.name != "gomoku":
            raise BoyiError(f"gomocup is spoken for gomoku, not {engine.game}: choose the protocol jsonl")
        self.engine = engine
        self.started = self.ended = False
        self.match: float | None = None
        """Seconds for every game."""
        self.stones: list[tuple[int, int]] | None = None
        """The points and fields of a BOARD that is being read."""
        self.commands: dict[str, Callable[[str], str]] = {
            "START": self._start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._board,
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": lambda _: f'name="boyi {engine.agent}", version="{__version__}", author="boyi", country="-"',
        }

    def reply(self, line: str) -> str:
        self.ended = line.strip().upper() == "END"
        answer = None if self.ended else self.answer(line)
        return f"{answer}\n" if answer else ""

    def answer(self, line: str) -> str | None:
        """Answer a line; None or "" where the protocol has no answer."""
        words = line.strip()
        name, _, rest = words.partition(" ")
        command = self.commands.get(name.upper())
        try:
            if self.stones is not None:
                return self._stone(words)
            if not words:
                return None
            if command is None:
                return f"UNKNOWN {name[:80]}"
            return command(rest.strip())
        except BoyiError as error:
            return f"ERROR {one_line(error)}"

    def _start(self, rest: str) -> str:
        if whole(rest) < 0:
            raise BoyiError("write START and the size of the board")
        self.engine.begin(board_size=whole(rest))
        self.engine.clock = self.match
        self.started = True
        return "OK"

    def _restart(self, rest: str) -> str:
        self._check_started()
        self.engine.begin()
        self.engine.clock = self.match
        return "OK"

    def _check_started(self) -> None:
        if not self.started:
            raise BoyiError("no game has been started: send START first")

    def _begin(self, rest: str) -> str:
        self._check_started()
        if self.engine.actions:
            raise BoyiError("there are stones on the board")
        return self._move()

    def _turn(self, rest: str) -> str:
        self._check_started()
        self.engine.play(read_point(rest, self._size))
        return self._move()

    @property
    def _size(self) -> int:
        return int(self.engine.game.params["board_size"])

    def _move(self) -> str:
        """Let the engine move; return its point as text."""
        if self.engine.to_move < 0:
            raise BoyiError("the game is over")
        self.engine.move()
        action = self.engine.actions[-1]
        return f"{action % self._size},{action // self._size}"

    def _board(self, rest: str) -> str:
        self.stones = []
        return ""

    def _stone(self, words: str) -> str:
        """Read a line of a board: x,y,field; after DONE set it up and move."""
        assert self.stones is not None
        if words.upper() != "DONE":
            # One stone too many is kept: it shows DONE that this is no board.
            if len(self.stones) <= self._size**2:
                self.stones.append(self._read_stone(words))
            return ""
        stones, self.stones = self.stones, None
        self._check_started()
        self._set_up(stones)
        return self._move()

    def _read_stone(self, words: str) -> tuple[int, int]:
        """Read x,y,field; return a stone that no board has where it is not one."""
        point, _, field = words.rpartition(",")
        try:
            return read_point(point, self._size), whole(field.strip())
        except BoyiError:
            return -1, 0

    def _set_up(self, stones: list[tuple[int, int]]) -> None:
        """Play stones alternately, so that the engine is to move next; the order does not matter to the rules."""
        own, theirs = ([point for point, field in stones if field == kind] for kind in (1, 2))
        if len(own) + len(theirs) < len(stones) or not 0 <= len(theirs) - len(own) <= 1:
            raise BoyiError("a board has a line x,y,1 for each own stone and x,y,2 for each other, as many or one more")
        self.engine.begin()
        sides = [theirs, own] if len(theirs) > len(own) else [own, theirs]
        for turn in range(len(stones)):
            self._put_one(sides[turn % 2], last=turn == len(stones) - 1)

    def _put_one(self, points: list[int], *, last: bool) -> None:
        """Play one of a side's points: one that does not end the game, unless it is the last of all."""
        for point in points:
            self.engine.play(point)
            if last or self.engine.to_move >= 0:
                points.remove(point)
                return
            # Five in a row may be six in the end.
            self.engine.undo()
        raise BoyiError("the game is over")

    def _take_back(self, rest: str) -> str:
        self._check_started()
        if not self.engine.actions or read_point(rest, self._size) != self.engine.actions[-1]:
            raise BoyiError(f"the latest move is not {rest}")
        self.engine.undo()
        return "OK"

    def _info(self, rest: str) -> str:
        key, _, value = rest.partition(" ")
        number = whole(value.strip())
        if key == "timeout_turn" and number >= 0:
            seconds = number / 1000
            self.engine.limit = max(seconds - min(MARGIN * seconds, MOST_MARGIN), 0.01)
        elif key == "timeout_match" and number >= 0:
            self.match = self.engine.clock = None if number == 0 or number >= FOREVER else number / 1000
        elif key == "time_left" and number >= 0:
            self.engine.clock = None if number >= FOREVER else number / 1000
        elif key == "rule":
            names = [name for name, bit in RULES.items() if bit == number]
            if not names:
                return f"ERROR rule {value} is not played: 0 is freestyle, 1 is exactly five"
            if not self.engine.actions:
                self.engine.begin(rule=names[0])
        elif key == STREAM:
            self.engine.draw_from([whole(word) for word in value.split()])
        return ""
