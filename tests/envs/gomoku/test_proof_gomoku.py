"""Wins by fours and threes that are proven, replayed by the rules against everything that the other seat can do."""

import numpy as np
import pytest
from gomoku_positions import played

from boyi.baselines.search.exact import Solver
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import step_one

pytestmark = pytest.mark.kernels


def replay(prover: Prover, states: np.ndarray, known: set[bytes], plies: int = 0) -> int:
    """Play the proven win of the seat to move against every reply; return how many plies it takes at most."""
    game, attacker = prover.game, int(states["to_move"][0])
    step = bind(step_one, game)
    prover.ask(states)
    assert prover.wins(100_000), game.module("text").diagram(states[0])
    mine = states.copy()
    step(mine, prover.move())
    if mine["to_move"][0] < 0:
        assert mine["winner"][0] == attacker
        return plies + 1
    assert plies < 40
    longest = 0
    for reply in np.flatnonzero(mine["board"][0] == 0):
        after = mine.copy()
        step(after, int(reply))
        assert after["to_move"][0] == attacker, game.module("text").diagram(after[0])
        if after["board"].tobytes() not in known:
            known.add(after["board"].tobytes())
            longest = max(longest, replay(prover, after, known, plies + 2))
    return longest


@pytest.mark.parametrize(
    ("rule", "stones", "longest"),
    [
        ("freestyle", "d5 a1 e5 c1 f5 e1", 3),  # an open three
        ("freestyle", "e5 c7 d6 e7 e6 f6 d7 e3", 7),
        ("standard", "e5 c7 d6 e7 e6 f6 d7 e3", 7),
        ("freestyle", "c5 e7 c4 c6 e4 d4 c3 f7", 5),
        ("freestyle", "e5 e6 f6 d4 g6 f4 e3 d5 g4", 7),
    ],
)
def test_what_is_proven_wins_against_every_reply(rule: str, stones: str, longest: int) -> None:
    batch = played(stones, board_size=9, rule=rule)
    assert replay(Prover(batch.game, 1 << 16), batch.states, set()) >= longest


def test_what_is_proven_is_so_by_looking_at_everything() -> None:
    """On small boards that are nearly full; what is not proven may still win."""
    for rule in ("freestyle", "standard"):
        game = find("gomoku", board_size=6, rule=rule)
        solver, prover, proven = Solver(game), Prover(game, 1 << 12), 0
        for seed in range(300):
            batch = Batch(game, 1, seed=seed)
            for _ in range(24 + seed % 10):
                if batch.to_move[0] >= 0:
                    batch.step(batch.sample())
            if batch.to_move[0] >= 0 and prover.winner(batch.states) is not None:
                proven += 1
                assert solver.value(batch.states) == (1 if batch.to_move[0] == 0 else -1)
        assert proven > 5


def test_a_row_of_six_wins_by_one_rule_alone() -> None:
    """f5 joins three stones and two."""
    for rule, winner in (("freestyle", 0), ("standard", None)):
        batch = played("c5 a1 d5 c1 e5 e1 g5 g1 h5 i1", board_size=9, rule=rule)
        assert Prover(batch.game, 1 << 12).winner(batch.states) == winner, rule


def test_few_levels_make_no_wrong_proof() -> None:
    batch = played("e5 e6 f6 d4 g6 f4 e3 d5 g4", board_size=9)
    few, many = Prover(batch.game, 1 << 12, levels=4), Prover(batch.game, 1 << 12)
    assert few.winner(batch.states, 5000) is None and few.examined < 5000
    assert many.winner(batch.states) == 1


def test_an_attack_of_the_other_seat_is_looked_at_anew() -> None:
    """A prover that is asked about both seats says of each what one asked about it alone says."""
    batch, both = played("e5 e6 f6 d4", board_size=9), Prover(find("gomoku", board_size=9), 1 << 12)
    for a in np.flatnonzero(batch.mask[0])[:40]:
        after = batch.clone()
        after.step([a])
        for states in (batch.states, after.states):
            assert both.winner(states, 500) == Prover(batch.game, 1 << 12).winner(states, 500)
