"""Hex against its page: the tests of every game, worked positions by clause, encoders and symmetry.

Without JIT, where `test_mutants.py` runs this file on broken copies of the game, the same checks play fewer games: a
field access then costs microseconds.
"""

import random
from collections.abc import Hashable

import numpy as np
import pytest
from game_tests import GameTests, OpenSpielTests, PerftTests, PlayoutTests, StoneTests, count_by_depth
from hex_oracle import Hex
from hex_positions import every_set, played
from histories import count, keys, random_histories, replayed, seen
from sizes import COMPILES, marked

from boyi.envs import Batch, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import OVER
from boyi.envs.faces.frame import Frame
from boyi.envs.hex import SPEC, rules, text

pytestmark = pytest.mark.kernels

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
    "swap-pieces",
    "ä1",
    "a１",
    "a1１",
]


DIAGRAM = """hex 3x3 swap  ply 2  last b2  X to move
   a b c
 1  . X .
  2  . O .
   3  . . ."""


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
    "a move after the win": "hex 3x3  ply 6  last c3  X has won\n   a b c\n 1  X O .\n  2  X O .\n   3  X . O",
    "size 0": "hex 0x0  ply 0  last -  X to move\n   ",
    "size 27": "\n".join(
        ["hex 27x27  ply 0  last -  X to move", "   " + " ".join(chr(ord("a") + c) for c in range(27))]
        + [f"{' ' * r}{r + 1:>2}  {' '.join('.' * 27)}" for r in range(27)]
    ),
}


class TestHex(StoneTests, PlayoutTests, PerftTests, OpenSpielTests, GameTests):
    game, oracle, unread = "hex", Hex, frozenset({"link"})
    bad_names, allowed = BAD_NAMES, "a1 to k11"
    diagrams = {DIAGRAM: ("hex:board_size=3,swap=true", "b1 b2")}
    bad_diagrams = BAD_DIAGRAMS
    placed = "f6 a1 k11 f5 a11 k1"
    # At n = 1 the first stone wins, with the swap or without.
    ended = (("hex:board_size=3", "a1 b1 a2 b2 a3"), ("hex:board_size=1", "a1"), ("hex:board_size=1,swap=true", "a1"))
    cut_short = True
    late = tuple(f"hex:board_size={n},swap={swap}" for n in (2, 3, 4) for swap in ("true", "false"))
    starts = ("hex", "hex:swap=true")
    compared = {
        f"hex:board_size={n},swap={swap}": (500, 1 if n == 11 else 10)
        for n in (2, 3, 5, 11)
        for swap in ("false", "true")
    }
    counted = {
        "hex:board_size=1": [1, 1],
        "hex:board_size=1,swap=true": [1, 1, 1],
        "hex:board_size=2": [1, 4, 12, 24, 24],
        "hex:board_size=2,swap=true": [1, 4, 16, 36, 48, 48],
        "hex:board_size=3": [1, 9, 72, 504, 3024, 15120, 56160, 154080, 257760, 257760],
        "hex:board_size=3,swap=true": [1, 9, 81, 576, 3528, 18144, 71280, 210240, 411840, 515520, 515520],
        "hex:board_size=4": [1, 16, 240, 3360, 43680, 524160, 5765760],
    }

    def identity(self, state: np.void) -> Hashable:
        """Stones, seat to move and the chance to swap make a position, and neither path nor last action."""
        return state["board"].tobytes(), int(state["to_move"]), bool(state["swap"] and state["ply"] == 1)

    def merged(self, oracle: Hex) -> Hashable:
        return "".join(str(oracle.stones.get(cell, ".")) for cell in oracle.cells()), oracle.swap_possible()

    @pytest.mark.slow
    def test_perft_to_eight_plies_of_four_by_four(self) -> None:
        """§3, §4: half a billion sequences in the kernels, positions merged in the oracle; minutes."""
        counts = count_by_depth(Hex(4), 8, self.merged)
        self.test_perft(("hex:board_size=4", counts))
        assert counts == [*self.counted["hex:board_size=4"], 57657600, 513849600]


def test_actions_and_names() -> None:
    """§7, §8: action r·n + c is the cell in row r and column c, the last action of a swap game the swap."""
    state = played("", swap=True).states[0]
    cells = {"a1": (0, 0), "c1": (0, 2), "a2": (1, 0), "k1": (0, 10), "a11": (10, 0), "k11": (10, 10)}
    for name, (r, c) in cells.items():
        assert text.parse(state, name) == r * 11 + c
        assert text.name(state, r * 11 + c) == name
    assert text.name(state, 121) == "swap-pieces"
    assert text.parse(state, "swap-pieces") == 121


# Worked positions, by clause

