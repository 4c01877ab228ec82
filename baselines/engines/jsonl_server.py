"""The line protocol of this package, spoken by an engine: `Server` answers questions for any agent.

One JSON object a line each way. A question holds all that its answer needs. Of the position, the text is needed; the
bytes of its record are for engines of this package, and are checked like any record from outside.
"""

from __future__ import annotations

import base64
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.engine.errors import BoyiError, is_number, shown
from ...envs.engine.schema import parse_json
from .lines import one_line

if TYPE_CHECKING:
    from ...envs.engine.spec import Game
    from ...envs.engine.view import View
    from .engine import Engine


class Server:
    """Answers the messages of the protocol for an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.ended = engine, False

    def reply(self, line: str) -> str:
        try:
            answer = self._answer(line)
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            answer = {"error": one_line(error)}
        return "" if answer is None else json.dumps(answer, ensure_ascii=False) + "\n"

    def _answer(self, line: str) -> dict[str, str] | None:
        message = parse_json(line, "a message") if line.strip() else {"type": "nothing"}
        if not isinstance(message, dict) or "type" not in message:
            raise BoyiError('a message is a JSON object with a "type"')
        kind = message["type"]
        if kind == "game":
            if message.get("game") != self.engine.game.name or not isinstance(message.get("parameters", {}), dict):
                raise BoyiError(f"this engine plays {self.engine.game.name}, with its parameters as a JSON object")
            self.engine.begin(**message.get("parameters", {}))
        elif kind == "decide":
            view = _view(self.engine, message)
            return {"action": self.engine.game.module("text").name(view.states[0], self.engine.decide(view))}
        elif kind == "quit":
            self.ended = True
        elif kind != "nothing":
            raise BoyiError(f"unknown type {shown(kind)}: game, decide or quit")
        return None


def show_position(game: Game, state: np.void) -> str:
    """Draw a position as the seat to move may see it."""
    diagram = game.module("text").diagram
    return diagram(state, int(state["to_move"])) if game.spec.hidden else diagram(state)


def _view(engine: Engine, message: dict[str, Any]) -> View:
    """Build from a question what the engine's agent is shown."""
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
        if show_position(game, state[0]) != position:
            raise BoyiError("the record is not that of the position")
        view = view._replace(states=state.copy())
    if numbers is not None:
        engine.draw_from(numbers)
    return view


def _bytes(game: Game, record: Any) -> bytes:
    """Decode a record, which may hold any bytes."""
    raw = base64.b64decode(record, validate=True)
    if len(raw) != game.dtype.itemsize:
        raise BoyiError(f"a record of {game} has {game.dtype.itemsize} bytes, not {len(raw)}")
    return raw


def _time(message: dict[str, Any], key: str) -> float | None:
    value = message.get(key)
    if value is not None and not is_number(value, -math.inf):
        raise BoyiError(f"{key} is a number or null, not {shown(value)}")
    return None if value is None else max(0.0, float(value))
