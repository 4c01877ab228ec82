"""`View`: what an agent is shown of the games in which it is to move."""

from __future__ import annotations

import math
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import kernels
from .bind import bind
from .errors import BoyiError
from .spec import Game

SHARE = 25  # decisions for which the time left to a seat should last, however long the game still is


def copied(states: np.ndarray, which: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Copy records byte by byte: NumPy would leave the padding between their fields undefined."""
    # The type by its name: to make it from np.void, NumPy calls a Python function and loses a Ctrl-C that comes then.
    raw = states.view(f"V{states.dtype.itemsize}")
    return np.array(raw[which]).view(states.dtype)


class View(NamedTuple):
    """What an agent is given for the m games in which it is to move; all arrays are its own.

    `states` (m,) are records in which everything the seat cannot know has been redealt; `mask` (m, actions) int8;
    `seat` (m,); `rng` (m, 2) uint64 streams to decide from; `row` and `episode` (m,) name the game for as long as it
    lasts; `game_key` (m,) uint64 is a random number that depends only on the game's seed, its episode and the seat, to
    draw from once per game; `history` is the actions so far, or None if hidden or not kept. Where a clock runs, `clock`
    (m,) holds the seconds that the seat has left for the game and `limit` (m,) those that this decision may take. Where
    there is a `hurry`, the caller wants the best found so far once it is set.
    """

    game: Game
    states: np.ndarray
    mask: np.ndarray
    seat: np.ndarray
    rng: np.ndarray
    row: np.ndarray
    episode: np.ndarray
    game_key: np.ndarray
    history: list[list[int]] | None = None
    clock: np.ndarray | None = None
    limit: np.ndarray | None = None
    hurry: Event | None = None

    @property
    def hurried(self) -> bool:
        """Whether the answer is wanted at once."""
        return self.hurry is not None and self.hurry.is_set()

    def seconds(self, k: int, usual: float = 0.0) -> float:
        """Return the most seconds to spend on deciding in game k: at most `usual` if above 0; possibly infinite."""
        limit = min(usual or math.inf, math.inf if self.limit is None else float(self.limit[k]))
        return limit if self.clock is None else min(limit, float(self.clock[k]) / SHARE)

    def observe(self, encoder: str | None = None) -> np.ndarray:
        """Observe the games from their seats to move with any encoder (None: the default): (m, …) float32."""
        encoder = encoder or self.game.encoder
        x = np.empty((self.row.size, *self.game.shape(encoder)), np.float32)
        kernel = bind(kernels.observe_rows, self.game, encoder)
        kernel(0, self.row.size, self.states, np.arange(self.row.size), self.seat, x)
        return x

    def take(self, which: np.ndarray) -> View:
        """Return the view of some of its games, given by their places (j,) in this one."""
        history = None if self.history is None else [self.history[k] for k in which]
        return View(
            game=self.game,
            states=copied(self.states, which),
            mask=self.mask[which],
            seat=self.seat[which],
            rng=self.rng[which],
            row=self.row[which],
            episode=self.episode[which],
            game_key=self.game_key[which],
            history=history,
            clock=None if self.clock is None else self.clock[which],
            limit=None if self.limit is None else self.limit[which],
            hurry=self.hurry,
        )

    def answered(self, actions: ArrayLike) -> np.ndarray:
        """Take an agent's answer as actions (m,) int64; `BoyiError` for anything but one whole number per game."""
        m, answer = self.row.size, np.asarray(actions)
        if answer.shape != self.row.shape or answer.dtype.kind not in "iu":
            found = f"{answer.dtype} of shape {answer.shape}"
            raise BoyiError(f"{self.game}: an agent answers with {m} whole numbers, one a game, not {found}")
        return answer.astype(np.int64, copy=False)

    def check(self) -> None:
        """Raise `BoyiError` unless the arrays fit each other: a view need not have been made by a batch."""
        m, actions = self.row.size, self.game.actions
        if self.mask.shape != (m, actions) or self.mask.dtype != np.int8:
            found = f"{self.mask.dtype} of shape {self.mask.shape}"
            raise BoyiError(f"{self.game}: the mask of {m} games must be int8 of shape ({m}, {actions}), not {found}")
        if self.states.shape != (m,) or self.states.dtype != self.game.dtype or self.rng.shape != (m, 2):
            raise BoyiError(f"{self.game}: a view of {m} games holds {m} of its records and ({m}, 2) random streams")

    @property
    def observation(self) -> np.ndarray:
        """The default encoder's observations (m, …) float32."""
        return self.observe()
