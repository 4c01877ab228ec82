"""`expectimax`: the best move against chance, by looking ahead: with star pruning, or over the seat's own draws."""

from __future__ import annotations

import numpy as np

from ..envs.errors import BoyiError
from ..envs.spec import Game, Param
from ..envs.view import View
from .agent import Agent
from .hands import HandSearch
from .star import StarSearch

PLIES, LAYERS = 4, 1  # looked ahead where nothing is said
DEEPEST = 64  # decisions ahead that time or nodes may allow


class Expectimax(Agent):
    """Looks ahead through dice with star pruning; in mahjong through its own draws and discards alone."""

    name = "expectimax"
    params = {
        "depth": Param(0, f"decisions, or draws with discards; 0: {PLIES}, or {LAYERS}", low=0, high=DEEPEST),
        "seconds": Param(0.0, "time per decision where above 0; not over draws", low=0.0, high=86400.0),
        "nodes": Param(0, "positions per decision; 0: any number; not over draws", low=0, high=10**12),
        "alpha": Param(1.0, "share of the hand's tiles whose discard is looked at; over draws only", low=0.1, high=1.0),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.search: StarSearch | HandSearch | None = None
        self.game: Game | None = None

    def fit(self, game: Game) -> None:
        if game == self.game:
            return
        values = self.values
        if game.spec.hidden:
            if values["seconds"] or values["nodes"]:
                raise BoyiError(f"expectimax looks ahead in {game} by depth, not by seconds or nodes")
            self.search = HandSearch(game, values["alpha"], values["depth"] or LAYERS)
        else:
            if values["alpha"] != 1.0:
                raise BoyiError(f"expectimax leaves no actions of {game} out: alpha is for hands of tiles")
            limited = values["seconds"] or values["nodes"]
            depth = values["depth"] or (DEEPEST if limited else PLIES)
            self.search = StarSearch(game, depth, values["nodes"], values["seconds"])
        self.game = game

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        assert self.search is not None
        return np.array([self.search.decide(view, k) for k in range(view.row.size)], np.int64)
