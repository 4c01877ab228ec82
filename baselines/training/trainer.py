"""What a run asks of the algorithm that learns in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..agent import Agent
from .config import Config

Arrays = dict[str, np.ndarray]
Figures = dict[str, float]


class Trainer(ABC):
    """A learner made from a config, driven round by round; between two of them it can be packed and go on elsewhere."""

    unit: ClassVar[str]
    """What its steps are, for the axis of a picture."""
    watched: ClassVar[tuple[str, ...]]
    """The figures of the log that somebody who watches wants to see, besides scores."""
    moves: np.ndarray
    """How often it has played each action (actions,) int64."""

    @abstractmethod
    def __init__(self, config: Config, device: str) -> None: ...

    @property
    @abstractmethod
    def steps(self) -> int:
        """Steps so far."""

    @abstractmethod
    def train(self, between: Callable[[], None]) -> None:
        """Go on to the config's steps, and call `between` before each round; an exception from that ends it."""

    @abstractmethod
    def figures(self) -> Figures:
        """Say how learning has gone since the last call."""

    @abstractmethod
    def agent(self) -> Agent:
        """Return an agent that plays what has been learned so far."""

    @abstractmethod
    def export(self, path: Path) -> None:
        """Write what agents play from."""

    @abstractmethod
    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        """Gather, between two rounds, all that the next step depends on: arrays, and facts as JSON holds them."""

    @abstractmethod
    def unpack(self, arrays: Arrays, facts: dict[str, Any], where: str) -> None:
        """Bring a new trainer of the same config to the state that `pack` gathered; `BoyiError` for any other data."""
