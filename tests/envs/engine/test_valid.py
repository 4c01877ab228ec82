"""Records from outside: a batch refuses what is no position, names the row and the rule, and stays as it was."""

import re
from typing import Any

import numpy as np
import pytest
from sizes import COMPILES, marked

from boyi.envs import Batch, BoyiError, find
from boyi.envs.conformance.random_games import field_bytes
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import flaw_rows
from boyi.envs.engine.validity import rules

pytestmark = pytest.mark.kernels

HEX = """hex 3x3 swap  ply 5  last c2  O to move
   a b c
 1  X . .
  2  . O X
   3  O . X
"""
GOMOKU = """gomoku 5x5 freestyle  ply 4  last b3  X to move
 5  . . . . .
 4  . X X . .
 3  . O . . .
 2  O . . . .
 1  . . . . .
    a b c d e
"""
EINSTEIN = """einstein 5x5 stones 6 random adjacent  ply 3  last 2-right  die 1  O to move
      a   b   c   d   e
  1   .  X1   .   .   .
  2   .  X2  O3   .   .
  3   .   .  O1   .   .
  4   .   .   .   .   .
  5   .   .   .   .   .
"""
DIAGRAMS = {"hex": HEX, "gomoku": GOMOKU, "einstein": EINSTEIN}

# A field, the place in it, what it is changed to, and the words of the rule that this breaks.
FLAWS: dict[str, list[tuple[str, int, int, str]]] = {
    "hex": [
        ("board", 1, 3, "a board holds only"),
        ("board", 1, -1, "a board holds only"),
        ("stones", 0, 6, "stones counts"),
        ("ply", 0, 4, "seats take turns"),
        ("ply", 0, 6, "seats take turns"),
        ("board", 0, 2, "seats take turns"),
        ("last", 0, 0, ""),
        ("last", 0, 4, "last is a stone"),
        ("last", 0, -1, "last is a stone"),
        ("last", 0, 9, "last is a stone"),
        ("link", 1, 0, "link leads"),
        ("link", 0, 9, "link leads"),
        ("link", 0, 0, "link leads"),
        ("link", 0, 4, "link leads"),
        ("link", 0, 1, "link leads"),
        ("link", 0, -9, "link leads"),
        ("link", 0, 5, "link joins"),
        ("link", 8, -3, "link joins"),
        ("link", 4, -4, "the end of a group"),
        ("link", 0, -1, "the end of a group"),
        ("winner", 0, 0, "winner is the seat"),
        ("winner", 0, -2, "winner is the seat"),
        ("to_move", 0, 0, "to_move is the seat"),
        ("to_move", 0, -1, "to_move is the seat"),
        ("to_move", 0, -3, "to_move is the seat"),
        ("to_move", 0, -2, ""),
        ("swap", 0, 0, "swap is what"),
    ],
    "gomoku": [
        ("board", 0, 3, "a board holds only"),
        ("ply", 0, 5, "ply counts"),
        ("board", 6, 2, "seats take turns"),
        ("last", 0, 6, "last is a stone"),
        ("last", 0, -1, "last is a stone"),
        ("last", 0, 25, "last is a stone"),
        ("last", 0, 15, ""),
        ("winner", 0, 1, "winner is the seat"),
        ("to_move", 0, 1, "to_move is the seat"),
        ("to_move", 0, -2, ""),
        ("exact", 0, 1, "exact is what"),
    ],
    "einstein": [
        ("columns", 0, 0, "columns is how many"),
        ("columns", 0, 2, "columns is how many"),
        ("square", 0, 25, "square is where"),
        ("square", 0, -2, "square is where"),
        ("square", 0, 2, "board holds"),
        ("square", 0, -1, "board holds"),
        ("board", 0, 13, "board holds"),
        ("board", 0, -1, "board holds"),
        ("board", 0, 3, "board holds"),
        ("left", 1, 3, "left counts"),
        ("ply", 0, -1, "ply is at least 0"),
        ("winner", 0, 0, "winner is the seat"),
        ("winner", 0, 3, "winner is the seat"),
        ("turn", 0, 0, "turn is the seat"),
        ("turn", 0, 2, "turn is the seat"),
        ("ply", 0, 4, "turn is the seat"),
        ("to_move", 0, 0, "to_move is turn"),
        ("to_move", 0, -3, "to_move is turn"),
        ("die", 0, 0, "die is 0 before"),
        ("die", 0, 7, "die is 0 before"),
        ("to_move", 0, -1, "die is 0 before"),
        ("last", 0, 18, "last has brought"),
        ("last", 0, 6, "last has brought"),
        ("last", 0, 4, "last has brought"),
        ("last", 0, -1, ""),
        ("to_move", 0, -2, ""),
        ("nearest", 0, 1, "nearest is what"),
    ],
}


def position(game: str) -> Any:
    """Read a game's diagram; return the game and the record (1,)."""
    states = find(game).module("text").read(DIAGRAMS[game])
    params = {"hex": {"board_size": 3, "swap": True}, "gomoku": {"board_size": 5}, "einstein": {}}
    return find(game, **params[game]), states


