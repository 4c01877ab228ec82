"""Paired games between any number of agents, and what they say about strength.

Games come in pairs on one seed, hence with the same chance, and seats are swapped between them: in game g of a pairing,
seat k belongs to the first agent when k + g is even, so with more than two seats each agent fills every other one.
The seed of a pair follows from the run's seed and the pair's index alone, and agents decide from streams keyed by seed
and ply: a game does not depend on the games beside it or on their order. Two equal agents therefore split every pair.
An agent that remembers the first game of a pair knows what chance will bring in the second; with `fresh_chance` no two
games share a seed.

A game's outcome is the mean return of the first agent's seats against that of the second's: the higher wins.

Where a game has three seats or more, as many agents as seats sit down together: they all play every game, and every
seed is played with the agents moved round until each has had every seat. Their order is drawn anew for each seed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.engine.batch import Batch, random_seed
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError, is_number, is_whole, shown
from ...envs.engine.rng import below
from ...envs.engine.spec import Game, Spec, find
from ...envs.engine.version import __version__
from ...envs.engine.view import View
from ...envs.records.files import PathOf, as_path, taken_up
from ...envs.records.game_record import Ending, GameRecord, read_line, statistics, write_down
from ..agent import Agent, PolicyAgent, blame, timed_act
from ..agents import AgentLike, alias, label, labels, make_agent
from ..workers.crew import Crew, check_workers
from .crowd import say_if_crowded
from .openings import Openings
from .results import Result, summarize
from .standings import Standings, summarize_standings

ROWS = 64  # the most games in progress at once
MOST = 10_000_000  # games of a pairing, or positions: a score is then known to 0.02 %, and the records fill the memory
PART = 2.0  # seconds that the work given to a process at a time should take
ROUND = 1.0  # seconds: no more games are in progress than an agent can answer in about this time
Done = Collection[tuple[int, int]]
Part = tuple[int, list[int]]
"""A pairing, and the indices of some of its games."""


@dataclass(frozen=True)
class Fixture:
    """One game to be played: its place in the run, its seed, and the agent (an index) on every seat."""

    pairing: int
    index: int
    seed: int
    seats: tuple[int, ...]


class Match:
    """A run of the arena: `games` games of every two agents, of the first with each of the others, or of all.

    `agents` are anything that `make_agent` takes. Each plays one side only, because it may keep a tree for every row.
    With `clock`, every seat has that many seconds for all its decisions in a game, and loses when they are used up. The
    first `opening` actions of a game are drawn from its seed, hence the same for all who play that seed: at random or,
    with even `Openings`, until a judge considers them even. An agent's string may begin with a name for it and =.
    Where `seed` is None, one is drawn, or that of the games taken up is used; `fresh_chance` gives every game a seed of
    its own.
    """

    def __init__(
        self,
        game: str | Spec | Game,
        agents: Sequence[AgentLike],
        *,
        games: int = 20,
        seed: int | None = 0,
        clock: float | None = None,
        opening: int | Openings = 0,
        fresh_chance: bool = False,
        first_against_all: bool = False,
    ) -> None:
        self.fresh_chance, self.drawn = fresh_chance, seed is None
        self.seed = random_seed() if seed is None else seed
        self.game, self.games, self.clock = find(game), games, check_clock(clock)
        if self.game.seats < 2:
            raise BoyiError(f"{self.game} has one seat: nobody can be compared in it")
        if len(agents) < 2:
            raise BoyiError(f"an arena needs at least two agents, not {len(agents)}")
        self.together = 2 < self.game.seats == len(agents) and not first_against_all
        self.rounds = self.game.seats if self.together else 2
        if not is_whole(games, self.rounds) or games % self.rounds:
            allowed = f"a multiple of {self.rounds}" if self.together else "an even number"
            sides = "every seat" if self.together else "both sides"
            raise BoyiError(f"games must be {allowed}, every seed being played from {sides}, not {shown(games)}")
        check_count("games", games)
        check_seed(self.seed)
        self.openings = opening if isinstance(opening, Openings) else Openings(self.game, opening)
        if self.openings.game != self.game:
            raise BoyiError(f"the openings are of {self.openings.game}, the match is of {self.game}")
        named = [alias(agent) for agent in agents]
        self.players = [make_agent(agent, self.game) for _, agent in named]
        if len({id(player) for player in self.players}) < len(agents):
            raise BoyiError("an agent object is listed twice: give each side an object, or a string, of its own")
        self.recipe: dict[str, Any] = {
            "agents": agents, "games": games, "clock": clock, "opening": self.openings, "fresh_chance": fresh_chance,
            "first_against_all": first_against_all,
        }  # fmt: skip
        """What makes this match again, besides its game and its seed."""
        self.names, self.labels = [label(agent) for agent in agents], labels(agents)
        self.aliases = {called: label(agent) for called, (name, agent) in zip(self.labels, named, strict=True) if name}
        """What the labels stand for, where they are names that somebody has given."""
        self.pairings: list[tuple[int, ...]] = list(combinations(range(len(agents)), self.rounds))
        if first_against_all:
            self.pairings = [pair for pair in self.pairings if pair[0] == 0]

    @property
    def total(self) -> int:
        """How many games there are in all pairings."""
        return self.games * len(self.pairings)

    def fixture(self, pairing: int, index: int) -> Fixture:
        """Draw up game `index` of a pairing."""
        shared = index if self.fresh_chance else index // self.rounds
        agents, seed = self.pairings[pairing], pair_seed(self.seed, shared)
        if self.together:
            agents = shuffled(self.game, agents, seed)
        seats = tuple(agents[(seat + index) % self.rounds] for seat in range(self.game.seats))
        return Fixture(pairing, index, seed, seats)

    def play(self, done: Done = ()) -> Generator[GameRecord, None, None]:
        """Play every game whose (pairing, index) is not `done`; yield each as it ends."""
        for part in self.missing(done):
            yield from self.play_some(*part)

    def missing(self, done: Done) -> Iterator[Part]:
        """List what is not `done`, pairing by pairing, leaving out pairings that are complete."""
        for pairing in range(len(self.pairings)):
            indices = [index for index in range(self.games) if (pairing, index) not in done]
            if indices:
                yield pairing, indices

    def play_some(self, pairing: int, indices: Sequence[int]) -> Iterator[GameRecord]:
        """Play some games of a pairing; yield each as it ends."""
        fixtures = (self.fixture(pairing, index) for index in indices)
        return _PairingRun(self, pairing, len(indices), fixtures).play()

    def share(self, done: Done, workers: int, cluster: str | None = None) -> Generator[GameRecord, None, None]:
        """Do what `play` does in `workers` processes; the games are the same, except for their order."""
        parts = Parts(self, done, workers)
        recipe = partial(Player, self.game, self.seed, self.recipe)
        with Crew[Part, tuple[list[GameRecord], float]](recipe, workers, cluster) as crew:
            for (_, indices), (records, seconds) in crew.do(parts):
                parts.learn(len(indices), seconds)
                yield from records

    def close(self) -> None:
        """Close the agents: all of them, even where one fails to close."""
        with ExitStack() as stack:
            for name, player in zip(self.labels, self.players, strict=True):
                stack.callback(_let_go, name, player)

    def result(self, records: Sequence[GameRecord]) -> Result | Standings:
        """Sum up all the games of the match."""
        played: dict[str, Any] = {
            "seed": self.seed, "clock": self.clock, "fresh_chance": self.fresh_chance, "opening": str(self.openings),
            "aliases": self.aliases,
        }  # fmt: skip
        if self.together:
            return summarize_standings(self.game, self.names, self.labels, records, **played)
        pairs = [(self.labels[i], self.labels[j]) for i, j in self.pairings]
        return summarize(self.game, self.labels, pairs, records, **played)


class Parts:
    """The parts of a match that processes are given: games of one pairing, whole seeds, for about two seconds each.

    Towards the end they are smaller, so that all processes are done at about the same time.
    """

    def __init__(self, match: Match, done: Done, workers: int) -> None:
        self.match, self.done, self.workers = match, done, workers
        self.left, self.size = match.total - len(set(done)), match.rounds

    def learn(self, games: int, seconds: float) -> None:
        """Note how many seconds a number of games took."""
        self.size = min(2 * self.size, int(games * PART / max(seconds, 1e-9)))

    def __iter__(self) -> Iterator[Part]:
        for pairing, missing in self.match.missing(self.done):
            first = 0
            while first < len(missing):
                size = max(self.match.rounds, min(self.size, self.left // (2 * self.workers)))
                part = missing[first : first + size]
                first += len(part)
                self.left -= len(part)
                yield pairing, part


class Player:
    """Plays parts of a match in a process of its own, and says how many seconds each took."""

    def __init__(self, game: Game, seed: int, recipe: dict[str, Any]) -> None:
        self.match = Match(game, seed=seed, **recipe)

    def __call__(self, part: Part) -> tuple[list[GameRecord], float]:
        started = time.monotonic()
        return list(self.match.play_some(*part)), time.monotonic() - started

    def close(self) -> None:
        self.match.close()


def check_count(name: str, count: int) -> None:
    """Raise `BoyiError` for more games, or positions, than anybody will wait for."""
    if count > MOST:
        raise BoyiError(f"{name} must be at most {MOST:,}, not {count}")


def check_seed(seed: int) -> None:
    """Raise `BoyiError` for anything but a seed of a run."""
    if not is_whole(seed, 0):
        raise BoyiError(f"seed must be a whole number of 63 bits, at least 0, not {shown(seed)}")


def check_clock(clock: float | None) -> float | None:
    """Return the seconds on a clock, None where none runs; `BoyiError` unless they are above 0."""
    if clock is not None and not (is_number(clock, 0) and clock > 0):
        raise BoyiError(f"clock must be above 0 seconds, not {shown(clock)}")
    return None if clock is None else float(clock)


def check_minutes(minutes: float | None) -> float | None:
    """Return the minutes of a run, None where they are not limited; `BoyiError` unless they are above 0."""
    if minutes is not None and not (is_number(minutes, 0) and minutes > 0):
        raise BoyiError(f"minutes must be above 0, not {shown(minutes)}")
    return minutes


def too_late(label: str, clock: float | None) -> str:
    """Say why a seat has lost on time."""
    return f"{label}: used up its {clock:g} seconds"


def shuffled(game: Game, agents: Sequence[int], seed: int) -> tuple[int, ...]:
    """Seat agents in an order drawn from the seed of a game (Fisher and Yates)."""
    seated, lots = list(agents), np.array([seed, 0], np.uint64)
    for last in range(len(seated) - 1, 0, -1):
        other = int(bind(below, game)(lots, last + 1))
        seated[last], seated[other] = seated[other], seated[last]
    return tuple(seated)


def pair_seed(seed: int, pair: int) -> int:
    """Return the seed of both games of a pair: 63 bits, too many to try out against the tiles that a seat is dealt."""
    return int(np.random.SeedSequence((seed, pair)).generate_state(1, np.uint64)[0] >> np.uint64(1))


PLAYED = (Ending.OVER, Ending.CUT, Ending.FORFEIT, Ending.TIME)
"""How games of the arena end."""


@dataclass
class _Running:
    """A game in progress: the seconds `spent` and the number of `decisions` of each seat."""

    fixture: Fixture
    actions: list[int] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spent, self.decisions = [0.0] * len(self.fixture.seats), [0] * len(self.fixture.seats)

    def note(self, seat: int, seconds: float) -> None:
        self.spent[seat] += seconds
        self.decisions[seat] += 1


class _PairingRun:
    """The `count` games of one pairing; each one in progress is on a row of one batch, which then takes the next game.

    Agents are shown the game's place in the match as the episode, so that row and episode together name a game once and
    for all.
    """

    def __init__(self, match: Match, pairing: int, count: int, fixtures: Iterator[Fixture]) -> None:
        self.match, self.waiting, self.left = match, fixtures, count
        agents = match.pairings[pairing]
        self.batch = Batch(match.game, min(ROWS, count), 0, encoder=None, history=True)
        self.running: dict[int, _Running] = {}
        # Under a clock nobody should wait for another game, and a program plays only one.
        self.alone = match.clock is not None or any(match.players[player].alone for player in agents)
        # Seconds a decision took in the latest round; until this is known, the first pair plays alone.
        self.pace = dict.fromkeys(agents, ROUND)

    def play(self) -> Iterator[GameRecord]:
        """Play to the end, the agents in turn; yield games as they end."""
        while self.left or self.running:
            self._fill()
            for player in self.pace:
                yield from self._turn(player)

    def _fill(self) -> None:
        """Start games on free rows, as many as the slowest agent answers quickly."""
        room = 1 if self.alone else max(2, int(ROUND / max(*self.pace.values(), 1e-9)))
        for row in range(self.batch.n):
            if self.left and row not in self.running and len(self.running) < room:
                self.running[row], self.left = _Running(next(self.waiting)), self.left - 1
                self.batch.reset([self.running[row].fixture.seed], [row])
                self._open(row)

    def _open(self, row: int) -> None:
        """Play the opening of a game."""
        game = self.running[row]
        for action in self.match.openings.of(game.fixture.seed):
            self.batch.step(np.array([action]), [row])
            game.actions.append(action)

    def _turn(self, player: int) -> Iterator[GameRecord]:
        """Let an agent decide wherever it is to move."""
        movers = self.batch.to_move
        rows = [row for row in sorted(self.running) if self.running[row].fixture.seats[movers[row]] == player]
        if not rows:
            return
        view, agent = self._view(rows), self.match.players[player]
        with blame(self.match.labels[player]):
            actions, seconds = timed_act(agent, view)
            faults = dict(agent.faults)
        self.pace[player] = seconds / len(rows)
        losses: dict[int, tuple[Ending, str]] = {}
        for k, (row, seat) in enumerate(zip(rows, view.seat.tolist(), strict=True)):
            game = self.running[row]
            game.note(seat, self.pace[player])
            if self.match.clock is not None and game.spent[seat] > self.match.clock:
                losses[k] = Ending.TIME, too_late(self.match.labels[player], self.match.clock)
            elif k in faults:
                losses[k] = Ending.FORFEIT, f"{self.match.labels[player]}: {faults[k]}"
        for k, loss in losses.items():
            yield self._lost(rows[k], int(view.seat[k]), *loss)
        if losses:
            rows = [row for k, row in enumerate(rows) if k not in losses]
            actions = np.delete(actions, list(losses))
        if rows:
            yield from self._step(player, rows, actions)

    def _view(self, rows: list[int]) -> View:
        """Show games to the agent that is to move in them."""
        games = [self.running[row].fixture for row in rows]
        episodes = np.array([self._episode(game) for game in games])
        view = self.batch.view(rows)._replace(episode=episodes)
        if self.match.clock is None:
            return view
        spent = [self.running[row].spent[seat] for row, seat in zip(rows, view.seat, strict=True)]
        return view._replace(clock=self.match.clock - np.array(spent))

    def _episode(self, game: Fixture) -> int:
        return game.pairing * self.match.games + game.index

    def _step(self, player: int, rows: list[int], actions: np.ndarray) -> Iterator[GameRecord]:
        """Play an agent's actions, one in each row."""
        with blame(self.match.labels[player]):
            scores, over, cut = self.batch.step(actions, rows)
        for k, row in enumerate(rows):
            self.running[row].actions.append(int(actions[k]))
            if over[k] or cut[k]:
                yield self._end(row, scores[k].tolist(), Ending.OVER if over[k] else Ending.CUT)

    def _end(self, row: int, scores: list[float], ended: Ending) -> GameRecord:
        """Write down a game that has ended by its rules, unless an agent loses it when told that it has ended."""
        fault = self._tell_end(row)
        if fault is None:
            return self._record(row, scores, ended)
        seat, why = fault
        label = self.match.labels[self.running[row].fixture.seats[seat]]
        return self._record(row, self.match.game.lost(seat), Ending.FORFEIT, f"{label}: {why}")

    def _lost(self, row: int, seat: int, ended: Ending, reason: str) -> GameRecord:
        """Write down a game that a seat has lost other than by the game's rules."""
        self._tell_end(row)
        return self._record(row, self.match.game.lost(seat), ended, reason)

    def _tell_end(self, row: int) -> tuple[int, str] | None:
        """Tell the agents that a game has ended; return the seat of one that loses it by how it reacts, and why."""
        fixture, said = self.running[row].fixture, dict[int, str | None]()
        for player in set(fixture.seats):
            with blame(self.match.labels[player]):
                said[player] = self.match.players[player].conclude(row, self._episode(fixture))
        faults = ((seat, said[player]) for seat, player in enumerate(fixture.seats))
        return next(((seat, why) for seat, why in faults if why is not None), None)

    def _record(self, row: int, scores: list[float], ended: Ending, reason: str = "") -> GameRecord:
        match, game = self.match, self.running.pop(row)
        fixture, labels = game.fixture, match.labels
        return write_down(
            match.game,
            fixture.seed,
            [labels[player] for player in fixture.seats],
            game.actions,
            ended,
            scores,
            game.spent,
            game.decisions,
            agents=labels,
            run_seed=match.seed,
            pairing=fixture.pairing,
            index=fixture.index,
            clock=match.clock,
            opening=str(match.openings),
            aliases=match.aliases,
            reason=reason,
            statistics=statistics(match.game, self.batch.states[row]),
        )


