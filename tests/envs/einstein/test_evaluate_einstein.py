"""EinStein's evaluation: kept up to date, the same for both seats and all symmetries, near the exact values."""

import math
import random

import numpy as np
import pytest
from einstein_positions import arranged, by_hand, changes, every_set, exchanged, image, record

from boyi.baselines.search.evaluation import WIN, evaluation
from boyi.baselines.search.exact import Exact, Solver
from boyi.envs import Game, find
from boyi.envs.einstein.evaluate import RUNNING
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import CHANCE, evaluate, follow, survey, transposition

pytestmark = pytest.mark.kernels


def surveyed(states, e, out, hashes):
    """Survey record i into e[i]; write both seats' evaluations (m, 2) and the hashes (m,)."""
    for i in range(states.shape[0]):
        survey(states[i], e[i])
        for seat in range(2):
            out[i, seat] = evaluate(states[i], e[i], seat)
        hashes[i] = transposition(states[i], e[i])


def followed(before, states, e, actions):
    """Bring e[i] up to date: action or outcome actions[i] led from before[i] to states[i]."""
    for i in range(states.shape[0]):
        follow(before[i], states[i], e[i], actions[i])


def values(game: Game, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Evaluate records for both seats (m, 2); also return their notes and hashes."""
    found = evaluation(game, "test")
    e, out = np.repeat(found.notes, len(states)), np.zeros((len(states), 2), np.int64)
    hashes = np.zeros(len(states), np.uint64)
    bind(surveyed, game, **found.kernels)(states, e, out, hashes)
    return out, e, hashes


def equal(game: Game, some: np.ndarray, other: np.ndarray) -> bool:
    return all(np.array_equal(some[field], other[field]) for field in evaluation(game, "test").notes.dtype.names or ())


@every_set
def test_following_is_surveying(game: Game) -> None:
    """After every roll and every action of random games, ended ones left out, the notes are those of a new survey."""
    found = evaluation(game, "test")
    run, batch, rng = bind(followed, game, **found.kernels), by_hand(game, 40, seed=2), np.random.default_rng(0)
    e = values(game, batch.states)[1]
    while (live := np.flatnonzero(batch.to_move >= CHANCE)).size:
        before, actions = batch.states, np.zeros(40, np.int64)
        rolls = before["to_move"] == CHANCE
        actions[rolls] = rng.integers(game.params["stones"], size=rolls.sum())
        decides = np.flatnonzero(before["to_move"] >= 0)
        actions[decides] = batch.sample()[decides]
        batch.resolve(actions[rolls], np.flatnonzero(rolls))
        if decides.size:
            batch.step(actions[decides], decides)
        live = np.flatnonzero(batch.to_move >= CHANCE)
        after, kept = batch.states[live], e[live].copy()
        run(before[live], after, kept, actions[live])
        assert equal(game, kept, values(game, after)[1])
        e[live] = kept


@every_set
def test_symmetric_positions_are_worth_the_same(game: Game) -> None:
    """§12: mirrored, renumbered and turned half around; what one seat gains the other loses; nothing is worth a win."""
    rng = random.Random(5)
    for k in range(60):
        here = arranged(game, rng)
        if k % 2:
            here.die = None
        there = here.copy()
        there.set_up(exchanged(here.stones, here), 1 - here.turn, here.die)
        found = values(game, np.concatenate([record(game, image(here, change)) for change in changes(game)]))[0]
        assert (found == found[0]).all()
        assert (found.sum(1) == 0).all()
        assert values(game, record(game, there))[0][0].tolist() == found[0, ::-1].tolist()
        assert np.abs(found).max() < WIN


@every_set
def test_rolls_that_move_the_same_stones_are_one(game: Game) -> None:
    """The hash tells positions apart by the stones that can move, and so does the value."""
    rng = random.Random(6)
    for _ in range(40):
        oracle, seen = arranged(game, rng), {}
        states = []
        for die in range(1, oracle.k + 1):
            oracle.die = die
            states.append(record(game, oracle))
            seen.setdefault(frozenset(oracle.legal()), []).append(die - 1)
        found, _, hashes = values(game, np.concatenate(states))
        for alike in seen.values():
            assert len(set(hashes[alike].tolist())) == 1
            assert len(set(found[alike, 0].tolist())) == 1
        assert len(set(hashes.tolist())) == len(seen)


def test_the_race_is_binomial() -> None:
    """How likely a stone that two of six faces move is not home after so many turns, three steps from it."""
    for turns in range(1, 9):
        late = sum(math.comb(turns, n) * (1 / 3) ** n * (2 / 3) ** (turns - n) for n in range(min(turns, 2) + 1))
        assert RUNNING[6, 2, 3, turns - 1] == pytest.approx(late, abs=1e-6)
    assert (RUNNING[6, 2, 0] == 0).all()


@pytest.mark.parametrize(("die", "least"), [(None, 0.83), (3, 0.83)])
def test_positions_of_few_stones_are_valued_nearly_right(die: int | None, least: float) -> None:
    """Expected returns of two stones a side at most, before the roll and after it, against the solver's."""
    rng, game = random.Random(7), find("einstein")
    solver, states, exact = Solver(game), [], []
    while len(states) < 150:
        oracle = arranged(game, rng, most=6)
        if max(len(oracle.numbers(seat)) for seat in (0, 1)) == 2:
            oracle.die = die
            states.append(record(game, oracle))
            exact.append(solver.value(states[-1]))
    promised = np.tanh(values(game, np.concatenate(states))[0][:, 0] / evaluation(game, "test").scale)
    assert np.corrcoef(promised, exact)[0, 1] > least
    assert np.abs(promised - exact).mean() < 0.35


def test_the_greedy_player_of_it_loses_little() -> None:
    """In winning chances, over positions of two stones a side at most: far less than what playing at random does."""
    rng, game, batch = random.Random(8), find("einstein"), by_hand(find("einstein"))
    exact, lost, blind = Exact(), 0.0, 0.0
    step = batch.step
    for _ in range(60):
        oracle = arranged(game, rng, most=5)
        if max(len(oracle.numbers(seat)) for seat in (0, 1)) > 2:
            continue
        batch.states = record(game, oracle)
        worth, seat, values_of = exact.worth(batch.view()), oracle.turn, {}
        for a in np.flatnonzero(batch.mask[0]):
            batch.states = record(game, oracle)
            step(np.array([a]))
            over = batch.to_move[0] < CHANCE
            values_of[int(a)] = WIN if over else int(values(game, batch.states)[0][0, seat])
        best = np.nanmax(worth)
        lost += best - worth[max(values_of, key=values_of.__getitem__)]
        blind += best - np.nanmean(worth)
    assert lost < 0.5 * blind
