"""Models of other libraries play as they are: shown games as they have learned them, masked, many at once."""

import sys
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

import boyi  # noqa: F401 - registers the ids
from boyi.baselines import DQN, evaluate, make_agent
from boyi.baselines.agents import make_vector_env
from boyi.baselines.players.models import RLlibModel, SB3Model, TorchRLModel, library_of
from boyi.envs import Batch, BoyiError, SelfPlayWarning
from boyi.wrappers import HistoryStack, SB3VecEnv

HEX = "hex:board_size=3"
pytestmark = pytest.mark.usefixtures("one_thread")


def ppo(wrap: Any = None, **options: Any) -> MaskablePPO:
    env = gym.make("boyi/Hex-v0", board_size=3, **options)
    env = env if wrap is None else wrap(env, 2)
    return MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=8, seed=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layout": "flat"},
        {"layout": "hwc", "encoder": "oriented"},
        {"keys": ("obs", "mask")},
        {"mask_dtype": "bool", "encoder": "neurohex"},
    ],
    ids=str,
)
def test_a_model_sees_what_it_saw_when_it_learned(options: dict[str, Any]) -> None:
    """Its likeliest action is what its own `predict` says in the environment it has learned in."""
    model = ppo(**options)
    env: Any = gym.make("boyi/Hex-v0", board_size=3, opponent=model, seat=0, **options)
    agent = make_agent(model, HEX)
    assert isinstance(agent, SB3Model) and str(agent) == "MaskablePPO"
    observation, _ = env.reset(seed=1)
    for _ in range(2):
        expected, _ = model.predict(observation, action_masks=env.unwrapped.action_masks(), deterministic=True)
        assert agent.action(env) == expected
        observation, _, over, _, _ = env.step(expected)
        assert not over
    # Without its environment it is known by what its observations are like, or by what is said of them.
    model.env = None
    look = {key: value for key, value in options.items() if key in ("encoder", "layout")}
    expected, _ = model.predict(observation, action_masks=env.unwrapped.action_masks(), deterministic=True)
    assert make_agent(model, HEX, **look).action(env) == expected


def test_opponents_draw_what_contestants_play_surely() -> None:
    model = ppo()
    batch = Batch(HEX, 200, seed=0)
    assert len(set(make_agent(model, HEX).act(batch.view()).tolist())) == 1
    env = make_vector_env(HEX, 200, model, seat=1)
    env.reset(seed=0)
    assert len(set(env.batch.states["last"].tolist())) == 9
    env.set_opponent(make_agent(model))
    env.reset(seed=0)
    assert len(set(env.batch.states["last"].tolist())) == 1


def test_models_are_evaluated_as_they_are() -> None:
    learner = DQN("MlpPolicy", SB3VecEnv("boyi/Hex-v0", 2, opponent="self", board_size=3), buffer_size=100)
    result = evaluate(ppo(), HEX, ["random", learner], games=4)
    assert [pairing.wins + pairing.losses for pairing in result.pairings] == [4, 4]
    assert result.pairings[0].agent == "MaskablePPO"


def test_a_model_without_masks_loses_where_it_plays_what_is_illegal() -> None:
    env = gym.make("boyi/Hex-v0", board_size=3)
    model = PPO("MultiInputPolicy", env, n_steps=16, batch_size=8, seed=0)
    agent = make_agent(model, HEX)
    batch = Batch(HEX, 2, seed=0)
    favourite = int(agent.act(batch.view())[0])
    batch.step([favourite, (favourite + 1) % 9])
    batch.step(batch.sample())
    actions = agent.act(batch.view())
    assert set(agent.faults) == set(np.flatnonzero(actions < 0))
    assert all("chose the illegal action" in why for why in agent.faults.values())
    result = evaluate(model, HEX, ["random"], games=10)
    assert result.pairings[0].wins < 10


@pytest.mark.parametrize(
    ("make", "game"),
    [
        (lambda: ppo(), "hex:board_size=4"),
        (lambda: ppo(wrap=HistoryStack), HEX),
        (lambda: PPO("MlpPolicy", "CartPole-v1"), HEX),
    ],
)
@pytest.mark.filterwarnings("ignore:.*truncated mini-batch:UserWarning")
def test_a_model_that_sees_something_else_does_not_play(make: Any, game: str) -> None:
    with pytest.raises(BoyiError, match=r"the model sees .*which no encoder and layout of hex.* gives"):
        make_agent(make(), game)


# Libraries that are not installed here: what they have is imitated as far as it is used.


class Logits:
    """An RLlib module that likes high actions, the illegal ones included."""

    def __init__(self, n: int) -> None:
        self.observation_space = gym.make(
            "boyi/Hex-v0", board_size=3, keys=("observations", "action_mask")
        ).observation_space
        self.n = n

    def forward_inference(self, batch: Any) -> Any:
        import torch

        seen = batch["obs"]
        assert set(seen) == {"observations", "action_mask"} and seen["action_mask"].dtype == torch.float32
        return {"action_dist_inputs": torch.arange(self.n).repeat(len(seen["observations"]), 1)}


def test_an_rllib_algorithm_is_asked_for_its_module() -> None:
    batch = Batch(HEX, 3, seed=0)
    batch.step([8, 8, 1])
    for model in (Logits(9), SimpleNamespace(get_module=lambda: Logits(9))):
        assert RLlibModel(model).act(batch.view()).tolist() == [7, 7, 8]
    drawn = RLlibModel(Logits(9), sampling=True).act(Batch(HEX, 300, seed=0).view())
    assert len(set(drawn.tolist())) > 2


