"""Proofs in a guided search: what alpha-beta can count out closes leaves, and a win that is certain is played."""

from typing import Any

import numpy as np
import pytest
from blind import Blind

from boyi.baselines import make_agent
from boyi.baselines.learning.alphazero import AlphaZero
from boyi.baselines.learning.samples import positions
from boyi.baselines.search.caution import FEARED
from boyi.baselines.search.guided import GuidedSearch, Settings
from boyi.baselines.search.lookout import Lookout
from boyi.baselines.search.tree import children
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.view import View

FIVES = find("gomoku:board_size=9")
PROVES = 2000  # positions that suffice for what is to be proven here


def played(name: str, *stones: str) -> Batch:
    """Play Gomoku by stones laid by turns, named as the board has them."""
    game = find(name)
    batch = Batch(game, 1, seed=0, encoder=None)
    for stone in stones:
        batch.step([game.module("text").parse(batch.states[0], stone)])
    return batch


def at(name: str, *stones: str) -> View:
    return played(name, *stones).view()


OPEN_THREE = at("gomoku:board_size=9", "d5", "a1", "e5", "c1", "f5", "e1")
"""Seat 0 moves and has an open three: an open four wins."""
MET_BY = "a1", "d5", "c1", "e5", "h2", "f5"
MET = at("gomoku:board_size=9", *MET_BY)
"""Seat 0 moves and must meet the other's open three."""
AVERTS = {"c5", "g5"}
"""What does that."""
LOST = at("gomoku:board_size=9", "a1", "d5", "c1", "e5", "h2", "f5", "i9", "g5")
"""Seat 0 moves and the other has an open four."""


@pytest.mark.kernels
def test_a_win_that_is_certain_is_found_and_no_other() -> None:
    lookout = Lookout(FIVES, PROVES)
    text = FIVES.module("text")
    for view, wanted in ((OPEN_THREE, {"c5", "g5"}), (MET, set()), (LOST, set())):
        found = int(lookout.wins(view.states)[0])
        assert (text.name(view.states[0], found) in wanted) if wanted else found == -1
    every = np.concatenate([view.states for view in (MET, OPEN_THREE, LOST)])
    assert (lookout.wins(every) >= 0).tolist() == [False, True, False]
    assert lookout.wins(Batch(FIVES, 1, seed=0, encoder=None).view().states)[0] == -1


@pytest.mark.kernels
def test_moves_that_lose_are_known() -> None:
    """After anything but an end of the three comes an open four."""
    text, legal = FIVES.module("text"), np.flatnonzero(MET.mask[0])
    found = Lookout(FIVES, PROVES).loses(np.repeat(MET.states, legal.size), legal)
    assert {text.name(MET.states[0], a) for a in legal[~found].tolist()} == AVERTS


def test_wins_by_threats_are_played_out() -> None:
    """From positions of random stones that somebody wins for certain: against good answers, and against any."""
    lookout, won = Lookout(FIVES, PROVES), 0
    for other in ("alphabeta:depth=4", "random"):
        batch = Batch(FIVES, 120, seed=5, encoder=None, autoreset="off")
        for _ in range(14):
            view = batch.view()
            batch.step(batch.sample()[view.row], view.row)
        view = batch.view()
        certain = lookout.wins(view.states) >= 0
        rows, winner = view.row[certain], view.seat[certain][0]
        assert rows.size > 20
        agent = make_agent(other)
        while rows.size:
            view = batch.view()
            view = view.take(np.flatnonzero(np.isin(view.row, rows)))
            actions = lookout.wins(view.states) if view.seat[0] == winner else agent.act(view)
            assert (actions >= 0).all()
            returns, over, _ = batch.step(actions, view.row)
            assert (returns[over, winner] == 1.0).all()
            won += int(over.sum())
            rows = view.row[~over]
    assert won > 40


def searched(view: View, sims: int, proofs: int, **settings: Any) -> tuple[Any, Blind]:
    blind = Blind(view.game.actions)
    return GuidedSearch(view.game, blind, Settings(proofs=proofs, **settings), sims).search(view, sims), blind


