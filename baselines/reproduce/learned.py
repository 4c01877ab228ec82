"""Runs of DQN that differ in something, trained side by side, and what they score: what S1 and S2 have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.engine.spec import find
from ...envs.records.game_record import GameRecord
from ..arena.rating import wilson
from ..learning.model_agent import DoubleDQNAgent, DQNAgent, read_model
from ..learning.networks import count
from ..training.config import read_config
from ..training.run import Limits, Run, latest, read_log
from ..training.trainer import Figures
from . import qrdqn
from .meetings import firsts, score, side_by_side, slug
from .report import Curves, share


class Variant(NamedTuple):
    """A run: its config, the fields that are changed in it, after how many minutes it ends at the latest, and whether
    sb3-contrib's QR-DQN learns instead of ours.
    """

    config: str
    changes: Mapping[str, Any]
    minutes: float | None = None
    peer: bool = False


ROW = ("", "board", "transitions", "weights", "hours")


class Trained(NamedTuple):
    """A run that is over: its folder, and its log."""

    folder: Path
    log: list[Figures]

    @property
    def game(self) -> str:
        return read_model(self.folder)[0].game

    def agent(self, **values: Any) -> str:
        """Write the string of the agent that plays what has been learned, with parameters."""
        kind = {"dqn": DQNAgent, "ddqn": DoubleDQNAgent}[read_model(self.folder)[0].algorithm]
        return str(kind(run=str(self.folder), **values))

    @property
    def row(self) -> list[str]:
        """Its row of a table, under `ROW`."""
        board, numbers = find(self.game).params["board_size"], count(read_model(self.folder)[1])
        steps, hours = latest(self.log, "steps"), latest(self.log, "time/hours")
        return [f"{board}x{board}", f"{steps:,.0f}", f"{numbers:,}", f"{hours:.1f}"]

    def curve(self, opponent: str, games: int) -> list[tuple[float, float, float, float]]:
        """Read the score against one of the ladder over training, from `games` games at each point."""
        found = [(line["steps"], line[f"eval/{opponent}"]) for line in self.log if f"eval/{opponent}" in line]
        return [(steps, *wilson(value, games)) for steps, value in found]


def train_all(folder: Path, variants: Mapping[str, Variant], report: Callable[[str], None]) -> dict[str, Trained]:
    """Train every run in a folder of its own, one on each core, or go on with them.

    `report` is called with a line about every run that is over.
    """
    trained: dict[str, Trained] = {}
    # Each on one thread: a small network gains nothing from a second.
    for name, steps in side_by_side(partial(_train, folder), variants.items()):
        place = folder / slug(name)
        trained[name] = Trained(place, read_log(place / "log.jsonl"))
        report(f"{name}: {steps:,} transitions of self-play")
    return trained


def _train(folder: Path, item: tuple[str, Variant]) -> tuple[str, int]:
    name, (config, changes, minutes, peer) = item
    place = folder / slug(name)
    if peer:
        assert minutes is not None
        return name, qrdqn.train(read_config(config, **changes), place, minutes)
    run = Run(read_config(config, **changes), place, resume=(place / "config.json").exists())
    before, spent = run.steps, 60 * latest(run.lines, "time/hours")
    if minutes is None:
        if before < run.config["steps"]:
            run.train()
    elif not run.scores:  # which are measured when the time is over
        run.train(Limits(minutes=max(0.0, minutes - spent)))
    return name, run.steps - before


def by_colour(records: Sequence[GameRecord]) -> list[str]:
    """Write the score of the first agent in all games, in those that it begins and in those that the other begins."""
    parts = [[r for r, seat in zip(records, firsts(records), strict=True) if seat == mine] for mine in (0, 1)]
    return [share(score(records)), *(f"{score(part).value:.0%}" for part in parts)]


def panels(
    trained: Mapping[str, Trained], groups: Mapping[str, Iterable[str]], opponent: str, games: int
) -> dict[str, Curves]:
    """Lay out the curves of runs against one opponent, a panel for each group of names."""
    return {title: {name: trained[name].curve(opponent, games) for name in names} for title, names in groups.items()}
