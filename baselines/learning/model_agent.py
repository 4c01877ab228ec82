"""`dqn`, `ddqn`, `imitation`: they play what a run has learned, from a safetensors file that describes itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from msgspec.structs import asdict

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import choose_rows
from ...envs.engine.schema import ArrayForm, Form, Whole, fit_arrays
from ...envs.engine.spec import Game, Param, find
from ...envs.engine.version import __version__
from ...envs.engine.view import View
from ...envs.faces.frame import Frame
from ...envs.faces.symmetry import symmetries
from ...envs.mahjong import SPEC as MAHJONG
from ...envs.mahjong.constants import KINDS
from ...envs.records.files import PathOf, as_path
from ..agent import Agent, Weights
from ..mahjong.evaluator import HandEvaluator
from ..mahjong.search import HandSearch
from ..mahjong.values import PublishedEvaluator
from .hand_values import NetworkHands
from .shipped import weights_file

if TYPE_CHECKING:
    import torch
    from gymnasium import spaces
    from stable_baselines3.common.vec_env import VecEnv
    from torch import Tensor, nn

    from .networks import Network

FORMAT = "boyi-model-1"


class Learner(Protocol):
    """What is asked of a learner whose network is to play or to be written."""

    double: bool
    env: VecEnv | None
    observation_space: spaces.Space[Any]
    policy: Any

    @property
    def playing(self) -> Any:
        """The network that plays without exploration."""


class Card(Form, frozen=True, kw_only=True):
    """What a model is: how it was learned (from returns times `reward_scale`), the game and how it is seen, the network
    and its choices, how many actions it values (the first `outputs`; 0: all of them) and, in mahjong, what its values
    are added to; for one that is given away, also how it was `made`: command, commit, config, ladder and more.
    """

    format: str = FORMAT
    version: str = __version__
    algorithm: Literal["dqn", "ddqn", "imitation"]
    game: str
    game_version: Whole
    encoder: str
    layout: str
    network: str
    choices: dict[str, Any]
    reward_scale: float = 1.0
    outputs: Whole = 0
    base: Literal["none", "published"] = "none"
    made: dict[str, str] = {}

    @classmethod
    def of(cls, algorithm: Literal["dqn", "ddqn", "imitation"], frame: Frame, net: Network, **more: Any) -> Card:
        """Describe a network that values actions of a frame's game and sees what the frame shows."""
        game = frame.game
        return cls(
            algorithm=algorithm,
            game=str(game),
            game_version=game.spec.version,
            encoder=frame.encoder,
            layout=frame.layout,
            network=net.name,
            choices=net.choices,
            outputs=net.actions if net.actions < game.actions else 0,
            **more,
        )


def playable(model: Learner) -> tuple[Game, Frame]:
    """Return the game a model has learned and how it sees it; `BoyiError` when an agent could not see that."""
    from ...wrappers.sb3 import game_of
    from .policies import observation_key

    game = game_of(model.env) if model.env is not None else None
    if model.env is None or game is None:
        raise BoyiError("only a model that has its environment, a game of boyi, can play as an agent")
    frame: Frame = model.env.get_attr("frame")[0]
    space = model.observation_space[observation_key(model.observation_space)]  # type: ignore[index]
    if space != frame.observation_space(mask=False):
        raise BoyiError(f"the model sees {space}, which a position alone does not give: it cannot play as an agent")
    return game, frame


def write_model(path: PathOf, model: Learner) -> None:
    """Write the network by which a learner plays, and its card."""
    from ...wrappers.sb3 import reward_scale

    _, frame = playable(model)
    assert model.env is not None
    net: Network = model.playing.q_net
    card = Card.of("ddqn" if model.double else "dqn", frame, net, reward_scale=reward_scale(model.env))
    write_network(path, net, card)


def write_network(path: PathOf, net: nn.Module, card: Card) -> None:
    """Write a network that values actions, and its card."""
    from .checkpoint import write_file

    weights = {name: tensor.detach().cpu().numpy() for name, tensor in net.state_dict().items()}
    write_file(as_path(path), weights, asdict(card))


