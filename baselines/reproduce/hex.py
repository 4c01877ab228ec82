"""S1, the Hex program of Zheng after NeuroHex: deep Q-learning against a program of Monte Carlo tree search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...envs.engine.machine import machine
from .learned import ROW, Variant, by_colour, panels, train_all
from .meetings import Meeting, play_all, said
from .report import curves_picture, grid, write_report

UCT = "mcts:sims=1000"
LADDER = ("mcts:sims=100", UCT)
PRINTED, OURS = "as printed, small", "ours"
SQUARE = {"mix": [[17, 11], [14, 14], [10, 18], [7, 21], [4, 24], *[[0, 28]] * 4, [0, 32]], "filters": "square"}
"""Square filters, fewer of them: as many numbers, within one in a hundred, as the hexagonal ones of the config."""
COMPARED: dict[str, tuple[str, dict[str, Any]]] = {
    PRINTED: ("hex7_neurohex", {}),
    "max target": ("hex7_neurohex", {"target": "own_next"}),
    "square filters": ("hex7_neurohex", {"choices": SQUARE}),
    "no starting positions": ("hex7_neurohex", {"starts": ""}),
    OURS: ("hex7_ddqn", {}),
}
"""The runs on 7x7: config, and what is changed."""
SIZES = (9, 11)
PUBLISHED = "published network, 11x11"
DEVIATIONS = (
    "The text gives no number of games or hours of training, and no strength of the UCT program but that a large"
    f" majority of 50 games was won. Ours is `{UCT}`: random playouts, 1,000 a move.",
    "The published network, ten layers of 128 filters, learns some 20 positions a second on a core and would take"
    " months for what NeuroHex's two weeks of a GPU were. It is run as far as the table says; the same layers with a"
    " quarter of the filters learn 7x7.",
    "NeuroHex's games begin in positions of a database, and it is first taught electric resistance. Ours begin in"
    " positions of games of a weak search, and nothing is taught.",
    "Whether the target is the negated best of the opponent's next position, as NeuroHex has it, or the best of the own"
    " next one is not clear from the text: both are run.",
    "`ours` is Double DQN with a small residual network on the game's planes, returns of three steps, and play by the"
    " running mean of the weights.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: transitions of a run on 7x7, on larger boards, and of the published network; how often scores
    are measured, in how many games; games of a match at the end.
    """

    steps: int
    larger: int
    published: int
    points: int
    point_games: int
    games: int


QUICK = Scale(3000, 2000, 300, 2, 4, 10)
FULL = Scale(200_000, 200_000, 10_000, 8, 50, 200)


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train all networks in a folder, or go on with them, measure everything, and write the page; return it.

    `report` is called with a line about every run and every part of a match that is over.
    """
    trained = train_all(folder, _variants(scale), report)
    meetings = [
        Meeting(f"{name}, {opponent}", one.game, (one.agent, opponent), scale.games, min(scale.games, 50))
        for name, one in trained.items()
        for opponent in LADDER
    ]
    played = play_all(folder, meetings, report, said)
    lines = [
        "# Hex: deep Q-learning (S1)",
        "",
        f"Every network plays alone, by its highest value, {scale.games} games a match, seats swapped, 95 % intervals;"
        f" {machine('torch')}.",
        "",
        "What was claimed: of 50 games against a UCT program, 25 with each colour, a large majority won on 11x11."
        f" What we measured, as the share of games won and, against `{UCT}`, of those begun and of those not begun:",
        "",
        *grid(
            [*ROW, *(f"against `{opponent}`" for opponent in LADDER), "begun", "not begun"],
            [
                [name, *one.row, said(played[f"{name}, {LADDER[0]}"]), *by_colour(played[f"{name}, {UCT}"])]
                for name, one in trained.items()
            ],
        ),
        "",
        f"Against `{UCT}` over training, {scale.point_games} games a point:",
        "",
        "![Scores over training](curves.png)",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    groups = {"7x7": list(COMPARED), "larger boards": [name for name in trained if name not in COMPARED]}
    curves = panels(trained, groups, UCT, scale.point_games)
    return write_report(folder, lines, {"curves.png": curves_picture(curves, "transitions", "score", 1.0)})


def _variants(scale: Scale) -> dict[str, Variant]:
    """Say what is run, the longest first."""

    def variant(config: str, steps: int, changes: dict[str, Any]) -> Variant:
        measured = {"evaluation_interval": max(1, steps // scale.points), "checkpoint_interval": max(1, steps // 10)}
        games = {"evaluation_games": scale.point_games, "ladder": [UCT]}
        return Variant(config, {"steps": steps, **measured, **games, **changes})

    larger = {f"{OURS}, {n}x{n}": variant("hex7_ddqn", scale.larger, {"game": f"hex:board_size={n}"}) for n in SIZES}
    return {
        **larger,
        PUBLISHED: variant("hex11_neurohex", scale.published, {"learning_starts": min(1000, scale.published // 2)}),
        **{name: variant(config, scale.steps, changes) for name, (config, changes) in COMPARED.items()},
    }
