"""All that a learner's next step depends on, as arrays and JSON facts: what a checkpoint holds."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import torch

from ..wrappers.sb3 import SB3VecEnv
from .dqn import DQN

Arrays = dict[str, np.ndarray]
Facts = dict[str, Any]

COUNTERS = (
    "num_timesteps", "_n_calls", "_n_updates", "_episode_num", "_total_timesteps", "_current_progress_remaining",
    "exploration_rate",
)  # fmt: skip


def pack(model: DQN) -> tuple[Arrays, Facts]:
    """Gather the arrays and facts of a learner between two rounds of its loop."""
    replay, size = model.replay_buffer, model.replay_buffer.size()
    arrays: Arrays = {}
    for name, net in (("online", model.q_net), ("target", model.q_net_target)):
        arrays |= _named(name, {key: tensor.detach().cpu().numpy() for key, tensor in net.state_dict().items()})
    for index, slots in model.policy.optimizer.state_dict()["state"].items():
        arrays |= _named(
            f"optimizer/{index}", {key: torch.as_tensor(slot).cpu().numpy() for key, slot in slots.items()}
        )
    for name, memory in (("observations", replay.observations), ("next_observations", replay.next_observations)):
        arrays |= _named(f"replay/{name}", {key: values[:size] for key, values in memory.items()})
    for name in ("actions", "rewards", "dones", "factors"):
        arrays[f"replay/{name}"] = getattr(replay, name)[:size]
    assert isinstance(model.env, SB3VecEnv)
    arrays |= _named("env", model.env.snapshot())
    if model._last_obs is not None:
        assert isinstance(model._last_obs, dict)
        arrays |= _named("last", model._last_obs)
    if model._turns is not None:
        arrays |= _named("turns", model._turns.snapshot())
    facts = {
        "counters": {name: getattr(model, name) for name in COUNTERS},
        "episodes": list(model.ep_info_buffer or ()),
        "rng": model.rng.bit_generator.state,
        "replay": {"pos": replay.pos, "full": replay.full, "rng": replay.rng.bit_generator.state},
    }
    return arrays, facts


def unpack(model: DQN, arrays: Arrays, facts: Facts) -> None:
    """Put a learner of the same config where `pack` found another."""
    for name, net in (("online", model.q_net), ("target", model.q_net_target)):
        net.load_state_dict({key: torch.from_numpy(array) for key, array in _under(name, arrays).items()})
    optimizer = model.policy.optimizer.state_dict()
    optimizer["state"] = {}
    for key, array in _under("optimizer", arrays).items():
        index, slot = key.split("/")
        optimizer["state"].setdefault(int(index), {})[slot] = torch.from_numpy(array)
    model.policy.optimizer.load_state_dict(optimizer)
    model.replay_buffer.restore(_under("replay", arrays), facts["replay"])
    assert isinstance(model.env, SB3VecEnv)
    model.env.restore(_under("env", arrays))
    model._last_obs = _under("last", arrays) or None
    if model._turns is not None:
        model._turns.restore(_under("turns", arrays))
    for name, value in facts["counters"].items():
        setattr(model, name, value)
    model.ep_info_buffer = deque(facts["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    model.rng.bit_generator.state = facts["rng"]


def _named(prefix: str, arrays: Arrays) -> Arrays:
    return {f"{prefix}/{key}": array for key, array in arrays.items()}


def _under(prefix: str, arrays: Arrays) -> Arrays:
    return {key.removeprefix(f"{prefix}/"): array for key, array in arrays.items() if key.startswith(f"{prefix}/")}
