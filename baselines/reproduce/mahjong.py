"""S4, the mahjong program of Lei and others: Expectimax search and Double DQN, against ten that lack one or both."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ...envs.engine.machine import machine
from ...envs.engine.spec import find
from ...envs.faces.frame import Frame
from ...envs.mahjong.constants import KINDS, SEATS
from ...envs.records.game_record import GameRecord
from ..arena.decisions import Inquiry
from ..arena.rating import Estimate, student, wilson
from ..arena.results import duration
from ..learning.hand_values import CACHED
from ..learning.imitation import accuracy, classify, decisions, imitate, split
from ..learning.model_agent import Card, read_model, write_network
from ..learning.network_evaluator import quicker
from ..learning.networks import Network, build
from ..mahjong.luck import luck
from ..training.config import read_config
from ..training.run import Run, latest, read_log
from .meetings import Meeting, play_all
from .report import Curves, curves_picture, grid, share, write_report

GAME = "mahjong"
BASE = "expectimax:evaluator=published"
ENCODER = "matrix19"  # what the published networks see
RUNS = {
    "DQN": "mahjong_dqn",
    "Double DQN": "mahjong_ddqn",
    "Expectimax + DQN": "mahjong_expectimax_dqn",
    "Expectimax + Double DQN": "mahjong_expectimax_ddqn",
}
"""The configs of those that learn by playing."""
BEST = "Expectimax + Double DQN"
IMITATORS: dict[str, tuple[str, dict[str, object]]] = {
    "linear": ("", {}),
    "svm": ("", {}),
    "fully connected": ("mlp", {"hidden": [512, 512]}),
    "CNN": ("cnn", {}),
    "DenseNet-BC": ("densenet", {}),
    "ResNet": ("resnet", {}),
}
"""Those that learn from hands of the search: network and choices; none for the linear classifiers."""
PAPER: dict[str, Any] = {"layers": 20}
OURS = {"ours: danger, no network": "expectimax", "ours: danger and network": "expectimax:evaluator=ddqn:mahjong"}
PUBLISHED = {
    **dict.fromkeys(IMITATORS, "below the learned and the searching"),
    "DQN": "below Double DQN",
    "Double DQN": "above DQN",
    "Expectimax": "0",
    "Expectimax + DQN": "below Expectimax + Double DQN",
    "Expectimax + Double DQN": "best: +2.26 points of win rate, +185.097 points",
}
PUBLISHED_TIMES = {(1.0, 1): "0.068 s", (1.0, 2): "6.778 s"}
DEVIATIONS = (
    "The paper learns its classifiers from hands of people, which are not to be had: ours learn from hands of"
    f" `{BASE}`, so that none of them can be expected to beat it.",
    "DenseNet-BC-190-40 and ResNet-1001 are beyond a laptop: ours have 40 layers of growth 12 and 20 layers.",
    "Its networks are 20-layer ResNets; the four that learn by playing here are the config's `suits`, small enough for"
    " two cores to learn and to search with.",
    "A network that knows nothing never finishes a hand, and its search learns nothing: while it learns, the search"
    " beside it values hands by the published evaluator.",
    "Lost are gamma, learning rate, batch, size of the memory, the interval of the target network and the evaluator's"
    " formula: the configs have ours with reasons.",
    "Networks that value or classify discards alone leave claims and kongs to a search one layer deep, of the network's"
    " own values or, for classifiers, of the published evaluator's.",
    "Rules differ in what the text leaves open, see the game's RULES.md.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: decisions of self-play of a run, its evaluations and the hands of each; hands that classifiers
    learn from, and epochs; hands of a row of the table; shares of the discards, and hands of a cell with these one and
    two layers deep; positions in which decisions are timed.
    """

    steps: int
    points: int
    point_hands: int
    imitated: int
    epochs: int
    hands: int
    alphas: tuple[float, ...]
    cell_hands: tuple[int, int]
    positions: int


QUICK = Scale(10_000, 2, 8, 40, 1, 24, (0.2, 1.0), (8, 4), 4)
FULL = Scale(500_000, 10, 200, 3200, 4, 3000, (0.2, 0.4, 0.6, 0.8, 1.0), (1000, 40), 100)


class Compared(NamedTuple):
    """What two seats have gained over the two others in hands: in points, in points less luck, in share of wins."""

    hands: int
    points: Estimate
    less_luck: Estimate
    wins: Estimate

    @property
    def spared(self) -> float:
        """How many times as many hands an equally small interval takes when luck is not taken off."""
        raw, less = (one.high - one.value for one in (self.points, self.less_luck))
        return (raw / less) ** 2 if less else 1.0


