"""`greedy`: a game's own simple player, quick enough to be a yardstick. Its rule is in the game's ``greedy.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import settle
from ...envs.engine.protocol import policy, reset, step
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from ..agent import Agent


def act_rows(states, streams, actions, notes):  # type: ignore[no-untyped-def]
    """Decide for the seat to move in every record, from the decision's own stream (m, 2)."""
    for k in range(states.shape[0]):
        actions[k] = policy(states[k], notes, streams[k])  # type: ignore[no-untyped-call]


def greedy_games(states, blank, count, rng, p, notes):  # type: ignore[no-untyped-def]
    """Play `count` games in ``states[0]``, every seat by the rule."""
    s = states[0]
    for _ in range(count):
        states[0] = blank[0]
        reset(s, rng)  # type: ignore[no-untyped-call]
        settle(s, rng, p)  # type: ignore[no-untyped-call]
        while s.to_move >= 0:
            step(s, policy(s, notes, rng))  # type: ignore[no-untyped-call]
            settle(s, rng, p)  # type: ignore[no-untyped-call]


class Greedy(Agent):
    """Plays by the simple rule that a game offers; where the rule sees no difference, by lot."""

    name = "greedy"

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.notes: dict[Game, Any] = {}

    def fit(self, game: Game) -> None:
        if not game.has("greedy"):
            raise BoyiError(f"greedy has no rule to play {game} by")

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        rule = view.game.module("greedy")
        if view.game not in self.notes:
            self.notes[view.game] = rule.notes(view.game)
        actions = np.empty(view.row.size, np.int64)
        bind(act_rows, view.game, policy=rule.policy)(view.states, view.rng, actions, self.notes[view.game])
        return actions
