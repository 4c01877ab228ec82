"""`puct`: tree search guided by priors and values, as in AlphaZero and the two published systems that follow it.

One tree a game; the leaves of all games are judged together, by any `Evaluator`. Options name the published choices of
the systems for Tibetan Jiu chess (Li and others: ``c=3.5``, ``backup=leaf``) and for EinStein (CN110119804A: ``c=5``,
``backup=children``, in training ``noise=published``) beside AlphaZero's own practice (``noise=root``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, check_duel
from .clock import ANY, run_until
from .evaluators import Evaluator, Handmade, Playouts
from .puct_kernels import (
    Asked,
    Leaves,
    Planted,
    Scratch,
    Terms,
    gather_rows,
    part,
    select_rows,
    stir_rows,
    update_rows,
)
from .tree import DEPTH, TIMED_NODES, Tree, find_played, keep, make_tree, put

MOST_NODES = 4_000_000  # largest tree that nobody asked for by name


class Searched(NamedTuple):
    """What a search found in m games: how often each action was visited, int64 (m, actions), what those visited are
    worth to the mover in [-1, 1], NaN for the others, float64 (m, actions), and the value of the position (m,).
    """

    visits: np.ndarray
    worth: np.ndarray
    value: np.ndarray


class Memory:
    """What is remembered of a game in progress: where its tree lies, and the decision that it was grown for."""

    def __init__(self, slot: int) -> None:
        self.slot = slot
        self.root = np.zeros(0)
        self.action = self.episode = -1


class Forest:
    """The trees of all games in progress, equally large, in one block that grows with the games.

    There is one more, free one, to which the part of a tree that is to be kept is copied.
    """

    def __init__(self, game: Game, nodes: int) -> None:
        self.game, self.nodes = game, nodes
        self.trees = self._allocate(1)
        self.free = 0
        self.old = np.zeros(nodes, np.int32)
        self.memories: dict[int, Memory] = {}

    @property
    def nbytes(self) -> int:
        return self.trees.nbytes + self.old.nbytes

    def _allocate(self, slots: int) -> Tree:
        return make_tree(slots * self.nodes, prior=True)._replace(size=np.zeros(slots, np.int64))

    def plant(self, view: View, *, reuse: bool) -> Planted:
        """Make the positions of a view roots, of what is known of them or of new trees; return the trees."""
        rows = [int(row) for row in view.row]
        new = [row for row in rows if row not in self.memories]
        self._make_room(1 + len(self.memories) + len(new))
        for row in new:
            self.memories[row] = Memory(1 + len(self.memories))
        for k, row in enumerate(rows):
            self._plant_one(self.memories[row], view.states[k : k + 1], int(view.episode[k]), reuse)
        slots = np.array([self.memories[row].slot for row in rows], np.int64)
        return Planted(self.trees, self.nodes, slots)

    def _make_room(self, slots: int) -> None:
        before, have = self.trees, self.trees.size.size
        if slots <= have:
            return
        self.trees = self._allocate(max(slots, have + have // 2))
        self.trees.size[:have] = before.size
        for slot in range(have):
            # Pages that no tree has reached yet stay untouched, so that they take no memory.
            used = slice(slot * self.nodes, slot * self.nodes + int(before.size[slot]))
            for array, room in zip(before[1:], self.trees[1:], strict=True):
                room[used] = array[used]

    def _plant_one(self, memory: Memory, target: np.ndarray, episode: int, reuse: bool) -> None:
        known = -1
        action, memory.action = memory.action, -1  # whatever is broken off leaves no tree without its root
        if reuse and action >= 0 and memory.episode == episode:
            known = find_played(self.game, self.tree(memory.slot), memory.root, action, target)
        if known >= 0:
            bind(keep, self.game)(self.tree(memory.slot), known, self.tree(self.free), self.old)
            memory.slot, self.free = self.free, memory.slot
        else:
            tree = self.tree(memory.slot)
            tree.size[0] = 1
            bind(put, self.game)(tree, 0, 0)
        memory.root, memory.episode = target.copy(), episode

    def tree(self, slot: int) -> Tree:
        """Find one of the trees."""
        return part(self.trees, slot, self.nodes)  # type: ignore[no-untyped-call]


class PUCT(Agent):
    """Tree search guided by an evaluator: Q + c P sqrt(N) / (1 + n) chooses what to look at.

    `evaluator` may also be an object, an `Evaluator` of the game that is to be played. Memory is 25 bytes a node, a
    tree of `nodes` for every row of the view and one more.
    """

    name = "puct"
    params = {
        "sims": Param(400, "simulations per decision, the first of which only opens the root", low=2, high=10**9),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(3.5, "weight of exploration, for values in [-1, 1]", low=0.0, high=1000.0),
        "fpu": Param(0.0, "what a move not yet visited is held to be worth (backup=leaf)", low=-1.0, high=1.0),
        "evaluator": Param(
            "auto",
            "the game's evaluation, or one random playout; auto: what there is",
            choices=("auto", "evaluate", "playout"),
        ),
        "backup": Param(
            "leaf", "value a leaf alone, or all boards after its moves as well", choices=("leaf", "children")
        ),
        "chance": Param("sample", "value dice by what is drawn, or average outcomes", choices=("sample", "expected")),
        "temperature": Param(0.0, "play by visits ** (1 / temperature); 0: the most visited", low=0.0, high=100.0),
        "noise": Param(
            "none",
            "published: in the shares of visits, of which the largest is played; root: in the priors of the root",
            choices=("none", "published", "root"),
        ),
        "noise_share": Param(0.25, "share of the noise", low=0.0, high=1.0),
        "dirichlet": Param(0.03, "concentration of the noise", low=0.0001, high=1000.0),
        "nodes": Param(0, "size of a tree; 0: enough for the simulations, up to 4 million", low=0, high=2**31 - 1),
        "reuse": Param(True, "keep the part of the tree that was played"),
    }

    def __init__(self, *, evaluator: str | Evaluator = "auto", **values: Any) -> None:
        named = isinstance(evaluator, str)
        super().__init__(**values, **({"evaluator": evaluator} if named else {}))
        self.given = None if isinstance(evaluator, str) else evaluator
        self.sims, self.seconds = self.values["sims"], self.values["seconds"]
        self.game: Game | None = None
        self.forest: Forest
        self.evaluator: Evaluator | Handmade | Playouts

    def fit(self, game: Game) -> None:
        check_duel(game, "puct cannot search")
        if game != self.game:
            self.evaluator = self.given or self._named_evaluator(game)
            self.forest = Forest(game, self._nodes(game))
            self.game = game

    def _named_evaluator(self, game: Game) -> Handmade | Playouts:
        name = self.values["evaluator"]
        by_playout = name == "playout" or (name == "auto" and not game.has("evaluate"))
        return Playouts(game) if by_playout else Handmade(game)

    def _nodes(self, game: Game) -> int:
        """Choose the size of a tree, which at least holds the root and its moves."""
        outcomes = 1 + game.chance_outcomes
        enough = TIMED_NODES if self.seconds else min(2 * self.sims * (game.actions + outcomes), MOST_NODES)
        return max(self.values["nodes"] or enough, 1 + game.actions)

    def act(self, view: View) -> np.ndarray:
        return self.play(view)[0]

    def play(self, view: View) -> tuple[np.ndarray, Searched]:
        """Choose an action (m,) for each game as `act` does, and return with them what the search found."""
        # What is drawn at random beside the search must not hang on the other games.
        generators = [np.random.default_rng(stream) for stream in view.rng]
        searched = self._search(view, generators)
        actions = np.array(
            [self._choose(searched, k, generators[k], view.mask[k]) for k in range(view.row.size)], np.int64
        )
        for row, action in zip(view.row, actions, strict=True):
            self.forest.memories[int(row)].action = int(action)
        return actions, searched

    def search(self, view: View) -> Searched:
        """Search the games of a view; as nobody says what will be played, the trees serve this decision alone."""
        return self._search(view, [np.random.default_rng(stream) for stream in view.rng])

    def value(self, view: View, k: int = 0) -> float:
        return float(self.search(view.take(np.array([k]))).value[0])

    def _search(self, view: View, generators: list[np.random.Generator]) -> Searched:
        view.check()
        self.fit(view.game)
        m, game = view.row.size, view.game
        planted = self.forest.plant(view, reuse=self.values["reuse"])
        run = self._simulations(view, planted)
        started = time.perf_counter()
        run(1)
        if self.values["noise"] == "root":
            noise = np.stack([self._noise(generators[k], view.mask[k]) for k in range(m)])
            bind(stir_rows, game)(planted, noise, self.values["noise_share"])
        until = started + sum(view.seconds(k, self.seconds) for k in range(m))
        run_until(until, run, most=ANY if self.seconds else self.sims - 1)
        visits, worth = np.zeros((m, game.actions), np.int64), np.full((m, game.actions), np.nan)
        found = Searched(visits, worth, np.zeros(m))
        bind(gather_rows, game)(planted, view.seat, *found)
        return found

    def _simulations(self, view: View, planted: Planted) -> Callable[[int], None]:
        """Prepare a function that runs so many simulations in every game."""
        game, values, evaluator, m = view.game, self.values, self.evaluator, view.row.size
        averaged, valued = values["chance"] == "expected", values["backup"] == "children"
        terms = Terms(values["c"], values["fpu"], valued, averaged, game.low, game.high)
        scratch = Scratch(
            np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes)), np.zeros(game.seats, np.float32)
        )
        in_kernels = isinstance(evaluator, Handmade | Playouts)
        n = 1 if in_kernels else m
        leaves = Leaves(
            np.zeros(n, game.dtype),
            np.zeros(n, np.int8),
            np.zeros(n, np.int64),
            np.zeros(n, np.float32),
            np.zeros((n, DEPTH), np.int32),
            np.zeros((n, DEPTH), np.int8),
            np.zeros(n, np.int64),
        )
        room = n * (1 + valued * game.actions + averaged * game.chance_outcomes)
        asked = Asked(
            np.zeros(1, np.int64),
            np.zeros(n + 1, np.int64),
            np.zeros(room, game.dtype),
            np.zeros(room, np.int32),
            np.zeros(room, np.int64),
            np.zeros(room, np.float32),
        )
        walk = (planted, view.states.copy(), view.rng, leaves, asked, terms, scratch)

        if isinstance(evaluator, Handmade | Playouts):
            even = np.ones(game.actions, np.float32)
            return lambda count: evaluator.grow(*walk, count, even)

        priors = np.zeros((m, game.actions), np.float32)
        select, update = bind(select_rows, game), bind(update_rows, game)

        def simulate(count: int) -> None:
            for _ in range(count):
                select(*walk)
                going, more = np.flatnonzero(leaves.kind), int(asked.size[0])
                if going.size:
                    priors[going], leaves.value[going] = evaluator.evaluate(leaves.states[going], leaves.seat[going])
                if more:
                    asked.value[:more] = evaluator.values(asked.states[:more], asked.seat[:more])
                update(planted, leaves, asked, priors, terms)

        return simulate

    def _noise(self, generator: np.random.Generator, mask: np.ndarray) -> np.ndarray:
        """Draw noise (actions,) that sums to 1 over the legal actions."""
        noise, legal = np.zeros(mask.size), np.flatnonzero(mask)
        noise[legal] = generator.dirichlet(np.full(legal.size, self.values["dirichlet"]))
        return noise

    def _choose(self, searched: Searched, k: int, generator: np.random.Generator, mask: np.ndarray) -> int:
        visits, temperature, share = searched.visits[k], self.values["temperature"], self.values["noise_share"]
        if self.values["noise"] == "published":
            mixed = (1 - share) * shares(visits, temperature) + share * self._noise(generator, mask)
            return int(mixed.argmax())
        if temperature:
            return int(generator.choice(visits.size, p=shares(visits, temperature)))
        # Of equally often visited actions the better one.
        return int((visits + np.nan_to_num(searched.worth[k], nan=-1.0) / 4).argmax())


def shares(visits: np.ndarray, temperature: float) -> np.ndarray:
    """Turn visits (actions,) into shares, visits ** (1 / temperature); in the limit of 0 the most visited have all."""
    relative = visits / visits.max()
    weights: np.ndarray = relative ** (1 / temperature) if temperature else (relative == 1).astype(np.float64)
    return weights / weights.sum()
