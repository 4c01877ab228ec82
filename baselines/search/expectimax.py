"""`expectimax`: the best move against dice, by looking ahead with star pruning, deeper step by step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError, shown
from ...envs.engine.rng import GOLDEN
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, Weights, check_duel
from .evaluation import evaluation
from .evaluators import LEARNED, Judge, find_judge
from .expectimax_kernels import by_key, explore, make_context, make_frames, make_memo
from .lookahead import Lookahead

PLIES = 4  # looked ahead by default
JUDGED_PLIES = 2  # the same with a network
OWN = "evaluate"  # the evaluator that is the game's own
DEEPEST = 64  # most decisions ahead, however much time and nodes allow
SLOTS = 1 << 16
"""Positions that the table holds, 32 bytes each; a new one takes the place of what its slot held."""
CHUNK = 1000  # positions between two looks at the clock


class Decider(Protocol):
    """A search that decides in one game after another."""

    def decide(self, view: View, k: int = 0) -> int:
        """Choose an action for game k of a view."""


class Expectimax(Agent):
    """Looks ahead through dice with star pruning, where nothing is hidden."""

    name = "expectimax"
    params = {
        "depth": Param(0, f"decisions; 0: {PLIES}", low=0, high=DEEPEST),
        "seconds": Param(0.0, "time per decision where above 0", low=0.0, high=86400.0),
        "nodes": Param(0, "positions per decision; 0: any number", low=0, high=10**12),
        "evaluator": Param(OWN, "the game's evaluation, or an agent that has learned, as az:NAME"),
    }
    own: ClassVar[tuple[str, ...]] = (OWN,)
    """What `evaluator` may say without naming an agent."""
    judges: ClassVar[tuple[type, ...]] = (Judge,)
    learned: ClassVar[str] = LEARNED
    """The agents that it may name: what they can be asked for, and how their strings are written."""

    def __init__(self, *, judge: Any = None, **values: object) -> None:
        """Take parameters; `judge` is the agent that `evaluator` names, where it names one."""
        super().__init__(**values)
        named, self.judge = self.values["evaluator"], judge
        if judge is None and named not in self.own:
            raise BoyiError(
                f"expectimax: evaluator must be {', '.join(self.own)} or {self.learned}, not {shown(named)}"
            )
        if judge is not None and (self.values["seconds"] or self.values["nodes"]):
            raise BoyiError("expectimax looks ahead with a network by depth, not by seconds or nodes")
        self.search: Decider | None = None
        self.game: Game | None = None

    def fit(self, game: Game) -> None:
        if game != self.game:
            self.search, self.game = self.searcher(game), game

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> Agent:
        named = values.get("evaluator", OWN)
        judge = find_judge("expectimax", make, named, cls.own, judges=cls.judges, learned=cls.learned)
        return cls(**values, judge=judge)

    def searcher(self, game: Game) -> Decider:
        """Make the search that decides in a game; `BoyiError` when none fits."""
        if self.judge is not None:
            if not isinstance(self.judge, Judge):
                raise BoyiError(f"expectimax: {self.values['evaluator']} does not judge positions of {game}")
            return Lookahead(game, self.values["depth"] or JUDGED_PLIES, self.judge.evaluator(game))
        limited = self.values["seconds"] or self.values["nodes"]
        depth = self.values["depth"] or (DEEPEST if limited else PLIES)
        return StarSearch(game, depth, self.values["nodes"], self.values["seconds"])

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        assert self.search is not None
        return np.array([self.search.decide(view, k) for k in range(view.row.size)], np.int64)

    def weigh(self, view: View, k: int = 0) -> Weights:
        self.fit(view.game)
        if not isinstance(self.search, StarSearch):
            return super().weigh(view, k)
        # Pruning leaves only bounds for the other actions.
        whole = StarSearch(view.game, self.search.depth, self.search.nodes, self.search.seconds, pruning=0)
        whole.decide(view, k)
        return Weights(whole.worth, False)


class StarSearch:
    """Searches decisions of one game with dice to `depth` decisions, or as deep as `nodes` or `seconds` allow (0: any).

    It deepens by one decision at a time. It leaves in `value` the expected return of the best action to the seat that
    decides, and in `worth` (actions,) that of every action: an upper bound except for the best, and NaN where illegal
    or not searched; `reached` is the depth that was finished, `nodes_met` counts positions. `pruning` is
    2 for Star1 and Star2, 1 for Star1 alone, 0 to search everything. `BoyiError` for a game that does not fit.
    """

    def __init__(
        self, game: Game, depth: int, nodes: int = 0, seconds: float = 0.0, *, pruning: int = 2, slots: int = SLOTS
    ) -> None:
        check_duel(game, "expectimax with star pruning does not fit", dice=True)
        found, levels = evaluation(game, "expectimax"), 4 * min(depth, game.longest) + 4
        self.game, self.depth, self.nodes, self.seconds = game, depth, nodes, seconds
        self.explore = bind(explore, game, None, **{"transposition": by_key, **found.kernels})
        self.context = make_context(game, found.scale, pruning)
        self.frames = make_frames(game, levels)
        self.arrays = np.repeat(game.blank, levels), np.repeat(found.notes, levels), self.frames, make_memo(slots)
        self.searches = 0
        self.value, self.reached, self.nodes_met = math.nan, 0, 0
        self.worth = np.full(game.actions, np.nan)

    @property
    def nbytes(self) -> int:
        return self.context.nbytes + sum(array.nbytes for array in self.arrays)

    def decide(self, view: View, k: int = 0) -> int:
        """Choose an action for game k of a view."""
        game, context, first = self.game, self.context[0], self.frames[0]
        until = time.perf_counter() + view.seconds(k, self.seconds)
        root, sign = view.states[k : k + 1], 1.0 if view.seat[k] == 0 else -1.0
        self.searches += 1
        context["nodes"], context["salt"] = 0, self.searches * int(GOLDEN) % 2**64
        action, self.reached = -1, 0
        for depth in range(1, self.depth + 1):
            self.arrays[0][:1], context["level"], first["count"], first["choice"] = root, 0, 0, -1
            while context["level"] >= 0 and not (self._spent(until) or (view.hurried and action >= 0)):
                endless = math.isinf(until) and view.hurry is None
                budget = 2**62 if endless else int(context["nodes"]) + CHUNK
                self.explore(*self.arrays, self.context, depth, min(budget, self.nodes or budget))
            if first["choice"] >= 0:
                action = int(first["choice"])
                self.value, self.worth = sign * float(first["value"]), sign * context["worth"]
            if context["level"] >= 0:
                break
            self.reached = depth
            if not context["leaves"] or self.value in (game.low, game.high) or view.mask[k].sum() == 1:
                break
        self.nodes_met = int(context["nodes"])
        return action if action >= 0 else int(view.mask[k].argmax())

    def _spent(self, until: float) -> bool:
        """Whether a limit of this decision is reached."""
        return (0 < self.nodes <= self.context["nodes"][0]) or time.perf_counter() >= until
