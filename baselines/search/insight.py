"""What alpha-beta may ask about positions that it searches deeply, where a game's proofs say who wins any position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import Kernel, brought
from ...envs.engine.spec import Game
from .insight_kernels import narrow_by_proof
from .proof import decides, notes_kept

LEVELS = 16  # most levels whose notes are kept


class Insight(NamedTuple):
    """Records for the notes on positions (levels,), and the kernels by the names of the stubs that they replace."""

    notes: np.ndarray | None
    kernels: dict[str, Kernel]


NO_INSIGHT = Insight(None, {})


def find_insight(game: Game) -> Insight:
    """Find what can be asked about a game's positions: nothing where it has no such proofs, or no room for them."""
    levels = notes_kept(game, LEVELS) if decides(game) else 0
    if not levels:
        return NO_INSIGHT
    notes = np.repeat(game.module("proof").notes(game), levels)
    return Insight(notes, {"narrow_down": narrow_by_proof, **brought(game, "proof")})
