"""What the games of one table amount to: returns and whatever else the game counts, agent by agent.

Agents of equal name are taken together. Every seed was played with the agents moved round all seats, so the mean over
the games of a seed is free of most of the luck of its chance; intervals are Student's, over these means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType

from rich.console import Console, ConsoleOptions, RenderableType
from rich.jupyter import JupyterMixin
from rich.table import Table as Grid
from rich.text import Text

from ...envs.engine.spec import Game
from ...envs.records.game_record import Ending, GameRecord
from .printing import as_text, fitted, text_table
from .rating import Estimate, student
from .results import alias_notes, clock_note, count_lost, duration, loss_columns, opening_notes, percent, seed_note


@dataclass(frozen=True)
class Seated:
    """An agent at the table: `seats` of them play under this name. `statistics` are shares of their games."""

    agent: str
    seats: int
    mean_return: Estimate
    statistics: dict[str, Estimate]
    seconds_per_move: float
    late: int
    forfeits: int


@dataclass(frozen=True)
class Standings(JupyterMixin):
    """A whole run of one table."""

    game: str
    seed: int
    games: int
    seats: int
    unit: str
    rows: tuple[Seated, ...]
    clock: float | None = None
    fresh_chance: bool = False
    opening: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        seeds = seed_note(self.seed, f"all {self.seats} seats", fresh_chance=self.fresh_chance)
        yield Text(f"{self.game}: {self.games} games, {seeds}{clock_note(self.clock)}")
        yield from map(Text, opening_notes(self.opening))
        yield from fitted(console, options, [row.agent for row in self.rows], self._tables)
        yield from map(Text, alias_notes(self.aliases))

    def __str__(self) -> str:
        return as_text(self)

    def _tables(self, names: Mapping[str, str]) -> list[Grid]:
        """Lay out the returns of every agent, and below them what else the game counts."""
        losses = loss_columns(self.clock, self.rows)
        made = text_table("agent", "seats", self.unit, "95 %", "a move", *losses, left=("agent",))
        counted = [column for name in self.rows[0].statistics for column in (name, "95 %")]
        shares = text_table("agent", *counted, left=("agent",))
        for row in self.rows:
            lost = (str(getattr(row, loss)) for loss in losses)
            times = duration(row.seconds_per_move), *lost
            made.add_row(names[row.agent], str(row.seats), *_mean(row.mean_return), *times)
            shares.add_row(names[row.agent], *(cell for share in row.statistics.values() for cell in percent(share)))
        return [made, shares] if counted else [made]


def _mean(value: Estimate) -> tuple[str, str]:
    digits = 0 if abs(value.value) >= 100 else 2
    if not math.isfinite(value.low):
        return f"{value.value:+.{digits}f}", "unknown"
    return f"{value.value:+.{digits}f}", f"{value.low:+.{digits}f} to {value.high:+.{digits}f}"


def summarize_standings(
    game: Game,
    names: Sequence[str],
    labels: Sequence[str],
    records: Sequence[GameRecord],
    seed: int,
    clock: float | None = None,
    *,
    fresh_chance: bool = False,
    opening: str = "",
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Standings:
    """Sum up the games of agents; `labels` tell apart those of equal `names`."""
    rows = []
    for name in dict.fromkeys(names):
        under = {label for label, of in zip(labels, names, strict=True) if of == name}
        decisions = sum(record.decisions[label] for record in records for label in under)
        seconds = sum(record.seconds[label] for record in records for label in under)
        rows.append(
            Seated(
                agent=name,
                seats=len(under),
                mean_return=_estimate(records, under, ""),
                statistics={key: _estimate(records, under, key) for key in records[0].statistics},
                seconds_per_move=seconds / max(1, decisions),
                late=count_lost(records, under, Ending.TIME),
                forfeits=count_lost(records, under, Ending.FORFEIT),
            )
        )
    return Standings(
        str(game), seed, len(records), game.seats, game.spec.unit, tuple(rows), clock, fresh_chance, opening, aliases
    )


def _estimate(records: Sequence[GameRecord], under: set[str], key: str) -> Estimate:
    """Estimate the mean of a statistic, or for "" of the returns, over the seats of some agents."""
    means: dict[int, list[float]] = {}
    for record in records:
        values = record.statistics[key] if key else record.returns
        assert values is not None
        means.setdefault(record.seed, []).extend(
            value for value, seat in zip(values, record.seats, strict=True) if seat in under
        )
    found = student([fmean(values) for values in means.values()])
    if not key or not math.isfinite(found.low):
        return found
    return Estimate(found.value, max(0.0, found.low), min(1.0, found.high))
