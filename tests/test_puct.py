"""Guided search: as a slow reference of both published rules, exact on tiny boards, awake, the same in any batch."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import toy
from test_mcts import TACTICS, position, wins

from boyi.baselines.evaluation import Evaluation
from boyi.baselines.evaluators import Handmade
from boyi.baselines.exact import Exact
from boyi.baselines.puct import PUCT, Searched
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.bind import bind
from boyi.envs.kernels import chance_rows, hash_rows, mask_rows, pick, resolve_rows, score, step_one
from boyi.envs.protocol import CHANCE, OVER, key
from boyi.envs.rng import hash64

MODES = [{"backup": backup, "chance": chance} for backup in ("leaf", "children") for chance in ("sample", "expected")]


def mode_name(mode: dict[str, str]) -> str:
    return " ".join(mode.values())


class Hashed:
    """Priors and values without sense, but of every position its own, from the hash of the position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def _noise(self, states: np.ndarray, purpose: int) -> np.ndarray:
        keys = np.empty(states.size, np.uint64)
        bind(hash_rows, self.game)(states, keys)
        return np.array([hash64(np.uint64(int(k) ^ purpose)) / 2.0**64 for k in keys])

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        priors = np.array([self._noise(states, 1000 + a) for a in range(self.game.actions)]).T
        return priors.astype(np.float32), self.values(states, seats)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        values = 1.8 * self._noise(states, 1) - 0.9
        return np.where(np.asarray(seats) == 0, values, -values).astype(np.float32)


class Node:
    """A node of the reference: `side` is the seat that `value` speaks for."""

    def __init__(self, state: np.ndarray, side: int, value: float | None = None, prior: float = 0.0) -> None:
        self.state, self.side, self.prior = state, side, prior
        self.visits, self.value, self.own = 0, value, 0.0
        self.children: dict[int, Node] = {}

    def value_for(self, seat: int, fpu: float) -> float:
        value = fpu if self.value is None else self.value
        return value if seat == self.side or self.value is None else -value


class Reference:
    """Both published rules in plain Python, one object a node."""

    def __init__(self, game: Game, c: float, fpu: float, backup: str, chance: str) -> None:
        self.game, self.c, self.fpu = game, c, fpu
        self.children_valued, self.averaged = backup == "children", chance == "expected"
        self.judge = Hashed(game)

    def node(self, state: np.ndarray, mover: int, *, valued: bool, prior: float) -> Node:
        to_move = int(state["to_move"][0])
        side = to_move if to_move >= 0 else mover
        if to_move <= OVER:
            r = np.zeros(2, np.float32)
            bind(score, self.game)(state, r)
            return Node(state, side, float(r[side]) if valued else None, prior)
        return Node(state, side, float(self.judge.values(state, np.array([side]))[0]) if valued else None, prior)

    def after(self, state: np.ndarray, a: int) -> np.ndarray:
        state = state.copy()
        bind(step_one, self.game)(state, a)
        return state

    def odds(self, state: np.ndarray) -> np.ndarray:
        p = np.zeros((1, self.game.chance_outcomes))
        bind(chance_rows, self.game)(state, np.arange(1), p)
        return p[0]

    def resolved(self, state: np.ndarray, o: int) -> np.ndarray:
        state = state.copy()
        masks = np.zeros((1, self.game.actions), np.int8)
        flags = np.zeros(1, bool)
        r = np.zeros((1, 2), np.float32)
        bind(resolve_rows, self.game)(state, np.arange(1), np.array([o]), masks, r, flags, flags.copy())
        return state

    def simulate(self, root: Node, rng: np.ndarray) -> None:
        path = [root]
        while True:
            node = path[-1]
            to_move = int(node.state["to_move"][0])
            if to_move == CHANCE:
                p = self.odds(node.state)
                if self.averaged and not node.children:
                    for o in np.flatnonzero(p):
                        new = self.resolved(node.state, o)
                        node.children[int(o)] = self.node(new, 0, valued=True, prior=float(p[o]))
                o = int(pick(p, p.size, rng))
                if o not in node.children:
                    node.children[o] = self.node(self.resolved(node.state, o), 0, valued=False, prior=0.0)
                path.append(node.children[o])
            elif to_move >= 0 and node.children:
                path.append(max(node.children.values(), key=lambda child: self.bound(node, child, to_move)))
            else:
                break
        leaf = path[-1]
        value = leaf.own = self.expand(leaf)
        side = leaf.side
        for node in reversed(path):
            if self.averaged:
                self.recompute(node)
            else:
                mine = value if node.side == side else -value
                old = node.value if node.value is not None and node.visits else 0.0
                node.value = (old * node.visits + mine) / (node.visits + 1)
            node.visits += 1

    def recompute(self, node: Node) -> None:
        """Average the dice below a chance node; for others the first value counts once, moves by their visits."""
        children = node.children.values()
        if int(node.state["to_move"][0]) == CHANCE:
            node.value = sum(child.prior * child.value_for(node.side, 0.0) for child in children)
        elif node.children:
            total = node.own + sum(child.visits * child.value_for(node.side, 0.0) for child in children)
            node.value = total / (1 + sum(child.visits for child in children))
        else:
            node.value = node.own

    def bound(self, parent: Node, child: Node, seat: int) -> float:
        q = child.value_for(seat, self.fpu)
        return q + self.c * child.prior * np.sqrt(parent.visits) / (1 + child.visits)

    def expand(self, leaf: Node) -> float:
        to_move = int(leaf.state["to_move"][0])
        if to_move <= OVER:
            r = np.zeros(2, np.float32)
            bind(score, self.game)(leaf.state, r)
            return float(r[leaf.side])
        priors, values = self.judge.evaluate(leaf.state, np.array([to_move]))
        mask = np.zeros((1, self.game.actions), np.int8)
        bind(mask_rows, self.game)(0, 1, leaf.state, np.arange(1), mask)
        legal = np.flatnonzero(mask[0])
        weight = float(priors[0, legal].astype(np.float64).sum())
        for a in legal:
            new, prior = self.after(leaf.state, int(a)), float(priors[0, a]) / weight
            leaf.children[int(a)] = self.node(new, to_move, valued=self.children_valued, prior=prior)
        return float(values[0])


