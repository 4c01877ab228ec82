"""Gomoku's evaluation: its tables against their definition, its notes against the oracle, its choices against both."""

import random
from itertools import combinations

import numpy as np
import pytest
from gomoku_oracle import Gomoku
from gomoku_positions import WAYS, every_rule
from sizes import COMPILES

from boyi.baselines.search.evaluation import WIN, evaluation
from boyi.envs import Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import (
    FORCED,
    candidates,
    evaluate,
    follow,
    step,
    survey,
    tactics,
    threats,
    transposition,
)
from boyi.envs.gomoku import evaluate as module
from boyi.envs.gomoku import rules, shapes

pytestmark = pytest.mark.kernels

SIZES = [5, *(pytest.param(size, marks=COMPILES) for size in (6, 9, 15, 22))]
WORDS = ["NOTHING", "ONE", "TWO", "OPEN_TWO", "THREE", "OPEN_THREE", "FOUR", "OPEN_FOUR", "FIVE"]


def fill(states, notes):  # type: ignore[no-untyped-def]
    """Survey the first position."""
    survey(states[0], notes[0])


def go_on(states, notes, a):  # type: ignore[no-untyped-def]
    """Play in the second position, which the first becomes, and follow."""
    states[1] = states[0]
    notes[1] = notes[0]
    step(states[1], a)
    follow(states[0], states[1], notes[1], a)
    states[0] = states[1]
    notes[0] = notes[1]


def look(states, notes, moves, ranks, out):  # type: ignore[no-untyped-def]
    """Write how many candidates and tactics there are, and the value for either seat; list both, tactics behind."""
    s, e = states[0], notes[0]
    out[0] = candidates(s, e, moves, ranks)
    out[1] = tactics(s, e, moves[out[0] :], ranks[out[0] :])
    out[2] = evaluate(s, e, 0)
    out[3] = evaluate(s, e, 1)


def threaten(states, notes, moves, ranks, out):  # type: ignore[no-untyped-def]
    """List the threats; write how many there are, and whether one of them must be played."""
    out[0] = threats(states[0], notes[0], moves, ranks)
    out[1] = out[0] > 0 and ranks[0] >= FORCED


def hashed(states, notes, out):  # type: ignore[no-untyped-def]
    """Write the hash of the first position."""
    out[0] = transposition(states[0], notes[0])


