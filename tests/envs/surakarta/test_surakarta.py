"""Surakarta against its page: the tests of every game, positions set up by hand for every clause, and records."""

from collections.abc import Hashable, Iterator

import numpy as np
import pytest
from game_tests import GameTests, PerftTests, PlayoutTests, count_by_depth, exact_chances
from histories import lawful, scores
from numpy.typing import NDArray
from surakarta_oracle import Surakarta

from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.validity import find_flaws
from boyi.envs.surakarta import rules, text

pytestmark = pytest.mark.kernels

START = "OOOOOO OOOOOO ...... ...... XXXXXX XXXXXX"


def plant(rows: str, mover: str = "X", **params: int) -> Batch:
    """Set up a position, its rows from the top, right after a capture; at the start if all men are there."""
    board = rows.replace(" ", "")
    taken = 24 - len(board.replace(".", ""))
    ply = taken + (taken + "XO".index(mover)) % 2
    cells = [f"{'abcdef'[i % 6]}{6 - i // 6}" for i in range(36)]
    last = f"{cells[board.index('.')]}x{cells[board.index('OX'['XO'.index(mover)])]}" if ply else "-"
    options = ",".join(f"{key}={value}" for key, value in params.items())
    head = f"surakarta{' ' * bool(options)}{options}  ply {ply}  last {last}  {mover} to move"
    lines = [f" {6 - r}  {' '.join(row)}" for r, row in enumerate(rows.split())]
    batch = Batch(find("surakarta", **params), 1, seed=0)
    try:
        batch.states = text.read("\n".join([head, *lines, "    a b c d e f", "quiet 0"]))
    except BoyiError as error:
        pytest.fail(str(error))
    return batch


def play(batch: Batch, moves: str) -> Batch:
    """Play moves by their names."""
    for move in moves.split():
        assert move in lawful(batch)
        batch.step([text.parse(batch.states[0], move)])
    return batch


def standing(batch: Batch) -> str:
    """Return what the diagram says of how the game stands."""
    return text.diagram(batch.states[0]).splitlines()[0].split("  ")[-1]


DIAGRAM = """surakarta no_capture_limit=6  ply 3  last a2-a3  O to move
 6  O O O O O O
 5  O O O O . O
 4  . . . . O .
 3  X . X . . .
 2  . X . X X X
 1  X X X X X X
    a b c d e f
quiet 3 c2-c3 e5-e4 a2-a3"""

BAD_NAMES = ("", "b2", "b2b3", "b2xb3", "b2-b5", "b2-b7", "g1-f1", "b02-b3", "b2-b3-b4", "b2–b3", "a0-a1")

BAD_DIAGRAMS = {
    (old, new): (DIAGRAM.replace(old, new), said)
    for old, new, said in (
        ("O to move", "X to move", "should be"),
        ("O to move", "X has won", "winner is the seat"),
        ("O to move", "draw", "winner is the seat"),
        ("ply 3", "ply 4", "should be"),
        ("ply 3", "ply 5", "ply counts"),
        ("ply 3", "ply 999999", "cannot read"),
        ("=6", "=2", "quiet does not exceed"),
        (" no_capture_limit=6", "  no_capture_limit=6", "cannot read"),
        ("no_capture_limit", "limit", "limit"),
        ("a2-a3  ", "a2xa3  ", "should be"),
        ("a2-a3  ", "b1-b2  ", "latest is"),
        ("a2-a3  ", "a2-g3  ", "no point 'g3'"),
        ("a2-a3  ", "a2  ", "cannot read"),
        ("quiet 3", "quiet 2", "2 quiet turns, but 3 are listed"),
        ("e5-e4 a2", "e6-e4 a2", "steps of the seats"),
        (" 4  . . . . O .", " 4  . . . . Z .", "row 4 must hold"),
        (" 4  . . . . O .\n", "", "6 rows"),
        (" 4  . . . . O .", " 4  . . . X O .", "at most 12"),
        ("surakarta ", "surakart ", "cannot read"),
    )
}
LATE = ("...... ..X... ...... ...... ....O. ......", "X..... .XO... ...... ...... ...... ......")


