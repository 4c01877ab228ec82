"""Room for what tree search learns about positions that it often meets, and the `Examiner` that learns it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import Kernel, bind, brought
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param
from .examiner_kernels import learn_rows, look_rows
from .knowledge_kernels import Knowledge, learn
from .proof import decides, notes_kept
from .puct_kernels import Leaves, Planted

RECORDS = 64  # most positions whose notes are kept
EXAMINE = Param(
    0, "visits after which a position is examined for who wins and which moves matter, 0: never", low=0, high=10**9
)
"""The parameter of searches that learn."""


def learns(game: Game) -> bool:
    """Whether positions of a game can be examined: its proofs say who wins any, and there is room for several notes."""
    return decides(game) and notes_kept(game, RECORDS) > 0


def make_knowledge(game: Game, *, empty: bool = False) -> Knowledge:
    """Allocate the room; `empty` is for a search that examines nothing."""
    notes = np.zeros(1, np.int8) if empty else np.repeat(game.module("proof").notes(game), notes_kept(game, RECORDS))
    return Knowledge(
        notes=notes,
        owners=np.zeros(notes.size, np.int64),
        used=np.zeros(notes.size, np.int64),
        replay=game.blank.copy(),
        moves=np.zeros(game.actions, np.int32),
        ranks=np.zeros(game.actions, np.int32),
        mask=np.zeros(game.actions, np.int8),
        at=np.zeros(2, np.int64),
    )


class Sight(NamedTuple):
    """What is seen of m positions: an action (m,) int64 that wins, -1 where none is seen to; which positions (m,) are
    lost, and which actions (m, actions) may matter, both bool.
    """

    wins: np.ndarray
    lost: np.ndarray
    kept: np.ndarray


class Examiner:
    """Examines positions in the trees of guided searches, in room that all share.

    What is found depends only on the root and the way down from it, not on the games searched beside it. `BoyiError`
    for a game that has no proofs of who wins any position, or whose notes take too much room.
    """

    def __init__(self, game: Game) -> None:
        if not learns(game):
            raise BoyiError(f"positions of {game} cannot be examined for who wins: use examine=0")
        self.game, self.knowledge, kernels = game, make_knowledge(game), brought(game, "proof")
        self._look, self._learn = bind(look_rows, game, None, **kernels), bind(learn_rows, game, None, **kernels)

    def look(self, roots: np.ndarray) -> Sight:
        """Examine the positions `roots` (m,), with which a search begins: whatever was noted is forgotten."""
        self.knowledge.owners[:] = 0
        m = roots.size
        sight = Sight(np.full(m, -1), np.zeros(m, np.bool_), np.ones((m, self.game.actions), np.bool_))
        self._look(roots, self.knowledge, *sight)
        return sight

    def learn(self, planted: Planted, roots: np.ndarray, leaves: Leaves, often: np.ndarray) -> None:
        """Examine positions that the latest walks from `roots` (m,) have now met `often` (m,) times; 0: none."""
        self._learn(planted, roots, leaves, often, self.knowledge)


def learning_kernels(game: Game) -> dict[str, Kernel]:
    """Return, by name, the kernels with which a search that learns is bound."""
    return {"learn": learn, **brought(game, "proof")}