def compete(
    match: Match,
    out: PathOf | None = None,
    *,
    resume: bool = False,
    minutes: float | None = None,
    workers: int = 1,
    cluster: str | None = None,
    report: Callable[[GameRecord], None] | None = None,
) -> Result | Standings:
    """Play a match and sum it up; `out` gets a line for every game as it ends, `report` is called with it.

    With `resume`, games that `out` already holds are not played again. After `minutes` no more are played, and only
    seeds that have been played from every side count. `workers` processes (0: one on each core) share the games, on
    this machine or, with ``cluster="ray"``, on a Ray cluster: the games are the same, except for their order.
    `BoyiError` when the file is not empty and not to be resumed, when one of its lines belongs to something else, or
    when nothing counts.
    """
    check_minutes(minutes)
    workers = check_workers(workers, cluster)
    say_if_crowded(match.players, workers, cluster, match.clock)
    path = None if out is None else as_path(out)
    started = time.monotonic()
    with ExitStack() as stack:
        stack.callback(match.close)
        with taken_up(path, resume=resume) as (lines, write):
            records = _finished(match, path, lines)
            for record in records:
                if report is not None:
                    report(record)
            done = {(record.pairing, record.index) for record in records}
            alone = workers == 1 and cluster is None
            played = match.play(done) if alone else match.share(done, workers, cluster)
            stack.callback(played.close)  # ends the processes, however this block is left
            for record in played:
                records.append(record)
                write(record.line())
                if report is not None:
                    report(record)
                if minutes is not None and time.monotonic() - started > 60 * minutes:
                    break
    if len(records) < match.total:
        records = whole_seeds(match, records)
    return match.result(records)


