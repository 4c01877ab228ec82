"""Jiu's layout, moves, squares and captures in positions set up by hand: `position` sets them up, `played` plays on.

Under NUMBA_DISABLE_JIT=1, where `test_mutants.py` runs these tests on broken copies of the game, random games are
fewer.
"""

import re

import numpy as np
import pytest
from histories import count, seen
from jiu_positions import every_small_set, laid_out, named, played, position, stands, stones, whole
from numpy.typing import NDArray

from boyi.envs import Batch, Game
from boyi.envs.grid.cells import LETTERS, side_of
from boyi.envs.jiu import text
from boyi.envs.jiu.constants import DROP, JUMP, LAYOUT
from boyi.envs.jiu.points import DIGITS

pytestmark = pytest.mark.kernels


def turned(*rows: str) -> list[str]:
    """Exchange rows and columns of a whole board of 14 × 14."""
    return ["".join(column) for column in zip(*whole(*rows), strict=True)]


def transposed(line: str) -> str:
    """Exchange rows and columns in the names of actions of seat 1."""
    r, c = LETTERS.upper(), DIGITS
    return re.sub(r"\b([A-N])([0-9A-D])\b", lambda p: r[c.index(p[2])] + c[r.index(p[1])], line)


# The layout


@pytest.mark.parametrize("n", [6, 14])
def test_the_layout_begins_on_the_diagonal(n: int) -> None:
    """§1, §2: seat 0 chooses an end of the marked diagonal, seat 1 has the other; then all empty points."""
    low, high = n // 2 - 1, n // 2
    for first, second in ((low, high), (high, low)):
        batch = Batch("jiu", 1, seed=0, encoder=None, board_size=n)
        assert stands(batch) == "X layout" and not batch.states["board"].any()
        assert named(batch) == [f"{LETTERS[p]}{p}" for p in (low, high)]
        batch.step(np.array([first * n + first]))
        assert (stands(batch), named(batch)) == ("O layout", [f"{LETTERS[second].upper()}{second}"])
        batch.step(np.array([second * n + second]))
        assert stands(batch) == "X layout"
        free = np.delete(np.arange(n * n), [low * n + low, high * n + high])
        assert np.array_equal(np.flatnonzero(batch.mask[0]), free)


def test_opening_the_board() -> None:
    """§2, §3: P1. 196 stones, nothing taken whatever shapes arise; the two in the middle are taken off."""
    batch = laid_out(*["XXXXXXXOOOOOOO"] * 14)
    s = batch.states[0]
    board = s["board"].reshape(14, 14)
    assert (stands(batch), stones(batch), s["ply"], s["turns"]) == ("O turn", [97, 97], 196, 0)
    assert np.argwhere(board == 0).tolist() == [[6, 6], [7, 7]]
    assert board[0].tolist() == [1] * 7 + [2] * 7
    assert s["squares"].tolist() == [76, 76]
    assert named(batch) == ["I7-H7", "G7-H7", "G7-G6", "H8-H7"]


def test_the_second_player_may_be_stuck_at_once() -> None:
    """§3, §15: seat 1 moves first, and has lost where no stone of its own is near the two empty points."""
    batch = laid_out("XOXOOX", "OOXXOO", "XXXXXO", "OXXOXX", "OOXXOO", "XOOXOO")
    assert (stands(batch), stones(batch)) == ("X has won", [17, 17])
    assert stands(laid_out("OOXXOX", "OOXXOO", "XXXXXO", "OXXOXX", "OOXXOO", "XOOXOO")) == "X has won"
    batch = laid_out("XOOXOX", "OOXXOO", "XXXXXO", "OXXOXX", "OOXXOO", "XOOXOO")
    assert (stands(batch), named(batch)) == ("O turn", ["A2-C2"])


# Steps and jumps


def about(batch: Batch, point: str) -> set[str]:
    """Name where the stone on a point may go."""
    return {word[3:] for word in named(batch) if word.startswith(f"{point}-")}


