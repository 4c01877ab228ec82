"""The networks: sizes counted by hand, hexagons against Hex's rules, NeuroHex in loops, what depends on what."""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hex_oracle import Hex
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from boyi.baselines.learning.networks import (
    NETWORKS,
    PAD,
    Block,
    HexConvolution,
    HexLayer,
    Network,
    build,
    count,
    hexagon,
)
from boyi.envs import Batch, BoyiError, Game, find, games
from boyi.envs.hex import encode

Array = NDArray[np.float64]

SMALL: dict[str, tuple[tuple[int, ...], int, dict[str, Any]]] = {
    "mlp": ((6,), 4, {"hidden": [16]}),
    "board": ((3, 4, 4), 17, {"channels": 8, "blocks": 2}),
    "neurohex": ((6, 7, 7), 9, {"mix": [[4, 4], [0, 8], [3, 0]]}),
    "resnet": ((2, 5, 6), 7, {"channels": [4, 8, 8]}),
    "cnn": ((2, 5, 6), 7, {"channels": [4, 6], "hidden": 8}),
    "densenet": ((2, 5, 6), 7, {"layers": 16, "growth": 2}),
    "suits": ((3, 4, 9), 37, {"width": 24, "joint": 16}),
}
every_network = pytest.mark.parametrize("name", SMALL)


@pytest.fixture(autouse=True)
def same_weights(one_thread: None) -> None:
    """Every test draws the same numbers."""
    torch.manual_seed(0)


def small(name: str, seed: int = 0) -> Network:
    """One of the networks, small enough to do anything with."""
    torch.manual_seed(seed)
    shape, actions, choices = SMALL[name]
    return build(name, shape, actions, **choices)