def _let_go(label: str, agent: Agent) -> None:
    with blame(label):
        agent.close()


def whole_seeds(match: Match, records: Sequence[GameRecord]) -> list[GameRecord]:
    """Leave out the games of seeds that have not been played from every side."""
    seeds = Counter((record.pairing, record.index // match.rounds) for record in records)
    whole = [record for record in records if seeds[record.pairing, record.index // match.rounds] == match.rounds]
    if {record.pairing for record in whole} != set(range(len(match.pairings))):
        raise BoyiError("there was no time for every pairing to play a seed from every side: allow more minutes")
    return whole


def _finished(match: Match, path: Path | None, lines: Iterable[bytes]) -> list[GameRecord]:
    """Read the games of an interrupted run."""
    records: dict[tuple[int, int], GameRecord] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number},"
        record = read_line(line, where)
        if match.drawn:
            match.seed, match.drawn = record.run_seed, False
        _check_belongs(match, record, where)
        if (record.pairing, record.index) in records:
            raise BoyiError(f"{where} repeats game {record.index} of pairing {record.pairing}")
        records[record.pairing, record.index] = record
        match.openings.keep(record.seed, record.actions)
    return list(records.values())


def _check_belongs(match: Match, record: GameRecord, where: str) -> None:
    """Raise `BoyiError` for a game that this very match does not contain."""
    expected = {
        "game": str(match.game),
        "game_version": match.game.spec.version,
        "version": __version__,
        "agents": match.labels,
        "run_seed": match.seed,
        "clock": match.clock,
        "opening": str(match.openings),
        "aliases": match.aliases,
    }
    for name, value in expected.items():
        if getattr(record, name) != value:
            found = getattr(record, name)
            raise BoyiError(f"{where} belongs to another run: its {name} is {found!r}, here it is {value!r}")
    if record.pairing >= len(match.pairings) or record.index >= match.games:
        raise BoyiError(f"{where} belongs to a longer run: game {record.index} of pairing {record.pairing}")
    fixture = match.fixture(record.pairing, record.index)
    seats = [match.labels[player] for player in fixture.seats]
    if (record.seed, record.seats) != (fixture.seed, seats) or record.ended not in PLAYED:
        raise BoyiError(f"{where} is damaged: its seed, seats or end are not those of this game of the run")


def evaluate(
    agent: AgentLike,
    game: str | Spec | Game,
    opponents: Sequence[AgentLike],
    games: int = 200,
    seed: int = 0,
    opening: int = 0,
    report: Callable[[GameRecord], None] | None = None,
    *,
    workers: int = 1,
    cluster: str | None = None,
    encoder: str | None = None,
    layout: str | None = None,
    keys: Sequence[str] | None = None,
) -> Result:
    """Play `games` paired games between an agent and every opponent; return what ``boyi arena`` prints.

    `report` is called with every game as it ends; `workers` and `cluster` are those of `compete`.

    The agents may include models of Stable-Baselines3, TorchRL and RLlib as they are. They and callables see games as
    environments with the same `encoder`, `layout` and `keys` show them: a callable takes ``(observation, mask)`` or,
    with `keys`, the dict that these name.
    """
    look: dict[str, Any] = {"encoder": encoder, "layout": layout, "keys": keys}
    agents = [each if isinstance(each, str | Agent) else make_agent(each, **look) for each in (agent, *opponents)]
    if any(each is not None for each in look.values()) and not any(isinstance(each, PolicyAgent) for each in agents):
        raise BoyiError("encoder, layout and keys are for callables and models, and there are none among the agents")
    match = Match(game, agents, games=games, seed=seed, opening=opening, first_against_all=True)
    result = compete(match, workers=workers, cluster=cluster, report=report)
    assert isinstance(result, Result)
    return result
