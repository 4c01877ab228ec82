"""Hex against its page: an oracle, OpenSpiel, perft tables, worked positions by clause, encoders, playouts.

Under NUMBA_DISABLE_JIT=1, where `test_mutants.py` runs this file on broken copies of the game, the same checks play
fewer games: a field access then costs microseconds.
"""

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
from hex_oracle import Hex
from hex_positions import every_set, played
from histories import SIGMAS, count, first_seat_wins, keys, number_of_actions, random_histories, replayed, scores, seen
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game, IllegalAction, find
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import OVER
from boyi.envs.faces.frame import Frame
from boyi.envs.hex import SPEC, rules, text

pytestmark = pytest.mark.kernels


# The oracle


@every_set
def test_every_ply_agrees_with_the_oracle(game: Game) -> None:
    """§2 to §7: mover, mask, observations of both encoders from both seats, returns and names, in random games."""
    n = game.params["board_size"]
    many = count(2, 0) if n > 11 else count(24, 1) if n == 11 else count(60, 8)
    stride = count(1 if n <= 11 else 23, 1 if n < 11 else 17)  # plies from one observation to the next
    rng = random.Random(str(game))
    for k in range(many):
        check_game(game, rng, stride, force_swap=k % 2 == 0)


def check_game(game: Game, rng: random.Random, stride: int, *, force_swap: bool) -> None:
    """Play one random game beside the oracle, with a swap at the first chance if it is to be forced."""
    oracle = Hex(**game.params)
    batch = Batch(game, 1, seed=0)
    for ply in range(game.longest + 1):
        check_position(game, batch, oracle)
        if ply % stride == 0 or oracle.mover() is None:
            check_observations(game, batch, oracle)
        if oracle.mover() is None:
            break
        swap = force_swap and oracle.swap_possible()
        a = game.actions - 1 if swap else rng.choice(sorted(oracle.legal()))
        assert text.name(batch.states[0], a) == oracle.name(a)
        oracle.play(a)
        rewards, over, cut = batch.step(np.array([a]))
        assert list(rewards[0]) == oracle.returns()
        assert (bool(over[0]), bool(cut[0])) == (oracle.mover() is None, False)
    assert oracle.winner() is not None  # §4: there are no draws


def check_position(game: Game, batch: Batch, oracle: Hex) -> None:
    state, mover = batch.states, oracle.mover()
    assert batch.to_move[0] == (OVER if mover is None else mover)
    assert set(np.flatnonzero(batch.mask[0]).tolist()) == oracle.legal()
    mask = np.zeros(game.actions, np.int8)
    assert bind(number_of_actions, game)(state, mask) == len(oracle.legal())
    assert scores(game, state) == oracle.returns()
    winner = oracle.winner()
    assert state["winner"][0] == (-1 if winner is None else winner)
    assert state["ply"][0] == len(oracle.actions)


def check_observations(game: Game, batch: Batch, oracle: Hex) -> None:
    for seat in (0, 1):
        assert np.array_equal(seen(game, batch.states, "planes", seat)[0], oracle.observe_planes(seat))
        assert np.array_equal(seen(game, batch.states, "neurohex", seat)[0], oracle.observe_neurohex(seat))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("board_size", [2, 3, 5, 11])
def test_every_ply_agrees_with_openspiel(board_size: int, swap: bool) -> None:
    """§4, §5: legal moves, mover and winner in 500 random games each, 4,000 in all."""
    spiel = pytest.importorskip("pyspiel").load_game(f"hex(board_size={board_size},swap={swap})")
    many = count(500, 1 if board_size == 11 else 10)
    batch = Batch("hex", many, seed=2, encoder=None, board_size=board_size, swap=swap)
    theirs = [spiel.new_initial_state() for _ in range(many)]
    live = np.arange(many)
    while live.size:
        actions = batch.sample()[live]
        rewards, over, _ = batch.step(actions, live)
        masks = batch.mask
        for i, a, r, ended in zip(live, actions, rewards, over, strict=True):
            theirs[i].apply_action(int(a))
            assert theirs[i].is_terminal() == ended
            assert theirs[i].returns() == list(r)
            if not ended:
                assert theirs[i].current_player() == batch._states["to_move"][i]
                assert theirs[i].legal_actions() == np.flatnonzero(masks[i]).tolist()
        live = live[~over]


