"""`two_phase`: one agent for the layout of Jiu, another for its battle; `program_c`, alpha-beta in both.

That is how the published system S3 is built: its program B lays its stones out with a network, and is measured against
program C, which searches four turns deep in both phases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.errors import BoyiError
from ..envs.jiu.record import LAYOUT
from ..envs.spec import Game, Param
from ..envs.view import View
from .agent import Team

PROGRAM_C = "alphabeta:depth=4"
"""The search of program C, with a table of positions; its window of a million either way holds every evaluation."""


class TwoPhase(Team):
    """Asks one agent in the layout of Jiu and another in the battle."""

    name = "two_phase"
    params = {
        "layout": Param(PROGRAM_C, "agent that puts the stones of the layout"),
        "battle": Param(PROGRAM_C, "agent that plays the battle"),
    }

    def __init__(self, **values: Any) -> None:
        from .opponents import make_agent  # which knows this class

        super().__init__(**values)
        self.members = [make_agent(self.values.get(half, PROGRAM_C)) for half in ("layout", "battle")]

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
