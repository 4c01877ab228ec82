"""What is decided already, found by alpha-beta: for searches whose evaluator guesses what can be counted out."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ..agent import check_duel
from .alphabeta_kernels import make_levels
from .evaluation import evaluation
from .lookout_kernels import close_rows, win_rows
from .puct_kernels import Leaves, Planted
from .transpositions import make_table

LEVELS = 64  # actions that are looked ahead at most
TURNS, TACTICS = 4, 8  # turns that are looked ahead in a leaf, and that tactics may last behind them
ROOT_TURNS, ROOT_SHARE = 10, 50  # turns at the root, and how many times as many positions


class Lookout:
    """Searches positions of a game by its evaluation, meeting at most so many `positions` in each, for what is certain.

    `BoyiError` where the game has dice or no evaluation. An evaluation may itself know what cannot be averted: from its
    module's `SURE` on. As far as the moves that the game names for alpha-beta are all that matter, it is certain.
    """

    def __init__(self, game: Game, positions: int) -> None:
        check_duel(game, "proofs cannot be found for", dice=False)
        found = evaluation(game, "a search for proofs")
        self.positions, self.sure = positions, found.sure
        # What is remembered of one leaf must not change what is found in another: the table is empty.
        self.rest = make_table(0), TACTICS, game.low, game.high, np.zeros(2, np.float32)
        self.room = make_levels(LEVELS, game.actions), np.repeat(game.blank, LEVELS), np.repeat(found.notes, LEVELS)
        self._close, self._win = (bind(kernel, game, None, **found.kernels) for kernel in (close_rows, win_rows))

    def close(self, planted: Planted, leaves: Leaves) -> None:
        """Close the leaves that are decided."""
        self._close(planted, leaves, *self.room, self.rest, TURNS, self.positions, self.sure)

    def wins(self, roots: np.ndarray) -> np.ndarray:
        """Find an action (m,) that wins for certain in each of the positions `roots` (m,), -1 where there is none."""
        found = np.empty(roots.size, np.int64)
        budget = ROOT_SHARE * self.positions
        self._win(roots, *self.room, self.rest, ROOT_TURNS, budget, self.sure, found)
        return found
