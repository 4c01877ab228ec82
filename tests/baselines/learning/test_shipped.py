"""The networks that come with the package: each says how it was made, and plays its game to the end."""

import json

import numpy as np
import pytest

from boyi.baselines.agents import make_agent
from boyi.baselines.learning.alphazero_agent import AlphaZeroAgent, read_network
from boyi.baselines.learning.model_agent import read_model
from boyi.baselines.learning.shipped import WEIGHTS, shipped_weights, weights_file
from boyi.envs import Batch, find

NAMES = [(agent, name) for agent in ("az", "dqn", "ddqn") for name in shipped_weights(agent)]
LARGEST, ALL = 4 * 2**20, 24 * 2**20


@pytest.mark.parametrize(("agent", "name"), NAMES, ids=[":".join(pair) for pair in NAMES])
def test_it_says_how_it_was_made_and_plays(agent: str, name: str) -> None:
    if agent == "az":
        network = read_network(name)
        made, games = network.card.made, network.card.games
    else:
        card = read_model(name, agent)[0]
        made, games = card.made, [card.game]
        assert card.algorithm == agent
    assert {"command", "commit", "config", "games", "decisions", "hours", "machine", "ladder"} <= made.keys()
    assert name in str(json.loads(made["config"])["game"])
    assert float(made["games"]) > 1000 and float(made["decisions"]) > 10_000
    assert weights_file(agent, name).stat().st_size < LARGEST
    game = find(games[0])
    assert game.name == name
    player = make_agent(f"{agent}:{name}" + (",sims=2" if agent == "az" else ""), game)
    batch = Batch(game, 2, seed=0)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(player.act(batch.view(rows)), rows)


def test_the_agents_have_no_others_and_all_are_small() -> None:
    files = list(WEIGHTS.glob("*/*.safetensors"))
    assert {(file.parent.name, file.stem) for file in files} == set(NAMES)
    assert len(NAMES) >= 3 and sum(file.stat().st_size for file in files) < ALL


@pytest.mark.parametrize(
    ("agent", "game", "often"),
    [
        ("az:hex", "hex", 20),
        ("az:hex,examine=0", "hex", 0),
        ("az:hex,examine=7", "hex:board_size=7", 7),
        ("az:hex", "hex:board_size=26", 0),  # too large to be examined
        ("az:gomoku", "gomoku", 0),
    ],
)
def test_it_examines_as_its_file_says(agent: str, game: str, often: int) -> None:
    player = make_agent(agent, game)
    assert isinstance(player, AlphaZeroAgent) and player.guided.settings.examine == often
