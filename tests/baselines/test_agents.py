"""Every agent plays every game that it accepts, and refuses the others in a sentence."""

import re

import numpy as np
import pytest
import toy
from engines import command
from sizes import OTHER_SIZES, SIZES, TOO_LARGE

from boyi.baselines import make_agent
from boyi.baselines.agents import AGENTS, players
from boyi.envs import Batch, BoyiError, find, games

QUICK = {
    "alphabeta": "alphabeta:depth=2",
    "exact": "exact:positions=200000",
    "expectimax": "expectimax:depth=1",
    "gomocup": f"gomocup:cmd='{command('gomocup')}'",
    "gtp": f"gtp:cmd='{command('gtp')}'",
    "jsonl": f"jsonl:cmd='{command('jsonl')}'",
    "mcts": "mcts:sims=6",
    "openspiel": "openspiel:sims=6",
    "pool": "pool:'random;mcts:sims=3',weights='1;2'",
    "program_c": "program_c",
    "puct": "puct:sims=6",
    "two_phase": "two_phase:layout=random,battle=greedy",
}
LEARNED = {"dqn", "ddqn"}
# Agents that play what the programs or agents do that they are made of, and are on no game's list.
OTHERS = {"gomocup": {"gomoku"}, "gtp": {"hex"}, "jsonl": set(games()), "pool": set(games())}
PAIRS = [(agent, name) for agent in sorted(set(AGENTS) - LEARNED) for name in games()]


@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_it_plays_twenty_legal_games_or_says_why_not(agent: str, name: str) -> None:
    if agent == "openspiel":
        pytest.importorskip("pyspiel")
    if (agent, name) in TOO_LARGE:
        pytest.skip("too large to solve")
    game = find(OTHER_SIZES.get((agent, name), SIZES[name]))
    if agent not in players(game) and name not in OTHERS.get(agent, ()):
        with pytest.raises(BoyiError, match=re.escape(str(game))):
            make_agent(QUICK.get(agent, agent), game)
        return
    player = make_agent(QUICK.get(agent, agent), game)
    batch = Batch(game, 20, seed=1, history=True)
    while (batch.to_move >= 0).any():
        rows = np.flatnonzero(batch.to_move >= 0)[: 1 if player.alone else None]
        batch.step(player.act(batch.view(rows)), rows)  # an illegal action would raise
    player.close()


def test_who_plays_what() -> None:
    """The table of `boyi games`, whatever is installed."""
    playing = {name: set(players(name)) - {"openspiel"} for name in games()}
    everywhere = {"random", "mcts"}
    two_seats = {"exact", "puct"}
    assert playing == {
        "einstein": everywhere | two_seats | {"expectimax"},
        "gomoku": everywhere | two_seats | {"alphabeta"},
        "hex": everywhere | two_seats | {"alphabeta"},
        "jiu": everywhere | two_seats | {"greedy", "alphabeta", "two_phase", "program_c"},
        "mahjong": everywhere | {"greedy", "expectimax"},
    }


@pytest.mark.parametrize("agent", sorted(set(AGENTS) - LEARNED))
def test_a_game_of_dice_and_secrets_is_played_or_refused(agent: str) -> None:
    """A game that no agent was written for: the toy of the tests, with three seats."""
    if agent == "openspiel":
        pytest.importorskip("pyspiel")
    game = find(toy.SPEC)
    assert (agent in players(game)) == (agent in ("random", "mcts"))
