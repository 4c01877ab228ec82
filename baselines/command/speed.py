"""`boyi speed`: this package beside its peers, measured in one run.

Each repeat runs ours and the peer's in turn, and a claim is the minimum and the median of the repeats' ratios: machines
are shared and noisy, and a ratio of two neighbours in time survives that better than a rate. Both sides choose random
moves cheaply, so that the environment is what is measured.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import typer
from rich.console import Console, RenderableType
from rich.table import Table

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError, is_number
from ...envs.engine.facts import facts
from ...envs.engine.kernels import random_games
from ...envs.engine.machine import machine
from ...envs.engine.spec import Game, find
from ...envs.faces.aec import AEC
from ..arena.printing import show, text_table
from ..players.greedy_kernels import greedy_games
from ..search.mcts import MCTS
from . import peers
from .peers import ROWS, SCAN, SIMULATIONS, Meter, aec, timed

SLICES = 5
ACTIONS = 6000  # about the most in the whole games of one compiled call
LONG = 1000  # actions of a game beyond which searches are measured with fewer simulations

PEERS = ("pettingzoo", "open_spiel", "pgx", "jax", "rlcard")
LEARNERS = ("gymnasium", "torch", "stable_baselines3", "mctx", "pgx", "jax")


@dataclass
class Row:
    """One line of the table: what is measured, in which unit, ours and, where there is one, the peer's."""

    what: str
    unit: str
    ours: Meter
    peer_name: str = ""
    peer: Meter | None = None
    goal: float | None = None
    rates: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    def repeat(self, seconds: float) -> None:
        """Measure both sides once more, in turn in slices of time: the median slice counts."""
        slices = [(self.ours(seconds / SLICES), self.peer and self.peer(seconds / SLICES)) for _ in range(SLICES)]
        self.rates.append(statistics.median(ours for ours, _ in slices))
        if self.peer is not None:
            self.ratios.append(statistics.median(ours / peer for ours, peer in slices if peer))

    def cells(self) -> list[str]:
        """Format the line: rate, peer, peer's rate, smallest and median ratio, goal; without a peer our own rates."""
        rate = statistics.median(self.rates)
        head = [self.what, f"{_short(rate)} {self.unit}", self.peer_name]
        if not self.ratios:
            goal = "" if self.goal is None or self.peer_name else _short(self.goal)
            return [*head, "", _short(min(self.rates)), _short(rate), goal]
        least, middle = min(self.ratios), statistics.median(self.ratios)
        goal = "" if self.goal is None else f"{self.goal:g}x"
        return [*head, _short(rate / middle), f"{least:.1f}x", f"{middle:.1f}x", goal]


def speed(
    game: Annotated[str, typer.Argument(help="A game.")] = "hex",
    repeats: Annotated[int, typer.Option(help="How often each line is measured.", min=1)] = 7,
    seconds: Annotated[float, typer.Option(help="How long each side runs in each repeat.", min=0.01)] = 0.5,
    train: Annotated[bool, typer.Option("--train", help="Measure learning, beside stable-baselines3.")] = False,
    selfplay: Annotated[
        bool, typer.Option("--selfplay", help="Measure self-play with a network, beside mctx.")
    ] = False,
) -> None:
    """Measure this package beside its peers, which the extra `peers` installs, both in one run."""
    if not is_number(seconds, 0):
        raise BoyiError(f"seconds must be a number, not {seconds}")
    chosen = find(game)
    if train and selfplay:
        raise BoyiError("--train and --selfplay are two measurements: ask for one")
    lines = list(training_rows(chosen) if train else selfplay_rows(chosen) if selfplay else rows(chosen))
    with Console(stderr=True).status("measuring"):
        for line in lines:
            line.repeat(seconds / 5)  # compiles, and warms both sides up
            line.rates.clear()
            line.ratios.clear()
        for _ in range(repeats):
            for line in lines:
                line.repeat(seconds)
        facts: list[RenderableType] = [] if train or selfplay else ["", memory_and_starting(chosen)]
    table = text_table("measured", "boyi", "peer", "peer's rate", "min", "median", "goal", left=("measured", "peer"))
    for line in lines:
        table.add_row(*line.cells())
    show(
        f"{chosen}, {repeats} repeats of {seconds:g} s a side; {machine(*(LEARNERS if train or selfplay else PEERS))}",
        "",
        table,
        *facts,
    )