@pytest.mark.parametrize(
    ("rows", "point", "ends"),
    [
        (["", "", "", "...O"], "D3", "C3 E3 D2 D4"),
        (["O"], "A0", "A1 B0"),
        (["............OO"], "AD", "BD"),
        (["", "O"], "B0", "A0 C0 B1"),
        (["", "............XO"], "BD", "AD CD BB"),
        (["", "...X", "..XOX", "...X"], "C3", "A3 E3 C1 C5"),
        (["OO.O", "O"], "A0", ""),
        (["OXX", "O"], "A0", ""),
        (["OXO", "X", "X"], "A0", ""),
        (["O.X"], "A0", "A1 B0"),
        (["OX", "XX"], "A0", "A2 C0"),
        (["O", ".X"], "A0", "A1 B0"),
        ([".............O", "X"], "AD", "AC BD"),
        (["............OX", "............."], "AC", "AB BC"),
        ([".............X", "O"], "B0", "A0 C0 B1"),
        ([".............X", "XO"], "B1", "A1 C1 B2"),
        (["OX", ""], "A0", "A2 B0"),
        ([".OX"], "A1", "A0 A3 B1"),
        ([".XO"], "A2", "A0 A3 B2"),
        (["XO"], "A1", "A2 B1"),
    ],
)
def test_where_a_stone_goes(rows: list[str], point: str, ends: str) -> None:
    """§5, §6: to empty neighbours, over one stone of the other's to an empty point; never diagonally or round edges."""
    for board, p, to in ((rows, point, ends), (turned(*rows), transposed(point), transposed(ends))):
        batch = played(position(*board))
        assert about(batch, p) == set(to.split())
        assert not [word for word in named(batch) if "-" not in word]  # §4: there is no passing


def test_moves_on_random_boards() -> None:
    """§5, §6: for either seat, in whatever positions."""
    rng, batch = np.random.default_rng(1), Batch("jiu:board_size=6,flying=below,single_jump_ban=none", 1, seed=0)
    for k in range(count(300, 40)):
        board = rng.permutation(np.repeat([0, 1, 2], [36 - 2 * (6 + k % 12)] + [6 + k % 12] * 2)).reshape(6, 6)
        rows = ["".join(".XO"[v] for v in row) for row in board]
        expected = moves(board, 2 - k % 2)
        if expected:
            batch.states = position(*rows, n=6, turns=k % 2, flying="below", single_jump_ban="none")
            assert set(named(batch)) == expected


def moves(board: NDArray[np.int64], mine: int) -> set[str]:
    """Name the steps and first jumps of stones like `mine`."""
    wide, found = np.pad(board, 2, constant_values=3), set()
    for r, c in np.argwhere(wide == mine):
        for y, x in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            near, far = wide[r + y, c + x], wide[r + 2 * y, c + 2 * x]
            reach = 1 if near == 0 else 2 if near == 3 - mine and far == 0 else 0
            if reach:
                ends = ((r, c), (r + reach * y, c + reach * x))
                word = "-".join(f"{LETTERS[a - 2]}{DIGITS[b - 2]}" for a, b in ends)
                found.add(word.upper() if mine == 2 else word)
    return found


def test_a_jump_takes_at_once_and_may_go_on() -> None:
    """§6, §7: P5. The stone stops after any jump or turns and jumps on; when it cannot the turn passes by itself."""
    state = position("OX...", "..X..", "...X.", "", "OX")
    batch = played(state, "A0-A2")
    assert (stands(batch), named(batch), stones(batch)) == ("O jump", ["A2-C2", "stop"], [24, 23])
    assert batch.states["runner"][0] == 2
    batch = played(batch.states, "stop")
    assert (stands(batch), stones(batch), batch.states["turns"][0]) == ("X turn", [24, 23], 1)
    batch = played(state, "A0-A2, A2-C2, C2-C4")
    assert (stands(batch), stones(batch)) == ("X turn", [22, 23])
    board = batch.states["board"][0].reshape(14, 14)
    assert board[2, 4] == 2 and not board[:3, :4].any()


