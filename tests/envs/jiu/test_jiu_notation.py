"""Games of Jiu in the notation of published records (§21)."""

import re
from functools import cache

import numpy as np
import pytest
from histories import count

from boyi.envs import Batch, BoyiError
from boyi.envs.jiu import notation

pytestmark = pytest.mark.kernels

GAMES = [
    "jiu:board_size=6",
    "jiu:board_size=6,must_take=false,revisit=false",
    "jiu:board_size=6,single_jump_ban=none,gun=false",
    "jiu:board_size=6,single_jump_ban=both,flying=below",
    "jiu:board_size=6,layout_only=true",
]


@cache
def played(game: str, seed: int) -> list[int]:
    """Play a game at random that takes whenever it can, so that its turns are long; return its actions."""
    batch = Batch(game, 1, seed=seed, encoder=None, history=True)
    lots = np.random.default_rng(seed)
    n = batch.game.params["board_size"]
    while batch.to_move[0] >= 0:
        # Moves are often jumps only where one can be made: those that end two points on.
        legal = np.flatnonzero(batch.mask[0])
        names = [batch.game.module("text").name(batch.states[0], int(a)) for a in legal]
        jumps = [a for a, name in zip(legal, names, strict=True) if re.fullmatch(r"\w\w-\w\w", name) and far(name)]
        batch.step([lots.choice(jumps if jumps and lots.random() < 0.8 else legal)])
        assert batch.states["ply"][0] < 40 * n * n
    return batch.history(0)


def far(name: str) -> bool:
    """Whether a move goes two points on."""
    return abs(ord(name[0]) - ord(name[3])) + abs(int(name[1], 36) - int(name[4], 36)) == 2


@pytest.mark.parametrize("game", GAMES)
def test_records_read_back(game: str) -> None:
    """§21: the actions of whole games, flights and long jumps among them, whatever the line breaks."""
    for seed in range(count(3, 1)):
        actions = played(game, seed)
        text = notation.write(game, actions)
        assert notation.read(text, game) == actions
        assert notation.read(text.replace("\n", ""), game) == actions
        head = "JIU[6],[red],[blue],[first],[2:0],[2020-09-25],[00:10:00],[here],[test];\n"
        assert notation.read(head + text.replace(",", ", "), game) == actions


def test_a_record_is_written_as_published() -> None:
    """§20, §21: letters by the stone's colour, the layout in a line, the opening of the board as turns 1 and 2."""
    text = notation.write(GAMES[0], played(GAMES[0], 0))
    layout, first, second, *turns = text.splitlines()
    points = layout.rstrip(";").split(",")
    assert points[0] == "0" and len(points) == 37
    assert points[1:3] in (["c2", "D3"], ["d3", "C2"])
    assert all(point[0].islower() == (k % 2 == 0) for k, point in enumerate(points[1:]))
    assert (first, second) == (f"1,{points[2]};", f"2,{points[1]};")
    assert [int(turn.split(",")[0]) for turn in turns] == list(range(3, len(turns) + 3))
    assert turns[0][2].isupper() and turns[1][2].islower()
    several = [turn for turn in turns if turn.count("-") > 1]
    assert several
    for turn in several:
        # A stone is jumped over for every part of the path.
        _, path, *taken = turn.rstrip(";").split(",")
        assert len(taken) >= path.count("-") and all(word[0].islower() != path[0].islower() for word in taken)


def test_jumped_stones_may_come_in_any_order() -> None:
    """§21: a published record lists those of one path in another order."""
    actions = played(GAMES[0], 0)
    text = notation.write(GAMES[0], actions)
    turn = re.search(r"^\d+,\w\w-\w\w-\w\w,(\w\w),(\w\w)", text, re.MULTILINE)
    assert turn is not None
    swapped = turn[0].replace(f"{turn[1]},{turn[2]}", f"{turn[2]},{turn[1]}")
    assert swapped != turn[0]
    assert notation.read(text.replace(turn[0], swapped, 1), GAMES[0]) == actions


def test_unfinished_games() -> None:
    """§21: a record may end before the game does, but not within a turn."""
    actions = played(GAMES[0], 0)
    assert notation.write(GAMES[0], []) == "0;\n"
    assert notation.read(notation.write(GAMES[0], actions[:9]), GAMES[0]) == actions[:9]
    lines = notation.write(GAMES[0], actions).splitlines()
    some = notation.read("\n".join(lines[:9]), GAMES[0])
    assert some == actions[: len(some)] and len(some) > 36
    batch, ends = Batch(GAMES[0], 1, seed=0, encoder=None), 0
    for k, action in enumerate(actions[:60]):
        if k > 36 and batch.states["start"][0] >= 0:
            ends += 1
            with pytest.raises(BoyiError, match="the actions end within a turn"):
                notation.write(GAMES[0], actions[:k])
        batch.step([action])
    assert ends


WRONG = [
    (r",\w\w;\n1,", ";\n1,", "the layout is not full"),
    (r"\Z", "999,a0-a1;", "999,a0-a1' is not possible: the game is over"),
    (r"^0,", "7,", "it begins with 0"),
    (r"^0,\w\w", "0,a0", "no stone can be put on 'a0'"),
    (r"^0,(\w\w)", "0,Z0", "no point 'Z0' of seat 0 on a board of 6 lines: write a small letter"),
    (r"^1,\w\w;", "1,A0;", "turns 1 and 2 take off the first two stones"),
    (r"^4,", "5,", "cannot read '5,"),
    (r"^3,\w\w-\w\w", "3,A0-F5", "'3,A0-F5"),
    (r"^(3,\w\w-\w\w)[^;]*;", r"\1,a0,a1,a2,a3,a4;", "no turn of seat 1 goes this way and takes these stones"),
    (r"^3,(\w\w-\w\w)", "3,g1-g2", "no point 'g1' of seat 1"),
    (r"^3,[^;]*;", "3,?;", "cannot read '3,"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), WRONG)
def test_what_cannot_be_is_one_sentence(old: str, new: str, sentence: str) -> None:
    text = notation.write(GAMES[0], played(GAMES[0], 0))
    changed, count = re.subn(old, new, text, count=1, flags=re.MULTILINE)
    assert count == 1
    with pytest.raises(BoyiError) as error:
        notation.read(changed, GAMES[0])
    assert sentence in str(error.value) and "\n" not in str(error.value)
