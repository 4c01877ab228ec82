"""One game as a line of JSON: what the arena, `RecordGames` and a person save, and how it is played again.

Chance is drawn from the row's own stream, which seed and episode alone determine. So a line replays move by move, dice
and draws included: start that episode of the seed in a `Batch` and play the actions. That is what `replay` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

import msgspec
import numpy as np

from ..engine.batch import Batch
from ..engine.errors import BoyiError, is_whole, shown
from ..engine.schema import Form, Whole, read
from ..engine.spec import Game, find
from ..engine.version import __version__
from .files import PathOf, as_path, read_lines

FORMAT = "boyi-game-3"
_SINCE_3: dict[str, Any] = {"opening": "", "aliases": {}}
EARLIER: dict[str, dict[str, Any]] = {"boyi-game-1": {"clock": None, "reason": "", **_SINCE_3}, "boyi-game-2": _SINCE_3}
"""The fields that earlier formats did not have, and what they hold for games in those formats."""


class Ending(str, Enum):
    """How a game has come to its end, as records say it: by the rules, truncated, or lost in another way."""

    OVER = "over"
    CUT = "cut"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    TIME = "time"
    UNFINISHED = "unfinished"

    __str__ = str.__str__


class GameRecord(Form, frozen=True, kw_only=True):
    """One game, played by this `version` of the package; `seats` holds the label of each seat's player.

    `agents` are the labels of everybody in the run, `pairing` and `index` the game's place in it, `run_seed` the
    run's seed, `seed` the game's own and `episode` its number among the games of that seed. `aliases` says which
    agent a label stands for if it is not the agent's string. `opening` says how many actions were drawn, and how,
    before anybody decided; "" where none were. `clock` is the seconds that each seat had, if a clock ran. `actions`
    are all that were played, without the illegal one of a "forfeit" or any after "time" is up; `reason` says why a
    game was lost that way. `returns` (seats,) are None for an unfinished game; `statistics` is what the game
    counts besides, (seats,) each; `seconds` spent deciding and `decisions` are per label.
    """

    format: str = FORMAT
    version: str = __version__
    game: str
    game_version: Whole
    agents: list[str]
    run_seed: int
    pairing: Whole
    index: Whole
    seed: int
    episode: Whole = 0
    clock: float | None = None
    opening: str = ""
    aliases: dict[str, str] = {}
    seats: list[str]
    actions: list[Whole]
    names: list[str]
    ended: Ending
    reason: str = ""
    returns: list[float] | None
    statistics: dict[str, list[float]] = {}
    plies: Whole
    seconds: dict[str, float]
    decisions: dict[str, Whole]

    def __post_init__(self) -> None:
        if not all(0 <= seed < 2**64 for seed in (self.run_seed, self.seed)):
            raise ValueError("a seed has 64 bits")
        if not self.plies == len(self.actions) == len(self.names):
            raise ValueError("plies, actions and names differ in number")
        if (self.returns is None) != (self.ended is Ending.UNFINISHED):
            raise ValueError("an unfinished game, and no other, has no returns")
        by_seat = [*self.statistics.values(), *([] if self.returns is None else [self.returns])]
        if any(len(each) != len(self.seats) for each in by_seat):
            raise ValueError("returns and statistics are not one for each seat")
        if not set(self.seats) <= self.seconds.keys() & self.decisions.keys():
            raise ValueError("seconds or decisions of a seat are missing")

    def line(self) -> str:
        """Write the record as one line of JSON, the end of the line included."""
        return json.dumps(msgspec.structs.asdict(self), ensure_ascii=False) + "\n"

    def _repr_svg_(self) -> str:
        """Draw the last position for a notebook."""
        game, states = positions(self, "the game")
        return game.module("draw").svg(states[-1])


def write_down(
    game: Game,
    seed: int,
    seats: Sequence[str],
    actions: list[int],
    ended: Ending,
    returns: list[float] | None,
    spent: Sequence[float],
    decisions: Sequence[int],
    *,
    episode: int = 0,
    states: Sequence[np.void] | None = None,
    **others: Any,
) -> GameRecord:
    """Make the record of a game that the agents `seats` have played, from what each seat has spent and decided.

    `states` are the positions before the actions, if they are known; `others` are fields of `GameRecord` that have no
    argument here. The agents of the run are those that have a seat, unless `agents` names more.
    """
    agents = others.pop("agents", list(dict.fromkeys(seats)))

    def by_label(counts: Sequence[Any]) -> dict[str, Any]:
        return {
            label: sum(n for n, who in zip(counts, seats, strict=True) if who == label)
            for label in agents
            if label in seats
        }

    return GameRecord(
        game=str(game),
        game_version=game.spec.version,
        agents=agents,
        seed=seed,
        episode=episode,
        seats=list(seats),
        actions=actions,
        names=name_all(game, replay(game, seed, actions, episode) if states is None else states, actions),
        ended=ended,
        returns=returns,
        plies=len(actions),
        seconds={label: round(seconds, 6) for label, seconds in by_label(spent).items()},
        decisions=by_label(decisions),
        **{"run_seed": seed, "pairing": 0, "index": 0, **others},
    )


def read_line(line: bytes, where: str) -> GameRecord:
    """Read what `GameRecord.line` writes; `BoyiError` begins with `where` and says what is wrong."""
    return read(line, GameRecord, where=where, what="a game record", format=FORMAT, earlier=EARLIER)


def statistics(game: Game, state: np.void) -> dict[str, list[float]]:
    """Count what a game counts besides its returns, at its end: ``statistics(s)`` of its rules, if they have that."""
    count = getattr(game.module("rules"), "statistics", None)
    return {} if count is None else count(state)


def read_game(path: PathOf, number: int = 1) -> GameRecord:
    """Read the `number`-th game of a file, counted from 1."""
    lines = read_lines(as_path(path))
    if not is_whole(number, 1, len(lines)):
        raise BoyiError(f"{path} holds {len(lines)} games: there is no game number {shown(number)}")
    return read_line(lines[number - 1], f"{path}, line {number},")


def replay(game: Game, seed: int, actions: Iterable[int], episode: int = 0) -> Iterator[np.void]:
    """Yield the position before every action, then the last one; `IllegalAction` where the line does not replay."""
    batch = Batch(game, 1, encoder=None)
    batch.reset(seed, episode=episode)
    yield batch.states[0]
    for action in actions:
        batch.step(np.array([action]))
        yield batch.states[0]


def name_all(game: Game, states: Iterable[np.void], actions: list[int]) -> list[str]:
    """Name actions in the positions before them; a position after the last may follow."""
    name = game.module("text").name
    return [name(state, action) for state, action in zip(states, actions, strict=False)]


def positions(record: GameRecord, where: str) -> tuple[Game, list[np.void]]:
    """Replay a record to its game and plies + 1 positions; `BoyiError` when these rules cannot have produced it."""
    game = find(record.game)
    if record.game_version != game.spec.version:
        raise BoyiError(
            f"{where} was played under version {record.game_version} of {game.name}, this is {game.spec.version}"
        )
    if len(record.seats) != game.seats:
        raise BoyiError(f"{where} names {len(record.seats)} seats, {game} has {game.seats}")
    states: list[np.void] = []
    try:
        states.extend(replay(game, record.seed, record.actions, record.episode))
    except BoyiError:
        raise BoyiError(f"{where} does not replay: action {len(states)} of {record.plies} is not legal") from None
    if name_all(game, states, record.actions) != record.names:
        raise BoyiError(f"{where} does not replay: the names do not belong to the actions")
    return game, states