def memory_and_starting(game: Game) -> Table:
    """Measure what has no peer: the size of a search, and the time to the first step."""
    table = text_table("memory and starting", "", left=("memory and starting",))
    nodes = 1_000_000 if game.longest <= LONG else 20_000
    table.add_row(f"a search of {nodes:,} nodes", f"{node_bytes(game, nodes):.0f} bytes a node")
    for what, spent in start_times(game).items():
        table.add_row(what, f"{spent:.2f} s")
    return table


def training_rows(game: Game) -> Iterator[Row]:
    """Build the comparisons of learning."""
    try:
        from .learning_speed import hands, meters
    except ImportError as error:
        raise BoyiError(f'training needs {error.name}: pip install "boyi[baselines]"') from None
    goals = facts(game).goals
    for key, what, ours, theirs in meters(game):
        yield Row(what, "a second", ours, "stable-baselines3 DQN", theirs, goals.get(key))
    if facts(game).rlcard:
        what = f"decisions of all seats, each learned from {peers.DRAWS} times"
        yield Row(what, "a second", hands(game), *_peer("RLCard DQN", peers.rlcard_dqn, game), goals.get("hands"))


def selfplay_rows(game: Game) -> Iterator[Row]:
    """Build the comparisons of self-play with a network."""
    try:
        from . import selfplay_speed as own
    except ImportError as error:
        raise BoyiError(f'self-play needs {error.name}: pip install "boyi[baselines]"') from None
    goals, model = facts(game).goals, own.ours(game)
    what = f"self-play, {own.GAMES} games, {own.SIMULATIONS} simulations, board 64x6"
    yield Row(what, "positions/s", own.positions(model), *_peer("mctx on Pgx", own.mctx, game), goals.get("selfplay"))
    alone = own.ours(game, halves=1, threads=1)
    yield Row("the same on one core: outside the network", "%", lambda seconds: 100 * own.spent(alone, seconds))
    if "policy42" in game.spec.encoders:
        tiny = own.ours(game, **{**own.PUBLISHED, "halves": 1, "threads": 1, "root": "puct"})
        what = "self-play, 1024 games, 100 simulations, S5's two networks, one core"
        yield Row(what, "positions/s", own.positions(tiny), goal=goals.get("published"))


def rows(game: Game) -> Iterator[Row]:
    """Build every comparison that the installed peers and the game allow."""
    known = facts(game)
    goals = known.goals
    single = aec(AEC(game))
    what = "AEC environment, random play"
    peer = _peer("PettingZoo connect_four", peers.connect_four, game)
    yield Row(what, "steps/s", single, *peer, goals.get("connect_four"))
    yield Row(what, "steps/s", single, *_peer("OpenSpiel", peers.openspiel_loop, game), goals.get("openspiel"))
    if game.chance_outcomes:
        yield Row(what, "steps/s", single, *_peer("OpenSpiel, cheap dice", peers.openspiel_cheap_loop, game))
    if known.rlcard:
        yield Row(what, "steps/s", single, *_peer("RLCard", peers.rlcard_loop, game), goals.get("rlcard"))
    if game.name != "hex":
        yield Row(what, "steps/s", single, "our own hex", aec(AEC("hex")), goals.get("hex"))
    rival = ("RLCard", peers.rlcard_loop) if known.rlcard else ("Pgx", peers.pgx_scan)
    for seen, encoder, goal in (("mask and observation", game.encoder, "observation"), ("mask only", None, "mask")):
        what = f"{ROWS} games, {seen}"
        batch = Batch(game, ROWS, seed=0, encoder=encoder, autoreset="same_step")
        scan = random_scan(batch)
        yield Row(f"{what}, {SCAN} steps a call", "steps/s", scan, *_peer(*rival, game), goals.get(goal))
        if known.pgx:
            cheap = _peer("Pgx, cheap moves", peers.pgx_cheap_scan, game)
            yield Row(f"{what}, {SCAN} steps a call", "steps/s", scan, *cheap)
        yield Row(f"{what}, a step a call", "steps/s", random_loop(batch), *_peer(*rival, game))
    alone = Batch(game, ROWS, seed=0, autoreset="same_step", threads=1)
    what = f"{ROWS} games, mask and observation, a step a call, one core"
    yield Row(what, "steps/s", random_loop(alone), goal=goals.get("core"))
    alone = Batch(game, ROWS, seed=0, encoder=None, autoreset="same_step", threads=1)
    what = f"{ROWS} games, mask only, {SCAN} steps a call, one core"
    yield Row(what, "steps/s", random_scan(alone), goal=goals.get("core_mask"))
    bot = _peer("OpenSpiel", peers.openspiel_mcts, game)
    yield Row("mcts, random playouts, one thread", "sims/s", search_meter(game), *bot, goals.get("mcts"))
    if game.has("greedy"):
        yield Row("greedy play in one call, one thread", "games/s", greedy_play(game))
        yield Row("random play in one call, one thread", "games/s", random_play(game))


