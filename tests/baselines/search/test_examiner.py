"""Guided search that examines positions of Hex: what it calls decided, and what it takes out of the tree, is right."""

import numpy as np
import pytest
from blind import Blind
from hex_positions import played

from boyi.baselines.search import knowledge
from boyi.baselines.search.guided import GuidedSearch, Settings
from boyi.baselines.search.knowledge import Examiner
from boyi.baselines.search.proof import Prover
from boyi.baselines.search.tree import children
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import step_one
from boyi.envs.engine.view import View

pytestmark = pytest.mark.kernels

FIVE = find("hex", board_size=5)
WON = "c3 a1 c2 a2 b4 e5"
"""Seat 0 moves and has as good as joined its edges."""


def searcher(sims: int = 300, game=FIVE, **values: object) -> GuidedSearch:
    settings = Settings(**{"examine": 3, "fpu": -0.2, "relative": True, **values})
    return GuidedSearch(game, Blind(game.actions), settings, sims)


def positions(count: int) -> Batch:
    """Play the openings of random games, of other lengths each."""
    batch = Batch(FIVE, count, seed=4, encoder=None, autoreset="off")
    for ply in range(9):
        rows = np.flatnonzero(ply < np.arange(count) % 8 + 1)
        rows = rows[batch.to_move[rows] >= 0]
        batch.step(batch.sample()[rows], rows)
    return batch


def undecided() -> View:
    """Find a position in which it is not seen at once who wins."""
    view = positions(60).view()
    sight = Examiner(FIVE).look(view.states)
    return view.take(np.flatnonzero((sight.wins < 0) & ~sight.lost & (view.mask.sum(axis=1) > 15))[:1])


def wins(prover: Prover, states: np.ndarray, action: int) -> bool:
    """Whether the seat to move has won when it has played an action."""
    after, mover = states.copy(), int(states["to_move"][0])
    bind(step_one, prover.game)(after, action)
    return bool(after["winner"][0] == mover if after["to_move"][0] < 0 else prover.winner(after) == mover)


@pytest.mark.parametrize("considered", [0, 8])
def test_what_is_proven_is_true_and_what_is_left_out_does_not_matter(considered: int) -> None:
    prover, guided, batch = Prover(FIVE), searcher(considered=considered), positions(60)
    view = batch.view()
    found = guided.search(view, 300)
    proven = left_out = 0
    for k in range(view.row.size):
        states, tree, mover = view.states[k : k + 1], guided.forest.tree(int(view.row[k])), int(view.seat[k])
        won = prover.winner(states) == mover
        kept = children(tree, 0)
        assert wins(prover, states, int(found.action[k])) == won or not (tree.proven[0] or found.value[k] == 1.0)
        assert won == any(wins(prover, states, int(tree.action[i])) for i in kept)
        for i in kept:
            if tree.proven[i]:
                proven += 1
                assert (tree.proven[i] == mover + 1) == wins(prover, states, int(tree.action[i]))
            elif children(tree, i) and tree.visits[i] >= 3:
                left_out += int(view.mask[k].sum()) - 1 - len(children(tree, i))
                assert sum(tree.prior[j] for j in children(tree, i)) == pytest.approx(1.0, abs=1e-3)
        if tree.proven[0]:
            assert tree.proven[0] == (mover if won else 1 - mover) + 1
        left_out += int(view.mask[k].sum()) - len(kept)
    assert proven > 15 and left_out > 200


def test_a_win_at_sight_is_played_without_a_search() -> None:
    batch, guided = played(WON, board_size=5), searcher()
    found = guided.search(batch.view(), 300)
    assert guided.evaluator.asked == 1 and found.value[0] == 1.0 == found.policy[0, found.action[0]]
    assert wins(Prover(FIVE), batch.states, int(found.action[0]))


def test_a_lost_game_is_played_on() -> None:
    """As by a search that examines nothing."""
    batch = played(WON + " d1", board_size=5)
    assert Prover(FIVE).winner(batch.states) == 0 and batch.to_move[0] == 1
    found, plain = (searcher(examine=often).search(batch.view(), 300) for often in (3, 0))
    assert (found.visits == plain.visits).all() and np.count_nonzero(found.visits) > 10


def test_nothing_is_examined_before_it_has_been_met_so_often() -> None:
    rare, view = searcher(examine=10**6), undecided()
    kept, n = rare.examiner.look(view.states).kept[0], int(view.mask.sum())
    assert 0 < kept.sum() < n
    found, plain = rare.search(view, 300), searcher(examine=0).search(view, 300)
    assert not found.visits[0, ~kept].any() and plain.visits[0, ~kept].any()
    tree = rare.forest.tree(int(view.row[0]))
    assert not any(tree.proven[: tree.size[0]]) and all(len(children(tree, i)) in (0, n - 1) for i in children(tree, 0))


def test_a_clock_stops_when_the_root_is_proven() -> None:
    view, guided = undecided(), searcher(0)
    guided.search(view, 2)  # compiles
    guided.search(view, 2, seconds=10.0)
    tree = guided.forest.tree(int(view.row[0]))
    assert tree.proven[0] and tree.visits[0] < 5000


@pytest.mark.parametrize("records", [4, 64])
def test_games_that_are_searched_together_do_not_change_each_other(
    records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it matter how much is remembered of them."""
    monkeypatch.setattr(knowledge, "RECORDS", records)
    view = positions(6).view()
    together = searcher().search(view, 100)
    monkeypatch.setattr(knowledge, "RECORDS", 16)
    for k in range(6):
        assert (searcher().search(view.take(np.array([k])), 100).visits[0] == together.visits[k]).all()


def test_a_game_that_is_won_is_never_let_go() -> None:
    """The tree is kept from move to move, also when the other seat plays what was left out of it."""
    prover, guided = Prover(FIVE), searcher(100)
    for seed in range(4):
        batch = Batch(FIVE, 1, seed=seed, encoder=None)
        while batch.to_move[0] >= 0:
            mine = batch.to_move[0] == 0
            action = guided.search(batch.view(), 100).action if mine else batch.sample()
            guided.forest.note(batch.view().row, action)
            won = prover.winner(batch.states) == 0
            batch.step(action)
            assert batch.to_move[0] < 0 or not (won and mine) or prover.winner(batch.states) == 0
        assert batch.states["winner"][0] == 0


@pytest.mark.parametrize("game", ["gomoku:board_size=5", "einstein", "hex:board_size=26"])
def test_games_that_cannot_be_examined_say_so(game: str) -> None:
    with pytest.raises(BoyiError, match=r"^positions of .* cannot be examined for who wins: use examine=0"):
        searcher(game=find(game))


def test_what_does_not_go_together_is_said() -> None:
    with pytest.raises(BoyiError, match="examine works only with backup=leaf and a network"):
        searcher(valued=True)
