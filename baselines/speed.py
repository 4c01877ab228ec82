"""`boyi speed`: this package beside its peers, measured in one run.

Each repeat runs ours and the peer's by turns, and a claim is the minimum and the median of the repeats' ratios:
machines are shared and noisy, and a ratio of two neighbours in time survives that better than a rate. Both sides
choose random moves cheaply, so that the environment is what is measured.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table

from ..envs.aec import AEC
from ..envs.batch import Batch, usable_cores
from ..envs.errors import BoyiError
from ..envs.spec import Game, find
from .mcts import MCTS
from .printing import make_table, show

ROWS = 1024
SCAN = 100  # steps of one compiled call, ours and Pgx's
SIMULATIONS = 10_000
SLICES = 5

Meter = Callable[[float], float]
"""Runs for about so many seconds; returns units a second."""

# OpenSpiel's name for a game, with the parameters that it has; all others must have their defaults.
OPENSPIEL = {
    "hex": "hex(board_size={board_size},swap={swap})",
    "gomoku": "gomoku(size={board_size})",
    "einstein": "einstein_wurfelt_nicht",
}
PEERS = ("pettingzoo", "open_spiel", "pgx", "jax")
LEARNERS = ("gymnasium", "torch", "stable_baselines3")
PGX = {"hex": "hex"}  # fixed at 11x11

# What is aimed at, by game and line: a ratio to the peer or, for the line without one, steps a second.
GOALS = {
    "hex": {"connect_four": 20.0, "openspiel": 4.0, "observation": 15.0, "mask": 50.0, "mcts": 15.0, "replay": 5.0},
    "gomoku": {"openspiel": 3.0, "mcts": 10.0},
    "einstein": {"openspiel": 3.0, "mcts": 5.0, "core": 2e6},
}


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
        """Measure both sides once more, by turns in slices of time: the median slice counts."""
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
) -> None:
    """Measure this package beside its peers, which the extra `peers` installs, both in one run."""
    chosen = find(game)
    lines = list(training_rows(chosen) if train else rows(chosen))
    with Console(stderr=True).status("measuring"):
        for line in lines:
            line.repeat(seconds / 5)  # compiles, and warms both sides up
            line.rates.clear()
            line.ratios.clear()
        for _ in range(repeats):
            for line in lines:
                line.repeat(seconds)
        facts: list[RenderableType] = [] if train else ["", memory_and_starting(chosen)]
    table = make_table("measured", "boyi", "peer", "peer's rate", "min", "median", "goal", left=("measured", "peer"))
    for line in lines:
        table.add_row(*line.cells())
    show(
        f"{chosen}, {repeats} repeats of {seconds:g} s a side; {machine(*(LEARNERS if train else PEERS))}",
        "",
        table,
        *facts,
    )


def memory_and_starting(game: Game) -> Table:
    """Measure what has no peer: the size of a search, and the time to the first step."""
    facts = make_table("memory and starting", "", left=("memory and starting",))
    facts.add_row("a search of a million nodes", f"{node_bytes(game):.0f} bytes a node")
    for what, spent in start_times(game).items():
        facts.add_row(what, f"{spent:.2f} s")
    return facts


def training_rows(game: Game) -> Iterator[Row]:
    """Build the comparisons of learning."""
    try:
        from .learning_speed import meters
    except ImportError as error:
        raise BoyiError(f'training needs {error.name}: pip install "boyi[baselines]"') from None
    goals = GOALS.get(game.name, {})
    for key, what, ours, theirs in meters(game):
        yield Row(what, "a second", ours, "stable-baselines3 DQN", theirs, goals.get(key))


def timed(seconds: float, work: Callable[[], int]) -> float:
    """Repeat `work`, which returns how many units it did, for about so long; return units a second."""
    done, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        done += work()
    return done / spent


def rows(game: Game) -> Iterator[Row]:
    """Build every comparison that the installed peers and the game allow."""
    goals = GOALS.get(game.name, {})
    single = aec(AEC(game))
    what = "AEC environment, random play"
    peer = _peer("PettingZoo connect_four", connect_four, game)
    yield Row(what, "steps/s", single, *peer, goals.get("connect_four"))
    yield Row(what, "steps/s", single, *_peer("OpenSpiel", openspiel_loop, game), goals.get("openspiel"))
    if game.chance_outcomes:
        yield Row(what, "steps/s", single, *_peer("OpenSpiel, cheap dice", openspiel_cheap_loop, game))
    for seen, encoder, goal in (("mask and observation", game.encoder, "observation"), ("mask only", None, "mask")):
        what = f"{ROWS} games, {seen}"
        batch = Batch(game, ROWS, seed=0, encoder=encoder, autoreset="same_step")
        scan = random_scan(batch)
        yield Row(f"{what}, {SCAN} steps a call", "steps/s", scan, *_peer("Pgx", pgx_scan, game), goals.get(goal))
        if game.name in PGX:
            yield Row(f"{what}, {SCAN} steps a call", "steps/s", scan, *_peer("Pgx, cheap moves", pgx_cheap_scan, game))
        yield Row(f"{what}, a step a call", "steps/s", random_loop(batch), *_peer("Pgx", pgx_scan, game))
    alone = Batch(game, ROWS, seed=0, autoreset="same_step", threads=1)
    what = f"{ROWS} games, mask and observation, a step a call, one core"
    yield Row(what, "steps/s", random_loop(alone), goal=goals.get("core"))
    bot = _peer("OpenSpiel", openspiel_mcts, game)
    yield Row("mcts, random playouts, one thread", "sims/s", search(game), *bot, goals.get("mcts"))


def _peer(name: str, make: Callable[[Game], Meter], game: Game) -> tuple[str, Meter | None]:
    try:
        return name, make(game)
    except ImportError as error:
        return f"{name}: not installed ({error.name})", None
    except KeyError:
        return f"{name}: does not have it", None


def aec(env: Any) -> Meter:
    """Play random games in an AEC environment, reading observation and mask at every step."""

    def game() -> int:
        steps = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            # Throwing until a legal action is met is the cheapest uniform choice in Python.
            mask = observation["action_mask"].tobytes()
            action = int(random.random() * len(mask))
            while not mask[action]:
                action = int(random.random() * len(mask))
            env.step(action)
            steps += 1
        return steps

    return lambda seconds: timed(seconds, game)


def _openspiel(game: Game) -> Any:
    """Load OpenSpiel's version of a game; `KeyError` where it has none with these parameters."""
    import pyspiel

    template = OPENSPIEL[game.name]
    if any(value != game.spec.params[name].default and f"{{{name}}}" not in template for name, value in game.values):
        raise KeyError(str(game))
    return pyspiel.load_game(template.format(**game.params))


