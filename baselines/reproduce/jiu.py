"""S3, the program of Li and others for Tibetan Jiu chess: a layout learned by self-play, a battle searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.machine import machine
from ...envs.jiu.draw import svg
from ...envs.records.game_record import GameRecord
from ..agents import make_agent
from ..arena.rating import Estimate, wilson
from ..learning.alphazero_agent import AlphaZeroAgent, read_network
from ..learning.shipped import shipped_weights
from ..players.two_phase import TwoPhase
from ..training.config import read_config
from ..training.export import export
from ..training.run import Run
from .meetings import Meeting, firsts, play_all, said, score
from .report import Curves, curves_picture, grid, share, write_report

GAME = "jiu"
OURS = "ours: az:jiu"
PLAIN = "selective=false"  # as the published programs search: nothing is left out for looking unlikely
OPENING = 4  # stones at random: otherwise two agents that draw nothing would lay the same stones in every game
BATTLE = f"alphabeta:depth=2,{PLAIN}"  # of both sides, where only their layouts differ
PUBLISHED = {100: "C ahead", 300: "level", 500: "B clearly ahead"}
DEVIATIONS = (
    "Lost or never stated are how many games an iteration has (ours: 4), the simulations (ours: 64 in a fifth of the"
    " searches, which alone are learned from, 8 in the others), batch, learning rate, weight of the squared weights,"
    " temperature, the bound at which minibatches stop, and size and interval of the gate: the config `jiu_s3` has them"
    " with reasons.",
    'The text\'s "3 filters of 3x3" is read as three layers, of 32, 64 and 128 filters.',
    "The text values a leaf by the network, the pseudo-code by a random playout: ours by the network (`leaf=playout` is"
    " the other). The pseudo-code gives a tie to the second player: ours is a draw.",
    "Program C is another author's. Ours searches as that one is said to: four turns deep in both phases, every legal"
    " move, the published table in the layout; the table of the battle is lost, ours is made by hand. Where several"
    " stones may be taken a turn has thousands of continuations, and looking that far would take minutes: in the battle"
    " it plays the best that it knows after as many positions as `nodes` says.",
    "The published match was a best of five; ours has more games, each from four stones at random, seats swapped. The"
    " games with a person of 1st dan are not repeated.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: the `iterations` after which strength is measured; simulations of a stone; layouts a match;
    games with quick battles a match; whole games against program C, by these layouts and by ours; how deep C looks
    and after how many positions it stops in the battle; and the seconds a turn in which every move is compared with
    the moves that the game names, in as many games as ours.
    """

    iterations: tuple[int, ...]
    sims: int
    layouts: int
    battles: int
    games: int
    our_games: int
    depth: int
    nodes: int
    seconds: float


QUICK = Scale((1, 2, 3), sims=16, layouts=10, battles=10, games=2, our_games=2, depth=2, nodes=10_000, seconds=0.01)
FULL = Scale(
    (100, 300, 500), sims=64, layouts=100, battles=50, games=20, our_games=40, depth=4, nodes=1_000_000, seconds=0.1
)


def sides(layout: str, battle: str) -> str:
    """Write the string of the agent that plays the two phases by these agents."""
    return str(TwoPhase(make_agent(layout), make_agent(battle)))


class Laid(NamedTuple):
    """The layouts of a match: squares of its first agent and of the other (m, 2), and the full boards (m,)."""

    squares: np.ndarray
    boards: np.ndarray

    @property
    def more(self) -> Estimate:
        """The share of layouts in which the first agent has more squares; a tie counts half."""
        won = np.sign(self.squares[:, 0] - self.squares[:, 1])
        return wilson(float((won + 1).mean() / 2), won.size)


