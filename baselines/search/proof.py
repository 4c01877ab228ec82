"""Proofs of who wins, by proof-number search, for games whose ``proof.py`` says which moves matter."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind, brought
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from .proof_kernels import BUCKET, ENTRY, EXAMINED, begin, make_proofs, prove

LISTED = 16  # entries of the table for each position whose moves are remembered
EVER = 1 << 50  # more positions than a search examines
ROOM = 1 << 30  # bytes that notes may take
SEARCH_ROOM = 64 << 20  # bytes that notes may take if a search keeps them beside its own arrays
FEWEST = 4  # fewest notes that are worth keeping


def decides(game: Game) -> bool:
    """Whether proofs say who wins any position of a game, and there is room for them."""
    if not game.has("proof") or getattr(game.module("proof"), "WINS_ALONE", False):
        return False
    return (game.longest + 3) * int(game.module("proof").notes(game).nbytes) <= ROOM


def notes_kept(game: Game, most: int) -> int:
    """Say how many notes on positions a search of a game with proofs keeps: `most` or as many as fit, 0 if too few."""
    kept = min(most, SEARCH_ROOM // int(game.module("proof").notes(game).nbytes))
    return kept if kept >= FEWEST else 0


class Prover:
    """Proves who wins positions of one game, and remembers what it has met in a table of `entries` entries.

    Of the moves that have not failed, `few` plus one in `share` are looked at together; no line is followed for more
    than `levels` moves. Some games prove only wins. `BoyiError` for a game for which no proofs can be made, or only in
    more than 1 GiB.
    """

    def __init__(
        self, game: Game, entries: int = 1 << 20, *, few: int = 2, share: int = 4, levels: int | None = None
    ) -> None:
        if not game.has("proof"):
            raise BoyiError(f"no proofs of who wins can be made for {game}")
        self.game, self.few, self.share = game, few, share
        module = game.module("proof")
        self.wins_alone = getattr(module, "WINS_ALONE", False)
        kernels = brought(game, "proof")
        self._begin, self._prove = bind(begin, game, None, **kernels), bind(prove, game, None, **kernels)
        levels, notes = game.longest + 2 if levels is None else levels, module.notes(game)
        if (levels + 1) * notes.nbytes > ROOM:
            raise BoyiError(f"proofs of who wins would take {(levels + 1) * notes.nbytes / ROOM:,.1f} GiB in {game}")
        self.states, self.notes = np.repeat(game.blank, levels), np.repeat(notes, levels + 1)
        self.table = np.zeros(1 << max(entries, BUCKET).bit_length() - 1, ENTRY)
        self.proofs = make_proofs(levels, game.actions, max(1, self.table.size // LISTED))
        self.r, self.attacker = np.zeros(2, np.float32), -1

    @property
    def examined(self) -> int:
        """How many positions have been examined for the question."""
        return int(self.proofs.at[EXAMINED])

    @property
    def nbytes(self) -> int:
        """Bytes that all of it takes."""
        return sum(array.nbytes for array in (self.states, self.notes, self.table, *self.proofs))

    def forget(self) -> None:
        """Forget the positions met."""
        self.table["position"] = self.proofs.owners[:] = 0

    def ask(self, states: np.ndarray) -> None:
        """Begin with the question of whether the seat to move wins the position ``states[0]``, which is not over."""
        mover = int(states["to_move"][0])
        if self.wins_alone and mover != self.attacker:  # what is known of another's attack is of no use
            self.forget()
        self.attacker = mover
        self.states[:1] = states[:1]
        self._begin(self.proofs, self.states, self.notes)

    def wins(self, budget: int = EVER) -> bool | None:
        """Go on with the question until `budget` positions have been examined for it; None if that is too few."""
        proofs = self.proofs
        self._prove(proofs, self.states, self.notes, self.table, self.few, self.share, self.r, budget)
        return bool(proofs.win[0] == 0) if 0 in (proofs.win[0], proofs.loss[0]) else None

    def move(self) -> int:
        """Return the move by which the seat to move wins, as has been proven."""
        return int(self.proofs.moves[0, self.proofs.chosen[0]])

    def winner(self, states: np.ndarray, budget: int = EVER) -> int | None:
        """Find the seat that wins the position ``states[0]``, which is not over; None where it takes more than
        `budget` positions, or where only wins are proven and there is none.
        """
        self.ask(states)
        wins, mover = self.wins(budget), int(states["to_move"][0])
        if wins is None or (self.wins_alone and not wins):
            return None
        return mover if wins else 1 - mover