def connect_four(game: Game) -> Meter:
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.env())


def openspiel_loop(game: Game) -> Meter:
    """Play random games in OpenSpiel from Python as its examples do, dice drawn by their probabilities."""

    def draw(state: Any) -> int:
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        return int(random.choices(outcomes, chances)[0])

    return _openspiel_loop(game, draw)


def openspiel_cheap_loop(game: Game) -> Meter:
    """Play random games in OpenSpiel, its outcomes taken to be equally likely, which they are for dice."""

    def draw(state: Any) -> int:
        outcomes = state.legal_actions()
        return int(outcomes[int(random.random() * len(outcomes))])

    return _openspiel_loop(game, draw)


def _openspiel_loop(game: Game, draw: Callable[[Any], int]) -> Meter:
    """Play random games in OpenSpiel, reading the mask and the observation as the lists they are."""
    peer = _openspiel(game)

    def play() -> int:
        state, steps = peer.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw(state))
                continue
            state.legal_actions_mask()
            state.observation_tensor()
            actions = state.legal_actions()
            state.apply_action(actions[int(random.random() * len(actions))])
            steps += 1
        return steps

    return lambda seconds: timed(seconds, play)


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


def pgx_scan(game: Game) -> Meter:
    """Play random steps in Pgx, moves drawn as its documentation draws them."""
    import jax
    import jax.numpy as jnp

    return _pgx(game, lambda key, mask: jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=1))


