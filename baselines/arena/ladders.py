"""The ladders that agents are measured on: for every game, opponents from random upward, each with its rating.

A ladder never changes: other budgets of rungs, openings or seeds may lead to other games, and need a ladder of another
name. Budgets are counted in simulations, nodes or depth, so that a rung plays alike on every machine. Ratings were
measured once, between rungs at most two apart: ``python -m boyi.baselines.arena.ladders hex runs/ladder`` repeats it.
Networks are rungs, too, and are left out where PyTorch is not installed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Spec, find
from ...envs.records.game_record import GameRecord
from ..agents import AgentLike, can_play
from .matches import Match, compete
from .openings import Openings
from .options import Cluster, Workers
from .printing import complain, show, text_table
from .rating import Estimate, rate
from .results import Result, elo_interval, elo_value

NAME = "ladder-v2"
APART = 2  # rungs: how far apart two may be to meet when ratings are measured


@dataclass(frozen=True)
class Rung:
    """An opponent and its rating, from `low` to `high` with 95 % confidence."""

    agent: str
    elo: int
    low: int
    high: int


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game, weakest first; `games` are played with each, opened by `opening` random actions.

    Where there is a `judge`, it considers these openings even within `margin`. `measured` says how the rungs were
    rated; `own` is false where nobody chose them for this game.
    """

    game: str
    rungs: tuple[Rung, ...]
    games: int
    opening: int
    judge: str = ""
    margin: float = 0.0
    measured: str = ""
    name: str = NAME
    seed: int = 1
    own: bool = True

    @property
    def playable(self) -> list[Rung]:
        """The rungs that can play here: networks need PyTorch."""
        return [rung for rung in self.rungs if can_play(rung.agent)]

    @property
    def total(self) -> int:
        """How many games a benchmark plays."""
        return self.games * len(self.playable)

    def digest(self) -> str:
        """Hash everything that is frozen."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]

    def match(self, game: Game, agent: AgentLike) -> Match:
        """Set up an agent's games with every rung."""
        agents = [agent, *(rung.agent for rung in self.playable)]
        return Match(
            game, agents, games=self.games, seed=self.seed, opening=self.openings(game), first_against_all=True
        )

    def openings(self, game: Game) -> Openings:
        """Make the openings of its games."""
        even = bool(self.judge)
        return Openings(game, self.opening, even=even, judge=self.judge or None, margin=self.margin)


RANDOM = Rung("random", 0, 0, 0)
LADDERS: dict[str, Ladder] = {
    ladder.game: ladder
    for ladder in (
        Ladder(
            "hex",
            (
                RANDOM,
                Rung("mcts:sims=5", 257, 196, 322),
                Rung("mcts:sims=25", 293, 231, 359),
                Rung("mcts:sims=60", 468, 394, 545),
                Rung("mcts:sims=95", 743, 653, 838),
                Rung("mcts:sims=130", 921, 821, 1026),
                Rung("mcts:sims=200", 1178, 1067, 1295),
                Rung("mcts:sims=280", 1412, 1291, 1539),
                Rung("mcts:sims=400", 1568, 1441, 1700),
                Rung("mcts:sims=600", 1783, 1648, 1922),
                Rung("mcts:sims=1000", 1962, 1821, 2108),
                Rung("mcts:sims=45,rave=500,c=0,rollouts=informed", 2214, 2065, 2368),
                Rung("mcts:sims=65,rave=500,c=0,rollouts=informed", 2379, 2224, 2538),
                Rung("mcts:sims=100,rave=500,c=0,rollouts=informed", 2588, 2428, 2753),
                Rung("mcts:sims=170,rave=500,c=0,rollouts=informed", 2797, 2631, 2968),
                Rung("mcts:sims=300,rave=500,c=0,rollouts=informed", 2966, 2795, 3142),
                Rung("mcts:sims=1000,rave=500,c=0,rollouts=informed", 3237, 3059, 3421),
                Rung("alphabeta:depth=1", 3415, 3231, 3602),
                Rung("alphabeta:depth=2", 3541, 3355, 3732),
                Rung("mcts:sims=4000,rave=500,c=0,rollouts=informed,examine=200", 3604, 3416, 3797),
                Rung("az:hex,sims=4", 3899, 3704, 4098),
                Rung("az:hex,sims=16", 3920, 3723, 4121),
                Rung("az:hex,sims=50", 4040, 3840, 4244),
            ),
            games=40,
            opening=2,
            judge="mcts:sims=3000,rave=500,c=0,rollouts=informed",
            margin=0.3,
            measured="2026-11-28, boyi 0.1.0, 120 games a pair",
        ),
        Ladder(
            "gomoku",
            (
                RANDOM,
                Rung("mcts:sims=4", 238, 178, 303),
                Rung("mcts:sims=10", 329, 265, 397),
                Rung("mcts:sims=30", 440, 367, 517),
                Rung("mcts:sims=300", 631, 547, 718),
                Rung("mcts:sims=600", 856, 761, 954),
                Rung("mcts:sims=1000", 979, 879, 1084),
                Rung("mcts:sims=1700", 1069, 964, 1177),
                Rung("mcts:sims=3000", 1231, 1119, 1346),
                Rung("mcts:sims=1000,rave=100", 1462, 1341, 1586),
                Rung("puct:sims=2", 1575, 1450, 1704),
                Rung("puct:sims=3", 1809, 1676, 1945),
                Rung("puct:sims=4", 1995, 1855, 2138),
                Rung("puct:sims=6", 2167, 2023, 2315),
                Rung("puct:sims=9", 2296, 2147, 2448),
                Rung("puct:sims=12", 2455, 2302, 2612),
                Rung("puct:sims=20", 2560, 2403, 2720),
                Rung("puct:sims=100", 2822, 2658, 2989),
                Rung("puct:sims=400", 2914, 2747, 3085),
                Rung("alphabeta:depth=1,quiescence=0", 3162, 2989, 3338),
                Rung("alphabeta:depth=2", 3332, 3155, 3513),
                Rung("alphabeta:depth=3", 3423, 3243, 3607),
                Rung("alphabeta:depth=5", 3714, 3527, 3906),
                Rung("alphabeta:nodes=10000", 3916, 3723, 4113),
                Rung("az:gomoku,sims=100", 4055, 3859, 4255),
                Rung("alphabeta:nodes=50000", 4089, 3890, 4292),
            ),
            games=40,
            opening=5,
            judge="alphabeta:nodes=50000",
            margin=0.2,
            measured="2026-11-28, boyi 0.1.0, 120 games a pair",
        ),
        Ladder(
            "jiu",
            (
                RANDOM,
                Rung("pool:'random;puct:sims=10,temperature=1'", 248, 182, 321),
                Rung("puct:sims=10,temperature=1", 488, 411, 571),
                Rung("puct:sims=10,temperature=0.5", 544, 461, 633),
                Rung("puct:sims=2", 701, 611, 796),
                Rung("puct:sims=10", 875, 777, 978),
                Rung("pool:'puct:sims=10;puct:sims=10;puct:sims=10;greedy'", 940, 837, 1046),
                Rung("pool:'puct:sims=10;greedy'", 1063, 955, 1175),
                Rung("greedy", 1235, 1120, 1354),
                Rung("alphabeta:nodes=60", 1415, 1294, 1541),
                Rung("alphabeta:depth=1,quiescence=0", 1622, 1492, 1756),
                Rung("alphabeta:nodes=400", 1904, 1763, 2050),
                Rung("alphabeta:nodes=900", 2150, 2000, 2304),
                Rung("alphabeta:nodes=2000", 2310, 2155, 2469),
                Rung(
                    "two_phase:layout='az:jiu,sims=32',battle='alphabeta:nodes=2000,evaluation=learned'",
                    2562,
                    2398,
                    2731,
                ),
            ),
            games=40,
            opening=6,
            judge="alphabeta:nodes=20000",
            margin=0.2,
            measured="2026-11-28, boyi 0.1.0, 120 games a pair",
        ),
        Ladder(
            "einstein",
            (
                RANDOM,
                Rung("mcts:sims=10", 174, 163, 185),
                Rung("mcts:sims=30", 228, 216, 239),
                Rung("mcts:sims=100", 296, 283, 309),
                Rung("expectimax:depth=1", 438, 424, 453),
                Rung("expectimax:depth=3", 504, 488, 520),
                Rung("az:einstein", 525, 508, 543),
            ),
            games=1000,
            opening=0,
            measured="2026-11-28, boyi 0.1.0, 3,000 games a pair",
        ),
        Ladder(
            "mahjong",
            (
                RANDOM,
                Rung("pool:'random;greedy'", 176, 166, 186),
                Rung("greedy", 287, 276, 297),
                Rung("expectimax:depth=1", 301, 289, 313),
            ),
            games=2000,
            opening=0,
            measured="2026-11-28, boyi 0.1.0, 4,000 games a pair",
        ),
    )
}


