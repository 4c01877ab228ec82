"""What all wrappers of vector environments share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode

from ...envs.faces.gym import GameVectorEnv
from ...envs.faces.seating import Seating
from ..shell import Observation, seating_of

if TYPE_CHECKING:
    VectorWrapper = gymnasium.vector.VectorWrapper[Observation, np.ndarray, Observation, np.ndarray, np.ndarray]
    VectorEnv = gymnasium.vector.VectorEnv[Observation, np.ndarray, np.ndarray]
else:
    # Gymnasium's is generic only in its later versions.
    VectorWrapper = gymnasium.vector.VectorWrapper
    VectorEnv = gymnasium.vector.VectorEnv


class VectorShell(VectorWrapper, RecordConstructorArgs):
    """A wrapper of a vector environment: remembers its arguments, and passes on what is boyi's own."""

    def __init__(self, env: VectorEnv, **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        self.seating: Seating = seating_of(env, type(self).__name__, GameVectorEnv)
        gymnasium.vector.VectorWrapper.__init__(self, env)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """How another game follows in a row whose game has ended."""
        mode: AutoresetMode = self.metadata["autoreset_mode"]
        return mode

    def inner(self, name: str) -> Any:
        """Find an attribute on the environment within or on what it wraps: Gymnasium looks only into single ones."""
        env: Any = self.env
        while not hasattr(env, name) and hasattr(env, "env"):
            env = env.env
        return getattr(env, name)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as booleans (n, actions)."""
        return self.inner("action_masks")()

    def observe_as(self, seats: np.ndarray) -> Observation:
        """Observe every row from the given seats (n,), as `GameVectorEnv.observe_as` does."""
        return self.inner("observe_as")(seats)

    def set_opponent(self, opponent: Any) -> None:
        """Let somebody else play the other seats, from their next decision on."""
        self.seating.set_opponent(opponent)
