"""How strong an agent is on a game's ladder: a rating among opponents whose own ratings are frozen, with random at 0.

The agent plays every rung as in the arena; its rating is fitted with those of the rungs fixed. Everything that the
games depend on is part of the ladder, so results of one agent are equal, and results of two agents are comparable,
wherever they were measured; only times depend on the machine.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec.structs import asdict
from rich.console import Group, RenderableType
from rich.jupyter import JupyterMixin
from rich.table import Table as Grid
from rich.text import Text

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import Form, Whole, read
from ...envs.engine.spec import Game, Spec, find
from ...envs.engine.version import __version__
from ...envs.records.files import PathOf, as_path, read_lines, replace_file
from ...envs.records.game_record import GameRecord
from ..agents import AgentLike, learned
from .ladders import Ladder, Rung, find_ladder
from .matches import Match, compete
from .printing import as_text, text_table
from .rating import ELO, Estimate, difference, rate_against, student, wilson
from .results import REPEATS, Pairing, Result, duration, elo_interval, elo_value, percent

FORMAT = "boyi-benchmark-2"
FARTHEST = 50_000  # Elo from random: chains of opponents, each far above the last, do not reach that far
SAME = ("ladder", "game", "game_version", "protocol")
"""What two results must have in common to be compared."""


class Step(Form, frozen=True, kw_only=True):
    """An agent's games with one rung, rated `elo`: `score` is the share of points, where a draw is half a point.

    Of the losses, `forfeits` were for want of a legal action, or a failure. `mean_return` is that of the agent's seats.
    """

    rung: str
    elo: int
    wins: Whole
    draws: Whole
    losses: Whole
    forfeits: Whole
    score: Estimate
    mean_return: Estimate


class Standing(Form, JupyterMixin, frozen=True, kw_only=True):
    """What an agent is worth on a ladder, played with this `version` of the package.

    `protocol` is the ladder's digest. `games_digest` is that of all moves and returns, except in games with rungs that
    are networks, whose arithmetic differs from machine to machine; `distinct` counts the games that differ. `left_out`
    are the rungs that could not play, for want of PyTorch. `graded` says whether returns, in `unit`, tell more than who
    won; `own` says whether the game has rungs of its own.
    """

    format: str = FORMAT
    version: str
    ladder: str
    protocol: str
    game: str
    game_version: Whole
    own: bool
    agent: str
    rating: Estimate
    steps: tuple[Step, ...]
    left_out: tuple[str, ...]
    distinct: Whole
    games_digest: str
    graded: bool
    unit: str
    seconds_per_move: float

    def __post_init__(self) -> None:
        if not all(step.wins + step.draws + step.losses for step in self.steps) or not self.steps:
            raise ValueError("there is a rung without games, or no rung at all")
        if not all(abs(elo) < FARTHEST for elo in (self.rating.value, *(step.elo for step in self.steps))):
            raise ValueError("nobody is rated so far from random")
        if self.distinct > self.games:
            raise ValueError("more games differ than were played")

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(step.wins + step.draws + step.losses for step in self.steps)

    def __rich__(self) -> RenderableType:
        head = f"{self.agent} on {self.ladder} of {self.game}: Elo {_rating(self.rating)}, random = 0"
        parts: list[RenderableType] = [Text(head), self._grid()]
        parts.append(Text(f"{self.games} games, {duration(self.seconds_per_move)} a move, boyi {self.version}"))
        if self.left_out:
            parts.append(Text(f"Left out, for they need PyTorch: {', '.join(self.left_out)}"))
        if not self.own:
            parts.append(Text(f"{self.game} has no ladder of its own: random is all there is to measure against"))
        if 4 * self.distinct < 3 * self.games:
            parts.append(Text(f"Only {self.distinct} of the games differ. {REPEATS}"))
        return Group(*parts)

    def __str__(self) -> str:
        return as_text(self)

    def _grid(self) -> Grid:
        lost = ["forfeits"] * any(step.forfeits for step in self.steps)
        mean = [self.unit, "95 %"] * self.graded
        table = text_table("rung", "Elo", "W", "D", "L", "score", "95 %", "expected", *mean, *lost, left=("rung",))
        for step in self.steps:
            own = step.mean_return
            table.add_row(
                step.rung,
                f"{step.elo:+d}" if step.elo else "0",
                *map(str, (step.wins, step.draws, step.losses)),
                *percent(step.score),
                f"{100 * self.expected(step):.1f} %",
                *[f"{own.value:+.1f}", f"{own.low:+.1f} to {own.high:+.1f}"] * self.graded,
                *[str(step.forfeits)] * bool(lost),
            )
        return table

    def expected(self, step: Step) -> float:
        """Return the score that the ratings predict; if the real one is far from it, no number tells the strength."""
        return 1 / (1 + math.exp((step.elo - self.rating.value) / ELO))

    def text(self) -> str:
        """Write the standing as JSON: first what was played with, last what the machine influences."""
        content = {**asdict(self), "rating": _open_ended(self.rating)}
        content["steps"] = [
            {**asdict(step), "score": _open_ended(step.score), "mean_return": _open_ended(step.mean_return)}
            for step in self.steps
        ]
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rating(elo: Estimate) -> str:
    return f"{elo_value(elo)}, 95 % {elo_interval(elo)}"


def _open_ended(estimate: Estimate) -> dict[str, float | None]:
    """Write an estimate in terms that JSON knows: an end at infinity as null."""
    return {name: end if math.isfinite(end) else None for name, end in estimate._asdict().items()}


def benchmark(
    agent: AgentLike,
    game: str | Spec | Game,
    *,
    out: PathOf | None = None,
    resume: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    report: Callable[[GameRecord], None] | None = None,
) -> Standing:
    """Play an agent, anything that `make_agent` takes, on the game's ladder; `report` is called with every game.

    `workers` and `cluster` are those of `compete`.

    `out`, FILE.json, gets the standing, and FILE.jsonl beside it a line for every game as it ends: with `resume`, games
    it already holds are not played again. `BoyiError` where either is in the way or belongs to something else.
    """
    game, path = find(game), None if out is None else as_path(out)
    ladder, stream = find_ladder(game), None if path is None else games_file(path)
    if path is not None and path.exists() and not resume:
        raise BoyiError(f"{path} exists: --resume goes on with its run, another file starts a new one")
    match, records = ladder.match(game, agent), []

    def keep(record: GameRecord) -> None:
        records.append(record)
        if report is not None:
            report(record)

    result = compete(match, stream, resume=resume, workers=workers, cluster=cluster, report=keep)
    assert isinstance(result, Result)
    standing = _standing(ladder, match, result, records)
    if path is not None:
        replace_file(path, standing.text().encode())
    return standing


def games_file(out: PathOf) -> Path:
    """Return the file for the games of a benchmark that is written to `out`; `BoyiError` unless that ends in .json."""
    path = as_path(out)
    if path.suffix != ".json":
        raise BoyiError(f"a benchmark is written to FILE.json, and its games to FILE.jsonl beside it, not to {out}")
    return path.with_suffix(".jsonl")


def _standing(ladder: Ladder, match: Match, result: Result, records: Sequence[GameRecord]) -> Standing:
    """Sum up all the games of a ladder."""
    rungs = ladder.playable
    steps = tuple(_step(*each, records, k) for k, each in enumerate(zip(rungs, result.pairings, strict=True)))
    halves = [step.draws / 2 for step in steps]
    rating = rate_against(
        [step.elo for step in steps],
        [step.wins + half for step, half in zip(steps, halves, strict=True)],
        [step.losses + half for step, half in zip(steps, halves, strict=True)],
    )
    decisions = sum(record.decisions[match.labels[0]] for record in records)
    seconds = sum(record.seconds[match.labels[0]] for record in records)
    return Standing(
        version=__version__,
        ladder=ladder.name,
        protocol=ladder.digest(),
        game=ladder.game,
        game_version=match.game.spec.version,
        own=ladder.own,
        agent=match.names[0],
        rating=_rounded(rating, 1),
        steps=steps,
        left_out=tuple(rung.agent for rung in ladder.rungs if rung not in rungs),
        distinct=result.distinct,
        games_digest=_digest(records, rungs),
        graded=result.graded,
        unit=match.game.spec.unit,
        seconds_per_move=round(seconds / max(1, decisions), 6),
    )


def _step(rung: Rung, played: Pairing, records: Sequence[GameRecord], pairing: int) -> Step:
    games = played.wins + played.draws + played.losses
    pairs: dict[int, list[float]] = {}
    for record in records:
        if record.pairing == pairing:
            assert record.returns is not None
            own = [r for r, seat in zip(record.returns, record.seats, strict=True) if seat == played.agent]
            pairs.setdefault(record.seed, []).append(fmean(own))
    return Step(
        rung=rung.agent,
        elo=rung.elo,
        wins=played.wins,
        draws=played.draws,
        losses=played.losses,
        forfeits=played.forfeits,
        score=_rounded(wilson((played.wins + played.draws / 2) / games, games), 4),
        mean_return=_rounded(student([fmean(pair) for pair in pairs.values()]), 4),
    )


def _rounded(estimate: Estimate, digits: int) -> Estimate:
    """Leave out the digits that differ from one processor's arithmetic to another's."""
    return Estimate(*(round(end, digits) for end in estimate))


def _digest(records: Sequence[GameRecord], rungs: Sequence[Rung]) -> str:
    """Hash what happened in the games with rungs that are not networks, whichever agent played them."""
    names = {pairing: rung.agent for pairing, rung in enumerate(rungs) if not learned(rung.agent)}
    played = sorted(
        (names[record.pairing], record.index, record.actions, record.returns)
        for record in records
        if record.pairing in names
    )
    return hashlib.sha256(json.dumps(played).encode()).hexdigest()[:16]


def read_standing(path: PathOf, game: str | Spec | Game | None = None) -> Standing:
    """Read what `benchmark` has written; with `game`, `BoyiError` also if it is not on that game's present ladder."""
    content = b"".join(read_lines(as_path(path)))
    found = read(
        content, Standing, where=str(path), what="a benchmark's result", format=FORMAT, unwritten=_with_infinity
    )
    if game is not None:
        ladder = find_ladder(game)
        today = {"ladder": ladder.name, "protocol": ladder.digest(), "game": ladder.game}
        _check_same(str(path), asdict(found), "here", {**today, "game_version": find(game).spec.version})
    return found


