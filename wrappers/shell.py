"""What all wrappers of single environments share; their work is written for rows, and a single game is one row."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.engine.errors import BoyiError, is_whole, shown
from ..envs.faces.frame import Frame
from ..envs.faces.gym import GameEnv, GameVectorEnv
from ..envs.faces.seating import Seating

Observation = dict[str, np.ndarray]
Info = dict[str, Any]


def seating_of(env: Any, wrapper: str, kind: type[GameEnv] | type[GameVectorEnv]) -> Seating:
    """Find the seating under an environment; `BoyiError` when it is not one of boyi's of the right kind."""
    base = getattr(env, "unwrapped", env)
    if not isinstance(base, kind):
        other = isinstance(base, GameEnv | GameVectorEnv)
        home = "boyi.wrappers" if kind is GameVectorEnv else "boyi.wrappers.vector"
        hint = f"; {home} has the wrapper for this one" if other else ""
        many = "vector" if kind is GameVectorEnv else "single"
        raise BoyiError(f"{wrapper} wraps a {many} Gymnasium environment of boyi, not {type(base).__name__}{hint}")
    return base.seating


def box_of(space: spaces.Space[Any], frame: Frame, wrapper: str) -> spaces.Box:
    """Find the Box of what is seen in a frame's Dict; `BoyiError` when another wrapper changed that."""
    if not isinstance(space, spaces.Dict) or set(space) != set(frame.keys):
        raise BoyiError(f"{wrapper} must stand below wrappers that change what an observation consists of")
    box = space[frame.keys[0]]
    assert isinstance(box, spaces.Box)
    return box


def whole_number(wrapper: str, name: str, value: Any, low: int) -> int:
    """Check a whole number that is at least `low`."""
    if not is_whole(value, low):
        raise BoyiError(f"{wrapper}: {name} must be a whole number, at least {low}, not {shown(value)}")
    return int(value)


def channels_first(frame: Frame, length: int) -> np.ndarray:
    """Number the entries of `length` stacked observations as if they were flattened chw, in the frame's layout."""
    size = int(np.prod(frame.shape))
    numbers = np.arange(length * size).reshape(length, *frame.shape)
    return join(frame, [frame.arrange(each) for each in numbers]).ravel()


def join(frame: Frame, observations: list[np.ndarray]) -> np.ndarray:
    """Join observations in the frame's layout, or rows of them (m, …), along the channels; vectors end to end."""
    lead = observations[0].ndim - (1 if frame.layout == "flat" else len(frame.shape))
    last = frame.layout == "hwc" and len(frame.shape) == 3
    return np.concatenate(observations, axis=-1 if last else lead)


class Shell(gymnasium.Wrapper[Observation, int, Observation, int], RecordConstructorArgs):
    """A wrapper of a single environment: remembers its arguments, and passes on the masks that sb3-contrib asks for."""

    def __init__(self, env: gymnasium.Env[Observation, int], **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        self.seating: Seating = seating_of(env, type(self).__name__, GameEnv)
        gymnasium.Wrapper.__init__(self, env)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as booleans (actions,)."""
        return self.env.get_wrapper_attr("action_masks")()
