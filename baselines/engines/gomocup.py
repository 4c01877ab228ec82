"""The Gomocup protocol, which Gomoku programs speak: `gomocup` runs one of them as an agent.

Every game is played by a new process, as in the tournament. Points are written x,y from 0, column first.
"""

from __future__ import annotations

from dataclasses import replace

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from .external import RAW, External, stream
from .gomocup_server import RULES, STREAM, read_point
from .program import ProgramError

ASIDE = ("MESSAGE", "DEBUG")  # what may stand before any answer
COMPLAINTS = ("ERROR", "UNKNOWN")  # and before a move, without being one


class Gomocup(External):
    """Any program that speaks the Gomocup protocol, in Gomoku."""

    name = "gomocup"
    farewell = "END"
    params = {
        **External.params,
        # Some clear their "thinking" flag late, and lose a command that comes right after their answer.
        "pause": replace(External.params["pause"], default=0.05),
        "raw": RAW,
    }

    @property
    def by_history(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if game.name != "gomoku":
            raise BoyiError(f"gomocup plays gomoku, not {game}: jsonl plays every game, gtp plays hex")
        super().fit(game)

    def greet(self, game: Game, until: float) -> None:
        size = game.params["board_size"]
        self.send(f"START {size}")
        answer = self.hear(until, ASIDE)
        if answer.split()[:1] != ["OK"]:
            raise ProgramError(f"answered {answer[:80]!r} to START {size}")
        self.send(f"INFO rule {RULES[game.params['rule']]}")
        self.send("INFO game_type 1")

    def begin(self, view: View, k: int, until: float) -> None:
        """Tell it the time; the moves so far go with the first question."""
        told = self.values["seconds"]
        if told:
            self.send(f"INFO timeout_turn {int(1000 * told)}")
        self.send(f"INFO timeout_match {0 if view.clock is None else int(1000 * view.clock[k])}")

    def ask(self, view: View, k: int) -> str:
        if view.clock is not None:
            self.send(f"INFO time_left {int(1000 * view.clock[k])}")
        if view.limit is not None:
            self.send(f"INFO timeout_turn {int(1000 * view.limit[k])}")
        if self.values["raw"]:
            self.send(" ".join(map(str, ("INFO", STREAM, *stream(view, k)))))
        until, size = self.deadline(view, k), view.game.params["board_size"]
        points = [f"{action % size},{action // size}" for action in self.news(view, k)]
        if not points:
            self.send("BEGIN")
        elif len(points) == 1:
            self.send(f"TURN {points[0]}")
        else:
            # The latest move is the opponent's.
            stones = (f"{point},{2 - since % 2}" for since, point in zip(range(len(points))[::-1], points, strict=True))
            self.send("\n".join(("BOARD", *stones, "DONE")))
        return self.hear(until, ASIDE + COMPLAINTS)

    def hear(self, until: float, aside: tuple[str, ...]) -> str:
        """Wait for an answer, skipping lines that begin with a word of `aside`; a failure quotes the last complaint."""
        complaint = ""
        while True:
            try:
                line = self.receive(until).strip()
            except ProgramError as error:
                raise ProgramError(f"said {complaint[:80]!r} and {error}" if complaint else str(error)) from None
            word = line.split()[0].upper() if line else ""
            if word and word not in aside:
                return line
            complaint = line if word in COMPLAINTS else complaint

    def read(self, view: View, k: int, text: str) -> int:
        return read_point(text, int(view.game.params["board_size"]))

    def leave_game(self) -> None:
        self.close()

    def conclude(self, row: int, episode: int) -> str | None:
        return self.part() if self.game == (row, episode) else None
