"""What tree search may add: sound proofs, all moves as first, urgency, widening, informed rollouts, threads, memory."""

import copy
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

from boyi.baselines.search.exact import Solver
from boyi.baselines.search.mcts import MCTS
from boyi.baselines.search.mcts_rave import EXPANDED
from boyi.envs import Batch, BoyiError, find


def position(game: str, moves: list[str], seed: int = 0) -> Batch:
    batch = Batch(game, 1, seed=seed)
    text = batch.game.module("text")
    for move in moves:
        batch.step([text.parse(batch.states[0], move)])
    return batch


def children(tree, node: int = 0) -> list[int]:
    found, i = [], int(tree.child[node])
    while i:
        found.append(i)
        i = int(tree.sibling[i])
    return found


def decided_games(game: str, count: int, left: int) -> Iterator[Batch]:
    """Play random games that somebody wins, each again up to so many actions before its end."""
    for seed in range(10_000):
        batch, actions = Batch(game, 1, seed=seed, autoreset="off"), []
        while batch.to_move[0] >= 0:
            actions.append(batch.sample())
            batch.step(actions[-1])
        if batch.states["winner"][0] >= 0:
            batch = Batch(game, 1, seed=seed, autoreset="off")
            for action in actions[: max(0, len(actions) - left)]:
                batch.step(action)
            yield batch
            count -= 1
        if count == 0:
            return


@pytest.mark.parametrize("values", [{}, {"rave": 300.0}, {"widen": 0.5}])
@pytest.mark.parametrize(
    ("game", "left", "fewest"),
    [
        ("hex:board_size=3", 9, 50),
        ("einstein:board_size=3,stones=2", 3, 20),
        pytest.param("hex:board_size=4", 9, 50, marks=pytest.mark.slow),
        pytest.param("gomoku:board_size=5", 4, 20, marks=pytest.mark.slow),
        pytest.param("einstein:board_size=4,stones=3", 3, 20, marks=pytest.mark.slow),
    ],
)
def test_proofs_agree_with_the_exact_solver(game: str, left: int, fewest: int, values: dict) -> None:
    solver, proofs = Solver(find(game), 3_000_000), 0
    agent, worth = MCTS(sims=1000, **values), {1: 1.0, 2: -1.0}
    for batch in decided_games(game, 12, left):
        while batch.to_move[0] >= 0:
            view = batch.view()
            action = agent.act(view)
            tree = agent.memories[0].tree
            if tree.proven[0]:
                assert solver.value(view.states) == worth[int(tree.proven[0])]
                proofs += 1
            for i in children(tree):
                if tree.proven[i]:
                    below = Batch(game, 1, autoreset="off", chance="by_hand")
                    below.states = view.states
                    below.step([int(tree.action[i])])
                    assert solver.value(below.states) == worth[int(tree.proven[i])]
                    proofs += 1
            batch.step(action)
    assert proofs >= fewest


def test_a_proven_root_ends_the_search_and_says_what_to_play() -> None:
    # Seat 0 has column c down to row 4 of 5, with two ways to the bottom.
    batch = position("hex:board_size=5", ["c1", "a1", "c2", "a2", "c3", "e1", "c4", "e2"])
    agent = MCTS(sims=100_000, reuse=False)
    counts = agent.visits(batch.view())
    tree = agent.memories[0].tree
    assert tree.proven[0] == 1
    assert tree.visits[0] < 1000
    winning = [int(tree.action[i]) for i in children(tree) if tree.proven[i] == 1]
    assert np.flatnonzero(counts).tolist() == sorted(winning)
    without = MCTS(sims=3000, reuse=False, prove=False)
    without.act(batch.view())
    assert without.memories[0].tree.visits[0] == 3000
    assert not without.memories[0].tree.proven.any()


