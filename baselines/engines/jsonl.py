"""The line protocol of this package, in which programs of any language play every game: both ends of it.

One JSON object a line each way. `jsonl` runs a program as an agent, `serve` makes any agent such a program. A question
holds all that its answer needs: a program may forget everything between two of them. It has the position as text; the
bytes of its record are for engines of this package, and looked at like any record from outside.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from ...envs.engine.errors import BoyiError, is_number, shown
from ...envs.engine.schema import parse_json
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from .engine import Engine, one_line
from .external import External, stream
from .program import ProgramError

ANSWER = 'a JSON object such as {"action": "a1"}'


class JSONL(External):
    """Any program that speaks the line protocol, in every game."""

    name = "jsonl"
    params = {
        **External.params,
        "raw": Param(False, "also tell the record's bytes and the random stream: for an engine of this package"),
    }
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
            position=_shown(view.game, state),
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
    """Hold what an engine of this package needs to decide as it would without the pipe."""
    return {"record": base64.b64encode(view.states[k : k + 1].tobytes()).decode(), "stream": stream(view, k)}


def _shown(game: Game, state: np.void) -> str:
    """Draw a position as the seat to move may see it."""
    diagram = game.module("text").diagram
    return str(diagram(state, int(state["to_move"])) if game.spec.hidden else diagram(state))


def serve(engine: Engine, lines: Iterator[str], out: TextIO) -> None:
    """Answer questions until the input ends or a program is told to quit."""
    for line in lines:
        try:
            message = parse_json(line, "a message") if line.strip() else {"type": "nothing"}
            if not isinstance(message, dict) or "type" not in message:
                raise BoyiError('a message is a JSON object with a "type"')
            if message["type"] == "quit":
                return
            answer = _answer(engine, message)
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            answer = {"error": one_line(error)}
        if answer is not None:
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
            out.flush()


def _answer(engine: Engine, message: dict[str, Any]) -> dict[str, str] | None:
    kind = message["type"]
    if kind == "game":
        if message.get("game") != engine.game.name or not isinstance(message.get("parameters", {}), dict):
            raise BoyiError(f"this engine plays {engine.game.name}, with its parameters as a JSON object")
        engine.begin(**message.get("parameters", {}))
    elif kind == "decide":
        view = _view(engine, message)
        return {"action": str(engine.game.module("text").name(view.states[0], engine.decide(view)))}
    elif kind != "nothing":
        raise BoyiError(f"unknown type {shown(kind)}: game, decide or quit")
    return None


def _view(engine: Engine, message: dict[str, Any]) -> View:
    """Build what the engine's agent is shown from a question."""
    game = engine.game
    position, record, numbers = (message.get(key) for key in ("position", "record", "stream"))
    engine.limit, engine.clock = _time(message, "seconds"), _time(message, "clock")
    batch, state = engine.deal(), None
    if record is not None:
        state = np.frombuffer(_bytes(game, record), game.dtype)
        batch.set_states(state)
    elif isinstance(position, str):
        batch.set_states(game.module("text").read(position))
    else:
        raise BoyiError("a question has a position, as a diagram")
    view = batch.view()
    if not view.row.size:
        raise BoyiError("the game is over: nobody is to move in the position")
    if state is not None:
        if _shown(game, state[0]) != position:
            raise BoyiError("the record is not that of the position")
        view = view._replace(states=state.copy())
    if numbers is not None:
        engine.draw_from(numbers)
    return view


def _bytes(game: Game, record: Any) -> bytes:
    """Decode a record, whose bytes may be any."""
    raw = base64.b64decode(record, validate=True)
    if len(raw) != game.dtype.itemsize:
        raise BoyiError(f"a record of {game} has {game.dtype.itemsize} bytes, not {len(raw)}")
    return raw


def _time(message: dict[str, Any], key: str) -> float | None:
    value = message.get(key)
    if value is not None and not is_number(value, -math.inf):
        raise BoyiError(f"{key} is a number or null, not {shown(value)}")
    return None if value is None else max(0.0, float(value))
