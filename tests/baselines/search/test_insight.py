"""Alpha-beta that examines the positions of Hex which it searches deeply: what it calls certain is so."""

import numpy as np
import pytest
from hex_positions import played

from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import WIN
from boyi.baselines.search.insight import LEVELS, find_insight
from boyi.baselines.search.proof import SEARCH_ROOM, Prover
from boyi.envs import Batch, find

pytestmark = pytest.mark.kernels


def searcher(depth: int, examine: int, **values: object) -> AlphaBeta:
    return AlphaBeta(depth=depth, examine=examine, proofs=0, **values)


@pytest.mark.parametrize(("swap", "selective"), [(False, True), (False, False), (True, True)])
def test_what_is_certain_is_so_and_is_seen_sooner(swap: bool, selective: bool) -> None:
    game = find("hex", board_size=5, swap=swap)
    prover, batch = Prover(game), Batch(game, 40, seed=2, encoder=None, autoreset="off")
    certain = dict.fromkeys((0, 1, 2), 0)
    for _ in range(6):
        view = batch.view()
        for k in range(view.row.size):
            states, mover = view.states[k : k + 1], int(view.seat[k])
            won = prover.winner(states) == mover
            for examine in certain:
                found = searcher(3, examine, selective=selective).search(view, k)
                if abs(found.value) > WIN:
                    certain[examine] += 1
                    assert (found.value > 0) == won
                    after = batch.clone()
                    after.step([found.action], view.row[k : k + 1])
                    over = after.to_move[view.row[k]] < 0
                    assert not won or over or prover.winner(after.states[view.row[k] : view.row[k] + 1]) == mover
        batch.step(batch.sample()[view.row], view.row)
    assert certain[0] < certain[2] <= certain[1] and certain[1] > 150


def test_a_lost_position_is_played_on() -> None:
    batch = played("c3 a1 c2 a2 b4 e5 d1", board_size=5)
    found = searcher(4, 1).search(batch.view())
    assert Prover(batch.game).winner(batch.states) == 0 and batch.mask[0, found.action]


def test_an_edge_that_is_as_good_as_joined_is_seen_at_once() -> None:
    batch = played("c3 a1 c2 a2 b4 e5", board_size=5)
    assert searcher(1, 9).search(batch.view()).value > WIN
    assert abs(searcher(1, 0).search(batch.view()).value) < WIN


def test_what_is_won_is_played_out() -> None:
    """With all decided, the move is one that leads on, not any that keeps the win."""
    batch = played("c1 b1 e1 g3 d2 h3 d3 g4 c4 h5 c5 a7 b6 f7 b7 c8", board_size=8)
    text, found = batch.game.module("text"), searcher(3, 1).search(batch.view())
    assert found.value > WIN and text.name(batch.states[0], found.action) in {"a8", "b8"}


def test_there_are_bounds() -> None:
    assert find_insight(find("gomoku")).notes is None and find_insight(find("hex", board_size=26)).notes is None
    for size in (5, 11, 13):
        notes = find_insight(find("hex", board_size=size)).notes
        assert notes is not None and 4 <= notes.size <= LEVELS and notes.nbytes <= SEARCH_ROOM


def test_where_nothing_can_be_examined_it_plays_as_without() -> None:
    batch = Batch("gomoku:board_size=7", 1, seed=0)
    for _ in range(4):
        batch.step(batch.sample())
    found = [AlphaBeta(depth=4, examine=examine).search(batch.view()) for examine in (0, 3)]
    assert found[0] == found[1] and np.isfinite(found[0].value)
