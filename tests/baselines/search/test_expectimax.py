"""Expectimax with star pruning: against brute force and the exact solver, what it saves, tactics, limits, refusals."""

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import strip
import toy
from clock import Clock
from einstein_oracle import Cell, EinStein
from einstein_positions import every_set, record

from boyi.baselines.search.evaluation import evaluation
from boyi.baselines.search.exact import Exact
from boyi.baselines.search.expectimax import StarSearch
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import score, step_one
from boyi.envs.engine.protocol import CHANCE, chance, evaluate, key, legal, resolve, survey
from boyi.envs.engine.view import View

pytestmark = pytest.mark.kernels

SMALL = "einstein:board_size=3,stones=2"

Stones = dict[int, Cell]


def static_value(states, e, seat):
    """Evaluate game 0."""
    survey(states[0], e[0])
    return evaluate(states[0], e[0], seat)


def roll(states, o):
    """Apply an outcome in game 0."""
    resolve(states[0], o)


def odds(states, p):
    """Write the outcomes' probabilities of game 0."""
    return chance(states[0], p)


def marks(states, mask):
    """Write the mask of game 0."""
    return legal(states[0], mask)


def hashed(states):
    """Hash game 0."""
    return key(states[0])


class BruteForce:
    """Plain expectimax, recursion without windows: seat 0's expected returns."""

    def __init__(self, game: Game) -> None:
        found = evaluation(game, "brute force")
        self.game, self.notes, self.scale = game, found.notes, found.scale
        self.known: dict[tuple[int, int], float] = {}
        self.kernels = {f.__name__: bind(f, game, **found.kernels) for f in (static_value, roll, odds, marks, hashed)}
        self.step, self.score = bind(step_one, game), bind(score, game)

    def after(self, states: np.ndarray, a: int) -> np.ndarray:
        new = states.copy()
        self.step(new, a)
        return new

    def value(self, states: np.ndarray, depth: int) -> float:
        """Value a record, shape (1,), with `depth` decisions to go."""
        at = int(self.kernels["hashed"](states)), depth
        if at not in self.known:
            self.known[at] = self._value(states, depth)
        return self.known[at]

    def _value(self, states: np.ndarray, depth: int) -> float:
        game, mover = self.game, int(states["to_move"][0])
        if mover < CHANCE:
            r = np.zeros(2, np.float32)
            self.score(states, r)
            return float(r[0])
        if depth == 0:
            reach = (game.high - game.low) / 2
            return reach * math.tanh(self.kernels["static_value"](states, self.notes, 0) / self.scale)
        if mover == CHANCE:
            p = np.zeros(game.chance_outcomes)
            total = 0.0
            for o in range(self.kernels["odds"](states, p)):
                new = states.copy()
                self.kernels["roll"](new, o)
                total += p[o] * self.value(new, depth) if p[o] else 0.0
            return total
        mask = np.zeros(game.actions, np.int8)
        self.kernels["marks"](states, mask)
        values = [self.value(self.after(states, a), depth - 1) for a in np.flatnonzero(mask)]
        return max(values) if mover == 0 else min(values)


@cache
def brute_force(game: Game) -> BruteForce:
    return BruteForce(game)


def decisions(game: Game, many: int, seed: int, *, after: int = 0) -> View:
    """Draw decisions with a choice from games played at random."""
    found, batch = [], Batch(game, 50, seed, encoder=None)
    while sum(view.row.size for view in found) < 6 * many:
        live = np.flatnonzero((batch.to_move >= 0) & (batch.mask.sum(1) > 1) & (batch.states["ply"] >= after))
        found.append(batch.view(live))
        live = np.flatnonzero(batch.to_move >= 0)
        if not live.size:
            seed += 50
            batch = Batch(game, 50, seed, encoder=None)
        batch.step(batch.sample()[live], live)
    which = np.random.default_rng(seed)
    states = np.concatenate([view.states for view in found])
    return shown(game, states[which.choice(len(states), many, replace=False)])


def shown(game: Game, states: np.ndarray) -> View:
    """Show records in which somebody decides."""
    batch = Batch(game, len(states), seed=0, encoder=None)
    batch.states = states
    return batch.view()


CASES = [
    (SMALL, 4, 12),
    pytest.param("einstein:board_size=3,stones=3", 3, 12, marks=pytest.mark.slow),
    pytest.param("einstein:board_size=3,stones=3,substitution=nearest", 4, 3, marks=pytest.mark.slow),
    pytest.param("einstein", 2, 10, marks=pytest.mark.slow),
    pytest.param("einstein", 3, 3, marks=pytest.mark.slow),
    (strip.SPEC, 6, 12),
]


