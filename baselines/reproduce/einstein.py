"""S5, the EinStein program of patent CN110119804A: a search that two small networks guide, taught by self-play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.machine import machine
from ...envs.engine.spec import Game, find
from ...envs.engine.view import copied
from ..agent import Agent
from ..agents import AgentLike, make_agent
from ..arena.matches import evaluate
from ..arena.rating import Estimate, student, wilson
from ..arena.results import Pairing
from ..learning.alphazero_agent import AlphaZeroAgent
from ..learning.shipped import shipped_weights
from ..search.exact import Exact
from ..training.config import read_config
from ..training.run import Run
from .report import Curves, curves_picture, grid, share, write_report

GAME = "einstein"
RULES: dict[str, dict[str, Any]] = {
    "as printed": {},
    "AlphaZero's practice": {"noise": "root", "temperature": 1.0},
}
"""What is changed in the config ``einstein_s5``: noise on the priors of the root, and moves drawn by their visits."""
FOLDERS = {"as printed": "printed", "AlphaZero's practice": "practice"}
OPPONENTS = ("random", "mcts:sims=100", "mcts:sims=1000", "expectimax:depth=1", "expectimax:depth=2")
STONES = (2, 3)
DEVIATIONS = (
    "No strength, number of games or opponent is printed: there is no published figure to stand beside ours.",
    "The text has lost the hidden activation (ours: ReLU), the exploration term (ours: c P sqrt(N) / (1 + n), c = 5 as"
    " printed), the simulations of a move (ours: 100) and the size of the two training sets (ours: 20,000 samples, the"
    " same ones for both networks).",
    "The value network's output is squashed by tanh; its labels are 1 and -1.",
    "The program plays one game at a time and learns after each; ours plays 1,024 at once and learns as many samples a"
    " game, in minibatches of 64.",
    "As printed, training plays the most visited move (t -> 0) and mixes noise into the shares of visits afterwards:"
    " with one share of 1 and weight 0.75 nothing that is mixed in can change the move, so the noise does nothing.",
    "As printed, play draws moves by their visits (t = 1). Both that and playing the most visited move are measured.",
    "Stones are placed at random at the start; the text says nothing about it.",
)


@dataclass(frozen=True)
class Scale:
    """How much is done: decisions of self-play, how often they are measured, games a match, positions solved."""

    steps: int
    points: int
    games: int
    starts: int


QUICK = Scale(steps=40_000, points=4, games=200, starts=20_000)
FULL = Scale(steps=100_000, points=10, games=600, starts=40_000)


def reproduce(folder: Path, scale: Scale, report: Callable[[str], None]) -> Path:
    """Train, or go on with, both runs in a folder, measure them, and write the page; return it.

    `report` is called with a line about everything that is begun.
    """
    report("positions with few stones, solved by exact")
    solved = {stones: endings(find(GAME), stones, scale.starts) for stones in STONES}
    runs = {rules: _train(folder / FOLDERS[rules], rules, scale, solved, report) for rules in RULES}
    agents: dict[str, AgentLike] = {
        f"{rules}, {how}": AlphaZeroAgent(weights=str(run.folder), sims=100, temperature=temperature)
        for rules, run in runs.items()
        for how, temperature in (("t = 1", 1.0), ("most visited", 0.0))
    }
    if GAME in shipped_weights("az"):
        agents["ours: az:einstein, 200 simulations"] = "az:einstein,sims=200"
    rows, regrets = [], []
    for name, agent in agents.items():
        report(f"{name}: {len(OPPONENTS)} matches of {scale.games} games")
        pairings = evaluate(agent, GAME, OPPONENTS, games=scale.games, seed=1).pairings
        rows.append([name, *(share(row.score) for row in pairings), _duration(pairings)])
    for name, agent in {**agents, "expectimax": "expectimax", "random": "random"}.items():
        found = [regret(make_agent(agent, GAME), ends) for ends in solved.values()]
        regrets.append([name, *(f"{one.value:.2%} (to {one.high:.2%})" for one in found)])
    run = next(iter(runs.values()))
    scores = {f"against {opponent}": _scores(runs, opponent, scale) for opponent in run.config.ladder}
    lost = {f"with {stones} stones": _regrets(runs, stones) for stones in STONES}
    lines = [
        "# EinStein würfelt nicht!: a search guided by two small networks (S5)",
        "",
        f"{scale.steps:,} decisions of self-play a run, {scale.games} games a match, seats swapped, 95 % intervals;"
        f" {machine('torch')}.",
        "",
        "What was claimed: a method, patent CN110119804A, without a figure of strength. What we measured:",
        "",
        *grid(["score against", *OPPONENTS, "a move"], rows),
        "",
        "![Scores over training](curves.png)",
        "",
        "Regret: how much of the score a decision gives away, on average, in positions with few stones on the board,"
        " from random games, that `exact` solves; "
        f"{', '.join(f'{ends.states.size:,} with {stones}' for stones, ends in solved.items())}.",
        "",
        *grid(["regret with", *(f"{n} stones" for n in STONES)], regrets),
        "",
        "Over training, the most visited move played:",
        "",
        "![Regret over training](regret.png)",
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    pictures = {
        "curves.png": curves_picture(scores, run.trainer.unit, "score", 1.0),
        "regret.png": curves_picture(lost, run.trainer.unit, "regret"),
    }
    return write_report(folder, lines, pictures)


def _train(folder: Path, rules: str, scale: Scale, solved: dict[int, Endings], report: Callable[[str], None]) -> Run:
    """Train by rules, or go on with the run; log the regret wherever the scores are measured."""
    every = scale.steps // scale.points
    changes = {"evaluation_interval": every, "checkpoint_interval": every, "evaluation_games": scale.games}
    config = read_config("einstein_s5", steps=scale.steps, **changes, **RULES[rules])
    run = Run(config, folder, resume=(folder / "config.json").exists())
    report(f"{rules}: {max(0, scale.steps - run.steps):,} decisions of self-play")

    def follow(steps: int, figures: dict[str, float]) -> None:
        if any(name.startswith("eval/") for name in figures):
            found = {stones: regret(run.trainer.agent(), ends) for stones, ends in solved.items()}
            run.log({f"regret/{stones}{end}": value for stones, one in found.items() for end, value in _ends(one)})

    run.train(report=follow)
    return run


def _ends(found: Estimate) -> list[tuple[str, float]]:
    """Name a value and the ends of its interval for the log."""
    return [("", found.value), ("/low", found.low), ("/high", found.high)]


def _scores(runs: dict[str, Run], opponent: str, scale: Scale) -> Curves:
    """Read the scores against an opponent over training from the logs of runs."""
    curves = {}
    for rules, run in runs.items():
        found = [(line["steps"], line[f"eval/{opponent}"]) for line in run.lines if f"eval/{opponent}" in line]
        curves[rules] = [(steps, score, *wilson(score, scale.games)[1:]) for steps, score in found]
    return curves


def _regrets(runs: dict[str, Run], stones: int) -> Curves:
    """Read the regret in positions with `stones` stones over training from the logs of runs."""
    value, low, high = (f"regret/{stones}{end}" for end in ("", "/low", "/high"))
    return {
        rules: [(line["steps"], line[value], line[low], line[high]) for line in run.lines if value in line]
        for rules, run in runs.items()
    }


def _duration(pairings: tuple[Pairing, ...]) -> str:
    return f"{1000 * np.mean([row.seconds_per_move for row in pairings]):.1f} ms"


class Endings(NamedTuple):
    """Positions (m,) with few stones, and what each action is worth to the mover, NaN where illegal (m, actions)."""

    states: np.ndarray
    worth: np.ndarray


def endings(game: Game, stones: int, starts: int) -> Endings:
    """Gather the positions with `stones` stones and a choice of moves from games that are played at random."""
    batch, agent, found = Batch(game, starts, seed=stones), make_agent("random"), [game.blank[:0]]
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        view = batch.view(rows)
        few = (view.states["left"].sum(axis=1) == stones) & (view.mask.sum(axis=1) > 1)
        found.append(copied(view.states, few))
        batch.step(agent.act(view), rows)
    states, exact = np.concatenate(found), Exact()
    view = _set_up(states).view()
    return Endings(states, np.array([exact.worth(view, k) for k in range(states.size)]))


def _set_up(states: np.ndarray) -> Batch:
    """Put positions (m,) on the rows of a batch."""
    batch = Batch(GAME, states.size, seed=0)
    batch.states = states
    return batch


def regret(agent: Agent, ends: Endings) -> Estimate:
    """Measure how much of the score (0 to 1) an agent's decisions give away in positions, on average."""
    game, actions = find(GAME), agent.act(_set_up(ends.states).view())
    played = np.take_along_axis(ends.worth, actions[:, None], axis=1)[:, 0]
    return student((np.nanmax(ends.worth, axis=1) - played) / (game.high - game.low))
