"""Networks with two heads: shapes, sizes, and what they are built for."""

from typing import Any

import pytest
import torch

from boyi.baselines.learning.policy_value import POLICY_VALUE, build_policy_value
from boyi.envs import BoyiError, find

FITTING: list[tuple[str, str, str, dict[str, Any]]] = [
    ("board", "hex:board_size=5", "planes", {"channels": 8, "blocks": 3, "pool": 2}),
    ("board", "hex:board_size=5,swap=true", "planes", {"channels": 8, "blocks": 1, "pool": 0}),
    ("board", "einstein", "planes", {"channels": 8, "blocks": 1, "pool": 1, "hidden": 4}),
    ("mlp", "einstein", "policy42", {"hidden": [16]}),
    ("mlp", "gomoku:board_size=5", "planes", {}),
    ("layout", "jiu", "layout4", {"channels": [4, 8]}),
    ("policy42_value36", "einstein", "policy42", {}),
]


@pytest.mark.parametrize(("name", "game", "encoder", "choices"), FITTING)
def test_two_heads(name: str, game: str, encoder: str, choices: dict[str, Any]) -> None:
    torch.manual_seed(0)
    shape, actions = find(game).shape(encoder), find(game).actions
    net = build_policy_value(name, shape, actions, **choices)
    x = torch.rand(7, *shape)
    logits, values = net(x)
    assert logits.shape == (7, actions) and values.shape == (7,)
    # Quiet at first: an even policy, and every position worth next to nothing.
    assert logits.softmax(1).max() < 1.2 / actions and values.abs().max() < 0.1
    # A position is judged by itself, whoever else is in the batch.
    one, value = net(x[3:4])
    assert torch.allclose(one[0], logits[3], atol=1e-5) and torch.allclose(value[0], values[3], atol=1e-5)
    (logits.square().sum() + values.square().sum()).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


def test_a_layout_is_judged_by_a_number_for_each_point() -> None:
    """The first 196 of Jiu's actions put a stone on a point; those of the battle are as likely as nothing at all."""
    net = build_policy_value("layout", find("jiu").shape("layout4"), find("jiu").actions)
    logits = net(torch.rand(3, 4, 14, 14))[0]
    assert logits[:, :196].count_nonzero() == 3 * 196 and not logits[:, 196:].any()
    assert max(weights.shape[0] for weights in net.parameters()) == 196


def test_every_network_is_tried() -> None:
    assert {name for name, *_ in FITTING} == POLICY_VALUE.keys()


def test_a_board_of_any_size_takes_the_same_weights() -> None:
    choices = {"channels": 8, "blocks": 2, "pool": 1}
    small, large = (build_policy_value("board", (3, n, n), n * n, **choices) for n in (5, 9))
    large.load_state_dict(small.state_dict())
    logits, values = large(torch.rand(2, 3, 9, 9))
    assert logits.shape == (2, 81) and values.shape == (2,)


def test_looking_over_the_board_carries_news_further_than_convolutions() -> None:
    """A stone in one corner is felt in the other by a block that pools, and by no other so shallow."""
    for pool, felt in ((0, False), (1, True)):
        torch.manual_seed(1)
        net = build_policy_value("board", (3, 15, 15), 225, channels=8, blocks=1, pool=pool, head="cells")
        for weights in net.parameters():
            torch.nn.init.normal_(weights, std=0.3)
        x = torch.zeros(2, 3, 15, 15)
        x[1, 0, 0, 0] = 5.0
        logits = net(x)[0]
        assert bool((logits[0, -1] - logits[1, -1]).abs() > 1e-6) == felt


def test_the_published_networks_have_the_published_sizes() -> None:
    """S5: 42-20-20-20-18 and 36-20-20-20-1; the value does not see the die."""
    net = build_policy_value("policy42_value36", (42,), 18)
    shapes = {name: tuple(tensor.shape) for name, tensor in net.state_dict().items() if name.endswith("weight")}
    assert sorted(shapes.values()) == sorted(
        [(20, 42), (20, 20), (20, 20), (18, 20), (20, 36), (20, 20), (20, 20), (1, 20)]
    )
    x = torch.rand(1, 42)
    other = x.clone()
    other[:, 36:] = 1 - other[:, 36:]
    assert net(x)[1] == net(other)[1] == net.values(x)
    assert (net(x)[0] != net(other)[0]).any()


@pytest.mark.parametrize(
    ("name", "shape", "actions", "choices", "says"),
    [
        ("boards", (3, 5, 5), 25, {}, "unknown network 'boards'"),
        ("board", (42,), 18, {}, r"network board sees planes \(C, H, W\), not \(42,\)"),
        ("board", (3, 5, 5), 18, {"head": "cells"}, "head=cells wants an action for each of the 25 cells, not 18"),
        ("board", (3, 5, 5), 25, {"channels": 0}, "channels must be a whole number from 1"),
        ("policy42_value36", (36,), 18, {}, "sees EinStein by the encoder policy42"),
        ("layout", (4, 8, 8), 64, {"filters": 3}, "unknown parameter of network layout 'filters'"),
        ("mlp", (42,), 18, {"hidden": 16}, "hidden must be a list of whole numbers"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, shape: Any, actions: int, choices: dict[str, Any], says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        build_policy_value(name, shape, actions, **choices)
