"""Gomoku against its page: the tests of every game, and how its rows come about."""

from collections.abc import Hashable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from game_tests import GameTests, OpenSpielTests, PerftTests, PlayoutTests, StoneTests
from gomoku_oracle import Gomoku
from gomoku_positions import (
    FULL,
    PICTURES,
    WAYS,
    every_rule,
    exact_chances,
    histories,
    laid,
    merged,
    nearly_finished,
    played,
    players,
)
from histories import count
from numpy.typing import NDArray

from boyi.envs import Batch, Game, find
from boyi.envs.conformance.oracle import Player
from boyi.envs.gomoku import SPEC, text

pytestmark = pytest.mark.kernels

BAD_NAMES = [
    "",
    "a",
    "1",
    "a0",
    "a16",
    "p1",
    "p16",
    "aa1",
    "1a",
    "a01",
    "a-1",
    "a1 b1",
    "a1.",
    "pass",
    "ä1",
    "a１",
    "a1１",
]

DIAGRAM = """gomoku 6x6 standard  ply 3  last c4  O to move
 6  . . . . . .
 5  . . . . . .
 4  . . X . . .
 3  . . X . . .
 2  . O . . . .
 1  . . . . . .
    a b c d e f"""

WON = """gomoku 5x5 freestyle  ply 9  last c3  X has won
 5  X . . . .
 4  . X . . .
 3  . . X . .
 2  . . O X .
 1  O O O . X
    a b c d e"""

OVERLINE = """gomoku 6x6 standard  ply 11  last d3  O to move
 6  . . . . . .
 5  . O . O . .
 4  . . . . . .
 3  X X X X X X
 2  . . . . . .
 1  . O . O O .
    a b c d e f"""

# §4: the game was over before e5 was played.
EARLIER = """gomoku 5x5 freestyle  ply 11  last e5  O to move
 5  X . . . X
 4  . X . . .
 3  . . X . O
 2  . . O X .
 1  O O O . X
    a b c d e"""

BOTH = """gomoku 5x5 freestyle  ply 10  last c1  O has won
 5  X X X X X
 4  . . . . .
 3  . . . . .
 2  . . . . .
 1  O O O O O
    a b c d e"""


def empty(n: int) -> str:
    """Draw an empty board of a size that may not exist."""
    rows = [f"{n - r:>2}  {' '.join('.' * n)}" for r in range(n)]
    letters = "    " + " ".join(chr(ord("a") + c) for c in range(n))
    return "\n".join([f"gomoku {n}x{n} freestyle  ply 0  last -  X to move", *rows, letters])


