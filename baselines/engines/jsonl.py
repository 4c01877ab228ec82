"""The line protocol of this package, in which programs of any language play every game: `jsonl` runs one as an agent.

One JSON object a line each way. A question holds all that its answer needs: a program may forget everything between two
of them.
"""

from __future__ import annotations

import base64
import json

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import parse_json
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from .external import RAW, External, stream
from .jsonl_server import show_position
from .program import ProgramError

ANSWER = 'a JSON object such as {"action": "a1"}'


class JSONL(External):
    """Any program that speaks the line protocol, in every game."""

    name = "jsonl"
    params = {**External.params, "raw": RAW}
    farewell = json.dumps({"type": "quit"})

    def greet(self, game: Game, until: float) -> None:
        """Nothing is expected of a program before its first answer."""

    def begin(self, view: View, k: int, until: float) -> None:
        game = view.game
        self.say(type="game", game=game.name, version=game.spec.version, parameters=game.params, seats=game.seats)

    def say(self, **message: object) -> None:
        self.send(json.dumps(message, ensure_ascii=False))

    def ask(self, view: View, k: int) -> str:
        name, state = view.game.module("text").name, view.states[k]
        until = self.deadline(view, k)
        self.say(
            type="decide",
            seat=int(view.seat[k]),
            ply=None if view.game.spec.hidden else int(state["ply"]),
            position=show_position(view.game, state),
            legal=[name(state, int(action)) for action in np.flatnonzero(view.mask[k])],
            seconds=self.time_told(view, k),
            clock=None if view.clock is None else float(view.clock[k]),
            **(_raw(view, k) if self.values["raw"] else {}),
        )
        return self.receive(until)

    def follows(self, view: View, k: int) -> bool:
        """Follow every game, because a question holds the position."""
        return True

    def read(self, view: View, k: int, text: str) -> int:
        try:
            answer = parse_json(text, "the answer")
        except BoyiError:
            answer = None
        if not isinstance(answer, dict) or not isinstance(answer.get("action"), str):
            raise ProgramError(f"answered {text[:80]!r}, which is not {ANSWER}")
        return super().read(view, k, answer["action"])


def _raw(view: View, k: int) -> dict[str, object]:
    """Return what an engine of this package needs to decide as it would without the pipe."""
    return {"record": base64.b64encode(view.states[k : k + 1].tobytes()).decode(), "stream": stream(view, k)}
