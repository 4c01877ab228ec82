"""Guided search: judged alike in every way, exact on tiny boards, awake, the same in any batch."""

from typing import Any

import numpy as np
import pytest
import toy
from clock import Clock
from tree_searches import MODES, TACTICS, Hashed, hashed_evaluation, linked, mode_name, position, wins

from boyi.baselines.search.evaluators import Handmade
from boyi.baselines.search.exact import Exact
from boyi.baselines.search.puct import PUCT, Searched
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import step_one
from boyi.envs.engine.protocol import CHANCE, OVER

pytestmark = pytest.mark.kernels

# The two ways to be judged


class Asked:
    """The same evaluation behind the interface of any evaluator."""

    def __init__(self, inner: Handmade) -> None:
        self.inner, self.calls = inner, 0

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.calls += 1
        return self.inner.evaluate(states, seats)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return self.inner.values(states, seats)


class Watched(Hashed):
    """Checks from whose side it is asked: the seat that decides or, before a roll, the one that has moved."""

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert (states["to_move"] >= 0).all()
        assert (states["to_move"] == seats).all()
        return super().evaluate(states, seats)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        before_roll = states["to_move"] == CHANCE
        side = np.where(before_roll, 1 - states["turn"], states["to_move"])
        assert (side == seats).all()
        return super().values(states, seats)


@pytest.mark.parametrize("mode", MODES, ids=mode_name)
def test_an_evaluator_is_told_whose_side_to_take(mode: dict[str, str]) -> None:
    batch = Batch("einstein:board_size=3,stones=2", 3, seed=0)
    PUCT(evaluator=Watched(batch.game), sims=60, **mode).act(batch.view())


def same(one: Searched, other: Searched) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("mode", MODES, ids=mode_name)
@pytest.mark.parametrize("name", ["hex:board_size=3", "einstein:board_size=3,stones=2"])
def test_judging_in_kernels_and_by_asking_are_one(name: str, mode: dict[str, str]) -> None:
    batch = Batch(name, 5, seed=3)
    handmade = Handmade(batch.game, hashed_evaluation())
    asked = Asked(handmade)
    one = PUCT(evaluator=handmade, sims=150, c=1.0, **mode).search(batch.view())
    other = PUCT(evaluator=asked, sims=150, c=1.0, **mode).search(batch.view())
    assert same(one, other)
    assert np.isfinite(one.value).all()
    # All games are asked about together.
    assert 0 < asked.calls <= 150


# Strength


def test_it_finds_the_winning_moves_of_3x3() -> None:
    rng, checked = np.random.default_rng(0), 0
    agents = [
        PUCT(sims=4000, evaluator="playout", c=1.0, backup=backup, reuse=False) for backup in ("leaf", "children")
    ]
    while checked < 15:
        moves: list[int] = rng.permutation(9)[: rng.integers(0, 5)].tolist()
        batch = position(3, moves)
        if batch.to_move[0] < 0 or not wins(3, tuple(moves)):
            continue
        for agent in agents:
            chosen = int(agent.act(batch.view())[0])
            after = position(3, [*moves, chosen])
            assert after.to_move[0] == OVER or not wins(3, (*moves, chosen)), (str(agent), moves)
        checked += 1


@pytest.mark.parametrize("backup", ["leaf", "children"])
def test_values_of_hex_tend_to_the_exact_ones(backup: str) -> None:
    view = position(3, []).view()
    found = PUCT(sims=60_000, evaluator="playout", backup=backup, c=1.0).search(view)
    exact = Exact().worth(view)
    assert exact[int(found.visits[0].argmax())] == 1.0
    assert found.value[0] > 0.95


@pytest.mark.parametrize("mode", MODES, ids=mode_name)
def test_values_under_dice_tend_to_the_exact_ones(mode: dict[str, str]) -> None:
    batch = Batch("einstein:board_size=3,stones=2", 30, seed=1)
    for _ in range(2):
        batch.step(batch.sample())
    view, judge = batch.view(), Exact()
    worth = np.array([judge.worth(view, k) for k in range(30)])
    exact = np.nanmax(worth, axis=1)
    assert len(set(exact.round(6).tolist())) > 5
    errors = []
    for sims in (100, 10_000):
        found = PUCT(sims=sims, evaluator="playout", c=1.0, **mode).search(batch.view())
        errors.append(np.abs(found.value - exact).mean())
    assert errors[1] < 0.05 < 0.15 < errors[0]
    regret = exact - worth[np.arange(30), found.visits.argmax(axis=1)]
    assert regret.mean() < 0.01


