"""S1, the Hex program of Zheng after NeuroHex: deep Q-learning against a program of Monte Carlo tree search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...envs.engine.machine import machine
from ...envs.records.game_record import GameRecord
from ..learning.alphazero_params import MANY
from ..training.run import latest
from .learned import ROW, Trained, Variant, by_colour, panels, train_all
from .meetings import Meeting, play_all, said, score
from .report import curves_picture, grid, write_report

UCT = "mcts:sims=1000"
LADDER = ("mcts:sims=100", UCT)
PRINTED, OURS = "as printed, small", "ours"
SQUARE = {"mix": [[17, 11], [14, 14], [10, 18], [7, 21], [4, 24], *[[0, 28]] * 4, [0, 32]], "filters": "square"}
"""Square filters, but fewer: as many numbers as the hexagonal ones of the config, to within one in a hundred."""
COMPARED: dict[str, tuple[str, dict[str, Any]]] = {
    PRINTED: ("hex7_neurohex", {}),
    "max target": ("hex7_neurohex", {"target": "own_next"}),
    "square filters": ("hex7_neurohex", {"choices": SQUARE}),
    "no starting positions": ("hex7_neurohex", {"starts": ""}),
    OURS: ("hex7_dqn", {}),
}
"""The runs on 7x7: config, and what is changed."""
OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "one step": {"n_steps": 1},
    "three steps": {"n_steps": 3},
    "Double DQN": {"double": True},
    "prioritized": {"prioritized": 0.6},
    "dueling": {"choices": {"dueling": True}},
    "32 quantiles": {"choices": {"quantiles": 32}},
    "mean of the weights": {"average": 0.999},
}
"""What is changed in `ours`, one at a time, without the mean of its weights."""
PEER = "sb3-contrib's QR-DQN, 32 quantiles"
IMAGES = "mean over images at play"
SEEDS = 3
SOON = 20_000  # transitions after which these short runs explore no more than others do in the end
PUBLISHED = "published network, 11x11"
DEVIATIONS = (
    "The text gives no number of games or hours of training, and no strength of the UCT program but that a large"
    f" majority of 50 games was won. Ours is `{UCT}`: random playouts, 1,000 a move.",
    "The published network, ten layers of 128 filters, takes more than half a second of a core for a transition and its"
    " gradient step on 64 positions; NeuroHex's learned for two weeks on a GPU. It is run as far as the table says; the"
    " same layers with a quarter of the filters learn 7x7.",
    "NeuroHex's games begin in positions of a database, and it is first taught electric resistance. Ours begin in"
    " positions of games of a weak search, and nothing is taught.",
    "Whether the target is the negated best of the opponent's next position, as NeuroHex has it, or the best of one's"
    " own next one is not clear from the text: both are run.",
    "`ours` is DQN with a small residual network on the game's planes, returns of five steps, and play by the"
    " running mean of the weights.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: transitions of a run on 7x7, of the runs of `ours`, by board, and of the published network; how
    often scores are measured, and in how many games; games of a match at the end; minutes of a run with an option, by
    board.
    """

    steps: int
    ours: dict[int, int]
    published: int
    points: int
    point_games: int
    games: int
    minutes: dict[int, float]


