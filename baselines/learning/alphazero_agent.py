"""`az`: agents that play by a network of `policy_value` and a search, from a safetensors file that describes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import Form, Whole, fit_arrays
from ...envs.engine.spec import Game, Param, check_params, find
from ...envs.engine.version import __version__
from ...envs.engine.view import View
from ...envs.records.files import PathOf, as_path
from ..agent import Agent, Weights, check_duel
from ..search.guided import PARAMS as GUIDED
from ..search.guided import GuidedSearch, Searched, read_settings
from ..search.knowledge import EXAMINE, learns
from ..search.puct import shares
from .alphazero_params import LEAF, PROOFS
from .model_agent import tensor_forms
from .shipped import shipped_weights, weights_file

if TYPE_CHECKING:
    from torch import nn

    from .network_evaluator import NetworkEvaluator
    from .networks import Network

FORMAT = "boyi-az-1"
KEPT = {
    **{name: param for name, param in GUIDED.items() if name != "root"},
    "leaf": LEAF,
    "proofs": PROOFS,
    "examine": EXAMINE,
}
"""The search settings of a network's training that its file keeps."""


class AlphaZeroCard(Form, frozen=True, kw_only=True):
    """What a network is: the games it has learned and how it sees them, its name and choices, and the search it was
    trained with; if it ships, also how it was made: command, commit, config, games, hours, machine, ladder.
    """

    format: str = FORMAT
    version: str = __version__
    algorithm: Literal["alphazero"] = "alphazero"
    games: list[str]
    game_version: Whole
    encoder: str
    network: str
    choices: dict[str, Any]
    precision: Literal["auto", "float32", "bfloat16"]
    search: dict[str, Any]
    made: dict[str, str] = {}


def write_network(path: PathOf, net: nn.Module, card: AlphaZeroCard, dtype: str = "float32") -> None:
    """Write a network and its card, its weights as numbers of `dtype`."""
    from .checkpoint import write_file

    weights = {name: tensor.detach().cpu().numpy().astype(dtype) for name, tensor in net.state_dict().items()}
    write_file(as_path(path), weights, msgspec.to_builtins(card))


class LearnedNetwork:
    """A network and what it may play: it is made for each game, with the same weights."""

    def __init__(self, card: AlphaZeroCard, weights: Mapping[str, np.ndarray], where: str) -> None:
        self.card, self.weights, self.where = card, weights, where
        try:
            self.games = [find(game) for game in card.games]
            if not self.games:
                raise BoyiError("it has learned no game")
            first = self.games[0]
            if any(game.spec != first.spec for game in self.games):
                raise BoyiError("its games are not of one kind")
            if card.game_version != first.spec.version:
                raise BoyiError(
                    f"learned version {card.game_version} of {first.name}, this is version {first.spec.version}"
                )
            self.search = check_params("search", KEPT, card.search)
            self._plan(first)
        except BoyiError as error:
            raise BoyiError(f"{where}: {error}") from None

    def _plan(self, game: Game) -> Network:
        """Make the network for a game without its weights, and check that they fit it."""
        import torch

        from .policy_value import build_policy_value

        with torch.device("meta"):  # takes no memory: how much the card asks for is not known yet
            net = build_policy_value(
                self.card.network, game.shape(self.card.encoder), game.actions, **self.card.choices
            )
        fit_arrays(self.weights, tensor_forms(net.state_dict(), "float16"), self.where)
        return net

    def network(self, game: Game) -> Network:
        """Make the network for a game; `BoyiError` for a game that it has not learned."""
        import torch

        self.check(game)
        try:
            net = self._plan(game)
        except BoyiError:
            raise BoyiError(f"{self.where} has learned {self._learned()}: its weights do not fit {game}") from None
        tensors = {name: torch.from_numpy(array.astype(np.float32)) for name, array in self.weights.items()}
        net.load_state_dict(tensors, assign=True)
        return net.eval()

    def check(self, game: Game) -> None:
        """Raise `BoyiError` for a game other than those learned; its board may have another size."""
        same = any(
            game.spec == own.spec and {**game.params, "board_size": 0} == {**own.params, "board_size": 0}
            for own in self.games
        )
        if not same:
            raise BoyiError(f"{self.where} has learned {self._learned()} and cannot play {game}")

    def _learned(self) -> str:
        return " and ".join(map(str, self.games))


def read_network(path: PathOf) -> LearnedNetwork:
    """Read a network that ships, by name, or one from its file or the folder of its run; `BoyiError` says what is
    wrong.
    """
    try:
        import torch  # noqa: F401 - whether it is there

        from .checkpoint import read_file
    except ImportError as error:
        raise BoyiError(f'agents that have learned need {error.name}: pip install "boyi[baselines]"') from None
    weights, card = read_file(weights_file("az", path), AlphaZeroCard, FORMAT)
    return LearnedNetwork(card, weights, str(path))


