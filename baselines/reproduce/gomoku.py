"""S2, an open-source Gomoku program: DQN by self-play, and which of its parts keeps it weak."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.engine.machine import machine
from ...envs.engine.spec import find
from ...envs.records.game_record import GameRecord
from ..training.curves import heat_map
from .learned import ROW, Trained, Variant, panels, train_all
from .meetings import Meeting, firsts, play_all, said, slug
from .report import curves_picture, grid, write_report

BOARD = "gomoku:board_size=9"
YARDSTICK = "mcts:sims=100"
OPPONENTS = ("random", YARDSTICK, "mcts:sims=1000", "alphabeta:depth=2,selective=false,proofs=0")
PRINTED, OURS, WHOLE = "as printed", "ours", "as printed, 19x19"
MENDED: dict[str, dict[str, Any]] = {
    "target: negamax": {"target": "negamax"},
    "reward: the win alone": {"line_reward": False},
    "network: a board's": {"policy": "BoardPolicy", "choices": {}, "encoder": "planes"},
}
"""What the author considers weak, and the target, each mended by itself."""
ALL_MENDED, MORE = "all three", "data: four times as many"
DEVIATIONS = (
    "No figure of strength is printed, only that the program does not play cleverly enough: there is nothing to"
    " compare ours with but itself, mended part by part.",
    "Lost are the hidden layers (ours: two of 1,024), the discount (0.99), the learning rate (0.001), batch (64) and"
    " memory, the shares of random moves, and the scores of joined stones: docs/wrappers.md has ours, paid beside the"
    " win.",
    "The program plays one game at a time and learns at every step; ours plays 64 and learns a step for every four"
    " transitions.",
    "Its network reads and values 361 points; on 9x9 it has 162 inputs and 81 outputs.",
    "`ours` is DQN with negamax, a small residual network that sees the board in all its images, returns of"
    " five steps, play by the running mean of the weights, and no reward but the win.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: transitions of a run on 9x9, of the run of `ours`, and of the one on 19x19; how often scores
    are measured, and in how many games; games of a match at the end.
    """

    steps: int
    ours: int
    whole: int
    points: int
    point_games: int
    games: int


QUICK = Scale(2000, 2000, 500, 2, 4, 10)
FULL = Scale(60_000, 400_000, 15_000, 8, 40, 200)


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train all networks in a folder, or go on with them, measure everything, and write the page; return it.

    `report` is called with a line about every run and every part of a match that is over.
    """
    trained = train_all(folder, _variants(scale), report)
    meetings = [
        Meeting(f"{name}, {opponent}", one.game, (one.agent(), opponent), scale.games, min(scale.games, 50), opening=1)
        for name, one in trained.items()
        for opponent in OPPONENTS
    ]
    played = play_all(folder, meetings, report, said)
    pictures = {"curves.png": _curves(trained, scale)}
    for name, where in ((PRINTED, "printed"), (OURS, "ours")):
        pictures[f"{where}_self_play.png"] = (trained[name].folder / "moves.png").read_bytes()
        pictures[f"{where}_match.png"] = heat_map(find(BOARD), _moves(played[f"{name}, {YARDSTICK}"]))
    lines = [
        "# Gomoku: DQN by self-play (S2)",
        "",
        f"Every network plays alone, by its highest value, {scale.games} games a match, the first move at random, seats"
        f" swapped, 95 % intervals; {machine('torch')}.",
        "",
        "What was claimed: no figure; that the program does not play cleverly enough, because of too little and"
        " inaccurate data and the structure of its network. What we measured, as the share of games won:",
        "",
        *grid(
            [*ROW, *(f"against `{opponent}`" for opponent in OPPONENTS)],
            [
                [name, *trained[name].row, *(said(played[f"{name}, {opponent}"]) for opponent in OPPONENTS)]
                for name in (PRINTED, WHOLE, MORE, *MENDED, ALL_MENDED, OURS)
            ],
        ),
        "",
        f"Against `{YARDSTICK}` over training, {scale.point_games} games a point:",
        "",
        "![Scores over training](curves.png)",
        "",
        f"Where stones are laid, in self-play while learning and against `{YARDSTICK}`, as printed and ours:",
        "",
        *(
            f"![Distribution of stones, {where}, {how}]({where}_{how}.png)"
            for where in ("printed", "ours")
            for how in ("self_play", "match")
        ),
        "",
        f"The log of each run is in its folder, `{slug(PRINTED)}/log.jsonl` and so on.",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    return write_report(folder, lines, pictures)


def _variants(scale: Scale) -> dict[str, Variant]:
    """List the runs, the longest first."""

    def variant(config: str, steps: int, **changes: Any) -> Variant:
        measured = {"evaluation_interval": max(1, steps // scale.points), "checkpoint_interval": max(1, steps // 10)}
        games = {"evaluation_games": scale.point_games, "ladder": [YARDSTICK]}
        starts = {"learning_starts": min(2000, steps // 2)}
        return Variant(config, {"steps": steps, **starts, **measured, **games, **changes})

    def printed(steps: int = scale.steps, **changes: Any) -> Variant:
        small = {"game": BOARD, "gradient_steps": 16, "target_update_interval": 2000, "threads": 1}
        return variant("gomoku19_dqn", steps, **{**small, "exploration_steps": max(1, steps // 2), **changes})

    everything = {field: value for change in MENDED.values() for field, value in change.items()}
    return {
        MORE: printed(4 * scale.steps),
        WHOLE: printed(scale.whole, game="gomoku:board_size=19", gradient_steps=64),
        PRINTED: printed(),
        **{name: printed(**change) for name, change in MENDED.items()},
        ALL_MENDED: printed(**everything),
        OURS: variant("gomoku9_dqn", scale.ours),
    }


def _curves(trained: Mapping[str, Trained], scale: Scale) -> bytes:
    groups = {"one part mended": [PRINTED, *MENDED], "more": [PRINTED, MORE, ALL_MENDED, OURS, WHOLE]}
    return curves_picture(panels(trained, groups, YARDSTICK, scale.point_games), "transitions", "score", 1.0)


def _moves(records: Sequence[GameRecord]) -> np.ndarray:
    """Count the moves (actions,) of the first agent, without the random one that games begin with."""
    mine = [record.actions[seat or 2 :: 2] for record, seat in zip(records, firsts(records), strict=True)]
    return np.bincount(np.concatenate(mine), minlength=find(BOARD).actions)
