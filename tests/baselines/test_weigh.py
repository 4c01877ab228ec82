"""What agents say of actions: numbers for the legal ones alone, the highest of what they would play."""

import numpy as np
import pytest

from boyi.baselines import make_agent
from boyi.baselines.agents import AGENTS
from boyi.envs import Batch, BoyiError
from boyi.envs.engine.view import View

WEIGHING = [
    ("mcts:sims=200", "hex:board_size=4"),
    ("mcts:sims=200", "einstein"),
    ("puct:sims=100", "gomoku:board_size=5"),
    ("exact", "hex:board_size=3"),
    ("exact", "einstein:board_size=3,stones=2"),
    ("expectimax:depth=2", "einstein"),
    ("expectimax", "mahjong"),
    ("expectimax:evaluator=ddqn:mahjong", "mahjong"),
    ("ddqn:mahjong", "mahjong"),
    ("az:hex,sims=50", "hex"),
    ("az:einstein,sims=0", "einstein"),
    ("az:jiu,sims=20", "jiu:layout_only=true"),
]


def views(game: str, plies: int = 8) -> list[View]:
    """Gather positions of a random game."""
    batch, found = Batch(game, 1, seed=4, encoder=None), []
    for _ in range(plies):
        if batch.to_move[0] < 0:
            break
        found.append(batch.view())
        batch.step(batch.sample())
    return found


@pytest.mark.parametrize(("name", "game"), WEIGHING)
def test_the_highest_is_what_it_plays(name: str, game: str) -> None:
    for view in views(game):
        weights = make_agent(name, game).weigh(view)
        numbers, action = weights.numbers, int(make_agent(name, game).act(view)[0])
        assert numbers.shape == (view.game.actions,) and numbers.dtype == np.float64
        assert np.isnan(numbers[view.mask[0] == 0]).all()
        # Where claims are another search's, a network has no number for them.
        if not np.isnan(numbers[action]):
            assert numbers[action] == pytest.approx(np.nanmax(numbers))
        if weights.visits:
            assert np.nanmin(numbers) >= 0 and np.nanmax(numbers) > 0


def test_visits_add_up_to_simulations() -> None:
    (view,) = views("hex:board_size=5", 1)
    assert np.nansum(make_agent("mcts:sims=300").weigh(view).numbers) == 300


def test_values_are_those_of_the_mover() -> None:
    """In the middle of 3x3 whoever begins wins, and in no corner."""
    (view,) = views("hex:board_size=3", 1)
    numbers = make_agent("exact").weigh(view).numbers
    assert numbers[4] == 1.0 and numbers[0] == -1.0


def test_who_cannot_tell_says_who_can() -> None:
    (view,) = views("hex:board_size=3", 1)
    told = ["az", "ddqn", "dqn", "exact", "expectimax", "imitation", "mcts", "puct"]
    with pytest.raises(BoyiError, match=f"random does not weigh actions: {', '.join(told[:-1])} and {told[-1]} do"):
        make_agent("random").weigh(view)
    plain = AGENTS["random"].weigh
    assert {name for name, agent in AGENTS.items() if agent.weigh is not plain} == set(told)
