"""Networks that value actions: float32 observations (B, *shape) in, one value for each action (B, actions) out.

`build` makes one by name, from the shape of an observation and choices that JSON can hold; that needs torch alone.

None normalises over a batch: a position is worth the same whatever else is in the batch, in training too, and a target
network is its weights and nothing else. What that normalisation does for deep networks, initialisation does here. All
start out near 0 (`quiet`); only `neurohex` bounds its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod, sqrt
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...envs.engine.errors import BoyiError, chosen
from ...envs.engine.spec import Param, check_params

QUIET = 0.01  # about how far from 0 an untrained value is
PAD = 2  # cells of padding that the encoder `neurohex` puts around the board
MOST = 4096  # filters of a convolution: a typing error should not ask for all memory

Layer = TypeVar("Layer", nn.Conv2d, nn.Linear)


@dataclass(frozen=True)
class Numbers(Param):
    """A choice that is a list of at least `least` whole numbers in [low, high] or, with `each`, of lists of `each`."""

    least: int = 1
    each: int = 0

    def check(self, owner: str, name: str, value: Any) -> list[Any]:
        rows = value if self.each else [value]
        good = _is_list(rows) and all(_is_list(row) and len(row) == (self.each or len(row)) for row in rows)
        good = good and len(value) >= self.least and all(_is_whole(x, self.low, self.high) for row in rows for x in row)
        if not good:
            of = f"lists of {self.each} whole numbers" if self.each else "whole numbers"
            raise BoyiError(f"{owner}: {name} must be a list of {of} from {self.low} to {self.high}, not {value!r}")
        return [list(row) for row in value] if self.each else list(value)


class Network(nn.Module):
    """What the networks share: `shape` of one observation, `actions`, and `choices`, the defaults filled in."""

    name: ClassVar[str]
    params: ClassVar[Mapping[str, Param]] = {}

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__()
        owner = f"network {self.name}"
        if not _is_list(shape) or not shape or not all(_is_whole(x, 1) for x in shape):
            raise BoyiError(f"{owner}: the shape of an observation must be whole numbers from 1, not {shape!r}")
        if not _is_whole(actions, 1):
            raise BoyiError(f"{owner}: actions must be a whole number from 1, not {actions!r}")
        self.shape, self.actions = tuple(shape), actions
        self.choices = check_params(owner, self.params, choices)

    @property
    def inputs(self) -> int:
        """How many numbers an observation has."""
        return prod(self.shape)

    def quantiles(self, x: Tensor) -> Tensor:
        """Return evenly spaced quantiles of what each action may bring, (B, N, actions); `BoyiError` without."""
        raise BoyiError(f"network {self.name} tells values, not how they spread: choose quantiles")

    def planes(self) -> tuple[int, int, int]:
        """Return channels, height and width of an observation; `BoyiError` when it is not one of planes."""
        if len(self.shape) != 3:
            raise BoyiError(
                f"network {self.name} sees planes (C, H, W), not {self.shape}: take another encoder or the network mlp"
            )
        return self.shape[0], self.shape[1], self.shape[2]


READ_OFF: dict[str, Param] = {
    "dueling": Param(False, "whether a position's worth is read off separately from its actions'"),
    "quantiles": Param(0, "how many quantiles are given of what each action may bring; 0: its mean", low=0, high=1000),
}
"""Choices of how some networks read off values."""


class Mlp(Network):
    """Fully connected layers with ReLU over any observation, flattened; with no hidden layer, a linear function.

    By default the Gomoku program's, S2 of docs/deviations.md, 722-1024-1024-361 at 19x19. CHOICE: the hidden sizes,
    which the text has lost.
    """

    name = "mlp"
    params = {
        "hidden": Numbers([1024, 1024], "width of each hidden layer", low=1, high=65536, least=0),
        **READ_OFF,
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        layers, wide = hidden_layers(self.inputs, self.choices["hidden"])
        many = self.choices["quantiles"]
        head: nn.Module = quiet(nn.Linear(wide, self.actions * max(1, many)))
        head = read_off(self, head, quiet(nn.Linear(wide, 1)) if self.choices["dueling"] else None, 0)
        self.layers = nn.Sequential(nn.Flatten(), *layers, head)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)

    def quantiles(self, x: Tensor) -> Tensor:
        return spread(self, self.layers[-1], self.layers[:-1](x))


class Block(nn.Module):
    """Two 3x3 convolutions beside a shortcut, (B, in, H, W) -> (B, out, H / stride, W / stride), rounded up.

    He et al. 2016 (arXiv 1512.03385), section 4.2. The shortcut has no weights: it takes every stride-th cell and fills
    up with channels of zeros (their option A). Without normalisation, depth neither explodes nor stalls because the
    second convolution starts at zero and the first is scaled down by the root of the number of `blocks` in a row
    (Fixup: Zhang, Dauphin and Ma 2019, arXiv 1901.09321, section 3).
    """

    def __init__(self, inside: int, outside: int, stride: int, blocks: int) -> None:
        super().__init__()
        self.stride, self.widen = stride, outside - inside
        self.first = he(nn.Conv2d(inside, outside, 3, stride, padding=1), 1 / sqrt(blocks))
        self.second = he(nn.Conv2d(outside, outside, 3, padding=1), 0.0)

    def forward(self, x: Tensor) -> Tensor:
        y = self.second(self.first(x).relu())
        x = x[:, :, :: self.stride, :: self.stride]
        return (functional.pad(x, (0, 0, 0, 0, 0, self.widen)) + y).relu()


class CellHead(nn.Module):
    """Values of each cell, by the same weights everywhere, then `extra` ones: (B, C, H, W) -> (B, planes·H·W + extra).

    What is not a cell is valued by the mean and the maximum of each channel: how much of it there is, and whether any.
    """

    def __init__(self, channels: int, planes: int, extra: int) -> None:
        super().__init__()
        self.cells = quiet(nn.Conv2d(channels, planes, 1))
        self.extra = quiet(nn.Linear(2 * channels, extra)) if extra else None

    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = self.cells(x).flatten(1)
        return values if self.extra is None else torch.cat([values, self.extra(pooled(x))], 1)


class Dueling(nn.Module):
    """What a position is worth, and how far each action is above the mean (Wang et al. 2016, arXiv 1511.06581):
    one number (B, 1) of `worth` and the values (B, actions) of `more`, both read off the same features.
    """

    def __init__(self, worth: nn.Module, more: nn.Module) -> None:
        super().__init__()
        self.worth, self.more = worth, more

    def forward(self, x: Tensor) -> Tensor:
        more = self.more(x)
        values: Tensor = self.worth(x) + more - more.mean(1, keepdim=True)
        return values


class Spread(nn.Module):
    """What actions bring on average, from `many` quantiles of it (Dabney et al. 2018, arXiv 1710.10044).

    `head` gives those of all actions but the `extra` ones, quantile after quantile, then those of the `extra` ones.
    """

    def __init__(self, head: nn.Module, many: int, actions: int, extra: int) -> None:
        super().__init__()
        self.head, self.many, self.parts = head, many, (actions - extra, extra)

    def quantiles(self, x: Tensor) -> Tensor:
        """Return the quantiles (B, many, actions)."""
        first, rest = self.head(x).split([self.many * part for part in self.parts], dim=1)
        return torch.cat([each.unflatten(1, (self.many, -1)) for each in (first, rest) if each.shape[1]], 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.quantiles(x).mean(1)


class Pooled(nn.Module):
    """Numbers of a whole board, from how much there is of each channel: (B, C, H, W) -> (B, outputs)."""

    def __init__(self, channels: int, outputs: int) -> None:
        super().__init__()
        self.layer = quiet(nn.Linear(2 * channels, outputs))

    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = self.layer(pooled(x))
        return values


class Board(Network):
    """A small residual network for planes of any size, the default: a 3x3 convolution, `blocks` of two, and a head.

    CHOICE: narrow and deep. From every cell it reaches nine cells, which connections across a board need. In equal time
    on a core it learned which stones win at once on Hex 9x9 better than two blocks of 64 channels, and those better
    than four plain convolutions; on Hex 4x4 all were alike. Means and maxima over the board inside it did not help.

    ``head="cells"`` is `CellHead`, with a value of each cell for every whole plane of actions, ``"flat"`` one linear
    layer over everything. ``"auto"`` means ``"cells"`` where there are as many actions as cells, or one more (a swap, a
    pass). Only the number counts: where as many actions mean something else (EinStein with 3 stones on 3x3), say
    ``"flat"``.
    """

    name = "board"
    params = {
        "channels": Param(32, "filters of each convolution", low=1, high=MOST),
        "blocks": Param(4, "residual blocks of two convolutions", low=0, high=1000),
        "head": Param("auto", "how values are read off", choices=("auto", "cells", "flat")),
        **READ_OFF,
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, width = self.planes()
        channels, blocks = self.choices["channels"], self.choices["blocks"]
        self.stem = he(nn.Conv2d(planes, channels, 3, padding=1))
        self.blocks = nn.Sequential(*[Block(channels, channels, 1, blocks) for _ in range(blocks)])
        head = board_head(
            self.choices["head"], channels, height * width, self.actions, max(1, self.choices["quantiles"])
        )
        extra = self.actions % (height * width) if isinstance(head, CellHead) else 0
        self.head = read_off(self, head, Pooled(channels, 1) if self.choices["dueling"] else None, extra)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))

    def features(self, x: Tensor) -> Tensor:
        """Compute the features that values are read off, (B, channels, H, W)."""
        seen: Tensor = self.blocks(self.stem(x).relu())
        return seen

    def quantiles(self, x: Tensor) -> Tensor:
        return spread(self, self.head, self.features(x))


class HexConvolution(nn.Module):
    """A convolution over the cells at most `radius` steps away on Hex's board, (B, in, H, W) -> (B, out, H, W).

    `weight` is (out, in, cells): 7 cells within one step, 19 within two. The two extra corners of a square filter have
    no weights at all, as in NeuroHex's code, so that nothing can train, count or save them. A `square` one has them:
    9 and 25.
    """

    cells: Tensor

    def __init__(self, inside: int, outside: int, radius: int, *, square: bool = False) -> None:
        super().__init__()
        self.radius = radius
        cells = list(range((2 * radius + 1) ** 2)) if square else hexagon(radius)
        self.register_buffer("cells", torch.tensor(cells), persistent=False)
        self.weight = nn.Parameter(torch.empty(outside, inside, self.cells.numel()))
        self.bias = nn.Parameter(torch.zeros(outside))
        nn.init.normal_(self.weight, std=sqrt(2 / self.weight[0].numel()))  # as `he` draws them

    def filters(self) -> Tensor:
        """Lay the weights out as square filters (out, in, d, d), zero in the two corners."""
        outside, inside, _ = self.weight.shape
        d = 2 * self.radius + 1
        square = self.weight.new_zeros(outside, inside, d * d)
        return square.index_copy(2, self.cells, self.weight).view(outside, inside, d, d)

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv2d(x, self.filters(), self.bias, padding=self.radius)


class HexLayer(nn.Module):
    """Filters of diameter 5 and of diameter 3 side by side, with ReLU: (B, in, H, W) -> (B, wide + narrow, H, W)."""

    def __init__(self, inside: int, wide: int, narrow: int, *, square: bool = False) -> None:
        super().__init__()
        sizes = (wide, 2), (narrow, 1)
        self.convolutions = nn.ModuleList(
            HexConvolution(inside, many, radius, square=square) for many, radius in sizes if many
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([convolution(x) for convolution in self.convolutions], 1).relu()


class NeuroHex(Network):
    """The network of Young, Vasan and Hayward 2016 (arXiv 1604.07097) for Hex's encoder `neurohex`.

    Hexagonal layers, `mix` giving each one's filters of diameter 5 and 3, then a fully connected layer over all cells,
    with its sigmoid rescaled to [-1, 1]. A thinner mix suits smaller boards.

    Only the first layer reads the padding. As in the authors' code, every later one sees zeros there; the fully
    connected layer sees the n x n cells (theirs also has weights for the zeros of the padding). CHOICE: the swap, which
    NeuroHex does not know, is one more output of that layer. CHOICE: weights start as He's, not as Glorot's, which
    would halve the variance in most layers, and the output starts quiet.
    """

    name = "neurohex"
    params = {
        "mix": Numbers(
            [[80, 48], [64, 64], [48, 80], [32, 96], [16, 112], *[[0, 128]] * 5],
            "filters of diameter 5 and of diameter 3 in each layer",
            low=0,
            high=MOST,
            each=2,
        ),
        "filters": Param(
            "hexagonal", "whether filters have the two corners that are not neighbours", choices=("hexagonal", "square")
        ),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, width = self.planes()
        n = height - 2 * PAD
        if planes != 6 or height != width or n < 1 or actions not in (n * n, n * n + 1):
            raise BoyiError(
                f"network neurohex sees Hex by the encoder neurohex, (6, n + 4, n + 4) for n² or n² + 1 actions, "
                f"not {self.shape} for {actions}"
            )
        layers, inside = [], planes
        for wide, narrow in self.choices["mix"]:
            if wide + narrow == 0:
                raise BoyiError("network neurohex: every layer of mix must have a filter, not [0, 0]")
            layers.append(HexLayer(inside, wide, narrow, square=self.choices["filters"] == "square"))
            inside = wide + narrow
        self.first, self.later = layers[0], nn.Sequential(*layers[1:])
        self.head = flat_head(inside * n * n, actions)

    def forward(self, x: Tensor) -> Tensor:
        board = self.first(x)[:, :, PAD:-PAD, PAD:-PAD]
        return 2 * self.head(self.later(board)).sigmoid() - 1


class ResNet(Network):
    """He et al.'s residual network of 20 layers (2016, section 4.2): the mahjong program's (docs/deviations.md, S4).

    A convolution, equally many blocks for each of `channels`, with stride 2 where the next begins, and a linear layer:
    1 + 2 · 9 + 1 layers with weights. CHOICE: 16, 32, 64 channels, as He et al. have at this depth: on 19x19 that is a
    sixteenth of the work of 64 throughout (``channels=[64]``), and a search values thousands of leaves in seconds.
    CHOICE: the linear layer reads every cell rather than their mean: where something stands in a mahjong matrix says
    which tile it is about.
    """

    name = "resnet"
    params = {
        "layers": Param(20, "layers with weights", low=4, high=1202),
        "channels": Numbers([16, 32, 64], "filters of each stage, on half the board of the last", low=1, high=MOST),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, width = self.planes()
        layers, channels = self.choices["layers"], self.choices["channels"]
        many, rest = divmod(layers - 2, 2 * len(channels))
        if rest:
            step = 2 * len(channels)
            raise BoyiError(f"network resnet: layers must be 2 more than a multiple of {step}, not {layers}")
        if channels != sorted(channels):
            raise BoyiError(f"network resnet: channels may not shrink from stage to stage, not {channels}")
        self.stem = he(nn.Conv2d(planes, channels[0], 3, padding=1))
        widths = [wide for wide in channels for _ in range(many)]
        steps = enumerate(pairwise([channels[0], *widths]))
        blocks = [Block(*wide, 2 if k and k % many == 0 else 1, len(widths)) for k, wide in steps]
        self.blocks = nn.Sequential(*blocks)
        shrunk = 2 ** (len(channels) - 1)
        self.head = flat_head(channels[-1] * -(-height // shrunk) * -(-width // shrunk), actions)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.blocks(self.stem(x).relu())
        # Neighbouring values in bfloat16 are further apart than those of two discards of a hand.
        with torch.autocast(x.device.type, enabled=False):
            return self.head(seen.to(self.head[1].weight.dtype))


class Cnn(Network):
    """Convolutions of 3x3 with ReLU, one after the other, then a fully connected layer over all cells and the output.

    CHOICE: sizes; S4 prints only the kind of the convolutional network that it compares.
    """

    name = "cnn"
    params = {
        "channels": Numbers([32, 64, 64], "filters of each convolution", low=1, high=MOST),
        "hidden": Param(256, "width of the fully connected layer", low=1, high=65536),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, width = self.planes()
        layers: list[nn.Module] = []
        for inside, outside in pairwise([planes, *self.choices["channels"]]):
            layers += [he(nn.Conv2d(inside, outside, 3, padding=1)), nn.ReLU()]
        self.trunk = nn.Sequential(*layers, nn.Flatten())
        hidden, wide = hidden_layers(self.choices["channels"][-1] * height * width, [self.choices["hidden"]])
        self.head = nn.Sequential(*hidden, quiet(nn.Linear(wide, actions)))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.trunk(x))


class DenseLayer(nn.Module):
    """A 1x1 convolution to four times `growth` channels, a 3x3 one to `growth`; the input comes before what is new."""

    def __init__(self, inside: int, growth: int) -> None:
        super().__init__()
        self.narrow = he(nn.Conv2d(inside, 4 * growth, 1))
        self.new = he(nn.Conv2d(4 * growth, growth, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.new(self.narrow(x.relu()).relu())], 1)


class DenseNet(Network):
    """Huang et al.'s DenseNet-BC (2017, arXiv 1608.06993): each layer reads what all before it in its block have found.

    A convolution of 2 · `growth` channels, three blocks of equally many layers, between them a 1x1 convolution that
    halves the channels and a mean over 2x2 cells, and a linear layer. Outside the blocks four of the `layers` have
    weights, and each layer of a block counts as two. CHOICE: 40 of growth 12, the smallest that they measured; S4 has
    190 of growth 40, hundreds of times the work. CHOICE: the linear layer reads every cell, as `ResNet`'s does.
    """

    name = "densenet"
    params = {
        "layers": Param(40, "layers with weights", low=10, high=1000),
        "growth": Param(12, "channels that a layer adds", low=1, high=MOST),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        wide, height, width = self.planes()
        growth = self.choices["growth"]
        layers = self.choices["layers"]
        many, rest = divmod(layers - 4, 6)
        if rest:
            raise BoyiError(f"network densenet: layers must be 4 more than a multiple of 6, not {layers}")
        parts: list[nn.Module] = [he(nn.Conv2d(wide, 2 * growth, 3, padding=1))]
        wide = 2 * growth
        for block in range(3):
            if block > 0:
                parts += [nn.ReLU(), he(nn.Conv2d(wide, wide // 2, 1)), nn.AvgPool2d(2, ceil_mode=True)]
                wide, height, width = wide // 2, -(-height // 2), -(-width // 2)
            for _ in range(many):
                parts.append(DenseLayer(wide, growth))
                wide += growth
        self.trunk = nn.Sequential(*parts, nn.ReLU())
        self.head = flat_head(wide * height * width, actions)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.trunk(x))


class Suits(Network):
    """A small network for mahjong's `planes` (C, 4, 9), the same weights for all three suits.

    A suit is a row of nine ranks, and the honors are the fourth row. Each becomes `width` features. The suits'
    sum and the honors' become `joint` features of the whole hand, and every row is looked at once more beside these.
    Actions after the 34 kinds of tile depend on the joint features alone.
    """

    name = "suits"
    params = {
        "width": Param(96, "features of a suit", low=1, high=MOST),
        "joint": Param(128, "features of the hand", low=1, high=MOST),
    }

    def __init__(self, shape: Sequence[int], actions: int, /, **choices: Any) -> None:
        super().__init__(shape, actions, **choices)
        planes, height, ranks = self.planes()
        if (height, ranks) != (4, 9) or actions < 34:
            raise BoyiError(
                f"network suits sees mahjong by the encoder planes, (C, 4, 9), for at least 34 actions, not "
                f"{self.shape} for {actions}"
            )
        width, joint = self.choices["width"], self.choices["joint"]
        self.suit, self.honors = he(nn.Linear(9 * planes, width)), he(nn.Linear(9 * planes, width))
        self.joint = he(nn.Linear(2 * width, joint))
        self.suit_again, self.honors_again = (he(nn.Linear(width + joint, width)) for _ in range(2))
        self.ranks, self.winds = quiet(nn.Linear(width, 9)), quiet(nn.Linear(width, 7))
        self.others = quiet(nn.Linear(joint, actions - 34)) if actions > 34 else None

    def forward(self, x: Tensor) -> Tensor:
        rows, every = x.transpose(1, 2).flatten(2), torch.arange(3 * len(x), device=x.device)
        return self.of_rows(rows[:, :3].flatten(0, 1), rows[:, 3], every.view(-1, 3), every[: len(x)])

    def of_rows(self, suits: Tensor, honors: Tensor, which_suits: Tensor, which_honors: Tensor) -> Tensor:
        """Value actions (B, actions) of observations whose rows are those given (…, 9 C) at `which` (B, 3) and (B,)."""
        suits, honors = self.suit(suits).relu(), self.honors(honors).relu()
        joint = self.joint(torch.cat([suits[which_suits].sum(1), honors[which_honors]], 1)).relu()
        ranks = _beside(self.suit_again, suits, which_suits, joint[:, None])
        winds = _beside(self.honors_again, honors, which_honors, joint)
        values = [self.ranks(ranks.relu()).flatten(1), self.winds(winds.relu())]
        if self.others is not None:
            values.append(self.others(joint))
        return torch.cat(values, 1)


def _beside(layer: nn.Linear, rows: Tensor, which: Tensor, joint: Tensor) -> Tensor:
    """Apply a layer to rows, each with what stands beside it: to both separately, then summed."""
    wide = rows.shape[1]
    alone = functional.linear(rows, layer.weight[:, :wide], layer.bias)
    return alone[which] + functional.linear(joint, layer.weight[:, wide:])


NETWORKS: dict[str, type[Network]] = {kind.name: kind for kind in (Mlp, Board, NeuroHex, ResNet, Cnn, DenseNet, Suits)}


def build(name: str, shape: Sequence[int], actions: int, /, **choices: Any) -> Network:
    """Make the network `name` for observations of `shape`, channels first; `BoyiError` says what does not fit."""
    return NETWORKS[chosen("network", name, NETWORKS)](shape, actions, **choices)


def count(module: nn.Module) -> int:
    """Count the numbers that training is free to change."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def hexagon(radius: int) -> list[int]:
    """List which entries, row by row, of a square of side 2·radius + 1 are within `radius` steps of its middle.

    Down and right are a step each, down and left together one (Hex, §1): the corners at top left and bottom right are
    too far away.
    """
    around = range(-radius, radius + 1)
    return [i for i, (r, c) in enumerate((r, c) for r in around for c in around) if abs(r + c) <= radius]


