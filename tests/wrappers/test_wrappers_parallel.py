"""`TurnBasedParallel`: PettingZoo's checkers pass, and nobody who waits can do or learn anything."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import toy
from playing import SPECS, every_encoder, lot, same

from boyi.baselines import make_agent
from boyi.envs import BoyiError, Spec, gomoku_v0, hex_v0
from boyi.envs.faces.aec import AEC
from boyi.wrappers import TurnBasedParallel

with warnings.catch_warnings():
    # It imports one of PettingZoo's own games, in a way that PettingZoo has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test, parallel_seed_test

every_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
places = pytest.mark.parametrize("mask_in", ["obs", "info"])


@places
@every_encoder
def test_pettingzoo_accepts_it(spec: Spec, encoder: str, mask_in: str) -> None:
    parallel_api_test(TurnBasedParallel(AEC(spec, encoder=encoder, mask_in=mask_in)), num_cycles=100)
    parallel_seed_test(lambda: TurnBasedParallel(AEC(spec, encoder=encoder, mask_in=mask_in)), num_cycles=100)


def masks(observations: dict[str, Any], infos: dict[str, Any]) -> dict[str, np.ndarray]:
    return {
        agent: seen["action_mask"] if isinstance(seen, dict) else infos[agent]["action_mask"]
        for agent, seen in observations.items()
    }


@places
@every_spec
def test_only_the_movers_action_counts(spec: Spec, mask_in: str) -> None:
    env, alone = TurnBasedParallel(AEC(spec, mask_in=mask_in)), AEC(spec)
    observations, infos = env.reset(seed=3)
    alone.reset(seed=3)
    rng, ended = np.random.default_rng(0), False
    while not ended:
        movers = [agent for agent in env.agents if infos[agent]["to_move"]]
        assert movers == [alone.agent_selection]
        for agent, mask in masks(observations, infos).items():
            assert mask.dtype == np.int8
            if agent in movers:
                assert same(mask, alone.observe(agent)["action_mask"])
            else:
                # A masked policy is certain of it: probability 1, no entropy, no gradient.
                assert mask.tolist() == [1] + [0] * (mask.size - 1)
        actions = {agent: int(rng.integers(99)) for agent in env.agents}
        actions[movers[0]] = lot(masks(observations, infos)[movers[0]], 2)
        alone.step(actions[movers[0]])
        observations, rewards, over, cut, infos = env.step(actions)
        assert env.aec_env.batch.states.tobytes() == alone.batch.states.tobytes()
        assert (rewards, over, cut) == (alone.rewards, alone.terminations, alone.truncations)
        for agent in env.possible_agents:
            mine = observations[agent]["observation"] if mask_in == "obs" else observations[agent]
            assert same(mine, alone.observe(agent)["observation"])
        ended = not env.agents
    assert set(over.values()) == {True}
    assert all(mask.any() for mask in masks(observations, infos).values())
    assert not any(info["to_move"] for info in infos.values())


@places
def test_what_is_handed_out_is_fresh(mask_in: str) -> None:
    env = TurnBasedParallel(hex_v0.env(board_size=3, mask_in=mask_in))
    observations, infos = env.reset(seed=0)
    kept = copy.deepcopy((observations, infos))
    results = env.step({"player_0": 4, "player_1": 0})
    env.step({"player_0": 0, "player_1": 5})
    assert same(observations, kept[0]) and same(infos, kept[1])
    results[1]["player_0"] = 9.0
    results[4]["player_0"]["mine"] = True
    _, rewards, *_, infos = env.step({"player_0": 3, "player_1": 0})
    assert rewards == {"player_0": 0.0, "player_1": 0.0} and "mine" not in infos["player_0"]


def test_copies_go_on_alike_and_apart() -> None:
    env = TurnBasedParallel(gomoku_v0.env(board_size=5))
    env.reset(seed=0)
    env.step({"player_0": 12, "player_1": 0})
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.step({"player_0": 0, "player_1": 3})
        assert twin.aec_env.batch.states["ply"][0] == 2 and env.aec_env.batch.states["ply"][0] == 1


def test_an_agent_plays_in_it_and_it_draws() -> None:
    env = TurnBasedParallel(hex_v0.env(board_size=3, render_mode="ansi"))
    agent = make_agent("random")
    env.reset(seed=0)
    while env.agents:
        env.step(dict.fromkeys(env.agents, agent.action(env)))
    assert "has won" in env.render()
    env.close()


def test_wrong_use_is_one_sentence() -> None:
    env = TurnBasedParallel(hex_v0.env(board_size=3, illegal="raise"))
    with pytest.raises(BoyiError, match="no game is running; call reset"):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(BoyiError, match="player_0 is to move, but no action is given for it"):
        env.step({"player_1": 0})
    with pytest.raises(BoyiError, match="action 9 is not legal"):
        env.step({"player_0": 9, "player_1": 0})
    with pytest.raises(BoyiError, match="TurnBasedParallel wraps an AEC environment of boyi, not str"):
        TurnBasedParallel("hex")  # type: ignore[arg-type]
    assert env.metadata["is_parallelizable"] and not AEC(toy.SPEC).metadata["is_parallelizable"]