CHAINS = [
    ("a1 b1 a2 b2 a3", 0),  # §1: (r, c) touches (r+1, c)
    ("a3 b1 a2 b2 a1", 0),  # §1: and (r-1, c)
    ("c1 a1 b2 a2 a3", 0),  # §1: (r, c) touches (r+1, c-1)
    ("a3 a1 b2 a2 c1", 0),  # §1: and (r-1, c+1)
    ("a1 c1 a2 c2 b3 c3 b2", 0),  # §1: (r, c) touches (r, c-1)
    ("a1 c1 b2 c2 b3 c3 a2", 0),  # §1: and (r, c+1)
    ("a1 c1 a2 c2 b3 c3", None),  # §1: (r, c) does not touch (r+1, c+1)
    ("a1 c1 b2 a3 c3", None),  # §4: a diagonal that only looks like a chain
    ("a1 a2 b1 b2 c1 c2", 1),  # §4: seat 1 joins left and right along a row
    ("a1 a3 a2 b2 b3 c1", 1),  # §4: and from the bottom left corner to the top right one
    ("b1 a1 c2 b2 a3 c3", None),  # §4: seat 1's diagonal is no chain either
    ("a1 a3 b1 b3 c1", None),  # §4: joining left and right does not win for seat 0
    ("b1 a1 b2 a2 c2 a3", None),  # §4: nor top and bottom for seat 1
]


@pytest.mark.parametrize(("moves", "winner"), CHAINS)
def test_chains_on_three_by_three(moves: str, winner: int | None) -> None:
    """§1, §4: worked by hand on the page's rhombus."""
    state = played(moves, board_size=3).states
    assert state["winner"][0] == (-1 if winner is None else winner)
    assert (state["to_move"][0] == OVER) == (winner is not None)


@marked(COMPILES)
def test_corner_cells_lie_on_two_sides() -> None:
    """§4: a1 serves seat 0 as top and seat 1 as left, and so on around a board of four corners."""
    for moves, winner in (("a1 b1 a2", 0), ("b2 a2 b1", 0), ("b1 b2 a2", 0), ("a2 a1 b2 b1", 1), ("a1 b2 b1 a2", 1)):
        assert played(moves, board_size=2).states["winner"][0] == winner


@pytest.mark.parametrize("board_size", [1, 2, 3, 5, 11])
def test_a_full_board_holds_exactly_one_chain(board_size: int) -> None:
    """§4: Gale's theorem, for random colourings; and whatever order the stones come in, the kernels find that chain."""
    rng, oracle = random.Random(board_size), Hex(board_size)
    for _ in range(count(200, 3)):
        oracle.stones = {cell: rng.randrange(2) for cell in rng.sample(oracle.cells(), board_size**2)}
        chains = [oracle.has_chain(0), oracle.has_chain(1)]
        assert chains.count(True) == 1
        state = rules.blank(board_size, swap=False)
        s = state.view(np.recarray)[0]
        game = find("hex", board_size=board_size)
        bind(rules.reset, game)(s, None)
        for (r, c), seat in oracle.stones.items():
            bind(rules.put_stone, game)(s, seat, r * board_size + c)
        assert state["winner"][0] == chains.index(True)


@pytest.mark.parametrize("first", range(9))
def test_swap(first: int) -> None:
    """§5: seat 1's stone stands mirrored where seat 0's is taken off; seat 0 is to move, and can never swap."""
    batch = Batch("hex:board_size=3,swap=true", 1, seed=0)
    assert not batch.mask[0, 9]
    batch.step(np.array([first]))
    assert batch.mask[0, 9]
    batch.step(np.array([9]))
    r, c = divmod(first, 3)
    board = np.zeros((3, 3), np.int8)
    board[c, r] = 2
    assert np.array_equal(batch.states["board"][0].reshape(3, 3), board)
    assert batch.to_move[0] == 0
    for _ in range(4):
        assert not batch.mask[0, 9]
        batch.step(batch.mask.argmax(axis=1))


def test_swap_is_only_a_first_move() -> None:
    """§5: not after a first stone of seat 1's own, and not in a game without it."""
    batch = played("b2 a1", board_size=3, swap=True)
    for word in ("c3", "a3", "c1"):
        assert not batch.mask[0, 9]
        batch.step(np.array([text.parse(batch.states[0], word)]))
    assert played("b2", board_size=3).mask.shape == (1, 9)


def test_returns_of_the_longest_game() -> None:
    """§6: 0 before the end, +1 and -1 at it; n² + 1 actions are reached after a swap, and n² without."""
    for moves, swap in (("b1 swap-pieces b1 a1 b2", True), ("a1 b1 b2 a2", False)):
        batch, words = played("", board_size=2, swap=swap), moves.split()
        assert batch.game.longest == len(words) == 4 + swap
        for word in words[:-1]:
            rewards, over, cut = batch.step(np.array([text.parse(batch.states[0], word)]))
            assert not rewards.any()
            assert not over[0]
            assert not cut[0]
        rewards, over, cut = batch.step(np.array([text.parse(batch.states[0], words[-1])]))
        assert rewards.tolist() == ([[1, -1]] if swap else [[-1, 1]])
        assert over[0]
        assert not cut[0]