@pytest.mark.kernels
def test_leaves_that_are_decided_are_worth_what_they_are() -> None:
    """Nobody but an end of the three averts the open four: all else is lost, by proofs alone, and tried but once."""
    text, blind = FIVES.module("text"), Blind(81)
    guided = GuidedSearch(FIVES, blind, Settings(proofs=PROVES), 400)
    found = guided.search(MET, 400)
    tree = guided.forest.tree(0)
    tried = {text.name(MET.states[0], int(tree.action[i])): i for i in children(tree, 0) if tree.visits[i]}
    lost = tried.keys() - AVERTS
    assert len(lost) > 60 and tried.keys() >= AVERTS
    assert all(tree.proven[tried[name]] == 2 and tree.visits[tried[name]] == 1 for name in lost)
    assert {text.name(MET.states[0], a) for a in np.flatnonzero(found.visits[0]).tolist()} == AVERTS
    assert text.name(MET.states[0], int(found.action[0])) in AVERTS
    guessed, asked = searched(MET, 400, 0)
    assert np.nanmin(guessed.worth[0]) > -1.0 and asked.asked == 400 and blind.asked < 340


@pytest.mark.kernels
def test_what_a_tree_proves_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random positions of Hex 3x3 and what `exact` says of them: as far up as the root, and for each of its moves."""
    monkeypatch.setattr(Lookout, "wins", lambda self, roots: np.full(roots.size, -1))
    monkeypatch.setattr(Lookout, "loses", lambda self, roots, actions, closely: np.zeros(actions.size, np.bool_))
    game, exact = find("hex:board_size=3"), make_agent("exact")
    batch = Batch(game, 60, seed=1, encoder=None, autoreset="off")
    proven = 0
    for _ in range(5):
        view = batch.view()
        guided = GuidedSearch(game, Blind(9), Settings(proofs=1, fpu=-0.2, relative=True), 300)
        found = guided.search(view, 300)
        for k in range(view.row.size):
            worth, tree = exact.value(view, k), guided.forest.tree(int(view.row[k]))
            winner = int(view.seat[k] if worth > 0 else 1 - view.seat[k]) + 1
            assert tree.proven[0] in (0, winner)
            proven += tree.proven[0] == winner
            good = exact.weigh(view, k).numbers
            for i in children(tree, 0):
                if tree.proven[i]:
                    assert (tree.proven[i] == view.seat[k] + 1) == (good[tree.action[i]] > 0)
            assert found.value[k] == worth or not tree.proven[0]
            assert good[found.action[k]] > 0 or worth < 0 or not tree.proven[0]
        batch.step(batch.sample()[view.row], view.row)
    assert proven > 150


class Sure(Blind):
    """An evaluator that is all but certain of two moves, and else prefers the last ones."""

    def __init__(self, actions: int, moves: np.ndarray) -> None:
        super().__init__(actions)
        self.moves = moves

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        priors, values = super().evaluate(states, seats)
        priors *= 1e-20 * np.arange(1, self.actions + 1)
        priors[:, self.moves] = 1.0
        return priors, values


@pytest.mark.parametrize("stones", [MET_BY, ("d5", "a1", "e5", "c1", "f5")])
def test_what_is_proven_to_lose_is_not_looked_at_again(
    stones: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by seat 0 nor by seat 1, however sure the evaluator is of it."""
    view = at("gomoku:board_size=9", *stones)
    monkeypatch.setattr(Lookout, "loses", lambda self, roots, actions, closely: np.zeros(actions.size, np.bool_))
    sure = FIVES.module("text").parse(view.states[0], "h9")
    guided = GuidedSearch(FIVES, Sure(81, np.array([sure])), Settings(proofs=PROVES), 50)
    guided.search(view, 50)
    tree = guided.forest.tree(0)
    assert {int(tree.action[i]): tree.visits[i] for i in children(tree, 0)}[sure] == 1


