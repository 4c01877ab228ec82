"""What `alphabeta` sees in Gomoku: planted wins, threats and defences, each proven here by plain Python first."""

import pytest
from gomoku_oracle import Cell, Gomoku
from gomoku_positions import WAYS
from sizes import COMPILES

from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import WIN
from boyi.envs import Batch
from boyi.envs.gomoku import text

pytestmark = [pytest.mark.kernels, *COMPILES]

SURE = 800_000  # values from here on stand for games that are won


def run_through(oracle: Gomoku, seat: int, cell: Cell, way: Cell) -> int:
    """Count the stones in the row that a stone of the seat would stand in."""
    length = 1
    for sign in (1, -1):
        r, c = cell[0] + sign * way[0], cell[1] + sign * way[1]
        while oracle.stones.get((r, c)) == seat:
            length, r, c = length + 1, r + sign * way[0], c + sign * way[1]
    return length


def completes(oracle: Gomoku, seat: int, cell: Cell) -> bool:
    """Whether a stone of the seat wins (§4)."""
    return any(oracle.wins(run_through(oracle, seat, cell, way)) for way in WAYS)


def fives(oracle: Gomoku, seat: int) -> list[Cell]:
    """List the points on which a seat would win at once."""
    return [cell for cell in oracle.cells() if cell not in oracle.stones and completes(oracle, seat, cell)]


def fives_through(oracle: Gomoku, seat: int, cell: Cell) -> list[Cell]:
    """List the points within four of a stone, along a line, on which its seat would win at once."""
    r, c = cell
    around = [(r + k * dr, c + k * dc) for dr, dc in WAYS for k in range(-4, 5) if k]
    inside = [(y, x) for y, x in around if 0 <= y < oracle.n > y and 0 <= x < oracle.n and (y, x) not in oracle.stones]
    return [other for other in inside if completes(oracle, seat, other)]


def fours(oracle: Gomoku, seat: int) -> list[tuple[Cell, list[Cell]]]:
    """List the points on which a seat makes a four, each with the points that would then make five."""
    found = []
    for r, c in oracle.cells():
        near = [[oracle.stones.get((r + k * dr, c + k * dc)) for k in range(-4, 5)] for dr, dc in WAYS]
        if (r, c) not in oracle.stones and max(stones.count(seat) for stones in near) >= 3:
            oracle.stones[r, c] = seat
            wins = fives_through(oracle, seat, (r, c))
            del oracle.stones[r, c]
            if wins:
                found.append(((r, c), wins))
    return found


def row_of_fours(oracle: Gomoku, seat: int, plies: int) -> list[Cell] | None:
    """Find a win of the seat to move in so many plies by fours alone, each of which has one answer; the whole line."""
    now, against = fives(oracle, seat), fives(oracle, 1 - seat)
    if now:
        return [now[0]]
    if plies < 3 or len(against) > 1:
        return None
    for cell, wins in fours(oracle, seat):
        if against and cell != against[0]:
            continue
        line = [cell, *wins[:2]]
        if len(wins) == 1:
            oracle.stones[cell], oracle.stones[wins[0]] = seat, 1 - seat
            rest = row_of_fours(oracle, seat, plies - 2)
            del oracle.stones[cell], oracle.stones[wins[0]]
            if rest is None:
                continue
            line += rest
        return line
    return None


def shortest(oracle: Gomoku, seat: int, plies: int) -> list[Cell] | None:
    """Find the shortest such win of at most so many plies."""
    return next((line for n in range(1, plies + 1, 2) if (line := row_of_fours(oracle, seat, n))), None)


def planted(diagram: str) -> tuple[Batch, Gomoku]:
    """Set up a position for a batch and for the oracle."""
    state = text.read(diagram)
    n = round(state["board"].size ** 0.5)
    rule = "standard" if state["exact"][0] else "freestyle"
    batch = Batch("gomoku", 1, seed=0, encoder=None, board_size=n, rule=rule)
    batch.states = state
    oracle = Gomoku(n, rule)
    for a, stone in enumerate(state["board"][0].tolist()):
        if stone:
            oracle.stones[divmod(a, n)] = stone - 1
    return batch, oracle