QUICK = Scale(3000, {7: 2000, 9: 2000, 11: 2000}, 300, 2, 4, 10, {5: 0.05})
FULL = Scale(200_000, {7: 400_000, 9: 800_000, 11: 400_000}, 2_000, 8, 50, 200, {5: 0.5, 7: 2.0})


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train all networks in a folder, or go on with them, measure everything, and write the page; return it.

    `report` is called with a line about every run and every part of a match that is over.
    """
    trained = train_all(folder, _variants(scale), report)
    timed = {n: train_all(folder, runs, report) for n, runs in _timed(scale).items()}
    meetings = [
        Meeting(f"{name}, {opponent}", one.game, (one.agent(), opponent), scale.games, min(scale.games, 50))
        for name, one in trained.items()
        for opponent in LADDER
    ]
    meetings += [
        Meeting(name, f"hex:board_size={n}", (agent, UCT), scale.games // 2, min(scale.games // 2, 50))
        for n, runs in timed.items()
        for name, agent in _players(n, runs).items()
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
        "## What helps in equal time",
        "",
        f"`{OURS}`, but for the mean of its weights, and with random moves that get rarer over {SOON:,} transitions,"
        f" with one change each, {SEEDS} seeds, {scale.games // 2} games of each against `{UCT}`: the share won of all,"
        " by seed, and thousands of transitions on average.",
        "",
        *grid(
            ["with", *(f"{n}x{n}, {minutes:g} minutes" for n, minutes in scale.minutes.items())],
            [
                [option, *(f"{_won(played, option, n)}; {_seen(runs, option, n)}" for n, runs in timed.items())]
                for option in (*OPTIONS, IMAGES, PEER)
            ],
        ),
        "",
        f"`{PEER}` is its learner as it comes, on the same network, optimiser, batches and games, one network for both"
        " colours by a discount below 0; masks are ours (`baselines/reproduce/qrdqn.py`).",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    groups = {"7x7": list(COMPARED), "larger boards": [name for name in trained if name not in COMPARED]}
    curves = panels(trained, groups, UCT, scale.point_games)
    return write_report(folder, lines, {"curves.png": curves_picture(curves, "transitions", "score", 1.0)})


def _variants(scale: Scale) -> dict[str, Variant]:
    """List the runs, the longest first."""

    def variant(config: str, steps: int, changes: Mapping[str, Any]) -> Variant:
        measured = {"evaluation_interval": max(1, steps // scale.points), "checkpoint_interval": max(1, steps // 10)}
        games = {"evaluation_games": scale.point_games, "ladder": [UCT]}
        return Variant(config, {"steps": steps, **measured, **games, **changes})

    small = {"hex7_neurohex": scale.steps, "hex7_dqn": scale.ours[7]}
    large = {n: steps for n, steps in scale.ours.items() if n > 7}
    starts = {"learning_starts": min(1000, scale.published // 2)}
    return {
        **{f"{OURS}, {n}x{n}": variant("hex7_dqn", many, {"game": f"hex:board_size={n}"}) for n, many in large.items()},
        PUBLISHED: variant("hex11_neurohex", scale.published, starts),
        **{name: variant(config, small[config], changes) for name, (config, changes) in COMPARED.items()},
    }


def _timed(scale: Scale) -> dict[int, dict[str, Variant]]:
    """List the runs with one option each, by board: as many transitions as there is time for, measured at the end."""
    unmeasured = {"steps": MANY, "evaluation_interval": MANY, "evaluation_games": 2, "ladder": ["random"]}
    plain = {"average": 0.0, "exploration_steps": SOON, "log_interval": 1000}
    return {
        n: {
            _named(option, n, seed): Variant(
                "hex7_dqn",
                {**plain, **unmeasured, "game": f"hex:board_size={n}", "seed": seed, **changes},
                minutes,
                option == PEER,
            )
            for option, changes in {**OPTIONS, PEER: OPTIONS["32 quantiles"]}.items()
            for seed in range(SEEDS)
        }
        for n, minutes in scale.minutes.items()
    }


def _named(option: str, n: int, seed: int) -> str:
    return f"{option}, {n}x{n}, seed {seed}"


def _players(n: int, runs: Mapping[str, Trained]) -> dict[str, str]:
    """Name the agents that play what runs with an option have learned on a board."""
    plain = {_named(IMAGES, n, seed): runs[_named(next(iter(OPTIONS)), n, seed)] for seed in range(SEEDS)}
    return {
        **{name: one.agent() for name, one in runs.items()},
        **{name: one.agent(images=True) for name, one in plain.items()},
    }


def _won(played: Mapping[str, Sequence[GameRecord]], option: str, n: int) -> str:
    """Write the score of all seeds with an option on a board, and of each."""
    seeds = [played[_named(option, n, seed)] for seed in range(SEEDS)]
    apart = ", ".join(f"{score(games).value:.0%}" for games in seeds)
    return f"{said([game for games in seeds for game in games])}: {apart}"


def _seen(runs: Mapping[str, Trained], option: str, n: int) -> str:
    """Write how many transitions runs with an option had on a board, on average."""
    option = next(iter(OPTIONS)) if option == IMAGES else option
    steps = [latest(runs[_named(option, n, seed)].log, "steps") for seed in range(SEEDS)]
    return f"{sum(steps) / len(steps) / 1000:.0f}"
