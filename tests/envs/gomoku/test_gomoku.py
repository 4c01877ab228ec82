"""Gomoku against its page: an oracle, OpenSpiel and perft tables; without JIT fewer games, as in test_hex.py."""

import numpy as np
import pytest
from gomoku_oracle import Cell, Gomoku
from gomoku_positions import PICTURES, WAYS, Player, every_set, exact_chances, histories, laid, merged, players
from histories import count, number_of_actions, scores, seen
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game, find
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import OVER
from boyi.envs.gomoku import SPEC, text

pytestmark = pytest.mark.kernels


# Players. Random stones seldom stand five in a row on a large board, so players who seek rows and players who plan them
# join the random one; what they came to is asserted.


# The oracle


@every_set
def test_every_ply_agrees_with_the_oracle(game: Game) -> None:
    """§2 to §8: mover, mask, observations of both encoders from both seats, returns and names, in complete games."""
    n = game.params["board_size"]
    stride = 1 if n < 7 else count(3, 7)  # plies from one observation to the next
    met: set[str] = set()
    for player in players(game, count(30, 3) if n < 7 else count(2, 0), count(120 if n < 7 else 60, 18)):
        met |= check_game(game, player, stride)
    # Four directions, rows that touch the edge, overlines and several rows at once were all met, and draws where
    # random play comes to them.
    wanted = {str(way) for way in WAYS} | {"edge", "corner", "seat 0", "seat 1", "several rows"}
    wanted |= {"draw"} if n < 7 else {"middle"}
    wanted |= {"overline"} if n > 5 else set()
    wanted |= {"five beside an overline"} if n > 6 and game.params["rule"] == "standard" else set()
    assert met >= wanted, wanted - met


def check_game(game: Game, player: Player, stride: int) -> set[str]:
    """Play one game beside the oracle; return what its actions have come to."""
    oracle = Gomoku(**game.params)
    batch = Batch(game, 1, seed=0)
    met: set[str] = set()
    for ply in range(game.longest + 1):
        check_position(game, batch, oracle)
        if ply % stride == 0 or oracle.mover() is None:
            check_observations(game, batch, oracle)
        if oracle.mover() is None:
            break
        a = player(oracle)
        assert text.name(batch.states[0], a) == oracle.name(a)
        oracle.play(a)
        met |= completed(oracle)
        rewards, over, cut = batch.step(np.array([a]))
        assert list(rewards[0]) == oracle.returns()
        assert (bool(over[0]), bool(cut[0])) == (oracle.mover() is None, False)
    assert oracle.mover() is None
    return met


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


def check_position(game: Game, batch: Batch, oracle: Gomoku) -> None:
    state, mover = batch.states, oracle.mover()
    assert batch.to_move[0] == (OVER if mover is None else mover)
    assert set(np.flatnonzero(batch.mask[0]).tolist()) == oracle.legal()
    mask = np.full(game.actions, 7, np.int8)
    assert bind(number_of_actions, game)(state, mask) == len(oracle.legal())
    assert np.array_equal(mask, batch.mask[0])
    assert scores(game, state) == oracle.returns()
    winner = oracle.winner()
    assert state["winner"][0] == (-1 if winner is None else winner)
    assert state["ply"][0] == len(oracle.actions)
    assert state["last"][0] == (oracle.actions[-1] if oracle.actions else -1)


def check_observations(game: Game, batch: Batch, oracle: Gomoku) -> None:
    for seat in (0, 1):
        assert np.array_equal(seen(game, batch.states, "planes", seat)[0], oracle.observe_planes(seat))
        assert np.array_equal(seen(game, batch.states, "flat", seat)[0], oracle.observe_flat(seat))


def spiel_state(board_size: int) -> object:
    game = pytest.importorskip("pyspiel").load_game(f"gomoku(size={board_size})")
    return game.new_initial_state()


