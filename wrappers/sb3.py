"""`SB3VecEnv`: the native vector environment in the form that stable-baselines3 and sb3-contrib train on.

Their algorithms take it as it is: masks are in the observation, and `MaskablePPO` finds its ``action_masks``. All games
are stepped by one call, so hundreds of them cost little more than one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from ..envs.engine.errors import SELF_PLAY, BoyiError, SelfPlayWarning
from ..envs.engine.schema import ArrayForm, fit_arrays
from ..envs.engine.spec import Game
from ..envs.faces.gym import GameVectorEnv
from .vector.scale import ScaleReward

Observation = dict[str, np.ndarray]


class SB3VecEnv(VecEnv):
    """Adapts a vector environment of boyi, wrapped or not, or makes one from an id.

    ``SB3VecEnv("boyi/Hex-v0", 256, opponent="self", board_size=5)`` or ``SB3VecEnv(gym.make_vec(...))``, under
    SAME_STEP. A row's info holds ``seat`` and ``to_move`` and, when its game has ended, ``returns``,
    ``terminal_observation`` and ``episode``: its length and the learner's return, in self-play seat 0's.
    """

    reset_infos: list[dict[str, Any]]

    def __init__(self, env: VectorEnv[Any, Any, Any] | str, num_envs: int | None = None, **options: Any) -> None:
        if isinstance(env, str):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SelfPlayWarning)  # who learns here is not known yet
                env = gymnasium.make_vec(env, 1 if num_envs is None else num_envs, **options)
        elif options or num_envs is not None:
            raise BoyiError("SB3VecEnv: num_envs and options go with an id, an environment already has its own")
        if not isinstance(env, VectorEnv) or not isinstance(env.unwrapped, GameVectorEnv):
            raise BoyiError(f"SB3VecEnv wants a vector environment of boyi or its id, not {type(env).__name__}")
        if env.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise BoyiError(
                'SB3VecEnv needs autoreset_mode="same_step": SB3 reads the next game at the end of the last'
            )
        self.env = env
        self.self_play: bool = env.unwrapped.self_play
        self.by_seats: bool = not self.self_play
        """Whether the learner knows whose rewards and observations it is given, as boyi's DQN does."""
        self._actions: np.ndarray | None = None
        self._lengths = np.zeros(env.num_envs, np.int64)
        self._returns = np.zeros(env.num_envs)
        self._started = time.perf_counter()
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Observation:
        """Start a game in every row, with the seeds given to `seed`, if any."""
        seeds = None if self._seeds[0] is None else [int(seed) for seed in self._seeds if seed is not None]
        observation, info = self.env.reset(seed=seeds)  # type: ignore[arg-type]
        self._reset_seeds()
        self._reset_options()
        self._lengths[:] = 0
        self._returns[:] = 0
        self.reset_infos = self._infos(info)
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        if not self.by_seats:
            warnings.warn(SELF_PLAY, SelfPlayWarning, stacklevel=2)
            self.by_seats = True
        self._actions = actions

    def step_wait(self) -> tuple[Observation, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step with the actions given to `step_async`."""
        assert self._actions is not None
        observation, rewards, over, cut, info = self.env.step(self._actions)
        infos, done = self._infos(info), over | cut
        self._lengths += 1
        self._returns += rewards
        for i in np.flatnonzero(done):
            self.reset_infos[i] = infos[i]
            infos[i] = self._last_info(info, int(i), truncated=bool(cut[i] and not over[i]))
        self._lengths[done] = 0
        self._returns[done] = 0
        return observation, rewards.astype(np.float32), done, infos

    @staticmethod
    def _infos(info: dict[str, Any]) -> list[dict[str, Any]]:
        seats, movers = info["seat"].tolist(), info["to_move"].tolist()
        return [{"seat": seat, "to_move": mover} for seat, mover in zip(seats, movers, strict=True)]

    def _last_info(self, info: dict[str, Any], i: int, *, truncated: bool) -> dict[str, Any]:
        """Gather what SB3 is told when the game in row i has ended."""
        final = info["final_info"]
        returns = final["returns"][i]
        earned = float(returns[0]) if self.self_play else round(float(self._returns[i]), 6)
        passed = round(time.perf_counter() - self._started, 6)
        return {
            "seat": int(final["seat"][i]),
            "to_move": -1,
            "returns": returns,
            "terminal_observation": info["final_obs"][i],
            "TimeLimit.truncated": truncated,
            "episode": {"r": earned, "l": int(self._lengths[i]), "t": passed},
        }

    def set_opponent(self, opponent: Any) -> None:
        """Let somebody else play the other seats, as `GameVectorEnv.set_opponent` does: the learner itself, perhaps."""
        self._reach("set_opponent")(opponent)

    def observe_as(self, seats: np.ndarray) -> Observation:
        """Observe every row, and mask its actions, from the given seats (n,), to move or not."""
        return self._reach("observe_as")(seats)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Gather all that the games' future depends on, by name, as `GameVectorEnv.snapshot` does."""
        return {"lengths": self._lengths, "earned": self._returns, **self._reach("snapshot")()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `snapshot` gathered in an environment like this one; `BoyiError` for anything else."""
        forms = {
            "lengths": ArrayForm((self.num_envs,), (np.int64,), 0),
            "earned": ArrayForm((self.num_envs,), (np.float64,)),
        }
        fit_arrays({name: arrays[name] for name in forms if name in arrays}, forms, "the snapshot")
        self._reach("restore")(arrays)
        self._lengths, self._returns = arrays["lengths"].copy(), arrays["earned"].copy()

    def close(self) -> None:
        self.env.close()

    # What SB3 asks of single environments, though there are none: one answer for all, or one a row.

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        return self._spread(self._reach(attr_name), indices)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        raise BoyiError(f"SB3VecEnv: {attr_name} cannot be set in single rows, set it on the vector environment")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        answer = self._reach(method_name)(*method_args, **method_kwargs)
        if isinstance(answer, np.ndarray) and len(answer) == self.num_envs:
            return [answer[i] for i in self._get_indices(indices)]
        return self._spread(answer, indices)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        return self._spread(False, indices)

    def get_images(self) -> Sequence[np.ndarray | None]:
        raise BoyiError("SB3VecEnv: the vector environment draws nothing; render a single one")

    def _spread(self, answer: Any, indices: VecEnvIndices) -> list[Any]:
        return [answer for _ in self._get_indices(indices)]

    def _reach(self, name: str) -> Any:
        """Find an attribute on the environment or on what it wraps."""
        env: Any = self.env
        while not hasattr(env, name) and hasattr(env, "env"):
            env = env.env
        return getattr(env, name)


def game_of(env: VecEnv) -> Game | None:
    """Find the game that an environment of boyi plays; None for anybody else's."""
    try:
        game = env.get_attr("game")[0]
    except AttributeError:
        return None
    return game if isinstance(game, Game) else None


def plays_itself(env: VecEnv) -> bool:
    """Whether the learner decides for every seat."""
    return game_of(env) is not None and bool(env.get_attr("self_play")[0])


def reward_scale(env: VecEnv) -> float:
    """Find what the wrappers of an environment multiply a game's returns by."""
    scale, inner = 1.0, getattr(env, "env", None)
    while inner is not None:
        if isinstance(inner, ScaleReward):
            scale *= inner.factor
        inner = getattr(inner, "env", None)
    return scale