# Perft: the number of sequences of actions from the start, by depth; a game that has ended counts once

# The oracle's numbers, printed by `python -c "from test_hex import *; print(oracle_perft(4, False, 8))"` in its folder.
PERFT = {
    (1, False): [1, 1],
    (1, True): [1, 1, 1],
    (2, False): [1, 4, 12, 24, 24],
    (2, True): [1, 4, 16, 36, 48, 48],
    (3, False): [1, 9, 72, 504, 3024, 15120, 56160, 154080, 257760, 257760],
    (3, True): [1, 9, 81, 576, 3528, 18144, 71280, 210240, 411840, 515520, 515520],
    (4, False): [1, 16, 240, 3360, 43680, 524160, 5765760, 57657600],
}


def oracle_perft(board_size: int, swap: bool, depth: int) -> list[int]:
    """Count with the oracle for every depth up to `depth`, positions that are reached in several ways merged."""
    level = {"": (Hex(board_size, swap), 1)}
    ended, counts = 0, [1]
    for _ in range(depth):
        following: dict[str, tuple[Hex, int]] = {}
        for game, ways in level.values():
            for a in game.legal():
                after = game.copy()
                after.play(a)
                if after.mover() is None:
                    ended += ways
                    continue
                board = "".join(str(after.stones.get(cell, ".")) for cell in after.cells())
                following[board] = (after, ways + following.get(board, (after, 0))[1])
        level = following
        counts.append(ended + sum(ways for _, ways in level.values()))
    return counts


def kernel_perft(board_size: int, swap: bool, depth: int) -> int:
    game = find(SPEC, board_size=board_size, swap=swap)
    stack = np.repeat(Batch(game, 1, seed=0).states, depth + 1)
    masks = np.zeros((depth + 1, game.actions), np.int8)
    return int(bind(kernels.perft, game)(stack, depth, masks, np.zeros(1)))


@pytest.mark.parametrize(("board_size", "swap"), PERFT)
def test_perft(board_size: int, swap: bool) -> None:
    """§3, §4, §5: the kernels count what the oracle counted."""
    for depth, expected in enumerate(PERFT[board_size, swap]):
        if expected <= count(10**8, 600):
            assert kernel_perft(board_size, swap, depth) == expected


@pytest.mark.skipif(config.DISABLE_JIT, reason="plays no kernel")
@pytest.mark.parametrize(("board_size", "swap"), [sizes for sizes in PERFT if sizes[0] < 4])
def test_perft_table(board_size: int, swap: bool) -> None:
    """The oracle still counts the numbers of the table."""
    expected = PERFT[board_size, swap]
    assert oracle_perft(board_size, swap, len(expected) - 1) == expected


@pytest.mark.slow
def test_perft_to_eight_plies_of_four_by_four() -> None:
    """§3, §4: half a billion sequences in the kernels, positions merged in the oracle; minutes."""
    counts = oracle_perft(4, False, 8)
    assert counts == [*PERFT[4, False], 513849600]
    assert kernel_perft(4, False, 8) == counts[-1]


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


@every_set
def test_start(game: Game) -> None:
    """§2: the board is empty, seat 0 moves first, nothing is hidden and there is no chance."""
    batch = Batch(game, 1, seed=0)
    state = batch.states
    assert not state["board"].any()
    assert (state["to_move"][0], state["ply"][0], state["last"][0], state["winner"][0]) == (0, 0, -1, -1)
    assert (game.spec.hidden, game.chance_outcomes, game.seats) == (False, 0, 2)
    assert batch.mask[0].sum() == game.params["board_size"] ** 2