def answer(batch: Batch, **limits: int) -> tuple[Cell, int]:
    """Return the point that `alphabeta` takes, and its value."""
    agent = AlphaBeta(**limits)
    a = int(agent.act(batch.view())[0])
    assert agent.found is not None
    n = batch.game.params["board_size"]
    return (a // n, a % n), agent.found.value


def named(batch: Batch, cell: Cell) -> str:
    return str(text.name(batch.states[0], cell[0] * batch.game.params["board_size"] + cell[1]))


def board(rows: str, ply: int, last: str, mover: str, rule: str = "freestyle") -> str:
    """Write a diagram round the rows of a picture, the first of them on top, which is the lower left of the board."""
    lines, n = rows.split(), 15
    whole = ["." * n] * (n - len(lines)) + [line.ljust(n, ".") for line in lines]
    head = f"gomoku {n}x{n} {rule}  ply {ply}  last {last}  {mover} to move"
    body = [f"{n - r:>2}  {' '.join(line)}" for r, line in enumerate(whole)]
    return "\n".join([head, *body, "    " + " ".join("abcdefghijklmno")])


A_FOUR = """
.........
.........
....O....
..OXXXX..
....O....
...O.....
.........
.........
.........
"""


@pytest.mark.parametrize("rule", ["freestyle", "standard"])
def test_it_completes_a_four(rule: str) -> None:
    batch, oracle = planted(board(A_FOUR, 8, "e7", "X", rule))
    cell, value = answer(batch, depth=1)
    assert [cell] == fives(oracle, 0) and named(batch, cell) == "h6"
    assert value > WIN


def test_it_makes_exactly_five_where_six_do_not_win() -> None:
    """Completing the lower row makes six; by the other rule either point wins."""
    rows = """
.........
.XXXX....
........O
O........
.........
.O.OOO.O.
.........
OXXX.XX..
....O....
"""
    batch, oracle = planted(board(rows, 18, "i7", "X", "standard"))
    cell, value = answer(batch, depth=2)
    assert value > WIN and completes(oracle, 0, cell) and cell[0] == 7
    _, free = planted(board(rows, 18, "i7", "X"))
    assert completes(free, 0, (13, 4)) and not completes(oracle, 0, (13, 4))


def test_it_stops_an_open_three() -> None:
    """Anything else lets an open four stand, which no stone stops."""
    rows = """
.........
.........
....X....
...X.....
..OOO....
.........
......X..
.........
.........
"""
    batch, oracle = planted(board(rows, 6, "e5", "X"))
    cell, value = answer(batch, depth=3)
    stops = []
    for other in oracle.cells():
        if other not in oracle.stones:
            oracle.stones[other] = 0
            if not any(len(wins) > 1 for _, wins in fours(oracle, 1)):
                stops.append(other)
            del oracle.stones[other]
    assert cell in stops and 0 < len(stops) < 6
    assert abs(value) < SURE


FOUR_AND_THREE = """
...........
...........
...........
...........
..OXXX.....
......X....
......X....
..O........
..OO...O...
...........
...........
"""

LONG_ROWS = {
    9: """
...............
...............
...............
...............
......X.X......
.......XXXO....
....O...X......
.....O..OO.....
...............
.....O.........
...............
...............
...............
...............
...............
""",
    13: """
...............
...............
...............
...............
...............
.....X.........
.....O.........
....OX.OOXO....
.....X.X.O.....
......X.O.O....
.....X.X.......
........X......
.........O.....
...............
...............
""",
}


def test_it_wins_by_a_four_and_a_three() -> None:
    batch, oracle = planted(board(FOUR_AND_THREE, 10, "h3", "X"))
    line = shortest(oracle, 0, 5)
    assert line is not None and len(line) == 5
    cell, value = answer(batch, depth=2)
    assert value > SURE
    assert wins_after(oracle, cell)


def wins_after(oracle: Gomoku, cell: Cell) -> bool:
    """Whether a four of seat 0 on a point is the first of a row of fours that wins."""
    oracle.stones[cell] = 0
    wins = fives_through(oracle, 0, cell)
    won = len(wins) > 1
    if len(wins) == 1:
        oracle.stones[wins[0]] = 1
        won = shortest(oracle, 0, 11) is not None
        del oracle.stones[wins[0]]
    del oracle.stones[cell]
    return won


@pytest.mark.parametrize("plies", LONG_ROWS)
def test_it_sees_a_long_row_of_fours_behind_its_depth(plies: int) -> None:
    """One ply deep, the rest is quiescence; the proof finds no shorter win by fours."""
    batch, oracle = planted(board(LONG_ROWS[plies], *{9: (12, "j8", "X"), 13: (18, "k6", "X")}[plies]))
    line = shortest(oracle, 0, 13)
    assert line is not None and len(line) == plies
    cell, value = answer(batch, depth=1, quiescence=20)
    assert value > SURE
    assert wins_after(oracle, cell)


def test_it_takes_one_of_the_few_points_that_stop_a_row_of_fours() -> None:
    """The row of fours as above, but the other seat is to move; afterwards the search sees no win any more."""
    rows = LONG_ROWS[9].replace("....O...X......", "........X......")
    batch, oracle = planted(board(rows, 11, "i9", "O"))
    line = shortest(oracle, 0, 9)
    assert line is not None and len(line) > 5
    assert sum(holds(oracle, other) for other in line) < len(line)
    cell, value = answer(batch, depth=2, quiescence=20)
    assert holds(oracle, cell) and value > -SURE
    batch.step([cell[0] * oracle.n + cell[1]])
    assert answer(batch, depth=1, quiescence=20)[1] < SURE


def holds(oracle: Gomoku, cell: Cell) -> bool:
    """Whether a stone of seat 1 leaves seat 0 no row of fours that wins."""
    oracle.stones[cell] = 1
    lost = shortest(oracle, 0, 9)
    del oracle.stones[cell]
    return lost is None