class Position:
    """A position with its notes, played on by the kernels and by the oracle side by side."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.kernels = evaluation(game, "a test").kernels
        self.states, self.notes = np.repeat(game.blank, 2), np.repeat(module.notes(game), 2)
        self.states["last"] = self.states["winner"] = -1
        self.oracle = Gomoku(game.params["board_size"], game.params["rule"])
        self.fill()

    def fill(self) -> None:
        bind(fill, self.game, **self.kernels)(self.states, self.notes)

    def play(self, a: int) -> None:
        bind(go_on, self.game, **self.kernels)(self.states, self.notes, a)
        self.oracle.play(a)

    def look(self) -> tuple[list[int], list[int], int, int]:
        """Return candidates, tactics, and the values for both seats."""
        moves, ranks, out = (np.zeros(2 * self.game.actions, np.int32) for _ in range(3))
        bind(look, self.game, **self.kernels)(self.states, self.notes, moves, ranks, out)
        n, m = out[:2]
        return moves[:n].tolist(), moves[n : n + m].tolist(), int(out[2]), int(out[3])

    def threats(self) -> tuple[list[int], bool]:
        """Return what goes on with a row of threats, and whether one of these has to be played."""
        moves, ranks, out = (np.zeros(self.game.actions, np.int32) for _ in range(3))
        bind(threaten, self.game, **self.kernels)(self.states, self.notes, moves, ranks, out)
        return moves[: out[0]].tolist(), bool(out[1])

    def hash(self) -> int:
        out = np.zeros(1, np.uint64)
        bind(hashed, self.game, **self.kernels)(self.states, self.notes, out)
        return int(out[0])

    def kind(self, seat: int, a: int) -> int:
        return int(self.notes["kinds"][0, seat, a])


def drawn(picture: str, to_move: int, **params: object) -> Position:
    """Set up a picture, X for seat 0 and O for seat 1, whatever the numbers of stones."""
    marks = picture.split()
    position = Position(find("gomoku", board_size=round(len(marks) ** 0.5), **params))
    s = position.states[:1]
    s["board"][0] = [".XO".index(mark) for mark in marks]
    s["ply"], s["to_move"] = sum(mark != "." for mark in marks), to_move
    position.fill()
    return position


def along(line: str) -> str:
    """Make a picture of a square board with this row in the middle."""
    n = len(line)
    return "\n".join(" ".join(line if r == n // 2 else "." * n) for r in range(n))


def after_random_stones(game: Game, rng: random.Random, most: int) -> Position:
    """Play stones near others, so that rows come about, with some anywhere."""
    position = Position(game)
    n = game.params["board_size"]
    for _ in range(rng.randrange(1, most)):
        legal = sorted(position.oracle.legal())
        if not legal:
            break
        near = [a for a in legal if any(abs(r - a // n) < 3 > abs(c - a % n) for r, c in position.oracle.stones)]
        position.play(rng.choice(near if near and rng.random() < 0.9 else legal))
    return position


def completions(oracle: Gomoku, seat: int) -> set[int]:
    """List the points on which a seat, were it to move, would win at once (§4)."""
    return {a for a in oracle.legal() if any(oracle.wins(length) for length in lengths(oracle, seat, a))}


def lengths(oracle: Gomoku, seat: int, a: int) -> list[int]:
    """Measure the rows that a stone would stand in."""
    found = []
    for dr, dc in WAYS:
        length = 1
        for sign in (1, -1):
            r, c = a // oracle.n + sign * dr, a % oracle.n + sign * dc
            while oracle.stones.get((r, c)) == seat:
                length, r, c = length + 1, r + sign * dr, c + sign * dc
        found.append(length)
    return found


def in_one_five(oracle: Gomoku, seat: int, a: int, b: int) -> bool:
    """Whether a stone on b would complete five that the stone on a belongs to."""
    after = oracle.copy()
    cells = divmod(a, oracle.n), divmod(b, oracle.n)
    after.stones[cells[1]] = seat
    rows = [row for owner, row in after.rows() if owner == seat and after.wins(len(row)) and set(cells) <= set(row)]
    return any(abs(row.index(cells[0]) - row.index(cells[1])) < 5 for row in rows)


def defined(own: set[int], empty: set[int], *, exact: bool) -> str:
    """Name the shape on cells -5 to 5 by the fewest stones after which one more makes five through cell 0.

    It is open if they can be chosen so that there are two ways to make five.
    """
    rows = [set(range(first, first + 5)) for first in range(-4, 1)]

    def ways(stones: set[int]) -> set[int]:
        complete = [row for row in rows if not exact or not {min(row) - 1, max(row) + 1} & stones]
        return {a for row in complete if len(row - stones) == 1 for a in row - stones if a in empty}

    if any(row <= own and not (exact and {min(row) - 1, max(row) + 1} & own) for row in rows):
        return "FIVE"
    for fewer, word in enumerate(("FOUR", "THREE", "TWO", "ONE")):
        choices = [ways(own | set(chosen)) for chosen in combinations(sorted(empty - {-5, 5}), fewer)]
        if any(choices):
            return f"OPEN_{word}" if word != "ONE" and max(map(len, choices)) > 1 else word
    return "NOTHING"


@pytest.mark.parametrize("variant", range(5))
def test_every_pattern_has_the_shape_it_is_defined_to_have(variant: int) -> None:
    cells = [-4, -3, -2, -1, 1, 2, 3, 4]
    outer = {-5} & {-5 * (variant & 1)} | {5} & {5 * (variant >> 1 & 1)} if variant != shapes.FREESTYLE else set()
    seen = set()
    for pattern in range(variant, shapes.PATTERNS, 3):
        digits = [pattern // 3**k % 3 for k in range(8)]
        own = {0} | outer | {cell for cell, digit in zip(cells, digits, strict=True) if digit == 1}
        empty = {cell for cell, digit in zip(cells, digits, strict=True) if digit == 0}
        word = defined(own, empty, exact=variant != shapes.FREESTYLE)
        assert WORDS[shapes.SHAPES[variant, pattern]] == word, (variant, digits)
        seen.add(word)
    assert seen == set(WORDS)


LINES = {
    # What X gets on the point marked +, freestyle and by the exact rule; lines begin at the edge and go on with points.
    "....XXXX+....": ("FIVE", "FIVE"),
    "....XX+XX....": ("FIVE", "FIVE"),
    "...XXX+XX....": ("FIVE", "NOTHING"),
    "X..XXXX+X....": ("FIVE", "NOTHING"),
    "....XXX+.....": ("OPEN_FOUR", "OPEN_FOUR"),
    "...OXXX+.....": ("FOUR", "FOUR"),
    "...OXXX+O....": ("NOTHING", "NOTHING"),
    "..X.XX+.X....": ("OPEN_FOUR", "OPEN_FOUR"),
    "....XX+.X....": ("FOUR", "FOUR"),
    "..X.XXX+.X...": ("OPEN_FOUR", "NOTHING"),
    "....X.X+.....": ("OPEN_THREE", "OPEN_THREE"),
    "..O.XX+..O...": ("OPEN_THREE", "OPEN_THREE"),
    "..O.XX+.O....": ("THREE", "THREE"),
    "...OXX+......": ("THREE", "THREE"),
    ".....X.+.....": ("OPEN_TWO", "OPEN_TWO"),
    "....OX+......": ("TWO", "TWO"),
    "....O.+.O....": ("NOTHING", "NOTHING"),
    "......+......": ("ONE", "ONE"),
    "XXX+.........": ("FOUR", "FOUR"),
    "XXXX+........": ("FIVE", "FIVE"),
    ".XX+.........": ("OPEN_THREE", "OPEN_THREE"),
    "XX+..........": ("THREE", "THREE"),
}


@pytest.mark.parametrize("line", LINES)
def test_lines_by_hand(line: str) -> None:
    """On the board, in all directions, forward and backward, for both seats."""
    n, place = 15, line.index("+")
    for rule, word in zip(("freestyle", "standard"), LINES[line], strict=True):
        row = np.array([".XO".index(mark) for mark in line.replace("+", ".").ljust(n, ".")])
        for d, seat in ((d, seat) for d in range(4) for seat in range(2)):
            for way in (1, -1):
                i = np.arange(n)
                points = [n // 2 * n + i, i * n + n // 2, i * n + i, i * n + n - 1 - i][d]
                stones, at = row[::way], place if way == 1 else n - 1 - place
                position = Position(find("gomoku", board_size=n, rule=rule))
                position.states["board"][0, points] = stones if seat == 0 else stones % 2 * 2 + stones // 2
                position.fill()
                shape = position.notes["shapes"][0, seat, points[at]] >> 4 * d & 15
                assert WORDS[shape] == word, (line, rule, d, seat, way)


@every_rule
@pytest.mark.parametrize("size", SIZES)
def test_notes_that_follow_are_those_of_a_survey(size: int, rule: str) -> None:
    """Byte for byte, after every stone of games to the end."""
    rng = random.Random(size)
    game = find("gomoku", board_size=size, rule=rule)
    full = 0
    for _ in range(max(1, 60 // size)):
        position, fresh = Position(game), Position(game)
        while position.states["to_move"][0] >= 0:
            empty = np.flatnonzero(position.states["board"][0] == 0).tolist()
            bind(go_on, game, **position.kernels)(position.states, position.notes, rng.choice(empty))
            fresh.states[0] = position.states[0]
            fresh.fill()
            assert position.notes[0].tobytes() == fresh.notes[0].tobytes()
            counts = position.notes["counts"][0]
            assert counts.sum(axis=1).tolist() == [len(empty) - 1] * 2
        full += len(empty) == 1
    assert full > 0 or size > 5


@every_rule
@pytest.mark.parametrize("size", SIZES[1:4])
def test_kinds_say_what_a_stone_wins(size: int, rule: str) -> None:
    """Against the oracle, on every empty point, for both seats: five at once, or one, or two points to make it on."""
    rng, game = random.Random(size), find("gomoku", board_size=size, rule=rule)
    met = {0: 0, 1: 0, 2: 0, 5: 0}
    for _ in range(300 // size):
        position = after_random_stones(game, rng, 3 * size)
        oracle = position.oracle
        for seat in (0, 1):
            before = completions(oracle, seat)
            for a in oracle.legal():
                kind = position.kind(seat, a)
                if kind < shapes.PLAIN_FOUR and a not in before and rng.random() < 0.8:
                    continue
                assert (kind == shapes.COMPLETE) == (a in before)
                if a in before:
                    met[5] += 1
                    continue
                after = oracle.copy()
                after.stones[divmod(a, size)] = seat
                ways = [b for b in completions(after, seat) if in_one_five(after, seat, a, b)]
                fours = 2 if kind == shapes.WINNING_FOUR else 1 if kind >= shapes.PLAIN_FOUR else 0
                assert min(2, len(ways)) == fours, (oracle.name(a), seat, kind)
                met[fours] += 1
    assert min(met.values()) > 1


@every_rule
@pytest.mark.parametrize("size", [SIZES[0], *SIZES[2:4]])
def test_values_keep_to_the_symmetries(size: int, rule: str) -> None:
    """They are opposite for the seats, the same in all eight positions of the board and with colours exchanged."""
    rng, game = random.Random(1), find("gomoku", board_size=size, rule=rule)
    turns = rules.symmetries(size, rule)
    values = set()
    for _ in range(20):
        position = after_random_stones(game, rng, 4 * size)
        if position.states["to_move"][0] < 0:
            continue
        *_, first, second = position.look()
        assert first == -second and abs(first) < WIN
        values.add(first)
        board = position.states["board"][0].copy()
        twin = Position(game)
        twin.states[0] = position.states[0]
        for turn in turns:
            twin.states["board"][0][turn] = board
            twin.fill()
            assert twin.look()[2] == first
        twin.states["board"][0] = board % 2 * 2 + board // 2
        twin.states["to_move"] = 1 - position.states["to_move"]
        twin.fill()
        assert twin.look()[2] == second
    assert len(values) > 5


@every_rule
@pytest.mark.parametrize("size", SIZES[:4])
def test_candidates_are_legal_and_leave_out_no_win_and_no_stop(size: int, rule: str) -> None:
    rng, game = random.Random(size), find("gomoku", board_size=size, rule=rule)
    met = set()
    for _ in range(40):
        position = after_random_stones(game, rng, 3 * size)
        oracle, mover = position.oracle, position.oracle.mover()
        if mover is None:
            continue
        moves, fours, *_ = position.look()
        threats, forced = position.threats()
        assert len(set(threats)) == len(threats) and set(threats) <= oracle.legal()
        assert moves and len(set(moves)) == len(moves) and set(moves) <= oracle.legal()
        assert len(set(fours)) == len(fours) and set(fours) <= oracle.legal()
        mine, theirs = completions(oracle, mover), completions(oracle, 1 - mover)
        if mine:
            assert set(moves) <= mine and not threats
            met.add("a win")
        elif theirs:
            assert set(moves) <= theirs and (fours == moves or len(theirs) > 1)
            assert threats == fours and forced == bool(threats)
            met.add("a stop")
        elif any(position.kind(mover, a) == shapes.WINNING_FOUR for a in oracle.legal()):
            assert all(position.kind(mover, a) == shapes.WINNING_FOUR for a in moves)
            assert not fours and not threats
        else:
            assert set(fours) == {a for a in oracle.legal() if position.kind(mover, a) >= shapes.PLAIN_FOUR}
            winning = {a for a in oracle.legal() if position.kind(1 - mover, a) == shapes.WINNING_FOUR}
            if winning:
                met.add("an open three")
                met |= meet_threats(position, winning, moves, fours)
                assert set(threats) == set(moves) and forced
            else:
                assert set(threats) == {a for a in oracle.legal() if position.kind(mover, a) >= shapes.LIVE_THREE}
                assert not forced
    assert met >= {"a win", "a stop", "an open three", "stopped"} or size < 9


def meet_threats(position: Position, winning: set[int], moves: list[int], fours: list[int]) -> set[str]:
    """Assert that every point that stops the other's winning fours is a candidate, and none that does not."""
    oracle = position.oracle
    mover = oracle.mover()
    stops = set()
    for a in oracle.legal():
        after = Position(position.game)
        after.states[0] = position.states[0]
        after.states["board"][0, a] = mover + 1
        after.fill()
        if not any(after.kind(1 - mover, b) == shapes.WINNING_FOUR for b in oracle.legal() - {a}):
            stops.add(a)
    if stops:
        assert set(moves) == stops | set(fours)
        return {"stopped"}
    assert set(moves) <= winning | set(fours)
    return {"unstopped"}


