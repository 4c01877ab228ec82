"""What is already decided, found by alpha-beta: for searches whose evaluator guesses at what can be calculated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ..agent import check_duel
from .alphabeta_kernels import make_levels
from .evaluation import evaluation
from .lookout_kernels import close_rows, loss_rows, win_rows
from .puct_kernels import Leaves, Planted
from .transpositions import make_table

LEVELS = 64  # most actions that are looked ahead
WIN_SHARE, LOSS_SHARE, DOUBT_SHARE = 20, 10, 100
"""How many times as many positions are met at the root: for a win, for whether a move loses, and that closely."""


class Steps(NamedTuple):
    """How far searches look ahead, step by step, int64 (k, 2) each: turns, and turns that tactics may last beyond them.

    For a win and for a loss in a leaf, and at the root.
    """

    win: np.ndarray
    loss: np.ndarray
    root: np.ndarray


BROAD = Steps(np.array([(4, 8)]), np.array([(4, 8)]), np.array([(turns, 8) for turns in range(1, 11)]))
"""By all moves that the game names for alpha-beta."""

NARROW = Steps(
    np.array([(0, 4), (0, 8), (0, 12), (0, 16)]),
    np.array([(1, 4), (1, 8)]),
    np.array([(0, 4), (0, 8), (0, 12), (0, 16), (0, 24), (2, 4), (2, 8), (4, 4)]),
)
"""By threats, where the game names them: each leaves so few answers that they are followed far."""


class Lookout:
    """Searches a game's positions by its evaluation for what is certain, meeting at most `positions` positions in each.

    `BoyiError` where the game has dice or no evaluation. An evaluation may itself know what cannot be averted: from its
    module's `SURE` up. A result is certain as far as the moves that the game names for alpha-beta are all that matter.
    """

    def __init__(self, game: Game, positions: int) -> None:
        check_duel(game, "proofs cannot be found for", dice=False)
        found = evaluation(game, "a search for proofs")
        self.positions, self.sure = positions, found.sure
        named = dict(found.kernels)
        self.steps = NARROW if "threats" in named else BROAD
        if "threats" in named:
            named["tactics"] = named.pop("threats")
        # What is remembered of one position must not change what is found in another: the table is empty.
        rest = make_table(0), game.low, game.high, np.zeros(2, np.float32)
        levels = make_levels(LEVELS, game.actions)
        self.room = levels, np.repeat(game.blank, LEVELS), np.repeat(found.notes, LEVELS), rest
        self._close, self._win, self._lose = (
            bind(kernel, game, None, **named) for kernel in (close_rows, win_rows, loss_rows)
        )

    def close(self, planted: Planted, leaves: Leaves) -> None:
        """Close the leaves that are decided."""
        self._close(planted, leaves, *self.room, self.steps.win, self.steps.loss, self.positions, self.sure)

    def wins(self, roots: np.ndarray) -> np.ndarray:
        """Find an action (m,) that wins for certain in each of the positions `roots` (m,), -1 where there is none."""
        found = np.empty(roots.size, np.int64)
        self._win(roots, *self.room, self.steps.root, WIN_SHARE * self.positions, self.sure, found)
        return found

    def loses(self, roots: np.ndarray, actions: np.ndarray, *, closely: bool = False) -> np.ndarray:
        """Say for which of the positions `roots` (m,) an action (m,) loses for certain, bool (m,)."""
        found = np.zeros(roots.size, np.bool_)
        budget = (DOUBT_SHARE if closely else LOSS_SHARE) * self.positions
        self._lose(roots, actions, *self.room, self.steps.root, budget, self.sure, found)
        return found