def _with_infinity(content: Any) -> Any:
    """Turn every estimate back into what `_open_ended` was given."""
    if isinstance(content, list):
        return [_with_infinity(each) for each in content]
    if not isinstance(content, dict):
        return content
    if content.keys() != set(Estimate._fields):
        return {name: _with_infinity(each) for name, each in content.items()}
    ends = {"low": -math.inf, "high": math.inf}
    return [ends.get(name) if content[name] is None else content[name] for name in Estimate._fields]


def _check_same(name: str, found: dict[str, Any], other: str, expected: dict[str, Any]) -> None:
    for fact in SAME:
        if found[fact] != expected[fact]:
            what = fact.replace("_", " ")
            raise BoyiError(
                f"{name} was measured on another ladder: its {what} is {found[fact]}, {other} it is {expected[fact]}"
            )


@dataclass(frozen=True)
class Comparison(JupyterMixin):
    """Two standings on one ladder; `difference` is how far the first is above the second, in Elo."""

    standing: Standing
    published: Standing
    difference: Estimate

    def __rich__(self) -> RenderableType:
        table = text_table("agent", "on", "Elo", "95 %", "a move", "boyi", left=("agent", "on"))
        for name, each in (("this", self.standing), ("published", self.published)):
            cells = (elo_value(each.rating), elo_interval(each.rating), duration(each.seconds_per_move), each.version)
            table.add_row(each.agent, name, *cells)
        table.add_row("difference", "", elo_value(self.difference), elo_interval(self.difference), "", "")
        return Group(table, *map(Text, self._remarks()))

    def __str__(self) -> str:
        return as_text(self)

    def _remarks(self) -> list[str]:
        remarks = [f"Both on {self.standing.ladder} of {self.standing.game}, protocol {self.standing.protocol}."]
        if self.standing.version != self.published.version:
            remarks.append("The versions of boyi differ, and with them perhaps how its agents play.")
        if self.standing.games_digest == self.published.games_digest:
            remarks.append("The games are the same, move by move.")
        return remarks


def compare(standing: Standing, published: Standing) -> Comparison:
    """Compare a standing with a published one; `BoyiError` where they were not measured on the same ladder."""
    _check_same(standing.agent, asdict(standing), f"for {published.agent}", asdict(published))
    return Comparison(standing, published, difference(standing.rating, published.rating))