def noise(*shape: int, seed: int = 1) -> Tensor:
    """Observations of random numbers in [0, 1]."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def shaken(net: Network) -> Network:
    """The network with random weights everywhere, those that start at zero included."""
    with torch.no_grad():
        for p in net.parameters():
            p.add_(0.1 * torch.randn_like(p))
    return net


def trained(net: Network, steps: int, optimizer: torch.optim.Optimizer) -> list[float]:
    """Fit random targets for 16 random observations; return the losses."""
    x, y = noise(16, *net.shape), noise(16, net.actions, seed=2) - 0.5
    losses = []
    for _ in range(steps):
        loss = functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# How many numbers each layer learns, written out: inputs x filter x outputs + biases.
SIZES: list[tuple[str, tuple[int, ...], int, dict[str, Any], int]] = [
    ("mlp", (722,), 361, {}, 722 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 361 + 361),
    ("mlp", (4, 5, 5), 25, {"hidden": []}, 4 * 5 * 5 * 25 + 25),
    ("mlp", (4,), 3, {"hidden": [5], "quantiles": 7}, 4 * 5 + 5 + 5 * 3 * 7 + 3 * 7),
    ("board", (3, 2, 2), 5, {"channels": 5, "blocks": 0, "quantiles": 7}, 3 * 9 * 5 + 5 + 5 * 7 + 7 + 2 * 5 * 7 + 7),
    ("mlp", (4,), 3, {"hidden": [5], "dueling": True}, 4 * 5 + 5 + 5 * 3 + 3 + 5 + 1),
    ("mlp", (42,), 18, {"hidden": [20, 20, 20]}, 42 * 20 + 20 + 20 * 20 + 20 + 20 * 20 + 20 + 20 * 18 + 18),
    ("board", (3, 11, 11), 121, {}, 3 * 9 * 32 + 32 + 8 * (32 * 9 * 32 + 32) + 32 + 1),
    ("board", (4, 11, 11), 122, {}, 4 * 9 * 32 + 32 + 8 * (32 * 9 * 32 + 32) + 32 + 1 + 2 * 32 + 1),
    (
        "board",
        (3, 4, 4),
        16,
        {"channels": 5, "blocks": 0, "dueling": True},
        3 * 9 * 5 + 5 + 5 + 1 + 2 * 5 + 1,
    ),
    ("board", (19, 5, 5), 18, {}, 19 * 9 * 32 + 32 + 8 * (32 * 9 * 32 + 32) + 32 * 25 * 18 + 18),
    ("board", (3, 2, 3), 6, {"channels": 5, "blocks": 0, "head": "flat"}, 3 * 9 * 5 + 5 + 5 * 6 * 6 + 6),
    ("board", (3, 2, 3), 9, {"channels": 5, "blocks": 1}, 3 * 9 * 5 + 5 + 2 * (5 * 9 * 5 + 5) + 5 * 6 * 9 + 9),
    (
        "board",
        (3, 2, 3),
        9,
        {"channels": 5, "blocks": 1, "head": "cells"},
        3 * 9 * 5 + 5 + 2 * (5 * 9 * 5 + 5) + 5 + 1 + 2 * 5 * 3 + 3,
    ),
    (
        "neurohex",
        (6, 15, 15),
        121,
        {},
        (6 * 19 * 80 + 6 * 7 * 48 + 128)
        + (128 * 19 * 64 + 128 * 7 * 64 + 128)
        + (128 * 19 * 48 + 128 * 7 * 80 + 128)
        + (128 * 19 * 32 + 128 * 7 * 96 + 128)
        + (128 * 19 * 16 + 128 * 7 * 112 + 128)
        + 5 * (128 * 7 * 128 + 128)
        + (128 * 121 * 121 + 121),
    ),
    (
        "neurohex",
        (6, 7, 7),
        10,
        {"mix": [[3, 1], [0, 2], [1, 0]]},
        (6 * 19 * 3 + 6 * 7 * 1 + 4) + (4 * 7 * 2 + 2) + (2 * 19 * 1 + 1) + (1 * 9 * 10 + 10),
    ),
    (
        "neurohex",
        (6, 7, 7),
        10,
        {"mix": [[3, 1], [0, 2], [1, 0]], "filters": "square"},
        (6 * 25 * 3 + 6 * 9 * 1 + 4) + (4 * 9 * 2 + 2) + (2 * 25 * 1 + 1) + (1 * 9 * 10 + 10),
    ),
    (
        "resnet",
        (1, 19, 19),
        34,
        {},
        (1 * 9 * 16 + 16)
        + 6 * (16 * 9 * 16 + 16)
        + (16 * 9 * 32 + 32 + 5 * (32 * 9 * 32 + 32))
        + (32 * 9 * 64 + 64 + 5 * (64 * 9 * 64 + 64))
        + (64 * 5 * 5 * 34 + 34),
    ),
    (
        "resnet",
        (19, 19, 19),
        75,
        {"channels": [64]},
        (19 * 9 * 64 + 64) + 18 * (64 * 9 * 64 + 64) + (64 * 19 * 19 * 75 + 75),
    ),
    (
        "cnn",
        (1, 19, 19),
        34,
        {},
        (9 * 32 + 32) + (32 * 9 * 64 + 64) + (64 * 9 * 64 + 64) + (64 * 19 * 19 * 256 + 256) + (256 * 34 + 34),
    ),
    (
        "densenet",
        (1, 19, 19),
        34,
        {},
        (9 * 24 + 24)
        + sum(
            (wide * 48 + 48) + (48 * 9 * 12 + 12)
            for first in (24, 48, 60)  # 24; (24 + 6 * 12) / 2; (48 + 6 * 12) / 2
            for wide in range(first, first + 72, 12)
        )
        + (96 * 48 + 48)
        + (120 * 60 + 60)
        + (132 * 5 * 5 * 34 + 34),
    ),
    (
        "suits",
        (28, 4, 9),
        75,
        {},
        2 * (28 * 9 * 96 + 96) + (2 * 96 * 128 + 128) + 2 * ((96 + 128) * 96 + 96) + 97 * (9 + 7) + 129 * 41,
    ),
]


@pytest.mark.parametrize(("name", "shape", "actions", "choices", "size"), SIZES)
def test_sizes_are_the_published_ones(
    name: str, shape: tuple[int, ...], actions: int, choices: dict[str, Any], size: int
) -> None:
    net = build(name, shape, actions, **choices)
    assert count(net) == size == sum(value.numel() for value in net.state_dict().values())


def test_the_sizes_that_the_documents_name() -> None:
    """S2's and S1's networks, and He et al.'s 0.27 million for 20 layers with the mean over the board as input."""
    first = {name: size for name, *_, size in reversed(SIZES)}
    assert (first["mlp"], first["neurohex"], first["resnet"]) == (2_159_977, 3_164_537, 322_530)
    assert round(count(build("resnet", (3, 1, 1), 10)) / 1e6, 2) == 0.27


@pytest.mark.parametrize(
    ("layers", "channels"), [(20, [16, 32, 64]), (56, [4, 4, 8]), (20, [4]), (4, [4]), (10, [4, 4])]
)
def test_layers_of_a_resnet_are_layers_with_weights(layers: int, channels: list[int]) -> None:
    net = build("resnet", (2, 5, 5), 3, layers=layers, channels=channels)
    assert sum(isinstance(module, nn.Conv2d | nn.Linear) for module in net.modules()) == layers


@pytest.mark.parametrize("layers", [10, 40])
def test_layers_of_a_densenet_are_layers_with_weights(layers: int) -> None:
    """Beside two narrow ones between the blocks, which Huang et al. count: 1 + 6 n + 2 + 1."""
    net = build("densenet", (2, 5, 5), 3, layers=layers, growth=2)
    assert sum(isinstance(module, nn.Conv2d | nn.Linear) for module in net.modules()) == layers


def test_only_what_training_may_change_counts() -> None:
    net = build("mlp", (6,), 4, hidden=[5])
    net.layers[1].requires_grad_(False)
    assert count(net) == 5 * 4 + 4


# Hexagons


