"""What an arena's games amount to: wins, score, Elo and time of every pairing and agent, as data and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.jupyter import JupyterMixin
from rich.table import Table
from rich.text import Text

from ...envs.engine.spec import Game
from ...envs.records.game_record import Ending, GameRecord
from .printing import as_text, fitted, text_table
from .rating import REFERENCE, Estimate, rate, wilson

REPEATS = "Between agents that choose nothing at random a repeated game is no further evidence, yet intervals count it."
SCORE = ("score", "95 %", "Elo", "95 %")  # columns for the results of games between two


@dataclass(frozen=True)
class Tally:
    """An agent's games: `score` is in [0, 1], 0.5 for equals; `elo` is above the opponent, or the first agent listed.

    `mean_return` is that of the agent's seats, in the game's own units; `seconds_per_move` the time spent deciding. Of
    the losses, `late` were on time and `forfeits` for want of a legal action, or a failure.
    """

    agent: str
    wins: int
    draws: int
    losses: int
    score: Estimate
    elo: Estimate
    mean_return: float
    seconds_per_move: float
    late: int
    forfeits: int


@dataclass(frozen=True)
class Pairing(Tally):
    """An agent's games against one opponent."""

    opponent: str
    opponent_seconds_per_move: float
    opponent_late: int
    opponent_forfeits: int


@dataclass(frozen=True)
class Result(JupyterMixin):
    """A whole run: one entry for every pairing, and one for every agent over all its games.

    `distinct` counts the games that differ in their moves or seats; the intervals count every game.
    """

    game: str
    seed: int
    games: int
    distinct: int
    pairings: tuple[Pairing, ...]
    standings: tuple[Tally, ...]
    graded: bool
    """Whether returns say more than who won."""
    clock: float | None = None
    fresh_chance: bool = False
    opening: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from map(Text, [self._head(), *opening_notes(self.opening)])
        yield from fitted(console, options, [row.agent for row in self.standings], self._tables)
        if len(self.pairings) > 1:
            yield Text(f"Elo above {self.standings[0].agent}")
        yield from map(Text, alias_notes(self.aliases))
        if 4 * self.distinct < 3 * self.games:
            yield Text(f"Only {self.distinct} of the games differ. {REPEATS}")

    def __str__(self) -> str:
        return as_text(self)

    def _head(self) -> str:
        seeds = seed_note(self.seed, "both sides", fresh_chance=self.fresh_chance)
        return f"{self.game}: {self.games} games, {seeds}{clock_note(self.clock)}"

    def _tables(self, names: Mapping[str, str]) -> list[Table]:
        """Lay out the results of every pairing, and below them those of every agent."""
        pairings = text_table("agent", "opponent", "W", "D", "L", *SCORE, left=("agent", "opponent"))
        for row in self.pairings:
            counts = map(str, (row.wins, row.draws, row.losses))
            pairings.add_row(names[row.agent], names[row.opponent], *counts, *_score(row))
        several, losses = len(self.pairings) > 1, loss_columns(self.clock, self.standings)
        columns = (*SCORE * several, *["return"] * self.graded, "a move", *losses)
        standings = text_table("agent", *columns, left=("agent",))
        for tally in self.standings:
            score = _score(tally) if several else ()
            mean = [f"{tally.mean_return:+.3g}"] * self.graded
            lost = (str(getattr(tally, loss)) for loss in losses)
            standings.add_row(names[tally.agent], *score, *mean, duration(tally.seconds_per_move), *lost)
        return [pairings, standings]


def _score(row: Tally) -> tuple[str, ...]:
    return (*percent(row.score), elo_value(row.elo), elo_interval(row.elo))