def he(layer: Layer, scale: float = 1.0) -> Layer:
    """Draw a layer's weights so that ReLU keeps the variance (He et al. 2015, arXiv 1502.01852), then scale them."""
    return _drawn(layer, scale * sqrt(2 / layer.weight[0].numel()))


def quiet(layer: Layer) -> Layer:
    """Draw an output layer's weights so small that every value starts near 0, an even game.

    A target takes the best of many values: if those were noise, it would be the largest noise, which learning has to
    spread and then unlearn. They are not exactly 0 either: then the best action would always be the first.
    """
    return _drawn(layer, QUIET / sqrt(layer.weight[0].numel()))


def hidden_layers(inside: int, widths: Sequence[int]) -> tuple[list[nn.Module], int]:
    """Make fully connected layers with ReLU; return them and the width of the last."""
    layers: list[nn.Module] = []
    for wide in widths:
        layers += [he(nn.Linear(inside, wide)), nn.ReLU()]
        inside = wide
    return layers, inside


def pooled(x: Tensor) -> Tensor:
    """Return the mean and the maximum of each channel over the board, (B, C, H, W) -> (B, 2 C)."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def read_off(net: Network, head: nn.Module, worth: nn.Module | None, extra: int) -> nn.Module:
    """Wrap a head so that values are read off it as the network's choices say; `worth` is for dueling ones."""
    many = net.choices["quantiles"]
    if many and worth is not None:
        raise BoyiError(f"network {net.name}: dueling and quantiles do not go together")
    if many:
        return Spread(head, many, net.actions, extra)
    return head if worth is None else Dueling(worth, head)


