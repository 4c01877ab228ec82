"""`mcts`: Monte Carlo tree search with UCT (Kocsis and Szepesvari 2006) and random playouts, all in kernels."""

from __future__ import annotations

import time

import numpy as np

from ..envs.bind import bind
from ..envs.kernels import step_one
from ..envs.spec import Game, Param
from ..envs.view import View
from .agent import Agent
from .tree import child_of, keep, locate, make_tree, put, search

DEPTH = 512  # longest path of a simulation inside the tree
LOOKAHEAD = 16  # most actions and chance events between two decisions that the search for a kept subtree follows
TIMED_NODES = 1_000_000  # size of the tree when the search is limited by time


class Memory:
    """The trees of one game in progress: the one in use and the one that the kept part is copied to."""

    def __init__(self, game: Game, nodes: int) -> None:
        self.tree, self.spare = make_tree(nodes), make_tree(nodes)
        self.old = np.zeros(nodes, np.int32)
        self.root = np.zeros(1, game.dtype)
        self.action = -1
        self.episode = -1

    @property
    def nbytes(self) -> int:
        return self.tree.nbytes + self.spare.nbytes + self.old.nbytes


class MCTS(Agent):
    """Tree search with random playouts; deterministic for a seed when counted in simulations."""

    name = "mcts"
    params = {
        "sims": Param(1000, "simulations per decision", low=1, high=10**9),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(0.3, "weight of exploration, for returns scaled to [0, 1]", low=0.0, high=100.0),
        "nodes": Param(0, "size of the tree; 0: enough for the simulations", low=0, high=2**31 - 1),
        "reuse": Param(True, "keep the part of the tree that was played, where nothing is hidden"),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.sims, self.seconds, self.c = self.values["sims"], self.values["seconds"], self.values["c"]
        self.nodes = self.values["nodes"] or (TIMED_NODES if self.seconds else 4 * self.sims + 1000)
        self.memories: dict[int, Memory] = {}
        self.game: Game | None = None

    def act(self, view: View) -> np.ndarray:
        view.check()
        return np.array([int(self.visits(view, k).argmax()) for k in range(view.row.size)], np.int64)

    def visits(self, view: View, k: int = 0) -> np.ndarray:
        """Search game k of a view; return how often each action (actions,) was visited, ties broken by value."""
        game = view.game
        if game != self.game:
            self.game, self.memories = game, {}
        row = int(view.row[k])
        if row not in self.memories:
            self.memories[row] = Memory(game, self.nodes)
        memory = self.memories[row]
        self._plant(memory, view, k)
        self._grow(memory, view, k)
        counts = np.zeros(game.actions)
        tree = memory.tree
        i = tree.child[0]
        while i:
            counts[tree.action[i]] = tree.visits[i] + tree.total[i] / (tree.visits[i] + 1.0) / 2
            i = tree.sibling[i]
        memory.action = int(counts.argmax())
        return counts

    def _plant(self, memory: Memory, view: View, k: int) -> None:
        """Make the position the root: the part of the old tree that leads on from it, or a new tree."""
        game, target = view.game, view.states[k : k + 1]
        node = -1
        if self.values["reuse"] and memory.episode == view.episode[k] and not game.spec.hidden:
            node = self._find(memory, game, target)
        if node >= 0:
            bind(keep, game)(memory.tree, node, memory.spare, memory.old)
            memory.tree, memory.spare = memory.spare, memory.tree
        else:
            memory.tree.size[0] = 1
            bind(put, game)(memory.tree, 0, 0)
        memory.root[:] = target
        memory.episode = int(view.episode[k])

    def _find(self, memory: Memory, game: Game, target: np.ndarray) -> int:
        start = bind(child_of, game)(memory.tree, 0, memory.action)
        if not start:
            return -1
        stack = np.repeat(memory.root, LOOKAHEAD)
        bind(step_one, game)(stack, memory.action)
        cursor = np.zeros(LOOKAHEAD, np.int64)
        return int(bind(locate, game)(memory.tree, start, stack, cursor, target))

    def _grow(self, memory: Memory, view: View, k: int) -> None:
        game, run = view.game, bind(search, view.game)
        scratch = (np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes)))
        path, movers = np.zeros(DEPTH, np.int64), np.zeros(DEPTH, np.int64)
        r = np.zeros(game.seats, np.float32)

        def simulations(count: int) -> None:
            run(
                memory.tree, memory.root, memory.root.copy(), count, view.seat[k], game.spec.hidden,
                self.c, game.low, game.high, view.rng[k], *scratch, path, movers, r,
            )  # fmt: skip

        if not self.seconds:
            simulations(self.sims)
            return
        started, done, chunk = time.perf_counter(), 0, 16
        while (spent := time.perf_counter() - started) < self.seconds:
            simulations(chunk)
            done += chunk
            # Aim at a look on the clock every hundredth of the time that is left.
            rate = done / max(time.perf_counter() - started, 1e-6)
            chunk = max(1, int(rate * (self.seconds - spent) / 100))