def check_step(batch: Batch, theirs: list, live: NDArray[np.intp], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Play the actions in rows `live` and in OpenSpiel's states alike; return which games are over."""
    rewards, over, _ = batch.step(actions, live)
    masks, movers = batch.mask, batch.to_move
    for i, a, r, ended in zip(live, actions, rewards, over, strict=True):
        theirs[i].apply_action(int(a))
        assert theirs[i].is_terminal() == ended
        assert theirs[i].returns() == list(r)
        if not ended:
            assert theirs[i].current_player() == movers[i]
            assert theirs[i].legal_actions() == np.flatnonzero(masks[i]).tolist()
    return over


@pytest.mark.parametrize(("board_size", "many"), [(5, 1000), (6, 1000), (7, 1000), (15, 100)])
def test_every_ply_agrees_with_openspiel(board_size: int, many: int) -> None:
    """§3 to §6: legal moves, mover, winner and draws of the freestyle game, in 3,100 random games."""
    many = count(many, 5 if board_size < 7 else 1)
    theirs = [spiel_state(board_size) for _ in range(many)]
    batch = Batch("gomoku", many, seed=2, encoder=None, board_size=board_size)
    live = np.arange(many)
    while live.size:
        live = live[~check_step(batch, theirs, live, batch.sample()[live])]
    winners = set(batch.states["winner"].tolist())
    assert winners >= {0, 1} | ({-1} if board_size < 7 else set()) or config.DISABLE_JIT


@pytest.mark.parametrize("board_size", [6, 15])
def test_games_with_rows_agree_with_openspiel(board_size: int) -> None:
    """§4, freestyle: rows at the edge, overlines and several rows at once."""
    game = find(SPEC, board_size=board_size)
    played_out = histories(game, count(300, 12))
    theirs = [spiel_state(board_size) for _ in played_out]
    batch = Batch(game, len(played_out), seed=0, encoder=None)
    for ply in range(max(map(len, played_out))):
        live = np.array([i for i, history in enumerate(played_out) if len(history) > ply])
        check_step(batch, theirs, live, np.array([played_out[i][ply] for i in live]))
    assert set(batch.states["winner"].tolist()) == {-1, 0, 1}


# Perft: the number of sequences of actions from a position, by depth; a game that has ended counts once


# The oracle's numbers, printed in tests/ by
# `python -c "from test_gomoku import *; print(oracle_perft(laid(PICTURES['6x6'], 'standard')[1], 8))"`.
PERFT = {
    ("start", "freestyle"): [1, 25, 600, 13800],
    ("5x5", "freestyle"): [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
    ("5x5", "standard"): [1, 8, 50, 265, 1153, 4033, 10273, 17905, 17905],
    ("6x6", "freestyle"): [1, 8, 50, 205, 805, 2005, 4309, 5713, 5713],
    ("6x6", "standard"): [1, 8, 50, 265, 1093, 3625, 8569, 14041, 14041],
    ("7x7", "freestyle"): [1, 7, 37, 117, 357, 645, 933, 933],
    ("7x7", "standard"): [1, 7, 42, 210, 810, 2330, 4418, 4418],
}


def oracle_perft(start: Gomoku, depth: int) -> list[int]:
    """Count with the oracle for every depth up to `depth`, positions that are reached in several ways merged."""
    level = {merged(start): (start, 1)}
    ended, counts = 0, [1]
    for _ in range(depth):
        following: dict[frozenset[tuple[Cell, int]], tuple[Gomoku, int]] = {}
        for game, ways in level.values():
            for a in game.legal():
                after = game.copy()
                after.play(a)
                if after.mover() is None:
                    ended += ways
                else:
                    following[merged(after)] = (after, ways + following.get(merged(after), (after, 0))[1])
        level = following
        counts.append(ended + sum(ways for _, ways in level.values()))
    return counts


def kernel_perft(batch: Batch, depth: int) -> int:
    stack = np.repeat(batch.states, depth + 1)
    masks = np.zeros((depth + 1, batch.game.actions), np.int8)
    return int(bind(kernels.perft, batch.game)(stack, depth, masks, np.zeros(1)))


@pytest.mark.parametrize(("picture", "rule"), PERFT)
def test_perft(picture: str, rule: str) -> None:
    """§3, §4, §5: the kernels count what the oracle counted, from the start and where wins and draws are near."""
    batch, _ = laid(PICTURES[picture], rule)
    for depth, expected in enumerate(PERFT[picture, rule]):
        if expected <= count(10**8, 600):
            assert kernel_perft(batch, depth) == expected


@pytest.mark.skipif(config.DISABLE_JIT, reason="plays no kernel")
@pytest.mark.parametrize(("picture", "rule"), PERFT)
def test_perft_table(picture: str, rule: str) -> None:
    """The oracle still counts the numbers of the table, and games end in every way that it has."""
    expected = PERFT[picture, rule]
    _, oracle = laid(PICTURES[picture], rule)
    assert oracle_perft(oracle, len(expected) - 1) == expected
    if picture != "start":
        wins_0, wins_1, draws = exact_chances(oracle)
        assert wins_0 > 0
        assert wins_1 > 0
        assert (draws > 0) == (picture == "5x5" or rule == "standard")