def test_the_middle_is_the_first_point() -> None:
    assert Position(find("gomoku")).look()[0] == [7 * 15 + 7]


def test_a_dead_board_has_one_candidate() -> None:
    """Where nobody can make five any more, one point is as good as another."""
    picture = "XXOOX OOXXO XXOOX OOXXO XXOO."
    position = drawn(" ".join(picture.replace(" ", "")), 0)
    assert position.look()[0] == [24]


def test_the_hash_knows_stones_mover_and_rule() -> None:
    def hashes(moves: list[int], rule: str = "freestyle") -> int:
        position = Position(find("gomoku", board_size=5, rule=rule))
        for a in moves:
            position.play(a)
        return position.hash()

    assert hashes([1, 2, 3, 4]) == hashes([3, 4, 1, 2])
    assert hashes([1, 2, 3]) != hashes([2, 1, 3])
    assert len({hashes([0, 1]), hashes([0, 1], "standard"), hashes([1, 0]), hashes([0, 1, 2])}) == 4
    swapped = drawn("X O . . . " + ". " * 20, 0), drawn("X O . . . " + ". " * 20, 1)
    assert swapped[0].hash() != swapped[1].hash()


@pytest.mark.parametrize(
    ("line", "to_move", "low", "high"),
    [
        (".....XXXX......", 0, 800_000, WIN),
        (".....XXXX......", 1, 800_000, WIN),
        ("......XXX......", 0, 800_000, WIN),
        ("......XXX......", 1, 0, 800_000),
        (".OOOXOXOX.OXXXX", 1, -WIN, 0),
    ],
)
def test_wins_at_sight_have_their_value(line: str, to_move: int, low: int, high: int) -> None:
    """Seen from seat 0."""
    assert low < drawn(along(line), to_move).look()[2] < high
