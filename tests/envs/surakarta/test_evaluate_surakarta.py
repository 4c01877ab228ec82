"""The evaluation of Surakarta: what searches try, what men are worth, and exchanges that are played out."""

import numpy as np
import pytest
from histories import random_histories, replayed
from test_surakarta import lawful, plant

from boyi.baselines.agents import make_agent
from boyi.baselines.search.evaluation import evaluation
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import candidates, evaluate, survey, tactics
from boyi.envs.surakarta import text

pytestmark = pytest.mark.kernels


def look(states, notes, moves, ranks, out):  # type: ignore[no-untyped-def]
    """Write how many candidates and tactics there are, and the value for either seat; list both, tactics behind."""
    s, e = states[0], notes[0]
    survey(s, e)
    out[0] = candidates(s, e, moves, ranks)
    out[1] = tactics(s, e, moves[out[0] :], ranks[out[0] :])
    out[2], out[3] = evaluate(s, e, 0), evaluate(s, e, 1)


def looked(batch: Batch) -> tuple[list[str], list[str], int, int]:
    """Return candidates by their ranks, the highest first, tactics, and the values for both seats."""
    found = evaluation(batch.game, "a test")
    moves, ranks, out = (np.zeros(2 * batch.game.actions, np.int32) for _ in range(3))
    bind(look, batch.game, **found.kernels)(batch.states, found.notes.copy(), moves, ranks, out)
    n, m = out[:2]
    names = [text.name(batch.states[0], int(a)) for a in moves[: n + m]]
    return [names[i] for i in np.argsort(-ranks[:n], kind="stable")], names[n:], int(out[2]), int(out[3])


def test_candidates_are_all_actions_and_tactics_the_captures() -> None:
    game = find("surakarta")
    many = replayed(game, random_histories(game, 30, seed=4))
    for k in np.flatnonzero(many.to_move >= 0):
        batch = Batch(game, 1, seed=0)
        batch.states = many.states[k : k + 1]
        tried, taking, mine, theirs = looked(batch)
        assert sorted(tried) == sorted(lawful(batch)) and mine == -theirs
        assert set(taking) == {move for move in lawful(batch) if "x" in move} == set(tried[: len(taking)])


def test_values() -> None:
    """The start is even, one man more is worth more among few, and who is next where men see each other leads."""
    assert looked(Batch("surakarta"))[2:] == (0, 0)
    rows = ("O.OO.O ...... ...... ...... ...... XX.XXX", "O....O ...... ...... ...... ...... X.X..X")
    ahead, further = (looked(plant(each))[2] for each in rows)
    assert 0 < ahead < further
    next_is, waits = (looked(plant("...... ..X... ..X... ...... ...OO. ......", mover))[2] for mover in "XO")
    assert next_is > waits


@pytest.mark.parametrize(("quiescence", "takes"), [(0, True), (4, False)])
def test_exchanges_are_played_out(quiescence: int, takes: bool) -> None:
    """One turn deep a man is taken that is guarded, unless captures are looked at behind it."""
    batch = plant("X..X.O X..... .....O ..O... ...... X.OO..")
    action = make_agent(f"alphabeta:depth=1,quiescence={quiescence}").act(batch.view())[0]
    assert (text.name(batch.states[0], int(action)) == "d6xf4") == takes
