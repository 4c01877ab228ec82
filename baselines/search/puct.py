"""`puct`: tree search guided by priors and values, as in AlphaZero and the two published systems that follow it.

Options name the published choices of the systems for Tibetan Jiu chess (Li and others: ``c=3.5``, ``backup=leaf``) and
for EinStein (CN110119804A: ``c=5``, ``backup=children``, in training ``noise=published``) beside AlphaZero's own
practice (``noise=root``) and Gumbel AlphaZero's (``root=gumbel``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError, shown
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, Weights, check_duel
from .evaluators import Evaluator, Handmade, Judge, Playouts, find_judge
from .guided import PARAMS, GuidedSearch, Noise, Searched, read_settings

OWN = ("auto", "evaluate", "playout")
"""What `evaluator` may say without naming an agent."""


class PUCT(Agent):
    """Tree search guided by an evaluator: Q + c P sqrt(N) / (1 + n) chooses what to look at.

    `evaluator` may also be an object, an `Evaluator` of the game that is to be played. Memory is 24 bytes per node, for
    a tree of `nodes` for every row of the view and one more.
    """

    name = "puct"
    params = {
        "sims": Param(400, "simulations per decision, the first of which only opens the root", low=2, high=10**9),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        **PARAMS,
        "evaluator": Param(
            "auto", "the game's evaluation, or one random playout; auto: what there is; or an agent that has learned"
        ),
        "temperature": Param(0.0, "play by visits ** (1 / temperature); 0: the most visited", low=0.0, high=100.0),
        "noise": Param(
            "none",
            "published: in the shares of visits, of which the largest is played; root: in the priors of the root",
            choices=("none", "published", "root"),
        ),
        "noise_share": Param(0.25, "share of the noise", low=0.0, high=1.0),
        "dirichlet": Param(0.03, "concentration of the noise", low=0.0001, high=1000.0),
        "nodes": Param(0, "size of a tree; 0: enough for the simulations, up to 4 million", low=0, high=2**31 - 1),
        "reuse": Param(True, "keep the part of the tree that was played"),
    }

    def __init__(self, *, evaluator: str | Evaluator = "auto", judge: Judge | None = None, **values: Any) -> None:
        """Take parameters; `judge` is the agent that `evaluator` names, where it names one."""
        named = isinstance(evaluator, str)
        super().__init__(**values, **({"evaluator": evaluator} if named else {}))
        self.given = None if isinstance(evaluator, str) else evaluator
        self.judge = judge
        if named and judge is None and evaluator not in OWN:
            raise BoyiError(f"puct: evaluator must be one of {', '.join(OWN)}, or az:NAME, not {shown(evaluator)}")
        if self.values["root"] == "gumbel" and self.values["noise"] != "none":
            raise BoyiError("puct: root=gumbel draws noise of its own in training: leave noise at none")
        self.sims, self.seconds = self.values["sims"], self.values["seconds"]
        self.game: Game | None = None
        self.guided: GuidedSearch

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> Agent:
        return cls(**values, judge=find_judge("puct", make, values.get("evaluator", "auto"), OWN))

    def fit(self, game: Game) -> None:
        check_duel(game, "puct cannot search")
        if game != self.game:
            evaluator = self.given or self._named_evaluator(game)
            settings = read_settings(self.values, reuse=self.values["reuse"], nodes=self.values["nodes"])
            self.guided = GuidedSearch(game, evaluator, settings, 0 if self.seconds else self.sims)
            self.game = game

    def _named_evaluator(self, game: Game) -> Evaluator | Handmade | Playouts:
        if self.judge is not None:
            return self.judge.evaluator(game)
        name = self.values["evaluator"]
        by_playout = name == "playout" or (name == "auto" and not game.has("evaluate"))
        return Playouts(game) if by_playout else Handmade(game)

    def act(self, view: View) -> np.ndarray:
        return self.play(view)[0]

    def play(self, view: View) -> tuple[np.ndarray, Searched]:
        """Choose an action (m,) for each game as `act` does, and return with them what the search found."""
        # What is drawn at random besides the search must not depend on the other games.
        generators = [np.random.default_rng(stream) for stream in view.rng]
        searched = self._search(view, generators)
        actions = np.array(
            [self._choose(searched, k, generators[k], view.mask[k]) for k in range(view.row.size)], np.int64
        )
        self.guided.forest.note(view.row, actions)
        return actions, searched

    def search(self, view: View) -> Searched:
        """Search the games of a view; as nobody says what will be played, the trees serve only this decision."""
        return self._search(view, [np.random.default_rng(stream) for stream in view.rng])

    def so_far(self, view: View, k: int = 0) -> Weights:
        return self.guided.so_far(view, k)

    def expects(self, view: View, k: int, action: int) -> list[int]:
        return self.guided.expects(view, k, action)

    def weigh(self, view: View, k: int = 0) -> Weights:
        return Weights(np.where(view.mask[k], self.search(view.take(np.array([k]))).visits[0], np.nan), True)

    def value(self, view: View, k: int = 0) -> float:
        return float(self.search(view.take(np.array([k]))).value[0])

    def _search(self, view: View, generators: list[np.random.Generator]) -> Searched:
        view.check()
        self.fit(view.game)
        noise = None
        if self.values["noise"] == "root":
            drawn = [self._noise(generator, mask) for generator, mask in zip(generators, view.mask, strict=True)]
            noise = Noise(np.full(len(drawn), self.values["noise_share"]), np.stack(drawn))
        return self.guided.search(view, self.sims, seconds=self.seconds, noise=noise)

    def _noise(self, generator: np.random.Generator, mask: np.ndarray) -> np.ndarray:
        """Draw noise (actions,) that sums to 1 over the legal actions."""
        noise, legal = np.zeros(mask.size), np.flatnonzero(mask)
        noise[legal] = generator.dirichlet(np.full(legal.size, self.values["dirichlet"]))
        return noise

    def _choose(self, searched: Searched, k: int, generator: np.random.Generator, mask: np.ndarray) -> int:
        visits, temperature, share = searched.visits[k], self.values["temperature"], self.values["noise_share"]
        if self.values["noise"] == "published":
            mixed = (1 - share) * shares(visits, temperature) + share * self._noise(generator, mask)
            return int(mixed.argmax())
        if temperature:
            return int(generator.choice(visits.size, p=shares(visits, temperature)))
        return int(searched.action[k])


def shares(visits: np.ndarray, temperature: float) -> np.ndarray:
    """Turn visits (…, actions) into shares, visits ** (1 / temperature); at temperature 0 the most visited have all."""
    relative = visits / visits.max(axis=-1, keepdims=True)
    weights: np.ndarray = relative ** (1 / temperature) if temperature else (relative == 1).astype(np.float64)
    return weights / weights.sum(axis=-1, keepdims=True)