@pytest.mark.parametrize(("moves", "best"), TACTICS)
def test_planted_tactics(moves: list[str], best: set[str]) -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    text = batch.game.module("text")
    for move in moves:
        batch.step([text.parse(batch.states[0], move)])
    for backup in ("leaf", "children"):
        chosen = int(PUCT(sims=1000, evaluator="playout", backup=backup).act(batch.view())[0])
        assert text.name(batch.states[0], chosen) in best, text.diagram(batch.states[0])


# Dice


def test_averaged_dice_by_hand() -> None:
    """Two simulations: the root's own value, then the mean over the dice of the board after its likeliest move."""
    batch = Batch("einstein:board_size=3,stones=2,placement=fixed", 1, seed=0)
    game, view = batch.game, batch.view()
    judge = Hashed(game)
    priors, value = judge.evaluate(view.states, view.seat)
    a = int(np.where(view.mask[0] == 1, priors[0], -1).argmax())
    after = view.states.copy()
    bind(step_one, game)(after, a)
    assert after["to_move"][0] == CHANCE
    faces = []
    for die in (1, 2):
        rolled = after.copy()
        rolled["die"], rolled["to_move"] = die, rolled["turn"]
        faces.append(float(judge.values(rolled, view.seat)[0]))
    found = PUCT(evaluator=judge, sims=2, chance="expected").search(view)
    assert found.visits[0, a] == found.visits.sum() == 1
    assert found.worth[0, a] == pytest.approx(np.mean(faces))
    assert found.value[0] == pytest.approx((value[0] + np.mean(faces)) / 2)
    sampled = PUCT(evaluator=judge, sims=2).search(view).worth[0, a]
    assert min(abs(sampled - face) for face in faces) < 1e-6


# Repeatability


SETTINGS: list[dict[str, Any]] = [
    {},
    {"backup": "children", "noise": "published", "temperature": 1.0},
    {"chance": "expected", "noise": "root", "temperature": 0.7, "dirichlet": 0.3},
]


@pytest.mark.parametrize("values", SETTINGS, ids=str)
@pytest.mark.parametrize("name", ["hex:board_size=3", "einstein:board_size=3,stones=2"])
@pytest.mark.parametrize("kind", ["playout", "handmade", "object"])
def test_games_in_a_batch_are_searched_as_if_alone(name: str, kind: str, values: dict[str, Any]) -> None:
    game = find(name)

    def agent() -> PUCT:
        handmade = Handmade(game, hashed_evaluation())
        evaluator: Any = {"playout": "playout", "handmade": handmade, "object": Asked(handmade)}[kind]
        return PUCT(evaluator=evaluator, sims=40, **values)

    many, together = Batch(game, 5, seed=4), agent()
    singles, alone = [Batch(game, 1, seed=4 + i) for i in range(5)], [agent() for _ in range(5)]
    for _ in range(3):
        view = many.view()
        actions, found = together.play(view)
        for place, i in enumerate(view.row):
            action, own = alone[i].play(singles[i].view())
            assert int(action[0]) == actions[place]
            assert np.array_equal(own.visits[0], found.visits[place])
            singles[i].step(action)
        many.step(actions, view.row)


def test_the_same_seed_searches_the_same_tree() -> None:
    trees = []
    for seed in (1, 1, 2):
        agent = PUCT(sims=300, evaluator="playout")
        agent.act(Batch("hex:board_size=5", 1, seed=seed).view())
        tree = agent.guided.forest.tree(0)
        trees.append((int(tree.size[0]), tree.visits[: tree.size[0]].tolist(), tree.action[: tree.size[0]].tolist()))
    assert trees[0] == trees[1] != trees[2]


def test_the_played_part_of_the_tree_is_kept() -> None:
    batch = Batch("hex:board_size=5", 3, seed=0)
    agent, fresh = (PUCT(sims=400, evaluator="playout", reuse=reuse) for reuse in (True, False))
    actions = agent.act(batch.view())
    fresh.act(batch.view())
    batch.step(actions)
    kept = []
    for row in range(3):
        tree = agent.guided.forest.tree(row)
        i = next(i for i in linked(tree, 0) if tree.action[i] == actions[row])
        kept.append({int(tree.action[j]): int(tree.visits[j]) for j in linked(tree, i)})
    answers = [max(replies, key=replies.__getitem__) for replies in kept]
    batch.step(answers)
    found, alone = agent.search(batch.view()), fresh.search(batch.view())
    for row in range(3):
        # One visit of the 400 and of those kept opened the root.
        assert found.visits[row].sum() == 400 + kept[row][answers[row]] - 1 > 402
        assert alone.visits[row].sum() == 399
        tree = agent.guided.forest.tree(row)
        for node in range(int(tree.size[0])):
            below = linked(tree, node)
            assert not below or sum(int(tree.visits[i]) for i in below) == tree.visits[node] - 1
            assert not below or sum(float(tree.prior[i]) for i in below) == pytest.approx(1.0, abs=1e-5)