BAD_DIAGRAMS = {
    "empty": "",
    "blank line": "\n",
    "another game": DIAGRAM.replace("gomoku", "hex"),
    "head alone": DIAGRAM.splitlines()[0],
    "missing row": DIAGRAM.replace(" 6  . . . . . .\n", ""),
    "missing letters": DIAGRAM.rsplit("\n", 1)[0],
    "row too many": DIAGRAM.replace(" 6 ", " 7  . . . . . .\n 6 "),
    "line too many": DIAGRAM + "\n    a b c d e f",
    "short row": DIAGRAM.replace(". O . . . .", ". O . . ."),
    "long row": DIAGRAM.replace(". O . . . .", ". O . . . . ."),
    "foreign mark": DIAGRAM.replace(". O", "# O"),
    "two marks in one": DIAGRAM.replace(". O", ".X O"),
    "lower case": DIAGRAM.replace(". O", ". o"),
    "letters": DIAGRAM.replace("a b c", "a b d"),
    "row number": DIAGRAM.replace(" 2 ", " 7 "),
    "upside down": "\n".join([DIAGRAM.splitlines()[0], *DIAGRAM.splitlines()[6:0:-1], DIAGRAM.splitlines()[7]]),
    "indentation": DIAGRAM.replace("\n 2", "\n2"),
    "trailing space": DIAGRAM + " ",
    "not square": DIAGRAM.replace("6x6", "6x7"),
    "leading zero": DIAGRAM.replace("6x6", "06x06"),
    "no rule": DIAGRAM.replace(" standard", ""),
    "another rule": DIAGRAM.replace("standard", "renju"),
    "mover": DIAGRAM.replace("O to", "X to"),
    "ply and mover": DIAGRAM.replace("ply 3", "ply 4").replace("O to", "X to"),
    "ply too low": DIAGRAM.replace("ply 3", "ply 1"),
    "ply beyond the board": DIAGRAM.replace("ply 3", "ply 37"),
    "ply beyond int32": DIAGRAM.replace("ply 3", "ply 99999999999"),
    "ply 0 with stones": DIAGRAM.replace("ply 3", "ply 0").replace("O to", "X to"),
    "nothing played": DIAGRAM.replace("last c4", "last -"),
    "last without stones": empty(5).replace("last -", "last a1"),
    "last off the board": DIAGRAM.replace("last c4", "last g4"),
    "last is empty": DIAGRAM.replace("last c4", "last a1"),
    "last is the other's": DIAGRAM.replace("last c4", "last b2"),
    "last in capitals": DIAGRAM.replace("last c4", "last C4"),
    "won without a row": DIAGRAM.replace("O to move", "X has won"),
    "won by the other": WON.replace("X has won", "O has won"),
    "a draw with room left": DIAGRAM.replace("O to move", "draw"),
    "stone too many": DIAGRAM.replace(". O", "X O"),
    "stones of one seat only": DIAGRAM.replace(". O", ". X"),
    "seats exchanged": DIAGRAM.replace(". X", ". O").replace(". O . . . .", ". X . . . ."),
    "play goes on after a win": WON.replace("X has won", "O to move"),
    "ended by a win": WON.replace("X has won", "ended"),
    "won before the last action": EARLIER,
    "won before the last action, and said so": EARLIER.replace("O to move", "X has won"),
    "both have won": BOTH,
    "an overline that was five": OVERLINE.replace("last d3", "last f3"),
    "an overline that wins": OVERLINE.replace("O to move", "X has won"),
    "an overline that does not win": OVERLINE.replace("standard", "freestyle"),
    "an overline that had won": OVERLINE.replace("standard", "freestyle")
    .replace("last d3", "last f3")
    .replace("O to move", "X has won"),
    "size 0": "gomoku 0x0 freestyle  ply 0  last -  X to move\n    ",
    "size 4": empty(4),
    "size 23": empty(23),
}


class Watched(Gomoku):
    """Notes what its stones complete."""

    met: ClassVar[set[str]] = set()

    def play(self, action: int) -> None:
        super().play(action)
        if self.offender is None:
            self.met.update(completed(self))


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