def late(name: str, plies: int, seed: int = 0) -> Batch:
    """Play at random for so many plies."""
    batch = Batch(name, 1, seed=seed)
    for _ in range(plies):
        batch.step(batch.sample())
    assert batch.to_move[0] >= 0
    return batch


@pytest.mark.parametrize("mode", MODES, ids=mode_name)
@pytest.mark.parametrize(
    ("name", "plies"),
    [("hex:board_size=3", 0), ("hex:board_size=3", 3), ("einstein:board_size=3,stones=2", 0), ("jiu:board_size=6", 40)],
)
def test_both_rules_agree_with_a_slow_reference(name: str, plies: int, mode: dict[str, str]) -> None:
    """In Jiu the same seat moves again: every position here is in the middle of the battle."""
    batch = late(name, plies)
    game, view = batch.game, batch.view()
    c, fpu, sims = 2.0, -0.3, 120
    reference, rng = Reference(game, c, fpu, **mode), view.rng[0].copy()
    root = reference.node(view.states.copy(), 0, valued=False, prior=1.0)
    for _ in range(sims):
        reference.simulate(root, rng)
    found = PUCT(evaluator=Hashed(game), sims=sims, c=c, fpu=fpu, **mode).search(view)
    visits = {a: child.visits for a, child in root.children.items()}
    assert {a: int(found.visits[0, a]) for a in visits} == visits
    assert sum(visits.values()) == found.visits.sum() == sims - 1
    assert found.value[0] == pytest.approx(root.value, abs=1e-5)
    for a, child in root.children.items():
        worth = child.value_for(root.side, 0.0) if child.visits else np.nan
        assert found.worth[0, a] == pytest.approx(worth, abs=1e-5, nan_ok=True)


def test_the_reference_meets_a_seat_that_moves_again() -> None:
    batch, again = late("jiu:board_size=6", 40), 0
    view = batch.view()
    for a in np.flatnonzero(view.mask[0]):
        after = view.states.copy()
        bind(step_one, batch.game)(after, int(a))
        again += after["to_move"][0] == view.seat[0]
    assert again > 0


