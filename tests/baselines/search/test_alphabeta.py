"""Alpha-beta: the values of brute force, turns of several actions, planted tactics, limits of all kinds."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import gomoku_positions
import numpy as np
import pytest

from boyi.baselines.search import alphabeta
from boyi.baselines.search.alphabeta import AlphaBeta, Workspace
from boyi.baselines.search.evaluation import WIN, Evaluation
from boyi.baselines.search.exact import Solver
from boyi.baselines.search.transpositions import GENERATIONS, value_in, value_out
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import all_candidates, step_one
from boyi.envs.engine.protocol import evaluate, legal, returns, survey, tactics
from boyi.envs.engine.rng import kernel
from boyi.envs.engine.view import View
from boyi.envs.gomoku.evaluate import SURE
from boyi.envs.jiu.constants import LAYOUT, TURN

pytestmark = pytest.mark.kernels

NOTES = np.dtype([("ply", "i8"), ("sum", "i8")], align=True)


@kernel
def worth_of(s, i):
    """A weight of a point that hardly another point has, for seat 0."""
    stone = np.int64(s.board[i])
    return ((np.int64(i) * 7919 + 31) % 97) * (np.int64(stone == 1) - np.int64(stone == 2))


@kernel
def survey_weights(s, e):
    e.ply, e.sum = s.ply, 0
    for i in range(s.board.size):
        e.sum += worth_of(s, i)


@kernel
def follow_weights(before, s, e, a):
    """Wrong unless called once an action with the notes of the position before."""
    e.ply += 1
    for i in range(s.board.size):
        e.sum += worth_of(s, i) - worth_of(before, i)


@kernel
def evaluate_weights(s, e, seat):
    value = e.sum + 1000 * (np.int64(e.ply) - np.int64(s.ply)) + np.int64(s.to_move)
    return value if seat == 0 else -value


@kernel
def every_third(s, e, moves, ranks):
    """Call every third action worth a look, the last first."""
    n = all_candidates(s, e, moves, ranks)
    kept = 0
    for i in range(n):
        if moves[i] % 3 == 0:
            moves[kept], ranks[kept] = moves[i], i
            kept += 1
    return kept


PLAIN = {"survey": survey_weights, "follow": follow_weights, "evaluate": evaluate_weights}
RESTLESS = {**PLAIN, "tactics": every_third}


@pytest.fixture
def weigh(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def choose(kernels: dict[str, Any]) -> None:
        weights = Evaluation(np.zeros(1, NOTES), kernels, 60.0)
        monkeypatch.setattr(alphabeta, "evaluation", lambda game, algorithm, learned: weights)

    choose(PLAIN)
    return choose


def legal_one(states, mask):
    return legal(states[0], mask)


def returns_one(states, r):
    returns(states[0], r)


def evaluate_one(states, notes, seat):
    survey(states[0], notes[0])
    return evaluate(states[0], notes[0], seat)


def tactics_one(states, notes, moves, ranks):
    return tactics(states[0], notes[0], moves, ranks)


class BruteForce:
    """Minimax by recursion, without a thought of saving any of it."""

    def __init__(self, game: Game, kernels: dict[str, Any], quiescence: int = 0) -> None:
        self.game, self.quiescence, self.kernels = game, quiescence, kernels
        self.notes = np.zeros(1, NOTES)

    def actions(self, states: np.ndarray) -> list[int]:
        mask = np.zeros(self.game.actions, np.int8)
        bind(legal_one, self.game)(states, mask)
        return np.flatnonzero(mask).tolist()

    def tactics(self, states: np.ndarray) -> list[int]:
        moves, ranks = np.zeros((2, self.game.actions), np.int32)
        n = bind(tactics_one, self.game, **self.kernels)(states, self.notes, moves, ranks)
        return moves[:n].tolist()

    def value(self, states: np.ndarray, depth: int, level: int = 0, begins: bool = False, seat: int = -1) -> int:
        """Value a position for `seat`: the one to move or, at the end, the one that moved."""
        if states["to_move"][0] < 0:
            r = np.zeros(2, np.float32)
            bind(returns_one, self.game)(states, r)
            return int(r[seat]) * (2 * WIN - level)
        seat = int(states["to_move"][0])
        best, actions = -4 * WIN, self.actions(states)
        if depth <= 0 and begins:
            best, actions = int(bind(evaluate_one, self.game, **self.kernels)(states, self.notes, seat)), []
            if depth > -self.quiescence:
                actions = self.tactics(states)
        elif depth <= 0:
            actions = self.tactics(states) or actions
        for a in actions:
            best = max(best, self.value_after(states, a, depth, level))
        return best

    def value_after(self, states: np.ndarray, a: int, depth: int, level: int = 0) -> int:
        after, seat = states.copy(), int(states["to_move"][0])
        bind(step_one, self.game)(after, a)
        changes = after["to_move"][0] >= 0 and after["to_move"][0] != seat
        value = self.value(after, depth - changes, level + 1, bool(changes), seat)
        return -value if changes else value


def positions(game: str, plies: int, count: int) -> Iterator[View]:
    """Positions after so many random actions."""
    batch = Batch(game, count, seed=5)
    for _ in range(plies):
        going = np.flatnonzero(batch.to_move >= 0)
        batch.step(batch.sample()[going], going)
    view = batch.view(np.flatnonzero(batch.to_move >= 0))
    for k in range(view.row.size):
        yield view.take(np.array([k]))


CASES = [
    ("hex:board_size=3", 0, 3, 1),
    ("hex:board_size=3", 3, 6, 4),
    pytest.param("hex:board_size=4", 4, 3, 2, marks=pytest.mark.slow),
    pytest.param("gomoku:board_size=5", 10, 3, 2, marks=pytest.mark.slow),
    ("gomoku:board_size=5", 19, 6, 3),
    # The last stones of the layout; the battle with its captures, jumps and stops.
    ("jiu:board_size=6", 34, 2, 2),
    ("jiu:board_size=6", 48, 2, 4),
    ("jiu:board_size=6", 60, 2, 4),
]
TABLES = ({}, {"table": 0}, {"table": 8})


@pytest.mark.parametrize(("game", "plies", "depth", "count"), CASES)
def test_values_are_those_of_brute_force(weigh: Any, game: str, plies: int, depth: int, count: int) -> None:
    weigh(PLAIN)
    brute = BruteForce(find(game), PLAIN)
    agents = [AlphaBeta(depth=depth, quiescence=0, selective=False, proofs=0, examine=0, **values) for values in TABLES]
    for view in positions(game, plies, count):
        best, searched = 0, 0
        for agent in agents:
            found = agent.search(view)
            if found.depth != searched:
                best, searched = brute.value(view.states, found.depth), found.depth
            assert found.value == best, game_diagram(view)
            assert brute.value_after(view.states, found.action, found.depth) == best, game_diagram(view)


@pytest.mark.parametrize(
    ("game", "plies", "depth"),
    [("gomoku:board_size=5", 16, 1), ("hex:board_size=3", 1, 2), ("jiu:board_size=6", 60, 1)],
)
def test_tactics_are_tried_where_the_depth_ends(weigh: Any, game: str, plies: int, depth: int) -> None:
    weigh(RESTLESS)
    differ = 0
    for view in positions(game, plies, 3):
        values = []
        for quiescence in (0, 1, 2):
            found = AlphaBeta(depth=depth, quiescence=quiescence, selective=False, proofs=0, examine=0).search(view)
            brute = BruteForce(find(game), RESTLESS, quiescence)
            assert found.value == brute.value(view.states, depth), game_diagram(view)
            values.append(found.value)
        differ += len(set(values)) > 1
    assert differ > 0


def game_diagram(view: View) -> str:
    return str(view.game.module("text").diagram(view.states[0]))


@pytest.mark.parametrize(
    ("game", "plies"),
    [
        ("hex:board_size=3", 1),
        pytest.param("hex:board_size=4", 6, marks=pytest.mark.slow),
        ("gomoku:board_size=5", 17),
    ],
)
@pytest.mark.usefixtures("weigh")
def test_a_search_to_the_end_is_exact(game: str, plies: int) -> None:
    solver = Solver(find(game))
    for view in positions(game, plies, 6):
        found = AlphaBeta(depth=25).search(view)
        value = solver.value(view.states) * (1 if view.seat[0] == 0 else -1)
        if found.depth:
            assert np.sign(found.value) == value
            assert value == 0 or abs(found.value) > WIN


@pytest.mark.parametrize("game", ["hex:board_size=3", "hex:board_size=5"])
def test_what_a_selective_search_counts_out_is_so(weigh: Any, game: str) -> None:
    """Whatever it leaves out by a misleading evaluation, a win is a win and a loss a loss."""
    weigh(PLAIN)
    solver, certain, fewer = Solver(find(game)), 0, 0
    for plies in range(0, 7) if game == "hex:board_size=3" else range(10, 16):
        for view in positions(game, plies, 20):
            value = solver.value(view.states) * (1 if view.seat[0] == 0 else -1)
            for depth in (3, 4, 5, 6):
                found, whole = (AlphaBeta(depth=depth, selective=selective).search(view) for selective in (True, False))
                if abs(found.value) > WIN:
                    certain += 1
                    assert np.sign(found.value) == value, game_diagram(view)
                fewer += found.nodes < whole.nodes
    assert certain > 100 and fewer > 10


def test_an_only_reply_takes_no_depth() -> None:
    """A row of fours to a win of seven actions is seen at depth 3, by a search that is not selective at depth 7."""
    view = gomoku_positions.played("b8 f1 d5 e5 e6 f7 d6 d7 c6 f6", board_size=9).view()
    found = {
        (depth, selective): AlphaBeta(depth=depth, quiescence=0, proofs=0, selective=selective).search(view)
        for depth in (3, 7)
        for selective in (True, False)
    }
    assert found[3, True].value == found[7, False].value == 2 * WIN - 7 and len(found[3, True].line) == 7
    assert abs(found[3, False].value) < SURE


@pytest.mark.usefixtures("weigh")
def test_it_stops_where_nothing_is_left_to_find_out() -> None:
    view = next(positions("gomoku:board_size=5", 21, 1))
    found = AlphaBeta(seconds=600.0).search(view)
    assert found.depth <= 5
    full = Batch("gomoku:board_size=5", 1, seed=0, board_size=5)
    while int(full.mask[0].sum()) > 1 and full.to_move[0] >= 0:
        full.step(full.sample())
    if full.to_move[0] >= 0:
        assert AlphaBeta(seconds=600.0).search(full.view()).nodes == 0


@pytest.mark.parametrize(
    ("moves", "best", "depth"),
    [
        # Seat 0 has column c down to row 4 of 5: e5 is no use, c5 or b5 joins the bottom.
        (["c1", "a1", "c2", "a2", "c3", "e1", "c4", "e2"], {"c5", "b5"}, 1),
        # Seat 1 threatens to join at e3 or e2, and only there.
        (["a1", "a3", "b1", "b3", "e1", "c3", "a5", "d3"], {"e3", "e2"}, 2),
        # A bridge from b3 to the left side: when the enemy takes a3's partner a4, a3 saves it.
        (["c1", "e3", "c2", "d3", "e5", "c3", "a5", "b3", "a4"], {"a3"}, 2),
    ],
)
def test_planted_tactics(moves: list[str], best: set[str], depth: int) -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    text = batch.game.module("text")
    for move in moves:
        batch.step([text.parse(batch.states[0], move)])
    chosen = int(AlphaBeta(depth=depth).act(batch.view())[0])
    assert text.name(batch.states[0], chosen) in best, text.diagram(batch.states[0])


def test_it_counts_a_win_in_two() -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    text = batch.game.module("text")
    for move in ("c1", "a1", "c2", "a2", "c3", "e1"):
        batch.step([text.parse(batch.states[0], move)])
    # From c3, c4 or b4 joins two cells to the bottom, of which seat 1 can take only one.
    found = AlphaBeta(depth=6, examine=0).search(batch.view())
    assert (found.value, found.depth, len(found.line)) == (2 * WIN - 3, 3, 3)


def test_the_same_position_takes_the_same_nodes() -> None:
    view = next(positions("hex:board_size=5", 4, 1))
    for values in ({"depth": 3}, {"nodes": 3000}):
        first, again = AlphaBeta(**values), AlphaBeta(**values)
        assert first.search(view) == again.search(view) == again.search(view)
        assert first.found is not None
        assert first.found.nodes <= values.get("nodes", 10**6)


@pytest.mark.usefixtures("weigh")
def test_games_in_a_batch_are_searched_as_if_alone() -> None:
    def opening(batch: Batch) -> None:
        for _ in range(36):
            batch.step(batch.sample())

    many, together = Batch("jiu:board_size=6", 4, seed=4), AlphaBeta(nodes=300)
    opening(many)
    for _ in range(30):
        many.step(together.act(many.view()))
    for i in range(4):
        single, alone = Batch("jiu:board_size=6", 1, seed=4 + i), AlphaBeta(nodes=300)
        opening(single)
        for _ in range(30):
            single.step(alone.act(single.view()))
        assert (single.states[0] == many.states[i]).all()


@pytest.mark.usefixtures("weigh")
def test_a_search_finds_nothing_that_older_ones_stored() -> None:
    agent, fresh = AlphaBeta(depth=2, table=64), {}
    for turn in range(2 * GENERATIONS + 5):
        k = turn % 7
        view = next(positions("gomoku:board_size=5", k, 1))
        found = agent.search(view)
        fresh.setdefault(k, AlphaBeta(depth=2, table=64).search(view))
        assert found == fresh[k]


def test_a_stored_win_is_counted_from_its_position() -> None:
    for sign in (1, -1):
        stored = value_in(sign * (2 * WIN - 7), 3)
        assert stored == sign * (2 * WIN - 4)
        assert value_out(stored, 1) == sign * (2 * WIN - 5)
    assert value_out(value_in(WIN - 1, 3), 1) == WIN - 1


@pytest.mark.usefixtures("weigh")
def test_a_million_nodes_stay_in_their_arrays() -> None:
    agent = AlphaBeta(nodes=1_000_000, table=1 << 16, proofs=0)
    view = next(positions("gomoku:board_size=5", 4, 1))
    found = agent.search(view)
    assert found.nodes == 1_000_000
    assert view.mask[0, found.action]
    space = agent.workspace
    assert isinstance(space, Workspace)
    assert space.table.nbytes == 16 << 16
    assert (space.table["about"] > 0).mean() > 0.9
    assert space.nbytes < (16 << 16) + 500_000


@pytest.mark.usefixtures("weigh")
def test_a_line_deeper_than_the_levels_is_valued_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphabeta, "LEVELS", 4)
    view = next(positions("gomoku:board_size=5", 12, 1))
    found = AlphaBeta(depth=6).search(view)
    assert found.value == BruteForce(view.game, PLAIN).value(view.states, 3)
    assert len(found.line) == 3


@pytest.mark.usefixtures("weigh")
def test_a_turn_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, agent = Batch("jiu:board_size=6", 1, seed=6), AlphaBeta(depth=2)
    for _ in range(36):
        batch.step(batch.sample())
    searched: list[int] = []
    search = agent.search
    monkeypatch.setattr(agent, "search", lambda *args: searched.append(int(batch.states["ply"][0])) or search(*args))
    turns = actions = 0
    while actions < 120 and batch.to_move[0] >= 0:
        seat = batch.to_move[0]
        turns += 1
        while batch.to_move[0] == seat:
            batch.step(agent.act(batch.view()))
            actions += 1
    assert len(searched) == turns < actions
    # In a position that was not expected the search starts over, with what is left of the turn.
    while not (batch.to_move[0] >= 0 and (plan := agent.plans[0]).line):
        batch.step(agent.act(batch.view()) if batch.to_move[0] >= 0 else [0])
    agent.plans[0] = plan._replace(line=[])
    before = len(searched)
    assert batch.mask[0, agent.act(batch.view())[0]]
    assert len(searched) == before + 1


@pytest.mark.usefixtures("weigh")
def test_the_rest_of_a_turn_gets_the_rest_of_its_nodes() -> None:
    view = next(positions("gomoku:board_size=5", 4, 1))
    agent = AlphaBeta(nodes=800)
    assert agent.search(view).nodes == 800
    assert agent.search(view, 0, 0.0, 500).nodes == 300
    assert agent.search(view, 0, 0.0, 790).nodes == 100


@pytest.mark.usefixtures("weigh")
def test_only_the_best_ranked_are_tried_where_the_width_ends(weigh: Any) -> None:
    weigh({**PLAIN, "candidates": every_third})
    agent = AlphaBeta(depth=1, width=2)
    agent.search(Batch("gomoku:board_size=5", 1, seed=0).view())
    assert agent.workspace is not None
    levels = agent.workspace.levels
    assert sorted(levels.moves[0, : levels.listed[0]]) == [21, 24]


@pytest.mark.parametrize("name", ["gomoku:board_size=5", "jiu:board_size=6", "hex:board_size=4"])
def test_every_legal_action_is_tried_where_the_width_is_all(weigh: Any, name: str) -> None:
    """Whatever the game would have named first; in the depth, not in the tactics behind it."""
    brute = BruteForce(find(name), PLAIN)
    weigh({**PLAIN, "candidates": every_third})
    agent = AlphaBeta(depth=2, width="all", examine=0)
    for view in positions(name, 5, 3):
        found = agent.search(view)
        assert agent.workspace is not None
        levels = agent.workspace.levels
        assert sorted(levels.moves[0, : levels.listed[0]]) == np.flatnonzero(view.mask[0]).tolist()
        assert found.value == brute.value(view.states, 2)


@pytest.mark.slow
def test_the_whole_width_of_jiu_is_more_than_the_game_names() -> None:
    """In the layout, and in the battle."""
    batch, other = Batch("jiu:board_size=10", 1, seed=4), np.random.default_rng(0)
    agents = [AlphaBeta(depth=1, width=width, table=16) for width in (0, "all")]
    more: set[int] = set()
    while not {LAYOUT, TURN} <= more:
        legal = np.flatnonzero(batch.mask[0])
        assert legal.size
        tried = []
        for agent in agents:
            agent.search(batch.view(), forced=True)
            assert agent.workspace is not None
            tried.append(int(agent.workspace.levels.listed[0]))
        assert tried[0] <= tried[1] == legal.size
        if tried[0] < legal.size:
            more.add(int(batch.states["phase"][0]))
        batch.step([other.choice(legal)])


@pytest.mark.parametrize("values", [{"nodes": 1}, {"nodes": 40}, {"seconds": 1e-6}, {"seconds": 0.003}])
@pytest.mark.usefixtures("weigh")
def test_an_interrupted_search_plays_on(values: dict) -> None:
    batch, agent = Batch("jiu:board_size=6", 3, seed=9), AlphaBeta(**values)
    for _ in range(60):
        view = batch.view()
        actions = agent.act(view)
        assert view.mask[np.arange(view.row.size), actions].all()
        batch.step(actions, view.row)


@pytest.mark.parametrize("game", ["mahjong", "einstein"])
def test_games_that_it_cannot_search_are_refused(game: str) -> None:
    with pytest.raises(BoyiError, match=f"alphabeta cannot search {game}: that takes two seats, zero sum, no dice"):
        AlphaBeta().fit(find(game))


def test_a_game_without_evaluation_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "has", lambda game, part: False)
    with pytest.raises(BoyiError, match="alphabeta has no evaluation of the positions of hex"):
        AlphaBeta().fit(find("hex"))


def test_a_learned_evaluation_is_another_one() -> None:
    with pytest.raises(BoyiError, match="no learned evaluation of the positions of hex, only one made by"):
        AlphaBeta(evaluation="learned").fit(find("hex"))
    view = next(positions("jiu:board_size=6", 45, 1))
    by_hand, learned = (AlphaBeta(depth=1, quiescence=0, evaluation=which) for which in ("handmade", "learned"))
    assert by_hand.search(view).value != learned.search(view).value
    assert abs(learned.value(view)) < 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"depth": -1}, "alphabeta: depth must be a whole number from 0 to 100"),
        ({"seconds": -1.0}, "seconds must be a number from 0.0"),
        ({"quiescence": 50}, "quiescence must be a whole number from 0 to 20"),
        ({"width": "some"}, "width must be a whole number from 0 to 2147483647 or all, not 'some'"),
        ({"deep": 3}, "unknown parameter of alphabeta 'deep': did you mean 'depth'"),
    ],
)
def test_bad_parameters_are_refused(values: dict, says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        AlphaBeta(**values)


def test_it_is_limited_even_when_nobody_says_how() -> None:
    found = AlphaBeta().search(next(positions("hex:board_size=5", 2, 1)))
    assert found.nodes <= alphabeta.USUAL_NODES


def test_a_search_looks_on_the_clock_however_fast_positions_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs interrupt it after few positions: how long the next stretch may be does not grow with every one."""
    agent, view = AlphaBeta(seconds=0.001, proofs=0), Batch("gomoku:board_size=9", 1, seed=0, encoder=None).view()
    agent.search(view)
    clock, stretches = count(0.0, 1e-6), list[int]()

    def go_on(space: Workspace, quiescence: int, width: int, budget: int, *, selective: bool) -> bool:
        met = space.levels.at[alphabeta.NODES]
        stretches.append(budget - int(met))
        space.levels.at[alphabeta.NODES] = budget
        return False

    monkeypatch.setattr(Workspace, "go_on", go_on)
    monkeypatch.setattr("boyi.baselines.search.alphabeta.time.perf_counter", lambda: next(clock))
    agent.search(view)
    assert len(stretches) > 400 and max(stretches) <= alphabeta.STRETCH