class TestGomoku(StoneTests, PlayoutTests, PerftTests, OpenSpielTests, GameTests):
    game, oracle = "gomoku", Watched
    bad_names, allowed = BAD_NAMES, "a1 to o15"
    diagrams = {
        DIAGRAM: ("gomoku:board_size=6,rule=standard", "c3 b2 c4"),
        WON: ("gomoku:board_size=5", "a5 a1 b4 b1 d2 c1 e1 c2 c3"),
        OVERLINE: ("gomoku:board_size=6,rule=standard", "a3 b5 b3 d5 c3 b1 e3 d1 f3 e1 d3"),
    } | {empty(n): (f"gomoku:board_size={n}", "") for n in (5, 6, 22)}
    bad_diagrams = BAD_DIAGRAMS
    placed = "h8 a1 o15 h7 a15 o1"
    ended = (("gomoku", "a1 a9 b1 c9 c1 e9 d1 g9 e1"),)
    late = tuple(f"{picture} {rule}" for picture in ("5x5", "6x6", "7x7") for rule in ("freestyle", "standard"))
    starts = ("gomoku:board_size=6", "gomoku:board_size=6,rule=standard", "gomoku", "gomoku:rule=standard")
    compared = {f"gomoku:board_size={n}": (1000, 5 if n < 7 else 1) for n in (5, 6, 7)} | {"gomoku": (40, 1)}
    # Pictures and the rule.
    counted = {
        "start freestyle": [1, 25, 600, 13800],
        "5x5 freestyle": [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
        "5x5 standard": [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
        "6x6 freestyle": [1, 8, 50, 205, 805, 2005, 4309, 5713, 5713],
        "6x6 standard": [1, 8, 50, 265, 1093, 3625, 8569, 14041, 14041],
        "7x7 freestyle": [1, 7, 37, 117, 357, 645, 933, 933],
        "7x7 standard": [1, 7, 42, 210, 810, 2330, 4418, 4418],
    }

    def test_start(self, tested: Game) -> None:
        """§2, and all points are actions; the record has the rule."""
        super().test_start(tested)
        assert tested.actions == tested.params["board_size"] ** 2
        assert tested.blank["exact"][0] == (tested.params["rule"] == "standard")

    def histories(self, game: Game, many: int) -> list[list[int]]:
        return histories(game, many)

    def planned(self, game: Game) -> list[list[int]]:
        """Compare games with rows at the edge, overlines and several rows at once."""
        return histories(game, count(300, 6)) if game.actions in (36, 225) else []

    def begin(self, line: str) -> tuple[Batch, Gomoku]:
        picture, rule = line.split()
        return laid(PICTURES[picture], rule)

    def merged(self, oracle: Gomoku) -> Hashable:
        return merged(oracle)

    def near_the_end(self, string: str) -> Iterator[tuple[Game, NDArray[np.void], NDArray[np.float64]]]:
        _, rule = string.split()
        for oracle, state in nearly_finished(*string.split()):
            yield find(SPEC, board_size=oracle.n, rule=rule), state, exact_chances(oracle)[:2]

    def players(self, game: Game) -> Iterator[Player]:
        """Join players who seek rows and plan them: random stones seldom stand five in a row on a large board."""
        Watched.met.clear()
        n = game.params["board_size"]
        return players(game, count(30, 3) if n < 7 else count(2, 0), count(120 if n < 7 else 60, 18))

    def check_met(self, game: Game) -> None:
        """Four directions, rows that touch the edge, overlines and several rows at once; draws on small boards."""
        n, rule = game.params["board_size"], game.params["rule"]
        wanted = {str(way) for way in WAYS} | {"edge", "corner", "seat 0", "seat 1", "several rows"}
        wanted |= {"draw"} if n < 7 else {"middle"}
        wanted |= {"overline"} if n > 5 else set()
        wanted |= {"five beside an overline"} if n > 6 and rule == "standard" else set()
        assert Watched.met >= wanted, wanted - Watched.met

    def test_pictures_end_in_every_way(self, counted: tuple[str, Any]) -> None:
        if counted[0] != "start freestyle":
            wins_0, wins_1, draws = exact_chances(self.begin(counted[0])[1])
            assert wins_0 > 0 and wins_1 > 0
            assert (draws > 0) == (counted[0].split()[0] == "5x5" or counted[0].endswith("standard"))


def test_actions_and_names() -> None:
    """§7, §8: action r·n + c is the point in row r and column c; rows are counted from below, and `i` is a column."""
    state = played("").states[0]
    points = {"a1": (14, 0), "h8": (7, 7), "i8": (7, 8), "a15": (0, 0), "o15": (0, 14), "o1": (14, 14), "b5": (10, 1)}
    for name, (r, c) in points.items():
        assert text.parse(state, name) == r * 15 + c
        assert text.name(state, r * 15 + c) == name


def test_the_diagram_of_the_start() -> None:
    """§2."""
    head = text.diagram(played("").states[0]).splitlines()[0]
    assert head == "gomoku 15x15 freestyle  ply 0  last -  X to move"


@every_rule
@pytest.mark.parametrize(("picture", "last", "freestyle", "standard"), FULL)
def test_diagrams_of_full_boards(
    picture: str, last: str, freestyle: int | None, standard: int | None, rule: str
) -> None:
    """§5: a draw is called one, and a full board on which somebody has won is not."""
    state = laid(picture, rule, last)[0].states[0]
    winner = standard if rule == "standard" else freestyle
    head = text.diagram(state).splitlines()[0]
    assert head.endswith("  draw" if winner is None else f"  {'XO'[winner]} has won")
    assert text.read(text.diagram(state))[0].tobytes() == state.tobytes()
