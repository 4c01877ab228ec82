"""AlphaZero solves tiny games by playing itself: what it plays is measured against perfect play."""

import numpy as np
import pytest

from boyi.baselines.learning.alphazero import AlphaZero
from boyi.baselines.learning.alphazero_agent import LearnerAgent
from boyi.baselines.search.exact import Exact
from boyi.envs import Batch

pytestmark = pytest.mark.slow


def player(model: AlphaZero, sims: int) -> LearnerAgent:
    """Play by what a learner has learned."""
    return LearnerAgent(
        [model.evaluator(model.games[0], model.net)], model.values, sims=sims, root=model.values["root"]
    )


def hex_positions() -> np.ndarray:
    """List every position of Hex 3x3 in which somebody is to move."""
    batch = Batch("hex:board_size=3", 1, seed=0)
    found, seen = [], set()
    waiting = [batch.states]
    while waiting:
        state = waiting.pop()
        key = state["board"].tobytes()
        if key in seen or state["to_move"][0] < 0:
            continue
        seen.add(key)
        found.append(state)
        batch.states = state
        for a in np.flatnonzero(batch.mask[0]):
            batch.states = state
            batch.step([a])
            waiting.append(batch.states)
    return np.concatenate(found)


def wins_lost(model: AlphaZero, states: np.ndarray) -> int:
    """Count the won positions in which it plays, by 256 looks ahead, what loses."""
    batch, judge = Batch("hex:board_size=3", states.size, seed=0), Exact()
    batch.states = states
    view = batch.view()
    worths = [judge.worth(view, k) for k in range(states.size)]
    actions = player(model, 256).act(batch.view())
    won = [worth[action] for worth, action in zip(worths, actions, strict=True) if np.nanmax(worth) > 0]
    assert len(won) == 3401
    return sum(worth < 0 for worth in won)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_hex_3x3_is_solved(root: str) -> None:
    """In every position that is won, reached by good play or not, it keeps the win, having learned for a minute."""
    model = AlphaZero(
        "hex:board_size=3", network="board", choices={"channels": 16, "blocks": 2, "pool": 1}, precision="float32",
        envs=128, moves=3, sims=24, root=root, temperature_plies=9, temperature=1.5, noise_share=0.5, dirichlet=1.0,
        c_scale=0.1, learning_starts=500, window=20_000, batch_size=128, learning_rate=0.003, threads=1, seed=1,
    )  # fmt: skip
    states = hex_positions()
    assert wins_lost(model, states) > 10  # the search alone, before anything is learned
    while model.decisions < 60_000:
        if model.decisions > 40_000:
            model.values["learning_rate"] = 0.0005
        model.round()
    assert wins_lost(model, states) == 0


def test_einstein_with_two_stones_is_played_with_less_than_one_percent_regret() -> None:
    """How much of the expected return its decisions give away, on average, in games against perfect play."""
    model = AlphaZero(
        "einstein:stones=2", network="mlp", encoder="mobility", choices={"hidden": [64, 64]}, precision="float32",
        envs=512, moves=4, sims=32, root="gumbel", chance="expected", outcome_share=0.2, learning_starts=5000,
        window=50_000, batch_size=512, learning_rate=0.002, threads=1, seed=0,
    )  # fmt: skip
    while model.decisions < 400_000:
        if model.decisions > 300_000:
            model.values["learning_rate"] = 0.0004
        model.round()
    agent, exact = player(model, 64), Exact()
    batch, regrets = Batch("einstein:stones=2", 300, seed=5), list[float]()
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        view = batch.view(rows)
        actions = agent.act(batch.view(rows))
        for k, row in enumerate(rows):
            worth = exact.worth(view, k)
            if row % 2 == view.seat[k]:
                actions[k] = np.nanargmax(worth)
            else:
                regrets.append(float(np.nanmax(worth) - worth[actions[k]]))
        batch.step(actions, rows)
    # Returns lie two apart: a regret of 0.02 is one percent.
    assert len(regrets) > 1000 and np.mean(regrets) < 0.02, np.mean(regrets)
