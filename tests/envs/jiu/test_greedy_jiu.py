"""`greedy` in Jiu: it takes the most, then makes the most shapes."""

import numpy as np
import pytest
from jiu_positions import position

from boyi.baselines import make_agent
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.jiu import constants, text
from boyi.envs.jiu.greedy import shapes

pytestmark = pytest.mark.kernels


def most(batch: Batch, before: int) -> int:
    """Find the most stones that the seat to move can have taken when its move is over, by trying everything."""
    seat, phase, state = batch.to_move[0], batch.states["phase"][0], batch.states[0]
    taken = before - int(state["stones"][1 - seat])
    if phase == constants.TAKE:
        return taken + int(state["due"])
    best = 0
    for action in np.flatnonzero(batch.mask[0]):
        trial = batch.clone()
        trial.step([action])
        on = trial.to_move[0] == seat
        best = max(best, most(trial, before) if on else before - int(trial.states["stones"][0, 1 - seat]))
    return best


def test_it_takes_the_most() -> None:
    """On the way of random games, as many stones as any turn can take, through jumps, squares and flights."""
    agent, met = make_agent("greedy", "jiu:board_size=6"), set()
    batch = Batch("jiu:board_size=6", 1, seed=2, encoder=None)
    for _ in range(6):
        while batch.to_move[0] >= 0:
            if batch.states["phase"][0] == constants.TURN and batch.states["turns"][0] % 5 == 0:
                seat, before = batch.to_move[0], int(batch.states["stones"][0, 1 - batch.to_move[0]])
                trial = batch.clone()
                while trial.to_move[0] == seat:
                    trial.step(agent.act(trial.view()))
                taken = before - int(trial.states["stones"][0, 1 - seat])
                assert taken == most(batch, before), text.diagram(batch.states[0])
                met.add(taken)
            batch.step(batch.sample())
        batch.reset()
    assert met >= {0, 1, 2}


def value(states, seat):  # type: ignore[no-untyped-def]
    """Value the shapes of a seat in the first position."""
    return shapes(states[0], seat)


SHAPES = {
    "a triangle": (("OO", "O"), 50),
    "a gate: one more stone beside the open point": (("OO", "O.O"), 100),
    "a double gate": (("OOO", "O.O"), 800),
    "no gate on a point that is taken": (("OO", "OXO"), 50),
    "a square alone": (("OO", "OO"), 0),
}


@pytest.mark.parametrize(("rows", "worth"), SHAPES.values(), ids=SHAPES)
def test_shapes_are_valued_by_the_table(rows: tuple[str, ...], worth: int) -> None:
    """In the battle; the stones that fill the board up are too far apart for shapes."""
    state = position(*rows, "", "", "", "X.X.X.X.", "", "O.X.O.X.", fill=False, flying="below")
    assert bind(value, find("jiu", flying="below"))(state, 1) == worth


def test_equal_choices_are_drawn_by_lot() -> None:
    """Games of one seed repeat, games of others differ from their third stone on."""
    agent = make_agent("greedy", "jiu:board_size=6")
    batch = Batch("jiu:board_size=6", 8, seed=0, encoder=None, history=True)
    again = Batch("jiu:board_size=6", 8, seed=0, encoder=None, history=True)
    for _ in range(6):
        for games in (batch, again):
            games.step(agent.act(games.view()))
    assert [batch.history(k) for k in range(8)] == [again.history(k) for k in range(8)]
    assert len({tuple(batch.history(k)) for k in range(8)}) > 2
