"""Looking ahead with an evaluator at the ends is plain expectimax, written out."""

import numpy as np
import pytest
from tree_searches import Hashed

from boyi.baselines.search.expectimax import Expectimax
from boyi.baselines.search.lookahead import Lookahead
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import chance_rows, mask_rows, resolve_rows, score, step_one
from boyi.envs.engine.protocol import CHANCE

pytestmark = pytest.mark.kernels


def value(game: Game, state: np.ndarray, depth: int, judge: Hashed) -> float:
    """Compute what a position is worth to seat 0, one after the other."""
    to_move, masks = int(state["to_move"][0]), np.zeros((1, game.actions), np.int8)
    if to_move < CHANCE:
        r = np.zeros(2, np.float32)
        bind(score, game)(state, r)
        return float(r[0])
    if to_move == CHANCE:
        p, total = np.zeros((1, game.chance_outcomes)), 0.0
        bind(chance_rows, game)(state, np.arange(1), p)
        for o in np.flatnonzero(p[0]):
            after, flags, r = state.copy(), np.zeros(1, bool), np.zeros((1, 2), np.float32)
            bind(resolve_rows, game)(after, np.arange(1), np.array([o]), masks, r, flags, flags.copy())
            total += p[0, o] * value(game, after, depth, judge)
        return total
    if depth == 0:
        found = float(judge.evaluate(state, np.array([to_move]))[1][0])
        return found if to_move == 0 else -found
    return (max if to_move == 0 else min)(options(game, state, depth, judge).values())


def options(game: Game, state: np.ndarray, depth: int, judge: Hashed) -> dict[int, float]:
    masks, found = np.zeros((1, game.actions), np.int8), {}
    bind(mask_rows, game)(0, 1, state, np.arange(1), masks)
    for a in np.flatnonzero(masks[0]):
        after = state.copy()
        bind(step_one, game)(after, int(a))
        found[int(a)] = value(game, after, depth - 1, judge)
    return found


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "plies"), [("einstein:board_size=3,stones=2", 1), ("hex:board_size=3", 4), ("jiu:board_size=6", 40)]
)
def test_it_is_expectimax_written_out(name: str, plies: int, depth: int) -> None:
    batch = Batch(name, 3, seed=2)
    for _ in range(plies):
        batch.step(batch.sample())
    game, view = batch.game, batch.view()
    judge = Hashed(game)
    search = Lookahead(game, depth if name[0] != "j" else 1, judge)
    for k in range(view.row.size):
        action = search.decide(view, k)
        sign = 1.0 if view.seat[k] == 0 else -1.0
        found = {a: sign * worth for a, worth in options(game, view.states[k : k + 1], search.depth, judge).items()}
        assert {int(a): search.worth[a] for a in np.flatnonzero(view.mask[k])} == pytest.approx(found, abs=1e-6)
        assert np.isnan(search.worth[view.mask[k] == 0]).all()
        assert found[action] == pytest.approx(max(found.values()), abs=1e-6) and search.value == pytest.approx(
            found[action], abs=1e-6
        )


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BoyiError, match="expectimax: evaluator must be evaluate or az:NAME, not 'playout'"):
        Expectimax(evaluator="playout")
    with pytest.raises(BoyiError, match="that takes two seats, zero sum and nothing hidden"):
        Lookahead(find("mahjong"), 1, Hashed(find("mahjong")))