# Keys


def test_keys_tell_movers_apart() -> None:
    """The same stones with seat 0 or seat 1 to move, after a swap or without, are two positions; so is a forfeit."""
    game = find("hex:board_size=3,swap=true")
    # §5: c1 swapped stands on a3, so both end with X on b2 and O on a3.
    once, twice = played("c1 swap-pieces b2", board_size=3, swap=True), played("b2 a3", board_size=3, swap=True)
    assert np.array_equal(once.states["board"], twice.states["board"])
    assert keys(game, once.states) != keys(game, twice.states)
    ended = twice.states
    ended["to_move"] = OVER
    assert keys(game, ended) != keys(game, twice.states)


def test_keys_tell_the_chance_to_swap() -> None:
    """§5: after one stone a game with the swap and one without differ in what may follow."""
    with_swap, without = played("b2", board_size=3, swap=True), played("b2", board_size=3)
    assert keys(with_swap.game, with_swap.states) != keys(without.game, without.states)


# Frames and symmetry


@every_set
def test_actions_share_the_frame_of_the_planes(game: Game) -> None:
    """Action i is cell i of the planes, for both seats; `oriented` and `neurohex` mirror both for seat 1."""
    oracle, n = Hex(**game.params), game.params["board_size"]
    for a in random.Random(3).sample(range(n * n), min(n * n, count(50, 5))):
        batch = Batch(game, 1, seed=0, encoder=None)
        batch.step(np.array([a]))
        for seat in (0, 1):
            r, c = divmod(oracle.seen_action(seat, a), n)
            assert Frame(game, "neurohex").seen(a, seat) == Frame(game, "oriented").seen(a, seat) == r * n + c
            assert Frame(game, "planes").seen(a, seat) == a
            assert seen(game, batch.states, "neurohex", seat)[0, seat, r + 2, c + 2] == 1
            assert seen(game, batch.states, "oriented", seat)[0, seat, r, c] == 1
            assert seen(game, batch.states, "planes", seat)[0, seat].reshape(-1)[a] == 1
    for seat in (0, 1):
        frame = [Frame(game, "neurohex").seen(a, seat) for a in range(game.actions)]
        assert frame == [oracle.seen_action(seat, a) for a in range(game.actions)]


@every_set
def test_half_a_turn_keeps_the_game(game: Game) -> None:
    """§9: turned games have turned masks and turned `planes`, and the same mover and winner."""
    identity, turn = rules.symmetries(**game.params)
    n = game.params["board_size"]
    assert identity.tolist() == list(range(game.actions))
    assert turn[: n * n].tolist() == [(n - 1 - a // n) * n + n - 1 - a % n for a in range(n * n)]
    assert turn[n * n :].tolist() == identity[n * n :].tolist()
    histories = random_histories(game, count(100 if n <= 11 else 5, 4 if n < 11 else 1))
    here, there = replayed(game, histories), replayed(game, [[int(turn[a]) for a in h] for h in histories])
    assert np.array_equal(here.mask, there.mask[:, turn])
    for field in ("to_move", "winner", "ply"):
        assert np.array_equal(here.states[field], there.states[field])
    for seat in (0, 1):
        turned = seen(game, there.states, "planes", seat)[:, :, ::-1, ::-1]
        assert np.array_equal(seen(game, here.states, "planes", seat), turned)


@pytest.mark.parametrize("board_size", [pytest.param(2, marks=COMPILES), 3, pytest.param(5, marks=COMPILES), 11])
def test_mirroring_exchanges_the_seats(board_size: int) -> None:
    """§9: where each plays the other's moves mirrored, each sees with `oriented` and `neurohex` what the other saw."""
    game, n = find(SPEC, board_size=board_size), board_size
    for history in random_histories(game, count(200, 6 if n < 11 else 1)):
        pairs = history[: len(history) // 2 * 2]
        if not pairs:
            continue
        # The moves of a pair change places, because seat 0 still begins.
        mirrored = [pairs[i ^ 1] % n * n + pairs[i ^ 1] // n for i in range(len(pairs))]
        here = replayed(game, [pairs])
        if here.to_move[0] == OVER:
            # Seat 1 won by its last move, which mirrored seat 0 plays one ply earlier.
            assert here.states["winner"][0] == 1
            assert replayed(game, [mirrored[:-1]]).states["winner"][0] == 0
            continue
        there = replayed(game, [mirrored])
        assert np.array_equal(here.mask.reshape(n, n), there.mask.reshape(n, n).T)
        for seat in (0, 1):
            x = {name: seen(game, here.states, name, seat) for name in SPEC.encoders}
            y = {name: seen(game, there.states, name, 1 - seat) for name in SPEC.encoders}
            for name in ("oriented", "neurohex"):
                assert np.array_equal(x[name], y[name])
            assert np.array_equal(x["planes"], y["planes"].swapaxes(2, 3))