@pytest.mark.parametrize(
    ("game", "field", "at", "value", "rule"), [(game, *flaw) for game, flaws in FLAWS.items() for flaw in flaws]
)
def test_every_rule_about_a_record_refuses_what_breaks_it(
    game: str, field: str, at: int, value: int, rule: str
) -> None:
    found, states = position(game)
    states[field].reshape(-1)[at] = value
    batch = Batch(found, 2, seed=3)
    before = field_bytes(batch.states), batch.mask.tobytes()
    if not rule:
        batch.set_states(states, rows=[1])
        assert field_bytes(batch.states[1:]) == field_bytes(states)
        return
    with pytest.raises(BoyiError, match=re.escape(f"{found}: row 1 is no position: {rule}")):
        batch.set_states(states, rows=[1])
    assert (field_bytes(batch.states), batch.mask.tobytes()) == before


@pytest.mark.parametrize("game", DIAGRAMS)
def test_what_is_planted_above_is_a_position_and_looking_at_it_changes_nothing(game: str) -> None:
    found, states = position(game)
    before, flaws = field_bytes(states), np.zeros(1, np.int64)
    bind(flaw_rows, found)(states, flaws)
    assert flaws[0] == -1 and field_bytes(states) == before
    batch = Batch(found, 1, seed=0)
    batch.states = states
    assert field_bytes(batch.states) == before


@pytest.mark.parametrize("game", DIAGRAMS)
def test_every_rule_is_broken_above(game: str) -> None:
    found, _ = position(game)
    told = [rule for *_, rule in FLAWS[game] if rule]
    for rule in rules(found):
        skipped = rule.startswith(("a winning row holds", "no seat has more steps", "fixed is", "columns is what"))
        assert skipped or any(rule.startswith(words) for words in told), rule


def test_a_row_that_was_won_before_is_no_position() -> None:
    """Gomoku §4: nobody plays on beside five in a row; where a longer row does not win, it is none."""
    for rule in ("freestyle", "standard"):
        batch = Batch("gomoku", 1, seed=0, rule=rule)
        states = batch.states
        states["board"][0, [0, 1, 2, 3, 4, 75]] = 1
        states["board"][0, [30, 31, 32, 33, 45]] = 2
        states["ply"], states["last"], states["to_move"] = 11, 75, 1
        with pytest.raises(BoyiError, match="row 0 is no position: a winning row holds the stone that was placed last"):
            batch.states = states
        states["board"][0, 5], states["board"][0, 75] = 1, 0
        states["last"] = 2
        if rule == "freestyle":
            states["winner"], states["to_move"] = 0, -2
        batch.states = states


@marked(COMPILES)
def test_stones_that_need_more_steps_than_at_the_start_are_no_position() -> None:
    """EinStein: a game from there could be longer than the longest; it takes stones that there was no room for."""
    head = "einstein 3x3 stones 4 random adjacent  ply 0  last -  die -  X to roll\n      a   b   c\n"
    rows = "  1  X1  X2{}\n  2  X3   .   .\n  3   .   .  O1\n"
    read = find("einstein").module("text").read
    Batch("einstein:board_size=3,stones=4", 1, seed=0).states = read(head + rows.format("   ."))
    with pytest.raises(BoyiError, match="not an einstein diagram"):
        read(head + rows.format("  X4"))


@pytest.mark.parametrize("autoreset", ["off", "same_step", "next_step"])
def test_a_batch_that_waits_for_chance_plays_nothing(autoreset: str) -> None:
    """A record may wait for a roll; where chance is resolved inside, nobody can step or play on from there."""
    batch = Batch("einstein:board_size=3,stones=2", 1, seed=0, autoreset=autoreset)
    waiting = Batch("einstein:board_size=3,stones=2", 1, seed=0, chance="by_hand").states
    batch.states = waiting
    for play in (lambda: batch.step([0]), lambda: batch.play_random(1)):
        with pytest.raises(BoyiError, match="row 0: a chance event comes next"):
            play()
        assert field_bytes(batch.states) == field_bytes(waiting)


def snapshot(batch: Batch) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in batch.snapshot().items()}


DAMAGED = {
    "a name too few": lambda kept: kept.pop("seeds"),
    "no array": lambda kept: kept.update(seeds=[1, 2, 3]),
    "one seed for all": lambda kept: kept.update(seeds=kept["seeds"][:1]),
    "signed seeds": lambda kept: kept.update(seeds=kept["seeds"].astype(np.int64)),
    "episodes of 32 bits": lambda kept: kept.update(episodes=kept["episodes"].astype(np.int32)),
    "an episode below 0": lambda kept: kept["episodes"].__setitem__(1, -1),
    "one count of draws for all": lambda kept: kept.update(draws=kept["draws"][:1]),
    "two counts of draws a game": lambda kept: kept.update(draws=np.repeat(kept["draws"], 2)),
    "records of another game": lambda kept: kept.update(states=kept["states"][:, :-4]),
    "a game too few": lambda kept: kept.update(states=kept["states"][:-1]),
    "no position": lambda kept: kept["states"].__setitem__((1, 0), 77),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_snapshot_changes_nothing(damage: str) -> None:
    batch, other = (Batch("hex:board_size=3", 3, seed=seed) for seed in (1, 2))
    other.step(other.sample())
    kept, before = snapshot(other), snapshot(batch)
    DAMAGED[damage](kept)
    with pytest.raises(BoyiError, match=r"a snapshot of 3 games holds|snapshot's episodes|row 1 is no position: seats"):
        batch.restore(kept)
    assert all((batch.snapshot()[name] == before[name]).all() for name in before)
    batch.restore(snapshot(other))
    assert (batch.sample() == other.sample()).all() and field_bytes(batch.states) == field_bytes(other.states)