def test_halving_at_the_root_leaves_alone_what_is_proven_to_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lookout, "loses", lambda self, roots, actions, closely: np.zeros(actions.size, np.bool_))
    guided = GuidedSearch(FIVES, Blind(81), Settings(proofs=PROVES, considered=16), 200)
    found = guided.search(MET, 200)
    text, tree = FIVES.module("text"), guided.forest.tree(0)
    assert text.name(MET.states[0], int(found.action[0])) in AVERTS
    assert all(tree.visits[i] == 1 for i in children(tree, 0) if tree.proven[i])


def test_halving_goes_on_among_what_is_left(twelve: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told after half of the time that both finalists lose."""
    looked: list[int] = []

    def loses(self: Lookout, roots: np.ndarray, actions: np.ndarray, *, closely: bool) -> np.ndarray:
        if closely:
            looked.extend(actions.tolist())
        return np.full(actions.size, closely and len(looked) <= 2)

    monkeypatch.setattr(Lookout, "loses", loses)
    guided = GuidedSearch(twelve.game, Blind(25), Settings(proofs=1, considered=2), 0)
    guided.search(twelve, 2)  # compiles
    guided.search(twelve, 400, seconds=0.5)
    tree = guided.forest.tree(0)
    assert len(looked) > 2 and sum(tree.visits[i] for i in children(tree, 0)) > tree.visits[0] / 10


def test_a_leaf_that_was_closed_is_a_root_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other seat's tree of the same game: it must find how the position is won."""
    monkeypatch.setattr(Lookout, "wins", lambda self, roots: np.full(roots.size, -1))
    batch = played("gomoku:board_size=9", *MET_BY)
    guided = GuidedSearch(FIVES, Blind(81), Settings(proofs=PROVES), 0)
    view = batch.view()
    guided.search(view, 200)
    tree = guided.forest.tree(0)
    lost = [int(tree.action[i]) for i in children(tree, 0) if tree.proven[i]]
    guided.forest.note(view.row, np.array(lost[:1]))
    batch.step(lost[:1])
    found = guided.search(batch.view(), 2, seconds=1.0)
    tree = guided.forest.tree(0)
    assert {int(tree.action[i]): tree.proven[i] for i in children(tree, 0)}[int(found.action[0])] == 2
    assert tree.proven[0] == 2 and found.value[0] == 1.0


@pytest.mark.parametrize("root", [0, 8])
def test_where_all_that_was_looked_at_loses_something_else_is_played(
    twelve: View, monkeypatch: pytest.MonkeyPatch, root: int
) -> None:
    """And that was looked at closely, too."""
    legal = np.flatnonzero(twelve.mask[0])
    moves, looked = legal[-2:], list[int]()

    def loses(self: Lookout, roots: np.ndarray, actions: np.ndarray, *, closely: bool) -> np.ndarray:
        looked.extend(actions.tolist() if closely else [])
        return np.isin(actions, moves) & closely

    monkeypatch.setattr(Lookout, "loses", loses)
    settings = Settings(proofs=1, considered=2 if root else 0)
    found = GuidedSearch(twelve.game, Sure(25, moves), settings, 100).search(twelve, 100)
    assert found.action[0] in legal[:-2] and looked[-1] == found.action[0] and looked[:2] == moves.tolist()
    assert found.policy[0, legal].sum() == pytest.approx(1.0) and np.isfinite(found.value[0])


def test_a_certain_win_is_played_without_a_search() -> None:
    found, blind = searched(OPEN_THREE, 400, PROVES)
    assert FIVES.module("text").name(OPEN_THREE.states[0], int(found.action[0])) in ("c5", "g5")
    assert blind.asked == 1 and found.value[0] == 1.0
    assert found.policy[0, found.action[0]] == found.policy[0].sum() == 1.0 == found.visits[0].sum()


def test_where_all_is_lost_there_is_still_a_move() -> None:
    found, _ = searched(LOST, 300, PROVES)
    assert LOST.mask[0, found.action[0]] and found.value[0] < -0.9


@pytest.fixture
def twelve(monkeypatch: pytest.MonkeyPatch) -> View:
    """A position of twelve moves that nobody can win."""
    batch = Batch(find("gomoku:board_size=5"), 1, seed=189, encoder=None)
    for _ in range(13):
        batch.step(batch.sample())
    monkeypatch.setattr(Lookout, "wins", lambda self, roots: np.full(roots.size, -1))
    return batch.view()


def test_moves_that_lose_are_left_alone_where_others_are_left(twelve: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told that all but one lose the search looks at that one; that all do, at all of them."""
    legal = np.flatnonzero(twelve.mask[0])
    assert legal.size == 12 < FEARED
    for spared in (*legal.tolist(), -1):
        monkeypatch.setattr(Lookout, "loses", lambda self, roots, actions, closely, spared=spared: actions != spared)
        found, _ = searched(twelve, FEARED**2, 1)
        assert np.flatnonzero(found.visits[0]).tolist() == ([spared] if spared >= 0 else legal.tolist())
        assert found.action[0] == spared or spared < 0


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_what_would_be_played_is_doubted(twelve: View, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Told that all but one lose where they are looked at closely: that one is played if it is among the first few."""
    chosen: list[int] = []

    def loses(self: Lookout, roots: np.ndarray, actions: np.ndarray, *, closely: bool) -> np.ndarray:
        if closely:
            chosen.extend(actions.tolist())
        return np.full(actions.size, closely and len(chosen) <= doubted)

    monkeypatch.setattr(Lookout, "loses", loses)
    for doubted in range(FEARED // 2):
        chosen.clear()
        guided = GuidedSearch(twelve.game, Blind(25), Settings(proofs=1), FEARED**2)
        found = guided.search(twelve, FEARED**2, seconds=seconds)
        assert len(set(chosen)) == len(chosen)
        if not seconds or len(chosen) > doubted:  # a machine that stands still leaves no time for it
            assert len(chosen) > doubted and not found.visits[0, chosen[:doubted]].any()
        assert seconds or found.action[0] == chosen[-1]
    doubted = 100
    before, _ = searched(twelve, FEARED**2, 0)
    found, _ = searched(twelve, FEARED**2, 1)
    assert np.count_nonzero(found.visits[0]) == np.count_nonzero(before.visits[0]) == 12


def test_games_that_are_searched_together_do_not_change_each_other() -> None:
    batch = Batch(FIVES, 6, seed=3, encoder=None)
    for _ in range(8):
        batch.step(batch.sample())
    view = batch.view()
    together = GuidedSearch(FIVES, Blind(81), Settings(proofs=100), 60).search(view, 60)
    for k in range(6):
        alone = GuidedSearch(FIVES, Blind(81), Settings(proofs=100), 60).search(view.take(np.array([k])), 60)
        assert (alone.visits[0] == together.visits[k]).all()


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_self_play_by_proofs_wins_what_is_won(root: str) -> None:
    """With an untrained network: who is found to win has won in the end, but for what named moves leave out."""
    values: dict[str, Any] = {
        "network": "board", "choices": {"channels": 2, "blocks": 0}, "envs": 16, "halves": 1, "threads": 1, "sims": 8,
        "moves": 60, "root": root, "precision": "float32", "learning_starts": 10**6, "temperature": 0.5,
    }  # fmt: skip
    game = find("gomoku:board_size=7")
    lost = []
    for proofs in (0, 50):
        model = AlphaZero(game, proofs=proofs, **values)
        model.round()
        samples = model.windows[0].samples[: model.windows[0].total]
        certain = Lookout(game, 50).wins(positions(game, samples)) >= 0
        assert certain.sum() > 10
        lost.append((samples["outcome"][certain] < 1).mean())
    assert lost[0] > 4 * lost[1], lost


def test_what_does_not_go_is_said() -> None:
    with pytest.raises(BoyiError, match=r"proofs cannot be found for einstein: that takes .* no dice"):
        Lookout(find("einstein"), 10)
    with pytest.raises(BoyiError, match="proofs work only with backup=leaf"):
        GuidedSearch(FIVES, Blind(81), Settings(proofs=10, valued=True), 10)
