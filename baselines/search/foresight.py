"""What proofs tell a search about its root, as far as the game can prove anything: a win, and moves that lose."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.kernels import step_one
from ...envs.engine.spec import Game
from .proof import FEWEST, Prover, notes_kept

ENTRIES = 1 << 16  # positions that a question remembers
LEVELS = 64  # most moves in a line of a proof


def provers(game: Game) -> list[Prover]:
    """Return the provers of a win of the seat to move and of a win of the other; none where the game has no proofs.

    There are none either where its notes take too much room.
    """
    levels = notes_kept(game, 2 * (LEVELS + 1)) // 2 - 1 if game.has("proof") else 0
    return [Prover(game, ENTRIES, levels=levels) for _ in range(2)] if levels >= FEWEST else []


class Foresight:
    """Examines positions for proofs about a root, `share` of them for each that a search meets; call `prepare` first.

    `won` is an action that wins (-1: none known) and `lost` says of every action (actions,) whether it is known to
    lose, int8.
    """

    def __init__(self, game: Game, share: float) -> None:
        self.share, self.step = share, bind(step_one, game)
        self.provers = provers(game) if share else []
        self.won, self.lost = -1, np.zeros(game.actions, np.int8)

    @property
    def nbytes(self) -> int:
        """Bytes that all of it takes."""
        return self.lost.nbytes + sum(prover.nbytes for prover in self.provers)

    def prepare(self, states: np.ndarray) -> None:
        """Begin with the root ``states[0]``."""
        self.won, self.suspect, self.spent, self.resting = -1, -1, 0, False
        self.lost[:] = 0
        self.open: list[bool] = []
        self.root = states[:1].copy()

    def look(self, met: int, suspect: int) -> bool:
        """Examine what is due when a search has met `met` positions; `suspect` is the action that it holds to be best.

        Return whether some action has turned out to win, or the suspect to lose.
        """
        if not self.provers or self.resting:
            return False
        due = int(self.share * met / 2)
        own, other = self.provers
        if not self.open:  # begin only here: searches that end earlier are not held up
            self._begin()
        if self.open[0] and due > own.examined:
            wins = own.wins(due)
            self.open[0] = wins is None
            if wins:
                self.won = own.move()
                return True
        if suspect >= 0 and suspect != self.suspect:
            self._suspect(suspect)
        if self.open[1] and due > self.spent + other.examined:
            wins = other.wins(due - self.spent)
            self.open[1] = wins is None
            if wins:
                self.lost[self.suspect] = 1
                return True
        return False

    def _begin(self) -> None:
        self.open = [True, False]
        for prover in self.provers:
            prover.forget()
        self.provers[0].ask(self.root)

    def rest(self) -> None:
        """Look no more until the next root: every action loses."""
        self.resting = True

    def _suspect(self, action: int) -> None:
        """Ask whether the other seat wins once an action has been played."""
        after, other = self.root.copy(), self.provers[1]
        self.step(after, action)
        self.spent += other.examined if self.suspect >= 0 else 0
        self.suspect = action
        passes = after["to_move"][0] == 1 - self.root["to_move"][0]
        self.open[1] = bool(passes)
        if passes:
            other.ask(after)