def test_a_turn_has_a_step_or_jumps() -> None:
    """§4, §7: a step ends the turn, whatever could be jumped over then; jumps are not followed by steps."""
    assert stands(played(position("O.X"), "A0-A1")) == "X turn"
    assert stands(played(position("OX"), "A0-A2")) == "X turn"


def test_revisit() -> None:
    """§7: P5b. Back to where it started, unless `revisit=false`: nor there, nor on any point that it landed on."""
    loop = ["OX", "X.X", ".X"]
    batch = played(position(*loop), "A0-A2, A2-C2, C2-C0")
    assert named(batch) == ["C0-A0", "stop"]
    batch = played(batch.states, "C0-A0")
    assert (stands(batch), stones(batch), batch.states["board"][0, 0]) == ("X turn", [21, 22], 2)
    batch = played(position(*loop, revisit=False), "A0-A2, A2-C2, C2-C0")
    assert (stands(batch), stones(batch)) == ("X turn", [22, 22])
    later = [".X.XO", "X.X", ".X"]
    batch = played(position(*later), "A4-A2, A2-C2, C2-C0, C0-A0, A0-A2")
    assert stones(batch) == [21, 22]
    batch = played(position(*later, revisit=False), "A4-A2, A2-C2, C2-C0, C0-A0")
    assert (stands(batch), stones(batch)) == ("X turn", [22, 22])
    assert not batch.states["been"].any()


# Squares, guns and what they take


@pytest.mark.parametrize(
    ("rows", "line", "due"),
    [
        (["OO..XX", "O.O.XX"], "B2-B1", 1),  # P2
        (["OOO", "O.O", ".O."], "C1-B1", 2),  # P3: a double gate
        (["OOO.", "O.XO", "OOO."], "B3-B1", 2),  # P3b: a jump and two squares
        (["OO..", "O.XO"], "B3-B1", 1),  # P6: a jump and a square
        (["OO..", "O.XO", ".X.."], "B3-B1, stop", 1),  # P7
        (["OO..", "O.XO", ".X.."], "B3-B1, B1-D1", 0),  # P7: the square on the way earns nothing
        (["OO..O", "OO..."], "A4-A3", 0),  # a square that was there
        (["OO.O", "OO.."], "A3-A2", 0),  # and that has the point beside it
        (["XX..", "X.O."], "B2-B1", 0),  # the other's stones in it
        (["O.O.", "....", "O..O"], "C3-C2", 0),  # squares are unit cells
        (["OO", "O.XO"], "B3-B1", 1),
    ],
)
def test_squares(rows: list[str], line: str, due: int) -> None:
    """§8: unit cells full of one's own stones around the last point of the move, no others."""
    for board, path in ((rows, line), (turned(*rows), transposed(line))):
        assert stands(played(position(*board), path)) == (f"O take {due}" if due else "X turn")


@pytest.mark.parametrize(
    ("rows", "drop", "due"),
    [
        ([".O", "OO"], "A0", 1),
        (["O.", "OO"], "A1", 1),
        (["OO", ".O"], "B0", 1),
        (["OO", "O."], "B1", 1),
        (["OOO", "O.O", "OOO"], "B1", 4),
        (["O.O", "...", "O.O"], "B1", 0),
    ],
)
def test_squares_around_a_flight(rows: list[str], drop: str, due: int) -> None:
    """§8, §11: the last point may be any corner of a square, and the middle of four."""
    batch = played(position(*rows, *[""] * (4 - len(rows)), ".....O.XXX..XX", fill=False), f"lift E5, drop {drop}")
    assert stands(batch) == (f"O take {due}" if due else "X turn")


def test_a_broken_square_earns_again() -> None:
    """§8: P4. The runner of a dalian completes a square at either end, again and again."""
    state = position("OOOO", "OO.O", dalian_win="off")
    batch = played(state, "B1-B2")
    assert stands(batch) == "O take 1"
    batch = played(batch.states, "take j0, j2-i2, B2-B1")
    assert stands(batch) == "O take 1"
    batch = played(batch.states, "take j4, i2-h2, B1-B2")
    assert stands(batch) == "O take 1"


