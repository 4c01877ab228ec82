"""Finished games as lines of JSON, which ``boyi play --record FILE`` steps through."""

from __future__ import annotations

from collections import Counter

import gymnasium

from ..envs.engine.batch import Batch
from ..envs.engine.errors import BoyiError
from ..envs.faces.seating import Finished, Seating, Watcher
from ..envs.records.files import Growing, PathOf, as_path
from ..envs.records.game_record import Ending, GameRecord, replay, write_down
from .shell import Observation, Shell

LEARNER = "learner"


class Recorder(Watcher):
    """Appends every game that ends at a seating to a file."""

    seating: Seating
    file: Growing
    count: int

    def __init__(self, seating: Seating, path: PathOf) -> None:
        self.seating, self.file, self.count = seating, Growing(as_path(path)), 0
        seating.batch.keep_history()
        seating.watchers.append(self)

    def ended(self, batch: Batch, games: Finished) -> None:
        lines = [self._record(batch, games, k).line() for k in range(games.rows.size)]
        self.file.append("".join(lines))
        self.count += len(lines)

    def _record(self, batch: Batch, games: Finished, k: int) -> GameRecord:
        game, row, learner = self.seating.game, int(games.rows[k]), int(games.seats[k])
        actions, state = batch.history(row), batch.states[row]
        if len(actions) != state["ply"]:
            raise BoyiError(f"RecordGames: row {row} did not begin at the start of a game; call reset() first")
        seed, episode = int(batch.seeds[row]), int(batch.episodes[row])
        states = list(replay(game, seed, actions, episode))
        seats = [_label(self.seating, seat, learner) for seat in range(game.seats)]
        decided = Counter(int(before["to_move"]) for before in states[:-1])
        forfeited = states[-1]["to_move"] >= 0
        ended = Ending.FORFEIT if forfeited else Ending.OVER if games.over[k] else Ending.CUT
        returns, nobody = games.returns[k].tolist(), [0.0] * game.seats
        decisions = [decided[seat] for seat in range(game.seats)]
        return write_down(
            game, seed, seats, actions, ended, returns, nobody, decisions,
            episode=episode, states=states, index=self.count + k,
        )  # fmt: skip


def _label(seating: Seating, seat: int, learner: int) -> str:
    """Name who plays a seat: agents by the string that makes them, other players by their class."""
    player = seating.player(seat, learner)
    if player is None:
        return LEARNER
    return type(player).__qualname__ if type(player).__str__ is object.__str__ else str(player)


class RecordGames(Shell):
    """Appends each finished game to the file `path` as a line of JSON, in the format that the arena writes.

    The seats are named "learner" and by their agents; seconds are not measured and are 0.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], path: PathOf) -> None:
        super().__init__(env, path=str(as_path(path)))
        self.recorder: Recorder = Recorder(self.seating, path)
