"""A learner's games: a batch in which agents answer for the other seats. What the vector environment stands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .batch import Batch, random_seed
from .errors import BoyiError
from .frame import Frame
from .spec import Game
from .view import View

PATIENCE = 100  # games in a row that may end before the learner's first turn


class Player(Protocol):
    """Whoever decides for a seat: one action (m,) for each of the m games of a view."""

    def act(self, view: View) -> np.ndarray: ...


def check_seating(game: Game, opponents: Sequence[Player] | None, seat: int | str) -> None:
    """Raise `BoyiError` for a learner's seat that the game does not have, or too many or few opponents."""
    if seat != "random" and not (isinstance(seat, int | np.integer) and 0 <= seat < game.seats):
        raise BoyiError(f'{game}: seat must be 0 to {game.seats - 1} or "random", not {seat!r}')
    if opponents is not None and len(opponents) not in (1, game.seats - 1):
        raise BoyiError(f"{game}: give one opponent, or one for each of the {game.seats - 1} other seats")


def no_turn(game: Game, seat: int | str) -> BoyiError:
    """Build the error for a learner that never gets to play."""
    return BoyiError(f"{game}: {PATIENCE} games ended before seat {seat} had a turn; choose another seat")


class Table:
    """N games in which one seat learns and `opponents` answer, or, without opponents, every decision is the caller's.

    `opponents` holds one player for all other seats, or one for each of them in order after the learner's. `seat` is
    the learner's seat or "random": a new one every game, drawn from the game's seed.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        opponents: Sequence[Player] | None,
        *,
        seat: int | str,
        frame: Frame,
        illegal: str,
        threads: int | None = None,
    ) -> None:
        check_seating(game, opponents, seat)
        self.game, self.opponents, self.seat, self.frame = game, opponents, seat, frame
        self.batch = Batch(game, n, random_seed(), encoder=frame.encoder, illegal=illegal, threads=threads)
        self.seats = np.zeros(n, np.int64)
        """The seat (n,) each row's rewards and final observation belong to: the learner's, or the last to act."""

    def deal(self, seed: int | Sequence[int] | None, rows: np.ndarray) -> None:
        """Start games and let the opponents play until the learner is to move."""
        self.batch.reset(seed, rows)
        if self.opponents is None:
            self.seats[rows] = self.batch.to_move[rows]
            return
        for _ in range(PATIENCE):
            self.seats[rows] = self.batch.draw_seats(rows) if self.seat == "random" else self.seat
            self.answer(rows)
            # Where the opponents ended the game before the learner's first turn there is nothing to learn from it.
            rows = rows[self.batch.to_move[rows] < 0]
            if not rows.size:
                return
            self.batch.reset(None, rows)
        raise no_turn(self.game, self.seat)

    def play(self, actions: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play the caller's actions (m,) of the seats' frames and the opponents' answers.

        Returns rewards (m,) of `seats`, over (m,) and cut (m,).
        """
        movers = self.batch.to_move[rows].astype(np.int64)
        scores, over, cut = self.batch.step(self.frame.actions(actions, movers), rows)
        if self.opponents is None:
            self.seats[rows] = movers
        else:
            going = ~(over | cut)
            answers = self.answer(rows[going])
            scores[going], over[going], cut[going] = answers
        return scores[np.arange(rows.size), self.seats[rows]], over, cut

    def answer(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Let the opponents play in `rows` until the learner is to move or the game has ended."""
        scores = np.zeros((rows.size, self.game.seats), np.float32)
        over, cut = np.zeros(rows.size, np.bool_), np.zeros(rows.size, np.bool_)
        while True:
            movers = self.batch.to_move[rows].astype(np.int64)
            waiting = np.flatnonzero((movers >= 0) & (movers != self.seats[rows]))
            if not waiting.size:
                return scores, over, cut
            actions = self._decide(rows[waiting], (movers - self.seats[rows])[waiting] % self.game.seats - 1)
            scores[waiting], over[waiting], cut[waiting] = self.batch.step(actions, rows[waiting])

    def _decide(self, rows: np.ndarray, chairs: np.ndarray) -> np.ndarray:
        """Ask the opponents, `chairs` seats behind the learner's left, for their actions in `rows`."""
        assert self.opponents is not None
        actions = np.empty(rows.size, np.int64)
        for chair, opponent in enumerate(self.opponents):
            asked = np.flatnonzero(chairs == chair) if len(self.opponents) > 1 else np.arange(rows.size)
            if asked.size:
                actions[asked] = opponent.act(self.batch.view(rows[asked]))
        return actions

    def observe(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Observe rows from seats in the layout asked for: (m, …) float32."""
        return self.frame.arrange(self.batch.observe(seats, rows))

    def masks(self) -> np.ndarray:
        """The masks (n, actions) int8 in the frames of the seats to move."""
        return self.frame.masks(self.batch.mask, self.batch.to_move.astype(np.int64))

    def facing(self) -> np.ndarray:
        """The seat (n,) that each row's observation is from: to move, or the one rewarded where a game has ended."""
        movers = self.batch.to_move.astype(np.int64)
        return np.where(movers >= 0, movers, self.seats)

    def state(self) -> dict[str, Any]:
        """Per-row facts for the infos: whose rewards these are and who decides next (-1: nobody)."""
        return {"seat": self.seats.copy(), "to_move": self.batch.to_move.clip(-1).astype(np.int64)}
