"""What an agent makes of a position or of a whole game, told while it thinks on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.protocol import CHANCE
from ...envs.engine.view import View
from ...envs.faces.picking import paths
from ..agent import Agent, Weights, blame
from .story import Story

FIRST = 64  # simulations after which an agent that simulates is heard first; then twice as many each time
SHOWN = 40  # actions that are sent of a position, the best ones


def view_of(story: Story, ply: int) -> View:
    """Show an agent the position after so many moves that the viewer knows of; `BoyiError` where nobody decides there,
    or only one who sees what the viewer may not.
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


def stages(agent: Agent) -> Iterator[dict[str, int]]:
    """Say by what values an agent thinks ever longer, up to its own: twice as many simulations every time."""
    count, most = FIRST, agent.values.get("sims", 0)
    while count < most:
        yield {"sims": count}
        count *= 2
    yield {}


def places(story: Story, ply: int, view: View) -> dict[int, list[str]]:
    """Find the spots of the actions of a position; of another seat than the viewer's there are none."""
    if story.viewer not in (None, int(view.seat[0])):
        return {}
    state = story.states[story.at(ply)]
    return paths(story.game, state, np.flatnonzero(view.mask[0]).tolist(), story.picture(state))


def weighed(story: Story, ply: int, view: View, found: dict[int, list[str]], agent: Agent) -> dict[str, Any]:
    """Ask an agent about the actions of a position; say it by their names and the spots found, the best first."""
    with blame(agent):
        weights = agent.weigh(view)
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
    """Put numbers (actions,) between 0 and 1: visits by their largest, values from the worst to the best."""
    numbers, low = weights.numbers, 0.0 if weights.visits else float(np.nanmin(weights.numbers))
    reach = float(np.nanmax(numbers)) - low
    return np.where(np.isnan(numbers), 0.0, (numbers - low) / reach if reach > 0 else 1.0)


def valued(story: Story, ply: int, agent: Agent) -> float | None:
    """Ask an agent what a position is worth to seat 0, from -1 to 1; None where dice are to be thrown.

    At a table of more than two it is what the viewer's own decisions are worth, in the game's own units, and None where
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