@cache
def neighbours_by_the_rules(n: int) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """Which cells touch, asked of the compiled rules: two stones of one seat are joined exactly when they do."""
    cells = list(product(range(n), range(n)))
    asked = [(a, b) for a in range(n * n) for b in range(n * n) if a != b]
    between = [next(c for c in range(n * n) if c not in pair) for pair in asked]
    batch = Batch("hex", len(asked), seed=0, encoder=None, board_size=n)
    for actions in ([a for a, _ in asked], between, [b for _, b in asked]):
        batch.step(np.array(actions))
    link = batch.states["link"]
    touching: dict[tuple[int, int], set[tuple[int, int]]] = {cell: set() for cell in cells}
    for row, (a, b) in enumerate(asked):
        if link[row, a] == b or link[row, b] == a:
            touching[cells[a]].add(cells[b])
    return touching


@pytest.mark.parametrize(("radius", "kept"), [(1, 7), pytest.param(2, 19, marks=pytest.mark.slow)])
def test_a_hexagonal_filter_keeps_the_cells_within_reach(radius: int, kept: int) -> None:
    """The entries kept are those within `radius` steps of the middle, by breadth-first search over the rules."""
    n, middle = 2 * radius + 3, radius + 1  # there are cells all around the square, where ways may lead
    touching = neighbours_by_the_rules(n)
    assert touching == {cell: set(Hex(n).touching(cell)) for cell in touching}
    reached = {(middle, middle)}
    for _ in range(radius):
        reached |= {b for a in reached for b in touching[a]}
    inside = {(r - middle + radius, c - middle + radius) for r, c in reached}
    d = 2 * radius + 1
    assert {(i // d, i % d) for i in hexagon(radius)} == inside and len(hexagon(radius)) == len(inside) == kept
    assert set(product(range(d), range(d))) - inside == {
        (r, c) for r, c in product(range(d), range(d)) if abs(r + c - 2 * radius) > radius
    }
    # What a stone in the middle can change is exactly what is within reach of it.
    board = torch.zeros(1, 1, n, n)
    board[0, 0, middle, middle] = 1.0
    response = HexConvolution(1, 3, radius)(board)[0]
    for plane in response:
        assert {(int(r), int(c)) for r, c in plane.nonzero()} == reached


@pytest.mark.parametrize(
    ("optimizer", "settings"),
    [
        (torch.optim.RMSprop, {"lr": 0.001, "alpha": 0.9, "eps": 1e-6, "momentum": 0.9, "weight_decay": 0.1}),
        (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    ],
)
def test_the_corners_of_a_hexagonal_filter_stay_zero(
    optimizer: type[torch.optim.Optimizer], settings: dict[str, Any]
) -> None:
    net = small("neurohex")
    layers = [module for module in net.modules() if isinstance(module, HexConvolution)]
    before = [layer.filters().detach().clone() for layer in layers]
    trained(net, 4, optimizer(net.parameters(), **settings))
    assert {layer.radius for layer in layers} == {1, 2}
    for layer, old in zip(layers, before, strict=True):
        new, d = layer.filters(), 2 * layer.radius + 1
        for r, c in product(range(d), range(d)):
            if abs(r + c - 2 * layer.radius) > layer.radius:
                assert (new[:, :, r, c] == 0).all() and (old[:, :, r, c] == 0).all()
            else:
                assert (new[:, :, r, c] != old[:, :, r, c]).all()


def test_nothing_is_saved_of_the_corners() -> None:
    """A model's file holds the weights kept and nothing else, and loading checks the shapes of all of them."""
    net, twin = shaken(small("neurohex")), small("neurohex", seed=5)
    state = net.state_dict()
    assert {key: tuple(value.shape) for key, value in state.items() if "first" in key} == {
        "first.convolutions.0.weight": (4, 6, 19),
        "first.convolutions.0.bias": (4,),
        "first.convolutions.1.weight": (4, 6, 7),
        "first.convolutions.1.bias": (4,),
    }
    assert sum(value.numel() for value in state.values()) == count(net)
    twin.load_state_dict(state)
    x = noise(3, *net.shape)
    assert torch.equal(net(x), twin(x))
    with pytest.raises(RuntimeError, match="size mismatch"):
        build("neurohex", net.shape, net.actions, mix=[[4, 4], [8, 0], [3, 0]]).load_state_dict(state)


def convolved(x: Array, layer: HexLayer, *, square: bool) -> Array:
    """Convolve (planes, n + 4, n + 4) cell by cell; the padding of what comes out is zero, as in the authors' code."""
    size = x.shape[1]
    out = []
    for convolution in layer.convolutions:
        assert isinstance(convolution, HexConvolution)
        k = convolution.radius
        around = [(r, c) for r, c in product(range(-k, k + 1), repeat=2) if square or abs(r + c) <= k]
        weight, bias = convolution.weight.detach().double().numpy(), convolution.bias.detach().double().numpy()
        for f in range(bias.size):
            plane = np.zeros((size, size))
            for r, c in product(range(PAD, size - PAD), repeat=2):
                seen = sum(weight[f, :, i] @ x[:, r + a, c + b] for i, (a, b) in enumerate(around))
                plane[r, c] = max(0.0, seen + bias[f])
            out.append(plane)
    return np.stack(out)


@pytest.mark.parametrize("filters", ["hexagonal", "square"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_neurohex_in_loops(n: int, filters: str) -> None:
    """The whole network in plain loops over a padded board: only the first layer sees what the padding holds."""
    net = shaken(build("neurohex", (6, n + 4, n + 4), n * n + 1, mix=[[2, 3], [1, 1], [0, 2]], filters=filters))
    x = noise(1, *net.shape)
    planes = x[0].double().numpy()
    for layer in [net.first, *net.later]:
        planes = convolved(planes, layer, square=filters == "square")
    weight, bias = (p.detach().double().numpy() for p in net.head[1].parameters())
    z = weight @ planes[:, PAD:-PAD, PAD:-PAD].ravel() + bias
    np.testing.assert_allclose(net(x)[0].detach().numpy(), 2 / (1 + np.exp(-z)) - 1, atol=1e-5)
    assert encode.PAD == PAD


@pytest.mark.parametrize("name", ["mlp", "board"])
def test_a_dueling_network_reads_the_worth_of_a_position_off_by_itself(name: str) -> None:
    """The mean of the values is what the position is worth; the rest is as without."""
    shape, actions, choices = SMALL[name]
    net = shaken(build(name, shape, actions, **choices, dueling=True))
    plain = build(name, shape, actions, **choices)
    head = net.head if name == "board" else net.layers[-1]
    state = {key.replace(".more", ""): value for key, value in net.state_dict().items() if ".worth" not in key}
    plain.load_state_dict(state)
    x = noise(5, *shape)
    seen: list[Tensor] = []
    head.worth.register_forward_hook(lambda module, given, worth: seen.append(worth))
    values, more = net(x), plain(x)
    assert torch.allclose(values.mean(1, keepdim=True), seen[0], atol=1e-6)
    assert torch.allclose(values - seen[0], more - more.mean(1, keepdim=True), atol=1e-6)


def test_quantiles_are_read_off_where_their_actions_values_are() -> None:
    """Each by weights of its own, those of the cells and that of the pass; what is told are their means."""
    net = shaken(build("board", (3, 2, 2), 5, channels=5, blocks=0, quantiles=3))
    x = noise(4, 3, 2, 2)
    found = net.quantiles(x)
    assert found.shape == (4, 3, 5) and torch.allclose(found.mean(1), net(x))
    for k in range(3):
        plain = build("board", (3, 2, 2), 5, channels=5, blocks=0)
        plain.stem.load_state_dict(net.stem.state_dict())
        for part in ("cells", "extra"):
            whole = getattr(net.head.head, part).state_dict()
            getattr(plain.head, part).load_state_dict({key: value[k : k + 1] for key, value in whole.items()})
        assert torch.allclose(plain(x), found[:, k], atol=1e-6)
    for name in ("mlp", "board"):
        shape, actions, choices = SMALL[name]
        small_one = build(name, shape, actions, **choices, quantiles=4)
        assert small_one.quantiles(noise(2, *shape)).shape == (2, 4, actions)
        with pytest.raises(BoyiError, match=f"network {name} tells values, not how they spread: choose quantiles"):
            small(name).quantiles(noise(2, *shape))
        with pytest.raises(BoyiError, match=f"network {name}: dueling and quantiles do not go together"):
            build(name, shape, actions, **choices, quantiles=4, dueling=True)


def test_the_mix_of_neurohex() -> None:
    """S1: ten layers of 128 filters, of diameter 5 and 3, in the order of the published code."""
    net = build("neurohex", (6, 5, 5), 1)
    layers = [{c.radius: tuple(c.weight.shape) for c in layer.convolutions} for layer in (net.first, *net.later)]
    assert layers == [
        {2: (80, 6, 19), 1: (48, 6, 7)},
        {2: (64, 128, 19), 1: (64, 128, 7)},
        {2: (48, 128, 19), 1: (80, 128, 7)},
        {2: (32, 128, 19), 1: (96, 128, 7)},
        {2: (16, 128, 19), 1: (112, 128, 7)},
        *[{1: (128, 128, 7)}] * 5,
    ]


def test_neurohex_sees_the_padding_and_stays_within_bounds() -> None:
    net = shaken(small("neurohex"))
    x = noise(1, *net.shape)
    bare = x.clone()
    bare[:, :, :PAD] = 0.0
    assert not torch.allclose(net(x), net(bare))
    with torch.no_grad():
        net.head[1].weight.mul_(1e4)
    assert net(x).abs().max() <= 1.0 < 1e4


# The other networks, written out


def written_out(net: Network, x: Tensor, strides: list[int]) -> Tensor:
    """What `board` and `resnet` compute up to the head: He et al.'s figure 2 with their option A."""
    w = net.state_dict()
    x = functional.conv2d(x, w["stem.weight"], w["stem.bias"], padding=1).clamp(min=0)
    for k, stride in enumerate(strides):
        inner = functional.conv2d(x, w[f"blocks.{k}.first.weight"], w[f"blocks.{k}.first.bias"], stride, padding=1)
        y = functional.conv2d(
            inner.clamp(min=0), w[f"blocks.{k}.second.weight"], w[f"blocks.{k}.second.bias"], padding=1
        )
        y[:, : x.shape[1]] += x[:, :, ::stride, ::stride]
        x = y.clamp(min=0)
    return x


def test_board_written_out() -> None:
    """A cell's values are the same functions of every cell; the swap's one of all cells' means and maxima."""
    two_planes = build("board", (3, 4, 4), 33, channels=8, blocks=2, head="cells")
    for net in map(shaken, (small("board"), two_planes)):
        x, w = noise(5, *net.shape), net.state_dict()
        seen = written_out(net, x, [1, 1])
        planes = [(weight * seen).sum(1).flatten(1) for weight in w["head.cells.weight"]]
        cells = [plane + bias for plane, bias in zip(planes, w["head.cells.bias"], strict=True)]
        flat = seen.flatten(2)
        swap = torch.cat([flat.sum(2) / 16, flat.max(2).values], 1) @ w["head.extra.weight"].T + w["head.extra.bias"]
        torch.testing.assert_close(net(x), torch.cat([*cells, swap], 1))
    net = shaken(build("board", (3, 4, 4), 18, channels=8, blocks=1))
    flat, w = written_out(net, x, [1]).flatten(1), net.state_dict()
    torch.testing.assert_close(net(x), flat @ w["head.1.weight"].T + w["head.1.bias"])


def test_resnet_written_out() -> None:
    net = shaken(build("resnet", (2, 5, 6), 7, layers=14, channels=[4, 6, 6]))
    x, w = noise(5, *net.shape), net.state_dict()
    flat = written_out(net, x, [1, 1, 2, 1, 2, 1]).flatten(1)
    torch.testing.assert_close(net(x), flat @ w["head.1.weight"].T + w["head.1.bias"])


def test_cnn_written_out() -> None:
    net = shaken(small("cnn"))
    x, w = noise(5, *net.shape), net.state_dict()
    y = x
    for k in (0, 2):
        y = functional.conv2d(y, w[f"trunk.{k}.weight"], w[f"trunk.{k}.bias"], padding=1).clamp(min=0)
    y = (y.flatten(1) @ w["head.0.weight"].T + w["head.0.bias"]).clamp(min=0)
    torch.testing.assert_close(net(x), y @ w["head.2.weight"].T + w["head.2.bias"])


def test_densenet_written_out() -> None:
    """Two layers a block; a mean over 2x2 cells takes fewer at the edge of a board of 5."""
    net = shaken(small("densenet"))
    y, w = noise(5, *net.shape), net.state_dict()
    x, part = y, 1
    y = functional.conv2d(y, w["trunk.0.weight"], w["trunk.0.bias"], padding=1)
    for block in range(3):
        if block > 0:
            y = functional.conv2d(y.clamp(min=0), w[f"trunk.{part + 1}.weight"], w[f"trunk.{part + 1}.bias"])
            height, width = y.shape[2:]
            rows, columns = (range(0, size, 2) for size in (height, width))
            means = [[y[:, :, r : r + 2, c : c + 2].mean((2, 3)) for c in columns] for r in rows]
            y, part = torch.stack([torch.stack(row, 2) for row in means], 2), part + 3
        for _ in range(2):
            at = f"trunk.{part}"
            narrow = functional.conv2d(y.clamp(min=0), w[f"{at}.narrow.weight"], w[f"{at}.narrow.bias"]).clamp(min=0)
            y = torch.cat([y, functional.conv2d(narrow, w[f"{at}.new.weight"], w[f"{at}.new.bias"], padding=1)], 1)
            part += 1
    torch.testing.assert_close(net(x), y.clamp(min=0).flatten(1) @ w["head.1.weight"].T + w["head.1.bias"])


def test_mlp_written_out() -> None:
    net = shaken(build("mlp", (3, 2), 4, hidden=[8, 7]))
    x, w = noise(5, *net.shape), net.state_dict()
    y = x.flatten(1)
    for k in (1, 3):
        y = (y @ w[f"layers.{k}.weight"].T + w[f"layers.{k}.bias"]).clamp(min=0)
    torch.testing.assert_close(net(x), y @ w["layers.5.weight"].T + w["layers.5.bias"])


# What fits what


def instances() -> Iterator[Game]:
    """Games of many sizes and, of each, everything that its page says is tested."""
    for n, swap in product(range(1, 27), (False, True)):
        yield find("hex", board_size=n, swap=swap)
    yield from (find("gomoku", board_size=n) for n in (5, 19))
    for name in games():
        yield from (find(name, **params) for params in find(name).spec.tested)


THIN: dict[str, dict[str, Any]] = {
    "mlp": {"hidden": [4]},
    "board": {"channels": 4},
    "neurohex": {"mix": [[2, 2], [0, 3]]},
    "resnet": {"channels": [2, 4, 4], "layers": 8},
    "cnn": {"channels": [2], "hidden": 4},
    "densenet": {"layers": 10, "growth": 1},
    "suits": {"width": 4, "joint": 4},
}


@every_network
def test_every_game_and_encoder(name: str) -> None:
    """Two observations give two rows of values, one value an action, or a sentence says why the network cannot."""
    fitted = set()
    for game, encoder in [(each, encoder) for each in instances() for encoder in each.spec.encoders]:
        shape = game.shape(encoder)
        fits = {"mlp": True, "neurohex": encoder == "neurohex", "suits": shape[1:] == (4, 9) and game.actions >= 34}
        fits = fits.get(name, len(shape) == 3)
        if fits:
            values = build(name, shape, game.actions, **THIN[name])(torch.zeros(2, *shape))
            assert values.shape == (2, game.actions) and values.dtype == torch.float32
            fitted.add(encoder)
        else:
            with pytest.raises(BoyiError, match=f"network {name}"):
                build(name, shape, game.actions, **THIN[name])
    every = {"mlp": {"flat", "planes", "policy42"}, "neurohex": {"neurohex"}, "suits": {"planes"}}
    assert fitted >= every.get(name, {"planes", "neurohex"})


def test_mahjong_fits() -> None:
    """S4 is to come: 34 or more actions on 19x19, or on any other board."""
    for shape, actions in product([(1, 19, 19), (40, 4, 9)], [34, 75]):
        for name in ("mlp", "board", "resnet", "cnn", "densenet"):
            assert build(name, shape, actions, **THIN[name])(noise(1, *shape)).shape == (1, actions)


@pytest.mark.parametrize(
    ("name", "shape", "actions", "choices", "complaint"),
    [
        ("bord", (3, 4, 4), 16, {}, "unknown network 'bord': did you mean 'board'?"),
        (["mlp"], (3,), 16, {}, "unknown network"),
        ("mlp", (3,), 16, {"hiden": [4]}, "unknown parameter of network mlp 'hiden': did you mean 'hidden'?"),
        ("mlp", (3,), 16, {"shape": (4,)}, "unknown parameter of network mlp 'shape'"),
        ("mlp", (3,), 16, {"hidden": 4}, "hidden must be a list of whole numbers from 1 to 65536, not 4"),
        ("mlp", (3,), 16, {"hidden": "44"}, "hidden must be a list"),
        ("mlp", (3,), 16, {"hidden": [4, 0]}, "hidden must be a list"),
        ("mlp", (3,), 16, {"hidden": [4, 65537]}, "hidden must be a list"),
        ("mlp", (3,), 16, {"hidden": [4.0]}, "hidden must be a list"),
        ("mlp", (3,), 16, {"hidden": [True]}, "hidden must be a list"),
        ("mlp", (3,), 16, {"hidden": [[4]]}, "hidden must be a list"),
        ("mlp", (), 16, {}, "the shape of an observation must be whole numbers from 1, not ()"),
        ("mlp", 3, 16, {}, "the shape of an observation must be"),
        ("mlp", (3, 0), 16, {}, "the shape of an observation must be"),
        ("mlp", (3, 2.0), 16, {}, "the shape of an observation must be"),
        ("mlp", (3,), 0, {}, "actions must be a whole number from 1, not 0"),
        ("mlp", (3,), "16", {}, "actions must be a whole number"),
        ("board", (42,), 18, {}, "network board sees planes (C, H, W), not (42,)"),
        ("board", (3, 4), 18, {}, "sees planes"),
        ("board", (3, 4, 4), 16, {"channels": 0}, "channels must be a whole number from 1 to 4096, not 0"),
        ("board", (3, 4, 4), 16, {"channels": [64]}, "channels must be a whole number"),
        ("board", (3, 4, 4), 16, {"blocks": -1}, "blocks must be a whole number"),
        ("board", (3, 4, 4), 16, {"head": "linear"}, "head must be one of auto, cells, flat, not 'linear'"),
        ("board", (3, 4, 4), 15, {"head": "cells"}, "an action for each of the 16 cells, not 15"),
        ("neurohex", (722,), 361, {}, "network neurohex sees planes"),
        ("neurohex", (3, 15, 15), 121, {}, "not (3, 15, 15) for 121"),
        ("neurohex", (6, 15, 14), 121, {}, "not (6, 15, 14) for 121"),
        ("neurohex", (6, 4, 4), 1, {}, "not (6, 4, 4) for 1"),
        ("neurohex", (6, 15, 15), 123, {}, "not (6, 15, 15) for 123"),
        ("neurohex", (6, 15, 15), 120, {}, "not (6, 15, 15) for 120"),
        (
            "neurohex",
            (6, 7, 7),
            9,
            {"mix": []},
            "mix must be a list of lists of 2 whole numbers from 0 to 4096, not []",
        ),
        ("neurohex", (6, 7, 7), 9, {"mix": [4, 4]}, "mix must be a list of lists"),
        ("neurohex", (6, 7, 7), 9, {"mix": [[4]]}, "mix must be a list of lists"),
        ("neurohex", (6, 7, 7), 9, {"mix": [[4, 4], [4, -1]]}, "mix must be a list of lists"),
        ("neurohex", (6, 7, 7), 9, {"mix": "44"}, "mix must be a list of lists"),
        ("neurohex", (6, 7, 7), 9, {"mix": [[4, 4], [0, 0]]}, "every layer of mix must have a filter"),
        ("resnet", (34,), 34, {}, "network resnet sees planes"),
        ("resnet", (3, 5, 5), 34, {"layers": 21}, "layers must be 2 more than a multiple of 6, not 21"),
        ("densenet", (3, 5, 5), 34, {"layers": 39}, "layers must be 4 more than a multiple of 6, not 39"),
        ("resnet", (3, 5, 5), 34, {"layers": 4}, "layers must be 2 more than a multiple of 6, not 4"),
        ("resnet", (3, 5, 5), 34, {"layers": 2, "channels": [8]}, "layers must be a whole number from 4"),
        ("resnet", (3, 5, 5), 34, {"channels": []}, "channels must be a list of whole numbers"),
        ("resnet", (3, 5, 5), 34, {"channels": [32, 16, 64]}, "channels may not shrink from stage to stage"),
    ],
)
def test_refusals(name: Any, shape: Any, actions: Any, choices: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BoyiError) as caught:
        build(name, shape, actions, **choices)
    assert complaint in str(caught.value) and "\n" not in str(caught.value)


@every_network
def test_choices_go_through_json(name: str) -> None:
    """A model is described by its name and choices: what is read back builds the same network, defaults written out."""
    shape, actions, choices = SMALL[name]
    for given in ({}, choices, {key: tuple(v) if isinstance(v, list) else v for key, v in choices.items()}):
        net = build(name, shape, actions, **given)
        again = build(name, list(shape), actions, **json.loads(json.dumps(net.choices)))
        assert set(net.choices) == set(NETWORKS[name].params)
        assert again.choices == net.choices == {**net.choices, **json.loads(json.dumps(given))}
        again.load_state_dict(net.state_dict())
        assert torch.equal(again(noise(2, *shape)), net(noise(2, *shape)))


def test_defaults_are_not_shared() -> None:
    """What one network's choices are changed to is no other's default."""
    build("neurohex", (6, 5, 5), 1).choices["mix"][0][0] = 1
    assert build("neurohex", (6, 5, 5), 1).choices["mix"][0] == [80, 48]
    build("resnet", (1, 1, 1), 1).choices["channels"].append(128)
    assert build("resnet", (1, 1, 1), 1).choices["channels"] == [16, 32, 64]


def test_the_head_of_board() -> None:
    """Cells have one set of weights where actions are cells; the choice overrules what their number suggests."""

    def linear(actions: int, **choices: Any) -> list[int]:
        net = build("board", (3, 3, 3), actions, channels=4, **choices)
        return [module.in_features for module in net.modules() if isinstance(module, nn.Linear)]

    everything, pooled = [4 * 9], [2 * 4]
    assert linear(9) == [] and linear(10) == pooled
    assert linear(8) == linear(11) == linear(18) == everything
    assert linear(9, head="flat") == linear(10, head="flat") == everything
    assert linear(18, head="cells") == [] and linear(12, head="cells") == linear(19, head="cells") == pooled


# What values depend on


@every_network
def test_rows_are_independent(name: str) -> None:
    """A row's values are the same whoever else is in the batch, in training too."""
    net = shaken(small(name))
    x, other = noise(6, *net.shape), noise(6, *net.shape, seed=9)
    other[2] = x[2]
    for mode in (True, False):
        net.train(mode)
        assert torch.equal(net(x)[2], net(other)[2])
        torch.testing.assert_close(net(x[2:3])[0], net(x)[2])
    x.requires_grad_(True)
    (gradient,) = torch.autograd.grad(net(x)[2].square().sum(), x)
    assert (gradient.flatten(1) != 0).any(1).tolist() == [row == 2 for row in range(6)]


@every_network
def test_equal_seeds_make_equal_networks(name: str) -> None:
    x = noise(3, *SMALL[name][0])
    net = small(name).eval()
    values = net(x)
    assert torch.equal(values, net(x)) and torch.equal(values, small(name)(x))
    assert not torch.equal(values, small(name, seed=1)(x))
    assert values.dtype == torch.float32 and {p.dtype for p in net.parameters()} == {torch.float32}


def test_moving_everything_moves_the_values_of_cells() -> None:
    """Far from the border, `board` values a shape the same wherever it stands, and the swap likewise."""
    net = shaken(build("board", (2, 20, 20), 401, channels=8, blocks=2))
    shape, x, y = noise(2, 3, 3), torch.zeros(1, 2, 20, 20), torch.zeros(1, 2, 20, 20)
    x[0, :, 8:11, 8:11] = y[0, :, 7:10, 10:13] = shape
    (one, other), (swap, again) = (net(z)[0, :400].view(20, 20) for z in (x, y)), (net(z)[0, 400] for z in (x, y))
    reach = 5  # five convolutions: the stem and two blocks of two
    near = {"rtol": 1e-4, "atol": 1e-4}
    torch.testing.assert_close(
        one[reach:-reach, reach:-reach][1:, :-2], other[reach:-reach, reach:-reach][:-1, 2:], **near
    )
    torch.testing.assert_close(swap, again, **near)
    assert (one[9, 9] - one[5, 14]).abs() > 1e-2


def test_board_reaches_nine_cells() -> None:
    """The default is nine convolutions deep: each cell sees all of Hex 10x10, and most of 11x11."""
    net = shaken(build("board", (1, 21, 21), 441))
    x = noise(1, 1, 21, 21).requires_grad_(True)
    (gradient,) = torch.autograd.grad(net(x)[0, 10 * 21 + 10], x)
    rows, columns = gradient[0, 0].nonzero(as_tuple=True)
    assert (int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())) == (1, 19, 1, 19)


def test_suits_are_seen_alike() -> None:
    """Whoever exchanges suits exchanges what their tiles are worth, and nothing else; honors are no suit."""
    net, x = shaken(small("suits")), noise(2, 3, 4, 9)
    values = net(x)
    for order in ([1, 0, 2], [2, 0, 1]):
        exchanged = net(x[:, :, [*order, 3]])
        assert torch.allclose(exchanged[:, :27].view(2, 3, 9), values[:, :27].view(2, 3, 9)[:, order], atol=1e-5)
        assert torch.allclose(exchanged[:, 27:], values[:, 27:], atol=1e-5)
    assert not torch.allclose(net(x[:, :, [3, 1, 2, 0]])[:, 27:], values[:, 27:], atol=1e-2)
    changed = x.clone()
    changed[:, :, 0] = 0.0
    assert not torch.allclose(net(changed)[:, 9:], values[:, 9:], atol=1e-3)  # a suit depends on the others as well


# How networks start and learn


SEEN = {"neurohex": (6, 15, 15), "suits": (3, 4, 9)}  # by networks that do not see every board


@pytest.mark.parametrize("name", NETWORKS)
def test_values_start_near_zero_but_not_at_it(name: str) -> None:
    """The best of 121 untrained values is no news, yet it is not always the first action's."""
    torch.manual_seed(0)
    shape = SEEN.get(name, (3, 11, 11))
    values = build(name, shape, 121)(noise(8, *shape).round())
    assert values.abs().max() < 0.1 and values.std(dim=1).min() > 1e-5
    assert len(set(values.argmax(1).tolist()) | {0}) > 1


@pytest.mark.parametrize("name", NETWORKS)
def test_depth_keeps_the_signal(name: str) -> None:
    """What enters the last layer is neither gone nor grown after many layers; Glorot's variance would leave 1/1000."""
    torch.manual_seed(0)
    shape = SEEN.get(name, (3, 11, 11))
    choices = {"board": {"blocks": 20, "channels": 16}}.get(name, {})
    net = build(name, shape, 121, **choices)
    last = [module for module in net.modules() if isinstance(module, nn.Linear | nn.Conv2d)][-1]
    seen: list[Tensor] = []
    last.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].detach()))
    x = noise(4, *shape).round()
    net(x)
    assert 0.1 < seen[0].square().mean() / x.square().mean() < 10


@every_network
def test_every_weight_learns(name: str) -> None:
    """A few steps change every layer, also behind the convolutions that start at zero; more halve the error."""
    net = small(name)
    before = [p.detach().clone() for p in net.parameters()]
    trained(net, 3, torch.optim.Adam(net.parameters(), 1e-3))
    for (key, p), old in zip(net.named_parameters(), before, strict=True):
        assert not torch.equal(p, old), key
    losses = trained(net, 80, torch.optim.RMSprop(net.parameters(), 3e-3, alpha=0.9, eps=1e-6))
    assert losses[-1] < losses[0] / 2


def test_a_block_starts_as_its_shortcut() -> None:
    """With stride 2 that is every other cell, and channels of zeros behind those there were (He et al., option A)."""
    x = noise(2, 3, 5, 4)
    assert torch.equal(Block(3, 3, 1, 9)(x), x)
    halved = Block(3, 5, 2, 9)(x)
    assert halved.shape == (2, 5, 3, 2)
    assert torch.equal(halved[:, :3], x[:, :, [0, 2, 4]][:, :, :, [0, 2]]) and (halved[:, 3:] == 0).all()
    # Fixup: of nine blocks, each begins with a third of He's deviation and ends with zeros.
    wide = Block(64, 64, 1, 9)
    assert wide.first.weight.std().item() == pytest.approx((2 / (64 * 9)) ** 0.5 / 3, rel=0.02)
    assert (wide.second.weight == 0).all() and (wide.second.bias == 0).all() and (wide.first.bias == 0).all()


def test_torch_is_imported_for_networks_alone() -> None:
    """The package does not import torch, and networks nothing heavy but torch."""
    code = (
        "import sys, boyi.baselines; a = 'torch' in sys.modules or 'boyi.baselines.learning.networks' in sys.modules;"
        "import boyi.baselines.learning.networks;"
        "b = [m for m in ('stable_baselines3', 'numba', 'scipy') if m in sys.modules];"
        "print(a, b)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False []"
