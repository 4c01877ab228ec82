"""The trees of all games that a guided search has in progress."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from .puct_kernels import Planted, Plots, part, plant_rows
from .tree import LOOKAHEAD, Tree, make_tree

GROWTH = 1.5  # how many times larger the block of trees becomes when games are added one by one


class Forest:
    """The trees of all games in progress, equally large, in one block that grows with the games.

    One more tree is free; the part of a tree that is to be kept is copied to it.
    """

    def __init__(self, game: Game, nodes: int) -> None:
        self.game, self.nodes = game, nodes
        self.trees = self._allocate(1)
        self.plots = Plots(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, game.dtype), *_unknown(0))
        self.places: dict[int, int] = {}
        """Where in `plots` the games lie, by their rows."""
        self.scratch = np.zeros(nodes, np.int32), np.zeros(LOOKAHEAD, game.dtype), np.zeros(LOOKAHEAD, np.int64)

    @property
    def nbytes(self) -> int:
        return self.trees.nbytes + self.scratch[0].nbytes

    def _allocate(self, slots: int) -> Tree:
        return make_tree(slots * self.nodes, guided=True)._replace(size=np.zeros(slots, np.int64))

    def plant(self, view: View, *, reuse: bool) -> Planted:
        """Make the positions of a view roots, in known trees or else in new ones; return the trees."""
        rows = view.row.tolist()
        new = [row for row in rows if row not in self.places]
        if new:
            self._make_room(len(self.places) + len(new))
            self.places |= {row: place for place, row in enumerate(new, len(self.places))}
        which = np.array([self.places[row] for row in rows], np.int64)
        kernel = bind(plant_rows, self.game)
        kernel(self.trees, self.nodes, self.plots, which, view.states, view.episode, reuse, *self.scratch)
        return Planted(self.trees, self.nodes, self.plots.slots[which])

    def _make_room(self, games: int) -> None:
        """Make room for the trees of `games` games and the free one."""
        plots, have = self.plots, self.plots.slots.size
        slots = np.arange(have + 1, games + 1)
        states = np.concatenate([plots.states, np.zeros(slots.size, self.game.dtype)])
        names = [np.concatenate(pair) for pair in zip(plots[3:], _unknown(slots.size), strict=True)]
        self.plots = Plots(plots.free, np.concatenate([plots.slots, slots]), states, *names)
        before, have = self.trees, self.trees.size.size
        if games < have:
            return
        self.trees = self._allocate(max(games + 1, int(GROWTH * have)))
        self.trees.size[:have] = before.size
        for slot in range(have):
            # Pages that no tree has reached yet stay untouched, so that they take no memory.
            used = slice(slot * self.nodes, slot * self.nodes + int(before.size[slot]))
            self.trees.nodes[used] = before.nodes[used]

    def note(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Note which actions are played in games whose trees have just been grown."""
        self.plots.actions[[self.places[row] for row in rows.tolist()]] = actions

    def forget(self) -> None:
        """Let every game's next tree be a new one."""
        self.plots.actions[:] = -1

    def tree(self, row: int) -> Tree:
        """Find the tree of the game in a row."""
        return part(self.trees, self.plots.slots[self.places[row]], self.nodes)  # type: ignore[no-untyped-call]


def proven(planted: Planted) -> np.ndarray:
    """Say which roots (m,) are proven to be won or lost."""
    found: np.ndarray = planted.trees.nodes["proven"][planted.slots * planted.nodes] != 0
    return found


def _unknown(games: int) -> tuple[np.ndarray, np.ndarray]:
    """Make the actions and episodes of games about which nothing is known."""
    return np.full(games, -1, np.int64), np.full(games, -1, np.int64)
