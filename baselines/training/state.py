"""All that a learner's next step depends on, as arrays and facts: what a checkpoint holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import torch
from gymnasium import spaces
from msgspec.structs import asdict
from torch import nn

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import ArrayForm, Form, Whole, fit, fit_arrays
from ...wrappers.sb3 import SB3VecEnv
from ..learning.chain import Chain
from ..learning.dqn import DQN
from ..learning.model_agent import tensor_forms
from ..learning.replay import Replay
from ..learning.turns import Turns

Arrays = dict[str, np.ndarray]
Forms = dict[str, ArrayForm]

SLOTS = {"adam": ("exp_avg", "exp_avg_sq"), "rmsprop": ("square_avg",)}
"""What an optimizer keeps of each weight, besides the number of its steps."""


class Counters(Form, frozen=True, kw_only=True):
    """Where SB3's loop is, by the names of the learner's attributes."""

    num_timesteps: Whole
    _n_calls: Whole
    _n_updates: Whole
    _episode_num: Whole
    _total_timesteps: Whole
    _current_progress_remaining: Annotated[float, msgspec.Meta(le=1.0)]
    exploration_rate: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Episode(Form, frozen=True, kw_only=True):
    """A finished game as SB3 is told of it: return, length, seconds since the start."""

    r: float
    l: Whole  # noqa: E741 - SB3's name
    t: float


class Twist(Form, frozen=True, kw_only=True):
    """The two numbers of a PCG64 generator."""

    state: int
    inc: int

    def __post_init__(self) -> None:
        if not (0 <= self.state < 2**128 and 0 <= self.inc < 2**128 and self.inc % 2):
            raise ValueError("a state of PCG64 is two numbers of 128 bits, the second one odd")


class Generator(Form, frozen=True, kw_only=True):
    """The state of a NumPy generator, as NumPy gives it."""

    bit_generator: Literal["PCG64"]
    state: Twist
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, msgspec.Meta(ge=0, lt=2**32)]

    @classmethod
    def of(cls, rng: np.random.Generator) -> Generator:
        """Read where a generator is."""
        return msgspec.convert(rng.bit_generator.state, cls)

    def put(self, rng: np.random.Generator) -> None:
        """Let a generator go on from here."""
        rng.bit_generator.state = msgspec.to_builtins(self)


class Memory(Form, frozen=True, kw_only=True):
    """Where a replay memory goes on: at `pos`, over the oldest transition once it is `full`."""

    pos: Whole
    full: bool
    rng: Generator


class State(Form, frozen=True, kw_only=True):
    """The facts of a learner."""

    counters: Counters
    episodes: list[Episode]
    rng: Generator
    replay: Memory


def pack_weights(networks: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer) -> Arrays:
    """Gather the weights of networks, by name, and what an optimizer keeps of those that it changes."""
    arrays: Arrays = {}
    for name, net in networks.items():
        arrays |= named(name, {key: tensor.detach().cpu().numpy() for key, tensor in net.state_dict().items()})
    for index, slots in optimizer.state_dict()["state"].items():
        kept = {key: torch.as_tensor(slot).cpu().numpy() for key, slot in slots.items() if slot is not None}
        arrays |= named(f"optimizer/{index}", kept)
    return arrays


def unpack_weights(networks: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Put back what `pack_weights` gathered."""
    for name, net in networks.items():
        net.load_state_dict({key: torch.from_numpy(array) for key, array in under(name, arrays).items()})
    found = optimizer.state_dict()
    found["state"] = {}
    for key, array in under("optimizer", arrays).items():
        index, slot = key.split("/")
        found["state"].setdefault(int(index), {})[slot] = torch.from_numpy(
            array.reshape(()) if slot == "step" else array
        )
    optimizer.load_state_dict(found)


def pack(model: DQN) -> tuple[Arrays, State]:
    """Gather the arrays and facts of a learner between two rounds of its loop."""
    replay, size = model.replay_buffer, model.replay_buffer.size()
    arrays = pack_weights(networks(model), model.policy.optimizer)
    for name, memory in (("observations", replay.observations), ("next_observations", replay.next_observations)):
        arrays |= named(f"replay/{name}", {key: values[:size] for key, values in memory.items()})
    for name in ("actions", "rewards", "dones", "factors", *["priorities"] * bool(replay.prioritized)):
        arrays[f"replay/{name}"] = getattr(replay, name)[:size]
    assert isinstance(model.env, SB3VecEnv) and isinstance(model._last_obs, dict)
    arrays |= named("env", model.env.snapshot()) | named("last", model._last_obs)
    for name, keeper in keepers(model).items():
        arrays |= named(name, keeper.snapshot())
    counters = {name: getattr(model, name) for name in Counters.__struct_fields__}
    facts = State(
        counters=fit(counters, Counters, "the learner"),
        episodes=fit(list(model.ep_info_buffer or ()), list[Episode], "the learner"),
        rng=Generator.of(model.rng),
        replay=Memory(pos=replay.pos, full=replay.full, rng=Generator.of(replay.rng)),
    )
    return arrays, facts


