"""The ladders that agents are measured on: for every game opponents from random upward, each with its rating.

A ladder never changes: what may make other games of it, a rung's budget, the openings or the seed, needs one of another
name. Budgets are counted in simulations, nodes or depth, so that a rung plays alike on every machine. Ratings were
measured once, between rungs at most two apart: ``python -m boyi.baselines.arena.ladders hex runs/ladder`` repeats it.
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
from ..agents import AgentLike
from .matches import Match, compete
from .options import Cluster, Workers
from .printing import complain, show, text_table
from .rating import Estimate, rate
from .results import Result, elo_interval, elo_value

NAME = "ladder-v1"
PROVISIONAL = f"{NAME} is provisional: its ratings are of games played before seeds, and alphabeta, played otherwise"
APART = 2  # rungs: who meets whom when ratings are measured


@dataclass(frozen=True)
class Rung:
    """An opponent and its rating, from `low` to `high` with 95 % confidence."""

    agent: str
    elo: int
    low: int
    high: int


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game, weakest first, and the games with each: `games`, opened by so many random actions.

    `measured` says by what the rungs were rated; `own` is false where nobody chose them for this game.
    """

    game: str
    rungs: tuple[Rung, ...]
    games: int
    opening: int
    measured: str = ""
    name: str = NAME
    seed: int = 1
    own: bool = True

    @property
    def total(self) -> int:
        """How many games a benchmark plays."""
        return self.games * len(self.rungs)

    def digest(self) -> str:
        """Condense all that is frozen."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]

    def match(self, game: Game, agent: AgentLike) -> Match:
        """Set up an agent's games with every rung."""
        agents = [agent, *(rung.agent for rung in self.rungs)]
        return Match(game, agents, games=self.games, seed=self.seed, opening=self.opening, first_against_all=True)


RANDOM = Rung("random", 0, 0, 0)
LADDERS: dict[str, Ladder] = {
    ladder.game: ladder
    for ladder in (
        Ladder(
            "hex",
            (
                RANDOM,
                Rung("mcts:sims=5", 209, 158, 264),
                Rung("mcts:sims=60", 533, 465, 606),
                Rung("mcts:sims=130", 992, 890, 1102),
                Rung("mcts:sims=200", 1291, 1177, 1413),
                Rung("mcts:sims=400", 1710, 1579, 1849),
                Rung("mcts:sims=600", 1914, 1779, 2058),
                Rung("mcts:sims=1000", 2129, 1989, 2277),
                Rung("mcts:sims=45,rave=500,c=0,rollouts=informed", 2343, 2199, 2495),
                Rung("mcts:sims=65,rave=500,c=0,rollouts=informed", 2540, 2392, 2696),
                Rung("mcts:sims=100,rave=500,c=0,rollouts=informed", 2743, 2591, 2903),
                Rung("mcts:sims=300,rave=500,c=0,rollouts=informed", 3131, 2969, 3300),
                Rung("alphabeta:depth=1", 3252, 3087, 3424),
                Rung("alphabeta:depth=2", 3563, 3392, 3741),
            ),
            games=60,
            opening=2,
            measured="2026-11-22, boyi 0.1.0, 200 games a pair",
        ),
        Ladder(
            "gomoku",
            (
                RANDOM,
                Rung("mcts:sims=30", 445, 368, 533),
                Rung("mcts:sims=300", 648, 564, 742),
                Rung("mcts:sims=1000", 978, 879, 1086),
                Rung("mcts:sims=1000,rave=100", 1559, 1421, 1712),
                Rung("puct:sims=2", 1697, 1555, 1853),
                Rung("puct:sims=20", 2121, 1966, 2289),
                Rung("puct:sims=100", 2400, 2237, 2576),
                Rung("alphabeta:depth=1,quiescence=0", 2840, 2664, 3027),
                Rung("alphabeta:depth=2", 2951, 2774, 3140),
                Rung("alphabeta:depth=5", 3073, 2894, 3264),
            ),
            games=60,
            opening=4,
            measured="2026-11-22, boyi 0.1.0, 200 games a pair",
        ),
        Ladder(
            "jiu",
            (
                RANDOM,
                Rung("mcts:sims=30", 282, 206, 366),
                Rung("puct:sims=2", 690, 584, 808),
                Rung("puct:sims=50", 901, 782, 1030),
                Rung("greedy", 1429, 1268, 1611),
                Rung("alphabeta:depth=1,quiescence=0", 1757, 1581, 1951),
                Rung("alphabeta:nodes=400", 1946, 1765, 2144),
                Rung("alphabeta:nodes=2000", 2289, 2094, 2500),
            ),
            games=40,
            opening=6,
            measured="2026-11-22, boyi 0.1.0, 120 games a pair",
        ),
        Ladder(
            "einstein",
            (
                RANDOM,
                Rung("mcts:sims=10", 173, 161, 184),
                Rung("mcts:sims=30", 230, 219, 242),
                Rung("mcts:sims=100", 301, 288, 314),
                Rung("expectimax:depth=1", 447, 432, 462),
                Rung("expectimax:depth=3", 520, 503, 537),
            ),
            games=1000,
            opening=0,
            measured="2026-11-22, boyi 0.1.0, 3,000 games a pair",
        ),
        Ladder(
            "mahjong",
            (RANDOM, Rung("greedy", 288, 276, 300), Rung("expectimax:depth=1", 310, 298, 321)),
            games=2000,
            opening=0,
            measured="2026-11-22, boyi 0.1.0, 4,000 games a pair",
        ),
    )
}


def find_ladder(game: str | Spec | Game) -> Ladder:
    """Find the ladder of a game; where nobody has made one, its one rung is random."""
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
    wins = np.zeros((len(ladder.rungs), len(ladder.rungs)))
    for i, j in combinations(range(len(ladder.rungs)), 2):
        if j - i <= APART:
            names = ladder.rungs[i].agent, ladder.rungs[j].agent
            match = Match(ladder.game, names, games=games, seed=ladder.seed - 1, opening=ladder.opening)
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
