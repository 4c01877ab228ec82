"""Proofs of who wins, by proof-number search, for games whose ``proof.py`` says which moves matter."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from .proof_kernels import BUCKET, ENTRY, begin, make_proofs, prove

KERNELS = ("examine", "reexamine", "relevant", "alike")
"""What a game's ``proof.py`` may supply."""

LISTS = 1 << 16  # positions whose moves are remembered
EVER = 1 << 62  # more positions than a search examines


class Prover:
    """Proves who wins positions of one game, and remembers what it has met in a table of so many entries.

    Of the moves that have not failed, `few` and every `share`-th are looked at together. `examined` says how many
    positions the latest answer took. `BoyiError` for a game of which no proofs can be made.
    """

    def __init__(self, game: Game, entries: int = 1 << 20, *, few: int = 2, share: int = 4) -> None:
        if not game.has("proof"):
            raise BoyiError(f"no proofs of who wins can be made of {game}")
        self.game, self.few, self.share, self.examined = game, few, share, 0
        module = game.module("proof")
        kernels = {name: getattr(module, name) for name in KERNELS if hasattr(module, name)}
        self.begin, self.prove = bind(begin, game, **kernels), bind(prove, game, **kernels)
        levels = game.longest + 2
        self.states, self.notes = np.repeat(game.blank, levels), np.repeat(module.notes(game), levels + 1)
        self.proofs = make_proofs(levels, game.actions, LISTS)
        self.table = np.zeros(1 << max(entries, BUCKET).bit_length() - 1, ENTRY)

    def winner(self, states: np.ndarray, budget: int = EVER) -> int | None:
        """Find the seat that wins the position ``states[0]``, which is not over; None where it takes more than
        `budget` positions.
        """
        self.states[:1] = states[:1]
        self.begin(self.proofs, self.states, self.notes)
        decided = self.prove(
            self.proofs, self.states, self.notes, self.table, self.few, self.share, np.zeros(2, np.float32), budget
        )
        self.examined = int(self.proofs.at[1])
        mover = int(states["to_move"][0])
        return (mover if self.proofs.win[0] == 0 else 1 - mover) if decided else None

    def move(self) -> int:
        """Return the move by which the seat to move wins the position just proven for it."""
        return int(self.proofs.moves[0, self.proofs.chosen[0]])