def read_model(path: PathOf, agent: str = "ddqn") -> tuple[Card, nn.Module]:
    """Read the card and network of a model: one that ships for an agent, by name, or one from its file or the folder
    of its run; `BoyiError` says what is wrong.
    """
    try:
        import torch

        from .checkpoint import read_file
        from .networks import build
    except ImportError as error:
        raise BoyiError(f'agents that have learned need {error.name}: pip install "boyi[baselines]"') from None
    file = weights_file(agent, path)
    weights, card = read_file(file, Card, FORMAT)
    try:
        game = find(card.game)
        if card.game_version != game.spec.version:
            raise BoyiError(f"learned version {card.game_version} of {game.name}, this is version {game.spec.version}")
        if card.outputs not in (0, KINDS if game.spec.name == MAHJONG.name else 0):
            raise BoyiError(f"a network of {game} values its {game.actions} actions, not {card.outputs}")
        if card.base != "none" and card.outputs != KINDS:
            raise BoyiError(
                f"a network that is added to a base values {KINDS} discards, not {card.outputs or 'all actions'}"
            )
        shape, outputs = Frame(game, card.encoder, card.layout).observation_space(mask=False).shape, card.outputs
        assert shape is not None
        with torch.device("meta"):  # takes no memory: how much the card asks for is not known yet
            plan = build(card.network, shape, outputs or game.actions, **card.choices)
    except BoyiError as error:
        raise BoyiError(f"{file}: {error}") from None
    fit_arrays(weights, tensor_forms(plan.state_dict(), "float16"), str(file))
    net = build(card.network, shape, outputs or game.actions, **card.choices)
    net.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in weights.items()})
    return card, net.eval()


def tensor_forms(tensors: Mapping[str, Tensor], *others: str) -> dict[str, ArrayForm]:
    """Say what arrays must be like for tensors to take their numbers from them; `others` are dtypes allowed as well."""
    return {
        name: ArrayForm(tuple(tensor.shape), (str(tensor.dtype).removeprefix("torch."), *others))
        for name, tensor in tensors.items()
    }


class NetworkAgent(Agent):
    """Plays the legal action of the highest value that a network gives.

    In mahjong it has `hands`, which knows what the network's values are added to; if the network values discards alone,
    it has `others`, a search that decides about claims and kongs. With `images` the network is asked about the images
    of a position, and the mean of its values counts.
    """

    game: Game
    frame: Frame
    net: nn.Module
    hands: NetworkHands | None = None
    others: HandSearch | None = None
    images: tuple[np.ndarray, np.ndarray] | None = None

    def fit(self, game: Game) -> None:
        if game != self.game:
            raise BoyiError(f"{self} has learned {self.game} and cannot play {game}")

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        seen = view.observe(self.frame.encoder)
        base = None if self.hands is None else self.hands.base_values(view.states, view.seat)
        actions = self.frame.actions(self._best(seen, self.frame.masks(view.mask, view.seat), base), view.seat)
        if self.others is not None:
            asked = np.flatnonzero(view.mask[:, KINDS:].any(axis=1))
            found = self.others.decide_all(view.take(asked))
            actions[asked] = np.where(found < KINDS, actions[asked], found)
        return actions

    def weigh(self, view: View, k: int = 0) -> Weights:
        import torch

        view = view.take(np.array([k]))
        self.fit(view.game)
        base = None if self.hands is None else self.hands.base_values(view.states, view.seat)
        with torch.inference_mode():
            values = self._judged(view.observe(self.frame.encoder), base)[0].double().cpu().numpy()
        # Outputs are in the frame of the seat that observes.
        seen = np.full(view.game.actions, np.nan)
        seen[: values.size] = values
        found = np.full(view.game.actions, np.nan)
        found[self.frame.actions(np.arange(seen.size), np.repeat(view.seat, seen.size))] = seen
        return Weights(np.where(view.mask[0], found, np.nan), False)

    def _judged(self, observations: np.ndarray, base: np.ndarray | None) -> Tensor:
        """Value actions (m, outputs) of observations, including what the network's values are added to."""
        import torch

        device = next(self.net.parameters()).device
        values = self._values(observations, device)
        return values if base is None else values + torch.from_numpy(base).to(device)

    def _best(self, observations: np.ndarray, masks: np.ndarray, base: np.ndarray | None) -> np.ndarray:
        import torch

        from .policies import best

        with torch.inference_mode():
            values = self._judged(observations, base)
            return best(values, torch.from_numpy(masks[:, : values.shape[1]]).to(values.device))[:, 0].cpu().numpy()

    def _values(self, observations: np.ndarray, device: torch.device) -> Tensor:
        """Value the actions of observations (m, *shape) as the encoder writes them."""
        import torch

        if self.images is None:
            valued: Tensor = self.net(torch.from_numpy(self.frame.arrange(observations)).to(device))
            return valued
        found = []
        for numbers, actions in zip(*self.images, strict=True):
            image = np.empty_like(observations)
            image.reshape(len(image), -1)[:, numbers] = observations.reshape(len(image), -1)
            valued = self.net(torch.from_numpy(self.frame.arrange(image)).to(device))
            found.append(valued[:, torch.from_numpy(actions[: valued.shape[1]]).to(device)])
        return torch.stack(found).mean(dim=0)


