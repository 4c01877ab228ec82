"""EinStein as every game is asked, its names and its diagrams."""

import random
from collections.abc import Hashable

import numpy as np
import pytest
from einstein_oracle import EinStein
from einstein_positions import arranged, by_hand, different, every_set, record
from game_tests import GameTests
from histories import count

from boyi.envs import BoyiError, Game, find
from boyi.envs.einstein import SPEC, text
from boyi.envs.engine.protocol import CHANCE

pytestmark = pytest.mark.kernels

seats = pytest.mark.parametrize("seat", [0, 1])


def on_turn(game: Game, seat: int) -> np.void:
    """Return a record in which it is a seat's turn."""
    state = game.blank.copy()
    state["turn"] = seat
    return state[0]


@seats
@every_set
def test_names_agree_with_the_oracle(game: Game, seat: int) -> None:
    """§11."""
    oracle = EinStein(**game.params)
    oracle.turn = seat
    names = [text.name(on_turn(game, seat), a) for a in range(game.actions)]
    assert names == [oracle.name(a) for a in range(game.actions)]


def test_actions_and_names() -> None:
    """§10, §11: action 3·(i-1) + d is stone i in direction d, which each seat calls as it goes."""
    names = {0: ("1-right", "1-left"), 1: ("1-down", "1-up"), 2: ("1-diag", "1-diag"), 15: ("6-right", "6-left")}
    for a, words in names.items():
        for seat, word in enumerate(words):
            state = on_turn(find("einstein"), seat)
            assert text.name(state, a) == word
            assert text.parse(state, word) == a


BAD_NAMES = [
    "",
    "1",
    "right",
    "1right",
    "0-right",
    "4-right",
    "7-diag",
    "01-down",
    "1-",
    "-down",
    "1-north",
    "1 - down",
]
BAD_NAMES += ["1-down 2-down", "1-down.", "-1-down", "1--down", "１-down", "²-down", "1-dow", "a-down", "c1"]


def test_names_of_the_other_seat() -> None:
    """§11: nobody moves backwards."""
    for seat, words in enumerate((("1-left", "1-up"), ("1-right", "1-down"))):
        for word in words:
            with pytest.raises(BoyiError):
                text.parse(on_turn(find("einstein"), seat), word)


@every_set
def test_positions_that_were_set_up_read_back(game: Game) -> None:
    """With `last -`, whatever stones stand where, before a roll and after it; and play can go on from there."""
    rng = random.Random(6)
    for k in range(count(60, 8)):
        oracle = arranged(game, rng)
        oracle.die = oracle.die if k % 2 else None
        state = record(game, oracle)
        state["ply"] = oracle.turn + 4 * (k % 3)  # seats take turns, so the number of plies says whose it is
        diagram = text.diagram(state[0])
        assert "  last -  " in diagram
        assert not different(text.read(diagram), state)
        batch = by_hand(game)
        batch.states = text.read(diagram)
        assert set(np.flatnonzero(batch.mask[0]).tolist()) == oracle.legal()


def test_won_positions_that_were_set_up_read_back() -> None:
    """§8: someone on a goal, or one seat without stones, says who has won."""
    for stones, winner in (({(0, 2): (4, 4), (1, 1): (3, 3)}, 0), ({(1, 1): (3, 3)}, 1)):
        oracle = EinStein()
        oracle.set_up(stones, winner, None)
        oracle.won_by = winner
        state = record(find("einstein"), oracle)
        state["ply"] = 1 + winner
        diagram = text.diagram(state[0])
        assert diagram.splitlines()[0].endswith(f"  last -  die -  {'XO'[winner]} has won")
        assert not different(text.read(diagram), state)
        other_ply = diagram.replace(f"ply {1 + winner}", f"ply {2 - winner}")
        other_winner = diagram.replace(f"{'XO'[winner]} has", f"{'OX'[winner]} has")
        for wrong in (other_ply, other_winner):
            with pytest.raises(BoyiError):
                text.read(wrong)


DIAGRAM = """einstein 3x4 stones 3 fixed nearest  ply 3  last 2-right  die 1  O to move
      a   b   c   d
  1   .   .  X2   .
  2   .  O1  X3   .
  3  X1   .  O3   ."""


def test_diagram() -> None:
    """One diagram, spelled out: §2's stones by seat and number on §1's squares by column and row."""
    game = find(SPEC, board_size=3, columns=4, stones=3, placement="fixed", substitution="nearest")
    oracle = EinStein(**game.params)
    oracle.set_up({(0, 2): (0, 2), (1, 1): (1, 1), (0, 3): (1, 2), (0, 1): (2, 0), (1, 3): (2, 2)}, turn=1, die=1)
    state = record(game, oracle)
    state["ply"], state["last"] = 3, 3
    assert text.diagram(state[0]) == DIAGRAM
    assert not different(text.read(DIAGRAM), state)
    for status, fields in (("die -  O to roll", (CHANCE, 0)), ("die 2  O to move", (1, 2))):
        state["to_move"], state["die"] = fields
        assert text.diagram(state[0]) == DIAGRAM.replace("die 1  O to move", status)