@pytest.mark.parametrize(("name", "deepest", "many"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_values_agree_with_brute_force(name: Any, deepest: int, many: int) -> None:
    """The value and the best action at every depth; what is said of the other actions bounds them."""
    game = find(name)
    plain, view = brute_force(game), decisions(game, many, seed=3)
    for depth in range(1, deepest + 1):
        searches = [StarSearch(game, depth, pruning=pruning) for pruning in range(3)]
        for k in range(many):
            sign = 1.0 if view.seat[k] == 0 else -1.0
            states = view.states[k : k + 1]
            worth = np.full(game.actions, np.nan)
            for a in np.flatnonzero(view.mask[k]):
                worth[a] = sign * plain.value(plain.after(states, a), depth - 1)
            for pruning, search in enumerate(searches):
                chosen = search.decide(view, k)
                assert search.value == pytest.approx(np.nanmax(worth), abs=1e-9)
                assert worth[chosen] == pytest.approx(search.value, abs=1e-9)
                if search.reached == depth:
                    said = ~np.isnan(search.worth)
                    assert (search.worth[said] > worth[said] - 1e-9).all()
                if pruning == 0 and search.reached == depth:
                    assert search.worth == pytest.approx(worth, abs=1e-9, nan_ok=True)


def test_to_the_end_it_agrees_with_the_exact_solver() -> None:
    """And it needs to evaluate nothing."""
    game = find(SMALL)
    exact, search, view = Exact(), StarSearch(game, 100), decisions(game, 30, seed=5)
    for k in range(30):
        worth = exact.worth(view, k)
        assert worth[search.decide(view, k)] == pytest.approx(np.nanmax(worth), abs=1e-9)
        assert search.value == pytest.approx(np.nanmax(worth), abs=1e-9)
        assert search.reached < game.longest


def test_values_tend_to_the_exact_ones() -> None:
    game = find(SMALL)
    exact, view = Exact(), decisions(game, 40, seed=6)
    values = [np.nanmax(exact.worth(view, k)) for k in range(40)]
    errors = []
    for depth in (1, 3, 6):
        search = StarSearch(game, depth)
        found = [(search.decide(view, k), search.value)[1] for k in range(40)]
        errors.append(np.abs(np.subtract(found, values)).mean())
    assert all(later < earlier / 1.4 for earlier, later in pairwise(errors)), errors


@pytest.mark.parametrize(
    ("name", "depth", "left"), [(SMALL, 6, 1.0), pytest.param("einstein", 3, 0.85, marks=pytest.mark.slow)]
)
def test_pruning_saves_positions(name: str, depth: int, left: float) -> None:
    """Looking for a good answer before a roll saves much only where the die has many faces."""
    game, met = find(name), []
    view = decisions(game, 20, seed=7)
    for pruning in range(3):
        search = StarSearch(game, depth, pruning=pruning)
        met.append(sum((search.decide(view, k), search.nodes_met)[1] for k in range(20)))
    assert met[1] < 0.85 * met[0]
    assert met[2] < left * met[1]


def test_counts_repeat() -> None:
    """Whatever else was searched before, with and without a limit of positions."""
    game = find(SMALL)
    view = decisions(game, 8, seed=8)
    for nodes in (0, 50):
        search, told = StarSearch(game, 5, nodes), []
        for k in [*range(8), *reversed(range(8))]:
            told.append((search.decide(view, k), search.value, search.nodes_met, search.reached))
        assert told[:8] == told[:7:-1]
        assert not nodes or max(met for _, _, met, _ in told) < nodes + 3 * game.actions
    assert {reached for *_, reached in told} >= {2}


def test_the_first_action_of_a_depth_counts_once_it_is_searched() -> None:
    """A search that is cut short keeps what it knows, and answers lawfully even if that is nothing."""
    game = find(SMALL)
    view = decisions(game, 5, seed=9)
    for nodes in (1, 2, 5, 20, 100, 1000):
        search = StarSearch(game, 10, nodes)
        for k in range(5):
            assert view.mask[k, search.decide(view, k)]
            assert search.reached < 10


# Who moves, the die, both seats' stones, the depth, and the actions that are best.
SMALL_TACTICS: list[tuple[str, int, int, Stones, Stones, int, set[str]]] = [
    ("a step into the corner", 0, 2, {1: (0, 0), 2: (1, 1)}, {1: (0, 1), 2: (2, 0)}, 1, {"2-diag"}),
    ("the other seat's", 1, 1, {1: (1, 2), 2: (2, 0)}, {1: (1, 1), 2: (0, 2)}, 1, {"1-diag"}),
    ("the last stone captured", 0, 1, {1: (0, 1), 2: (0, 0)}, {2: (1, 1)}, 1, {"1-down"}),
    ("the runner captured", 0, 1, {1: (0, 0), 2: (2, 0)}, {1: (0, 1), 2: (2, 2)}, 2, {"1-right"}),
    ("and by the other seat", 1, 2, {1: (0, 0), 2: (1, 2)}, {1: (0, 2), 2: (2, 2)}, 2, {"2-up"}),
    # Seat 1's only stone is home whatever it rolls: seat 0 must take it now.
    ("no time to run", 0, 2, {1: (0, 0)}, {2: (0, 1)}, 2, {"1-right"}),
]

# The same on the standard board.
TACTICS: list[tuple[str, int, int, Stones, Stones, int, set[str]]] = [
    ("a step into the corner", 0, 2, {2: (3, 4), 5: (1, 1)}, {1: (2, 2), 3: (4, 3)}, 1, {"2-down"}),
    ("the other seat's", 1, 6, {2: (3, 3), 5: (1, 3)}, {1: (2, 2), 6: (1, 1), 5: (0, 3)}, 1, {"6-diag"}),
    ("the last stone captured", 0, 1, {1: (1, 1), 4: (0, 3)}, {3: (2, 2)}, 1, {"1-diag"}),
    ("the runner captured", 0, 3, {3: (0, 0), 5: (2, 0)}, {1: (1, 1), 6: (4, 4)}, 2, {"3-diag"}),
    ("and by the other seat", 1, 3, {1: (3, 3), 6: (0, 0)}, {3: (4, 4), 5: (2, 4)}, 2, {"3-diag"}),
    # Seat 1's only stone is home whatever it rolls: seat 0 must take it now, with the stone that can.
    ("no time to run", 0, 2, {1: (3, 2), 4: (0, 1)}, {5: (1, 1)}, 2, {"4-down"}),
]


@pytest.mark.parametrize(
    ("name", "seat", "die", "own", "other", "depth", "best"),
    [
        *((SMALL, *tactic[1:]) for tactic in SMALL_TACTICS),
        *(pytest.param("einstein", *tactic[1:], marks=pytest.mark.slow) for tactic in TACTICS),
    ],
    ids=lambda v: "",
)
def test_planted_tactics(
    name: str, seat: int, die: int, own: Stones, other: Stones, depth: int, best: set[str]
) -> None:
    game = find(name)
    oracle = EinStein(**game.params)
    oracle.set_up({(s, i): cell for s, stones in enumerate((own, other)) for i, cell in stones.items()}, seat, die)
    view = shown(game, record(game, oracle))
    for deeper in (depth, depth + 1, depth + 2):
        chosen = StarSearch(game, deeper).decide(view)
        assert game.module("text").name(view.states[0], chosen) in best


@pytest.mark.slow
@every_set
def test_it_plays_lawfully_and_well(game: Game) -> None:
    """Twenty games against random play: on boards with a choice it wins most."""
    search, batch = StarSearch(game, 2), Batch(game, 20, seed=2, encoder=None)
    searcher = np.arange(20) % 2
    while (live := np.flatnonzero(batch.to_move >= 0)).size:
        actions, view = batch.sample()[live], batch.view(live)
        for k in np.flatnonzero(view.seat == searcher[live]):
            actions[k] = search.decide(view, int(k))
        batch.step(actions, live)
    wins = int((batch.states["winner"] == searcher).sum())
    assert wins >= (15 if game.params["board_size"] > 3 else 0)


def test_it_can_be_limited_by_time(clock: Clock) -> None:
    clock.tick = 0.01
    game = find(SMALL)
    view = decisions(game, 1, seed=11)
    met = []
    for seconds in (0.02, 0.3):
        search = StarSearch(game, 60, seconds=seconds)
        search.decide(view)
        met.append(search.nodes_met)
    assert 0 < met[0] < met[1]


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    game = find("einstein")
    search = StarSearch(game, 60, nodes=1_000_000)
    before = search.nbytes
    search.decide(decisions(game, 1, seed=12))
    assert search.nodes_met >= 1_000_000
    assert search.nbytes == before < 4_000_000


def test_a_forced_action_is_not_thought_about() -> None:
    game = find(SMALL)
    oracle = EinStein(**game.params)
    oracle.set_up({(0, 1): (2, 0), (1, 1): (1, 2), (1, 2): (0, 2)}, 0, 2)
    search = StarSearch(game, 20, seconds=60.0)
    assert search.decide(shown(game, record(game, oracle))) == 0
    assert search.reached == 1


@pytest.mark.parametrize(
    "game", ["hex", "gomoku", "jiu", "mahjong", toy.SPEC], ids=lambda game: getattr(game, "name", game)
)
def test_games_that_do_not_fit_are_refused(game: Any) -> None:
    with pytest.raises(BoyiError, match="takes two seats, zero sum, dice and nothing hidden"):
        StarSearch(find(game), 2)
