"""Rollouts: they end every game properly, mark what was played, and know each game's simplest tactics."""

import numpy as np
import pytest

from boyi.baselines.search.rollouts import find_rollout, rollout_notes
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import score
from boyi.envs.engine.protocol import rollout

pytestmark = pytest.mark.kernels

GAMES = [
    "hex:board_size=5,swap=true",
    "gomoku:board_size=5",
    "gomoku:board_size=5,rule=standard",
    "jiu:board_size=6,max_turns=60",
    "jiu:board_size=6,single_jump_ban=both,must_take=False,revisit=False,max_turns=60",
    "mahjong",
]


def play(states, notes, rng, mask, p, used):
    """Play game 0 to its end."""
    rollout(states[0], notes, rng, mask, p, used)


class Player:
    """Plays the rollouts of a game, informed or at random."""

    def __init__(self, name: str, informed: bool = True, seed: int = 0) -> None:
        self.game = find(name)
        kernel = find_rollout(self.game, informed, True)
        self.kernel, self.notes = bind(play, self.game, rollout=kernel), rollout_notes(self.game, kernel)
        self.rng = np.array([seed, 0], np.uint64)
        self.used = np.zeros((self.game.seats, self.game.actions), np.int8)

    def end(self, state: np.ndarray) -> np.ndarray:
        """Play on from a record (1,), which stays as it is; return the end."""
        end, game = state.copy(), self.game
        self.used[:] = 0
        mask, p = np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes))
        self.kernel(end, self.notes, self.rng, mask, p, self.used)
        return end


def positions(name: str, count: int) -> list[np.ndarray]:
    """Collect positions of random games, those at their ends too."""
    found: list[np.ndarray] = []
    rng = np.random.default_rng(0)
    for seed in range(count):
        batch = Batch(name, 1, seed=seed, autoreset="off")
        for _ in range(rng.integers(0, batch.game.longest)):
            if batch.to_move[0] >= 0:
                batch.step(batch.sample())
        found.append(batch.states)
    return found


@pytest.mark.parametrize(
    ("name", "informed"),
    [
        *((name, informed) for name in GAMES for informed in (True, False)),
        *(pytest.param("hex:board_size=1,swap=true", informed, marks=pytest.mark.slow) for informed in (True, False)),
        ("einstein:board_size=3,stones=2", False),
    ],
)
def test_every_rollout_ends_the_game_with_proper_returns(name: str, informed: bool) -> None:
    player = Player(name, informed)
    game, ended = player.game, 0
    returns = np.zeros(game.seats, np.float32)
    for state in positions(name, 40):
        before = state.copy()
        end = player.end(state)
        assert (state == before).all()
        assert end["to_move"][0] <= -2
        assert set(np.unique(player.used)) <= {0, 1}
        bind(score, game)(end, returns)
        assert (game.low <= returns).all()
        assert (returns <= game.high).all()
        assert abs(returns.sum()) < 1e-3
        if state["to_move"][0] < 0:
            ended += 1
            assert not player.used.any()
            assert (end == state).all()
    assert ended < 40


@pytest.mark.parametrize("informed", [True, False])
@pytest.mark.parametrize("size", [pytest.param(4, marks=pytest.mark.slow), 5])
def test_hex_is_filled_in_turn_and_marked(size: int, informed: bool) -> None:
    player = Player(f"hex:board_size={size}", informed)
    batch = Batch(player.game, 1, autoreset="off")
    for state in positions(f"hex:board_size={size}", 60):
        if state["to_move"][0] < 0:
            continue
        end, mover = player.end(state), int(state["to_move"][0])
        empty = state["board"][0] == 0
        assert (player.used.sum(0) == empty).all()
        assert player.used[mover].sum() == (empty.sum() + 1) // 2
        # The winner of the full board is found by playing what was marked, seat by seat.
        batch.states = state
        left = [np.flatnonzero(player.used[seat]).tolist() for seat in range(2)]
        while batch.to_move[0] >= 0:
            batch.step([left[batch.to_move[0]].pop()])
        assert batch.states["winner"][0] == end["winner"][0]


def test_hex_bridges_are_saved() -> None:
    # Seat 1's b3 is a bridge from the left side; when seat 0 takes a4, a3 saves it, always.
    batch = Batch("hex:board_size=5", 1)
    text = batch.game.module("text")
    for move in ["c1", "e3", "c2", "d3", "e5", "c3", "a5", "b3", "a4"]:
        batch.step([text.parse(batch.states[0], move)])
    saved = text.parse(batch.states[0], "a3")
    for informed in (True, False):
        player, wins, taken = Player("hex:board_size=5", informed), 0, 0
        for _ in range(200):
            wins += int(player.end(batch.states)["winner"][0])
            taken += int(player.used[1, saved])
        assert taken == 200 if informed else 60 < taken < 140
        assert wins == 200 if informed else wins < 190