LINES = DIAGRAM.splitlines()
BAD_DIAGRAMS = {
    "empty": "",
    "blank line": "\n",
    "another game": DIAGRAM.replace("einstein", "hex"),
    "head alone": LINES[0],
    "missing row": DIAGRAM.rsplit("\n", 1)[0],
    "row too many": DIAGRAM + "\n  4   .   .   .   .",
    "short row": DIAGRAM.replace(".  X2   .", ".  X2"),
    "long row": DIAGRAM.replace(".  X2   .", ".  X2   .   ."),
    "foreign mark": DIAGRAM.replace("X2", "Y2"),
    "lower case": DIAGRAM.replace("X2", "x2"),
    "number too high": DIAGRAM.replace("X3", "X4"),
    "number 0": DIAGRAM.replace("X3", "X0"),
    "no number": DIAGRAM.replace(" X3", "  X"),
    "a stone twice": DIAGRAM.replace("X3", "O3"),
    "letters": DIAGRAM.replace("b   c", "c   b"),
    "row number": DIAGRAM.replace("\n  3", "\n  4"),
    "indentation": DIAGRAM.replace("\n  1   .", "\n  1  ."),
    "trailing space": DIAGRAM + " ",
    "columns": DIAGRAM.replace("3x4", "3x5"),
    "columns left out": DIAGRAM.replace("3x4", "3x0"),
    "leading zero": DIAGRAM.replace("3x4", "03x04"),
    "stones beyond the dice": DIAGRAM.replace("stones 3", "stones 7"),
    "no stones": DIAGRAM.replace("stones 3", "stones 0"),
    "placement": DIAGRAM.replace("fixed", "choose"),
    "substitution": DIAGRAM.replace("nearest", "higher"),
    "no parameters": DIAGRAM.replace(" stones 3 fixed nearest", ""),
    "mover": DIAGRAM.replace("O to", "X to"),
    "ply and mover": DIAGRAM.replace("ply 3", "ply 4").replace("right", "left"),
    "ply 0 after a move": DIAGRAM.replace("ply 3  last 2-right", "ply 0  last 3-left").replace("O to", "X to"),
    "ply beyond int32": DIAGRAM.replace("ply 3", "ply 99999999999"),
    "ply below 0": DIAGRAM.replace("ply 3", "ply -1"),
    "last in capitals": DIAGRAM.replace("last 2-right", "last 2-RIGHT"),
    "last of the other seat": DIAGRAM.replace("last 2-right", "last 3-left"),
    "last of a stone that is gone": DIAGRAM.replace("X2", " ."),
    "last of a stone there is not": DIAGRAM.replace("last 2-right", "last 4-right"),
    "last from an occupied square": DIAGRAM.replace("last 2-right", "last 3-right"),
    "last from beyond the top": DIAGRAM.replace("last 2-right", "last 2-down").replace("O3   .", " .  O3"),
    "last from beyond the left": DIAGRAM.replace("last 2-right", "last 1-right"),
    "to move without a die": DIAGRAM.replace("die 1", "die -"),
    "to roll with a die": DIAGRAM.replace("to move", "to roll"),
    "the die shows too much": DIAGRAM.replace("die 1", "die 4"),
    "the die shows 0": DIAGRAM.replace("die 1", "die 0"),
    "ended without a die": DIAGRAM.replace("die 1  O to move", "die -  ended"),
    "won without a reason": DIAGRAM.replace("die 1  O to move", "die -  X has won"),
    "won with a die": DIAGRAM.replace("O3   .", ".  X2")
    .replace("X2   .\n", " .   .\n")
    .replace("O to move", "X has won"),
    "a goal reached and play goes on": DIAGRAM.replace("O3   .", "O3  X2").replace(".  X2   .", ".   .   ."),
    "the loser is on its goal": DIAGRAM.replace("1   .   .", "1  O2   ."),
    "one seat is gone": DIAGRAM.replace("O1", " .").replace("O3", " ."),
    "size 1": "einstein 1x2 stones 1 fixed nearest  ply 0  last -  die -  X to roll\n      a   b\n  1  X1  O1",
    "size 16": "\n".join(
        ["einstein 16x2 stones 1 fixed nearest  ply 0  last -  die -  X to roll", "      a   b", "  1  X1   ."]
        + [f"{r:>3}   .   ." for r in range(2, 16)]
        + [" 16   .  O1"]
    ),
}


class TestEinStein(GameTests):
    game, oracle = "einstein", EinStein
    bad_names, allowed = BAD_NAMES, "1 to 3 and right, down or diag"
    diagrams = {DIAGRAM: None}
    bad_diagrams = BAD_DIAGRAMS

    def naming(self) -> np.void:
        return on_turn(find("einstein:board_size=4,columns=6,stones=3,substitution=nearest"), 0)

    def identity(self, state: np.void) -> Hashable:
        """Stones, turn, die and what comes next make a position, and neither path nor last action."""
        return state["square"].tobytes(), *(int(state[field]) for field in ("turn", "die", "to_move"))


def test_a_stone_that_stands_twice_is_named() -> None:
    with pytest.raises(BoyiError, match=r"there are two stones O3$"):
        text.read(BAD_DIAGRAMS["a stone twice"])