GUN = ["OOOOOOOOOOOOO.", ".............O"]
SHA = [".....OO", "OOOOOO.OOOOOOO", "......O"]


@pytest.mark.parametrize(
    ("rows", "line", "due"),
    [
        (GUN, "BD-AD", 2),  # P8
        (["." + GUN[0][1:], GUN[1]], "BD-AD", 0),  # a line but for one stone
        ([GUN[0].replace("O", "X", 1), GUN[1]], "BD-AD", 0),  # or with one of the other's
        ([GUN[0], "............O"], "BC-BD", 0),  # not through the last point
        (["OOOOOOOOOOOOOO", GUN[1]], "BD-CD", 0),
        (SHA, "C6-B6", 3),  # P8: with a square
        ([".....OOO", *SHA[1:]], "C6-B6", 4),  # P8: with two
    ],
)
def test_guns(rows: list[str], line: str, due: int) -> None:
    """§9: a full row or column through the last point earns two, besides its squares; nothing with `gun=false`."""
    for gun, earned in ((True, due), (False, max(0, due - 2))):
        for board, path in ((rows, line), (turned(*rows), transposed(line))):
            batch = played(position(*board, gun=gun), path)
            assert stands(batch) == (f"O take {earned}" if earned else "X turn")


def test_taking() -> None:
    """§10: P2. Any of the other's stones, in squares or not; then the other seat is to move."""
    batch = played(position("OO..XX", "O.O.XX"), "B2-B1")
    marks = "".join(whole("OO..XX", "OO..XX"))
    assert named(batch) == [f"take {LETTERS[p // 14]}{DIGITS[p % 14]}" for p in range(196) if marks[p] == "X"]
    assert len(named(batch)) == 25
    batch = played(batch.states, "take a4")
    assert (stands(batch), stones(batch)) == ("X turn", [24, 25])
    assert batch.states["board"][0, 4] == 0


def test_taking_one_by_one() -> None:
    """§10: as many as were earned, by the same seat, which may stop before with `must_take=false` alone."""
    double = ["OOO.XX", "O.O.XX", ".O."]
    batch = played(position(*double), "C1-B1, take a4")
    assert (stands(batch), len(named(batch))) == ("O take 1", 24)
    assert stands(played(batch.states, "take b5")) == "X turn"
    for line, left, quiet in (("", 25, 1), (", take a4", 24, 0), (", take a4, take b5", 23, 0)):
        batch = played(position(*double, must_take=False), f"C1-B1{line}")
        if left > 23:
            assert named(batch)[-1] == "stop"
            batch = played(batch.states, "stop")
        assert (stands(batch), stones(batch)) == ("X turn", [left, 27])
        assert (batch.states["quiet"][0], batch.states["taken"][0]) == (quiet, 0)


# Names, and what the seats see


# Names, and what the seats see

NAMED = {
    94: "gA", 105: "h7", 196 + 89: "g5-f5", 2 * 196 + 89: "g5-i5", 3 * 196 + 89: "g5-g3", 4 * 196 + 89: "g5-g6",
    196: "a0-up", 2 * 196 + 182: "n0-down", 3 * 196: "a0-left", 4 * 196 + 195: "nD-right", 5 * 196 + 89: "lift g5",
    6 * 196 + 17: "drop b3", 7 * 196 + 148: "take K8", 8 * 196: "stop",
}  # fmt: skip


def test_names() -> None:
    """§19, §20: rows have letters, columns digits; capitals for black stones; a step or jump by where it ends."""
    rows = [*[""] * 6, "....OX", ".....O"]
    black = [row.translate(str.maketrans("XO", "OX")) for row in rows]
    swapped = {a: re.sub(r"\b\w(?=[0-9A-D]\b)", lambda letter: letter[0].swapcase(), NAMED[a]) for a in NAMED}
    assert swapped[94] == "GA" and swapped[7 * 196 + 148] == "take k8"
    for state, names in ((position(*rows, turns=1), NAMED), (position(*black), swapped)):
        assert {a: text.name(state[0], a) for a in names} == names