def test_placing() -> None:
    """§3: a stone of the mover's own on an empty cell; no other cell changes, and the other seat is to move."""
    batch = played("")
    stones: dict[int, int] = {}
    for seat, word in enumerate(("f6", "a1", "k11", "f5", "a11", "k1")):
        a = text.parse(batch.states[0], word)
        assert batch.mask[0, a] == 1
        batch.step(np.array([a]))
        stones[a] = seat % 2 + 1
        board = batch.states["board"][0]
        assert {int(i): int(board[i]) for i in np.flatnonzero(board)} == stones
        assert batch.to_move[0] == 1 - seat % 2
        assert [i for i in range(121) if not batch.mask[0, i]] == sorted(stones)


def test_corner_cells_lie_on_two_sides() -> None:
    """§4: a1 serves seat 0 as top and seat 1 as left, and so on around a board of four corners."""
    for moves, winner in (("a1 b1 a2", 0), ("b2 a2 b1", 0), ("b1 b2 a2", 0), ("a2 a1 b2 b1", 1), ("a1 b2 b1 a2", 1)):
        assert played(moves, board_size=2).states["winner"][0] == winner


def test_the_game_ends_at_once() -> None:
    """§4: no action is left, playing one raises, and at n = 1 the first stone wins, with the swap or without."""
    for batch in (played("a1 b1 a2", board_size=2), played("a1", board_size=1), played("a1", board_size=1, swap=True)):
        assert batch.to_move[0] == OVER
        assert not batch.mask.any()
        with pytest.raises(IllegalAction, match="ended"):
            batch.step(np.array([0]))


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
        rules.reset(s, None)
        for (r, c), seat in oracle.stones.items():
            rules.put_stone(s, seat, r * board_size + c)
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


@pytest.mark.parametrize("action", [-1, 4, 9, 10, 2**40])
@pytest.mark.parametrize("swap", [False, True])
def test_illegal_actions(action: int, swap: bool) -> None:
    """§7: they raise and leave the position untouched, or cost the offender the game: -1, and 0 for the other."""
    batch = played("b2 a1 c3", board_size=3, swap=swap)
    before = batch.states.tobytes()
    with pytest.raises(IllegalAction):
        batch.step(np.array([action]))
    assert batch.states.tobytes() == before
    lenient = Batch(batch.game, 1, seed=0, illegal="forfeit")
    lenient.states = batch.states
    oracle = Hex(3, swap)
    for a in (4, 0, 8, action):
        oracle.play(a)
    rewards, over, _ = lenient.step(np.array([action]))
    assert rewards[0].tolist() == oracle.returns() == [0, -1]
    assert over[0]
    assert not lenient.mask.any()


# Keys


@pytest.mark.parametrize("name", ["hex:board_size=2,swap=true", "hex:board_size=3", "hex:board_size=3,swap=true"])
def test_equal_positions_have_equal_keys(name: str) -> None:
    """Stones, seat to move and the chance to swap make the key, and nothing else: neither path nor last action."""
    game = find(name)
    histories = random_histories(game, count(2000, 60))
    states = replayed(game, histories).states
    described = [(s["board"].tobytes(), int(s["to_move"]), bool(game.params["swap"] and s["ply"] == 1)) for s in states]
    found = dict(zip(described, keys(game, states), strict=True))
    assert [found[position] for position in described] == keys(game, states)
    assert len(set(found.values())) == len(found)
    assert len(found) < len(histories)  # otherwise no position came twice and the test says little


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
    """Action i is cell i of the planes, for both seats; `neurohex` mirrors both for seat 1."""
    oracle, n = Hex(**game.params), game.params["board_size"]
    for a in random.Random(3).sample(range(n * n), min(n * n, count(50, 5))):
        batch = Batch(game, 1, seed=0, encoder=None)
        batch.step(np.array([a]))
        for seat in (0, 1):
            r, c = divmod(oracle.seen_action(seat, a), n)
            assert Frame(game, "neurohex").seen(a, seat) == r * n + c
            assert Frame(game, "planes").seen(a, seat) == a
            assert seen(game, batch.states, "neurohex", seat)[0, seat, r + 2, c + 2] == 1
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


