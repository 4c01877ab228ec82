"""What a notebook shows: pictures of environments, batches and records, tables of results, agents by their strings."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from boyi.baselines import evaluate, make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.envs import Batch, find, games, hex_v0
from boyi.envs.records.game_record import GameRecord


def is_picture(svg: str) -> bool:
    return ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("name", games())
def test_environments_show_their_position(name: str) -> None:
    title = find(name).spec.title
    env: Any = gym.make(f"boyi/{title}-v0").unwrapped
    env.reset(seed=1)
    first = env._repr_svg_()
    env.step(int(env.action_masks().argmax()))
    assert is_picture(first) and is_picture(env._repr_svg_()) and env._repr_svg_() != first
    assert repr(env) == f"GameEnv('{name}')"


def test_a_learner_sees_no_hidden_tiles() -> None:
    env: Any = gym.make("boyi/Mahjong-v0", seat=2).unwrapped
    env.reset(seed=1)
    assert env._repr_svg_().count("#tile-back") == 48


def test_a_game_of_turns_shows_nothing_before_it_begins() -> None:
    env: Any = hex_v0.env(board_size=3)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert is_picture(env._repr_svg_())


def test_a_broken_step_has_no_picture() -> None:
    def fails(observation: np.ndarray, mask: np.ndarray) -> int:
        raise ZeroDivisionError

    env: Any = gym.make("boyi/Hex-v0", board_size=3, opponent=fails).unwrapped
    env.reset(seed=1)
    with pytest.raises(ZeroDivisionError):
        env.step(0)
    assert env._repr_svg_() is None


@pytest.mark.parametrize(("n", "shown"), [(1, 1), (8, 8), (11, 8)])
def test_many_games_show_the_first(n: int, shown: int) -> None:
    batch = Batch("hex:board_size=3", n, seed=1)
    batch.step(batch.sample())
    vector: Any = gym.make_vec("boyi/Hex-v0", num_envs=n, board_size=3).unwrapped
    vector.reset(seed=1)
    assert repr(vector) == f"GameVectorEnv('hex:board_size=3', num_envs={n})"
    for html in (batch._repr_html_(), vector._repr_html_()):
        pictures = re.findall('src="data:image/svg[+]xml;base64,([^"]*)"', html)
        assert len(pictures) == shown and all(is_picture(base64.b64decode(each).decode()) for each in pictures)
        assert ("and 3 more games of hex:board_size=3" in html) == (n == 11)
    expected = find("hex").module("draw").svg(batch.states[0])
    assert base64.b64encode(expected.encode()).decode() in batch._repr_html_()


def test_a_record_shows_how_the_game_ended() -> None:
    records: list[GameRecord] = []
    compete(Match("hex:board_size=3", ["random", "random"], games=2), report=records.append)
    assert is_picture(records[0]._repr_svg_()) and "#f5b82e" in records[0]._repr_svg_()  # the winning chain glows


def test_results_are_tables() -> None:
    two = evaluate("random", "hex:board_size=3", ["random"], games=4)
    four = compete(Match("mahjong", ["random"] * 4, games=4))
    for result in (two, four):
        told = result._repr_mimebundle_((), ())  # type: ignore[union-attr]
        assert "random" in told["text/html"] and told["text/html"].startswith("<pre")


@pytest.mark.parametrize(
    ("agent", "shown"), [("random", "<RandomAgent random>"), ("mcts:sims=30", "<MCTS mcts:sims=30>")]
)
def test_agents_are_named(agent: str, shown: str) -> None:
    assert repr(make_agent(agent)) == shown
