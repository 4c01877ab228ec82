"""`two_phase`: each agent is asked about its own phase, and only about that."""

import numpy as np
import pytest

from boyi.baselines import Agent, make_agent
from boyi.baselines.players.two_phase import PROGRAM_C, ProgramC, TwoPhase
from boyi.envs import Batch, BoyiError, Game, View, find
from boyi.envs.jiu import constants

GAME = "jiu:board_size=6"


class Noting(Agent):
    """Plays the n-th of the legal actions, and notes the rows and the phases of the games it was asked about."""

    name = "noting"

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n, self.rows, self.phases = n, [], set()

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.rows.append(view.row.tolist())
        self.phases |= set(view.states["phase"].tolist())
        return nth(view.mask, self.n)


def nth(masks: np.ndarray, n: int) -> np.ndarray:
    return np.array([np.flatnonzero(mask)[n % mask.sum()] for mask in masks])


def two() -> TwoPhase:
    return TwoPhase(Noting(0), Noting(-1))


def test_games_are_shared_out_by_their_phase() -> None:
    """Rows 0 and 2 are in the battle, row 1 has begun anew: one call of each agent, answers in the rows' order."""
    agent, batch = two(), Batch(GAME, 3, seed=4, encoder=None)
    for _ in range(36):
        batch.step(batch.sample())
    batch.reset(rows=[1])
    view = batch.view()
    actions = agent.act(view)
    assert [member.rows for member in agent.members] == [[[1]], [[0, 2]]]
    assert actions.tolist() == [*nth(view.mask[:1], -1), *nth(view.mask[1:2], 0), *nth(view.mask[2:], -1)]


def test_whole_games() -> None:
    """All phases of the battle are one agent's, and games end."""
    agent, batch = two(), Batch(GAME, 4, seed=1, encoder=None)
    while (batch.to_move >= 0).any():
        view = batch.view()
        batch.step(agent.act(view), view.row)
    assert agent.members[0].phases == {constants.LAYOUT}
    battle = agent.members[1].phases
    assert battle >= {constants.TURN, constants.TAKE} and constants.LAYOUT not in battle


def test_strings() -> None:
    """It takes any agents' strings and writes them back; program C is the default in both phases."""
    text = "two_phase:layout='mcts:sims=20,c=0.5',battle=greedy"
    agent = make_agent(text, GAME)
    assert isinstance(agent, TwoPhase) and str(agent) == text
    assert [str(member) for member in agent.members] == ["mcts:sims=20,c=0.5", "greedy"]
    for both in (make_agent("two_phase", GAME), make_agent("program_c", GAME)):
        assert isinstance(both, TwoPhase) and [str(member) for member in both.members] == [PROGRAM_C, PROGRAM_C]
    assert isinstance(both, ProgramC) and str(both) == "program_c"


def test_program_c_plays() -> None:
    """Legal games, the same each time, and won against random play."""
    ends = []
    for _ in range(2):
        agent, batch = make_agent("program_c", GAME), Batch(GAME, 2, seed=3, encoder=None)
        other = make_agent("random")
        while (batch.to_move >= 0).any():
            view = batch.view()
            mine = view.seat == view.row
            for player, which in ((agent, np.flatnonzero(mine)), (other, np.flatnonzero(~mine))):
                if which.size:
                    batch.step(player.act(view.take(which)), view.row[which])
        assert batch.states["winner"].tolist() == [0, 1]
        ends.append(batch.states["ply"].tolist())
    assert ends[0] == ends[1]


def test_who_plays_the_layout_alone_is_shown_it_alone() -> None:
    """Its states are of the game that ends with the layout; the others' are left as they are, and the actions' own."""

    class LayoutAlone(Noting):
        def fit(self, game: Game) -> None:
            if not game.params["layout_only"]:
                raise BoyiError(f"no {game} for me")

        def act(self, view: View) -> np.ndarray:
            assert view.game == find(GAME, layout_only=True) and view.states["layout_only"].all()
            return super().act(view)

    agent, batch = two(), Batch(GAME, 3, seed=4, encoder=None)
    agent.members[0] = LayoutAlone(-1)
    for ply in range(60):
        if ply == 10:
            batch.reset(rows=[1])
        view = batch.view()
        before = view.states.copy()
        batch.step(agent.act(view), view.row)
        assert (view.states == before).all() and not batch.states["layout_only"].any()
    assert [member.phases == {constants.LAYOUT} for member in agent.members] == [True, False]
    agent.fit(find(GAME, layout_only=True))
    agent.members[1] = LayoutAlone(0)
    with pytest.raises(BoyiError, match=f"no {GAME},max_turns=7 for me"):
        agent.fit(find(GAME, max_turns=7))


@pytest.mark.parametrize(
    ("agent", "game", "sentence"),
    [
        ("two_phase", "hex", "two_phase plays the two phases of jiu, layout and battle, which hex does not have"),
        ("program_c", "gomoku", "program_c plays the two phases of jiu, .* which gomoku does not have"),
        ("two_phase:battle=ddqn", "jiu", "ddqn"),
        ("two_phase:layout=nobody", "jiu", "unknown agent 'nobody'"),
        ("two_phase:depth=3", "jiu", "depth"),
    ],
)
def test_what_does_not_fit_is_refused(agent: str, game: str, sentence: str) -> None:
    with pytest.raises(BoyiError, match=sentence):
        make_agent(agent, game)


def test_an_agent_that_does_not_fit_is_refused() -> None:
    """Either half may refuse the game."""

    class Refusing(Noting):
        def fit(self, game: Game) -> None:
            raise BoyiError(f"no {game.name} for me")

    for half in range(2):
        agent = two()
        agent.members[half] = Refusing(0)
        with pytest.raises(BoyiError, match="no jiu for me"):
            agent.fit(find(GAME))