def find_ladder(game: str | Spec | Game) -> Ladder:
    """Find the ladder of a game; where nobody has made one, its only rung is random."""
    chosen = str(find(game))
    return LADDERS.get(chosen, Ladder(chosen, (RANDOM,), games=200, opening=0, own=False))


def calibrate(
    ladder: Ladder,
    folder: Path,
    games: int = 100,
    report: Callable[[GameRecord], None] | None = None,
    *,
    workers: int = 1,
    cluster: str | None = None,
) -> list[Estimate]:
    """Rate a ladder's rungs by games between those at most two apart, opened like the ladder's but from other seeds.

    `folder` keeps the games: those it already holds are not played again. `workers` and `cluster` are those of
    `compete`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wins, openings = np.zeros((len(ladder.rungs), len(ladder.rungs))), ladder.openings(find(ladder.game))
    for i, j in combinations(range(len(ladder.rungs)), 2):
        if j - i <= APART:
            names = ladder.rungs[i].agent, ladder.rungs[j].agent
            match = Match(ladder.game, names, games=games, seed=ladder.seed - 1, opening=openings)
            out = folder / f"{ladder.name} {ladder.game} {names[0]} {names[1]}.jsonl"
            result = compete(match, out, resume=True, workers=workers, cluster=cluster, report=report)
            assert isinstance(result, Result)
            (played,) = result.pairings
            wins[i, j] = played.wins + played.draws / 2
            wins[j, i] = games - wins[i, j]
    return rate(wins)


def main(
    game: Annotated[str, typer.Argument(help="A game that has a ladder.")],
    folder: Annotated[Path, typer.Argument(help="Where its games are kept; a run that was stopped goes on.")],
    games: Annotated[int, typer.Option(help="Between every two rungs at most two apart.")] = 100,
    workers: Workers = 1,
    cluster: Cluster = None,
) -> None:
    """Measure the ratings of a ladder's rungs."""
    ladder = find_ladder(game)
    table = text_table("rung", "frozen", "Elo", "95 %", left=("rung",))
    for rung, elo in zip(ladder.rungs, calibrate(ladder, folder, games, workers=workers, cluster=cluster), strict=True):
        table.add_row(rung.agent, str(rung.elo), elo_value(elo), elo_interval(elo))
    show(f"{ladder.name} of {ladder.game}", table)


if __name__ == "__main__":
    try:
        typer.run(main)
    except BoyiError as error:
        complain(f"boyi: {error}")
        sys.exit(2)