class NetworkPlayer(Agent):
    """Plays by a network and a search; with `sims` of 0, by the policy alone."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.game: Game | None = None
        self.judged: NetworkEvaluator
        self.guided: GuidedSearch

    def evaluator(self, game: Game) -> NetworkEvaluator:
        """Return the evaluator of a game's positions; `BoyiError` for a game that the network has not learned."""
        raise NotImplementedError

    def given(self) -> Mapping[str, Any]:
        """Return what the network's file says about the search, by the names of its parameters."""
        raise NotImplementedError

    def fit(self, game: Game) -> None:
        check_duel(game, f"{self.name} cannot play")
        if game == self.game:
            return
        self.judged = self.evaluator(game)
        given, examine = self.given(), self.values["examine"]
        if examine < 0:
            examine = given["examine"] if learns(game) else 0
        settings = read_settings({**given, "root": self.values["root"], "examine": examine})
        self.guided = GuidedSearch(game, self.judged, settings, 0 if self.values["seconds"] else self.values["sims"])
        self.game = game

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        if not self.values["sims"]:
            priors, _ = self.judged.evaluate(view.states, view.seat)
            return self._drawn(view, priors.astype(np.float64), priors.argmax(axis=1))
        found = self._search(view)
        actions = self._drawn(view, found.policy, found.action)
        self.guided.forest.note(view.row, actions)
        return actions

    def so_far(self, view: View, k: int = 0) -> Weights:
        return self.guided.so_far(view, k)

    def expects(self, view: View, k: int, action: int) -> list[int]:
        return self.guided.expects(view, k, action) if self.values["sims"] else []

    def weigh(self, view: View, k: int = 0) -> Weights:
        view = view.take(np.array([k]))
        self.fit(view.game)
        if not self.values["sims"]:
            priors = self.judged.evaluate(view.states, view.seat)[0][0].astype(np.float64)
            return Weights(np.where(view.mask[0], priors, np.nan), True)
        return Weights(np.where(view.mask[0], self._search(view).visits[0], np.nan), True)

    def value(self, view: View, k: int = 0) -> float:
        view = view.take(np.array([k]))
        self.fit(view.game)
        if not self.values["sims"]:
            return float(self.judged.evaluate(view.states, view.seat)[1][0])
        return float(self._search(view).value[0])

    def _search(self, view: View) -> Searched:
        return self.guided.search(view, self.values["sims"], seconds=self.values["seconds"])

    def _drawn(self, view: View, policy: np.ndarray, best: np.ndarray) -> np.ndarray:
        """Draw actions from a policy at the temperature, or take the best ones."""
        if not self.values["temperature"]:
            return best
        weights = shares(policy, self.values["temperature"])
        pairs = zip(view.rng, weights, strict=True)
        return np.array([np.random.default_rng(stream).choice(row.size, p=row) for stream, row in pairs], np.int64)


SEARCH = {
    "sims": Param(200, "simulations per decision; 0: the policy alone", low=0, high=10**9),
    "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
    "root": GUIDED["root"],
    "examine": Param(
        -1, "visits after which a position is examined for who wins; -1: as the file says", low=-1, high=EXAMINE.high
    ),
    "temperature": Param(0.0, "play by visits ** (1 / temperature); 0: the most visited", low=0.0, high=100.0),
}
"""The parameters of every agent that plays by a network."""


class AlphaZeroAgent(NetworkPlayer):
    """Plays by a network that AlphaZero has taught, from the package's weights, a run's folder or a file."""

    name = "az"
    positional: ClassVar[str | None] = "weights"
    params = {
        "weights": Param("", "name of weights that ship, folder of a run, or a file; empty: the ones for the game"),
        **SEARCH,
        "device": Param("cpu", "where the network is: cpu, cuda or auto"),
        "threads": Param(1, "threads of the CPU that the network computes on", low=1, high=1024),
    }

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if self.values["sims"] == 1:
            raise BoyiError("az: sims must be 0, for the policy alone, or at least 2: the first only opens the root")
        self.learned: LearnedNetwork | None = None

    def evaluator(self, game: Game) -> NetworkEvaluator:
        named = self.values["weights"] or game.name
        if not self.values["weights"] and named not in shipped_weights("az"):
            raise BoyiError(f"az: no weights that play {game} ship: name some that do, as in az:runs/NAME")
        if self.learned is None or self.learned.where != named:
            self.learned = read_network(named)
        from .network_evaluator import NetworkEvaluator, pick_device

        device = pick_device(self.values["device"])
        card = self.learned.card
        return NetworkEvaluator(
            game,
            self.learned.network(game),
            card.encoder,
            device=device,
            precision=card.precision,
            threads=self.values["threads"],
            leaf=self.learned.search["leaf"],
        )

    def given(self) -> Mapping[str, Any]:
        assert self.learned is not None
        return self.learned.search


class LearnerAgent(NetworkPlayer):
    """Plays by a network that goes on learning; its evaluators must be refreshed to follow the network."""

    name = "learner"
    params = SEARCH

    def __init__(self, evaluators: Sequence[NetworkEvaluator], search: Mapping[str, Any], **values: Any) -> None:
        super().__init__(**values)
        self.evaluators, self.search = {each.game: each for each in evaluators}, search

    def evaluator(self, game: Game) -> NetworkEvaluator:
        if game not in self.evaluators:
            raise BoyiError(f"{self} has not learned {game}")
        return self.evaluators[game]

    def given(self) -> Mapping[str, Any]:
        return self.search
