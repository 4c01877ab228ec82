"""Policies for stable-baselines3's DQN that know masks: one for each network of `networks`."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import nn

from ...envs.engine.errors import BoyiError
from .networks import build

MASK = "action_mask"
Tensors = dict[str, torch.Tensor]


def masked(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Replace the values (m, actions) of illegal actions by minus infinity."""
    return values.masked_fill(mask == 0, -torch.inf)


def best(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the index (m, 1) of the highest value among the legal actions; 0 where there are none."""
    return masked(values, mask).argmax(dim=1, keepdim=True)


def observation_key(space: spaces.Space[Any]) -> str:
    """Return the key beside the mask in an environment's observations; `BoyiError` when there is not just one."""
    found = [key for key in space.spaces if key != MASK] if isinstance(space, spaces.Dict) else []
    if not isinstance(space, spaces.Dict) or MASK not in space.spaces or len(found) != 1:
        raise BoyiError(f"DQN learns from observations of one array and its {MASK!r}, not from {space}")
    if not isinstance(space[found[0]], spaces.Box):
        raise BoyiError(f"DQN learns from observations that are arrays, not from {space[found[0]]}")
    return found[0]


class MaskedQNetwork(QNetwork):
    """Action values of a network, and the best legal action."""

    def __init__(self, observation_space: spaces.Dict, action_space: spaces.Discrete, net: nn.Module) -> None:
        BasePolicy.__init__(self, observation_space, action_space, normalize_images=False)
        self.key: str = observation_key(observation_space)
        self.q_net = net  # type: ignore[assignment]

    def forward(self, obs: Tensors) -> torch.Tensor:  # type: ignore[override]
        """Return the value (m, actions) of every action, legal or not."""
        return self.q_net(obs[self.key].float())

    def quantiles(self, obs: Tensors) -> torch.Tensor:
        """Return the quantiles (m, N, actions) of what every action may bring."""
        return self.q_net.quantiles(obs[self.key].float())  # type: ignore[operator]

    def _predict(self, observation: Tensors, deterministic: bool = True) -> torch.Tensor:  # type: ignore[override]
        return best(self(observation), observation[MASK]).reshape(-1)


class MaskedDQNPolicy(DQNPolicy):
    """Online and target network; `network` is a name in `NETWORKS`, `choices` are that network's."""

    default: ClassVar[str] = "board"

    network: str
    choices: dict[str, Any]
    averaged: QNetwork

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        network: str | None = None,
        choices: dict[str, Any] | None = None,
        optimizer_class: type[torch.optim.Optimizer] = torch.optim.Adam,
        optimizer_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.network, self.choices = network or self.default, dict(choices or {})
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            optimizer_class=optimizer_class,
            optimizer_kwargs=optimizer_kwargs,
        )

    def keep_average(self) -> None:
        """Keep a network beside the online one for the mean of its weights; it plays when nothing is explored."""
        self.averaged = deepcopy(self.q_net).requires_grad_(requires_grad=False)

    @property
    def playing(self) -> MaskedQNetwork:
        """The network that plays when nothing is explored."""
        net = getattr(self, "averaged", self.q_net)
        assert isinstance(net, MaskedQNetwork)
        return net

    def _predict(self, observation: Tensors, deterministic: bool = True) -> torch.Tensor:  # type: ignore[override]
        net = self.playing if deterministic else self.q_net
        return net._predict(observation, deterministic=deterministic)

    def make_q_net(self) -> MaskedQNetwork:
        space, actions = self.observation_space, self.action_space
        assert isinstance(space, spaces.Dict) and isinstance(actions, spaces.Discrete)
        shape = space[observation_key(space)].shape
        assert shape is not None
        return MaskedQNetwork(space, actions, build(self.network, shape, int(actions.n), **self.choices)).to(
            self.device
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {
            "observation_space": self.observation_space,
            "action_space": self.action_space,
            "lr_schedule": self._dummy_schedule,
            "network": self.network,
            "choices": self.choices,
            "optimizer_class": self.optimizer_class,
            "optimizer_kwargs": self.optimizer_kwargs,
        }


class BoardPolicy(MaskedDQNPolicy):
    """A small convolutional network for the planes of any board: the default."""


class MlpPolicy(MaskedDQNPolicy):
    """A fully connected network, for any observation."""

    default = "mlp"


class NeuroHexPolicy(MaskedDQNPolicy):
    """NeuroHex's network of hexagonal convolutions, for Hex with the encoder ``neurohex``."""

    default = "neurohex"


class ResNetPolicy(MaskedDQNPolicy):
    """The published mahjong program's residual network."""

    default = "resnet"


POLICIES: dict[str, type[MaskedDQNPolicy]] = {
    policy.__name__: policy for policy in (BoardPolicy, MlpPolicy, NeuroHexPolicy, ResNetPolicy)
}


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a uniformly random legal action (m,) for each mask (m, actions)."""
    # Numbers in (0, 1]: a legal action never draws the 0 of the illegal ones.
    return ((1.0 - rng.random(masks.shape)) * (masks != 0)).argmax(axis=1)
