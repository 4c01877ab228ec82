"""Tree search: exact on tiny boards, repeatable, tactically awake, inside its memory, blind to what is hidden."""

import numpy as np
import pytest
from clock import Clock
from hex_oracle import Hex
from tree_searches import TACTICS, linked, position, wins

from boyi.baselines.search.mcts import MCTS
from boyi.envs import Batch, BoyiError


def test_it_finds_the_winning_moves_of_3x3() -> None:
    rng, checked = np.random.default_rng(0), 0
    agent = MCTS(sims=3000, reuse=False)
    while checked < 25:
        moves: list[int] = rng.permutation(9)[: rng.integers(0, 5)].tolist()
        game = Hex(3, False)
        for a in moves:
            if game.winner() is None:
                game.play(a)
        if game.winner() is not None or not wins(3, tuple(moves)):
            continue
        chosen = int(agent.act(position(3, moves).view())[0])
        after = game.copy()
        after.play(chosen)
        assert after.winner() == len(moves) % 2 or not wins(3, (*moves, chosen)), moves
        checked += 1


def test_values_tend_to_the_exact_ones() -> None:
    agent = MCTS(sims=20_000, reuse=False, prove=False)
    agent.act(position(3, []).view())
    tree = agent.memories[0].tree
    values = {int(tree.action[i]): tree.total[i] / tree.visits[i] for i in children(tree)}
    exact = {a: 0.0 if wins(3, (a,)) else 1.0 for a in range(9)}
    best = [a for a in range(9) if exact[a] == 1.0]
    chosen = max(values, key=values.__getitem__)
    assert chosen in best
    assert values[chosen] > 0.95


def children(tree) -> list[int]:
    found, i = [], int(tree.child[0])
    while i:
        found.append(i)
        i = int(tree.sibling[i])
    return found


@pytest.mark.parametrize(("moves", "best"), TACTICS)
def test_planted_tactics(moves: list[str], best: set[str]) -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    text = batch.game.module("text")
    for move in moves:
        batch.step([text.parse(batch.states[0], move)])
    chosen = int(MCTS(sims=2000, reuse=False).act(batch.view())[0])
    assert text.name(batch.states[0], chosen) in best, text.diagram(batch.states[0])


def test_the_same_seed_searches_the_same_tree() -> None:
    trees = []
    for seed in (1, 1, 2):
        agent = MCTS(sims=500)
        agent.act(Batch("hex:board_size=5", 1, seed=seed).view())
        tree = agent.memories[0].tree
        trees.append((int(tree.size[0]), tree.visits[: tree.size[0]].tolist(), tree.action[: tree.size[0]].tolist()))
    assert trees[0] == trees[1] != trees[2]
    assert trees[0][0] == 501


def test_among_equals_any_action_may_be_played() -> None:
    """Most actions of an empty board have one visit or none: those that come first in it must not come first here."""
    batch = Batch("gomoku:board_size=5", 60, seed=1, encoder=None)
    rows = MCTS(sims=15).act(batch.view()) // 5
    assert 1.4 < rows.mean() < 2.6 and rows.std() > 1


def test_games_in_a_batch_are_searched_as_if_alone() -> None:
    many = Batch("hex:board_size=5", 6, seed=4)
    together = MCTS(sims=100)
    for _ in range(3):
        actions = together.act(many.view())
        many.step(actions)
    for i in range(6):
        single, alone = Batch("hex:board_size=5", 1, seed=4 + i), MCTS(sims=100)
        for _ in range(3):
            single.step(alone.act(single.view()))
        assert (single.states[0] == many.states[i]).all()


