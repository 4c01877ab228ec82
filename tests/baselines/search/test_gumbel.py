"""Gumbel's search at the root does as plain Python of the paper's algorithm does, and improves on the prior."""

import math

import numpy as np
import pytest
from clock import Clock
from test_puct_reference import Node, Reference, late
from tree_searches import Hashed

from boyi.baselines.search.guided import GuidedSearch, Noise, Searched, Settings
from boyi.baselines.search.gumbel import completed, improved, visiting_order
from boyi.baselines.search.puct import PUCT
from boyi.baselines.search.puct_kernels import Halving
from boyi.envs import Batch, BoyiError

pytestmark = pytest.mark.kernels

C_VISIT, C_SCALE = 50.0, 1.0


class GumbelReference(Reference):
    """Sequential halving over sets of moves, as the paper's algorithm 2 says it; below the root PUCT."""

    def forced(self, root: Node, a: int, rng: np.ndarray) -> None:
        """Run one simulation that begins with a move."""
        kept, root.children = root.children, {a: root.children[a]}
        self.simulate(root, rng)
        root.children = kept

    def sigma(self, root: Node, q: float) -> float:
        most = max(child.visits for child in root.children.values())
        return (C_VISIT + most) * C_SCALE * (1 + q) / 2

    def halve(self, root: Node, gumbels: np.ndarray, considered: int, sims: int, rng: np.ndarray) -> int:
        def score(a: int) -> float:
            child = root.children[a]
            found = gumbels[a] + math.log(child.prior)
            return found + (self.sigma(root, child.value_for(root.side, 0.0)) if child.visits else 0.0)

        moves = sorted(root.children, key=score, reverse=True)[:considered]
        rounds, spent = max(1, math.ceil(math.log2(len(moves)))), 0
        while True:
            for _ in range(max(1, sims // (rounds * len(moves)))):
                for a in sorted(moves, key=score, reverse=True):
                    if spent == sims:
                        most = max(child.visits for child in root.children.values())
                        return max((a for a in moves if root.children[a].visits == most), key=score)
                    self.forced(root, a, rng)
                    spent += 1
            keep = max(min(2, len(moves)), len(moves) // 2)
            moves = sorted(moves, key=score, reverse=True)[:keep]


@pytest.mark.parametrize(
    ("name", "plies"), [("hex:board_size=3", 0), ("hex:board_size=3", 4), ("einstein:board_size=3,stones=2", 0)]
)
@pytest.mark.parametrize(("considered", "sims"), [(4, 16), (4, 40), (8, 24), (8, 48), (3, 30), (16, 64), (1, 5)])
def test_halving_agrees_with_a_slow_reference(name: str, plies: int, considered: int, sims: int) -> None:
    batch = late(name, plies)
    game, view = batch.game, batch.view()
    gumbels = np.random.default_rng(sims + considered).gumbel(size=(1, game.actions))
    reference, rng = Reference, view.rng[0].copy()
    reference = GumbelReference(game, 1.5, 0.0, "leaf", "sample")
    root = reference.node(view.states.copy(), 0, valued=False, prior=1.0)
    reference.simulate(root, rng)
    legal = int(view.mask.sum())
    played = reference.halve(root, gumbels[0], min(considered, legal), sims, rng)
    search = GuidedSearch(game, Hashed(game), Settings(c=1.5, considered=considered), sims + 1)
    found = search.search(view, sims + 1, noise=Noise(np.zeros(1), gumbels))
    assert {a: int(found.visits[0, a]) for a in root.children} == {a: c.visits for a, c in root.children.items()}
    assert found.visits.sum() == sims
    assert found.action[0] == played
    # The improved policy, by its formula and one move after the other.
    priors = {a: child.prior for a, child in root.children.items()}
    seen = {a: child.value_for(root.side, 0.0) for a, child in root.children.items() if child.visits}
    covered = sum(priors[a] for a in seen)
    mean = sum(priors[a] * seen[a] for a in seen) / covered
    mixed = (root.own + sims * mean) / (1 + sims)
    logits = {a: math.log(priors[a]) + reference.sigma(root, seen.get(a, mixed)) for a in priors}
    weights = {a: math.exp(logit - max(logits.values())) for a, logit in logits.items()}
    for a, weight in weights.items():
        assert found.policy[0, a] == pytest.approx(weight / sum(weights.values()), abs=1e-5)
    assert found.policy[0].sum() == pytest.approx(1.0)
    worth = sum(found.policy[0, a] * seen.get(a, mixed) for a in priors)
    assert found.value[0] == pytest.approx(worth, abs=1e-5)


def test_orders_by_hand() -> None:
    assert visiting_order(1, 4) == (0, 1, 2, 3)
    assert visiting_order(2, 5) == (0, 0, 1, 1, 2)
    assert visiting_order(4, 8) == (0, 0, 0, 0, 1, 1, 2, 2)
    assert visiting_order(4, 16) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    assert visiting_order(16, 5) == (0, 0, 0, 0, 0)


def test_a_completed_value_by_hand() -> None:
    priors = np.array([[0.5, 0.25, 0.25, 0.0]])
    worth, visits = np.array([[0.8, -0.4, np.nan, np.nan]]), np.array([[3, 1, 0, 0]])
    found = completed(priors, worth, visits, np.array([0.2]))
    mean = (0.5 * 0.8 - 0.25 * 0.4) / 0.75
    assert found[0] == pytest.approx([0.8, -0.4, (0.2 + 4 * mean) / 5, (0.2 + 4 * mean) / 5])
    plan = Halving(np.zeros((1, 4), np.int64), np.zeros((1, 4)), 1.0, 0.5)
    policy, value = improved(np.array([[1, 1, 1, 0]]), priors, worth, visits, np.array([0.2]), plan)
    logits = [math.log(p) + 2.0 * (1 + q) / 2 for p, q in zip(priors[0, :3], found[0, :3], strict=True)]
    expected = np.exp(logits) / np.exp(logits).sum()
    assert policy[0] == pytest.approx([*expected, 0.0])
    assert value[0] == pytest.approx(expected @ found[0, :3])


def test_quick_searches_are_spread_by_their_own_number() -> None:
    """Games with budgets of their own are searched as if each were alone."""
    batch = Batch("hex:board_size=3", 4, seed=0)
    view, budgets = batch.view(), np.array([9, 33, 2, 33])
    noise = np.random.default_rng(0).gumbel(size=view.mask.shape)
    for considered in (0, 4):
        settings = Settings(considered=considered)

        def drawn(rows: np.ndarray, considered: int = considered) -> Noise | None:
            return Noise(np.zeros(rows.size), noise[rows]) if considered else None

        search = GuidedSearch(batch.game, Hashed(batch.game), settings, 33)
        found = search.search(view, budgets, noise=drawn(np.arange(4)))
        assert found.visits.sum(axis=1).tolist() == (budgets - 1).tolist()
        for k in range(4):
            single = GuidedSearch(batch.game, Hashed(batch.game), settings, 33)
            own = single.search(view.take(np.array([k])), int(budgets[k]), noise=drawn(np.array([k])))
            assert all(np.array_equal(a[k : k + 1], b, equal_nan=True) for a, b in zip(found, own, strict=True))


def test_noise_draws_moves_by_their_priors_where_values_say_nothing() -> None:
    """Gumbel noise draws from the prior: with one simulation the move played is distributed as the prior is."""

    class Flat(Hashed):
        def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
            return np.zeros(states.size, np.float32)

    games = 3000
    batch = Batch("hex:board_size=3", games, seed=0)
    view, judge = batch.view(), Flat(batch.game)
    priors = judge.evaluate(view.states[:1], view.seat[:1])[0][0]
    gumbels = np.random.default_rng(5).gumbel(size=view.mask.shape)
    search = GuidedSearch(batch.game, judge, Settings(considered=16), 2)
    found: Searched = search.search(view, 2, noise=Noise(np.zeros(games), gumbels))
    shares = np.bincount(found.action, minlength=9) / games
    expected = priors / priors.sum()
    assert np.abs(shares - expected).max() < 4.5 * math.sqrt(0.25 / games)
    assert expected.max() > 1.5 * expected.min()


def test_limited_by_time_the_finalists_go_on(clock: Clock) -> None:
    clock.tick = 0.001
    batch = Batch("hex:board_size=3", 2, seed=0)
    agent = PUCT(root="gumbel", sims=9, seconds=0.02, considered=4, evaluator="playout")
    found = agent.search(batch.view())
    for visits in np.sort(found.visits, axis=1)[:, ::-1]:
        assert visits[0] - visits[1] <= 1 and visits[1] > 4 > visits[2] > 0


def test_noise_of_another_kind_is_refused() -> None:
    with pytest.raises(BoyiError, match="root=gumbel draws noise of its own"):
        PUCT(root="gumbel", noise="root")