class ModelAgent(NetworkAgent):
    """Plays by a learner as it is at the moment, while it goes on learning."""

    name = "learner"

    def __init__(self, model: Learner) -> None:
        super().__init__()
        self.game, self.frame = playable(model)
        self.net = model.playing.q_net


class HandLearnerAgent(NetworkAgent):
    """Plays by a learner of mahjong's hands as it is at the moment; with `search`, its search plays instead."""

    name = "learner"

    def __init__(self, hands: NetworkHands, search: HandSearch | None = None) -> None:
        super().__init__()
        self.game, self.frame, self.net, self.search, self.hands = hands.game, hands.frame, hands.net, search, hands
        if hands.outputs < self.game.actions:
            self.others = HandSearch(self.game, 1.0, 1, hands)

    def act(self, view: View) -> np.ndarray:
        return super().act(view) if self.search is None else self.search.decide_all(view)


class LearnedAgent(NetworkAgent):
    """Plays the legal action of the highest value that a network, read from its file or its run's folder, gives."""

    positional: ClassVar[str | None] = "run"
    params = {
        "run": Param("", "name of weights that ship, folder of the run to play from, or a model's safetensors file"),
        "epsilon": Param(0.0, "share of random actions, so that games differ", low=0.0, high=1.0),
        "images": Param(False, "whether the network is asked about all symmetric images of a position"),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        run = self.values["run"]
        if not run:
            raise BoyiError(f"{self.name} plays what a run has learned: name its folder, as in {self.name}:runs/NAME")
        self.card, self.net = read_model(run, self.name)
        if self.card.algorithm != self.name:
            raise BoyiError(f"{run} was learned by another algorithm: write {self.card.algorithm}:{run}")
        self.game = find(self.card.game)
        self.frame = Frame(self.game, self.card.encoder, self.card.layout)
        if self.values["images"]:
            self.images = symmetries(self.game, self.card.encoder)
        if self.card.outputs:
            self.others = HandSearch(self.game, 1.0, 1, self._claims())
        if self.card.base != "none":
            self.hands = self._hands()

    def _hands(self) -> NetworkHands:
        return NetworkHands(self.game, self.net, self.frame, self.card.reward_scale, self.card.base)

    def _claims(self) -> HandEvaluator:
        """Return what values hands of mahjong for the search that decides about claims and kongs."""
        return PublishedEvaluator(self.game)

    def act(self, view: View) -> np.ndarray:
        actions = super().act(view)
        if not self.values["epsilon"]:
            return actions
        drawn = np.empty_like(actions)
        bind(choose_rows, view.game)(view.mask, view.rng, drawn)
        explored = [np.random.default_rng(stream).random() < self.values["epsilon"] for stream in view.rng]
        return np.where(explored, drawn, actions)


class ImitationAgent(LearnedAgent):
    """Plays the action that another agent, from whose games it has learned, would most likely play."""

    name = "imitation"


class DQNAgent(LearnedAgent):
    """Plays the legal action of the highest value that DQN has learned."""

    name = "dqn"

    def hand_evaluator(self, game: Game) -> NetworkHands:
        """Return what values hands of mahjong, for a search over them."""
        self.fit(game)
        return self._hands()

    def _claims(self) -> HandEvaluator:
        return self.hand_evaluator(self.game)


class DoubleDQNAgent(DQNAgent):
    """Plays the legal action of the highest value that Double DQN has learned."""

    name = "ddqn"