@pytest.mark.parametrize("board_size", [2, 3, 5, 11])
def test_mirroring_exchanges_the_seats(board_size: int) -> None:
    """§9: where each seat plays the other's moves mirrored, each sees with `neurohex` what the other saw."""
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
            assert np.array_equal(x["neurohex"], y["neurohex"])
            assert np.array_equal(x["planes"], y["planes"].swapaxes(2, 3))


# Random playouts


def wins_of_seat_0(game: Game, state: NDArray[np.void], tries: int, **choices: object) -> int:
    """Count the wins of seat 0 in random playouts from a record, shape (1,)."""
    rng, mask = np.array([2026, 0], np.uint64), np.zeros(game.actions, np.int8)
    return int(bind(first_seat_wins, game, **choices)(np.repeat(state, 2), tries, rng, mask, np.zeros(1)))


def exact_chance(oracle: Hex) -> float:
    """Return the probability that seat 0 wins when both seats play at random."""
    if oracle.mover() is None:
        return float(oracle.winner() == 0)
    chances = []
    for a in sorted(oracle.legal()):
        after = oracle.copy()
        after.play(a)
        chances.append(exact_chance(after))
    return sum(chances) / len(chances)


def nearly_finished(board_size: int, swap: bool) -> Iterator[tuple[Hex, NDArray[np.void]]]:
    """Yield random positions with at most four empty cells, finished ones included, each once."""
    game = find(SPEC, board_size=board_size, swap=swap)
    known = set()
    for history in random_histories(game, count(200, 30), seed=board_size):
        oracle = Hex(board_size, swap)
        for a in history:
            oracle.play(a)
        position = (*sorted(oracle.stones.items()), oracle.mover())
        if board_size**2 - len(oracle.stones) <= 4 and position not in known:
            known.add(position)
            yield oracle, replayed(game, [history]).states


@pytest.mark.parametrize(("board_size", "swap"), [(1, False), (2, False), (2, True), (3, False), (3, True), (4, False)])
@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["hex", "generic"])
def test_playouts_from_late_positions(board_size: int, swap: bool, choices: dict[str, object]) -> None:
    """Both ways to finish a game at random win as often as enumerating all continuations says."""
    # Without JIT it is Hex's own playout that may be broken (`test_mutants.py`).
    game, tries = find(SPEC, board_size=board_size, swap=swap), count(20_000, 50 if choices else 500)
    positions = list(nearly_finished(board_size, swap))
    assert positions
    for oracle, state in positions:
        chance = exact_chance(oracle)
        bound = SIGMAS * math.sqrt(tries * chance * (1 - chance))
        assert abs(wins_of_seat_0(game, state, tries, **choices) - tries * chance) <= bound + 1e-6


@pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many games")
@pytest.mark.parametrize("swap", [False, True])
def test_playouts_from_the_start(swap: bool) -> None:
    """The game's own playout and the generic one win equally often at size 11, from the start and from replies."""
    game, tries = find(SPEC, swap=swap), 40_000
    for history in ([], [60], [60, 121] if swap else [60, 0]):
        state = replayed(game, [history, [0]]).states[:1]
        fast = wins_of_seat_0(game, state, tries)
        slow = wins_of_seat_0(game, state, tries, playout=kernels.random_playout)
        assert abs(fast - slow) <= SIGMAS * math.sqrt(2 * tries * 0.25)


@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["hex", "generic"])
def test_random_games_score_every_game(choices: dict[str, object]) -> None:
    """§6: over many games at size 11 the returns add up to zero, and seat 0, who begins, wins somewhat more."""
    game, tries = find("hex"), count(40_000, 3)
    total, rng = np.zeros(2, np.float32), np.array([7, 0], np.uint64)
    scratch = (np.zeros(game.actions, np.int8), np.zeros(1), total)
    bind(kernels.random_games, game, **choices)(game.blank.copy(), game.blank, tries, rng, *scratch)
    assert total.sum() == 0
    assert abs(total[0]) <= tries
    if not config.DISABLE_JIT:
        assert 0 < total[0] < 0.1 * tries