class TestSurakarta(PlayoutTests, PerftTests, GameTests):
    """§2 to §12 as the oracle has them, and texts (§12)."""

    game, oracle = "surakarta", Surakarta
    bad_names, allowed = BAD_NAMES, "two points, a1 to f6, with - between them where the second is empty, else x"
    diagrams = {DIAGRAM: ("surakarta:no_capture_limit=6", "c2-c3 e5-e4 a2-a3")}
    bad_diagrams = BAD_DIAGRAMS
    late, starts = ("surakarta:no_capture_limit=2",), ("surakarta:no_capture_limit=12",)
    most = 1000
    counted = {"surakarta": [1, 16, 256, 5382, 111122], "surakarta:no_capture_limit=3": [1, 16, 256, 5382, 5382]}

    def identity(self, state: np.void) -> Hashable:
        """The turns since the last capture belong to a position."""
        return *super().identity(state), int(state["quiet"]), state["source"].tobytes(), state["target"].tobytes()

    def merged(self, oracle: Surakarta) -> Hashable:
        """So few turns repeat nothing."""
        return str(oracle.position()), len(oracle.seen)

    @pytest.mark.slow
    @pytest.mark.parametrize("line", counted)
    def test_perft_table_to_three_plies(self, line: str) -> None:
        """The oracle, too, counts these; seconds."""
        assert count_by_depth(self.begin(line)[1], 3, self.merged) == self.counted[line][:4]

    def near_the_end(self, string: str) -> Iterator[tuple[Game, NDArray[np.void], NDArray[np.float64]]]:
        """Yield positions with few men: games that end soon at random are draws."""
        for rows in LATE:
            batch, oracle = plant(rows, no_capture_limit=2), Surakarta(no_capture_limit=2)
            board = batch.states["board"][0]
            oracle.men = {divmod(p, 6): int(board[p]) - 1 for p in np.flatnonzero(board).tolist()}
            oracle.seen = [oracle.position()]
            chances = exact_chances(oracle)
            assert chances is not None
            yield batch.game, batch.states, chances


# The rules


def test_the_start() -> None:
    """§1, §2: two rows of men on either side, seat 0, below, to move."""
    assert text.diagram(Batch("surakarta").states[0]).splitlines() == [
        "surakarta  ply 0  last -  X to move",
        *(f" {6 - r}  {' '.join(row)}" for r, row in enumerate(START.split())),
        "    a b c d e f",
        "quiet 0",
    ]
    assert plant(START).states.tobytes() == Batch("surakarta").states.tobytes()


def test_steps() -> None:
    """§1, §3, §5: to any of up to eight empty neighbours; c3 takes b4 over a3-c1 and c6-a4, not by a step."""
    batch = plant("...... ...... .O.... ..X... ...... X.....")
    steps = {f"c3-{point}" for point in ("c4", "d4", "b3", "d3", "b2", "c2", "d2")} | {"a1-a2", "a1-b1", "a1-b2"}
    assert lawful(batch) == steps | {"c3xb4"}
    after = play(batch, "c3-d4").states
    assert text.diagram(after[0]).splitlines()[3:6] == [" 4  . O . X . .", " 3  . . . . . .", " 2  . . . . . ."]
    assert standing(batch) == "O to move"


CAPTURES = {
    "over arcs, not past an own man": ("...... ..X... ..X... ...... ....O. ......", "c5xe2", "e2xc5"),
    "not before an arc": ("...... .X.XO. ...... .....X .X.... ......", "b2xe5", "e5xb2 e5xd5"),
    "over the own point on a crossing": (".X.... .X.OX. ....O. ...... .X..X. ......", "e2xe4 e5xd5 e5xe4", ""),
    "corners are on no loop": ("X....O ...... ...... ...... ...... O....X", "", ""),
    "no turn where loops cross": ("...X.. ...O.. X.XX.. ...... ...... ......", "", ""),
    "all the way round": ("...... ..XO.. ...... ...... ...... ......", "c5xd5", "d5xc5"),
    "from arc to arc": ("..XX.. O....O X....X O....O X....X ..OO..", "a2xa5 f2xf5", "a5xa2 f5xf2"),
    "right over an arc": ("XX.... OX.... XX.... ...... ...... ......", "b6xa5", "a5xb6"),
}