def test_the_played_part_of_the_tree_is_kept() -> None:
    batch = position(5, [])
    agent = MCTS(sims=2000)
    first = int(agent.act(batch.view())[0])
    tree = agent.memories[0].tree
    below = next(i for i in children(tree) if tree.action[i] == first)
    replies = {int(tree.action[i]): int(tree.visits[i]) for i in linked(tree, below)}
    answer = max(replies, key=replies.__getitem__)
    batch.step([first])
    batch.step([answer])
    agent.act(batch.view())
    kept = agent.memories[0].tree
    assert kept.visits[0] == 2000 + replies[answer]
    fresh = MCTS(sims=2000, reuse=False)
    fresh.act(batch.view())
    assert fresh.memories[0].tree.visits[0] == 2000


def test_a_kept_tree_is_sound() -> None:
    batch, agent = position(5, []), MCTS(sims=300)
    while batch.to_move[0] >= 0:
        view = batch.view()
        action = int(agent.act(view)[0])
        tree = agent.memories[0].tree
        for node in range(int(tree.size[0])):
            below = linked(tree, node)
            assert sum(int(tree.visits[i]) for i in below) <= tree.visits[node]
            assert len({int(tree.action[i]) for i in below}) == len(below)
        assert {int(tree.action[i]) for i in children(tree)} <= set(np.flatnonzero(view.mask[0]).tolist())
        batch.step([action])


@pytest.mark.slow
def test_a_million_nodes_fit_in_64_bytes_each() -> None:
    agent = MCTS(sims=1_000_000, nodes=1_000_001, reuse=False)
    agent.act(Batch("hex", 1, seed=0).view())
    memory = agent.memories[0]
    assert memory.tree.size[0] == 1_000_001
    assert memory.nbytes / 1_000_001 < 64


def test_a_full_tree_goes_on_without_growing() -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    agent = MCTS(sims=2000, nodes=40)
    assert batch.mask[0, agent.act(batch.view())[0]]
    assert agent.memories[0].tree.size[0] == 40
    assert agent.memories[0].tree.visits[0] == 2000


def test_it_can_be_limited_by_time(clock: Clock) -> None:
    clock.tick = 0.01
    batch = Batch("hex:board_size=5", 1, seed=0)
    agent = MCTS(seconds=0.05)
    agent.act(batch.view())
    few = int(agent.memories[0].tree.visits[0])
    longer = MCTS(seconds=0.5)
    longer.act(batch.view())
    assert 0 < few < longer.memories[0].tree.visits[0]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"sims": 0}, "mcts: sims must be a whole number from 1"),
        ({"sims": "many"}, "sims must be a whole number from 1"),
        ({"c": -1.0}, "c must be a number from 0.0"),
        ({"simulations": 5}, "unknown parameter of mcts 'simulations': did you mean 'sims'"),
    ],
)
def test_bad_parameters_are_refused(values: dict, says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        MCTS(**values)


def test_it_beats_random_from_either_seat() -> None:
    batch = Batch("hex:board_size=5", 20, seed=0)
    agent = MCTS(sims=200)
    rows = np.arange(20)
    while (batch.to_move >= 0).any():
        actions = batch.sample()
        mine = np.flatnonzero((batch.to_move >= 0) & (batch.to_move == rows % 2))
        if mine.size:
            actions[mine] = agent.act(batch.view(mine))
        going = np.flatnonzero(batch.to_move >= 0)
        batch.step(actions[going], going)
    assert (batch.states["winner"] == rows % 2).all()


def test_every_seat_searches_in_a_game_of_dice_and_secrets() -> None:
    from toy import SPEC

    batch, agent = Batch(SPEC, 10, seed=0), MCTS(sims=50)
    while (batch.to_move >= 0).any():
        view = batch.view()
        actions = agent.act(view)
        assert view.mask[np.arange(view.row.size), actions].all()
        batch.step(actions, view.row)


def test_agents_are_shown_another_world_that_looks_the_same() -> None:
    from toy import SPEC

    batch = Batch(SPEC, 30, seed=0)
    batch.step(batch.sample())
    going = np.flatnonzero(batch.to_move >= 0)
    view = batch.view(going)
    assert (view.states != batch.states[going]).any()
    assert (view.observation == batch.observe(view.seat, going)).all()
    assert (view.mask == batch.mask[going]).all()
