"""`expectimax` in mahjong: the published search over the seat's own draws and discards."""

from __future__ import annotations

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Weights
from ..search.evaluators import LEARNED, Judge
from ..search.expectimax import DEEPEST, OWN, PLIES, Decider, Expectimax
from .evaluator import HandEvaluator, HandJudge, Risk
from .reading import read_hand
from .risk import Danger
from .search import HandSearch
from .values import PublishedEvaluator

LAYERS = 1  # looked ahead by default
PUBLISHED = "published"
EVALUATORS = (OWN, "plain", PUBLISHED)


class HandExpectimax(Expectimax):
    """Looks ahead through dice with star pruning; in mahjong through its own draws and discards alone."""

    params = {
        "depth": Param(0, f"decisions, or draws with discards; 0: {PLIES}, or {LAYERS}", low=0, high=DEEPEST),
        "seconds": Param(0.0, "time per decision where above 0; not in mahjong", low=0.0, high=86400.0),
        "nodes": Param(0, "positions per decision; 0: any number; not in mahjong", low=0, high=10**12),
        "evaluator": Param(
            OWN, "the game's own, in mahjong plain or published (without danger); az:NAME, in mahjong ddqn:NAME"
        ),
        "danger": Param(
            "auto",
            "charge discards with wins of others; auto: yes unless published; only in mahjong",
            choices=("auto", "yes", "no"),
        ),
        "alpha": Param(1.0, "share of the hand's tiles whose discard is looked at; mahjong only", low=0.1, high=1.0),
    }
    own = EVALUATORS
    judges = (Judge, HandJudge)
    learned = f"{LEARNED}, in mahjong dqn:NAME or ddqn:NAME"

    def searcher(self, game: Game) -> Decider:
        if game.spec.hidden:
            if self.values["seconds"] or self.values["nodes"]:
                raise BoyiError(f"expectimax looks ahead in {game} by depth, not by seconds or nodes")
            return HandSearch(
                game, self.values["alpha"], self.values["depth"] or LAYERS, self._evaluator(game), self._danger(game)
            )
        if self.values["danger"] != "auto":
            raise BoyiError(f"expectimax knows no danger in {game}: that is for hands of tiles")
        if self.values["alpha"] != 1.0:
            raise BoyiError(f"expectimax leaves no actions of {game} out: alpha is for hands of tiles")
        if self.judge is None and self.values["evaluator"] != OWN:
            raise BoyiError(f"expectimax: {self.values['evaluator']} values hands of tiles, {game} has none")
        return super().searcher(game)

    def act(self, view: View) -> np.ndarray:
        if not view.game.spec.hidden:
            return super().act(view)
        view.check()
        self.fit(view.game)
        assert isinstance(self.search, HandSearch)
        return self.search.decide_all(view)

    def weigh(self, view: View, k: int = 0) -> Weights:
        if not view.game.spec.hidden:
            return super().weigh(view, k)
        self.fit(view.game)
        assert isinstance(self.search, HandSearch)
        return Weights(self.search.worth(view, k), False, read_hand(view, k, Danger(view.game).risk))

    def _danger(self, game: Game) -> Risk | None:
        """Find the risk that discards are charged with, if any."""
        auto = self.values["danger"] == "auto" and self.values["evaluator"] != PUBLISHED
        return Danger(game).risk if auto or self.values["danger"] == "yes" else None

    def _evaluator(self, game: Game) -> HandEvaluator:
        """Find the evaluator of hands of tiles."""
        if self.judge is None:
            return PublishedEvaluator(game)
        if not isinstance(self.judge, HandJudge):
            raise BoyiError(f"expectimax has no use for {self.values['evaluator']} in {game}, where tiles are hidden")
        return self.judge.hand_evaluator(game)
