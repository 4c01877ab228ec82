"""Room for what tree search learns of positions that it often meets, and the kernels that learn it."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import Kernel, brought
from ...envs.engine.spec import Game
from .knowledge_kernels import Knowledge, know_nothing, learn
from .proof import decides

RECORDS, ROOM = 64, 64 << 20  # positions whose notes are kept at most, and bytes that these may take
FEWEST = 4  # records with which it pays


def learns(game: Game) -> bool:
    """Whether positions of a game can be examined: its proofs say who wins any, and several notes have room."""
    return decides(game) and _records(game) >= FEWEST


def make_knowledge(game: Game, *, empty: bool = False) -> Knowledge:
    """Allocate the room; `empty` is for a search that examines nothing."""
    notes = np.zeros(1, np.int8) if empty else np.repeat(game.module("proof").notes(game), _records(game))
    return Knowledge(
        notes=notes,
        owners=np.zeros(notes.size, np.uint64),
        used=np.zeros(notes.size, np.int64),
        replay=game.blank.copy(),
        moves=np.zeros(game.actions, np.int32),
        ranks=np.zeros(game.actions, np.int32),
        mask=np.zeros(game.actions, np.int8),
        at=np.zeros(2, np.int64),
    )


def learning_kernels(game: Game, *, empty: bool = False) -> dict[str, Kernel]:
    """Name the kernels that a search which learns is bound with, or an `empty` one, which examines nothing."""
    return {"learn": know_nothing} if empty else {"learn": learn, **brought(game, "proof")}


def _records(game: Game) -> int:
    return min(RECORDS, ROOM // int(game.module("proof").notes(game).nbytes))