# The two ways to be judged


def nothing(s, e):
    """Keep no notes."""


def by_hash(s, e, seat):
    """Value a position by its hash."""
    value = np.int64(hash64(key(s)) >> np.uint64(44)) - 524_288
    return value if seat == 0 else -value


@cache
def hashed_evaluation() -> Evaluation:
    return Evaluation(np.zeros(1, np.dtype([("none", "i1")])), {"survey": nothing, "evaluate": by_hash}, 300_000.0)


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
        PUCT(sims=1500, evaluator="playout", c=1.0, backup=backup, reuse=False) for backup in ("leaf", "children")
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
    view = position(2, []).view()
    found = PUCT(sims=5000, evaluator="playout", backup=backup, c=1.0).search(view)
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
        tree = agent.forest.tree(agent.forest.memories[0].slot)
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
        tree = agent.forest.tree(agent.forest.memories[row].slot)
        i = next(i for i in children(tree, 0) if tree.action[i] == actions[row])
        kept.append({int(tree.action[j]): int(tree.visits[j]) for j in children(tree, i)})
    answers = [max(replies, key=replies.__getitem__) for replies in kept]
    batch.step(answers)
    found, alone = agent.search(batch.view()), fresh.search(batch.view())
    for row in range(3):
        # One visit of the 400 and of those kept opened the root.
        assert found.visits[row].sum() == 400 + kept[row][answers[row]] - 1 > 402
        assert alone.visits[row].sum() == 399
        tree = agent.forest.tree(agent.forest.memories[row].slot)
        for node in range(int(tree.size[0])):
            below = children(tree, node)
            assert not below or sum(int(tree.visits[i]) for i in below) == tree.visits[node] - 1
            assert not below or sum(float(tree.prior[i]) for i in below) == pytest.approx(1.0, abs=1e-5)


def children(tree: Any, node: int) -> list[int]:
    found, i = [], int(tree.child[node])
    while i:
        found.append(i)
        i = int(tree.sibling[i])
    return found


def test_a_kept_tree_is_of_this_game_alone() -> None:
    agent = PUCT(sims=50, evaluator="playout")
    batch = Batch("hex:board_size=3", 1, seed=0)
    batch.step(agent.act(batch.view()))
    batch.step(batch.sample())
    view = batch.view()
    agent.act(view._replace(episode=view.episode + 1))
    tree = agent.forest.tree(agent.forest.memories[0].slot)
    assert tree.visits[0] == 50


# Limits


def test_a_full_tree_goes_on_without_growing() -> None:
    for name, mode in (("hex:board_size=5", MODES[0]), ("einstein", MODES[0]), ("einstein", MODES[3])):
        batch = Batch(name, 2, seed=0)
        agent = PUCT(sims=600, nodes=40, evaluator="playout", **mode)
        actions, found = agent.play(batch.view())
        assert batch.mask[np.arange(2), actions].all()
        assert (found.visits.sum(axis=1) == 599).all()
        assert (agent.forest.trees.size <= 40).all()
        assert agent.forest.trees.size.max() > 20


def test_the_smallest_tree_holds_the_moves() -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    actions = PUCT(sims=2, nodes=1, evaluator="playout").act(batch.view())
    assert batch.mask[0, actions[0]]


def test_memory_is_25_bytes_a_node() -> None:
    agent = PUCT(sims=100, nodes=50_000, evaluator="playout")
    agent.act(Batch("hex:board_size=5", 4, seed=0).view())
    assert agent.forest.nbytes < (5 * 25 + 4) * 50_000 + 100


def test_it_can_be_limited_by_time() -> None:
    batch = Batch("hex:board_size=5", 2, seed=0)
    PUCT(sims=2, evaluator="playout").act(batch.view())
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
        ({"evaluator": "network"}, "evaluator must be one of auto, evaluate, playout"),
        ({"noise": "some"}, "noise must be one of none, published, root"),
        ({"chance": "mean"}, "chance must be one of sample, expected"),
        ({"simulations": 5}, "unknown parameter of puct 'simulations': did you mean 'sims'"),
    ],
)
def test_bad_parameters_are_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        PUCT(**values)
