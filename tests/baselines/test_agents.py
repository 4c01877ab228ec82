"""Every agent plays every game that it accepts, and refuses the others in a sentence.

A search's kernels are compiled for every game: in the quick set agents play those that are small enough to be solved.
"""

import re

import numpy as np
import pytest
import toy
from clock import Clock
from engines import command
from openspiels import NONE
from sizes import COMPILES, sized

from boyi.baselines import make_agent
from boyi.baselines.agent import Agent
from boyi.baselines.agents import AGENTS, agents_for, learned
from boyi.baselines.learning.shipped import shipped_weights
from boyi.envs import Batch, BoyiError, Param, find, games
from boyi.envs.engine.facts import facts

QUICK = {
    "alphabeta": "alphabeta:depth=2",
    "az": "az:sims=8",
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
LEARNED = {"dqn", "ddqn", "imitation"}
WRITTEN_FOR = {"two_phase": "jiu", "program_c": "jiu", "expectimax": "mahjong"}
"""Agents that play a game because they know it, not by its facts."""
PROGRAMS = {"gomocup", "gtp", "jsonl"}


def marks(agent: str, name: str) -> list[pytest.MarkDecorator]:
    """Say what it takes to let an agent play a game."""
    compiles = COMPILES if facts(find(name)).solvable is None else []
    return [*compiles, pytest.mark.posix] if agent in PROGRAMS else compiles


PAIRS = [
    pytest.param(agent, name, marks=marks(agent, name))
    for agent in sorted(set(AGENTS) - LEARNED)
    for name in games()
    if sized(name, agent) and not (agent == "openspiel" and NONE)
]
PLIES = 60
WORK = {"sims": 12, "depth": 2, "positions": 200_000}
"""How much an agent may work on a decision, which is no choice between kernels."""
LESS = {("expectimax", "mahjong"): {"depth": 1}}


@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_it_plays_twenty_legal_games_or_says_why_not(agent: str, name: str) -> None:
    game = sized(name, agent)
    assert game is not None
    # Those that play what the programs or agents do that they are made of are on no game's list.
    if agent not in agents_for(game) and agent not in {facts(game).program, "jsonl", "pool"}:
        with pytest.raises(BoyiError, match=re.escape(str(game))):
            make_agent(QUICK.get(agent, agent), game)
        return
    player = make_agent(QUICK.get(agent, agent), game)
    batch = Batch(game, 20, seed=1, history=True)
    while (batch.to_move >= 0).any():
        rows = np.flatnonzero(batch.to_move >= 0)[: 1 if player.alone else None]
        batch.step(player.act(batch.view(rows)), rows)  # an illegal action would raise
    player.close()


def choices(kind: type[Agent], work: dict[str, int]) -> list[dict[str, object]]:
    """List the values that an agent of this kind is tried with: the usual ones, and one other at a time."""
    others = [(name, value) for name, param in kind.params.items() if name not in work for value in values(param)]
    return [work, *({**work, name: value} for name, value in others)]


def values(param: Param) -> list[object]:
    """List what a parameter may be besides its default; of numbers one, and a small one."""
    if isinstance(param.default, bool):
        return [not param.default]
    words = [word for word in param.choices if word != param.default]
    if isinstance(param.default, str):
        return words
    return [*words, type(param.default)(min(max(param.low, 2 if isinstance(param.default, int) else 0.5), param.high))]


@pytest.mark.kernels
@pytest.mark.parametrize(("agent", "name"), [pair for pair in PAIRS if pair.values[0] != "openspiel"])
def test_an_agent_plays_with_every_choice_of_its_parameters(agent: str, name: str, clock: Clock) -> None:
    """All kernels that agents of ours search with, found by listing: under bounds checks they are looked at."""
    clock.tick = 0.05
    game, kind = sized(name, agent), AGENTS[agent]
    assert game is not None
    work = {param: most for param, most in WORK.items() if param in kind.params} | LESS.get((agent, name), {})
    for chosen in choices(kind, work):
        try:
            player = kind.from_string(make_agent, **chosen)
            player.fit(game)
        except BoyiError:
            continue
        batch = Batch(game, 2, seed=1, history=True)
        for _ in range(PLIES):
            rows = np.flatnonzero(batch.to_move >= 0)[: 1 if player.alone else None]
            if rows.size:
                batch.step(player.act(batch.view(rows)), rows)
        player.close()


def test_who_plays_what() -> None:
    """The table of `boyi games`, whatever is installed."""
    for name in games():
        game = find(name)
        duel = game.seats == 2 and game.spec.zero_sum and not game.spec.hidden
        expected = {"random": True, "mcts": True, "greedy": game.has("greedy"), "exact": duel, "puct": duel}
        expected["az"] = name in shipped_weights("az") and name != "jiu"  # whose weights play the layout alone
        expected["alphabeta"] = duel and game.has("evaluate") and not game.spec.dice
        expected["expectimax"] = duel and game.has("evaluate") and game.spec.dice
        own = {agent for agent, only in WRITTEN_FOR.items() if name == only}
        assert set(agents_for(name)) - {"openspiel"} == {agent for agent, plays in expected.items() if plays} | own, (
            name
        )


@pytest.mark.parametrize("agent", sorted(set(AGENTS) - LEARNED))
def test_a_game_of_dice_and_secrets_is_played_or_refused(agent: str) -> None:
    """A game that no agent was written for: the toy of the tests, with three seats."""
    game = find(toy.SPEC)
    assert (agent in agents_for(game)) == (agent in ("random", "mcts"))


@pytest.mark.parametrize(
    ("agent", "networks"),
    [
        *[("az", True), ("dqn:hex", True), ("two_phase:battle=az,layout=greedy", True), ("pool:'az' 'mcts'", True)],
        *[("mcts:sims=3", False), ("gtp:cmd=./az", False), ("az=mcts:sims=3", False)],
    ],
)
def test_a_string_shows_whether_a_network_plays(agent: str, networks: bool) -> None:
    assert learned(agent) == networks
