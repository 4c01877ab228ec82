"""Amazons against its page: the tests of every game, and worked positions by clause."""

from collections.abc import Hashable

import numpy as np
import pytest
from amazons_oracle import Amazons
from game_tests import GameTests, OpenSpielTests, PerftTests
from histories import keys, lawful, number_of_actions, play, scores, seen
from sizes import COMPILES

from boyi.envs import Batch, IllegalAction, find
from boyi.envs.amazons import rules, text
from boyi.envs.amazons.constants import ARROW
from boyi.envs.amazons.valid import FLAWS
from boyi.envs.engine.bind import bind
from boyi.envs.engine.errors import NoPosition
from boyi.envs.engine.protocol import OVER

pytestmark = pytest.mark.kernels

MOVES = "b1 b4 d4 e6 e3 c3 a2 d5"  # those of the page's diagram

DIAGRAM = """amazons 6x6  ply 8  phase shoot  last d5  X to move
 6  . O . . . .
 5  O . . X . O
 4  . X . # . .
 3  . . # . O .
 2  . . . . . X
 1  . . . . X .
    a b c d e f"""

SHUT = """amazons 4x4  ply 19  phase go  last d4  X to move
 4  O O # X
 3  O O # X
 2  # # . .
 1  # # X X
    a b c d"""

BAD_DIAGRAMS = {
    "empty": "",
    "head alone": DIAGRAM.splitlines()[0],
    "missing row": DIAGRAM.rsplit("\n", 1)[0],
    "foreign mark": (DIAGRAM.replace("#", "%"), "row 4 must hold 6 of the marks . X O #"),
    "row number": DIAGRAM.replace(" 6 ", " 7 "),
    "trailing space": DIAGRAM + " ",
    "phase": (DIAGRAM.replace("phase shoot", "phase go"), "ply, phase, last action and who is to move do not agree"),
    "mover": DIAGRAM.replace("X to", "O to"),
    "a closed cell too few": DIAGRAM.replace("#", ".", 1),
    "ply": DIAGRAM.replace("ply 8", "ply 14"),
    "ply too high": (DIAGRAM.replace("ply 8", "ply 85"), "no game of this size has 85 plies"),
    "an amazon too few": DIAGRAM.replace("O .\n", ". .\n"),
    "an amazon too many": DIAGRAM.replace(" 1  .", " 1  X"),
    "another has the hand": DIAGRAM.replace("last d5", "last e3"),
    "nobody has the hand": DIAGRAM.replace("last d5", "last d6"),
    "nothing played": DIAGRAM.replace("last d5", "last -"),
    "last off the board": DIAGRAM.replace("last d5", "last g5"),
    "shut in": SHUT,
    "shut in at the start": SHUT.replace("19  phase go", "18  phase choose").replace(". .", "# #").replace("d4", "c4"),
}


class TestAmazons(PerftTests, OpenSpielTests, GameTests):
    game, oracle = "amazons", Amazons
    bad_names = ("", "a", "1", "a0", "a11", "k1", "aa1", "1a", "a01", "a1 b1", "a1-b1", "pass", "ä1", "a１")
    allowed = "cells are a1 to j10"
    diagrams = {DIAGRAM: ("amazons:board_size=6", MOVES)}
    bad_diagrams = BAD_DIAGRAMS
    compared = {"amazons": (60, 1)}
    counted = {
        "amazons": [1, 4, 80, 2176, 8704],
        "amazons:board_size=4": [1, 4, 16, 88, 352, 1090, 4336],
        "amazons:board_size=5": [1, 4, 28, 260, 1040, 6398],
        "amazons:board_size=7": [1, 4, 48, 812, 3248],
    }

    def identity(self, state: np.void) -> Hashable:
        """The board, the mover, what comes next and the amazon in hand make a position, and not what was shot last."""
        hand = int(state["last"]) if state["ply"] % 3 else -1
        return state["board"].tobytes(), int(state["to_move"]), int(state["ply"]) % 3, hand

    def merged(self, oracle: Amazons) -> Hashable:
        return tuple(map(frozenset, oracle.amazons)), frozenset(oracle.closed), oracle.seat, oracle.in_hand


# Worked positions, by clause


def cells(n: int, names: str) -> list[int]:
    """Number cells by their names."""
    state = find("amazons", board_size=n).blank[0]
    return [text.parse(state, name) for name in names.split()]


def laid(n: int, white: str, black: str, closed: str) -> Batch:
    """Set up a position in which a turn is to begin."""
    batch = Batch(f"amazons:board_size={n}", 1, seed=0)
    states, shot = batch.states, cells(n, closed)
    states["board"] = 0
    for value, names in ((1, white), (2, black), (ARROW, closed)):
        states["board"][0, cells(n, names)] = value
    states["ply"], states["to_move"], states["last"] = 3 * len(shot), len(shot) % 2, shot[-1]
    batch.states = states
    return batch