def unpack(model: DQN, arrays: Arrays, facts: State, where: str) -> None:
    """Bring a learner of the same config to the state that `pack` gathered; `BoyiError` for any other data."""
    assert isinstance(model.env, SB3VecEnv)
    if facts.replay.pos >= model.replay_buffer.buffer_size:
        raise BoyiError(f"{where} is damaged: its replay memory goes on at {facts.replay.pos}, past its end")
    fit_arrays(arrays, forms(model, facts), where)
    try:
        model.env.restore(under("env", arrays))
    except BoyiError as error:
        raise BoyiError(f"{where} is damaged: {error}") from None
    unpack_weights(networks(model), model.policy.optimizer, arrays)
    model.replay_buffer.restore(under("replay", arrays), facts.replay.pos, full=facts.replay.full)
    model._last_obs = under("last", arrays)
    for name, keeper in keepers(model).items():
        keeper.restore(under(name, arrays))
    for name, value in asdict(facts.counters).items():
        setattr(model, name, value)
    model.ep_info_buffer = deque((asdict(episode) for episode in facts.episodes), maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    facts.rng.put(model.rng)
    facts.replay.rng.put(model.replay_buffer.rng)


def networks(model: DQN) -> dict[str, nn.Module]:
    """Return the networks of a learner."""
    found: dict[str, nn.Module] = {"online": model.q_net, "target": model.q_net_target}
    return {**found, "average": model.playing} if model.average else found


def keepers(model: DQN) -> dict[str, Turns | Chain]:
    """Return what keeps decisions of a learner that are no transitions yet."""
    found = {"turns": model._turns, "chain": model._chain}
    return {name: keeper for name, keeper in found.items() if keeper is not None}


def forms(model: DQN, facts: State) -> Forms:
    """Describe what `pack` gathers of a learner like this one that is as far on as the facts say."""
    assert isinstance(model.env, SB3VecEnv)
    space, n = model.observation_space, model.env.num_envs
    assert isinstance(space, spaces.Dict) and isinstance(model.action_space, spaces.Discrete)
    actions = int(model.action_space.n)
    found: Forms = {}
    for name, net in networks(model).items():
        found |= named(name, tensor_forms(net.state_dict()))
    if facts.counters._n_updates:
        found |= named("optimizer", _slot_forms(model))
    found |= named("replay", _memory_forms(model.replay_buffer, space, actions, facts.replay))
    found |= named("env", {name: ArrayForm(a.shape, (a.dtype,)) for name, a in model.env.snapshot().items()})
    found |= named("last", _observation_forms(space, (n,)))
    for name, keeper in keepers(model).items():
        found |= named(name, _kept_forms(keeper, space, actions, begun=facts.counters.num_timesteps > 0))
    return found


def _slot_forms(model: DQN) -> Forms:
    found: Forms = {}
    for index, weights in enumerate(model.q_net.parameters()):
        found[f"{index}/step"] = ArrayForm((1,), (np.float32,), low=0)  # a number by itself is written as a list
        for slot in SLOTS[model.optimizer]:
            low = 0 if slot.endswith("_sq") or slot.startswith("square") else -np.inf
            found[f"{index}/{slot}"] = ArrayForm(tuple(weights.shape), (np.float32,), low)
    return found


def _memory_forms(replay: Replay, space: spaces.Dict, actions: int, facts: Memory) -> Forms:
    size = replay.buffer_size if facts.full else facts.pos
    found: Forms = {}
    for name, memory in (("observations", replay.observations), ("next_observations", replay.next_observations)):
        seen = _observation_forms(space, (size, 1))
        # Zeros and ones are kept in bytes, which `Replay` widens when something else comes.
        found |= named(name, {key: seen[key]._replace(dtypes=(memory[key].dtype, *seen[key].dtypes)) for key in seen})
    found["actions"] = ArrayForm((size, 1, 1), (replay.actions.dtype,), 0, actions - 1)
    found["rewards"] = ArrayForm((size, 1), (np.float32,))
    found["dones"] = ArrayForm((size, 1), (np.float32,), 0, 1)
    found["factors"] = ArrayForm((size, 1), (np.float32,), -1, 1)
    if replay.prioritized:
        found["priorities"] = ArrayForm((size,), (np.float32,), np.finfo(np.float32).tiny)
    return found


def _kept_forms(keeper: Turns | Chain, space: spaces.Dict, actions: int, *, begun: bool) -> Forms:
    found = named("observations", _observation_forms(space, keeper.shape)) if begun else {}
    found["open"] = ArrayForm(keeper.shape, (np.bool_,))
    found["actions"] = ArrayForm(keeper.shape, (np.int64,), 0, actions - 1)
    found["rewards"] = ArrayForm(keeper.shape, (np.float32,))
    if isinstance(keeper, Chain):
        found["weights"] = ArrayForm(keeper.shape, (np.float32,), -1, 1)
        found["place"] = ArrayForm((1,), (np.int64,), 0, keeper.shape[0] - 1)
    return found


def _observation_forms(space: spaces.Dict, lead: tuple[int, ...]) -> Forms:
    found: Forms = {}
    for key, box in space.spaces.items():
        assert isinstance(box, spaces.Box)
        found[key] = ArrayForm((*lead, *box.shape), (box.dtype,), float(box.low.min()), float(box.high.max()))
    return found


def named(prefix: str, parts: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}/{key}": part for key, part in parts.items()}


def under(prefix: str, arrays: Arrays) -> Arrays:
    return {key.removeprefix(f"{prefix}/"): array for key, array in arrays.items() if key.startswith(f"{prefix}/")}
