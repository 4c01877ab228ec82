"""A position of an environment that somebody else steps: it is looked at, and replaced by the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.protocol import CUT
from ...envs.engine.spec import Game
from ...envs.records.game_record import Ending, GameRecord
from .story import Story


class Scene(Story):
    """A position as a seat sees it, or all of it; what led to it is not known here."""

    def __init__(self, game: Game, state: np.void, viewer: int | None) -> None:
        self.game, self.states, self.viewer = game, [state.copy()], viewer
        self.labels = [f"player_{seat}" for seat in range(game.seats)]

    def done(self) -> list[tuple[int, int]]:
        return []

    @property
    def closed(self) -> bool:
        return self.viewer is not None and self.game.spec.hidden and int(self.states[0]["to_move"]) >= 0

    @property
    def returns(self) -> list[float] | None:
        return None

    def message(self) -> dict[str, Any]:
        mover = int(self.states[0]["to_move"])
        ended = Ending.UNFINISHED if mover >= 0 else Ending.CUT if mover == CUT else Ending.OVER
        return {
            **self.told(ended, ""),
            **self.unplayed(),
            "setup": {"game": str(self.game), "seats": self.labels, "seed": None, "clock": None},
            "turn": None if mover < 0 or self.closed else mover,
            "over": mover < 0,
        }

    def record(self) -> GameRecord:
        raise BoyiError("nothing but its position is known here of a game that somebody else steps")
