"""Tree search that examines positions of Hex: what it takes out of the tree and calls decided is right."""

import numpy as np
import pytest
from hex_positions import played

from boyi.baselines.search import knowledge
from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.knowledge import learns, make_knowledge
from boyi.baselines.search.knowledge_kernels import EXAMINED
from boyi.baselines.search.mcts import MCTS
from boyi.baselines.search.proof import SEARCH_ROOM, Prover
from boyi.baselines.search.tree import children
from boyi.envs import Batch, BoyiError, find

pytestmark = pytest.mark.kernels

FIVE = find("hex", board_size=5)


def searcher(sims: int = 1000, **values: object) -> MCTS:
    return MCTS(sims=sims, rave=500.0, c=0.0, rollouts="informed", **{"examine": 5, **values})


def positions(game, count: int, least: int = 2):
    """Play random games up to some position in each in which somebody is to move."""
    rng, seed = np.random.default_rng(0), 0
    while count > 0:
        batch, seed = Batch(game, 1, seed=seed), seed + 1
        for _ in range(rng.integers(least, game.actions // 2)):
            if batch.to_move[0] >= 0:
                batch.step(batch.sample())
        if batch.to_move[0] >= 0:
            count -= 1
            yield batch


def wins(prover: Prover, batch: Batch, action: int) -> bool:
    """Whether the seat to move has won when it has played an action."""
    mover, after = batch.to_move[0], batch.clone()
    after.step([action])
    return bool(after.states["winner"][0] == mover or prover.winner(after.states) == mover)


@pytest.mark.parametrize("swap", [False, True])
def test_what_is_proven_is_true_and_what_is_left_out_does_not_matter(swap: bool) -> None:
    game = find("hex", board_size=5, swap=swap)
    prover, left_out, proven = Prover(game), 0, 0
    for batch in positions(game, 30, least=1):
        agent = searcher()
        action = int(agent.visits(batch.view()).argmax())
        tree, mover = agent.memories[0].tree, int(batch.to_move[0])
        won = prover.winner(batch.states) == mover
        kept = children(tree, 0)
        assert wins(prover, batch, action) == won
        assert won == any(wins(prover, batch, int(tree.action[i])) for i in kept)
        for i in kept:
            if tree.proven[i]:
                proven += 1
                assert (tree.proven[i] == mover + 1) == wins(prover, batch, int(tree.action[i]))
        if tree.proven[0]:
            assert action in [int(tree.action[i]) for i in kept]
            assert (tree.proven[0] == mover + 1) == won
        left_out += int(batch.mask.sum()) - len(kept)
    assert left_out > 30 and proven > 20


def test_a_won_game_is_never_let_go() -> None:
    """The tree is kept from move to move, also when the other seat plays what was left out of it."""
    prover, agent = Prover(FIVE), searcher(200)
    for seed in range(5):
        batch = Batch(FIVE, 1, seed=seed)
        while batch.to_move[0] >= 0:
            mine = batch.to_move[0] == 0
            batch.step(agent.act(batch.view()) if mine else batch.sample())
            assert batch.to_move[0] < 0 or not mine or prover.winner(batch.states) == 0
        assert batch.states["winner"][0] == 0


def test_a_lost_game_is_played_on() -> None:
    batch = played("c3 a1 c2 a2 b4 e5", board_size=5)
    batch.step([batch.game.module("text").parse(batch.states[0], "d1")])
    assert Prover(batch.game).winner(batch.states) == 0 and batch.to_move[0] == 1
    agent = searcher(500)
    counts = agent.visits(batch.view())
    tree = agent.memories[0].tree
    assert counts.argmax() in np.flatnonzero(batch.mask[0]) and len(children(tree, 0)) == batch.mask.sum()
    assert tree.visits[0] == 500


def test_a_win_at_sight_takes_no_simulation() -> None:
    batch = played("c3 a1 c2 a2 b4 e5", board_size=5)
    agent = searcher(500)
    action = int(agent.visits(batch.view()).argmax())
    assert agent.memories[0].tree.visits[0] == 0 and wins(Prover(batch.game), batch, action)


def test_positions_are_examined_once_they_have_been_met_so_often() -> None:
    batch, examined = Batch("hex:board_size=6", 1, seed=0), []
    for often in (20, 100, 100_000):
        agent = searcher(2000, examine=often)
        agent.act(batch.view())
        examined.append(int(agent.knowledge[0].at[EXAMINED]))
    assert examined[0] > examined[1] > examined[2] == 1


def test_the_same_seed_takes_the_same_search() -> None:
    batch, found = Batch("hex:board_size=6", 1, seed=3), []
    batch.step(batch.sample())
    for threads in (1, 1, 2, 2):
        found.append(searcher(600, threads=threads).visits(batch.view()))
    assert (found[0] == found[1]).all() and (found[2] == found[3]).all()


def test_a_search_takes_nothing_from_the_one_before() -> None:
    """What is found step by step may be less than at once: a game must not depend on those played beside it."""
    view, agent, examined = Batch("hex:board_size=6", 1, seed=0).view(), searcher(600, reuse=False), [0]
    for _ in range(3):
        agent.act(view)
        examined.append(int(agent.knowledge[0].at[EXAMINED]))
    assert len(set(np.diff(examined).tolist())) == 1 and examined[1] > 1


def test_notes_have_bounds_and_what_is_forgotten_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record for every position on the way down is all that a search needs."""
    assert make_knowledge(find("hex")).notes.nbytes <= SEARCH_ROOM
    batch, found = Batch("hex:board_size=6", 1, seed=1), []
    for records in (64, 4):
        monkeypatch.setattr(knowledge, "RECORDS", records)
        agent = searcher(3000)
        found.append(agent.visits(batch.view()))
        assert agent.knowledge[0].notes.size == records
    assert (found[0] == found[1]).all()
    winner = Prover(agent.game).winner(batch.states)
    assert winner != batch.to_move[0] or wins(Prover(agent.game), batch, int(found[0].argmax()))


@pytest.mark.parametrize("game", ["gomoku:board_size=5", "einstein", "hex:board_size=26"])
def test_games_that_cannot_be_examined_say_so(game: str) -> None:
    assert not learns(find(game))
    with pytest.raises(BoyiError, match=r"^mcts: positions of .* cannot be examined for who wins: use examine=0"):
        MCTS(rave=100.0, examine=10).act(Batch(game, 1, seed=0).view())


@pytest.mark.parametrize("values", [{}, {"rave": 100.0, "prove": False}])
def test_trees_that_cannot_learn_say_so(values: dict) -> None:
    with pytest.raises(
        BoyiError, match=r"^mcts: examine is for trees that hold all actions and prove, with rave above 0"
    ):
        MCTS(examine=10, **values)


@pytest.mark.parametrize(("size", "seed"), [(6, 0), (6, 15), (7, 7), (7, 13)])
def test_a_root_that_was_proven_without_being_searched_is_played_on(size: int, seed: int) -> None:
    batch = Batch(f"hex:board_size={size}", 1, seed=seed, history=True, autoreset="off")
    agents = searcher(100), AlphaBeta(depth=1, examine=0)
    while batch.to_move[0] >= 0:
        view = batch.view()
        action = agents[(int(batch.to_move[0]) + seed) % 2].act(view)
        assert view.mask[0, action[0]]
        batch.step(action)