def test_a_kept_tree_is_of_this_game_alone() -> None:
    agent = PUCT(sims=50, evaluator="playout")
    batch = Batch("hex:board_size=3", 1, seed=0)
    batch.step(agent.act(batch.view()))
    batch.step(batch.sample())
    view = batch.view()
    agent.act(view._replace(episode=view.episode + 1))
    tree = agent.guided.forest.tree(0)
    assert tree.visits[0] == 50


# Limits


def test_a_full_tree_goes_on_without_growing() -> None:
    dice = "einstein:board_size=3,stones=2"
    for name, mode in (("hex:board_size=5", MODES[0]), (dice, MODES[0]), (dice, MODES[3])):
        batch = Batch(name, 2, seed=0)
        agent = PUCT(sims=600, nodes=40, evaluator="playout", **mode)
        actions, found = agent.play(batch.view())
        assert batch.mask[np.arange(2), actions].all()
        assert (found.visits.sum(axis=1) == 599).all()
        assert (agent.guided.forest.trees.size <= 40).all()
        assert agent.guided.forest.trees.size.max() > 20


def test_the_smallest_tree_holds_the_moves() -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    actions = PUCT(sims=2, nodes=1, evaluator="playout").act(batch.view())
    assert batch.mask[0, actions[0]]


def test_memory_is_24_bytes_a_node() -> None:
    agent = PUCT(sims=100, nodes=50_000, evaluator="playout")
    agent.act(Batch("hex:board_size=5", 4, seed=0).view())
    assert agent.guided.forest.nbytes < (5 * 24 + 4) * 50_000 + 200


def test_it_can_be_limited_by_time(clock: Clock) -> None:
    clock.tick = 0.01
    batch = Batch("hex:board_size=5", 2, seed=0)
    few = PUCT(seconds=0.02, evaluator="playout").search(batch.view())
    more = PUCT(seconds=0.3, evaluator="playout").search(batch.view())
    assert 0 < few.visits.sum() < more.visits.sum()
    assert few.visits[0].sum() == few.visits[1].sum()


@pytest.mark.parametrize(
    "name", ["hex:board_size=5", "gomoku:board_size=5", "jiu:board_size=6,max_turns=60", "einstein"]
)
@pytest.mark.parametrize("backup", ["leaf", "children"])
@pytest.mark.slow
def test_it_plays_legal_games_of_every_game_it_accepts(name: str, backup: str) -> None:
    batch = Batch(name, 20, seed=0)
    agent = PUCT(sims=4, evaluator="playout", backup=backup)
    while (batch.to_move >= 0).any():
        view = batch.view()
        actions = agent.act(view)
        assert view.mask[np.arange(view.row.size), actions].all()
        batch.step(actions, view.row)


def test_it_beats_random_from_either_seat() -> None:
    batch, rows = Batch("hex:board_size=5", 20, seed=0), np.arange(20)
    agent = PUCT(sims=100, evaluator="playout")
    while (batch.to_move >= 0).any():
        actions = batch.sample()
        mine = np.flatnonzero((batch.to_move >= 0) & (batch.to_move == rows % 2))
        if mine.size:
            actions[mine] = agent.act(batch.view(mine))
        going = np.flatnonzero(batch.to_move >= 0)
        batch.step(actions[going], going)
    assert (batch.states["winner"] == rows % 2).all()


@pytest.mark.parametrize("game", ["mahjong", toy.SPEC], ids=["mahjong", "toy"])
def test_games_that_do_not_fit_are_refused(game: Any) -> None:
    with pytest.raises(BoyiError, match=r"puct cannot search \w+: that takes two seats, zero sum and nothing hidden"):
        PUCT().fit(find(game))


def test_an_evaluation_that_is_missing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "has", lambda self, part: part != "evaluate")
    game = find("hex:board_size=3")
    with pytest.raises(BoyiError, match="puct has no evaluation of the positions of hex:board_size=3"):
        PUCT(evaluator="evaluate").fit(game)
    assert Batch(game, 1, seed=0).mask[0, PUCT(sims=5).act(Batch(game, 1, seed=0).view())[0]]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"sims": 1}, "puct: sims must be a whole number from 2"),
        ({"c": -1.0}, "c must be a number from 0.0"),
        ({"backup": "all"}, "backup must be one of leaf, children"),
        ({"evaluator": "network"}, "evaluator must be one of auto, evaluate, playout, or az:NAME"),
        ({"noise": "some"}, "noise must be one of none, published, root"),
        ({"chance": "mean"}, "chance must be one of sample, expected"),
        ({"simulations": 5}, "unknown parameter of puct 'simulations': did you mean 'sims'"),
    ],
)
def test_bad_parameters_are_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        PUCT(**values)