def laid_out(records: Sequence[GameRecord]) -> Laid:
    """Lay the stones of games again, in a game that ends when the board is full."""
    batch = Batch(f"{GAME}:layout_only=true", len(records), seed=0, encoder=None)
    for ply in range(batch.game.longest):
        batch.step(np.array([record.actions[ply] for record in records]))
    first = firsts(records)
    squares = batch.states["squares"][np.arange(len(records))[:, None], np.stack([first, 1 - first], axis=1)]
    return Laid(squares, batch.states)


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train the network of the layout in a folder, or go on with it, measure program B against C, and write the page.

    `report` is called with a line about what is begun in training, and about every match that is over.
    """
    trained = _train(folder, scale, report)
    layouts = {
        f"{k} iterations": str(AlphaZeroAgent(weights=str(file), sims=scale.sims)) for k, file in trained.items()
    }
    if GAME in shipped_weights("az"):
        layouts[OURS] = "az:jiu,sims=32"
    followed = f"alphabeta:depth={scale.depth},{PLAIN}"
    narrowed, search = f"{followed},quiescence=0", f"{followed},quiescence=0,width=all"
    many = {name: scale.our_games if name == OURS else scale.games for name in layouts}
    kinds = (
        ("quick battles", BATTLE, sides(search, BATTLE), scale.battles, 10),
        ("C narrowed", "random", sides(narrowed, "random"), scale.layouts, scale.layouts),
        ("random", "random", sides("random", "random"), scale.layouts, scale.layouts),
        ("games", followed, sides(search, f"{search},nodes={scale.nodes}"), 0, 2),
    )
    # Ours first, as it plays the most; games that take hours come after those that take minutes.
    meetings = [
        Meeting(f"{name}, {kind}", GAME, (sides(layout, battle), other), games or many[name], part, OPENING)
        for kind, battle, other, games, part in kinds
        for name, layout in reversed(layouts.items())
    ]
    found = play_all(folder, meetings, report, said)
    # In equal time, so with nothing else running.
    usual, equal = f"alphabeta:quiescence=0,seconds={scale.seconds:g},{PLAIN}", "narrowed against every move"
    narrow, every = sides("greedy", usual), sides("greedy", f"{usual},width=all")
    match = Meeting(equal, GAME, (narrow, every), scale.our_games, scale.our_games, OPENING)
    timed = play_all(folder, [match], report, said)
    width = score(timed[equal])
    whole, worth = ({name: score(found[f"{name}, {kind}"]) for name in layouts} for kind in ("games", "quick battles"))
    against = {"random": "random", "C narrowed": "C narrowed", "C": "quick battles"}
    laid = {name: {other: laid_out(found[f"{name}, {kind}"]) for other, kind in against.items()} for name in layouts}
    pictures = {f"layout_{k}.svg": svg(laid[f"{k} iterations"]["C"].boards[0], shapes=True).encode() for k in trained}
    hours = read_network(str(trained[max(trained)])).card.made["hours"]
    published = {f"{k} iterations": said for k, said in PUBLISHED.items()}
    panels: dict[str, Curves] = {
        "more squares than": {
            other: _curve({k: laid[f"{k} iterations"][other].more for k in trained}) for other in ("random", "C")
        },
        "games": {
            "quick battles": _curve({k: worth[f"{k} iterations"] for k in trained}),
            "program B against C": _curve({k: whole[f"{k} iterations"] for k in trained}),
        },
    }
    pictures["curves.png"] = curves_picture(panels, "iterations", "score", 1.0)
    lines = [
        "# Tibetan Jiu chess: a layout learned by self-play, a battle searched (S3)",
        "",
        "Program B lays its stones out by the network and searches the battle, program C searches both phases,"
        f" {scale.depth} turns deep. Every game begins with {OPENING} stones at random; seats swapped, 95 % intervals;"
        f" {machine('torch')}.",
        "",
        f"Training took {hours} hours.",
        "",
        "What was claimed: in a best of five, C was ahead of B after 100 iterations of training, level after 300, and B"
        " clearly ahead after 500. What we measured:",
        "",
        *grid(
            ["layout after", "published", "B against C", "games", "layouts against C's, quick battles"],
            [
                [name, published.get(name, ""), share(whole[name]), str(many[name]), share(worth[name])]
                for name in layouts
            ],
        ),
        "",
        "![Curves over training](curves.png)",
        "",
        f"B's battle is `{followed}`, C's phases are `{search}`, its battle with `nodes={scale.nodes}`. Quick battles"
        f" are `{BATTLE}` for both sides, {scale.battles} games: what the layout alone is worth.",
        "",
        "Layouts alone: the share with more squares, and squares on average, over"
        f" {scale.layouts} layouts, against C those of the quick battles. C reads the published table by its search,"
        " which asks for shapes that lack a stone and not for squares.",
        "",
        *grid(
            ["layout after", *next(iter(laid.values()))],
            [[name, *(_squares(one) for one in others.values())] for name, others in laid.items()],
        ),
        "",
        "Narrowed, to the moves that the game names, against every legal move, in equal time"
        f" ({scale.seconds:g} s a turn) in the battle, layouts by `greedy`: {share(width)} of {scale.our_games} games.",
        "",
        *(f"![A layout against C's after {k} iterations](layout_{k}.svg)" for k in trained),
        "",
        "Layouts against C's, squares and other shapes lit.",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    return write_report(folder, lines, pictures)


def _train(folder: Path, scale: Scale, report: Callable[[str], None]) -> dict[int, Path]:
    """Train, or go on with the run; return the files of what had been learned, by the number of iterations."""
    files = {k: folder / f"{k}.safetensors" for k in scale.iterations}
    printed = read_config("jiu_s3")
    for k, file in files.items():
        if file.exists():
            continue
        steps = k * printed["envs"] * printed["moves"]
        # The matches below are the evaluation.
        config = read_config("jiu_s3", steps=steps, evaluation_games=2, evaluation_sims=2, ladder=["random"])
        run = Run(config, folder / "run", resume=(folder / "run" / "config.json").exists())
        report(f"{k} iterations: {max(0, steps - run.steps):,} decisions of self-play")
        run.train()
        export(folder / "run", file)
    return files


def _curve(found: dict[int, Estimate]) -> list[tuple[float, float, float, float]]:
    return [(k, one.value, one.low, one.high) for k, one in found.items()]


def _squares(laid: Laid) -> str:
    mine, theirs = laid.squares.mean(axis=0)
    return f"{share(laid.more)}, {mine:.1f} to {theirs:.1f}"