def planes(s: np.void, seat: int) -> NDArray[np.float32]:
    """Write the planes of the page's table for one seat."""
    n, other, mover, battle = side_of(s), 1 - seat, int(s["to_move"]), s["phase"] != LAYOUT
    x = np.zeros((13, n * n), np.float32)
    x[0], x[1] = s["board"] == seat + 1, s["board"] == other + 1
    x[2, s["latest"][other]] = s["latest"][other] >= 0
    x[3], x[4] = seat == 0, battle
    x[5, s["runner"]] = s["runner"] >= 0
    x[6], x[7], x[8] = s["phase"] == JUMP, s["phase"] == DROP, s["due"] / 8
    for plane, side in ((9, seat), (10, other)):
        before = (s["board"] == side + 1).sum() + (s["taken"] if side != mover else 0)
        x[plane] = battle and before < n + (s["flying"] == 0)
    x[11] = s["quiet"] / s["no_capture_limit"] if s["no_capture_limit"] else 0
    x[12] = (0, 0, 0.5, 1)[min(3, s["seen"])]
    return x.reshape(13, n, n)


@every_small_set
def test_planes(game: Game) -> None:
    """The page's table, from both seats, all through random games; `layout4` is its first four planes."""
    batch, told = Batch(game, count(6, 1), seed=4, encoder=None), np.zeros(13, bool)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        if batch.states["ply"][rows[0]] % count(1, 7) == 0:
            for seat in (0, 1):
                expected = np.array([planes(s, seat) for s in batch.states[rows]])
                assert np.array_equal(seen(game, batch.states[rows], "planes", seat), expected)
                assert np.array_equal(seen(game, batch.states[rows], "layout4", seat), expected[:, :4])
                told |= expected.any(axis=(0, 2, 3))
        batch.step(batch.sample()[rows], rows)
    assert told[:5].all() or game.params["layout_only"]


def constants(batch: Batch, seat: int) -> list[float]:
    """Return what a seat sees everywhere on the planes 3, 4 and 6 to 12."""
    x = seen(batch.game, batch.states, "planes", seat)[0, [3, 4, *range(6, 13)]]
    assert (x == x[:, :1, :1]).all()
    return [float(v) for v in x[:, 0, 0]]


def test_planes_of_positions() -> None:
    """§8, §11, §16: who flew as the turn began, what is due, quiet turns, and how often the position has stood."""
    batch = played(position("OX.X", "", "", "XXXXX", "", "OOOOO", n=6), "A0-A2")
    assert constants(batch, 1) == [0, 1, 1, 0, 0, 1, 0, 0, 0]
    assert constants(batch, 0) == [1, 1, 1, 0, 0, 0, 1, 0, 0]
    assert np.argwhere(seen(batch.game, batch.states, "planes", 0)[0, 5]).tolist() == [[0, 2]]
    batch = played(batch.states, "A2-A4, lift d2")
    assert constants(batch, 0) == [1, 1, 0, 1, 0, 1, 1, 0, 0]
    assert np.argwhere(seen(batch.game, batch.states, "planes", 0)[0, 2]).tolist() == [[0, 4]]
    assert np.argwhere(seen(batch.game, batch.states, "planes", 1)[0, 5]).tolist() == [[3, 2]]
    assert constants(played(batch.states, "drop b0"), 1) == [0, 1, 0, 0, 0, 1, 1, pytest.approx(0.01), 0]
    batch = played(position("OOO", "O.O", ".O."), "C1-B1")
    assert constants(batch, 0) == [1, 1, 0, 0, 0.25, 0, 0, 0, 0]
    batch = played(position("O", "...X", repetition=0, no_capture_limit=0))
    for times in range(1, 5):
        assert constants(batch, 1) == [0, 1, 0, 0, 0, 0, 0, 0, min(1, (times - 1) / 2)]
        batch = played(batch.states, "A0-B0, b3-a3, B0-A0, a3-b3")
