"""Networks with two heads: observations (B, *shape) in, a logit for each action (B, actions) and a value (B,) out.

The value is in [-1, 1], from the side of the seat that observes. Illegal actions get a logit like any other: the caller
takes the softmax over the legal ones. Like the networks of `networks`, none normalises over a batch, and all start out
quiet: an even policy, and every position worth nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...envs.engine.errors import BoyiError, chosen
from ...envs.engine.spec import Game, Param
from .networks import MOST, Block, Network, Numbers, board_head, flat_head, he, hidden_layers, pooled, quiet

Judged = tuple[Tensor, Tensor]


class PooledBlock(Block):
    """A `Block` whose first convolution also sees the mean and the maximum of each channel over the whole board."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__(channels, channels, 1, blocks)
        self.board = quiet(nn.Linear(2 * channels, channels))

    def forward(self, x: Tensor) -> Tensor:
        whole: Tensor = self.board(pooled(x))
        y = self.second((self.first(x) + whole[:, :, None, None]).relu())
        return functional.relu(x + y)


class Board(Network):
    """A residual network for planes of any size: the same weights play every board that they fit.

    A 3x3 convolution, `blocks` of two, every `pool`-th of which looks over the whole board (Wu 2019, arXiv 1902.10565,
    section 3.3), and two heads. The policy's is that of the network `board` of `networks`: if it reads off the cells,
    the weights fit every size that has as many planes of actions; if it is a linear layer over everything, they fit
    only one. The value is read off what is pooled over the board.
    """

    name = "board"
    params = {
        "channels": Param(64, "filters of each convolution", low=1, high=MOST),
        "blocks": Param(6, "residual blocks of two convolutions", low=0, high=1000),
        "pool": Param(3, "one block in this many looks over the whole board; 0: none does", low=0, high=1000),
        "head": Param("auto", "how the policy is read off", choices=("auto", "cells", "flat")),
        "hidden": Param(64, "width of the value head", low=1, high=MOST),
        "auxiliary": Param(False, "whether it can also `foretell`, which teaches the layers that all heads share"),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, width = self.planes()
        channels, blocks, pool = self.choices["channels"], self.choices["blocks"], self.choices["pool"]
        self.stem = he(nn.Conv2d(planes, channels, 3, padding=1))
        self.blocks = nn.Sequential(
            *(
                PooledBlock(channels, blocks) if pool and k % pool == pool - 1 else Block(channels, channels, 1, blocks)
                for k in range(blocks)
            )
        )
        self.policy = board_head(self.choices["head"], channels, height * width, self.actions)
        hidden = self.choices["hidden"]
        self.value = nn.Sequential(he(nn.Linear(2 * channels, hidden)), nn.ReLU(), quiet(nn.Linear(hidden, 1)))
        if self.choices["auxiliary"]:
            self.reply = board_head(self.choices["head"], channels, height * width, self.actions)
            self.owner = quiet(nn.Conv2d(channels, 1, 1))

    def forward(self, x: Tensor) -> Judged:
        return self._judged(self._features(x))

    def foretell(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Judge positions, and also give a logit for each action to be played next (B, actions), and whose stone will
        be on each cell at the end (B, H, W), from 1, the observer's, to -1.
        """
        x = self._features(x)
        return *self._judged(x), self.reply(x), self.owner(x)[:, 0].tanh()

    def _features(self, x: Tensor) -> Tensor:
        seen: Tensor = self.blocks(self.stem(x).relu())
        return seen

    def _judged(self, x: Tensor) -> Judged:
        return self.policy(x), self.value(pooled(x))[:, 0].tanh()


class Mlp(Network):
    """Fully connected layers with ReLU over any observation, flattened, and two linear heads."""

    name = "mlp"
    params = {"hidden": Numbers([256, 256], "width of each hidden layer", low=1, high=65536)}

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        layers, wide = hidden_layers(self.inputs, self.choices["hidden"])
        self.trunk = nn.Sequential(*layers)
        self.policy, self.value = quiet(nn.Linear(wide, actions)), quiet(nn.Linear(wide, 1))

    def forward(self, x: Tensor) -> Judged:
        x = self.trunk(x.flatten(1))
        return self.policy(x), self.value(x)[:, 0].tanh()


class Layout(Network):
    """The network of the published program for the layout phase of Jiu (docs/deviations.md, S3), for 4 planes.

    Three 3x3 convolutions; the policy by 1x1 convolutions of 3 filters and one fully connected layer, a number for each
    point, the value by 1x1 convolutions of 4 filters and fully connected layers of 64 and 1. CHOICE: 32, 64 and 128
    filters; the text's "3 filters of 3x3" may mean something else. Jiu's actions of the battle, which come after those
    that put a stone on a point, have logits of 0.
    """

    name = "layout"
    params = {
        "channels": Numbers([32, 64, 128], "filters of each 3x3 convolution", low=1, high=MOST),
        "policy": Param(3, "filters before the policy", low=1, high=MOST),
        "value": Param(4, "filters before the value", low=1, high=MOST),
        "hidden": Param(64, "width of the value head", low=1, high=MOST),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        inside, height, width = self.planes()
        layers: list[nn.Module] = []
        for channels in self.choices["channels"]:
            layers += [he(nn.Conv2d(inside, channels, 3, padding=1)), nn.ReLU()]
            inside = channels
        self.trunk = nn.Sequential(*layers)
        some, others, hidden = self.choices["policy"], self.choices["value"], self.choices["hidden"]
        cells = height * width
        points = flat_head(some * cells, min(cells, actions))
        self.policy = nn.Sequential(he(nn.Conv2d(inside, some, 1)), nn.ReLU(), points)
        self.value = nn.Sequential(
            he(nn.Conv2d(inside, others, 1)),
            nn.ReLU(),
            nn.Flatten(),
            he(nn.Linear(others * cells, hidden)),
            nn.ReLU(),
            quiet(nn.Linear(hidden, 1)),
        )

    def forward(self, x: Tensor) -> Judged:
        x = self.trunk(x)
        logits: Tensor = self.policy(x)
        return functional.pad(logits, (0, self.actions - logits.shape[1])), self.value(x)[:, 0].tanh()


class Policy42Value36(Network):
    """The two networks of the published program for EinStein (docs/deviations.md, S5), for the encoder `policy42`.

    Three hidden layers of 20 each; the value network sees only the stones, the first six sevenths of the numbers, not
    the die. CHOICE: ReLU, which the text has lost, and tanh at the value, whose label is 1 or -1.
    """

    name = "policy42_value36"
    params = {"hidden": Numbers([20, 20, 20], "width of each hidden layer, in both", low=1, high=65536)}

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        if len(self.shape) != 1 or self.inputs % 7 or actions * 7 != self.inputs * 3:
            raise BoyiError(
                f"network {self.name} sees EinStein by the encoder policy42, (7 k,) for 3 k actions, "
                f"not {self.shape} for {actions}"
            )
        self.seen = self.inputs // 7 * 6
        deciding, wide = hidden_layers(self.inputs, self.choices["hidden"])
        valuing, _ = hidden_layers(self.seen, self.choices["hidden"])
        self.deciding, self.valuing = nn.Sequential(*deciding), nn.Sequential(*valuing)
        self.policy, self.value = quiet(nn.Linear(wide, actions)), quiet(nn.Linear(wide, 1))

    def forward(self, x: Tensor) -> Judged:
        return self.policy(self.deciding(x)), self.values(x)

    def values(self, x: Tensor) -> Tensor:
        """Return only the values of positions, (B,)."""
        values: Tensor = self.value(self.valuing(x[:, : self.seen]))[:, 0].tanh()
        return values


POLICY_VALUE: dict[str, type[Network]] = {kind.name: kind for kind in (Board, Mlp, Layout, Policy42Value36)}


def build_policy_value(name: str, shape: Sequence[int], actions: int, /, **choices: Any) -> Network:
    """Make the network `name` for observations of `shape`, channels first; `BoyiError` says what does not fit."""
    return POLICY_VALUE[chosen("network", name, POLICY_VALUE)](shape, actions, **choices)


def build_for_all(games: Sequence[Game], name: str, encoder: str, choices: Mapping[str, Any]) -> Network:
    """Make the network that plays all of the games; `BoyiError` where their weights would differ."""
    net = build_policy_value(name, games[0].shape(encoder), games[0].actions, **choices)
    shapes = {key: tensor.shape for key, tensor in net.state_dict().items()}
    for game in games[1:]:
        with torch.device("meta"):
            other = build_policy_value(name, game.shape(encoder), game.actions, **choices)
        if {key: tensor.shape for key, tensor in other.state_dict().items()} != shapes:
            raise BoyiError(f"network {name} has other weights for {game} than for {games[0]}: a run learns one set")
    return net