def test_hex_bridges_hold_between_stones_and_to_every_side() -> None:
    # An unbroken chain of bridges from side to side wins, whoever moves.
    text = find("hex:board_size=5").module("text")
    for seat, chain in ((0, ["c2", "b4"]), (1, ["b3", "d2"])):
        for tempo in (0, 1):
            batch = Batch("hex:board_size=5", 1)
            # Both corners that the other seat gets are away from the chain.
            others = ["e5", "a1", "e4"]
            order = [(seat, move) for move in chain]
            moves: list[str] = []
            while order or (len(moves) + tempo) % 2:
                moves.append(order.pop(0)[1] if len(moves) % 2 == seat and order else others.pop(0))
            for move in moves:
                batch.step([text.parse(batch.states[0], move)])
            player = Player("hex:board_size=5")
            ends = [int(player.end(batch.states)["winner"][0]) for _ in range(100)]
            # A stone may spoil two bridges at once, one of them of no use.
            assert ends.count(seat) >= 95, text.diagram(batch.states[0])


@pytest.mark.parametrize(
    ("moves", "point", "wins"),
    [
        # Seat 0 has four with one end at the edge, and moves: it wins at e3.
        (["c3", "a1", "d3", "e1", "b3", "a5", "a3", "e5"], "e3", True),
        # Seat 1 has to close e3.
        (["c3", "a1", "d3", "e1", "b3", "a5", "a3"], "e3", False),
        # A gap in the four is found as well as its end.
        (["a2", "a1", "b2", "e1", "c2", "a5", "e2", "e5"], "d2", True),
        (["a1", "e1", "b2", "a5", "c3", "c1", "e5"], "d4", False),
        # Completing a five goes before preventing one.
        (["a2", "a4", "b2", "b4", "c2", "c4", "d2", "d4"], "e2", True),
    ],
)
def test_gomoku_completes_and_prevents_fives(moves: list[str], point: str, wins: bool) -> None:
    batch = Batch("gomoku:board_size=5", 1)
    text = batch.game.module("text")
    for move in moves:
        batch.step([text.parse(batch.states[0], move)])
    player, mover = Player("gomoku:board_size=5"), int(batch.to_move[0])
    for _ in range(50):
        end = player.end(batch.states)
        assert player.used[mover, text.parse(batch.states[0], point)]
        if wins:
            assert end["winner"][0] == mover
            assert end["ply"][0] == len(moves) + 1


@pytest.mark.slow
def test_gomoku_of_exact_rows_does_not_count_on_longer_ones() -> None:
    # Filling the gap at d2 would make six.
    batch = Batch("gomoku:board_size=7,rule=standard", 1)
    text = batch.game.module("text")
    for move in ["a2", "a7", "b2", "g7", "c2", "a4", "e2", "g4", "f2", "d7"]:
        batch.step([text.parse(batch.states[0], move)])
    player = Player("gomoku:board_size=7,rule=standard")
    ends = [player.end(batch.states) for _ in range(50)]
    assert any(end["ply"][0] > 11 for end in ends)


def test_jiu_rollouts_take_more_than_random_ones() -> None:
    taken = {}
    for informed in (True, False):
        player, taken[informed] = Player("jiu:board_size=6,max_turns=40,no_capture_limit=0", informed), 0
        batch = Batch(player.game, 1, seed=3, autoreset="off")
        for _ in range(36):
            batch.step(batch.sample())
        for _ in range(30):
            taken[informed] += 34 - int(player.end(batch.states)["stones"].sum())
    assert taken[True] > 1.3 * taken[False]


def test_mahjong_is_played_by_its_rule() -> None:
    # With one tile lacking, whoever moves by the rule wins far more often than at random.
    won = {}
    for informed in (True, False):
        player, won[informed] = Player("mahjong", informed), 0
        for seed in range(30):
            won[informed] += int((player.end(Batch("mahjong", 1, seed=seed).states)["won"] > 0).any())
    assert won[False] < 5 < 20 < won[True]


def test_rollouts_that_do_not_exist_are_refused() -> None:
    with pytest.raises(BoyiError, match="einstein has no informed rollouts"):
        find_rollout(find("einstein"), True, False)
