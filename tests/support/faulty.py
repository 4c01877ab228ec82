"""Opponents that fail when they are told to, and the faces of learners, all of them played in one way."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boyi.baselines.agent import RandomAgent
from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import BoyiError, View
from boyi.envs.faces.gym import GameEnv, GameVectorEnv
from boyi.wrappers import SB3VecEnv

GAMES = ["hex:board_size=3", "einstein:board_size=3,stones=2", "mahjong"]
SEED, STEPS = 7, 5
FAULTS: tuple[type[BaseException], ...] = (ZeroDivisionError, KeyboardInterrupt, BoyiError)
REFUSED = "the last step or reset did not finish, so the game cannot go on; call reset\\(\\) first"

Fault = Callable[[View], Any]


class Faulty(RandomAgent):
    """Plays at random from the games' streams, but at its decision number `at` does what `fault` says."""

    def __init__(self, fault: Fault | None = None, at: int = 0) -> None:
        super().__init__()
        self.fault, self.at, self.asked = fault, at, 0

    def act(self, view: View) -> np.ndarray:
        self.asked += 1
        if self.fault is not None and self.asked == self.at:
            answer: np.ndarray = self.fault(view)
            return answer
        return super().act(view)


def fail(view: View) -> Any:
    raise ZeroDivisionError("in the middle")


def raising(error: type[BaseException]) -> Fault:
    def fault(view: View) -> Any:
        raise error("in the middle")

    return fault


# The faces, played in one way


def sb3(game: str, opponent: Any, **options: Any) -> SB3VecEnv:
    return SB3VecEnv(make_vector_env(game, 3, opponent, **options))


FACES: dict[str, Callable[..., Any]] = {
    "single": make_env,
    "same step": lambda game, opponent, **options: make_vector_env(game, 3, opponent, **options),
    "next step": lambda game, opponent, **options: make_vector_env(
        game, 3, opponent, autoreset_mode="NextStep", **options
    ),
    "sb3": sb3,
}
every_game = pytest.mark.parametrize("game", GAMES)
every_face = pytest.mark.parametrize("face", FACES)
every_seat = pytest.mark.parametrize("seat", [0, 1, "random"])


def base(env: Any) -> GameEnv | GameVectorEnv:
    return env.env.unwrapped if isinstance(env, SB3VecEnv) else env.unwrapped


def content(env: Any) -> bytes:
    """All that a face's games are: positions, chance, seeds, and the learner's seats."""
    arrays = base(env).batch.snapshot()
    return b"".join(arrays[name].tobytes() for name in sorted(arrays)) + base(env).seating.seats.tobytes()


def start(env: Any, seed: int | None = SEED) -> Any:
    """Reset a face; return what it says of the seats."""
    if isinstance(env, SB3VecEnv):
        if seed is not None:
            env.seed(seed)
        env.reset()
        return [info["seat"] for info in env.reset_infos]
    return np.asarray(env.reset(seed=seed)[1]["seat"]).tolist()


def masks(env: Any) -> np.ndarray:
    found = env.env_method("action_masks") if isinstance(env, SB3VecEnv) else env.action_masks()
    return np.asarray(found)


def act(env: Any, t: int) -> Any:
    """Play legal actions that depend on the position and on `t`; return what comes of them."""
    legal = masks(env)
    rows = np.atleast_2d(legal)
    chosen = np.array([np.flatnonzero(row)[t % row.sum()] if row.any() else 0 for row in rows])
    if isinstance(env, SB3VecEnv):
        _, rewards, done, infos = env.step(chosen)
        return rewards.tolist(), done.tolist(), [info["seat"] for info in infos]
    _, rewards, over, cut, info = env.step(chosen if legal.ndim == 2 else int(chosen[0]))
    return [np.asarray(each).tolist() for each in (rewards, over, cut, info["seat"])]


def go_on(env: Any, steps: int = STEPS) -> list[Any]:
    """Play some steps, in a single environment with a new game after each; tell everything."""
    told = []
    for t in range(steps):
        if isinstance(env, GameEnv) and not masks(env).any():
            told.append(start(env, None))
        told += [act(env, t), content(env), masks(env).tolist()]
    return told


def life(env: Any) -> list[Any]:
    return [start(env), content(env), *go_on(env)]


def check_refused(env: Any) -> None:
    """Nothing but a reset leads on, nothing is touched, and copies are no way out."""
    before = content(env)
    nothing = np.zeros(3, np.int64)
    calls: list[Callable[[Any], Any]] = [lambda env: env.step(0), masks]
    if not isinstance(env, GameEnv):
        calls = [lambda env: env.step(nothing), lambda env: base(env).observe_as(nothing), masks]
        calls.append(lambda env: base(env).snapshot())
    for each in (env, copy.deepcopy(env)):
        for call in calls:
            with pytest.raises(BoyiError, match=REFUSED):
                call(each)
        assert content(each) == before
