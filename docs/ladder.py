"""Measure agents of ours on the ladders and write the tables of ladder.md: ``python docs/ladder.py [GAME …]``.

From the root; games are kept in runs/ladder, so a run that was stopped goes on. What was measured is in ladder/, one
file an agent, and the tables say what these files say: ``python docs/ladder.py page`` writes them without a game.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from boyi.baselines import benchmark
from boyi.baselines.arena.ladder import Standing, read_standing
from boyi.baselines.arena.ladders import LADDERS, Ladder
from boyi.baselines.arena.results import duration, elo_interval, elo_value

HERE = Path(__file__).parent
PAGE = HERE / "ladder.md"
GAMES = HERE.parent / "runs" / "ladder"
INFORMED = "rave=500,c=0,rollouts=informed"
AGENTS = {
    "hex": (
        "mcts:sims=3000", f"mcts:sims=30,{INFORMED}", "puct:sims=100", "alphabeta:depth=1,quiescence=0",
        "alphabeta:depth=1,examine=0", "az:hex,sims=0",
    ),
    "gomoku": (
        "mcts:sims=100", "mcts:sims=3000", "mcts:sims=300,rollouts=informed", "puct:sims=50", "alphabeta:depth=1",
        "alphabeta:depth=4", "az:gomoku,sims=0",
    ),
    "jiu": (
        "puct:sims=10", "two_phase:layout=random,battle=greedy", "alphabeta:nodes=20", "alphabeta:depth=1",
        "alphabeta:depth=2", "alphabeta:nodes=2000,evaluation=learned",
    ),
    "einstein": (
        "mcts:sims=1000", "puct:sims=100", "puct:sims=100,chance=expected", "expectimax:depth=2", "expectimax:depth=4",
        "az:einstein,sims=0",
    ),
    "mahjong": (
        "mcts:sims=20", "expectimax:depth=1,alpha=0.2", "expectimax:depth=1,alpha=0.6",
        "expectimax:evaluator=ddqn:mahjong",
    ),
}  # fmt: skip
MARK = "<!-- What follows is written by docs/ladder.py. -->\n"


def measure(game: str) -> None:
    """Play what is missing of a game's agents and keep their standings."""
    GAMES.mkdir(parents=True, exist_ok=True)
    (HERE / "ladder").mkdir(exist_ok=True)
    for agent in AGENTS[game]:
        out = GAMES / f"{game} {agent.replace(':', ' ')}.json"
        print(benchmark(agent, game, out=out, resume=True), flush=True)
        shutil.copy(out, HERE / "ladder" / out.name.replace(" ", "_"))
        write_page()


def write_page() -> None:
    """Let the page say what there is."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Write the page anew after the mark, from the ladders and the standings."""
    said = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return said + MARK + "".join(line + "\n" for ladder in LADDERS.values() for line in _section(ladder))


def _section(ladder: Ladder) -> Iterator[str]:
    paths = sorted((HERE / "ladder").glob(f"{ladder.game}_*.json"))
    standings = sorted((read_standing(path, ladder.game) for path in paths), key=lambda each: each.rating.value)
    opened = ""
    if ladder.opening:
        opened = f", each opened by {ladder.opening} random moves that `{ladder.judge}` considers even within "
        opened += f"{ladder.margin:g}"
    yield from ("", f"### {ladder.game}", "", f"{ladder.games} games with each rung, seed {ladder.seed}{opened}.")
    yield from (f"Ratings of the rungs: {ladder.measured}.", "", "| rung | Elo | 95 % |", "|---|---|---|")
    for rung in ladder.rungs:
        interval = f"{rung.low:+d} to {rung.high:+d}" if rung.elo else ""
        yield f"| `{rung.agent}` | {f'{rung.elo:+d}' if rung.elo else '0'} | {interval} |"
    if standings:
        points = [f"{standings[0].unit} against `{ladder.rungs[-1].agent}` | 95 % |"] * standings[0].graded
        yield from ("", " ".join(["| agent | Elo | 95 % | a move |", *points]), "|---" * (4 + 2 * len(points)) + "|")
        yield from (_row(each) for each in standings)


def _row(standing: Standing) -> str:
    rating, own = standing.rating, standing.steps[-1].mean_return
    points = [f"{own.value:+.0f}", f"{own.low:+.0f} to {own.high:+.0f}"] * standing.graded
    cells = (elo_value(rating), elo_interval(rating), duration(standing.seconds_per_move), *points)
    return f"| `{standing.agent}` | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    for name in sys.argv[1:] or AGENTS:
        if name != "page":
            measure(name)
    write_page()
