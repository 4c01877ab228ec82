"""How an agent evaluates a position or a whole game, told while it is still thinking."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Any

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.protocol import CHANCE
from ...envs.engine.view import View
from ...envs.faces.picking import paths
from ..agent import Agent, Weights, blame
from .story import Story

EVERY = 0.2  # seconds between two reports of what a search has found so far
SHOWN = 40  # actions of a position that are sent, the best ones


def view_of(story: Story, ply: int) -> View:
    """Return an agent's view of the position after `ply` moves that the viewer knows of; `BoyiError` where nobody
    decides there, or only somebody who sees what the viewer may not.
    """
    state = story.states[story.at(ply)]
    mover = int(state["to_move"])
    if mover < 0:
        raise BoyiError("there is nothing to decide in this position")
    if story.closed and mover != story.viewer:
        raise BoyiError("what others hold cannot be analysed before the game is over")
    batch = Batch(story.game, 1, 0, encoder=None)
    batch.set_states(np.array([state], batch.states.dtype))
    return batch.view()


class Pulse(Event):
    """What a search looks at now and then to see whether it should end: a chance to `tell` what it has found so far.

    `set` ends the search.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tell: Callable[[], object] = bool
        self.told, self.telling = time.monotonic(), Lock()

    def is_set(self) -> bool:
        ended = super().is_set()
        # Of several threads that each grow a tree, only one tells.
        if not ended and time.monotonic() - self.told >= EVERY and self.telling.acquire(blocking=False):
            try:
                self.tell()
                self.told = time.monotonic()
            finally:
                self.telling.release()
        return ended


def places(story: Story, ply: int, view: View) -> dict[int, list[str]]:
    """Find the spots of the actions of a position; there are none where another seat than the viewer's decides."""
    if story.viewer not in (None, int(view.seat[0])):
        return {}
    state = story.states[story.at(ply)]
    return paths(story.game, state, np.flatnonzero(view.mask[0]).tolist(), story.picture(state))


def weighed(
    story: Story,
    ply: int,
    view: View,
    found: dict[int, list[str]],
    agent: Agent,
    tell: Callable[[dict[str, Any]], object],
) -> dict[str, Any]:
    """Ask an agent about the actions of a position; list them by their names and the spots found, the best first.

    Where the view has a `Pulse`, what the agent has found so far is told on the way.
    """

    def so_far() -> None:
        weights = agent.so_far(view)
        if weights is not None:
            tell(_said(story, ply, view, found, agent, weights))

    if isinstance(view.hurry, Pulse):
        view.hurry.tell = so_far
    with blame(agent):
        weights = agent.weigh(view)
    return _said(story, ply, view, found, agent, weights)


def _said(
    story: Story, ply: int, view: View, found: dict[int, list[str]], agent: Agent, weights: Weights
) -> dict[str, Any]:
    state, name = story.states[story.at(ply)], story.game.module("text").name
    known = np.flatnonzero(~np.isnan(weights.numbers))
    best = known[np.argsort(-weights.numbers[known], kind="stable")][:SHOWN].tolist()
    part = shares(weights)
    line = [best[0], *agent.expects(view, 0, best[0])] if best else []
    return {
        "type": "analysis",
        "ply": ply,
        "agent": str(agent),
        "visits": weights.visits,
        "line": [] if story.game.spec.hidden else story.named(state, line),
        "actions": [
            {
                "name": name(state, a),
                "path": found.get(a, []),
                "number": float(weights.numbers[a]),
                "share": float(part[a]),
                "notes": {word: said[a] for word, said in weights.notes.items() if said[a]},
            }
            for a in best
        ],
    }


def shares(weights: Weights) -> np.ndarray:
    """Scale numbers (actions,) to between 0 and 1: visits by the largest, values from the worst to the best."""
    numbers, low = weights.numbers, 0.0 if weights.visits else float(np.nanmin(weights.numbers))
    reach = float(np.nanmax(numbers)) - low
    return np.where(np.isnan(numbers), 0.0, (numbers - low) / reach if reach > 0 else 1.0)


def valued(story: Story, ply: int, agent: Agent) -> float | None:
    """Ask an agent what a position is worth to seat 0, from -1 to 1; None where dice are to be thrown.

    At a table of more than two, it is what the viewer's own decisions are worth, in the game's own units; None where
    others decide.
    """
    state = story.states[story.at(ply)]
    mover = int(state["to_move"])
    if story.game.seats > 2:
        return _best(story, ply, agent) if mover == (story.viewer or 0) else None
    if mover == CHANCE:
        return None
    if mover < 0:
        return None if story.returns is None else float(np.clip(story.returns[0], -1.0, 1.0))
    view = view_of(story, ply)
    with blame(agent):
        value = agent.value(view)
    return value if mover == 0 else -value


def _best(story: Story, ply: int, agent: Agent) -> float:
    """Ask an agent what the best action in a position is worth."""
    view = view_of(story, ply)
    with blame(agent):
        weights = agent.weigh(view)
        if weights.visits:
            raise BoyiError(f"it does not say what actions of {story.game} are worth")
    return float(np.nanmax(weights.numbers))
