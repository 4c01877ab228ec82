"""Gomoku against its page: an oracle, OpenSpiel, perft tables, worked positions by clause, encoders, playouts.

Random stones seldom stand five in a row on a large board, so players who seek rows and players who plan them join the
random one; what they came to is asserted. Without JIT fewer games are played, as in test_hex.py.
"""

import math
import random
from collections.abc import Callable, Iterator
from itertools import permutations, zip_longest

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray
from oracles.gomoku import Cell, Gomoku
from test_hex import SIGMAS, count, keys, number_of_actions, random_histories, replayed, scores, seen

from boyi.envs import Batch, Game, IllegalAction, find, kernels
from boyi.envs.bind import bind
from boyi.envs.frame import Frame
from boyi.envs.gomoku import SPEC, rules, text
from boyi.envs.protocol import OVER, playout

Player = Callable[[Gomoku], int]

TESTED = [find(SPEC, **params) for params in SPEC.tested]
every_set = pytest.mark.parametrize("game", TESTED, ids=str)
every_rule = pytest.mark.parametrize("rule", ["freestyle", "standard"])
WAYS = [(0, 1), (1, 0), (1, 1), (1, -1)]  # §1: along a row, a column and the diagonals


def played(moves: str, **params: object) -> Batch:
    """Play named moves from the start, in a game of one."""
    batch = Batch("gomoku", 1, seed=0, **params)
    for word in moves.split():
        batch.step(np.array([text.parse(batch.states[0], word)]))
    return batch


def taking_turns(first: list[str], second: list[str]) -> str:
    """Deal the moves of both seats out in the order of play."""
    return " ".join(word for pair in zip_longest(first, second) for word in pair if word)


