"""Games that others have played, as samples: what AlphaZero may learn from before it plays by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, find
from ...envs.records.files import PathOf, as_path, read_lines
from ...envs.records.game_record import Ending, GameRecord, positions, read_line
from .samples import sample_form, scaled
from .self_play import SPENT, SUMS, Played

GAMES = 64  # that are taken at a time


class Lessons:
    """The recorded games of a file, in their order, without those in which somebody gave up or ran out of time.

    The actions played are the policy to learn, and the outcome of a game is the value of its positions. Actions drawn
    for an opening are not learned. `BoyiError` says what is wrong with the file, or that it has games not in `games`.
    """

    def __init__(self, path: PathOf, games: Sequence[Game], values: Mapping[str, Any]) -> None:
        self.games, self.values, self.path = games, values, path
        every = [read_line(line, f"{path}, line {k},") for k, line in enumerate(read_lines(as_path(path)), 1)]
        self.records = [record for record in every if record.ended == Ending.OVER]
        for record in self.records:
            if find(record.game) not in games:
                raise BoyiError(f"{path} has a game of {record.game}, this run learns {' and '.join(map(str, games))}")
        self.taken = 0
        """How many have been learned from."""

    @property
    def left(self) -> bool:
        return self.taken < len(self.records)

    def take(self) -> list[Played]:
        """Take some games that have not been taken yet."""
        some = self.records[self.taken : self.taken + GAMES]
        self.taken += len(some)
        return [self._played(game, list(group)) for game, group in groupby(some, lambda record: find(record.game))]

    def _played(self, game: Game, records: Sequence[GameRecord]) -> Played:
        sums, moves = dict.fromkeys(SUMS, 0.0), np.zeros(game.actions, np.int64)
        samples = [self._samples(game, record, sums, moves) for record in records]
        return Played(self.games.index(game), np.concatenate(samples), sums, moves, dict.fromkeys(SPENT, 0.0))

    def _samples(self, game: Game, record: GameRecord, sums: dict[str, float], moves: np.ndarray) -> np.ndarray:
        """Make samples of what was decided in a game."""
        states = np.array(positions(record, str(self.path))[1], game.dtype)
        first, actions = drawn(record), np.array(record.actions, np.int64)
        samples = np.zeros(actions.size - first, sample_form(game, self.values))
        rows = np.arange(samples.size)
        samples["state"] = states[first:-1].view(samples.dtype["state"])
        samples["policy"][rows, actions[first:]] = 1.0
        assert record.returns is not None
        outcomes = scaled(game, np.array(record.returns))
        samples["outcome"] = samples["value"] = outcomes[states["to_move"][first:-1]]
        if self.values["reply_weight"]:
            samples["reply"] = [*actions[first + 1 :], -1]
        if self.values["owner_weight"]:
            samples["end"] = states[-1:].view(samples.dtype["end"])
        moves += np.bincount(actions, minlength=moves.size)
        for name, value in (
            ("games", 1), ("plies", actions.size), ("decisions", samples.size), ("samples", samples.size),
            ("first_wins", outcomes[0] > 0), ("second_wins", outcomes[0] < 0),
        ):  # fmt: skip
            sums[name] += value
        return samples


def drawn(record: GameRecord) -> int:
    """Say how many of a game's first actions were drawn, not decided."""
    return int(record.opening.split()[0]) if record.opening else 0
