"""Proofs about the root of alpha-beta: wins beyond its depth are played, moves that lose are not."""

import numpy as np
import pytest
from gomoku_positions import played

from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import WIN
from boyi.baselines.search.foresight import Foresight
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, find

pytestmark = pytest.mark.kernels

WON = "e5 e6 f6 d4 f7 c5"  # f5 wins
LOSES = "e5 e6 f6 d4 f4 f5 c6 g5 e4 g4 d7 g3 g2 f3 h3 d5 e8 b5"  # f7 does, which few positions hold for the best
LOST = "a1 d5 c1 e5 h2 f5 i9 g5"  # the other seat has an open four


def name(batch: Batch, action: int) -> str:
    return str(batch.game.module("text").name(batch.states[0], action))


def test_a_win_that_is_proven_is_played() -> None:
    batch = played(WON, board_size=9)
    blind = AlphaBeta(nodes=2000, proofs=0).search(batch.view())
    found = AlphaBeta(nodes=2000, proofs=100).search(batch.view())
    assert abs(blind.value) < WIN < found.value and name(batch, found.action) == "f5" and found.nodes < 2000


def test_a_move_that_is_proven_to_lose_is_not_played() -> None:
    batch = played(LOSES, board_size=9)
    blind = AlphaBeta(nodes=300, proofs=0).search(batch.view())
    found = AlphaBeta(nodes=20_000, proofs=100).search(batch.view())
    assert name(batch, blind.action) == "f7"
    for action, loses in ((blind.action, True), (found.action, False)):
        after = batch.clone()
        after.step([action])
        assert (Prover(batch.game, 1 << 16).winner(after.states, 20_000) == after.to_move[0]) == loses


def test_where_every_move_loses_one_is_played() -> None:
    batch = played(LOST, board_size=9)
    agent = AlphaBeta(nodes=20_000, proofs=1000)
    assert batch.mask[0, agent.search(batch.view()).action]
    foresight = agent.workspace.foresight if agent.workspace is not None else None
    assert foresight is not None and foresight.won == -1


@pytest.mark.parametrize("game", ["gomoku:board_size=9", "hex:board_size=5", "jiu:board_size=6"])
def test_the_same_position_takes_the_same_search(game: str) -> None:
    """Whatever was searched in between."""
    batch = Batch(game, 1, seed=3)
    agent = AlphaBeta(nodes=3000, proofs=50, examine=2)
    first = []
    for _ in range(8):
        first.append((batch.view(), agent.search(batch.view())))
        batch.step(batch.sample())
    for view, found in reversed(first):
        assert agent.search(view) == found


def test_hex_is_decided_by_proofs() -> None:
    """Whoever wins 6x6 plays on to the end of it without a mistake."""
    game = find("hex", board_size=6)
    batch, agent, truth = Batch(game, 1, seed=0), AlphaBeta(nodes=2000, proofs=100), Prover(game)
    batch.step([0])  # a corner of this kind loses
    while batch.to_move[0] >= 0:
        assert truth.winner(batch.states) == 1
        batch.step(agent.act(batch.view()) if batch.to_move[0] == 1 else batch.sample())
    assert batch.states["winner"][0] == 1


def test_proofs_take_no_more_room_than_they_may() -> None:
    assert Foresight(find("gomoku"), 0.05).nbytes < 10 << 20
    for size, some in ((7, True), (11, True), (26, False)):
        foresight = Foresight(find("hex", board_size=size), 0.05)
        assert bool(foresight.provers) == some
        assert foresight.nbytes < 80 << 20
        before = foresight.nbytes
        if size == 7:
            foresight.prepare(Batch("hex", 1, seed=0, board_size=7).states)
            assert foresight.look(20_000, 24) and foresight.won >= 0
            assert foresight.nbytes == before


def test_games_without_proofs_are_searched_as_before() -> None:
    view = Batch("jiu", 1, seed=0, board_size=6).view()
    assert AlphaBeta(nodes=500, proofs=1000).search(view) == AlphaBeta(nodes=500, proofs=0).search(view)
    assert not Foresight(view.game, 1.0).look(10**6, int(np.flatnonzero(view.mask[0])[0]))
