"""`greedy`: a game's own simple player, quick enough to be a yardstick. Its rule is in the game's ``greedy.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from ..agent import Agent
from .greedy_kernels import act_rows


class Greedy(Agent):
    """Plays by the simple rule that a game offers; at random where the rule sees no difference."""

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