@pytest.mark.parametrize(
    ("n", "white", "black"),
    [
        (4, "a2 b1 c1 d2", "a3 b4 c4 d3"),
        (6, "a2 b1 e1 f2", "a5 b6 e6 f5"),
        pytest.param(8, "a3 c1 f1 h3", "a6 c8 f8 h6", marks=COMPILES),
        (10, "a4 d1 g1 j4", "a7 d10 g10 j7"),
        pytest.param(20, "a7 g1 n1 t7", "a14 g20 n20 t14", marks=COMPILES),
    ],
)
def test_start(n: int, white: str, black: str) -> None:
    """§2: four amazons each, nothing closed, white to choose one of its own (§4)."""
    batch = Batch(f"amazons:board_size={n}", 1, seed=0)
    board, ways = batch.states["board"][0], (white, black)
    for seat, names in enumerate(ways):
        assert np.flatnonzero(board == seat + 1).tolist() == sorted(cells(n, names))
    assert (board != 0).sum() == 8 and lawful(batch) == set(white.split())


def test_a_turn() -> None:
    """§3: three actions of one seat, of which each changes the board only as it says; then the other's turn."""
    batch = Batch("amazons", 1, seed=0)
    turn: list[dict[str, int]] = [{}, {"d1": 0, "d7": 1}, {"h7": ARROW}, {}, {"a7": 0, "a5": 2}, {"a7": ARROW}]
    for k, (word, changed) in enumerate(zip(["d1", "d7", "h7", "a7", "a5", "a7"], turn, strict=True)):
        assert (int(batch.states["ply"][0]), int(batch.to_move[0])) == (k, k // 3)
        before, after = batch.states["board"][0], play(batch, word).states["board"][0]
        wanted = {cells(10, name)[0]: value for name, value in changed.items()}
        assert {int(a): int(after[a]) for a in np.flatnonzero(before != after)} == wanted
    assert batch.to_move[0] == 0


@pytest.mark.parametrize("free", ["b2", "b3", "b4", "c2", "c4", "d2", "d3", "d4", ""])
def test_choosing(free: str) -> None:
    """§1, §4: an amazon amid eight closed cells cannot be chosen; with one of them open it can."""
    mine, theirs = "c3 a5 c5 e5", "a1 a3 c1 e1"
    closed = [name for name in ("b2", "b3", "b4", "c2", "c4", "d2", "d3", "d4") if name != free]
    batch = laid(10, *([theirs, mine] if free else [mine, theirs]), " ".join(closed))
    assert lawful(batch) == {"a5", "c5", "e5"} | ({"c3"} if free else set())


def test_edges() -> None:
    """§1, §4, §5: behind the end of a row there is nothing, and neither above the top nor below the bottom."""
    batch = laid(4, "d3 a1 b1 c1", "d1 a4 b4 c4", "c3 c2 d2 d4")  # a2 follows d3 where cells are numbered
    assert lawful(batch) == {"a1", "b1", "c1"}
    assert lawful(play(batch, "b1")) == {"a2", "b2", "b3"}


def test_moving() -> None:
    """§5: as a queen goes, up to the first cell that is not empty, be it its own seat's, the other's or closed."""
    batch = play(Batch("amazons:board_size=6", 1, seed=0), MOVES[:-3])
    assert " ".join(sorted(lawful(batch))) == "a1 a3 a4 b1 b2 b3 c2 c4 d2 d5 e2 e6"


def test_shooting() -> None:
    """§6: as a queen goes from where the amazon is now, also to the cell that it has left, and beyond."""
    batch = play(Batch("amazons:board_size=6", 1, seed=0), MOVES)
    assert " ".join(sorted(lawful(batch))) == "a2 b3 b5 c4 c5 c6 d6 e4 e5 e6 f3"
    assert {"d1", "d2"} <= lawful(play(Batch("amazons", 1, seed=0), "d1 d3"))
    assert {"a4", "a2", "a1"} <= lawful(play(Batch("amazons", 1, seed=0), "a4 a5"))
    assert "h7" not in lawful(play(Batch("amazons", 1, seed=0), "d1 d7 h7 g10 g7"))


CORNERED = "d4 d3 c1 d1", "a4 b4 a3 b3", "a1 b1 a2 b2 c3 c4"  # black has one cell to go to, c2 from b3


@pytest.mark.parametrize("moves", ["c1 c2 c1", "c1 c2 d2", "c1 d2 c2", "d1 d2 c2"])
def test_who_cannot_move_has_lost(moves: str) -> None:
    """§7, §8: white closes or takes the only cell that black could go to; nothing is paid before."""
    batch = play(laid(4, *CORNERED), moves[:-3])
    assert scores(batch.game, batch.states) == [0, 0]
    rewards, over, _ = batch.step([text.parse(batch.states[0], moves[-2:])])
    assert (rewards[0].tolist(), bool(over[0]), int(batch.states["winner"][0])) == ([1, -1], True, 0)
    assert batch.to_move[0] == OVER and not batch.mask.any()
    with pytest.raises(IllegalAction, match="ended"):
        batch.step([0])


def test_only_whose_turn_begins_loses() -> None:
    """§7: who has shut itself in has not lost before its next turn, and wins where the other cannot begin its own."""
    batch = play(laid(10, "a1 b1 a2 b2", "d5 d4 e5 e4", "c1 c2 c3 b3 a4 b4"), "a2 a3 a2")
    assert batch.to_move[0] == 1 and not rules.can_move(batch.states.view(np.recarray)[0], 0)
    assert scores(batch.game, play(batch, "d4 d3 d4").states) == [-1, 1]
    both = play(laid(4, CORNERED[0], CORNERED[1], CORNERED[2] + " d2"), "b3 c2 b3")
    assert scores(both.game, both.states) == [-1, 1]


def test_actions_and_names() -> None:
    """§8, §9, §10: action r·n + c is the cell in row r from the top and column c; rows are named from the bottom."""
    for n, longest, names in ((10, 276, {"a1": (9, 0), "j10": (0, 9), "c9": (1, 2)}), (20, 1176, {"t20": (0, 19)})):
        assert find("amazons", board_size=n).longest == longest  # a turn for every cell that is empty at the start
        assert all(cells(n, name) == [r * n + c] for name, (r, c) in names.items())


@pytest.mark.parametrize("n", [4, pytest.param(7, marks=COMPILES), 10])
def test_images_of_the_start(n: int) -> None:
    """§11: left and right may be exchanged; top and bottom with the seats; the other images are other positions."""
    states = Batch(f"amazons:board_size={n}", 1, encoder=None).states
    board, tables = states["board"][0].reshape(n, n), rules.symmetries(n)
    same = [k for k in range(8) if np.array_equal(rules.image(states, k), states)]
    exchanged = [k for k in range(8) if np.array_equal(rules.image(states, k)["board"][0] % 3, -states["board"][0] % 3)]
    assert [len(same), len(exchanged), len(tables)] == [2, 2, 8] and same[0] == 0
    mirrored = np.arange(n * n).reshape(n, n)[:, ::-1].ravel().tolist()
    assert tables[same[1]].tolist() == mirrored and np.array_equal(board, board[:, ::-1])
    chosen = int(np.flatnonzero(board == 1)[-1])
    states["last"] = chosen
    assert [int(rules.image(states, k)["last"][0]) for k in range(8)] == tables[:, chosen].tolist()


def test_a_forfeit_leaves_what_is_seen_of_the_board() -> None:
    """§9: planes 0 to 5 are those before an action outside the mask, plane 6 is 0 for both seats."""
    for moves in ("", "d1", "d1 d7"):
        batch = play(Batch("amazons", 1, seed=0, illegal="forfeit"), moves)
        before = [seen(batch.game, batch.states, "planes", seat)[0] for seat in (0, 1)]
        batch.step([cells(10, "a7")[0]])
        after = [seen(batch.game, batch.states, "planes", seat)[0] for seat in (0, 1)]
        assert scores(batch.game, batch.states) == [0, 0]
        assert bind(number_of_actions, batch.game)(batch.states, np.ones(100, np.int8)) == 0
        assert before[0][6].all() and not after[0][6].any() and not after[1][6].any()
        assert all(np.array_equal(a[:6], b[:6]) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("moves", "others", "same"),
    [
        ("d1 d2 d3 a7 a8 a9 g1 g2 g3", "g1 g2 g3 a7 a8 a9 d1 d2 d3", True),
        ("d1 d3 d5 a7 a8 a9 d3", "d1 d2 d5 a7 a8 a9 d2 d3", False),
        ("d1 d3 d5 a7 a8 a9 d3", "d1 d3 d5 a7 a8 a9 j4", False),
    ],
)
def test_keys_of_equal_boards(moves: str, others: str, same: bool) -> None:
    """§3: what was shot last does not matter; what comes next does, and which amazon is in hand; so does a forfeit."""
    one, other = (play(Batch("amazons", 1, seed=0), words).states for words in (moves, others))
    game, ended = find("amazons"), one.copy()
    ended["to_move"] = OVER
    assert np.array_equal(one["board"], other["board"])
    assert (keys(game, one) == keys(game, other)) == same and keys(game, ended) != keys(game, one)


@pytest.mark.parametrize(
    ("field", "value", "flaw"),
    [
        ("board", 1, 1),
        ("ply", -3, 2),
        ("ply", 3, 2),
        ("last", 3, 3),
        ("last", 100, 3),
        ("winner", 0, 4),
        ("to_move", 1, 5),
    ],
)
def test_records_that_are_no_positions(field: str, value: int, flaw: int) -> None:
    """§2, §3, §7: each rule is looked at."""
    batch = Batch("amazons", 1, seed=0)
    states = batch.states
    states[field] = value
    with pytest.raises(NoPosition) as error:
        batch.states = states
    assert FLAWS[flaw] in str(error.value)
