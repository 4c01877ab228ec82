"""`alphabeta`: iterative deepening over turns with a game's evaluation, for two seats who see everything."""

from __future__ import annotations

import math
import time
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.kernels import step_one
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, check_duel
from .alphabeta_kernels import EVERY, HORIZON, LIMIT, NODES, begin, iterate, make_levels, start_iteration
from .evaluation import WIN, Evaluation, evaluation
from .foresight import Foresight
from .insight import NO_INSIGHT, find_insight
from .transpositions import GENERATIONS, make_table

LEVELS = 128  # most actions that a search looks ahead
DEEPEST = 100  # turns
USUAL_NODES = 50_000  # where nothing limits the search
LOOK = 0.002  # seconds between looks at the clock
STRETCH = 512  # positions between looks at proofs
LEAST = 1 / 8  # least share of a turn's time or nodes that a search in the middle of the turn gets


class Found(NamedTuple):
    """What a search found: its action, its value for the mover, the turns of its last full iteration, the positions
    it met, and the line of actions it expects.
    """

    action: int
    value: int
    depth: int
    nodes: int
    line: list[int]


class Plan(NamedTuple):
    """What is left of a turn's line in one game: the position it goes on from, and what the turn has cost."""

    episode: int
    seat: int
    ply: int
    states: np.ndarray
    line: list[int]
    seconds: float
    nodes: int


class Workspace:
    """The arrays in which positions of one game are searched, and the kernels that do it; `nbytes` is all they take."""

    def __init__(
        self, game: Game, found: Evaluation, entries: int, proofs: float, examine: int, states: np.ndarray
    ) -> None:
        self.game = game
        self.window, self.margin = max(1, round(found.scale / 4)), max(1, round(found.scale / 8))
        self.states, self.notes = np.repeat(game.blank, LEVELS), np.repeat(found.notes, LEVELS)
        insight = find_insight(game) if examine else NO_INSIGHT
        self.levels, self.table = make_levels(LEVELS, game.actions, insight.notes), make_table(entries)
        self.levels.least[0] = examine
        self.r, self.generation = np.zeros(2, np.float32), 0
        self.foresight = Foresight(game, proofs)
        self.begin, self.start_iteration, self.iterate = (
            bind(kernel, game, None, **found.kernels, **insight.kernels) for kernel in (begin, start_iteration, iterate)
        )
        # Compiling for such positions must not count as thinking.
        self.prepare(states)
        self.start_iteration(self.levels, 1, -LIMIT, LIMIT)
        self.go_on(0, 0, 0, selective=True)
        for prover in self.foresight.provers:
            prover.ask(states)
            prover.wins(0)

    @property
    def nbytes(self) -> int:
        return (
            sum(array.nbytes for array in (self.states, self.notes, self.table, *self.levels)) + self.foresight.nbytes
        )

    def go_on(self, quiescence: int, width: int, budget: int, *, selective: bool) -> bool:
        """Go on with an iteration until it ends or `budget` positions have been met; return whether it ended."""
        margin = self.margin if selective else 0
        where = self.levels, self.states, self.notes, self.table, self.generation
        return bool(self.iterate(*where, quiescence, width, margin, self.game.low, self.game.high, self.r, budget))

    def prepare(self, states: np.ndarray) -> None:
        """Start from the position ``states[0]``, with a table that counts as empty."""
        self.states[:1] = states
        self.begin(self.levels, self.states, self.notes)
        self.foresight.prepare(states)
        self.generation += 1
        if self.generation > GENERATIONS:
            self.table["about"] = 0
            self.generation = 1

    def bar(self, mask: np.ndarray) -> None:
        """Leave out the legal actions in `mask` (actions,) that are known to lose, as long as something is left."""
        if (mask > self.foresight.lost).any():
            self.levels.barred[:] = self.foresight.lost
        else:
            self.levels.barred[:] = 0
            self.foresight.rest()


