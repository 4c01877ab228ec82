"""What agents decide in positions of other players' games: how long it takes and, according to a judge, what it costs.

Every game gives one position, drawn from all the decisions in it that meet the conditions. All agents are asked about
the same positions, each time as if the game were new to them. A decision's regret is what it loses against the best
action, as a share of the game's range of returns; the judge, perfect play, says what each action is worth.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rich.console import Group, RenderableType
from rich.jupyter import JupyterMixin
from rich.text import Text

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError, is_whole, shown, unknown
from ...envs.engine.schema import Form, Whole, read
from ...envs.engine.spec import Game
from ...envs.engine.version import __version__
from ...envs.engine.view import View
from ...envs.records.files import PathOf, as_path, taken_up
from ..agent import Agent, blame, timed_act
from ..agents import make_agent
from ..search.exact import Exact
from ..workers.crew import Crew, check_workers
from .crowd import say_if_crowded
from .matches import check_count, check_seed, pair_seed
from .printing import as_text, text_table
from .rating import student
from .results import duration

FORMAT = "boyi-decision-1"
MOST_MISSES = 100  # games in a row without a position that meets the conditions, after which the search ends


class Decision(Form, frozen=True, kw_only=True):
    """One agent's decision in the position that a game gave; `regret` is None without a judge."""

    format: str = FORMAT
    version: str = __version__
    game: str
    game_version: Whole
    player: str
    conditions: list[str]
    judge: str | None
    run_seed: Whole
    index: Whole
    agent: str
    action: Whole
    name: str
    seconds: float
    regret: float | None

    def __post_init__(self) -> None:
        if (self.regret is None) != (self.judge is None):
            raise ValueError("there is a regret where there is no judge, or none where there is one")

    def line(self) -> str:
        """Write the decision as one line of JSON, the end of the line included."""
        return json.dumps(msgspec.structs.asdict(self), ensure_ascii=False) + "\n"


Asked = tuple[int, dict[str, Decision]]
"""A game, given by its index, and the known decisions about its position."""


