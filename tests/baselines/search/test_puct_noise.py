"""How `puct` turns visits into a move: temperature, and noise as published and as in AlphaZero's practice.

The same position in many games is searched alike where nothing is drawn, so that the moves are draws from one law.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tree_searches import hashed_evaluation

from boyi.baselines.search.evaluators import Handmade
from boyi.baselines.search.puct import PUCT, Searched, shares
from boyi.envs import Batch

GAMES = 1500
GAME = "hex:board_size=3"


@cache
def played(**values: Any) -> tuple[np.ndarray, Searched, PUCT]:
    """Decide once in many games, all at the same position."""
    batch = Batch(GAME, GAMES, seed=0)
    agent = PUCT(evaluator=Handmade(batch.game, hashed_evaluation()), sims=40, c=2.0, nodes=400, **values)
    return *agent.play(batch.view()), agent


@cache
def visits() -> np.ndarray:
    """Search without noise."""
    _, found, _ = played()
    assert (found.visits == found.visits[0]).all()
    assert np.sort(found.visits[0])[-1] > np.sort(found.visits[0])[-2] > 0
    return found.visits[0]


def close(actions: np.ndarray, expected: np.ndarray) -> bool:
    """Tell whether the frequencies of actions are within 4.5 standard errors of what is expected, all of them."""
    frequencies = np.bincount(actions, minlength=expected.size) / actions.size
    error = np.sqrt(expected * (1 - expected) / actions.size) + 1e-9
    return bool((np.abs(frequencies - expected) < 4.5 * error + 1 / actions.size).all())


def test_shares_by_hand() -> None:
    assert shares(np.array([4, 2, 0, 2]), 1.0).tolist() == [0.5, 0.25, 0.0, 0.25]
    assert shares(np.array([4, 2, 0, 2]), 0.5).tolist() == pytest.approx([16 / 24, 4 / 24, 0.0, 4 / 24])
    assert shares(np.array([4, 2, 0, 4]), 0.0).tolist() == [0.5, 0.0, 0.0, 0.5]
    assert shares(np.array([10**6, 1]), 0.001).tolist() == [1.0, 0.0]


def test_without_temperature_the_most_visited_is_played() -> None:
    actions, _, _ = played()
    assert (actions == visits().argmax()).all()


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_temperature_draws_by_visits(temperature: float) -> None:
    actions, found, _ = played(temperature=temperature)
    assert (found.visits == visits()).all()
    weights = visits().astype(float) ** (1 / temperature)
    assert close(actions, weights / weights.sum())
    # The bounds are narrow enough to tell this temperature from the others.
    for other in {1.0, 0.5, 2.0} - {temperature}:
        weights = visits().astype(float) ** (1 / other)
        assert not close(actions, weights / weights.sum())


def published(share: float, concentration: float, temperature: float) -> np.ndarray:
    """Find how often each action has the largest of the mixed shares, by draws of its own."""
    rng, n = np.random.default_rng(99), visits().size
    gammas = rng.gamma(concentration, size=(200_000, n))
    eta = gammas / gammas.sum(axis=1, keepdims=True)
    weights = visits().astype(float) ** (1 / temperature)
    mixed = (1 - share) * weights / weights.sum() + share * eta
    return np.bincount(mixed.argmax(axis=1), minlength=n) / len(eta)


@pytest.mark.parametrize(
    ("share", "concentration"), [(0.25, 0.03), (0.25, 0.5), (0.6, 0.5)], ids=["published", "wide", "strong"]
)
def test_published_noise_is_mixed_into_the_shares_and_the_largest_played(share: float, concentration: float) -> None:
    settings = {"noise": "published", "temperature": 1.0, "noise_share": share, "dirichlet": concentration}
    actions, found, _ = played(**settings)
    assert (found.visits == visits()).all()
    expected = published(share, concentration, 1.0)
    assert 0.02 < expected.max() < 0.999
    assert close(actions, expected)
    assert not close(actions, visits() / visits().sum())


def test_published_noise_cannot_change_a_move_at_temperature_0() -> None:
    """A quarter of noise never outweighs three quarters that are all one action's."""
    actions, _, _ = played(noise="published")
    assert (actions == visits().argmax()).all()


def test_noise_at_the_root_is_a_dirichlet_draw_for_every_game() -> None:
    share, concentration = 0.25, 0.3
    _, found, agent = played(noise="root", noise_share=share, dirichlet=concentration)
    n = visits().size
    eta = np.empty((GAMES, n))
    for row in range(GAMES):
        tree = agent.guided.forest.tree(row)
        i = int(tree.child[0])
        while i:
            eta[row, tree.action[i]] = (float(tree.prior[i]) - (1 - share) / n) / share
            below = int(tree.child[i])
            while below:
                assert float(tree.prior[below]) == pytest.approx(1 / (n - 1), rel=1e-5)
                below = int(tree.sibling[below])
            i = int(tree.sibling[i])
    assert eta.min() > -1e-6
    assert eta.sum(axis=1) == pytest.approx(np.ones(GAMES), abs=1e-5)
    # Moments of a symmetric Dirichlet distribution: mean 1 / n, mean square (a + 1) / (n (n a + 1)).
    square = (concentration + 1) / (n * (n * concentration + 1))
    error = np.sqrt((square - n**-2) / GAMES)
    assert np.abs(eta.mean(axis=0) - 1 / n).max() < 4.5 * error
    assert (eta**2).sum(axis=1).mean() == pytest.approx(n * square, rel=0.05)
    # The search follows: what got more of the noise is visited more.
    assert len(np.unique(found.visits, axis=0)) > 100
    assert np.corrcoef(eta.ravel(), found.visits.ravel())[0, 1] > 0.2


def test_noise_at_the_root_draws_by_visits() -> None:
    actions, found, _ = played(noise="root", temperature=1.0, dirichlet=0.3)
    chosen = found.visits[np.arange(GAMES), actions] / found.visits.sum(axis=1)
    expected = (found.visits / found.visits.sum(axis=1, keepdims=True)) ** 2
    assert chosen.mean() == pytest.approx(expected.sum(axis=1).mean(), abs=0.03)
    assert (found.visits[np.arange(GAMES), actions] > 0).all()


def test_noise_falls_on_legal_actions_alone() -> None:
    batch = Batch(GAME, 200, seed=1)
    for _ in range(4):
        batch.step(batch.sample())
    going = np.flatnonzero(batch.to_move >= 0)
    view = batch.view(going)
    for noise in ("published", "root"):
        agent = PUCT(evaluator="playout", sims=10, noise=noise, noise_share=1.0, temperature=1.0, dirichlet=0.5)
        actions = agent.act(batch.view(going))
        assert view.mask[np.arange(going.size), actions].all()
        assert len(set(actions.tolist())) > 5