@pytest.mark.parametrize("sims", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("rave", [0.0, 100.0])
def test_a_proven_loss_is_played_only_if_there_is_nothing_else(sims: int, rave: float) -> None:
    # Seat 1 is about to join at e3: everything else loses at once.
    batch = position("hex:board_size=5", ["a1", "a3", "b1", "b3", "e2", "c3", "a5", "d3"])
    for seed in range(10):
        view = batch.view()._replace(rng=np.array([[seed, 0]], np.uint64))
        agent = MCTS(sims=sims, rave=rave, reuse=False)
        action = int(agent.act(view)[0])
        tree = agent.memories[0].tree
        lost = [int(tree.action[i]) for i in children(tree) if tree.proven[i] == 2]
        assert view.mask[0, action]
        assert action not in lost or tree.proven[0] == 2


@pytest.mark.parametrize("values", [{}, {"rave": 1000.0, "c": 0.0}, {"fpu": 1.0}, {"widen": 0.7}, {"threads": 3}])
@pytest.mark.parametrize("rollouts", ["random", "informed"])
@pytest.mark.parametrize(
    ("game", "moves", "best"),
    [
        # A bridge from b3 to the left side: when the enemy takes a3's partner a4, a3 saves it.
        ("hex:board_size=5", ["c1", "e3", "c2", "d3", "e5", "c3", "a5", "b3", "a4"], {"a3"}),
        # Four in a row, one end of it at the edge: the other end wins, or is to be closed.
        ("gomoku:board_size=5", ["c3", "a1", "d3", "e1", "b3", "a5", "a3", "e5"], {"e3"}),
        ("gomoku:board_size=5", ["c3", "a1", "d3", "e1", "b3", "a5", "a3"], {"e3"}),
    ],
)
def test_planted_tactics(game: str, moves: list[str], best: set[str], rollouts: str, values: dict) -> None:
    batch = position(game, moves)
    chosen = int(MCTS(sims=3000, reuse=False, rollouts=rollouts, **values).act(batch.view())[0])
    text = batch.game.module("text")
    assert text.name(batch.states[0], chosen) in best, text.diagram(batch.states[0])


@pytest.mark.slow
def test_bridges_and_rave_beat_plain_search_at_the_same_simulations() -> None:
    batch, rows = Batch("hex:board_size=7", 16, seed=0, autoreset="off"), np.arange(16)
    agents = [MCTS(sims=300, rave=3000.0, c=0.0, rollouts="informed"), MCTS(sims=300)]
    while (batch.to_move >= 0).any():
        for which, agent in enumerate(agents):
            mine = np.flatnonzero((batch.to_move >= 0) & ((batch.to_move + rows) % 2 == which))
            if mine.size:
                batch.step(agent.act(batch.view(mine)), mine)
    assert ((batch.states["winner"] + rows) % 2 == 0).sum() >= 12


@pytest.mark.parametrize(
    "values",
    [
        {"rave": 500.0},
        {"rave": 500.0, "rollouts": "informed"},
        {"rollouts": "informed"},
        {"fpu": 0.5, "c": 0.2},
        {"widen": 0.5},
        {"threads": 3},
        {"threads": 2, "rave": 500.0},
    ],
)
def test_the_same_seed_searches_the_same_tree(values: dict) -> None:
    seen = []
    for seed in (1, 1, 2):
        agent = MCTS(sims=600, **values)
        counts = agent.visits(Batch("gomoku:board_size=5", 1, seed=seed).view())
        seen.append((counts.tolist(), [int(m.tree.size[0]) for m in (agent.memories[0], *agent.helpers[0])]))
    assert seen[0] == seen[1] != seen[2]


def test_all_moves_as_first_counts_what_the_seat_played_later() -> None:
    # Every simulation fills the board: each seat plays half of it, the mover one more cell where the number is odd.
    agent = MCTS(sims=400, rave=500.0, reuse=False, prove=False)
    agent.act(Batch("hex:board_size=5", 1, seed=0).view())
    tree = agent.memories[0].tree
    below = children(tree)
    assert len(below) == 25
    assert sum(float(tree.amaf_visits[i]) for i in below) == 400 * 13
    assert sum(int(tree.visits[i]) for i in below) == 400
    for i in below:
        assert tree.visits[i] <= tree.amaf_visits[i] <= 400
        assert 0.0 <= tree.amaf_total[i] <= tree.amaf_visits[i]
        replies = children(tree, i)
        if replies:
            # The first simulations through it came before it had children.
            assert sum(float(tree.amaf_visits[j]) for j in replies) == (tree.visits[i] - EXPANDED) * 12


def test_the_best_tried_action_goes_before_untried_ones_of_less_urgency() -> None:
    view = Batch("hex:board_size=5", 8, seed=0).view()
    tried = {}
    for fpu in (1000.0, 0.6, -1.0):
        agent = MCTS(sims=200, fpu=fpu, c=0.0, reuse=False)
        agent.act(view)
        tried[fpu] = [len(children(agent.memories[row].tree)) for row in range(8)]
    assert tried[1000.0] == [25] * 8
    assert 8 < sum(tried[0.6]) < 8 * 25
    assert tried[-1.0] == [1] * 8


def test_widening_considers_a_power_of_the_visits() -> None:
    agent = MCTS(sims=400, widen=0.5, reuse=False)
    agent.act(Batch("hex:board_size=5", 1, seed=0).view())
    tree = agent.memories[0].tree
    assert len(children(tree)) == 20
    for node in range(int(tree.size[0])):
        assert len(children(tree, node)) <= max(1, np.ceil(tree.visits[node] ** 0.5))


def test_threads_share_the_simulations_and_play_sanely() -> None:
    batch = position("hex:board_size=5", ["c1", "e3", "c2", "d3", "e5", "c3", "a5", "b3"])
    agent = MCTS(sims=1000, threads=3, reuse=False, prove=False)
    counts = agent.visits(batch.view())
    trees = [agent.memories[0].tree, *(memory.tree for memory in agent.helpers[0])]
    assert [int(tree.visits[0]) for tree in trees] == [334, 333, 333]
    assert int(counts.astype(np.int64).sum()) == 1000
    assert not (counts[batch.mask[0] == 0] > 0).any()
    assert trees[0].visits[:50].tolist() != trees[1].visits[:50].tolist()


def test_an_agent_with_threads_can_be_copied_and_pickled() -> None:
    batch = Batch("hex:board_size=3", 1, seed=0)
    agent = MCTS(sims=100, threads=2)
    agent.act(batch.view())
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert (other.visits(batch.view()) == copy.deepcopy(agent).visits(batch.view())).all()


def test_threads_can_be_limited_by_time() -> None:
    agent = MCTS(seconds=0.05, threads=2)
    batch = Batch("hex:board_size=5", 1, seed=0)
    assert batch.mask[0, agent.act(batch.view())[0]]
    assert agent.memories[0].tree.visits[0] > 0
    assert agent.helpers[0][0].tree.visits[0] > 0


def test_a_kept_tree_of_all_moves_as_first_is_sound() -> None:
    batch, agent = Batch("hex:board_size=5", 1, seed=0), MCTS(sims=300, rave=300.0)
    while batch.to_move[0] >= 0:
        view = batch.view()
        action = int(agent.act(view)[0])
        tree = agent.memories[0].tree
        legal = set(np.flatnonzero(view.mask[0]).tolist())
        assert {int(tree.action[i]) for i in children(tree)} == legal
        for node in range(int(tree.size[0])):
            below = children(tree, node)
            assert sum(int(tree.visits[i]) for i in below) <= tree.visits[node]
            assert len({int(tree.action[i]) for i in below}) == len(below)
        batch.step([action])


@pytest.mark.slow
def test_a_million_nodes_with_rave_fit_in_64_bytes_each() -> None:
    agent = MCTS(sims=200_000, nodes=1_000_000, rave=1000.0, reuse=False)
    agent.act(Batch("hex", 1, seed=0).view())
    memory = agent.memories[0]
    assert memory.tree.size[0] > 999_000 - 121
    assert memory.tree.visits[0] == 200_000
    assert memory.nbytes / 1_000_000 < 64


@pytest.mark.parametrize("values", [{"rave": 100.0}, {"widen": 0.4}, {"fpu": 0.5}])
def test_a_full_tree_goes_on_without_growing(values: dict) -> None:
    batch = Batch("hex:board_size=5", 1, seed=0)
    agent = MCTS(sims=2000, nodes=60, **values)
    assert batch.mask[0, agent.act(batch.view())[0]]
    assert agent.memories[0].tree.size[0] <= 60
    assert agent.memories[0].tree.visits[0] == 2000


@pytest.mark.parametrize(
    ("values", "game", "says"),
    [
        ({"rave": 10.0}, "mahjong", "mcts: rave needs actions legal whatever is hidden, unlike those of mahjong"),
        ({"rollouts": "informed"}, "einstein", "einstein has no informed rollouts"),
    ],
)
def test_games_that_do_not_fit_are_refused(values: dict, game: str, says: str) -> None:
    agent = MCTS(**values)
    with pytest.raises(BoyiError, match=says):
        agent.fit(find(game))
    with pytest.raises(BoyiError, match=says):
        agent.act(Batch(game, 1, seed=0).view())


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"rave": 10.0, "widen": 0.5}, "mcts: widen is for trees that try actions one by one"),
        ({"widen": 1.5}, "widen must be a number from 0.0 to 1.0"),
        ({"rollouts": "clever"}, "rollouts must be one of random, informed"),
        ({"threads": 0}, "threads must be a whole number from 1"),
    ],
)
def test_bad_parameters_are_refused(values: dict, says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        MCTS(**values)