@pytest.mark.parametrize("case", CAPTURES)
@pytest.mark.parametrize("mover", "XO")
def test_captures(case: str, mover: str) -> None:
    """§4, §6: along loops past an arc, over empty points and the own one; worked out by hand."""
    rows, *expected = CAPTURES[case]
    batch = plant(rows, mover)
    taking = {move for move in lawful(batch) if "x" in move}
    assert taking == set(expected["XO".index(mover)].split())
    s = batch.states.view(np.recarray)[0]
    found = [rules.new_capture(s, i) for i in range(rules.CAPTURES)]
    assert sorted(text.name(s, a) for a in found if a >= 0) == sorted(taking)


def test_a_capture_takes_one_man_and_begins_anew_to_count() -> None:
    """§3, §6, §9."""
    batch = plant("...... .X.XO. ...... .....X .X.... ......", "O")
    play(batch, "e5-e4 f3-f4 e4-e5 f4-f3 e5xd5")
    s = batch.states[0]
    assert (s["men"].tolist(), s["quiet"], s["seen"]) == ([3, 1], 0, 1) and not s["source"].any()
    assert text.diagram(s).splitlines()[2] == " 5  . X . O . ."


def test_who_loses_the_last_man_has_lost() -> None:
    """§7, §10."""
    batch = plant("...... ..X... ...... ...... ....O. ......", "O")
    rewards, over, _ = batch.step([text.parse(batch.states[0], "e2xc5")])
    assert (rewards.tolist(), over.tolist(), standing(batch)) == ([[-1.0, 1.0]], [True], "O has won")


def test_who_cannot_act_has_lost() -> None:
    """§8 before §9: a man shut up in a corner, at the very turn that would be a draw; one that can only take plays."""
    batch = play(plant("OX.... X..... ..X... ...... ...... ......", no_capture_limit=1), "c4-b5")
    assert standing(batch) == "X has won" and scores(batch.game, batch.states) == [1.0, -1.0]
    batch = play(plant("XX.... O..... XXX... ...... ...... ......"), "c4-b5")
    assert lawful(batch) == {"a5xb6"}


def test_turns_without_a_capture() -> None:
    """§9, §10: those of both seats count; a capture among them begins anew."""
    batch = play(Batch("surakarta:no_capture_limit=3"), "b2-b3 b5-b4")
    assert standing(batch) == "X to move"
    assert standing(play(batch, "b3-b2")) == "draw" and scores(batch.game, batch.states) == [0.0, 0.0]
    batch = plant("...... .X.XO. ...... .....X .X.... ......", "O", no_capture_limit=3)
    assert standing(play(batch, "e5-e6 f3-f4 e6xd5 f4-f3 d5-c5")) == "X to move"


SHUFFLE = "b2-b3 b5-b4 b3-b2 b4-b5 "


@pytest.mark.parametrize(("repetition", "turns"), [(0, 12), (1, 12), (2, 4), (3, 8), (4, 12)])
def test_repetitions(repetition: int, turns: int) -> None:
    """§9: the start is its own first occurrence; the seat to move belongs to a position."""
    batch = play(Batch("surakarta", repetition=repetition, no_capture_limit=13), (3 * SHUFFLE)[: 6 * turns])
    assert standing(batch) == ("draw" if repetition > 1 else "X to move")
    assert text.read(text.diagram(batch.states[0])).tobytes() == batch.states.tobytes()
    game = Batch("surakarta", repetition=repetition, no_capture_limit=13)
    assert standing(play(game, (3 * SHUFFLE)[: 6 * (turns - 1)])) == "O to move"
    assert batch.observe(0)[0, 3].tolist() == np.full((6, 6), min(1.0, turns / 8)).tolist()


