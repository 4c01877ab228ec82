"""What a network computes with when searches ask it."""

from typing import Any

import pytest
import torch

from boyi.baselines.learning.network_evaluator import HEAVY, NetworkEvaluator, multiplications
from boyi.baselines.learning.policy_value import build_policy_value
from boyi.envs import find

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
