"""Search tends to perfect play: its values approach the exact ones as it searches more, in every small game."""

import sys
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from places import ROOT

from boyi.baselines.agent import Agent
from boyi.baselines.search.exact import Solver
from boyi.baselines.search.mcts import MCTS
from boyi.baselines.search.puct import PUCT
from boyi.envs import Batch, Game, View, find

ENVS = ROOT / "envs"


@pytest.fixture(scope="module")
def four_in_a_row(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """Gomoku on 4x4 points with rows of four, from a changed copy of its folder: it is small enough to be solved."""
    package = tmp_path_factory.mktemp("four") / "four_in_a_row"
    package.mkdir()
    edits = {"__init__.py": ("low=5", "low=4"), "constants.py": ("ROW = 5 ", "ROW = 4 ")}
    for name in (*edits, "rules.py", "valid.py"):
        source = (ENVS / "gomoku" / name).read_text(encoding="utf-8").replace("from ..", "from boyi.envs.")
        if name in edits:
            assert source.count(edits[name][0]) == 1
            source = source.replace(*edits[name])
        (package / name).write_text(source, encoding="utf-8")
    sys.path.insert(0, str(package.parent))
    try:
        return find(import_module(package.name).SPEC, board_size=4)
    finally:
        sys.path.remove(str(package.parent))


@pytest.fixture(
    params=[
        "hex:board_size=3",
        "einstein:board_size=3,stones=2",
        pytest.param("einstein:board_size=3,stones=3", marks=pytest.mark.slow),
        pytest.param("hex:board_size=4", marks=pytest.mark.slow),
        pytest.param("four in a row", marks=pytest.mark.slow),
    ]
)
def game(request: pytest.FixtureRequest, four_in_a_row: Game) -> Game:
    return four_in_a_row if request.param == "four in a row" else find(request.param)


@cache
def solver(game: Game) -> Solver:
    return Solver(game, positions=3_000_000)


def positions(game: Game, many: int) -> list[tuple[View, float]]:
    """Draw decisions from random games, each with what it is worth to the seat that decides under best play."""
    found = []
    for seed in range(many):
        batch, lots = Batch(game, 1, seed=seed, encoder=None), np.random.default_rng(seed)
        plies = lots.integers(5 if game.actions == 16 else 1, 9)
        while batch.to_move[0] >= 0 and plies > 0:
            view = batch.view()
            batch.step(batch.sample())
            plies -= 1
        sign = 1.0 if view.seat[0] == 0 else -1.0
        found.append((view, sign * solver(game).value(view.states)))
    return found


def error(agent: Agent, found: list[tuple[View, float]]) -> float:
    """Average by how much an agent's value of its best action is off, in returns from -1 to 1."""
    return float(np.mean([abs(value(agent, view) - exact) for view, exact in found]))


def value(agent: Agent, view: View) -> float:
    if isinstance(agent, PUCT):
        searched = agent.search(view)
        return float(searched.worth[0, searched.visits[0].argmax()])
    assert isinstance(agent, MCTS)
    chosen, tree = int(agent.act(view)[0]), agent.memories[0].tree
    i = int(tree.child[0])
    while tree.action[i] != chosen:
        i = int(tree.sibling[i])
    return 2.0 * float(tree.total[i]) / float(tree.visits[i]) - 1.0


SEARCHES = {
    "mcts": (MCTS, {"prove": False, "reuse": False}),
    "mcts with all moves as first": (MCTS, {"prove": False, "reuse": False, "rave": 50.0}),
    "puct": (PUCT, {"evaluator": "playout", "c": 1.0}),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_values_tend_to_the_exact_ones(game: Game, name: str) -> None:
    kind, values = SEARCHES[name]
    found = positions(game, 20)
    few, many = (error(kind(sims=sims, **values), found) for sims in (50, 40_000))
    assert many < min(0.1, few / 2)


def test_what_is_proven_is_exact(game: Game) -> None:
    """Where the search has proven the root its winner is that of perfect play, and the action keeps the win."""
    proven = 0
    for view, exact in positions(game, 30):
        agent = MCTS(sims=20_000, reuse=False)
        chosen = int(agent.act(view)[0])
        winner = int(agent.memories[0].tree.proven[0]) - 1
        if winner < 0:
            continue
        proven += 1
        assert exact == (1.0 if winner == view.seat[0] else -1.0)
        if winner == view.seat[0]:
            batch = Batch(game, 1, seed=0, encoder=None)
            batch.states = view.states
            batch.step([chosen])
            assert (1.0 if winner == 0 else -1.0) == solver(game).value(batch.states)
    assert proven


@pytest.mark.slow
def test_four_in_a_row_is_a_draw(four_in_a_row: Game) -> None:
    """After two stones in the middle, so that the positions that may follow fit into memory."""
    batch = Batch(four_in_a_row, 1, seed=0, encoder=None)
    batch.step([5])
    batch.step([10])
    assert solver(four_in_a_row).value(batch.states) == 0.0