def test_a_torchrl_policy_reads_and_writes_tensordicts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    class Mode:
        RANDOM, DETERMINISTIC = "random", "deterministic"

    class Interaction:
        def __init__(self, how: str) -> None:
            told.append(how)

        def __enter__(self) -> None: ...

        def __exit__(self, *error: Any) -> None: ...

    class TensorDict(dict[str, Any]):
        def __init__(self, values: Any, batch_size: list[int]) -> None:
            super().__init__(values)
            assert all(len(value) == batch_size[0] for value in values.values())

    tensordict, nn = ModuleType("tensordict"), ModuleType("tensordict.nn")
    tensordict.TensorDict = TensorDict  # type: ignore[attr-defined]
    nn.InteractionType, nn.set_interaction_type = Mode, Interaction  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tensordict", tensordict)
    monkeypatch.setitem(sys.modules, "tensordict.nn", nn)

    def last_legal(seen: Any) -> Any:
        import torch

        assert seen["observation"].shape[1:] == (27,) and seen["action_mask"].dtype == torch.bool
        action = 8 - seen["action_mask"].flip(1).int().argmax(1)
        return {**seen, "action": torch.nn.functional.one_hot(action, 9) if one_hot else action}

    batch = Batch(HEX, 2, seed=0)
    batch.step([8, 0])
    for one_hot in (False, True):  # noqa: B007 - the policy reads it
        assert TorchRLModel(last_legal, layout="flat").act(batch.view()).tolist() == [7, 8]
    TorchRLModel(last_legal, layout="flat", sampling=True).act(batch.view())
    assert told == ["deterministic", "deterministic", "random"]


@pytest.mark.parametrize(
    ("module", "kind"),
    [("sb3_contrib.x", SB3Model), ("torchrl.modules", TorchRLModel), ("ray.rllib.y", RLlibModel), ("mine", None)],
)
def test_a_model_is_known_by_its_library(module: str, kind: Any) -> None:
    base = type("Base", (), {"__module__": module})
    assert library_of(type("Own", (base,), {})()) is kind


# How callables see


def test_callables_are_shown_what_they_ask_for() -> None:
    seen: list[Any] = []

    def policy(observation: Any, mask: np.ndarray | None = None) -> int:
        seen.append(observation if mask is None else (observation, mask))
        return int((observation["mask"] if mask is None else mask).argmax())

    evaluate(policy, HEX, ["random"], games=2)
    assert seen[0][0].shape == (3, 3, 3) and seen[0][1].shape == (9,)
    seen.clear()
    evaluate(policy, HEX, ["random"], games=2, layout="flat", encoder="neurohex")
    assert seen[0][0].shape == (6 * 49,)
    seen.clear()
    evaluate(policy, HEX, ["random"], games=2, layout="hwc", keys=("seen", "mask"))
    assert seen[0].keys() == {"seen", "mask"} and seen[0]["seen"].shape == (3, 3, 3)


def test_actions_are_those_of_the_frame_that_is_seen() -> None:
    """Where an encoder turns the board, the mask and the action are turned with it."""

    def straight(observation: np.ndarray, mask: np.ndarray) -> int:
        return int(mask.argmax())

    env: Any = gym.make("boyi/Hex-v0", board_size=3, encoder="oriented", opponent="self")
    env.reset(seed=0)
    agent = make_agent(straight, encoder="oriented")
    for _ in range(4):
        action = agent.action(env)
        assert action == env.unwrapped.action_masks().argmax()
        env.step(action)


def test_looks_are_for_callables_and_checked() -> None:
    with pytest.raises(BoyiError, match="encoder, layout and keys are for callables and models, and there are none"):
        evaluate("random", HEX, ["random"], games=2, layout="flat")
    for look, says in (
        ({"layout": "wide"}, "unknown layout 'wide'"),
        ({"encoder": "eyes"}, "unknown encoder of hex 'eyes'"),
        ({"keys": ("a",)}, "keys are two different names"),
    ):
        with pytest.raises(BoyiError, match=says):
            evaluate(lambda observation, mask: 0, HEX, ["random"], games=2, **look)  # type: ignore[arg-type]


# Self-play


@pytest.mark.parametrize(
    "make", [lambda: gym.make("boyi/Hex-v0", opponent="self"), lambda: gym.make_vec("boyi/Hex-v0", 2, opponent="self")]
)
def test_self_play_says_at_once_what_it_is(make: Any) -> None:
    with pytest.warns(SelfPlayWarning, match=r"opponent='self': .*set_opponent\(model\) seats any learner"):
        make()


def test_a_learner_that_knows_its_seats_is_not_warned() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SelfPlayWarning)
        env = SB3VecEnv("boyi/Hex-v0", 2, opponent="self", board_size=3)
        DQN("MlpPolicy", env, buffer_size=100, learning_starts=4).learn(8)
        SB3VecEnv("boyi/Hex-v0", 2, opponent="random", board_size=3).reset()
    env = SB3VecEnv("boyi/Hex-v0", 2, opponent="self", board_size=3)
    with pytest.warns(SelfPlayWarning):
        MaskablePPO("MultiInputPolicy", env, n_steps=4, batch_size=8).learn(8)


def test_a_learner_plays_itself() -> None:
    """It is asked for the other seat's decisions as it stands then, and its next state is its own next decision."""
    env = SB3VecEnv("boyi/Hex-v0", 4, board_size=3, seat="random")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=4, batch_size=8, seed=0)
    asked = []
    predict = model.predict

    def spy(observation: Any, **options: Any) -> Any:
        asked.append((len(observation["observation"]), options["deterministic"]))
        return predict(observation, **options)

    model.predict = spy  # type: ignore[method-assign]
    env.set_opponent(model)
    model.learn(64)
    assert len(asked) >= 16 and {deterministic for _, deterministic in asked} == {False}
    assert max(rows for rows, _ in asked) == 4
