"""S5, the EinStein program of patent CN110119804A: a search that two small networks guide, taught by self-play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.machine import machine
from ...envs.engine.spec import Game, find
from ...envs.engine.view import View, copied
from ..agent import Agent
from ..agents import AgentLike, make_agent
from ..arena.matches import evaluate
from ..arena.rating import Estimate, student, wilson
from ..arena.results import Pairing
from ..learning.alphazero_agent import AlphaZeroAgent, shipped_weights
from ..search.exact import Exact
from ..training.config import read_config
from ..training.run import Run
from .report import Curves, grid, scores_picture, share, write_report

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
    runs = {rules: _train(folder / FOLDERS[rules], rules, scale, report) for rules in RULES}
    agents: dict[str, AgentLike] = {
        f"{rules}, {how}": AlphaZeroAgent(weights=str(run.folder), sims=100, temperature=temperature)
        for rules, run in runs.items()
        for how, temperature in (("t = 1", 1.0), ("most visited", 0.0))
    }
    if GAME in shipped_weights():
        agents["ours: az:einstein, 200 simulations"] = "az:einstein,sims=200"
    positions = {stones: endings(find(GAME), stones, scale.starts) for stones in STONES}
    rows, regrets = [], []
    for name, agent in agents.items():
        report(f"{name}: {len(OPPONENTS)} matches of {scale.games} games")
        pairings = evaluate(agent, GAME, OPPONENTS, games=scale.games, seed=1).pairings
        rows.append([name, *(share(row.score) for row in pairings), _duration(pairings)])
    for name, agent in {**agents, "expectimax": "expectimax", "random": "random"}.items():
        found = [regret(make_agent(agent, GAME), positions[stones]) for stones in STONES]
        regrets.append([name, *(f"{one.value:.2%} (to {one.high:.2%})" for one in found)])
    panels = {opponent: _curves(runs, opponent, scale) for opponent in next(iter(runs.values())).config.ladder}
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
        "Regret: how much of the score a decision gives away, on average, in positions with so few stones on the board,"
        f" from games at random, that `exact` solves; {', '.join(f'{positions[n].size:,} with {n}' for n in STONES)}.",
        "",
        *grid(["regret with", *(f"{n} stones" for n in STONES)], regrets),
        "",
        "Deviations, and what the text leaves open:",
        "",
        *(f"- {deviation}" for deviation in DEVIATIONS),
    ]
    return write_report(folder, lines, {"curves.png": scores_picture(panels, "decisions in self-play")})


def _train(folder: Path, rules: str, scale: Scale, report: Callable[[str], None]) -> Run:
    """Train by rules, as far as that has not been done."""
    every = scale.steps // scale.points
    changes = {"evaluation_interval": every, "checkpoint_interval": every, "evaluation_games": scale.games}
    config = read_config("einstein_s5", steps=scale.steps, **changes, **RULES[rules])
    run = Run(config, folder, resume=(folder / "config.json").exists())
    report(f"{rules}: {max(0, scale.steps - run.steps):,} decisions of self-play")
    run.train()
    return run


def _curves(runs: dict[str, Run], opponent: str, scale: Scale) -> Curves:
    """Read the points of the learning curves off the logs of runs."""
    curves = {}
    for rules, run in runs.items():
        found = [(line["steps"], line[f"eval/{opponent}"]) for line in run.lines if f"eval/{opponent}" in line]
        curves[rules] = [(steps, score, *wilson(score, scale.games)[1:]) for steps, score in found]
    return curves


def _duration(pairings: tuple[Pairing, ...]) -> str:
    return f"{1000 * np.mean([row.seconds_per_move for row in pairings]):.1f} ms"


def endings(game: Game, stones: int, starts: int) -> np.ndarray:
    """Gather the positions (m,) with so many stones and a choice of moves from games that are played at random."""
    batch, agent, found = Batch(game, starts, seed=stones), make_agent("random"), [game.blank[:0]]
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        view = batch.view(rows)
        few = (view.states["left"].sum(axis=1) == stones) & (view.mask.sum(axis=1) > 1)
        found.append(copied(view.states, few))
        batch.step(agent.act(view), rows)
    return np.concatenate(found)


def regret(agent: Agent, states: np.ndarray) -> Estimate:
    """Measure how much of the score (0 to 1) an agent's decisions in positions (m,) give away, on average."""
    game, exact = find(GAME), Exact()
    batch = Batch(game, states.size, seed=0)
    batch.states = states
    view: View = batch.view()
    actions, reach = agent.act(view), game.high - game.low
    lost = [(np.nanmax(worth := exact.worth(view, k)) - worth[actions[k]]) / reach for k in range(states.size)]
    return student(lost)
