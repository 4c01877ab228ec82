"""How a run of the arena stands while it goes on: the result of the latest game, and the score so far."""

from __future__ import annotations

from collections import defaultdict

from ...envs.records.game_record import Ending, GameRecord
from .results import duration, points, seconds_per_move


class RunningScore:
    """Adds up games as they end: the score of every pairing or, where more sit at one table, the returns of each."""

    def __init__(self) -> None:
        self.made: dict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))

    def add(self, record: GameRecord) -> tuple[str, str]:
        """Count a game; return the score of its pairing, and with it how the game went."""
        assert record.returns is not None
        names, made = list(dict.fromkeys(record.seats)), self.made[record.pairing]
        for name in names:
            own = [made for made, seat in zip(record.returns, record.seats, strict=True) if seat == name]
            made[name] += points(record, name) if len(names) == 2 else sum(own)
        shown = sorted(names, key=record.agents.index)
        score = ", ".join(f"{name} {made[name]:g}" for name in shown)
        return score, f"{_result(record, shown)}; {score}"


def _result(record: GameRecord, names: list[str]) -> str:
    """Say who has beaten whom in how many actions, how if not by the rules, and how long they took for one."""
    how = "" if record.ended in (Ending.OVER, Ending.CUT) else f" ({record.ended})"
    times = ", ".join(duration(seconds_per_move(name, [record])) for name in names)
    if len(names) == 2:
        first, second = sorted(names, key=lambda name: -points(record, name))
        verb = "drew with" if points(record, first) == 0.5 else "beat"
        said = f"{first} {verb} {second}"
    else:
        said = " - ".join(names)
    return f"{said} in {record.plies} actions{how}, {times} a move"
