"""Tactics that a search has to see: ladders and edge templates of Hex, false fours and double threats of Gomoku."""

import gomoku_positions
import hex_positions
import numpy as np
import pytest

from boyi.baselines.agents import make_agent
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, Game, find

pytestmark = pytest.mark.kernels

HEX = find("hex", board_size=7)
HEX_SEARCHES = (
    "alphabeta:nodes=2000,proofs=100",
    "mcts:sims=2000,rave=500,c=0,rollouts=informed,examine=50",
    "exact",
)
GOMOKU_SEARCHES = ("alphabeta:nodes=5000", "alphabeta:nodes=5000,selective=false,proofs=0", "mcts:sims=4000,rave=100")

CHAIN, AGAINST = "b1 b2 b3 b4 b5 b6", "a1 a2 a3 a4 a7 b7"
"""A wall of seat 0's down to the second row from the bottom, and seat 1's stones below and behind it."""


def stones(first: str, second: str) -> Batch:
    """Place stones of Hex 7x7 by turns."""
    mine, others = first.split(), second.split()
    moves = [name for pair in zip(mine, others, strict=False) for name in pair] + mine[len(others) :]
    return hex_positions.played(" ".join(moves), board_size=7)


def name(batch: Batch, action: int) -> str:
    return str(batch.game.module("text").name(batch.states[0], action))


def answer(agent: str, batch: Batch) -> str:
    return name(batch, int(make_agent(agent, batch.game).act(batch.view())[0]))


def winning(game: Game, batch: Batch) -> list[str]:
    """List the moves that win, by proof."""
    prover, mover, found = Prover(game), batch.to_move[0], list[str]()
    for action in np.flatnonzero(batch.mask[0]).tolist():
        after = batch.clone()
        after.step([action])
        if after.states["winner"][0] == mover or (after.to_move[0] >= 0 and prover.winner(after.states) == mover):
            found.append(name(batch, action))
    return found


@pytest.mark.parametrize("agent", HEX_SEARCHES)
def test_a_ladder_runs_to_its_escape(agent: str) -> None:
    batch = stones(f"{CHAIN} f6 c1", f"{AGAINST} d5 e3")
    assert winning(HEX, batch) == ["c6"] and answer(agent, batch) == "c6"
    assert winning(HEX, stones(f"{CHAIN} d1 c1", f"{AGAINST} d5 e3")) == []


@pytest.mark.parametrize("agent", HEX_SEARCHES)
def test_a_ladder_without_escape_is_met_ahead(agent: str) -> None:
    batch = stones(f"{CHAIN} c1", AGAINST)
    assert winning(HEX, batch) == ["d6"] and answer(agent, batch) == "d6"
    assert winning(HEX, stones(f"{CHAIN} f6", AGAINST)) == []


@pytest.mark.parametrize("agent", HEX_SEARCHES)
@pytest.mark.parametrize("chain", ["d1 d2 d3 d4 d5 d6", "d1 d2 d3 d4 d5", "d1 d2 d3 d4"])
def test_an_edge_template_holds(agent: str, chain: str) -> None:
    """On the second to the fourth row from its side a stone is joined to that against everything."""
    away = ["a1", "b1", "a2", "b2", "a3", "b3"][: len(chain.split())]
    batch = stones(chain, " ".join(away[:-1]))
    assert batch.to_move[0] == 1
    for action in np.flatnonzero(batch.mask[0]).tolist():
        after = batch.clone()
        after.step([action])
        if name(batch, action)[1] in "4567":
            after.step(make_agent(agent, HEX).act(after.view()))
            assert after.states["winner"][0] == 0 or Prover(HEX).winner(after.states) == 0, name(batch, action)


@pytest.mark.parametrize("agent", GOMOKU_SEARCHES)
def test_a_false_four_is_none(agent: str) -> None:
    """e5 would make six in a row: it wins in freestyle and is nothing in the standard game."""
    moves = "a5 c8 b5 d8 c5 e8 d5 i1 f5"
    for rule, answers in (("freestyle", {"e5"}), ("standard", {"b8", "f8"})):
        assert answer(agent, gomoku_positions.played(moves, board_size=9, rule=rule)) in answers, rule


@pytest.mark.parametrize("agent", GOMOKU_SEARCHES[:2])
def test_a_double_threat_is_made_and_met(agent: str) -> None:
    """A stone on e5 opens two threes; nothing else saves seat 1 from them."""
    attack = gomoku_positions.played("c5 a1 d5 i1 e3 a9 e4 i9", board_size=9)
    assert Prover(attack.game).winner(attack.states) == 0 and answer(agent, attack) == "e5"
    defence = gomoku_positions.played("c5 d4 d5 f4 e3 i1 e4", board_size=9)
    assert answer(agent, defence) == "e5"
    prover, held = Prover(defence.game, 1 << 16), list[str]()
    for action in np.flatnonzero(defence.mask[0]).tolist():
        after = defence.clone()
        after.step([action])
        if prover.winner(after.states, 20_000) is None:
            held.append(name(defence, action))
    assert held == ["e5"]