def compare(records: Sequence[GameRecord]) -> Compared:
    """Compare the first two agents of hands with the two others, wall by wall."""
    mine = np.array([[label in record.agents[:2] for label in record.seats] for record in records])
    points, won = (np.array([of(record) for record in records]) for of in (_points, _wins))
    walls = np.unique([record.seed for record in records], return_inverse=True)[1]

    def gain(values: np.ndarray) -> Estimate:
        gains = np.where(mine, values, -values).sum(axis=1) / 2
        return student(np.bincount(walls, gains) / np.bincount(walls))

    return Compared(len(records), gain(points), gain(points - luck(records)), gain(won))


def _points(record: GameRecord) -> list[float]:
    return record.returns or [0.0] * SEATS


def _wins(record: GameRecord) -> list[float]:
    return record.statistics["win"]


def said(records: Sequence[GameRecord]) -> str:
    """Write how much more a seat of the first two agents has made in hands than one of the others."""
    mine = [points for r in records for points, seat in zip(_points(r), r.seats, strict=True) if seat in r.agents[:2]]
    return f"{2 * statistics.fmean(mine):+.0f} points"


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train all networks in a folder, or go on with them, measure everything, and write the page; return it.

    `report` is called with a line about what is begun, and about every part of a match that is over.
    """
    trained = {name: _train(folder, config, scale, report) for name, config in RUNS.items()}
    imitators, foretold, counts = _imitate(folder, scale, report)
    judged = {name: f"{'dqn' if 'Double' not in name else 'ddqn'}:{file}" for name, file in trained.items()}
    agents = {
        **{name: f"imitation:{file}" for name, file in imitators.items()},
        **{name: judged[name] for name in ("DQN", "Double DQN")},
        "Expectimax": BASE,
        **{name: f"expectimax:evaluator='{judged[name]}',danger=no" for name in ("Expectimax + DQN", BEST)},
        **OURS,
    }
    cells = {
        (alpha, depth): f"expectimax:evaluator='{judged[BEST]}',danger=no,alpha={alpha},depth={depth}"
        for depth in (1, 2)
        for alpha in scale.alphas
    }
    meetings = [_meeting(name, agent, scale.hands) for name, agent in agents.items()]
    meetings += [
        _meeting(f"alpha {alpha}, depth {depth}", agent, scale.cell_hands[depth - 1])
        for (alpha, depth), agent in cells.items()
    ]
    played = {name: compare(records) for name, records in play_all(folder, meetings, report, said).items()}
    report(f"decisions in {scale.positions} positions")
    paper = _paper(folder)
    precision = quicker(read_model(paper)[1], find(GAME).shape(ENCODER), CACHED)
    whole = {depth: f"expectimax:evaluator='ddqn:{paper}',danger=no,depth={depth}" for depth in (1, 2)}
    times = _times([*cells.values(), *whole.values()], scale.positions)
    shallow, deep = (duration(times[whole[depth]]) for depth in (1, 2))
    logs = {name: read_log(folder / config / "log.jsonl") for name, config in RUNS.items()}
    lines = [
        "# Taiwanese mahjong: Expectimax search and Double DQN (S4)",
        "",
        f"Two seats against two of the plain Expectimax, `{BASE}`, every wall played from all four seats. Points and"
        " win rate are how much more a seat makes than one of its opponents, with 95 % intervals over walls;"
        f" {machine('torch')}.",
        "",
        "What was claimed, and what we measured:",
        "",
        *grid(
            ["", "published", "hands", "points", "less luck", "win rate"],
            [[name, PUBLISHED.get(name, ""), *_figures(played[name])] for name in agents],
        ),
        "",
        "Less luck: what draws have brought, by the published evaluator's values of all tiles that could have been"
        " drawn, is taken off; on average that is nothing, whoever plays. Without it, for intervals as narrow, it takes"
        f" {np.mean([one.spared for name, one in played.items() if name in agents and name != 'Expectimax']):.2f} times"
        " as many hands.",
        "",
        "## Learned from hands of the search",
        "",
        f"{counts[0]:,} decisions of `{BASE}` to learn from, {counts[1]:,} to test by, {counts[2]:,} to choose the"
        " epoch by:",
        "",
        *grid(["", "foretold"], [[name, share(wilson(found, counts[1]))] for name, found in foretold.items()]),
        "",
        "## Share of the discards, and depth",
        "",
        f"`{BEST}`, its network at the leaves:",
        "",
        *grid(
            ["alpha", "depth", "median of a decision", "published", "hands", "points", "less luck", "win rate"],
            [
                [
                    str(alpha),
                    str(depth),
                    duration(times[agent]),
                    PUBLISHED_TIMES.get((alpha, depth), ""),
                    *_figures(played[f"alpha {alpha}, depth {depth}"]),
                ]
                for (alpha, depth), agent in cells.items()
            ],
        ),
        "",
        f"Times are medians over {scale.positions} positions of hands of `greedy`; {machine('torch')}. With the paper's"
        f" network, a ResNet of {PAPER['layers']} layers on 19x19, at the leaves, and all discards followed, a decision"
        f" takes {shallow} one layer deep and {deep} two layers deep (published: {PUBLISHED_TIMES[1.0, 1]} and"
        f" {PUBLISHED_TIMES[1.0, 2]}), on one core, its convolutions in {precision}. It has learned nothing: that makes"
        " no difference to the time.",
        "",
        "## Learning",
        "",
        f"{scale.steps:,} decisions of self-play a run; points a hand against two seats of `{BASE}`, over"
        f" {scale.point_hands:,} hands at every point; hours: "
        + ", ".join(f"{name} {latest(log, 'time/hours'):.1f}" for name, log in logs.items())
        + ".",
        "",
        "![Points over training](curves.png)",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    curves: dict[str, Curves] = {f"against {BASE}": {name: _curve(log) for name, log in logs.items()}}
    pictures = {"curves.png": curves_picture(curves, "decisions", "points a hand", least=None)}
    return write_report(folder, lines, pictures)


def _meeting(name: str, agent: str, hands: int) -> Meeting:
    return Meeting(name, GAME, (agent, agent, BASE, BASE), hands, min(hands, 40))


def _train(folder: Path, name: str, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train by a config, or go on with its run; return the folder."""
    changes = {
        "steps": scale.steps,
        "exploration_steps": scale.steps // 2,
        "search_steps": scale.steps // 2,
        "evaluation_interval": scale.steps // scale.points,
        "evaluation_games": scale.point_hands,
        "checkpoint_interval": ceil(scale.steps / 10),
        "ladder": [BASE],
    }
    run = Run(read_config(name, **changes), folder / name, resume=(folder / name / "config.json").exists())
    report(f"{name}: {max(0, scale.steps - run.steps):,} decisions of self-play")
    run.train()
    return folder / name


