"""`two_phase`: one agent for the layout of Jiu, another for its battle; `program_c`, alpha-beta in both.

That is how the published system S3 is built: its program B lays its stones out with a network, and is measured against
program C, which searches four turns deep in both phases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param, check_params, find
from ...envs.engine.view import View, copied
from ...envs.jiu.constants import LAYOUT
from ..agent import Agent, Team

PROGRAM_C = "alphabeta:depth=4,quiescence=0,width=all"
"""The search of program C: it follows every legal move, none beyond the depth, with a table of positions; its window of
a million either way holds every evaluation.
"""


class TwoPhase(Team):
    """Asks one agent in the layout of Jiu and another in the battle.

    An agent that plays the layout alone, as ``jiu:layout_only=true``, is asked as if the game ended with it.
    """

    name = "two_phase"
    params = {
        "layout": Param(PROGRAM_C, "agent that puts the stones of the layout"),
        "battle": Param(PROGRAM_C, "agent that plays the battle"),
    }

    def __init__(self, layout: Agent, battle: Agent) -> None:
        halves = {"layout": layout, "battle": battle}
        super().__init__(**{half: str(halves[half]) for half in self.params})
        self.members = list(halves.values())
        self.whole: Game | None = None
        self.told: Game | None = None
        """The game that the agent of the layout is told it plays."""

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> TwoPhase:
        """Make the agent from the two that its string names."""
        given = check_params(cls.name, cls.params, values)
        return cls(*(make(given.get(half, PROGRAM_C)) for half in TwoPhase.params))

    def fit(self, game: Game) -> None:
        if game.name != "jiu":
            raise BoyiError(f"{self.name} plays the two phases of jiu, layout and battle, which {game} does not have")
        if game != self.whole:
            self.whole, self.told = game, self._fit_layout(game)
        self.members[1].fit(game)

    def _fit_layout(self, game: Game) -> Game:
        """Return the game that the agent of the layout fits: the whole one, or its layout."""
        try:
            self.members[0].fit(game)
        except BoyiError as refused:
            alone = find(game, layout_only=True)
            try:
                self.members[0].fit(alone)
            except BoyiError:
                raise refused from None
            return alone
        return game

    def act(self, view: View) -> np.ndarray:
        """Ask each agent once, about all the games in its phase."""
        view.check()
        self.fit(view.game)
        return self.ask(view, np.where(view.states["phase"] == LAYOUT, 0, 1))

    def shown(self, member: int, part: View) -> View:
        if member or self.told in (None, part.game):
            return part
        states = copied(part.states)
        states["layout_only"] = True
        return part._replace(game=self.told, states=states)


class ProgramC(TwoPhase):
    """Program C of S3: alpha-beta to a depth of four turns in both phases."""

    name = "program_c"
    params = {}
