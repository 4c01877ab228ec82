"""How lucky the draws of mahjong hands were, so that what luck brought can be subtracted from their returns.

Every tile left in the wall is equally likely to be drawn, whatever anybody does. The luck of a draw is its value less
the mean value of all that could have been drawn. It is zero on average, whoever plays and however good the values are,
so returns less luck have the same mean as returns and less variance (control variates; in games AIVAT: Burch and others
2018, arXiv 1612.06915).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, find
from ...envs.mahjong import SPEC
from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS
from ...envs.records.game_record import GameRecord
from . import tree
from .evaluator import HandEvaluator, Hands
from .values import PublishedEvaluator

ROWS = 256  # hands that are replayed side by side


class DrawLuck:
    """Values a draw by the evaluator's value of the best discard after it, and a win by what it brings."""

    def __init__(self, game: Game, evaluator: HandEvaluator | None = None) -> None:
        if game.spec.name != SPEC.name:
            raise BoyiError(f"luck is known for the draws of mahjong, not for {game}")
        self.game, self.evaluator = game, evaluator or PublishedEvaluator(game)
        self.drawing, self.discarding = tree.make_level(1, draws=True), tree.make_level(KINDS, draws=False)
        self.unseen, self.left = np.zeros(KINDS, np.int64), np.zeros(KINDS)

    def of(self, states: np.ndarray) -> float:
        """Compute how far the draw just made in record 0, by the seat to move, is above the mean of all, in points."""
        before, drawn = states.copy(), int(states["last"][0])
        seat = int(before["to_move"][0])
        for level in (self.drawing, self.discarding):
            level.size[0] = level.slots[:] = 0
        bind(tree.undraw, self.game)(before, self.left)
        bind(tree.add_root, self.game)(before, seat, self.unseen, self.drawing)
        draws = int(bind(tree.live_tiles, self.game)(before)) // SEATS
        bind(tree.add_draws, self.game)(self.drawing, before.copy(), seat, self.discarding)
        n, need = int(self.discarding.size[0]), MOST_MELDS - int(before["melds"][0, seat])
        hands = Hands(before, seat, need, draws, self.discarding.tiles[:n], self.discarding.unseen[:n])
        values = np.empty(n)
        bind(tree.value_leaves, self.game)(self.discarding, self.evaluator.q(hands), values)
        follows = self.drawing.branch[0]
        worth = np.where(follows >= 0, np.append(values, 0.0)[follows], self.drawing.points[0])
        return float(worth[drawn] - worth @ self.left / self.left.sum())


def luck(records: Sequence[GameRecord]) -> np.ndarray:
    """Compute how many points all draws in hands of one game have brought each seat (hands, seats), zero in sum.

    What a draw brings one seat, it costs the other three in equal parts.
    """
    if not records:
        return np.zeros((0, SEATS))
    game = find(records[0].game)
    if game.spec.name != SPEC.name:
        raise BoyiError(f"luck is known for the draws of {SPEC.name}, not for {game}")
    found = [_luck(game, records[first : first + ROWS]) for first in range(0, len(records), ROWS)]
    return np.concatenate(found)


def _luck(game: Game, records: Sequence[GameRecord]) -> np.ndarray:
    one, batch = DrawLuck(game), Batch(game, len(records), 0, encoder=None)
    brought, plies = np.zeros((len(records), SEATS)), np.array([record.plies for record in records])
    batch.reset([record.seed for record in records])
    for ply in range(plies.max()):
        rows = np.flatnonzero(plies > ply)
        left = batch.states["left"][rows]
        batch.step(np.array([records[row].actions[ply] for row in rows.tolist()]), rows)
        states = batch.states
        for row in rows[(states["left"][rows] < left) & (states["to_move"][rows] >= 0)]:
            seat, points = int(states["to_move"][row]), one.of(states[row : row + 1])
            brought[row] -= points / (SEATS - 1)
            brought[row, seat] += points + points / (SEATS - 1)
    return brought


def less_luck(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Subtract from the returns of hands what their draws have brought."""
    brought = luck(records)
    return [
        record if record.returns is None else replace(record, returns=(np.array(record.returns) - off).tolist())
        for record, off in zip(records, brought, strict=True)
    ]