class Inquiry:
    """Asks agents about `positions` positions of games of `game` in which `player` has every seat.

    `conditions` such as ``left=2,2`` name a field of the record and its values. `judge` is an agent string of `exact`.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[str],
        *,
        positions: int = 100,
        player: str = "random",
        conditions: Sequence[str] = (),
        judge: str | None = None,
        seed: int = 0,
    ) -> None:
        if not is_whole(positions, 1):
            raise BoyiError(f"positions must be a whole number, at least 1, not {shown(positions)}")
        check_count("positions", positions)
        check_seed(seed)
        self.game, self.names, self.player, self.seed = game, list(agents), player, seed
        self.positions, self.conditions = positions, list(conditions)
        self.agents = [make_agent(agent, game) for agent in agents]
        self.host = make_agent(player, game)
        self.wanted = [_condition(game, text) for text in conditions]
        self.judge_name, found = judge, None if judge is None else make_agent(judge, game)
        if found is not None and not isinstance(found, Exact):
            raise BoyiError(f"a judge knows what each action is worth, as exact does, not {judge!r}")
        self.judge: Exact | None = found
        self.warm = False
        self.recipe: dict[str, Any] = {
            "game": game, "agents": agents, "player": player, "conditions": conditions, "judge": judge, "seed": seed,
        }  # fmt: skip
        """What makes this inquiry again, besides the number of positions."""
        if len(set(self.names)) < len(self.names):
            raise BoyiError("an agent is listed twice")

    def run(
        self, done: Sequence[Decision] = (), workers: int = 1, cluster: str | None = None
    ) -> Generator[Decision, None, None]:
        """Yield all decisions, including those already `done`, position by position, made by `workers` processes.

        `BoyiError` when many games in a row do not meet the conditions.
        """
        known: defaultdict[int, dict[str, Decision]] = defaultdict(dict)
        for decision in done:
            known[decision.index][decision.agent] = decision
        games = ((index, known[index]) for index in count())
        with ExitStack() as stack:
            if workers == 1 and cluster is None:
                answers: Iterator[Iterable[Decision] | None] = (self.answers(*game) for game in games)
            else:
                recipe = partial(Asker, self.recipe)
                crew = Crew[Asked, Iterable[Decision] | None](recipe, workers, cluster)
                answers = stack.enter_context(crew).in_order(games)
            found = misses = 0
            for decisions in answers:
                if decisions is None:
                    misses += 1
                    if misses == MOST_MISSES:
                        raise BoyiError(f"{misses} games in a row had no position with {' '.join(self.conditions)}")
                    continue
                yield from decisions
                found, misses = found + 1, 0
                if found == self.positions:
                    return

    def answers(self, index: int, known: dict[str, Decision]) -> Iterable[Decision] | None:
        """Ask agents whose decisions are not `known` about the position of game `index`; None where there is none."""
        if known.keys() >= set(self.names):
            return [known[name] for name in self.names]
        view = self.position(index)
        return None if view is None else self._ask_all(index, view, known)

    def position(self, index: int) -> View | None:
        """Play game `index` and draw one of its positions; None when no decision meets the conditions."""
        batch = Batch(self.game, 1, 0, encoder=None, history=True)
        batch.reset([pair_seed(self.seed, index)])
        generator, met, chosen = np.random.default_rng((self.seed, index)), 0, None
        while batch.to_move[0] >= 0:
            view = batch.view()._replace(episode=np.array([index]))
            if all((view.states[0][name] == value).all() for name, value in self.wanted):
                met += 1
                if generator.integers(met) == 0:
                    chosen = view
            with blame(self.player):
                batch.step(view.answered(self.host.act(view)))
        return chosen

    def _ask_all(self, index: int, view: View, known: dict[str, Decision]) -> Iterator[Decision]:
        worth = None
        if not self.warm:
            # What an agent loads or allocates once does not count as part of a decision.
            for name, agent in zip(self.names, self.agents, strict=True):
                _decide(name, agent, view.take(np.array([0]))._replace(episode=np.array([-2])))
            self.warm = True
        for name, agent in zip(self.names, self.agents, strict=True):
            if name in known:
                yield known[name]
                continue
            (action, seconds), regret = _decide(name, agent, view.take(np.array([0]))), None
            if self.judge is not None:
                worth = self.judge.worth(view) if worth is None else worth
                regret = float(np.nanmax(worth) - worth[action]) / (self.game.high - self.game.low)
            yield Decision(
                game=str(self.game), game_version=self.game.spec.version, player=self.player,
                conditions=self.conditions, judge=self.judge_name, run_seed=self.seed, index=index, agent=name,
                action=action, name=self.game.module("text").name(view.states[0], action),
                seconds=round(seconds, 6), regret=regret,
            )  # fmt: skip


class Asker:
    """Asks the agents of an inquiry in a process of its own."""

    def __init__(self, recipe: dict[str, Any]) -> None:
        self.inquiry = Inquiry(**recipe)

    def __call__(self, game: Asked) -> list[Decision] | None:
        decisions = self.inquiry.answers(*game)
        return None if decisions is None else list(decisions)


def _decide(name: str, agent: Agent, view: View) -> tuple[int, float]:
    """Ask an agent for its action in a view of one game, and time it; `BoyiError` names it when it has none."""
    with blame(name):
        actions, seconds = timed_act(agent, view)
        if agent.faults:
            raise BoyiError(agent.faults[0])
        action = int(actions[0])
        if not (0 <= action < view.game.actions and view.mask[0, action]):
            raise BoyiError(f"{view.game}: action {action} is not legal in the position it was asked about")
    return action, seconds


def _condition(game: Game, text: str) -> tuple[str, np.ndarray]:
    """Read ``field=value`` or ``field=value,value``; `BoyiError` names the fields that a record has."""
    written = re.fullmatch(r"(\w+)=(-?[0-9]{1,18}(?:,-?[0-9]{1,18})*)", text)
    if written is None:
        raise BoyiError(f"cannot read the condition {shown(text)}: write field=value, or field=value,value")
    name, values = written[1], np.array([int(value) for value in written[2].split(",")])
    if name not in (game.dtype.names or ()):
        raise unknown(f"field of {game.name}", name, game.dtype.names or ())
    shape = game.dtype[name].shape
    if values.shape != (shape or (1,)):
        raise BoyiError(f"{game.name}: {name} has {math.prod(shape)} values, not {values.size}")
    return name, values


@dataclass(frozen=True)
class Answers(JupyterMixin):
    """All the decisions of an inquiry, printed as a line for every agent."""

    game: str
    seed: int
    player: str
    conditions: Sequence[str]
    decisions: Sequence[Decision]

    def __rich__(self) -> RenderableType:
        agents = list(dict.fromkeys(decision.agent for decision in self.decisions))
        judged = self.decisions[0].regret is not None
        told = ("regret", "95 %", "best action") if judged else ()
        table = text_table("agent", "positions", "median", "mean", "90 %", "longest", *told, left=("agent",))
        for agent in agents:
            own = [decision for decision in self.decisions if decision.agent == agent]
            seconds = sorted(decision.seconds for decision in own)
            times = (statistics.median(seconds), statistics.fmean(seconds), seconds[len(own) * 9 // 10], seconds[-1])
            table.add_row(agent, str(len(own)), *map(duration, times), *(_regrets(own) if judged else ()))
        where = "".join(f", {condition}" for condition in self.conditions)
        return Group(Text(f"{self.game}: positions of games of {self.player}{where}, seed {self.seed}"), table)

    def __str__(self) -> str:
        return as_text(self)


def _regrets(decisions: Sequence[Decision]) -> tuple[str, str, str]:
    """Write the mean regret, its 95 % interval and the share of decisions that lose nothing."""
    regrets = np.array([decision.regret for decision in decisions], np.float64)
    mean, best = student(regrets), float((regrets < 1e-9).mean())
    ends = f"{100 * max(0.0, mean.low):.3f} to {100 * min(1.0, mean.high):.3f}"
    return f"{100 * mean.value:.3f} %", ends, f"{best:.1%}"


def inquire(
    inquiry: Inquiry,
    out: PathOf | None = None,
    *,
    resume: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    report: Callable[[Decision], None] | None = None,
) -> Answers:
    """Ask all agents about all positions; `out` gets a line for every decision, `report` is called with it.

    `workers` processes (0: one on each core) share the positions, on this machine or, with ``cluster="ray"``, on a
    Ray cluster; the decisions are the same.

    With `resume`, decisions that `out` already holds are not made again. `BoyiError` when the file is not empty and
    not to be resumed, or when one of its lines belongs to something else.
    """
    workers = check_workers(workers, cluster)
    say_if_crowded(inquiry.agents, workers, cluster)
    decisions, path = [], None if out is None else as_path(out)
    with taken_up(path, resume=resume) as (lines, write), ExitStack() as stack:
        done = _finished(inquiry, path, lines)
        written = {(decision.index, decision.agent) for decision in done}
        made = inquiry.run(done, workers, cluster)
        stack.callback(made.close)  # ends the processes, however this block is left
        for decision in made:
            decisions.append(decision)
            if (decision.index, decision.agent) not in written:
                write(decision.line())
            if report is not None:
                report(decision)
    return Answers(str(inquiry.game), inquiry.seed, inquiry.player, inquiry.conditions, decisions)


def _finished(inquiry: Inquiry, path: Path | None, lines: Iterable[bytes]) -> list[Decision]:
    """Read the decisions of an interrupted run."""
    expected = {
        "version": __version__,
        "game": str(inquiry.game),
        "game_version": inquiry.game.spec.version,
        "player": inquiry.player,
        "conditions": inquiry.conditions,
        "judge": inquiry.judge_name,
        "run_seed": inquiry.seed,
    }
    decisions: dict[tuple[int, str], Decision] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number},"
        decision = read(line, Decision, where=where, what="a decision", format=FORMAT)
        for name, value in expected.items():
            if getattr(decision, name) != value:
                found = getattr(decision, name)
                raise BoyiError(f"{where} belongs to another run: its {name} is {found!r}, here it is {value!r}")
        if decision.action >= inquiry.game.actions:
            raise BoyiError(f"{where} is damaged: {inquiry.game} has no action {decision.action}")
        if (decision.index, decision.agent) in decisions:
            raise BoyiError(f"{where} repeats what {decision.agent} did in position {decision.index}")
        decisions[decision.index, decision.agent] = decision
    return list(decisions.values())
