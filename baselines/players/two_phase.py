"""`two_phase`: one agent for the layout of Jiu, another for its battle; `program_c`, alpha-beta in both.

That is how the published system S3 is built: its program B lays its stones out with a network, and is measured against
program C, which searches four turns deep in both phases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param, check_params
from ...envs.engine.view import View
from ...envs.jiu.constants import LAYOUT
from ..agent import Agent, Team

PROGRAM_C = "alphabeta:depth=4"
"""The search of program C, with a table of positions; its window of a million either way holds every evaluation."""


class TwoPhase(Team):
    """Asks one agent in the layout of Jiu and another in the battle."""

    name = "two_phase"
    params = {
        "layout": Param(PROGRAM_C, "agent that puts the stones of the layout"),
        "battle": Param(PROGRAM_C, "agent that plays the battle"),
    }

    def __init__(self, layout: Agent, battle: Agent) -> None:
        halves = {"layout": layout, "battle": battle}
        super().__init__(**{half: str(halves[half]) for half in self.params})
        self.members = list(halves.values())

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> TwoPhase:
        """Make the agent of the two that its string names."""
        given = check_params(cls.name, cls.params, values)
        return cls(*(make(given.get(half, PROGRAM_C)) for half in TwoPhase.params))

    def fit(self, game: Game) -> None:
        if game.name != "jiu":
            raise BoyiError(f"{self.name} plays the two phases of jiu, layout and battle, which {game} does not have")
        super().fit(game)

    def act(self, view: View) -> np.ndarray:
        """Ask each agent once, about all the games in its phase."""
        view.check()
        self.fit(view.game)
        return self.ask(view, np.where(view.states["phase"] == LAYOUT, 0, 1))


class ProgramC(TwoPhase):
    """Program C of S3: alpha-beta to a depth of four turns in both phases."""

    name = "program_c"
    params = {}