def test_another_seat_to_move_is_another_position() -> None:
    """§9: the men of the start stand again, but seat 1 is to move."""
    batch = play(Batch("surakarta:repetition=2"), "b2-b3 b5-b4 b3-c3 b4-b5 c3-b2")
    assert batch.states["seen"][0] == 1 and standing(batch) == "O to move"


def test_actions() -> None:
    """§11: 36 times where from and where to; outside the mask they forfeit."""
    batch = Batch("surakarta", illegal="forfeit")
    assert text.name(batch.states[0], 36 * 25 + 18) == "b2-a3" and batch.game.actions == 1296
    rewards, over, _ = batch.step([36 * 25 + 25])
    assert (rewards.tolist(), over.tolist(), standing(batch)) == ([[-1.0, 0.0]], [True], "ended")


def test_symmetry() -> None:
    """§13: left and right of the start are alike, under no other image; the image of a game has renamed turns."""
    batch = play(Batch("surakarta:no_capture_limit=6"), "c2-c3 e5-e4 a2-a3")
    images = [rules.image(Batch("surakarta").states, k) for k in range(8)]
    same = [k for k in range(8) if (images[k]["board"] == images[0]["board"]).all()]
    assert len(same) == 2 and {str(image["latest"]) for image in images} == {"[[-1 -1]]"}
    mirrored = rules.image(batch.states, same[1])
    assert text.diagram(mirrored[0]).endswith("quiet 3 d2-d3 b5-b4 f2-f3")
    for k, renamed in enumerate(rules.symmetries()):
        there = Batch(batch.game, 1, seed=0)
        there.states = rules.image(Batch(batch.game).states, k)
        for move in ("c2-c3", "e5-e4", "a2-a3"):
            a = renamed[text.parse(Batch(batch.game).states[0], move)]
            assert there.mask[0, a]
            there.step([a])
        assert there.states.tobytes() == rules.image(batch.states, k).tobytes()


# Records

CHANGES = [
    *((0, "no_capture_limit", ..., value) for value in (0, 251)),
    *((0, "repetition", ..., value) for value in (-1, 10)),
    *((1, "board", 14, value) for value in (-1, 3)),
    *((2, "men", seat, 11) for seat in (0, 1)),
    (2, "board", 14, 1),
    *((3, "quiet", ..., value) for value in (-1, 7)),
    *((3, "source", *change) for change in ((0, 36), (0, -1), (3, 5))),
    *((4, "ply", ..., value) for value in (-1, 2, 4)),
    *((5, "source", *change) for change in ((0, 12), (1, 0), (2, 14))),
    *((5, "target", *change) for change in ((0, 21), (1, 15))),
    *((6, "latest", *change) for change in ((0, 30), (1, 19), (0, -1))),
    *((7, "seen", ..., value) for value in (0, 2)),
    *((8, "winner", ..., value) for value in (0, 1, -2)),
    (8, "drawn", ..., 1),
    *((9, "to_move", ..., value) for value in (0, 2, -1, -3)),
]


@pytest.mark.parametrize(("flaw", "field", "place", "value"), CHANGES)
def test_changed_records(flaw: int, field: str, place: object, value: int) -> None:
    """§9 and others: which rule a record breaks; `find_flaws` leaves the record as it is."""
    batch = play(Batch("surakarta:no_capture_limit=6"), "c2-c3 e5-e4 a2-a3")
    states = batch.states
    states[field][0, place] = value
    before = states.tobytes()
    assert find_flaws(batch.game, states)[0] == flaw
    assert states.tobytes() == before


def test_a_drawn_game_does_not_go_on() -> None:
    """§9."""
    batch = play(Batch("surakarta"), 2 * SHUFFLE)
    states = batch.states
    states["to_move"] = 0
    assert find_flaws(batch.game, states)[0] == 9