def _peer(name: str, make: Callable[[Game], Meter], game: Game) -> tuple[str, Meter | None]:
    try:
        return name, make(game)
    except ImportError as error:
        return f"{name}: not installed ({error.name})", None
    except KeyError:
        return f"{name}: does not have it", None


def random_scan(batch: Batch) -> Meter:
    """Play random steps in a batch, a hundred in one call."""

    def call() -> int:
        batch.play_random(SCAN)
        return batch.n * SCAN

    return lambda seconds: timed(seconds, call)


def random_loop(batch: Batch) -> Meter:
    """Play random steps in a batch one by one, taking mask and observation each time."""

    def step() -> int:
        batch.step(batch.sample())
        _ = batch.mask
        if batch.encoder is not None:
            _ = batch.observation
        return batch.n

    return lambda seconds: timed(seconds, step)


def search_meter(game: Game) -> Meter:
    """Search the start position with a new tree each time."""
    sims = SIMULATIONS if game.longest <= LONG else SIMULATIONS // 50
    agent = MCTS(sims=sims, reuse=False)
    view = Batch(game, 1, seed=0, encoder=None).view()

    def decide() -> int:
        agent.act(view)
        return sims

    return lambda seconds: timed(seconds, decide)


def greedy_play(game: Game) -> Meter:
    """Let `greedy` play against itself."""
    rule = game.module("greedy")
    kernel, notes = bind(greedy_games, game, policy=rule.policy), rule.notes(game)
    return _games(game, lambda *args: kernel(*args, notes))


def random_play(game: Game) -> Meter:
    """Play whole random games."""
    kernel = bind(random_games, game)
    mask, r, total = np.zeros(game.actions, np.int8), np.zeros(game.seats, np.float32), np.zeros(game.seats)
    return _games(game, lambda states, blank, count, rng, p: kernel(states, blank, count, rng, mask, p, r, total))


def _games(game: Game, play: Callable[..., object]) -> Meter:
    states, rng, p = game.blank.copy(), np.array([1, 0], np.uint64), np.zeros(max(1, game.chance_outcomes))
    games = max(1, ACTIONS // game.longest)

    def call() -> int:
        play(states, game.blank, games, rng, p)
        return games

    return lambda seconds: timed(seconds, call)


def node_bytes(game: Game, nodes: int) -> float:
    """Search `nodes` nodes; return the bytes of all that the search holds, per node."""
    agent = MCTS(sims=nodes, nodes=nodes + 1, reuse=False)
    agent.act(Batch(game, 1, seed=0, encoder=None).view())
    memory = agent.memories[0]
    return memory.nbytes / int(memory.tree.size[0])


def start_times(game: Game) -> dict[str, float]:
    """Time new processes, in seconds: the bare import, and the first step with an empty and with a filled cache."""
    play = f"from boyi.envs.faces.aec import AEC; e = AEC({str(game)!r}); e.reset(seed=0); e.last(); e.step(0)"
    with tempfile.TemporaryDirectory() as cache:
        clean = {**os.environ, "NUMBA_CACHE_DIR": cache}
        return {
            "import boyi": _process("import boyi", clean),
            "import gymnasium alone": _process("import gymnasium", clean),
            "whole process to the first step, empty kernel cache": _process(play, clean),
            "whole process to the first step, filled kernel cache": min(_process(play, clean) for _ in range(3)),
        }


def _process(code: str, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return time.perf_counter() - started


def _short(rate: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g}"
