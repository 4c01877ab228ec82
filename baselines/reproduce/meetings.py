"""The matches of a reproduction: played in parts, on every core, each part with a file from which it goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from ...envs.engine.machine import usable_cores
from ...envs.records.game_record import GameRecord
from ..arena.matches import Match, compete
from ..arena.rating import Estimate, wilson
from ..workers.crew import Crew
from .report import share

Item = TypeVar("Item")
Result = TypeVar("Result")


class Meeting(NamedTuple):
    """A match of agents, by their strings, of `games` games in parts of `part`, the first `opening` actions drawn;
    `fresh` if no two games share a seed.
    """

    name: str
    game: str
    agents: tuple[str, ...]
    games: int
    part: int
    opening: int = 0
    fresh: bool = False

    def play(self, folder: Path, k: int) -> list[GameRecord]:
        """Play the k-th part, or what is missing of it in its file; return its games."""
        games = min(self.part, self.games - k * self.part)
        drawn = {"seed": 1 + k, "opening": self.opening, "fresh_chance": self.fresh}
        match = Match(self.game, self.agents, games=games, **drawn)  # type: ignore[arg-type]
        records: list[GameRecord] = []
        compete(match, folder / f"{slug(self.name)}_{1 + k}.jsonl", resume=True, report=records.append)
        return records


def play_all(
    folder: Path, meetings: Sequence[Meeting], report: Callable[[str], None], said: Callable[[list[GameRecord]], str]
) -> dict[str, list[GameRecord]]:
    """Play matches, their parts side by side, one on each core; return the games of each. How strong agents are must
    not depend on the time that they get.

    `report` is called after every part with a line about the result, which `said` writes.
    """
    parts = [(meeting, k) for meeting in meetings for k in range(-(-meeting.games // meeting.part))]
    found: dict[str, list[GameRecord]] = {meeting.name: [] for meeting in meetings}
    for meeting, records in side_by_side(partial(_played, folder), parts):
        games = found[meeting.name]
        games += records
        report(f"{meeting.name}: {said(games)}, {len(games)} of {meeting.games} games")
    return found


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Do work on each of some items in processes, one on each core; yield the results in the items' order."""
    with Crew[Item, Result](partial(_same, work), usable_cores()) as crew:
        yield from crew.in_order(items)


def _same(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    return work


def slug(name: str) -> str:
    """Make a file's name from words."""
    return re.sub(r"[^a-zA-Z0-9]+", "_", name)


def _played(folder: Path, part: tuple[Meeting, int]) -> tuple[Meeting, list[GameRecord]]:
    meeting, k = part
    return meeting, meeting.play(folder, k)


def firsts(records: Sequence[GameRecord]) -> np.ndarray:
    """Find the seats (games,) of the first side."""
    return np.array([record.seats.index(record.agents[0]) for record in records])


def score(records: Sequence[GameRecord]) -> Estimate:
    """Score the games of the first side, a draw as half a game."""
    won = np.sign(
        [record.returns[seat] for record, seat in zip(records, firsts(records), strict=True) if record.returns]
    )
    return wilson(float((won + 1).mean() / 2), won.size)


def said(records: Sequence[GameRecord]) -> str:
    """Write the score of games of the first side."""
    return share(score(records))
