"""What games of the arena begin with: actions drawn from their seed, at random or until a judge considers them even.

After a few random stones of Gomoku, the seat that begins wins nine games of ten: half of every pair is decided before
anybody has chosen an action. If a judge first looks for even positions, more is left to the agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError, is_number, is_whole, shown
from ...envs.engine.facts import facts
from ...envs.engine.rng import choose
from ...envs.engine.spec import Game
from ..agent import Agent, blame, check_duel
from ..agents import AgentLike, make_agent

MARGIN = 0.2  # by how much the expected return of an even position may differ from that of a draw
LOTS = 1 << 16  # the purpose of the stream that draws the first opening of a seed; the next opening has the next one
TRIES = 200  # openings that are drawn for a seed before giving up


class Openings:
    """Openings of `actions` actions; with `even`, ones in which a judge expects at most `margin` for either seat.

    The `judge` is anything that `make_agent` takes and that says what a position is worth; None: the game's own. The
    margin refers to returns from -1 to 1.
    """

    def __init__(
        self,
        game: Game,
        actions: int = 0,
        *,
        even: bool = False,
        judge: AgentLike | None = None,
        margin: float = MARGIN,
    ) -> None:
        if not is_whole(actions, 0):
            raise BoyiError(f"opening must be a whole number of actions, at least 0, not {shown(actions)}")
        if even and not actions:
            raise BoyiError("even openings need a number of actions, at least 1: --opening N")
        if not is_number(margin, 0) or margin > 1:
            raise BoyiError(f"margin must be a number from 0 to 1, not {shown(margin)}")
        self.game, self.actions, self.margin = game, actions, float(margin)
        self.judge: Agent | None = None
        if even:
            check_duel(game, "openings cannot be even in")
            self.judge = make_agent(facts(game).judge if judge is None else judge, game)
        self.drawn: dict[int, list[int]] = {}
        """The openings of seeds that have been asked for."""

    def __str__(self) -> str:
        if self.judge is None:
            return f"{self.actions} random" if self.actions else ""
        return f"{self.actions} random, within {self.margin:g} of even for {self.judge}"

    def of(self, seed: int) -> list[int]:
        """Return the actions that the game of a seed begins with."""
        if not self.actions:
            return []
        if seed not in self.drawn:
            self.drawn[seed] = self._random(seed) if self.judge is None else self._even(seed, self.judge)
        return self.drawn[seed]

    def keep(self, seed: int, actions: Sequence[int]) -> None:
        """Take the opening of a seed from a game that has been played on it."""
        self.drawn[seed] = list(actions[: self.actions])

    @cached_property
    def batch(self) -> Batch:
        """The one game in which openings are drawn."""
        return Batch(self.game, 1, 0, encoder=None, history=True)

    def _random(self, seed: int) -> list[int]:
        batch, actions = self.batch, list[int]()
        batch.reset([seed])
        while len(actions) < self.actions:
            actions.append(int(batch.sample()[0]))
            batch.step(np.array(actions[-1:]))
            if batch.to_move[0] < 0:
                raise BoyiError(
                    f"{self.game}: an opening of {self.actions} actions leaves nothing to decide: "
                    f"the game of seed {seed} is over after {len(actions)}"
                )
        return actions

    def _even(self, seed: int, judge: Agent) -> list[int]:
        for number in range(TRIES):
            batch, actions = self.batch, list[int]()
            batch.reset([seed])
            lots = np.array([batch.game_keys(purpose=LOTS + number)[0], 0], np.uint64)
            while len(actions) < self.actions and batch.to_move[0] >= 0:
                actions.append(int(bind(choose, self.game)(batch.mask[0], lots)))
                batch.step(np.array(actions[-1:]))
            if batch.to_move[0] >= 0:
                # The opening's own number is the episode: a judge remembers nothing of the one before.
                view = batch.view()._replace(episode=np.array([number]))
                with blame(judge):
                    value = judge.value(view)
                if abs(value) <= self.margin:
                    return actions
        raise BoyiError(
            f"{self.game}: of {TRIES} openings of {self.actions} actions on seed {seed} {judge} considers none even "
            f"within {self.margin:g}: allow a larger margin, or another number of actions"
        )