def spread(net: Network, head: nn.Module, x: Tensor) -> Tensor:
    """Return the quantiles (B, N, actions) that a head gives; `BoyiError` if it gives none."""
    return head.quantiles(x) if isinstance(head, Spread) else Network.quantiles(net, x)


def board_head(head: str, channels: int, cells: int, actions: int, many: int = 1) -> nn.Module:
    """Make the `head` of a board, as the network `board` describes it, with `many` numbers for each action."""
    planes, extra = divmod(actions, cells)
    if head == "cells" and not planes:
        raise BoyiError(f"network board: head=cells wants an action for each of the {cells} cells, not {actions}")
    by_cell = head == "cells" or (head == "auto" and planes == 1 and extra < 2)
    return CellHead(channels, planes * many, extra * many) if by_cell else flat_head(channels * cells, actions * many)


def flat_head(wide: int, actions: int) -> nn.Sequential:
    """Make a linear layer that reads all of `wide` numbers, whatever their shape."""
    return nn.Sequential(nn.Flatten(), quiet(nn.Linear(wide, actions)))


def _drawn(layer: Layer, std: float) -> Layer:
    if layer.weight.is_meta:  # it has no numbers, and to draw them would import half of torch's compiler
        return layer
    nn.init.normal_(layer.weight, std=std)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_whole(value: Any, low: float | None, high: float | None = None) -> bool:
    good = isinstance(value, int) and not isinstance(value, bool)
    return good and (low is None or value >= low) and (high is None or value <= high)