def pgx_cheap_scan(game: Game) -> Meter:
    """Play random steps in Pgx, moves drawn as cheaply as we know: one random number and a running count a row."""
    import jax
    import jax.numpy as jnp

    def choose(key: Any, mask: Any) -> Any:
        counts = jnp.cumsum(mask, axis=1, dtype=jnp.int32)
        k = jnp.floor(jax.random.uniform(key, (ROWS,)) * counts[:, -1]).astype(jnp.int32)
        return jnp.argmax(counts > k[:, None], axis=1)

    return _pgx(game, choose)


def _pgx(game: Game, choose: Callable[[Any, Any], Any]) -> Meter:
    """Play in Pgx on all cores: a jitted scan over a batch with its own automatic reset."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    if game != find(PGX[game.name]):
        raise KeyError(str(game))
    env = pgx.make(PGX[game.name])
    step = jax.vmap(auto_reset(env.step, env.init))

    def body(carry: Any, _: Any) -> Any:
        state, key = carry
        key, chooser, resetter = jax.random.split(key, 3)
        action = choose(chooser, state.legal_action_mask)
        return (step(state, action, jax.random.split(resetter, ROWS)), key), None

    wait: Any = jax.block_until_ready
    run = jax.jit(lambda carry: jax.lax.scan(body, carry, None, length=SCAN)[0])
    now = run((jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), ROWS)), jax.random.PRNGKey(1)))

    def call() -> int:
        nonlocal now
        now = wait(run(now))
        return ROWS * SCAN

    return lambda seconds: timed(seconds, call)


def search(game: Game) -> Meter:
    """Search the start position with a new tree each time."""
    agent = MCTS(sims=SIMULATIONS, reuse=False)
    view = Batch(game, 1, seed=0, encoder=None).view()

    def decide() -> int:
        agent.act(view)
        return SIMULATIONS

    return lambda seconds: timed(seconds, decide)


def openspiel_mcts(game: Game) -> Meter:
    """Search the start position with OpenSpiel's C++ MCTSBot and its random rollouts."""
    import pyspiel

    peer = _openspiel(game)
    state = peer.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    sims = SIMULATIONS // 5

    def decide() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
        pyspiel.MCTSBot(peer, evaluator, 2.0, sims, 1000, False, 0, False).step(state)
        return sims

    return lambda seconds: timed(seconds, decide)


def node_bytes(game: Game) -> float:
    """Search a million nodes; return the bytes of all that the search holds, a node."""
    agent = MCTS(sims=1_000_000, nodes=1_000_001, reuse=False)
    agent.act(Batch(game, 1, seed=0, encoder=None).view())
    memory = agent.memories[0]
    return memory.nbytes / int(memory.tree.size[0])


def start_times(game: Game) -> dict[str, float]:
    """Time new processes, in seconds: the bare import, and the first step with an empty and with a filled cache."""
    play = f"from boyi.envs.aec import AEC; e = AEC({str(game)!r}); e.reset(seed=0); e.last(); e.step(0)"
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


def machine(*packages: str) -> str:
    """Describe where this runs: processor, cores, load, and the versions that matter, those of `packages` included."""
    names = ("numpy", "numba", *packages)
    found = [f"{name} {_version(name)}" for name in names if _version(name)]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    where = f"{_processor()}, {usable_cores()} cores, load {load:.1f}, Python {platform.python_version()}"
    return f"{where}, {', '.join(found)}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _short(rate: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g}"
