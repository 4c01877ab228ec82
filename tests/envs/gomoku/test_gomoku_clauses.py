"""Gomoku in worked positions, by clause: rows and full boards."""

import numpy as np
import pytest
from gomoku_positions import FULL, every_rule, laid, played, taking_turns
from histories import scores

from boyi.envs import Batch
from boyi.envs.engine.protocol import OVER
from boyi.envs.gomoku import text

pytestmark = pytest.mark.kernels


# Points that stand in no row with each other, for the seat that the position is not about.
SCATTERED = [f"{column}9" for column in "acegikmo"] + [f"{column}7" for column in "bdfhjln"] + ["d11", "f11", "h11"]

# Stones of one seat on 15 x 15, in the order they are placed, and whether the last wins: freestyle, standard.
ROWS = [
    ("a1 b1 c1 d1 e1", True, True),  # §1: a row of the board, from the corner
    ("k15 l15 m15 n15 o15", True, True),  # §1: and into the opposite one
    ("a5 a4 a3 a2 a1", True, True),  # §1: a column
    ("o11 o12 o13 o14 o15", True, True),
    ("a1 b2 c3 d4 e5", True, True),  # §1: a diagonal upwards
    ("k11 l12 m13 n14 o15", True, True),
    ("a15 b14 c13 d12 e11", True, True),  # §1: a diagonal downwards
    ("k5 l4 m3 n2 o1", True, True),
    ("a10 b11 c12 d13 e14", True, True),  # §1: a diagonal that is no middle one
    ("g2 h2 j2 k2 i2", True, True),  # §4: whichever stone comes last
    ("a1 b1 c1 d1", False, False),  # §4: four
    ("a1 b1 c1 d1 f1", False, False),  # §4: broken
    ("c1 d2 e1 f2 g1", False, False),  # §4: no line
    ("m3 n3 o3 a2 b2", False, False),  # §1: a line ends at the edge, though actions go on: to the right,
    ("a15 b15 c15 o1 n1", False, False),  # §1: round the corners,
    ("f15 f14 f13 f1 f2", False, False),  # §1: from top to bottom,
    ("n15 o14 a12 b11 c10", False, False),  # §1: downwards,
    ("c14 b13 a12 o12 n11", False, False),  # §1: and upwards
    ("a1 b1 c1 e1 f1 d1", True, False),  # §4: six, from the edge
    ("e6 f5 g4 i2 j1 h3", True, False),  # §4: six on a diagonal
    ("h1 h2 h3 h5 h6 h4", True, False),  # §4: six in a column
    ("a1 b1 c1 d1 f1 g1 h1 i1 e1", True, False),  # §4: nine, the most at once
    ("a1 b1 c1 d1 e2 e3 e4 e5 e1", True, True),  # §4: two fives at once
    ("a1 b1 c1 d1 f1 e2 e3 e4 e5 e1", True, True),  # §4: a five and a six wins with either rule,
    ("a3 b3 c3 d3 e1 e2 e4 e5 e6 e3", True, True),  # §4: whichever way they lie
    ("a3 b3 c3 d3 f3 e1 e2 e4 e5 e6 e3", True, False),  # §4: two sixes
    ("f4 g4 i4 j4 h2 h3 h5 h6 f2 g3 i5 j6 f6 g5 i3 j2 h4", True, True),  # §4: four fives
]


@every_rule
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("stones", "freestyle", "standard"), ROWS)
def test_rows(stones: str, freestyle: bool, standard: bool, seat: int, rule: str) -> None:
    """§1, §4: worked by hand; the stone before the last has not won yet."""
    own = stones.split()
    others = SCATTERED[: len(own) - 1 + seat]
    moves = taking_turns(own, others) if seat == 0 else taking_turns(others, own)
    before = played(" ".join(moves.split()[:-1]), rule=rule).states
    assert (before["winner"][0], before["to_move"][0]) == (-1, seat)
    won = standard if rule == "standard" else freestyle
    after = played(moves, rule=rule).states
    assert after["winner"][0] == (seat if won else -1)
    assert after["to_move"][0] == (OVER if won else 1 - seat)


@every_rule
def test_stones_of_the_other_seat_part_rows_and_do_not_spoil_them(rule: str) -> None:
    """§4: five stones with another among them are no row; five between two others, or beside a wall, are one."""
    parted = played("a1 c1 b1 a9 d1 c9 e1 e9 f1", rule=rule)
    assert parted.states["winner"][0] == -1
    between = played("b1 a1 c1 g1 d1 a9 e1 c9 f1", rule=rule)
    assert between.states["winner"][0] == 0


def test_an_overline_neither_wins_nor_loses() -> None:
    """§4, standard: play goes on after six, they may become seven, and a five made later still wins."""
    batch = played("a1 a9 b1 c9 c1 e9 e1 g9 f1 i9 d1", rule="standard")
    moves = "k9 g1 m9 h3 o9 i3 b7 j3 d7 k3 f7"
    for word in moves.split():
        assert not scores(batch.game, batch.states)[0]
        rewards, over, _ = batch.step(np.array([text.parse(batch.states[0], word)]))
        assert not rewards.any()
        assert not over[0]
    rewards, over, _ = batch.step(np.array([text.parse(batch.states[0], "l3")]))
    assert rewards.tolist() == [[1, -1]]
    assert over[0]


@every_rule
@pytest.mark.parametrize(("picture", "last", "freestyle", "standard"), FULL)
def test_full_boards(picture: str, last: str, freestyle: int | None, standard: int | None, rule: str) -> None:
    """§4, §5, §6: the last of n² actions wins or draws; until then all returns are 0 and the game goes on."""
    batch, oracle = laid(picture, rule, last)
    winner = standard if rule == "standard" else freestyle
    assert oracle.winner() == winner  # the pictures are what their comments say
    assert oracle.mover() is None
    assert batch.states["ply"][0] == batch.game.longest == oracle.n**2
    assert batch.states["winner"][0] == (-1 if winner is None else winner)
    assert batch.to_move[0] == OVER
    assert not batch.mask.any()
    replay = Batch(batch.game, 1, seed=0, encoder=None)
    for a in oracle.actions[:-1]:
        rewards, over, cut = replay.step(np.array([a]))
        assert not rewards.any()
        assert not over[0]
        assert not cut[0]
    rewards, over, cut = replay.step(np.array(oracle.actions[-1:]))
    assert rewards[0].tolist() == oracle.returns() == [[1, -1], [-1, 1], [0, 0]][2 if winner is None else winner]
    assert over[0]
    assert not cut[0]
