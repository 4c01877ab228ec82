"""Environments played side by side."""

from typing import Any

import numpy as np
import pytest
import toy
from gymnasium.vector import AutoresetMode

from boyi.envs import find, games

SHIPPED = [find(name).spec for name in games()]


SPECS = [*SHIPPED, toy.SPEC]


SEEN = [(spec, encoder) for spec in SPECS for encoder in spec.encoders]


zeros = pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros:UserWarning")


every_encoder = pytest.mark.parametrize(
    ("spec", "encoder"),
    [
        pytest.param(spec, encoder, marks=zeros if encoder == "flat" else (), id=f"{spec.name}-{encoder}")
        for spec, encoder in SEEN
    ],
)


def lot(mask: np.ndarray, *numbers: int) -> int:
    """Draw a legal action, the same one for the same numbers."""
    return int(np.random.default_rng(numbers).choice(np.flatnonzero(mask)))


def same(a: Any, b: Any) -> bool:
    """Compare what environments return, dicts and arrays alike, types included."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def follow(vector: Any, singles: list[Any], seed: int, episodes: int = 3) -> None:
    """Play a vector environment beside single ones until every row has ended some games, and compare all they say."""
    ended, count, t = np.zeros(len(singles), bool), np.zeros(len(singles), int), 0
    observations, infos = vector.reset(seed=seed)
    current = [single.reset(seed=seed + i) for i, single in enumerate(singles)]
    mode = vector.metadata["autoreset_mode"]
    same_step = mode is AutoresetMode.SAME_STEP

    def compare() -> None:
        for i, (observation, info) in enumerate(current):
            assert same({key: value[i] for key, value in observations.items()}, observation)
            assert {key: np.asarray(infos[key][i]).tolist() for key in info} == {
                key: np.asarray(value).tolist() for key, value in info.items()
            }
            assert infos["_action_mask"][i]

    while True:
        compare()
        if mode is AutoresetMode.DISABLED and ended.any():
            observations, infos = vector.reset(options={"reset_mask": ended.copy()})
            for i in np.flatnonzero(ended):
                current[i] = singles[i].reset()
            for i in np.flatnonzero(~ended):
                current[i][1].pop("returns", None)
            ended[:] = False
            compare()
        if (count >= episodes).all():
            return
        actions = np.array([0 if ended[i] else lot(infos["action_mask"][i], i, t) for i in range(len(singles))])
        observations, rewards, over, cut, infos = vector.step(actions)
        for i, single in enumerate(singles):
            answer = (0.0, False, False)
            if ended[i]:
                current[i] = single.reset()
            else:
                observation, *answer, info = single.step(actions[i])
                current[i] = observation, info
            assert (rewards[i], over[i], cut[i]) == tuple(answer)
            done = any(answer[1:])
            assert ("returns" in current[i][1]) == done
            assert ("returns" in infos and infos["_returns"][i]) == (done and not same_step)
            assert ("final_obs" in infos and infos["_final_obs"][i]) == (done and same_step)
            if done and same_step:
                assert same(infos["final_obs"][i], current[i][0])
                assert infos["final_info"]["seat"][i] == current[i][1]["seat"]
                assert same(infos["final_info"]["returns"][i], current[i][1]["returns"])
                assert infos["final_info"]["_returns"][i]
                current[i] = single.reset()
            ended[i] = done and not same_step
            count[i] += done
        t += 1