def _imitate(
    folder: Path, scale: Scale, report: Callable[[str], None]
) -> tuple[dict[str, Path], dict[str, float], list[int]]:
    """Teach classifiers what the search discards, those that have not been taught before.

    Return their files, which share of decisions not learned from each foretells, and how many decisions there are to
    learn from, to test by and to choose by.
    """
    hands = Meeting("hands of the search", GAME, (BASE,) * SEATS, scale.imitated, min(scale.imitated, 40), fresh=True)
    records = play_all(folder, [hands], report, lambda played: "no two alike")[hands.name]
    frame = Frame(find(GAME), ENCODER)
    learned, tested, chosen_by = parts = split(decisions(records, frame, KINDS))
    files, foretold = {}, {}
    for name, (network, choices) in IMITATORS.items():
        file = files[name] = folder / f"{name.replace(' ', '_')}.safetensors"
        if not file.exists():
            report(f"{name}: {len(learned.actions):,} decisions to learn from")
            if network:
                net = build(network, frame.shape, KINDS, **choices)
                net = imitate(net, learned, chosen_by, scale.epochs, report=_epochs(name, report))
            else:
                net = classify(name, learned)
            _write(file, net, frame)
        foretold[name] = accuracy(read_model(file)[1], tested)
    return files, foretold, [len(part.actions) for part in parts]


def _epochs(name: str, report: Callable[[str], None]) -> Callable[[int, float], None]:
    return lambda epoch, found: report(f"{name}: epoch {epoch}, {found:.1%} foretold")


def _paper(folder: Path) -> Path:
    """Write the paper's network, untrained, unless its file is there; return the file."""
    file, frame = folder / "paper.safetensors", Frame(find(GAME), ENCODER)
    if not file.exists():
        _write(file, build("resnet", frame.shape, KINDS, **PAPER), frame, "ddqn")
    return file


def _write(file: Path, net: Network, frame: Frame, algorithm: Literal["imitation", "ddqn"] = "imitation") -> None:
    write_network(file, net, Card.of(algorithm, frame, net))


def _times(agents: Sequence[str], positions: int) -> dict[str, float]:
    """Find the median time of a decision of each agent, in seconds."""
    found: dict[str, list[float]] = {agent: [] for agent in agents}
    for decision in Inquiry(find(GAME), agents, positions=positions, player="greedy").run():
        found[decision.agent].append(decision.seconds)
    return {agent: statistics.median(seconds) for agent, seconds in found.items()}


def _figures(one: Compared) -> list[str]:
    return [f"{one.hands:,}", _signed(one.points), _signed(one.less_luck), _signed(one.wins, 100, 2, " %")]


def _signed(one: Estimate, times: float = 1.0, digits: int = 0, unit: str = "") -> str:
    value, low, high = (f"{times * number:+.{digits}f}" for number in one)
    return f"{value}{unit} ({low} to {high})"


def _curve(log: Sequence[Mapping[str, float]]) -> list[tuple[float, float, float, float]]:
    found = [(line["steps"], line[f"return/{BASE}"]) for line in log if f"return/{BASE}" in line]
    return [(steps, points, points, points) for steps, points in found]
