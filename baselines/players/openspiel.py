"""`openspiel`: OpenSpiel's C++ tree search as an agent, in the games that it has with the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.facts import facts
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent

FOREVER = 10**9  # more simulations than any limit of time lets it finish


def load(game: Game) -> Any:
    """Load OpenSpiel's version of a game; `KeyError` where the one installed has none with these parameters."""
    import pyspiel

    template = facts(game).openspiel
    unknown = [name for name, value in game.values if value != game.spec.params[name].default]
    if not template or any(f"{{{name}}}" not in template for name in unknown):
        raise KeyError(str(game))
    # Asked before loading: OpenSpiel writes pages to standard error about what it does not have.
    wanted = pyspiel.game_parameters_from_string(template.format(**game.params))
    takes = {kind.short_name: kind.parameter_specification.keys() for kind in pyspiel.registered_games()}
    name = wanted.pop("name")
    if name not in takes or not wanted.keys() <= takes[name]:
        raise KeyError(str(game))
    return pyspiel.load_game(name, wanted)


class OpenSpiel(Agent):
    """OpenSpiel's MCTSBot with random rollouts, which follows the game by its history."""

    name = "openspiel"
    positional: ClassVar[str | None] = "algorithm"
    params = {
        "algorithm": Param("mcts", "which of its players", choices=("mcts",)),
        "sims": Param(1000, "simulations per decision", low=1, high=FOREVER),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(2.0, "its weight of exploration, for returns from -1 to 1", low=0.0, high=100.0),
        "solve": Param(True, "back up proven results"),
        "memory": Param(1000, "megabytes for its tree", low=1, high=10**6),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.peer: tuple[Game, Any] | None = None

    @property
    def by_history(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if self.peer is not None and self.peer[0] == game:
            return
        try:
            self.peer = game, load(game)
        except KeyError:
            raise BoyiError(f"OpenSpiel does not have {game}") from None
        except ImportError:
            raise BoyiError('openspiel needs OpenSpiel: pip install "boyi[peers]"') from None

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        return np.array([self._decide(view, k) for k in range(view.row.size)], np.int64)

    def _decide(self, view: View, k: int) -> int:
        import pyspiel

        assert self.peer is not None
        state, seed = self.state(view, k), int(view.rng[k, 0] & np.uint64(0x7FFFFFFF))
        values = self.values
        limit, sims = {"max_wall_clock_time": values["seconds"]}, FOREVER
        if not values["seconds"]:
            limit, sims = {}, values["sims"]
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        try:
            bot = pyspiel.MCTSBot(
                self.peer[1], rollouts, values["c"], sims, values["memory"], values["solve"], seed, False, **limit
            )
        except TypeError:
            raise BoyiError("this OpenSpiel cannot be limited by seconds: use sims, or a newer one") from None
        theirs = bot.step(state)
        ours = {their_action(view.game, view.states[k], a): a for a in np.flatnonzero(view.mask[k]).tolist()}
        return int(ours[theirs])

    def state(self, view: View, k: int) -> Any:
        """Build OpenSpiel's state of game k of a view; `BoyiError` when its history was not kept."""
        self.fit(view.game)
        assert self.peer is not None
        state = self.peer[1].new_initial_state()
        for action in their_actions(view.game, view.states[k], self.played(view, k)):
            state.apply_action(action)
        return state


def their_action(game: Game, record: np.void, a: int) -> int:
    """Number the action `a` in a position as OpenSpiel does: as we do, unless the game has an ``openspiel.py``."""
    return game.module("openspiel").their_action(record, a) if game.has("openspiel") else a


def their_actions(game: Game, record: np.void, history: Sequence[int]) -> Sequence[int]:
    """Write OpenSpiel's history, chance outcomes included, that leads to a position by these actions."""
    return game.module("openspiel").their_actions(record, history) if game.has("openspiel") else history
