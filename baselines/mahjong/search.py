"""The published search of S4 in mahjong: expectimax over a seat's own discards and draws, valued by any evaluator.

Others' tiles and actions are left out, and every tile that the seat has not seen is equally likely to be drawn (Lei et
al. 2021). A layer is a discard and a draw. At the last layer the evaluator says what the best discard is worth; a draw
that wins is worth what it brings.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...envs.engine.bind import Kernel, bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from ...envs.engine.view import View, copied
from ...envs.mahjong import SPEC
from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS, TURN
from ...envs.mahjong.state import DECLARE, PASS, WIN
from . import tree
from .evaluator import HandEvaluator, Hands, ManyEvaluator, Risk

DEEPEST = 2
"""Layers that the published search has; a third would need gigabytes."""
EVERY = np.ones(KINDS, np.int8)
TOGETHER = 64
"""Games whose hands are valued in one call, if the evaluator can do that and trees have one layer."""

Asking = Generator[Hands, np.ndarray, Any]
"""A computation with an evaluator's help: it yields hands, is sent the worth of their discards (m, 34), and returns
what it has found.
"""


class HandSearch:
    """Decides in mahjong by expectimax; every decision builds its own tree, in memory that is kept for the next.

    `alpha` is the share of a hand's tiles, a multiple of 0.1, whose discards are followed, best first; `depth` is the
    number of layers, 1 or 2, fewer where fewer draws are left. `danger` charges discards with what others may win on
    them, which the published search leaves out. After a decision `value` says what the action is worth in points,
    `nodes` how many hands were entered and `leaves` how many of them the evaluator valued at the end.
    """

    def __init__(
        self, game: Game, alpha: float, depth: int, evaluator: HandEvaluator, danger: Risk | None = None
    ) -> None:
        tenths = round(10 * alpha)
        if game.spec.name != SPEC.name:
            raise BoyiError(f"a search over hands of tiles plays mahjong, not {game}")
        if not 1 <= tenths <= 10 or abs(tenths - 10 * alpha) > 1e-6:
            raise BoyiError(f"alpha must be a multiple of 0.1 from 0.1 to 1, not {alpha!r}")
        if depth not in range(1, DEEPEST + 1):
            raise BoyiError(f"mahjong is searched 1 to {DEEPEST} layers of a discard and a draw deep, not {depth!r}")
        self.game, self.evaluator = game, evaluator
        self.ask = evaluator.q_all if isinstance(evaluator, ManyEvaluator) else self._one_by_one
        together = TOGETHER if depth == 1 and isinstance(evaluator, ManyEvaluator) else 1
        self.trees = [HandTree(game, tenths, int(depth), danger) for _ in range(together)]
        self.value = 0.0

    @property
    def nodes(self) -> int:
        return self.trees[0].nodes

    @property
    def leaves(self) -> int:
        return self.trees[0].leaves

    @property
    def nbytes(self) -> int:
        """The most memory that decisions use, without evaluators; little of it is touched where hands repeat."""
        return sum(tree.nbytes for tree in self.trees)

    def decide(self, view: View, k: int = 0) -> int:
        """Choose an action in game k of a view: a win, else what is worth most."""
        worth = self.worth(view, k)
        action = choose(worth)
        self.value = float(worth[action])
        return action

    def decide_all(self, view: View) -> np.ndarray:
        """Choose an action (m,) int64 in every game of a view."""
        return np.array([choose(worth) for worth in self.worth_all(view)], np.int64)

    def worth(self, view: View, k: int = 0) -> np.ndarray:
        """Compute what actions (75,) are worth in game k of a view, in points, NaN for those not followed.

        A win is always taken: where there is one, nothing else is followed.
        """
        found: np.ndarray = self._work([self.trees[0].worth(view, k)])[0]
        return found

    def worth_all(self, view: View) -> np.ndarray:
        """Compute what `worth` does (m, 75) in every game of a view."""
        worth = np.empty((view.row.size, self.game.actions))
        for first in range(0, len(worth), len(self.trees)):
            games = range(first, min(first + len(self.trees), len(worth)))
            worth[games] = self._work([tree.worth(view, k) for tree, k in zip(self.trees, games, strict=False)])
        return worth

    def _work(self, asking: Sequence[Asking]) -> list[Any]:
        """Run all computations until each has returned, and answer together what they ask at the same time."""
        found: list[Any] = [None] * len(asking)
        answers: dict[int, np.ndarray | None] = dict.fromkeys(range(len(asking)))
        while answers:
            asked: dict[int, Hands] = {}
            for i, answer in answers.items():
                try:
                    asked[i] = next(asking[i]) if answer is None else asking[i].send(answer)
                except StopIteration as end:
                    found[i] = end.value
            answers = dict(zip(asked, self.ask(list(asked.values())), strict=True)) if asked else {}
        return found

    def _one_by_one(self, hands: Sequence[Hands]) -> list[np.ndarray]:
        return [self.evaluator.q(each) for each in hands]


def choose(worth: np.ndarray) -> int:
    """Choose the action that is worth most (75,), NaN for none: among equals to pass, then the first."""
    return PASS if worth[PASS] == np.nanmax(worth) else int(np.nanargmax(worth))


class HandTree:
    """The tree of one decision at a time, in memory that is kept for the next; `nodes` and `leaves` are as above."""

    def __init__(self, game: Game, tenths: int, depth: int, danger: Risk | None) -> None:
        self.game, self.tenths, self.depth, self.danger = game, tenths, depth, danger
        self.drawing, self.discarding = _make_levels(tenths, depth)
        self.nodes, self.leaves = 0, 0

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for level in (*self.drawing, *self.discarding) for array in level)

    def worth(self, view: View, k: int) -> Asking:
        """Find what actions (75,) are worth in game k of a view, in points, NaN for those not followed.

        A claim is a special draw: the hand after it has one layer less to go, like a hand after a draw.
        """
        states, seat, mask = copied(view.states, slice(k, k + 1)), int(view.seat[k]), view.mask[k]
        worth = np.full(self.game.actions, np.nan)
        self.nodes = self.leaves = 0
        if mask[WIN]:
            worth[WIN] = self._kernel(tree.win_points)(states, seat)
            return worth
        if states["phase"][0] == TURN:
            worth[:KINDS] = yield from self._discards(states, seat, self.depth)
        else:
            worth[PASS] = yield from self._passed(states, seat)
        others = np.flatnonzero(mask[DECLARE:PASS]) + DECLARE
        gain = 0.0
        if others.size and states["phase"][0] == TURN:
            # A kong draws at once, so its tree ends three discards of others before that of a plain discard. To its
            # worth is added what the best plain discard gains from its last layer.
            sooner = yield from self._discards(states, seat, self.depth - 1)
            gain = np.nanmax(worth[:KINDS]) - np.nanmax(sooner)
        for a in others:
            after = states.copy()
            self._kernel(tree.imagine)(after, seat, a)
            if after["to_move"][0] == seat:
                worth[a] = np.nanmax((yield from self._discards(after, seat, self.depth - 1)))
            else:
                worth[a] = gain + (yield from self._draw(after, seat, 1))
        return worth

    def _kernel(self, kernel: Kernel) -> Kernel:
        return bind(kernel, self.game)

    def _discards(self, states: np.ndarray, seat: int, depth: int) -> Asking:
        """Find what the discards (34,) of a turn are worth, `depth` layers deep; NaN for those not followed."""
        root, drawing = self.discarding[0], self.drawing[0]
        allowed, worth = np.zeros(KINDS, np.int8), np.full(KINDS, np.nan)
        self._kernel(tree.mark_discards)(states, allowed)
        self._set_root(states, seat, root)
        draws = self._draws(states, SEATS)
        q = yield self._hands(states, seat, draws, root)
        self.nodes += 1
        depth = min(depth, draws)
        if depth == 0:
            self.leaves += 1
            worth[allowed > 0] = q[0, allowed > 0]
        else:
            self._clear(drawing)
            self._kernel(tree.add_discards)(root, allowed, q, self.tenths, drawing)
            values = yield from self._follow(states, seat, SEATS, draws, depth, discarded=True)
            followed = root.branch[0][root.branch[0] >= 0]
            worth[(drawing.tiles[followed] < root.tiles[0]).argmax(axis=1)] = values[followed]
        if self.danger is not None:
            need = MOST_MELDS - int(states["melds"][0, seat])
            chances, lost = self.danger(Hands(states, seat, need, draws, root.tiles[:1], root.unseen[:1]))
            worth -= chances * (worth + lost)
        return worth

    def _passed(self, states: np.ndarray, seat: int) -> Asking:
        """Find what a hand is worth if it lets an offered tile pass."""
        ahead = (seat - int(states["turn"][0])) % SEATS
        if self._draws(states, ahead) > 0:
            return (yield from self._draw(states, seat, ahead))
        # The evaluator can only value discards: a hand without a draw is valued as if it discarded the tile offered.
        root, offer = self.discarding[0], int(states["offer"][0])
        self._set_root(states, seat, root)
        root.tiles[0, offer] += 1
        self.nodes += 1
        self.leaves += 1
        return float((yield self._hands(states, seat, 0, root))[0, offer])

    def _draw(self, states: np.ndarray, seat: int, ahead: int) -> Asking:
        """Find what a hand is worth if it draws next, taking the last of `ahead` live tiles."""
        self._set_root(states, seat, self.drawing[0])
        draws = self._draws(states, ahead)
        values = yield from self._follow(states, seat, ahead, draws, min(self.depth, draws), discarded=False)
        return float(values[0])

    def _draws(self, states: np.ndarray, ahead: int) -> int:
        """Count the draws that a seat still has, the next one taking the last of `ahead` live tiles."""
        spare = int(self._kernel(tree.live_tiles)(states)) - ahead
        return 1 + spare // SEATS if spare >= 0 else 0

    def _set_root(self, states: np.ndarray, seat: int, level: tree.Level) -> None:
        self._clear(level)
        self._kernel(tree.add_root)(states, seat, np.zeros(KINDS, np.int64), level)

    def _clear(self, level: tree.Level) -> None:
        level.size[0] = level.slots[:] = 0

    def _hands(self, states: np.ndarray, seat: int, draws: int, level: tree.Level) -> Hands:
        n, need = int(level.size[0]), MOST_MELDS - int(states["melds"][0, seat])
        return Hands(states, seat, need, draws, level.tiles[:n], level.unseen[:n])

    def _follow(self, states: np.ndarray, seat: int, ahead: int, draws: int, depth: int, *, discarded: bool) -> Asking:
        """Find what the nodes (n,) of the first level of draws are worth, after entering `depth` layers below them."""
        q = np.empty(0)
        for t in range(depth):
            drawing, discarding = self.drawing[t], self.discarding[t + 1]
            if t > 0:
                self._clear(drawing)
                self._kernel(tree.add_discards)(self.discarding[t], EVERY, q, self.tenths, drawing)
            scene = states.copy()
            self._kernel(tree.foresee)(scene, seat, ahead + SEATS * t, discarded or t > 0)
            self._clear(discarding)
            self._kernel(tree.add_draws)(drawing, scene, seat, discarding)
            self.nodes += int(drawing.size[0] + discarding.size[0])
            q = yield self._hands(states, seat, draws - t - 1, discarding)
        values = np.empty(int(self.discarding[depth].size[0]))
        self.leaves += values.size
        self._kernel(tree.value_leaves)(self.discarding[depth], q, values)
        for t in reversed(range(depth)):
            after, values = values, np.empty(int(self.drawing[t].size[0]))
            self._kernel(tree.value_draws)(self.drawing[t], after, values)
            if t > 0:
                after, values = values, np.empty(int(self.discarding[t].size[0]))
                self._kernel(tree.value_discards)(self.discarding[t], after, values)
        return values


def _make_levels(tenths: int, depth: int) -> tuple[list[tree.Level], list[tree.Level]]:
    """Allocate the draw nodes of every layer, and the discard nodes before the first layer and after each."""
    most = int(tree.branches(tree.WIDEST, tenths))  # type: ignore[no-untyped-call]
    discarding, drawing, rows = [tree.make_level(1, draws=False)], [], 1
    for _ in range(depth):
        rows *= most
        drawing.append(tree.make_level(rows, draws=True))
        rows *= KINDS
        discarding.append(tree.make_level(rows, draws=False))
    return drawing, discarding
