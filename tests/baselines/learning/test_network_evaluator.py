"""What a network computes with when searches ask it."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from boyi.baselines.learning import network_evaluator
from boyi.baselines.learning.network_evaluator import HEAVY, NetworkEvaluator, multiplications, multiplies_bfloat16
from boyi.baselines.learning.openvino_network import Planned
from boyi.baselines.learning.policy_value import build_policy_value
from boyi.baselines.learning.recorded import rounded
from boyi.envs import Batch, find

MLP: dict[str, Any] = {"hidden": [8, 16]}
BOARD: dict[str, Any] = {"channels": 4, "blocks": 1, "pool": 0, "hidden": 6}


def test_multiplications_are_counted_by_hand() -> None:
    mlp = build_policy_value("mlp", (42,), 18, **MLP)
    assert multiplications(mlp, (42,)) == 42 * 8 + 8 * 16 + 16 * 18 + 16 * 1
    board = build_policy_value("board", (5, 3, 3), 9, **BOARD)
    convolutions = 9 * (5 * 4 * 9 + 2 * 4 * 4 * 9 + 4 * 1)
    assert multiplications(board, (5, 3, 3)) == convolutions + 8 * 6 + 6 * 1
    assert next(board.parameters()).device.type == "cpu"


@pytest.mark.parametrize(("multiplies", "names"), [(True, ["float32", "bfloat16"]), (False, ["float32"] * 2)])
@pytest.mark.parametrize("way", ["_is_amx_tile_supported", "_is_avx512_bf16_supported"])
def test_bfloat16_is_for_heavy_calls_where_it_is_multiplied(
    monkeypatch: pytest.MonkeyPatch, way: str, multiplies: bool, names: list[str]
) -> None:
    for each in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"):
        monkeypatch.setattr(torch.cpu, each, lambda each=each: multiplies and each == way)
    game = find("einstein")
    net = build_policy_value("mlp", game.shape("policy42"), game.actions, **MLP)
    enough = -(-HEAVY // multiplications(net, (42,)))
    found = [NetworkEvaluator(game, net, "policy42", rows=rows).dtype for rows in (enough - 1, enough)]
    assert found == [getattr(torch, name) for name in names]
    for name in ("float32", "bfloat16"):
        assert NetworkEvaluator(game, net, "policy42", precision=name, rows=enough).dtype == getattr(torch, name)


def test_a_torch_that_cannot_tell_what_is_quicker_computes_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"):
        monkeypatch.delattr(torch.cpu, each)
    assert not multiplies_bfloat16()


def changed(net: nn.Module) -> nn.Module:
    """Give a network weights that say something."""
    torch.manual_seed(1)
    with torch.no_grad():
        for weights in net.parameters():
            weights.copy_(0.3 * torch.randn_like(weights))
    return net


@pytest.mark.parametrize(
    ("name", "game", "encoder", "choices"),
    [
        ("board", "hex:board_size=5", "oriented", {"channels": 8, "blocks": 2, "pool": 2, "auxiliary": True}),
        ("board", "hex:board_size=5,swap=true", "planes", {"channels": 8, "blocks": 1}),
        ("mlp", "einstein", "policy42", {"hidden": [16]}),
        ("policy42_value36", "einstein", "policy42", {}),
        ("layout", "jiu:board_size=6", "layout4", {"channels": [4, 8]}),
    ],
)
def test_openvino_says_what_torch_says(name: str, game: str, encoder: str, choices: dict[str, Any]) -> None:
    shape, actions = find(game).shape(encoder), find(game).actions
    net = build_policy_value(name, shape, actions, **choices).eval()
    planned = Planned(net, shape, torch.float32, 1)
    for one in (net, changed(net)):
        planned.refresh(one)
        for m in (1, 7, 64):
            x = np.random.default_rng(m).random((m, *shape), np.float32)
            with torch.inference_mode():
                wanted = one(torch.from_numpy(x))
            for said, part in zip(planned(x), wanted, strict=True):
                assert said.shape == part.shape and np.allclose(said, part.numpy(), atol=1e-4, rtol=1e-3)
    plan = planned._request
    planned.refresh(net)
    assert planned._request is plan  # planning takes longer than comparing
    x = np.random.default_rng(0).random((9, *shape), np.float32)
    coarse = Planned(net, shape, torch.bfloat16, 1)(x)
    assert np.allclose(coarse[1], planned(x)[1], atol=0.1)
    for twin in (planned, pickle.loads(pickle.dumps(planned))):
        assert all(np.array_equal(first, second) for first, second in zip(planned(x), twin(x), strict=True))


def test_auto_takes_openvino_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find("hex:board_size=4")
    net = changed(build_policy_value("board", game.shape("planes"), 16, **BOARD))
    batch = Batch(game, 20, seed=1, encoder=None)
    batch.step(batch.sample())
    view = batch.view()
    asked: list[int] = []
    call = Planned.__call__
    monkeypatch.setattr(Planned, "__call__", lambda self, x: asked.append(len(x)) or call(self, x))
    judges = [NetworkEvaluator(game, net, "planes", precision=name) for name in ("auto", "float32", "bfloat16")]
    monkeypatch.setattr(network_evaluator, "installed", lambda: False)
    judges.append(NetworkEvaluator(game, net, "planes"))
    found = [judge.evaluate(view.states, view.seat) for judge in judges]
    assert asked == [20] and judges[0].spent > 0
    for priors, values in found:
        assert np.allclose(priors, found[1][0], atol=0.1) and np.allclose(values, found[1][1], atol=0.1)
    assert np.array_equal(found[3][0], found[1][0])
    # What the network has learned since, it says after a refresh.
    with torch.no_grad():
        for weights in net.parameters():
            weights.zero_()
    assert np.array_equal(judges[0].evaluate(view.states, view.seat)[0], found[0][0])
    judges[0].refresh(net)
    priors, values = judges[0].evaluate(view.states, view.seat)
    assert np.allclose(priors[view.mask != 0], 1 / 15) and not values.any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_says_what_the_cpu_says() -> None:
    """Recorded for every size of a call, and by the newest weights; several at once, each on a stream of its own."""
    game = find("hex:board_size=5")
    net = build_policy_value("board", game.shape("planes"), 25, **BOARD)
    judges = [NetworkEvaluator(game, net, "planes", device="cuda", precision="float32") for _ in range(4)]
    plain = NetworkEvaluator(game, net, "planes", precision="float32")
    changed(net)
    for judge in (plain, *judges):
        judge.refresh(net)
    batch = Batch(game, 100, seed=1, encoder=None)
    for m in (100, 3, 64, 1, 100):
        batch.step(batch.sample())
        view = batch.view(np.arange(m))
        wanted = plain.evaluate(view.states, view.seat)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda judge, view=view: judge.evaluate(view.states, view.seat), judges):
                assert all(np.allclose(*pair, atol=1e-2) for pair in zip(found, wanted, strict=True))


def test_sizes_that_are_recorded_are_few() -> None:
    assert [rounded(m) for m in (1, 8, 9, 16, 17, 500, 512, 513)] == [8, 8, 16, 16, 32, 512, 512, 1024]
