"""Hex in text: names, diagrams, and what is refused."""

import numpy as np
import pytest
from hex_oracle import Hex
from hex_positions import every_set, played
from histories import count, keys, random_histories, replayed, seen

from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.hex import SPEC, text

pytestmark = pytest.mark.kernels


@every_set
def test_names_agree_with_the_oracle(game: Game) -> None:
    """§8."""
    oracle = Hex(**game.params)
    assert [text.name(game.blank[0], a) for a in range(game.actions)] == [oracle.name(a) for a in range(game.actions)]


def test_actions_and_names() -> None:
    """§7, §8: action r·n + c is the cell in row r and column c, the last action of a swap game the swap."""
    state = played("", swap=True).states[0]
    cells = {"a1": (0, 0), "c1": (0, 2), "a2": (1, 0), "k1": (0, 10), "a11": (10, 0), "k11": (10, 10)}
    for name, (r, c) in cells.items():
        assert text.parse(state, name) == r * 11 + c
        assert text.name(state, r * 11 + c) == name
    assert text.name(state, 121) == "swap-pieces"
    assert text.parse(state, "swap-pieces") == 121


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
    "a12",
    "l1",
    "l12",
    "aa1",
    "1a",
    "a01",
    "a-1",
    "a1 b1",
    "a1.",
    "pass",
    "swap",
    "ä1",
    "a１",
    "a1１",
]


@pytest.mark.parametrize("name", [*BAD_NAMES, "swap-pieces"])
def test_bad_names(name: str) -> None:
    """§8: what names no cell of the board is refused, the swap too where the game has none."""
    with pytest.raises(BoyiError, match="a1 to k11"):
        text.parse(find("hex").blank[0], name)


@every_set
def test_diagrams_read_back(game: Game) -> None:
    """Key, text, mask and every field but the union-find's inside are those of the position; play goes on alike."""
    many = count(60 if game.params["board_size"] <= 11 else 3, 5 if game.params["board_size"] < 11 else 1)
    histories = random_histories(game, many)
    batch = replayed(game, histories)
    states = np.concatenate([text.read(text.diagram(state)) for state in batch.states])
    for field in set(game.dtype.names or ()) - {"link"}:
        assert np.array_equal(states[field], batch.states[field]), field
    assert keys(game, states) == keys(game, batch.states)
    assert [text.diagram(state) for state in states] == [text.diagram(state) for state in batch.states]
    twin = batch.clone()
    twin.states = states
    assert np.array_equal(twin.mask, batch.mask)
    for encoder in SPEC.encoders:
        assert np.array_equal(seen(game, states, encoder, 0), seen(game, batch.states, encoder, 0))
    while (batch.to_move >= 0).any():
        rows = np.flatnonzero(batch.to_move >= 0)
        actions = batch.sample()[rows]
        for one in (batch, twin):
            one.step(actions, rows)
        assert np.array_equal(twin.to_move, batch.to_move)


def test_a_forfeited_game_reads_back() -> None:
    """§7: nobody has won by the rules, and the diagram says that the game has ended."""
    batch = Batch("hex:board_size=3", 1, seed=0, illegal="forfeit")
    for a in (4, 4):
        batch.step(np.array([a]))
    diagram = text.diagram(batch.states[0])
    assert diagram.splitlines()[0] == "hex 3x3  ply 1  last b2  ended"
    assert text.diagram(text.read(diagram)[0]) == diagram
    assert keys(batch.game, text.read(diagram)) == keys(batch.game, batch.states)


DIAGRAM = """hex 3x3 swap  ply 2  last b2  X to move
   a b c
 1  . X .
  2  . O .
   3  . . ."""


def test_diagram() -> None:
    """One diagram, spelled out."""
    assert text.diagram(played("b1 b2", board_size=3, swap=True).states[0]) == DIAGRAM
    assert text.read(DIAGRAM)["board"][0].tolist() == [0, 1, 0, 0, 2, 0, 0, 0, 0]


BAD_DIAGRAMS = {
    "empty": "",
    "blank line": "\n",
    "another game": DIAGRAM.replace("hex", "go"),
    "head alone": DIAGRAM.splitlines()[0],
    "missing row": DIAGRAM.rsplit("\n", 1)[0],
    "row too many": DIAGRAM + "\n    4  . . .",
    "short row": DIAGRAM.replace(". O .", ". O"),
    "long row": DIAGRAM.replace(". O .", ". O . ."),
    "foreign mark": DIAGRAM.replace("X .", "# ."),
    "lower case": DIAGRAM.replace("X .", "x ."),
    "letters": DIAGRAM.replace("a b c", "a b d"),
    "row number": DIAGRAM.replace(" 3 ", " 4 "),
    "indentation": DIAGRAM.replace("   3", "  3"),
    "trailing space": DIAGRAM + " ",
    "not square": DIAGRAM.replace("3x3", "3x4"),
    "leading zero": DIAGRAM.replace("3x3", "03x03"),
    "mover": DIAGRAM.replace("X to", "O to"),
    "ply and mover": DIAGRAM.replace("ply 2", "ply 3"),
    "ply too high": DIAGRAM.replace("ply 2", "ply 4"),
    "ply beyond int32": DIAGRAM.replace("ply 2", "ply 99999999998"),
    "ply 0 with stones": DIAGRAM.replace("ply 2", "ply 0"),
    "nothing played": DIAGRAM.replace("last b2", "last -"),
    "last off the board": DIAGRAM.replace("last b2", "last d4"),
    "last is empty": DIAGRAM.replace("last b2", "last a1"),
    "last is the other's": DIAGRAM.replace("last b2", "last b1"),
    "last in capitals": DIAGRAM.replace("last b2", "last B2"),
    "swap with two stones": DIAGRAM.replace("last b2", "last swap-pieces"),
    "swap without the rule": DIAGRAM.replace(" swap", "").replace("last b2", "last swap-pieces"),
    "won without a chain": DIAGRAM.replace("X to move", "X has won"),
    "stone too many": DIAGRAM.replace(". . .", "X . ."),
    "seats exchanged": DIAGRAM.replace("X .", "O .").replace(". O .", ". X ."),
    "a move after the win": "hex 2x2  ply 4  last b2  X has won\n   a b\n 1  X O\n  2  X O",
    "size 0": "hex 0x0  ply 0  last -  X to move\n   ",
    "size 27": "\n".join(
        ["hex 27x27  ply 0  last -  X to move", "   " + " ".join(chr(ord("a") + c) for c in range(27))]
        + [f"{' ' * r}{r + 1:>2}  {' '.join('.' * 27)}" for r in range(27)]
    ),
}


@pytest.mark.parametrize("problem", BAD_DIAGRAMS)
def test_bad_diagrams(problem: str) -> None:
    """`read` takes exactly what `diagram` writes, and says so in a sentence otherwise."""
    assert BAD_DIAGRAMS[problem] != DIAGRAM
    with pytest.raises(BoyiError):
        text.read(BAD_DIAGRAMS[problem])