def laid(picture: str, rule: str, last: str = "") -> tuple[Batch, Gomoku]:
    """Play the stones of a picture by turns in reading order, the point `last` after all others."""
    lines = [line.split() for line in picture.split("\n")]
    n = len(lines)
    oracle = Gomoku(n, rule)
    order = sorted(range(n * n), key=lambda a: (oracle.name(a) == last, a))
    stones = [[oracle.name(a) for a in order if lines[a // n][a % n] == mark] for mark in "XO"]
    batch = played("", board_size=n, rule=rule)
    for word in taking_turns(*stones).split():
        a = text.parse(batch.states[0], word)
        batch.step(np.array([a]))
        oracle.play(a)
    return batch, oracle


# Players


def anywhere(rng: random.Random) -> Player:
    """Play any empty point."""
    return lambda oracle: rng.choice(sorted(oracle.legal()))


def seeker(rng: random.Random) -> Player:
    """Lengthen a row of the mover's own, most of the time."""

    def player(oracle: Gomoku) -> int:
        mover, legal = oracle.mover(), oracle.legal()
        own = sorted(oracle.stones_of(mover or 0))
        if own and rng.random() < 0.9:
            (r, c), (dr, dc), sign = rng.choice(own), rng.choice(WAYS), rng.choice((1, -1))
            while oracle.stones.get((r, c)) == mover:
                r, c = r + sign * dr, c + sign * dc
            if (r, c) in oracle.cells() and r * oracle.n + c in legal:
                return r * oracle.n + c
        return rng.choice(sorted(legal))

    return player


def crossing_rows(n: int, rng: random.Random, ways: list[Cell]) -> list[int]:
    """Draw a point, often at the edge, and up to four points on either side of it along `ways`; the point comes last.

    Whoever takes them in this order completes all those rows at once, whatever their lengths.
    """
    r, c = (rng.choice((0, n - 1, rng.randrange(n))) for _ in "rc")
    points: set[int] = set()
    for dr, dc in ways:
        sides = [[(r + k * dr, c + k * dc) for k in reach] for reach in (range(-1, -5, -1), range(1, 5))]
        before, after = ([y * n + x for y, x in side if 0 <= y < n and 0 <= x < n] for side in sides)
        spans = [(i, j) for i in range(len(before) + 1) for j in range(len(after) + 1)]
        length = rng.choice((4, 5, 5, 5, 6, 6, 7, 8, 9))
        i, j = rng.choice([span for span in spans if sum(span) + 1 == length] or [max(spans, key=sum)])
        points.update(before[:i] + after[:j])
    return [*rng.sample(sorted(points), len(points)), r * n + c]


def planner(n: int, rng: random.Random, k: int) -> Player:
    """Let seat k take the points of crossing rows, which the other keeps away from; afterwards both seek rows."""
    ways = [WAYS[k // 2 % 4], *rng.sample(WAYS, k % 3)]
    plan, go_on = crossing_rows(n, rng, ways), seeker(rng)

    def player(oracle: Gomoku) -> int:
        left = [a for a in plan if a in oracle.legal()]
        elsewhere = sorted(oracle.legal() - set(left))
        if not left or not elsewhere:
            return go_on(oracle)
        return left[0] if oracle.mover() == k % 2 else rng.choice(elsewhere)

    return player


def players(game: Game, random_games: int, others: int) -> Iterator[Player]:
    """Yield players of complete games: so many random ones, and so many that seek or plan rows."""
    rng = random.Random(str(game))
    for _ in range(random_games):
        yield anywhere(rng)
    for k in range(others):
        yield seeker(rng) if k % 6 == 5 else planner(game.params["board_size"], rng, k)


def histories(game: Game, many: int) -> list[list[int]]:
    """Return the actions of random games and of games with rows, half of them cut at a random ply."""
    rng, found = random.Random(1), []
    for k, player in enumerate(players(game, many // 4 if game.params["board_size"] < 7 else 0, many)):
        oracle = Gomoku(**game.params)
        while oracle.mover() is not None:
            oracle.play(player(oracle))
        found.append(oracle.actions[: rng.randrange(len(oracle.actions))] if k % 2 else oracle.actions)
    return found


# The oracle


@every_set
def test_every_ply_agrees_with_the_oracle(game: Game) -> None:
    """§2 to §8: mover, mask, observations of both encoders from both seats, returns and names, in complete games."""
    n = game.params["board_size"]
    stride = 1 if n < 7 else count(3, 7)  # plies from one observation to the next
    met: set[str] = set()
    for player in players(game, count(30, 3) if n < 7 else count(2, 0), count(120 if n < 7 else 60, 18)):
        met |= check_game(game, player, stride)
    # Four directions, rows that touch the edge, overlines and several rows at once were all met, and draws where
    # random play comes to them.
    wanted = {str(way) for way in WAYS} | {"edge", "corner", "seat 0", "seat 1", "several rows"}
    wanted |= {"draw"} if n < 7 else {"middle"}
    wanted |= {"overline"} if n > 5 else set()
    wanted |= {"five beside an overline"} if n > 6 and game.params["rule"] == "standard" else set()
    assert met >= wanted, wanted - met


def check_game(game: Game, player: Player, stride: int) -> set[str]:
    """Play one game beside the oracle; return what its actions have come to."""
    oracle = Gomoku(**game.params)
    batch = Batch(game, 1, seed=0)
    met: set[str] = set()
    for ply in range(game.longest + 1):
        check_position(game, batch, oracle)
        if ply % stride == 0 or oracle.mover() is None:
            check_observations(game, batch, oracle)
        if oracle.mover() is None:
            break
        a = player(oracle)
        assert text.name(batch.states[0], a) == oracle.name(a)
        oracle.play(a)
        met |= completed(oracle)
        rewards, over, cut = batch.step(np.array([a]))
        assert list(rewards[0]) == oracle.returns()
        assert (bool(over[0]), bool(cut[0])) == (oracle.mover() is None, False)
    assert oracle.mover() is None
    return met


def completed(oracle: Gomoku) -> set[str]:
    """Say what the last stone has completed."""
    n, last = oracle.n, divmod(oracle.actions[-1], oracle.n)
    if oracle.mover() is None and oracle.winner() is None:
        return {"draw"}
    long = [row for _, row in oracle.rows() if last in row and len(row) >= 5]
    winning = [row for row in long if oracle.wins(len(row))]
    met = {f"seat {oracle.winner()}"} if winning else set()
    met |= {"overline"} if any(len(row) > 5 for row in long) else set()
    met |= {"several rows"} if len(winning) > 1 else set()
    met |= {"five beside an overline"} if 0 < len(winning) < len(long) else set()
    for row in winning:
        (r, c), (below, beside) = row[:2]
        met.add(str((below - r, beside - c)))
        borders = [(y in (0, n - 1)) + (x in (0, n - 1)) for y, x in (row[0], row[-1])]
        met.add(("middle", "edge", "corner")[max(borders)])
    return met


def check_position(game: Game, batch: Batch, oracle: Gomoku) -> None:
    state, mover = batch.states, oracle.mover()
    assert batch.to_move[0] == (OVER if mover is None else mover)
    assert set(np.flatnonzero(batch.mask[0]).tolist()) == oracle.legal()
    mask = np.full(game.actions, 7, np.int8)
    assert bind(number_of_actions, game)(state, mask) == len(oracle.legal())
    assert np.array_equal(mask, batch.mask[0])
    assert scores(game, state) == oracle.returns()
    winner = oracle.winner()
    assert state["winner"][0] == (-1 if winner is None else winner)
    assert state["ply"][0] == len(oracle.actions)
    assert state["last"][0] == (oracle.actions[-1] if oracle.actions else -1)


def check_observations(game: Game, batch: Batch, oracle: Gomoku) -> None:
    for seat in (0, 1):
        assert np.array_equal(seen(game, batch.states, "planes", seat)[0], oracle.observe_planes(seat))
        assert np.array_equal(seen(game, batch.states, "flat", seat)[0], oracle.observe_flat(seat))


def spiel_state(board_size: int) -> object:
    game = pytest.importorskip("pyspiel").load_game(f"gomoku(size={board_size})")
    return game.new_initial_state()


def check_step(batch: Batch, theirs: list, live: NDArray[np.intp], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Play the actions in rows `live` and in OpenSpiel's states alike; return which games are over."""
    rewards, over, _ = batch.step(actions, live)
    masks, movers = batch.mask, batch.to_move
    for i, a, r, ended in zip(live, actions, rewards, over, strict=True):
        theirs[i].apply_action(int(a))
        assert theirs[i].is_terminal() == ended
        assert theirs[i].returns() == list(r)
        if not ended:
            assert theirs[i].current_player() == movers[i]
            assert theirs[i].legal_actions() == np.flatnonzero(masks[i]).tolist()
    return over


@pytest.mark.parametrize(("board_size", "many"), [(5, 1000), (6, 1000), (7, 1000), (15, 100)])
def test_every_ply_agrees_with_openspiel(board_size: int, many: int) -> None:
    """§3 to §6: legal moves, mover, winner and draws of the freestyle game, in 3,100 random games."""
    many = count(many, 5 if board_size < 7 else 1)
    theirs = [spiel_state(board_size) for _ in range(many)]
    batch = Batch("gomoku", many, seed=2, encoder=None, board_size=board_size)
    live = np.arange(many)
    while live.size:
        live = live[~check_step(batch, theirs, live, batch.sample()[live])]
    winners = set(batch.states["winner"].tolist())
    assert winners >= {0, 1} | ({-1} if board_size < 7 else set()) or config.DISABLE_JIT


@pytest.mark.parametrize("board_size", [6, 15])
def test_games_with_rows_agree_with_openspiel(board_size: int) -> None:
    """§4, freestyle: rows at the edge, overlines and several rows at once."""
    game = find(SPEC, board_size=board_size)
    played_out = histories(game, count(300, 12))
    theirs = [spiel_state(board_size) for _ in played_out]
    batch = Batch(game, len(played_out), seed=0, encoder=None)
    for ply in range(max(map(len, played_out))):
        live = np.array([i for i, history in enumerate(played_out) if len(history) > ply])
        check_step(batch, theirs, live, np.array([played_out[i][ply] for i in live]))
    assert set(batch.states["winner"].tolist()) == {-1, 0, 1}


# Perft: the number of sequences of actions from a position, by depth; a game that has ended counts once

PICTURES = {
    "5x5": """\
O O . O O
. X X X X
. X X . .
. X . . X
O O O X O""",
    "6x6": """\
O O O . O O
O X O X O X
X . . X . X
X X O X O .
X X O . O .
O . X X O X""",
    "7x7": """\
X O O O . O O
X X X O X . O
O O O O . O O
. X X . X X X
X X X O O X O
X X X O O O O
X . O X X X .""",
    "start": "\n".join([". . . . ."] * 5),
}

# The oracle's numbers, printed in tests/ by
# `python -c "from test_gomoku import *; print(oracle_perft(laid(PICTURES['6x6'], 'standard')[1], 8))"`.
PERFT = {
    ("start", "freestyle"): [1, 25, 600, 13800],
    ("5x5", "freestyle"): [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
    ("5x5", "standard"): [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
    ("6x6", "freestyle"): [1, 8, 50, 205, 805, 2005, 4309, 5713, 5713],
    ("6x6", "standard"): [1, 8, 50, 265, 1093, 3625, 8569, 14041, 14041],
    ("7x7", "freestyle"): [1, 7, 37, 117, 357, 645, 933, 933],
    ("7x7", "standard"): [1, 7, 42, 210, 810, 2330, 4418, 4418],
}


def merged(oracle: Gomoku) -> frozenset[tuple[Cell, int]]:
    """Name the position: which stones stand where."""
    return frozenset(oracle.stones.items())


def oracle_perft(start: Gomoku, depth: int) -> list[int]:
    """Count with the oracle for every depth up to `depth`, positions that are reached in several ways merged."""
    level = {merged(start): (start, 1)}
    ended, counts = 0, [1]
    for _ in range(depth):
        following: dict[frozenset[tuple[Cell, int]], tuple[Gomoku, int]] = {}
        for game, ways in level.values():
            for a in game.legal():
                after = game.copy()
                after.play(a)
                if after.mover() is None:
                    ended += ways
                else:
                    following[merged(after)] = (after, ways + following.get(merged(after), (after, 0))[1])
        level = following
        counts.append(ended + sum(ways for _, ways in level.values()))
    return counts


def kernel_perft(batch: Batch, depth: int) -> int:
    stack = np.repeat(batch.states, depth + 1)
    masks = np.zeros((depth + 1, batch.game.actions), np.int8)
    return int(bind(kernels.perft, batch.game)(stack, depth, masks, np.zeros(1)))


@pytest.mark.parametrize(("picture", "rule"), PERFT)
def test_perft(picture: str, rule: str) -> None:
    """§3, §4, §5: the kernels count what the oracle counted, from the start and where wins and draws are near."""
    batch, _ = laid(PICTURES[picture], rule)
    for depth, expected in enumerate(PERFT[picture, rule]):
        if expected <= count(10**8, 600):
            assert kernel_perft(batch, depth) == expected


@pytest.mark.skipif(config.DISABLE_JIT, reason="plays no kernel")
@pytest.mark.parametrize(("picture", "rule"), PERFT)
def test_perft_table(picture: str, rule: str) -> None:
    """The oracle still counts the numbers of the table, and games end in every way that it has."""
    expected = PERFT[picture, rule]
    _, oracle = laid(PICTURES[picture], rule)
    assert oracle_perft(oracle, len(expected) - 1) == expected
    if picture != "start":
        wins_0, wins_1, draws = exact_chances(oracle)
        assert wins_0 > 0
        assert wins_1 > 0
        assert (draws > 0) == (picture == "5x5" or rule == "standard")


# Worked positions, by clause


@every_set
def test_start(game: Game) -> None:
    """§2: the board is empty, seat 0 moves first, nothing is hidden and there is no chance."""
    batch = Batch(game, 1, seed=0)
    state = batch.states
    assert not state["board"].any()
    assert (state["to_move"][0], state["ply"][0], state["last"][0], state["winner"][0]) == (0, 0, -1, -1)
    assert state["exact"][0] == (game.params["rule"] == "standard")
    assert (game.spec.hidden, game.chance_outcomes, game.seats) == (False, 0, 2)
    assert batch.mask[0].sum() == game.actions == game.params["board_size"] ** 2


def test_placing() -> None:
    """§3: a stone of the mover's own on an empty point; no other point changes, and the other seat is to move."""
    batch = played("")
    stones: dict[int, int] = {}
    for ply, word in enumerate(("h8", "a1", "o15", "h7", "a15", "o1")):
        a = text.parse(batch.states[0], word)
        assert batch.mask[0, a] == 1
        batch.step(np.array([a]))
        stones[a] = ply % 2 + 1
        board = batch.states["board"][0]
        assert {int(i): int(board[i]) for i in np.flatnonzero(board)} == stones
        assert batch.to_move[0] == 1 - ply % 2
        assert [i for i in range(225) if not batch.mask[0, i]] == sorted(stones)


# Points that stand in no row with each other, for the seat that the position is not about.
SCATTERED = [f"{column}9" for column in "acegikmo"] + [f"{column}7" for column in "bdfhjln"] + ["d11", "f11", "h11"]

# Stones of one seat on 15 x 15, in the order they are placed, and whether the last wins: freestyle, standard.
ROWS = [
    ("a1 b1 c1 d1 e1", True, True),  # §1: a row of the board, from the corner
    ("k15 l15 m15 n15 o15", True, True),  # §1: and into the opposite one
    ("a5 a4 a3 a2 a1", True, True),  # §1: a column
    ("o11 o12 o13 o14 o15", True, True),
    ("a1 b2 c3 d4 e5", True, True),  # §1: a diagonal upwards
    ("k11 l12 m13 n14 o15", True, True),
    ("a15 b14 c13 d12 e11", True, True),  # §1: a diagonal downwards
    ("k5 l4 m3 n2 o1", True, True),
    ("a10 b11 c12 d13 e14", True, True),  # §1: a diagonal that is no middle one
    ("g2 h2 j2 k2 i2", True, True),  # §4: whichever stone comes last
    ("a1 b1 c1 d1", False, False),  # §4: four
    ("a1 b1 c1 d1 f1", False, False),  # §4: broken
    ("c1 d2 e1 f2 g1", False, False),  # §4: no line
    ("m3 n3 o3 a2 b2", False, False),  # §1: a line ends at the edge, though actions go on: to the right,
    ("a15 b15 c15 o1 n1", False, False),  # §1: round the corners,
    ("f15 f14 f13 f1 f2", False, False),  # §1: from top to bottom,
    ("n15 o14 a12 b11 c10", False, False),  # §1: downwards,
    ("c14 b13 a12 o12 n11", False, False),  # §1: and upwards
    ("a1 b1 c1 e1 f1 d1", True, False),  # §4: six, from the edge
    ("e6 f5 g4 i2 j1 h3", True, False),  # §4: six on a diagonal
    ("h1 h2 h3 h5 h6 h4", True, False),  # §4: six in a column
    ("a1 b1 c1 d1 f1 g1 h1 i1 e1", True, False),  # §4: nine, the most at once
    ("a1 b1 c1 d1 e2 e3 e4 e5 e1", True, True),  # §4: two fives at once
    ("a1 b1 c1 d1 f1 e2 e3 e4 e5 e1", True, True),  # §4: a five and a six wins with either rule,
    ("a3 b3 c3 d3 e1 e2 e4 e5 e6 e3", True, True),  # §4: whichever way they lie
    ("a3 b3 c3 d3 f3 e1 e2 e4 e5 e6 e3", True, False),  # §4: two sixes
    ("f4 g4 i4 j4 h2 h3 h5 h6 f2 g3 i5 j6 f6 g5 i3 j2 h4", True, True),  # §4: four fives
]


@every_rule
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("stones", "freestyle", "standard"), ROWS)
def test_rows(stones: str, freestyle: bool, standard: bool, seat: int, rule: str) -> None:
    """§1, §4: worked by hand; the stone before the last has not won yet."""
    own = stones.split()
    others = SCATTERED[: len(own) - 1 + seat]
    moves = taking_turns(own, others) if seat == 0 else taking_turns(others, own)
    before = played(" ".join(moves.split()[:-1]), rule=rule).states
    assert (before["winner"][0], before["to_move"][0]) == (-1, seat)
    won = standard if rule == "standard" else freestyle
    after = played(moves, rule=rule).states
    assert after["winner"][0] == (seat if won else -1)
    assert after["to_move"][0] == (OVER if won else 1 - seat)


@every_rule
def test_stones_of_the_other_seat_part_rows_and_do_not_spoil_them(rule: str) -> None:
    """§4: five stones with another among them are no row; five between two others, or beside a wall, are one."""
    parted = played("a1 c1 b1 a9 d1 c9 e1 e9 f1", rule=rule)
    assert parted.states["winner"][0] == -1
    between = played("b1 a1 c1 g1 d1 a9 e1 c9 f1", rule=rule)
    assert between.states["winner"][0] == 0


def test_an_overline_neither_wins_nor_loses() -> None:
    """§4, standard: play goes on after six, they may become seven, and a five made later still wins."""
    batch = played("a1 a9 b1 c9 c1 e9 e1 g9 f1 i9 d1", rule="standard")
    moves = "k9 g1 m9 h3 o9 i3 b7 j3 d7 k3 f7"
    for word in moves.split():
        assert not scores(batch.game, batch.states)[0]
        rewards, over, _ = batch.step(np.array([text.parse(batch.states[0], word)]))
        assert not rewards.any()
        assert not over[0]
    rewards, over, _ = batch.step(np.array([text.parse(batch.states[0], "l3")]))
    assert rewards.tolist() == [[1, -1]]
    assert over[0]


def test_the_game_ends_at_once() -> None:
    """§4: no action is left, and playing one raises."""
    batch = played("a1 a9 b1 c9 c1 e9 d1 g9 e1")
    assert batch.to_move[0] == OVER
    assert not batch.mask.any()
    with pytest.raises(IllegalAction, match="ended"):
        batch.step(np.array([0]))


FIVE_ON_ODD = """\
X X X X X
O O X O O
X O O X X
O X O O X
O X O X O"""
NONE_ON_ODD = """\
X X O X X
O X X O O
X O O X X
O X O O X
O X O X O"""
FIVE_ON_EVEN = """\
X O O O O O
O X X X O X
X O X O X O
O X X O O X
X O X X X X
X O O O O X"""
SIX_ON_EVEN = """\
O O O O O O
O X X X O X
X O X O X O
X X X O O X
X O X X X X
X O O O O X"""
NONE_ON_EVEN = """\
X O O X X X
X X O O X X
O O O O X O
X O X X O O
O X X X O X
X O X O O O"""

# A full board, its last point, and the winner under freestyle and standard rules.
FULL = [
    pytest.param(FIVE_ON_ODD, "c5", 0, 0, id="five for seat 0"),  # §4: the last point of an odd board is its own
    pytest.param(FIVE_ON_EVEN, "d6", 1, 1, id="five for seat 1"),  # §4: and of an even one the other's
    pytest.param(SIX_ON_EVEN, "c6", 1, None, id="six"),  # §4: on the last point it wins or it makes a draw
    pytest.param(NONE_ON_ODD, "a5", None, None, id="none 5x5"),  # §5
    pytest.param(NONE_ON_EVEN, "c6", None, None, id="none 6x6"),  # §5
]


@every_rule
@pytest.mark.parametrize(("picture", "last", "freestyle", "standard"), FULL)
def test_full_boards(picture: str, last: str, freestyle: int | None, standard: int | None, rule: str) -> None:
    """§4, §5, §6: the last of n² actions wins or draws; until then all returns are 0 and the game goes on."""
    batch, oracle = laid(picture, rule, last)
    winner = standard if rule == "standard" else freestyle
    assert oracle.winner() == winner  # the pictures are what their comments say
    assert oracle.mover() is None
    assert batch.states["ply"][0] == batch.game.longest == oracle.n**2
    assert batch.states["winner"][0] == (-1 if winner is None else winner)
    assert batch.to_move[0] == OVER
    assert not batch.mask.any()
    replay = Batch(batch.game, 1, seed=0, encoder=None)
    for a in oracle.actions[:-1]:
        rewards, over, cut = replay.step(np.array([a]))
        assert not rewards.any()
        assert not over[0]
        assert not cut[0]
    rewards, over, cut = replay.step(np.array(oracle.actions[-1:]))
    assert rewards[0].tolist() == oracle.returns() == [[1, -1], [-1, 1], [0, 0]][2 if winner is None else winner]
    assert over[0]
    assert not cut[0]


@pytest.mark.parametrize("action", [-1, 12, 25, 26, 2**40])
def test_illegal_actions(action: int) -> None:
    """§7: they raise and leave the position untouched, or cost the offender the game: -1, and 0 for the other."""
    batch = played("c3 a1 b2", board_size=5)
    before = batch.states.tobytes()
    with pytest.raises(IllegalAction):
        batch.step(np.array([action]))
    assert batch.states.tobytes() == before
    lenient = Batch(batch.game, 1, seed=0, illegal="forfeit")
    lenient.states = batch.states
    oracle = Gomoku(5)
    for a in (12, 20, 16, action):
        oracle.play(a)
    rewards, over, _ = lenient.step(np.array([action]))
    assert rewards[0].tolist() == oracle.returns() == [0, -1]
    assert over[0]
    assert not lenient.mask.any()


# Keys


def test_equal_positions_have_equal_keys() -> None:
    """Stones and seat to move make the key, whatever the order of play and whichever stone was last."""
    game = find(SPEC, board_size=5)
    sequences = [list(moves) for k in range(count(5, 4)) for moves in permutations((0, 1, 5, 6, 12), k)]
    states = replayed(game, sequences).states
    described = [(s["board"].tobytes(), int(s["to_move"])) for s in states]
    found = dict(zip(described, keys(game, states), strict=True))
    assert [found[position] for position in described] == keys(game, states)
    assert len(set(found.values())) == len(found)
    assert len(found) < len(sequences)  # otherwise no position came twice and the test says little


@every_set
def test_other_positions_have_other_keys(game: Game) -> None:
    """Among random positions, and a single stone of either seat on any point."""
    many = count(2000 if game.params["board_size"] < 7 else 100, 8)
    states = replayed(game, random_histories(game, many)).states
    described = {(s["board"].tobytes(), int(s["to_move"])) for s in states}
    assert len(set(keys(game, states))) == len(described)
    single = np.repeat(game.blank, 2 * game.actions)
    single["board"] = np.concatenate([np.eye(game.actions), 2 * np.eye(game.actions)])
    assert len(set(keys(game, single))) == 2 * game.actions


def test_keys_tell_movers_and_rules_apart() -> None:
    """The same stones with seat 0 or seat 1 to move, after a forfeit, or under the other rule (§4) are other games."""
    one, other = (played("c3 a1", board_size=5, rule=rule) for rule in ("freestyle", "standard"))
    states = np.repeat(one.states, 3)
    states["to_move"] = (0, 1, OVER)
    assert len({*keys(one.game, states), *keys(other.game, other.states)}) == 4


# Frames and symmetry


@every_set
def test_actions_share_the_frame_of_the_observations(game: Game) -> None:
    """§7: action i is cell i of the planes and entry i of either half of `flat`, for both seats."""
    for a in random.Random(3).sample(range(game.actions), count(25, 5)):
        batch = Batch(game, 1, seed=0, encoder=None)
        batch.step(np.array([a]))
        for seat in (0, 1):
            planes, flat = (seen(game, batch.states, encoder, seat)[0] for encoder in ("planes", "flat"))
            assert np.flatnonzero(planes[seat]).tolist() == np.flatnonzero(planes[2]).tolist() == [a]
            assert np.flatnonzero(flat).tolist() == [seat * game.actions + a]
            assert [Frame(game, encoder).seen(a, seat) for encoder in SPEC.encoders] == [a, a]


def test_flat_has_the_published_size() -> None:
    assert find(SPEC, board_size=19).shape("flat") == (722,)


@every_set
def test_symmetries_keep_the_game(game: Game) -> None:
    """§9: turned and reflected games have masks and observations turned alike, and the same mover and winner."""
    tables, oracle = rules.symmetries(**game.params), Gomoku(**game.params)
    expected = {
        tuple(oracle.turned(a, turns, mirrored=mirrored) for a in range(game.actions))
        for turns in range(4)
        for mirrored in (False, True)
    }
    assert len(expected) == len(tables) == 8
    assert {tuple(table) for table in tables.tolist()} == expected
    drawn = histories(game, count(40 if game.params["board_size"] < 7 else 15, 4))
    here = replayed(game, drawn)
    for table in tables:
        there = replayed(game, [[int(table[a]) for a in history] for history in drawn])
        assert np.array_equal(here.mask, there.mask[:, table])
        for field in ("to_move", "winner", "ply"):
            assert np.array_equal(here.states[field], there.states[field])
        for seat in (0, 1):
            for encoder, parts in (("planes", 4), ("flat", 2)):
                x, y = (
                    seen(game, batch.states, encoder, seat).reshape(-1, parts, game.actions) for batch in (here, there)
                )
                assert np.array_equal(x, y[:, :, table])


# Random playouts


def tally(states, tries, rng, mask, p, counts):  # type: ignore[no-untyped-def]
    """Generic kernel: finish ``states[0]`` at random `tries` times in ``states[1]``; count both seats' wins and draws.

    The rest of `counts` sums the plies that this took, and their squares.
    """
    for _ in range(tries):
        states[1] = states[0]
        playout(states[1], rng, mask, p)
        counts[2 if states[1].winner < 0 else states[1].winner] += 1
        plies = states[1].ply - states[0].ply
        counts[3] += plies
        counts[4] += plies * plies


def finished(game: Game, state: NDArray[np.void], tries: int, **choices: object) -> NDArray[np.int64]:
    """Tally random playouts from a record, shape (1,)."""
    rng, mask, counts = np.array([2026, 0], np.uint64), np.zeros(game.actions, np.int8), np.zeros(5, np.int64)
    bind(tally, game, **choices)(np.repeat(state, 2), tries, rng, mask, np.zeros(1), counts)
    return counts


def exact_chances(oracle: Gomoku) -> NDArray[np.float64]:
    """Return the probabilities that seat 0 wins, that seat 1 wins and of a draw when both play at random."""
    known: dict[frozenset[tuple[Cell, int]], NDArray[np.float64]] = {}

    def chances(game: Gomoku) -> NDArray[np.float64]:
        if game.mover() is None:
            winner = game.winner()
            return np.eye(3)[2 if winner is None else winner]
        if merged(game) not in known:
            after = [game.copy() for _ in game.legal()]
            for twin, a in zip(after, sorted(game.legal()), strict=True):
                twin.play(a)
            known[merged(game)] = np.mean([chances(twin) for twin in after], axis=0)
        return known[merged(game)]

    return chances(oracle)


def nearly_finished(picture: str, rule: str) -> Iterator[tuple[Gomoku, NDArray[np.void]]]:
    """Yield positions a few random plies on from a picture, finished ones included."""
    rng = random.Random(picture + rule)
    for plies in count(list(range(9)), [3, 4, 5, 8]):
        batch, oracle = laid(PICTURES[picture], rule)
        while plies and oracle.mover() is not None:
            a = rng.choice(sorted(oracle.legal()))
            batch.step(np.array([a]))
            oracle.play(a)
            plies -= 1
        yield oracle, batch.states


@every_rule
@pytest.mark.parametrize("picture", ["5x5", "6x6", "7x7"])
@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["gomoku", "generic"])
def test_playouts_from_late_positions(picture: str, rule: str, choices: dict[str, object]) -> None:
    """Both ways to finish a game at random come to each end as often as enumerating all continuations says."""
    # Without JIT it is Gomoku's own playout that may be broken (`test_mutants.py`).
    tries = count(20_000, 20 if choices else 500)
    for oracle, state in nearly_finished(picture, rule):
        game = find(SPEC, board_size=oracle.n, rule=rule)
        chances = exact_chances(oracle)
        bounds = SIGMAS * np.sqrt(tries * chances * (1 - chances)) + 1e-6
        assert (abs(finished(game, state, tries, **choices)[:3] - tries * chances) <= bounds).all()


@pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many games")
@every_rule
@pytest.mark.parametrize(("board_size", "tries"), [(6, 40_000), (15, 10_000)])
def test_playouts_from_the_start(board_size: int, tries: int, rule: str) -> None:
    """The game's own playout and the generic one win and draw equally often, and take as many plies."""
    game = find(SPEC, board_size=board_size, rule=rule)
    for history in ([], [7, 8], [7, 0, 8]):
        state = replayed(game, [history, [0]]).states[:1]
        fast, slow = (finished(game, state, tries, **choices) for choices in ({}, {"playout": kernels.random_playout}))
        assert (abs(fast[:3] - slow[:3]) <= SIGMAS * math.sqrt(2 * tries * 0.25)).all()
        variance = slow[4] - slow[3] ** 2 / tries
        assert abs(fast[3] - slow[3]) <= SIGMAS * math.sqrt(2 * variance)


@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["gomoku", "generic"])
def test_random_games_score_every_game(choices: dict[str, object]) -> None:
    """§6: over many games the returns add up to zero, and seat 0, who begins, wins somewhat more."""
    game, tries = find(SPEC, board_size=6), count(40_000, 10)
    total, rng = np.zeros(2, np.float32), np.array([7, 0], np.uint64)
    scratch = (np.zeros(game.actions, np.int8), np.zeros(1), total)
    bind(kernels.random_games, game, **choices)(game.blank.copy(), game.blank, tries, rng, *scratch)
    assert total.sum() == 0
    assert abs(total[0]) <= tries
    if not config.DISABLE_JIT:
        assert 0 < total[0] < 0.1 * tries