def summarize(
    game: Game,
    labels: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    records: Sequence[GameRecord],
    seed: int,
    clock: float | None = None,
    *,
    fresh_chance: bool = False,
    opening: str = "",
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Result:
    """Sum up the games between `pairs` of agents; every agent and every pair has played."""
    by_pairing = [[record for record in records if record.pairing == k] for k in range(len(pairs))]
    wins = np.zeros((len(labels), len(labels)))
    for (first, second), played in zip(pairs, by_pairing, strict=True):
        i, j = labels.index(first), labels.index(second)
        won = sum(points(record, first) for record in played)
        wins[i, j] += won
        wins[j, i] += len(played) - won
    pairings = [_pairing(game, *pair, played) for pair, played in zip(pairs, by_pairing, strict=True)]
    standings = [
        Tally(**_facts(game, label, [record for record in records if label in record.seats]), elo=elo)
        for label, elo in zip(labels, rate(wins), strict=True)
    ]
    return Result(
        game=str(game),
        seed=seed,
        games=len(records),
        distinct=len({(*record.seats, *record.actions) for record in records}),
        pairings=tuple(pairings),
        standings=tuple(standings),
        graded=(game.low, game.high) != (-1.0, 1.0),
        clock=clock,
        fresh_chance=fresh_chance,
        opening=opening,
        aliases=aliases,
    )


def _pairing(game: Game, first: str, second: str, records: Sequence[GameRecord]) -> Pairing:
    won = sum(points(record, first) for record in records)
    elo = rate([[0.0, len(records) - won], [won, 0.0]])[1]
    return Pairing(
        **_facts(game, first, records),
        elo=elo,
        opponent=second,
        opponent_seconds_per_move=seconds_per_move(second, records),
        opponent_late=count_lost(records, {second}, Ending.TIME),
        opponent_forfeits=count_lost(records, {second}, Ending.FORFEIT),
    )


def _facts(game: Game, label: str, records: Sequence[GameRecord]) -> dict[str, Any]:
    """Sum up an agent's games for a `Tally`, all but its Elo."""
    margins = [_margin(record, label) for record in records]
    # Half the range is the most that two sides can differ by on either side of a draw, so equals score 0.5.
    share = 0.5 + fmean(margins) / (2.0 * (game.high - game.low))
    return {
        "agent": label,
        "wins": sum(margin > 0 for margin in margins),
        "draws": sum(margin == 0 for margin in margins),
        "losses": sum(margin < 0 for margin in margins),
        "score": wilson(share, len(records)),
        "mean_return": fmean(_sides(record, label)[0] for record in records),
        "seconds_per_move": seconds_per_move(label, records),
        "late": count_lost(records, {label}, Ending.TIME),
        "forfeits": count_lost(records, {label}, Ending.FORFEIT),
    }


def count_lost(records: Sequence[GameRecord], under: set[str], ended: Ending) -> int:
    """Count the games, `ended` in this way, that agents with one of the labels `under` have lost."""
    lost = [record for record in records if record.ended == ended]
    return sum(record.seats[int(np.argmin(np.array(record.returns)))] in under for record in lost)


def loss_columns(clock: float | None, rows: Sequence[Any]) -> list[str]:
    """Name the kinds of losses, other than by the game's rules, that can be or have been in the rows of a table."""
    return ["late"] * (clock is not None) + ["forfeits"] * any(row.forfeits for row in rows)


def seed_note(seed: int, sides: str, *, fresh_chance: bool) -> str:
    """Say what seeds games were played on."""
    return f"seed {seed}, " + ("every game on a seed of its own" if fresh_chance else f"every seed played from {sides}")


def opening_notes(opening: str) -> list[str]:
    """Say what games began with, where anything was drawn."""
    return [f"opening: {opening}"] if opening else []


def alias_notes(aliases: Mapping[str, str]) -> list[str]:
    """Say which agents the names that somebody has given stand for."""
    return [f"{name} is {agent}" for name, agent in aliases.items()]


def clock_note(clock: float | None) -> str:
    """Say what time the seats had, where a clock ran."""
    return "" if clock is None else f", {clock:g} s a seat"


def _sides(record: GameRecord, label: str) -> tuple[float, float]:
    """Return the mean return of an agent's seats, and of the others."""
    assert record.returns is not None
    mine = [r for r, seat in zip(record.returns, record.seats, strict=True) if seat == label]
    theirs = [r for r, seat in zip(record.returns, record.seats, strict=True) if seat != label]
    return fmean(mine), fmean(theirs)


def _margin(record: GameRecord, label: str) -> float:
    mine, theirs = _sides(record, label)
    return mine - theirs


def points(record: GameRecord, label: str) -> float:
    """Return what an agent has scored in a game: 1 for a win, 0.5 for a draw, 0 for a loss."""
    return 0.5 + 0.5 * float(np.sign(_margin(record, label)))


def seconds_per_move(label: str, records: Sequence[GameRecord]) -> float:
    """Return the mean time of an agent's decisions."""
    decisions = sum(record.decisions[label] for record in records)
    return sum(record.seconds[label] for record in records) / max(1, decisions)


def elo_value(elo: Estimate) -> str:
    """Write a rating; one with no upper or lower end is written as the bound that the games do support."""
    if elo == REFERENCE:
        return "0"
    if math.isfinite(elo.low) and math.isfinite(elo.high):
        return f"{elo.value:+.0f}"
    if math.isfinite(elo.low):
        return f"> {elo.low:+.0f}"
    return f"< {elo.high:+.0f}" if math.isfinite(elo.high) else "unknown"


def elo_interval(elo: Estimate) -> str:
    """Write the interval of a rating; the player at zero has none."""
    if elo == REFERENCE:
        return ""
    return " to ".join(f"{end:+.0f}" if math.isfinite(end) else f"{'-' if end < 0 else '+'}∞" for end in elo[1:])


def percent(share: Estimate) -> tuple[str, str]:
    """Write a share and its interval."""
    interval = f"{100 * share.low:.1f} to {100 * share.high:.1f}" if math.isfinite(share.low) else "unknown"
    return f"{100 * share.value:.1f} %", interval


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * size:  # from here three digits round up
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