class AlphaBeta(Agent):
    """Searches with alpha-beta to a depth in turns, or as deep as time or positions allow, and plays whole turns."""

    name = "alphabeta"
    params = {
        "depth": Param(0, "turns to look ahead; 0: until another limit", low=0, high=DEEPEST),
        "seconds": Param(0.0, "time per turn, where above 0", low=0.0, high=86400.0),
        "nodes": Param(
            0, f"positions met per turn; 0: until another limit, {USUAL_NODES} where there is none", low=0, high=10**12
        ),
        "table": Param(1 << 20, "positions remembered, 16 bytes each; a power of 2 is used", low=0, high=2**31 - 1),
        "quiescence": Param(4, "turns that begin with tactics beyond the depth", low=0, high=20),
        "width": Param(
            0,
            "actions tried in a position; 0: those that the game names; all: every legal one",
            low=0,
            high=2**31 - 1,
            choices=("all",),
        ),
        "selective": Param(True, "search less where that seldom changes the choice"),
        "proofs": Param(
            5, "positions examined to prove a win or a loss, for every 100 that the search meets", low=0, high=1000
        ),
        "examine": Param(
            3,
            "fewest turns to go for a position to be examined for who wins and which moves matter (hex); 0: none is",
            low=0,
            high=DEEPEST,
        ),
        "evaluation": Param(
            "handmade", "the game's own, or one learned from games (jiu)", choices=("handmade", "learned")
        ),
    }

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.seconds, self.depth = self.values["seconds"], self.values["depth"] or DEEPEST
        limited = self.seconds or self.values["depth"] or self.values["nodes"]
        self.nodes = self.values["nodes"] or (10**15 if limited else USUAL_NODES)
        self.width = EVERY if self.values["width"] == "all" else self.values["width"]
        self.workspace: Workspace | None = None
        self.plans: dict[int, Plan] = {}
        self.found: Found | None = None
        """What the latest search found."""

    def fit(self, game: Game) -> None:
        check_duel(game, "alphabeta cannot search", dice=False)
        self._evaluation(game)

    def _evaluation(self, game: Game) -> Evaluation:
        return evaluation(game, self.name, learned=self.values["evaluation"] == "learned")

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        return np.array([self._decide(view, k) for k in range(view.row.size)], np.int64)

    def _decide(self, view: View, k: int) -> int:
        """Choose in game k of a view: go on with the turn that was planned there, or search."""
        row, seat, states = int(view.row[k]), int(view.seat[k]), view.states[k : k + 1]
        episode, ply = int(view.episode[k]), int(states["ply"][0])
        plan, line = self.plans.get(row), []
        seconds, nodes = 0.0, 0
        if plan is not None and (plan.episode, plan.seat, plan.ply) == (episode, seat, ply):
            seconds, nodes = plan.seconds, plan.nodes
            if (plan.states == states).all():
                line = plan.line
        if not line:
            started = time.perf_counter()
            found = self.search(view, k, seconds, nodes)
            seconds, nodes, line = seconds + time.perf_counter() - started, nodes + found.nodes, found.line
        expected = states.copy()
        bind(step_one, view.game)(expected, line[0])
        self.plans[row] = Plan(episode, seat, ply + 1, expected, line[1:], seconds, nodes)
        return line[0]

    def expects(self, view: View, k: int, action: int) -> list[int]:
        return self.plans[int(view.row[k])].line

    def value(self, view: View, k: int = 0) -> float:
        view.check()
        self.fit(view.game)
        found, scale = self.search(view, k, forced=True), self._evaluation(view.game).scale
        return math.copysign(1.0, found.value) if abs(found.value) > WIN else math.tanh(found.value / scale)

    def search(self, view: View, k: int = 0, seconds: float = 0.0, nodes: int = 0, *, forced: bool = False) -> Found:
        """Search game k of a view, whose turn in progress has already cost `seconds` and `nodes`.

        A single legal action is not searched, and has no value, unless the search is `forced`.
        """
        space = self.workspace
        if space is None or space.game != view.game:
            self.plans = {}
            space = self.workspace = Workspace(
                view.game,
                self._evaluation(view.game),
                self.values["table"],
                self.values["proofs"] / 100,
                self.values["examine"],
                view.states[k : k + 1],
            )
        legal = np.flatnonzero(view.mask[k])
        if legal.size == 1 and not forced:
            self.found = Found(int(legal[0]), 0, 0, 0, [int(legal[0])])
        else:
            space.prepare(view.states[k : k + 1])
            usual = view.seconds(k, self.seconds)
            spare = max(usual - seconds, usual * LEAST)
            spare_nodes = max(self.nodes - nodes, int(self.nodes * LEAST), 1)
            self.found = self._deepen(space, view, k, spare, spare_nodes)
        return self.found

    def _deepen(self, space: Workspace, view: View, k: int, seconds: float, nodes: int) -> Found:
        """Search deeper and deeper until a limit is met, or the outcome is certain."""
        levels, foresight, until = space.levels, space.foresight, time.perf_counter() + seconds
        line, value, depth = list[int](), 0, 0
        while depth < self.depth:
            low, high = (value - space.window, value + space.window) if depth > 1 else (-LIMIT, LIMIT)
            while True:
                space.start_iteration(levels, depth + 1, low, high)
                ended, news = self._run(space, until, nodes, view.hurry, line[0] if line else -1)
                if news:
                    break
                best = int(levels.best[0])
                if best > levels.floor[0]:
                    line, value = levels.line[0, : levels.length[0]].tolist(), best
                if not ended or low < best < high:
                    break
                low, high = (-LIMIT, high) if best <= low else (low, LIMIT)
            if news:
                if foresight.won >= 0:
                    return Found(foresight.won, WIN + 1, depth, int(levels.at[NODES]), [foresight.won])
                space.bar(view.mask[k])
                line, value = [], 0
                continue
            if not ended:
                break
            depth += 1
            if abs(value) > WIN or not levels.at[HORIZON] or levels.listed[0] == 1:
                break
        if not line:
            line = [int(levels.moves[0, 0])]
        return Found(line[0], value, depth, int(levels.at[NODES]), line)

    def _run(self, space: Workspace, until: float, nodes: int, hurry: Event | None, suspect: int) -> tuple[bool, bool]:
        """Go on with an iteration; return whether it ended within the limits, and whether proofs have ended it.

        `suspect` is the best action so far, or -1.
        """
        levels, unhurried = space.levels, math.isinf(until) and hurry is None
        quiescence, selective = self.values["quiescence"], self.values["selective"]
        chunk = STRETCH if unhurried else 32
        while True:
            met, now = int(levels.at[NODES]), time.perf_counter()
            # Proofs are looked at after the same numbers of positions, however often the clock is.
            pause = (met // STRETCH + 1) * STRETCH
            if space.go_on(quiescence, self.width, min(nodes, met + chunk, pause), selective=selective):
                return True, False
            before, met, after = met, int(levels.at[NODES]), time.perf_counter()
            if met == pause and space.foresight.look(met, suspect):
                return False, True
            if met >= nodes or after >= until or (hurry is not None and hurry.is_set()):
                return False, False
            if not unhurried:
                pace = min(LOOK, until - after) / max(after - now, 1e-6)
                chunk = max(1, int((met - before) * pace))
