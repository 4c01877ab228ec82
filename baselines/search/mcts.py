"""`mcts`: Monte Carlo tree search with UCT (Kocsis and Szepesvari 2006) and playouts, all in kernels.

All moves as first, first-play urgency, progressive widening, a game's own informed rollouts, and several trees at once
are optional. In zero-sum games of two seats where nothing is hidden, wins and losses are proven on the way.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.rng import below, combine
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, Weights
from .clock import ANY, run_until
from .knowledge import EXAMINE, learning_kernels, learns, make_knowledge
from .knowledge_kernels import Knowledge, learn
from .mcts_kernels import ALWAYS, Scratch, Settings, run_simulations
from .rollouts import find_rollout, rollout_notes
from .tree import DEPTH, LOOKAHEAD, TIMED_NODES, child_of, children, expected_line, find_played, keep, make_tree, put

MOST_NODES = 100_000_000  # largest tree, unless `nodes` asks for more


class Memory:
    """The trees of one game in progress: the one in use and the one that the kept part is copied to."""

    def __init__(self, game: Game, nodes: int, *, amaf: bool = False) -> None:
        self.tree, self.spare = make_tree(nodes, amaf=amaf), make_tree(nodes, amaf=amaf)
        self.old = np.zeros(nodes, np.int32)
        self.root = np.zeros(1, game.dtype)
        self.ahead = np.zeros(LOOKAHEAD, game.dtype), np.zeros(LOOKAHEAD, np.int64)
        self.action = -1
        self.episode = -1

    @property
    def nbytes(self) -> int:
        return self.tree.nbytes + self.spare.nbytes + self.old.nbytes


class MCTS(Agent):
    """Tree search with random or informed rollouts; deterministic for a seed when limited by simulations.

    A game in progress takes 46 bytes per node and thread, 62 with all moves as first; a full tree is still searched,
    but no longer grows. In hidden games every simulation plays in a world of its own, dealt from what the seat knows.
    """

    name = "mcts"
    params = {
        "sims": Param(1000, "simulations per decision", low=1, high=10**9),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(0.3, "weight of exploration, for returns scaled to [0, 1]", low=0.0, high=100.0),
        "nodes": Param(0, "size of the tree; 0: enough for the simulations", low=0, high=2**31 - 1),
        "reuse": Param(True, "keep the part of the tree that was played, where nothing is hidden"),
        "rave": Param(0.0, "visits worth as much as all moves as first, 0: off", low=0.0, high=1e9),
        "examine": EXAMINE,
        "fpu": Param(ALWAYS, f"value of an untried action; {ALWAYS:.0f}: each is tried first", low=-1.0, high=ALWAYS),
        "widen": Param(0.0, "actions considered after n visits: n to this power; 0: all", low=0.0, high=1.0),
        "prove": Param(True, "prove wins and losses, in zero-sum games of two seats with nothing hidden"),
        "rollouts": Param("random", "finish games at random or by the game's rule", choices=("random", "informed")),
        "threads": Param(1, "trees that are grown at once and share the simulations", low=1, high=256),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.sims, self.seconds, self.c = self.values["sims"], self.values["seconds"], self.values["c"]
        self.threads = self.values["threads"]
        if self.values["rave"] and self.values["widen"]:
            raise BoyiError(f"{self.name}: widen is for trees that try actions one by one, with rave=0")
        if self.values["examine"] and not (self.values["rave"] and self.values["prove"]):
            raise BoyiError(f"{self.name}: examine is for trees that hold all actions and prove, with rave above 0")
        self.nodes = self.values["nodes"] or (TIMED_NODES if self.seconds else self._enough())
        self.memories: dict[int, Memory] = {}
        self.helpers: dict[int, list[Memory]] = {}
        self.notes: list[Any] = []
        self.game: Game | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy without the threads."""
        return {**self.__dict__, "_pool": None}

    def _enough(self) -> int:
        """Count the nodes that the simulations of a few decisions need, up to `MOST_NODES`."""
        each = -(-self.sims // self.threads)
        return min((16 if self.values["rave"] else 4) * each + 1000, MOST_NODES)

    def fit(self, game: Game) -> None:
        if self.values["rave"] and game.spec.hidden:
            raise BoyiError(f"{self.name}: rave needs actions legal whatever is hidden, unlike those of {game}")
        if self.values["examine"] and not learns(game):
            raise BoyiError(f"{self.name}: positions of {game} cannot be examined for who wins: use examine=0")
        find_rollout(game, self.values["rollouts"] == "informed", self.values["rave"] > 0)

    def act(self, view: View) -> np.ndarray:
        view.check()
        return np.array([int(self.visits(view, k).argmax()) for k in range(view.row.size)], np.int64)

    def visits(self, view: View, k: int = 0) -> np.ndarray:
        """Search game k of a view; return how often each action (actions,) was visited, ties broken by value.

        A proven win takes all visits; a proven loss has none unless there is nothing else. Among actions that are still
        equal, one drawn from the decision's stream counts a trifle more.
        """
        game, row = view.game, int(view.row[k])
        if game != self.game:
            self._begin(game)
        if row not in self.memories:
            nodes, amaf = max(self.nodes, game.actions + 1), self.values["rave"] > 0
            self.memories[row], *self.helpers[row] = (Memory(game, nodes, amaf=amaf) for _ in range(self.threads))
        memories = [self.memories[row], *self.helpers[row]]
        for memory in memories:
            self._plant(memory, view, k)
        self._grow(memories, view, k)
        counts = _counts([memory.tree for memory in memories], int(view.seat[k]), view.mask[k])
        best = np.flatnonzero(counts == counts.max())
        chosen = best[bind(below, game)(_stream(view, k, self.threads), best.size)]
        counts[chosen] = np.nextafter(counts[chosen], np.inf)
        for memory in memories:
            memory.action = int(counts.argmax())
        return counts

    def weigh(self, view: View, k: int = 0) -> Weights:
        return Weights(np.where(view.mask[k], np.floor(self.visits(view, k)), np.nan), True)

    def so_far(self, view: View, k: int = 0) -> Weights:
        row = int(view.row[k])
        trees = [memory.tree for memory in (self.memories[row], *self.helpers[row])]
        return Weights(np.where(view.mask[k], np.floor(_counts(trees, int(view.seat[k]), view.mask[k])), np.nan), True)

    def expects(self, view: View, k: int, action: int) -> list[int]:
        if view.game.spec.hidden:  # every simulation had a world of its own
            return []
        return expected_line(view.game, self.memories[int(view.row[k])].tree, view.states[k : k + 1], action)

    def value(self, view: View, k: int = 0) -> float:
        action = int(self.visits(view, k).argmax())
        tree = self.memories[int(view.row[k])].tree
        node = int(bind(child_of, view.game)(tree, 0, action))
        if tree.proven[node]:
            return 1.0 if tree.proven[node] == view.seat[k] + 1 else -1.0
        return 2.0 * float(tree.total[node]) / float(tree.visits[node]) - 1.0

    def _begin(self, game: Game) -> None:
        """Forget earlier games and prepare for those of another kind."""
        self.fit(game)
        self.game, self.memories, self.helpers = game, {}, {}
        rave, spec = self.values["rave"], game.spec
        self.settings = Settings(
            c=self.c,
            fpu=self.values["fpu"],
            widen=self.values["widen"],
            rave=rave,
            examine=self.values["examine"],
            hidden=spec.hidden,
            proves=self.values["prove"] and game.seats == 2 and spec.zero_sum and not spec.hidden,
            low=game.low,
            high=game.high,
        )
        rollout = find_rollout(game, self.values["rollouts"] == "informed", rave > 0)
        learning = learning_kernels(game) if self.settings.examine else {}
        self.search = bind(run_simulations, game, None, rollout=rollout, **learning)
        self.knowledge = [make_knowledge(game, empty=not learning) for _ in range(self.threads)]
        self.notes = [rollout_notes(game, rollout) for _ in range(self.threads)]

    def _plant(self, memory: Memory, view: View, k: int) -> None:
        """Make the position the root: the part of the old tree that leads on from it, or a new tree."""
        game, target = view.game, view.states[k : k + 1]
        node = -1
        episode, memory.episode = memory.episode, -1  # so an interruption leaves no tree without its root
        if self.values["reuse"] and episode == view.episode[k] and not game.spec.hidden:
            node = bind(find_played, game)(memory.tree, memory.root, memory.action, target, *memory.ahead)
        # A position that was decided as soon as it was examined has nothing below it to choose from.
        if node >= 0 and (memory.tree.child[node] or not memory.tree.proven[node]):
            bind(keep, game)(memory.tree, node, memory.spare, memory.old)
            memory.tree, memory.spare = memory.spare, memory.tree
        else:
            memory.tree.size[0] = 1
            bind(put, game)(memory.tree, 0, 0)
        memory.root[:] = target
        memory.episode = int(view.episode[k])

    def _grow(self, memories: list[Memory], view: View, k: int) -> None:
        """Search from the root of every tree, each in a thread and from a stream of its own."""
        shares = [(self.sims + t) // self.threads for t in range(self.threads)][::-1]
        streams = [_stream(view, k, number) for number in range(self.threads)]
        work = list(zip(memories, shares, streams, self.notes, self.knowledge, strict=True))
        seat, until = int(view.seat[k]), time.perf_counter() + view.seconds(k, self.seconds)
        others = [self._threads().submit(self._simulate, seat, until, view.hurry, *args) for args in work[1:]]
        self._simulate(seat, until, view.hurry, *work[0])
        for other in others:
            other.result()

    def _simulate(
        self,
        seat: int,
        until: float,
        hurry: Event | None,
        memory: Memory,
        sims: int,
        rng: np.ndarray,
        notes: Any,
        knowledge: Knowledge,
    ) -> None:
        """Search one tree for `sims` simulations, or for its time where it has seconds; never beyond `until`."""
        game, tree, board = self.game, memory.tree, memory.root.copy()
        assert game is not None
        scratch = Scratch(
            mask=np.zeros(game.actions, np.int8),
            p=np.zeros(max(1, game.chance_outcomes)),
            used=np.zeros((game.seats, game.actions), np.int8),
            path=np.zeros(DEPTH, np.int64),
            movers=np.zeros(DEPTH, np.int64),
            r=np.zeros(game.seats, np.float32),
        )
        settings = self.settings
        knowledge.owners[:] = 0  # nodes have other names in every tree, and are numbered anew when one is kept
        if settings.examine and not tree.proven[0]:
            look = bind(learn, game, None, **learning_kernels(game))
            winner = int(look(tree, memory.root, scratch.path, 1, knowledge))
            if winner == seat:
                tree.proven[0] = seat + 1
            elif winner >= 0:  # lost, which the other seat may not know: search on as if nobody did
                settings = settings._replace(examine=0)

        def simulations(count: int) -> None:
            self.search(tree, memory.root, board, count, seat, settings, rng, notes, scratch, knowledge)

        run_until(until, simulations, lambda: bool(tree.proven[0]), most=ANY if self.seconds else sims, hurry=hurry)

    def _threads(self) -> ThreadPoolExecutor:
        # A forked child inherits the pool object but none of its threads.
        if self._pool is None or self._pool_pid != os.getpid():
            self._pool, self._pool_pid = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool


def _stream(view: View, k: int, number: int) -> np.ndarray:
    """Open one of the streams that the decision in game k of a view draws from: a tree's, or the one after them."""
    return np.array([bind(combine, view.game)(view.rng[k, 0], np.uint64(number)), view.rng[k, 1]], np.uint64)


def _counts(trees: list[Any], seat: int, mask: np.ndarray) -> np.ndarray:
    """Add up how often each action was visited in all trees, and let what is proven in any of them decide."""
    visits, total, proven = np.zeros((3, mask.size))
    for tree in trees:
        for i in children(tree, 0):
            a = tree.action[i]
            visits[a] += tree.visits[i]
            total[a] += tree.total[i]
            proven[a] = max(proven[a], tree.proven[i])
    counts = visits + total / (visits + 1.0) / 2
    won, lost = proven == seat + 1, (proven > 0) & (proven != seat + 1)
    if won.any():
        return np.where(won, np.maximum(counts, 1.0), 0.0)
    if (counts[~lost] > 0).any():
        return np.where(lost, 0.0, counts)
    unknown = (mask > 0) & ~lost
    # Moves missing from a tree that is proven lost also lose, or are no better.
    settled = any(tree.proven[0] for tree in trees)
    return counts if settled or not unknown.any() else unknown.astype(np.float64)
