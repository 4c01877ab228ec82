"""Gomoku in text: names, diagrams, and what is refused."""

import numpy as np
import pytest
from gomoku_oracle import Gomoku
from gomoku_positions import FULL, every_rule, every_set, histories, laid, played
from histories import count, keys, replayed, seen

from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.gomoku import SPEC, text

pytestmark = pytest.mark.kernels


@every_set
def test_names_agree_with_the_oracle(game: Game) -> None:
    """§8."""
    oracle = Gomoku(**game.params)
    assert [text.name(game.blank[0], a) for a in range(game.actions)] == [oracle.name(a) for a in range(game.actions)]


def test_actions_and_names() -> None:
    """§7, §8: action r·n + c is the point in row r and column c; rows are counted from below, and `i` is a column."""
    state = played("").states[0]
    points = {"a1": (14, 0), "h8": (7, 7), "i8": (7, 8), "a15": (0, 0), "o15": (0, 14), "o1": (14, 14), "b5": (10, 1)}
    for name, (r, c) in points.items():
        assert text.parse(state, name) == r * 15 + c
        assert text.name(state, r * 15 + c) == name


@every_set
def test_names_and_parse_are_inverse(game: Game) -> None:
    """§8: every action has a name of its own, which reads back in either case and with spaces around it."""
    state = game.blank[0]
    names = [text.name(state, a) for a in range(game.actions)]
    assert len(set(names)) == game.actions
    for written in (names, [name.upper() for name in names], [f" {name}\n" for name in names]):
        assert [text.parse(state, name) for name in written] == list(range(game.actions))


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


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(name: str) -> None:
    """§8: what names no point of the board is refused."""
    with pytest.raises(BoyiError, match="a1 to o15"):
        text.parse(find("gomoku").blank[0], name)


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


@pytest.mark.parametrize(
    ("diagram", "moves"),
    [
        (DIAGRAM, "c3 b2 c4"),
        (WON, "a5 a1 b4 b1 d2 c1 e1 c2 c3"),
        (OVERLINE, "a3 b5 b3 d5 c3 b1 e3 d1 f3 e1 d3"),
    ],
)
def test_diagrams(diagram: str, moves: str) -> None:
    """§4, §8: a game that goes on, one that is won and one with an overline, spelled out."""
    size, rule = diagram.split()[1:3]
    state = played(moves, board_size=int(size[0]), rule=rule).states[0]
    assert text.diagram(state) == diagram
    assert text.read(diagram)[0].tobytes() == state.tobytes()


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


def test_a_forfeited_game_reads_back() -> None:
    """§7: nobody has won by the rules, and the diagram says that the game has ended."""
    batch = Batch("gomoku:board_size=5", 1, seed=0, illegal="forfeit")
    for a in (12, 12):
        batch.step(np.array([a]))
    diagram = text.diagram(batch.states[0])
    assert diagram.splitlines()[0] == "gomoku 5x5 freestyle  ply 1  last c3  ended"
    assert text.read(diagram)[0].tobytes() == batch.states[0].tobytes()


@every_set
def test_diagrams_read_back(game: Game) -> None:
    """Key, text, mask and every field are those of the position; play goes on alike."""
    batch = replayed(game, histories(game, count(60 if game.params["board_size"] < 7 else 12, 6)))
    states = np.concatenate([text.read(text.diagram(state)) for state in batch.states])
    for field in game.dtype.names or ():
        assert np.array_equal(states[field], batch.states[field]), field
    assert keys(game, states) == keys(game, batch.states)
    assert [text.diagram(state) for state in states] == [text.diagram(state) for state in batch.states]
    twin = batch.clone()
    twin.states = states
    assert np.array_equal(twin.mask, batch.mask)
    for encoder in SPEC.encoders:
        assert np.array_equal(seen(game, states, encoder, 0), seen(game, batch.states, encoder, 0))
    for _ in range(game.longest if game.params["board_size"] < 7 else 20):
        rows = np.flatnonzero(batch.to_move >= 0)
        actions = batch.sample()[rows]
        for one in (batch, twin):
            one.step(actions, rows)
        assert np.array_equal(twin.to_move, batch.to_move)


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


@pytest.mark.parametrize("problem", BAD_DIAGRAMS)
def test_bad_diagrams(problem: str) -> None:
    """`read` takes exactly what `diagram` writes, and says so in a sentence otherwise."""
    assert BAD_DIAGRAMS[problem] not in (DIAGRAM, WON, OVERLINE)
    with pytest.raises(BoyiError):
        text.read(BAD_DIAGRAMS[problem])


@pytest.mark.parametrize("n", [5, 6, 22])
def test_empty_diagrams(n: int) -> None:
    """The sizes beside those refused above are read."""
    assert text.diagram(text.read(empty(n))[0]) == empty(n)
