"""Caution at the roots of a guided search: moves that a lookout finds to lose are cut off before they are played."""

from __future__ import annotations

import time

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.view import View
from .forest import proven
from .lookout import Lookout
from .puct_kernels import Planted, cut_rows

FEARED = 16  # simulations for each move at a root that is checked for losing, and also the most such moves
FEAR_SHARE = 1 / 3  # share of the time for a move that this may take
DOUBTS = (0.5, 0.7, 0.85, 0.95)  # shares of the time for a move after which what would be played is looked at closely


class Caution:
    """Looks at moves of the roots of a view's games: at the likeliest first, later closely at what would be played.

    A move that loses is cut from its root, unless all that were looked at lose.
    """

    def __init__(
        self, lookout: Lookout, view: View, planted: Planted, counts: np.ndarray, started: float, until: float
    ) -> None:
        """Be cautious in a search of `counts` (m,) simulations, or of the time from `started` to `until`."""
        self.lookout, self.view, self.planted = lookout, view, planted
        self.started, self.time = started, until - started
        timed = np.isfinite(until)
        self.feared = np.where(counts > 1, FEARED, 0) if timed else np.minimum(counts // FEARED, FEARED)
        self.marks = [started + share * self.time for share in DOUBTS]
        self.sound, self.lost = (np.zeros(view.mask.shape, np.bool_) for _ in range(2))
        """The moves that have been looked at closely: those that do not lose, and those that do."""

    @property
    def doubts(self) -> bool:
        """Whether there are simulations enough for a close look."""
        return bool((self.feared > 1).any())

    def is_due(self) -> bool:
        """Tell whether a moment for a close look has come, once for each of these moments."""
        if self.marks and time.perf_counter() >= self.marks[0]:
            self.marks.pop(0)
            return True
        return False

    def fear(self, priors: np.ndarray) -> None:
        """Check whether the likeliest moves by the `priors` (m, actions) lose, as far as the time allows."""
        ranks = np.where(self.view.mask != 0, priors, -np.inf)
        self._cut(ranks, self.feared, until=self.started + FEAR_SHARE * self.time)

    def doubt(self, ranks: np.ndarray) -> None:
        """Look closely at the moves that would be played, by `ranks` (m, actions), until one does not lose.

        Moves of rank -inf are out of the question; so are all moves of a proven root.
        """
        self._cut(ranks, np.where(proven(self.planted), 0, self.feared // 2), closely=True)

    def _cut(self, ranks: np.ndarray, many: np.ndarray, *, until: float = np.inf, closely: bool = False) -> None:
        """Cut off the losing moves among the `many` (m,) of the highest ranks (m, actions) at each root, unless all do.

        When looking `closely`, the first move that does not lose ends the search, and none is looked at twice.
        """
        view, rows = self.view, np.arange(many.size)
        ranked = np.argsort(-ranks, axis=1, kind="stable")
        sound, known = (self.sound, self.lost) if closely else (np.zeros(ranks.shape, np.bool_) for _ in range(2))
        cut, spared = np.zeros(ranked.shape, np.bool_), np.zeros(many.size, np.bool_)
        for rank in range(min(many.max(), ranked.shape[1])):
            asked = ranks[rows, ranked[:, rank]] > -np.inf
            games = np.flatnonzero((many > rank) & asked & ~(spared & closely))
            if time.perf_counter() >= until:
                spared[games] = True
                break
            actions = ranked[games, rank]
            lost = known[games, actions]
            new = ~sound[games, actions] & ~lost
            lost[new] = self.lookout.loses(view.states[games[new]], actions[new], closely=closely)
            cut[games, actions], known[games, actions], sound[games, actions] = lost, lost, ~lost
            spared[games] |= ~lost
        bind(cut_rows, view.game)(self.planted, cut & spared[:, None])
