"""Every example runs and does what it claims."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
CHECKED = {"aec_loop", "batch_random", "maskable_ppo", "own_policy"}


def load(name: str) -> ModuleType:
    path = next(path for path in EXAMPLES if path.stem == name)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_checked_and_short() -> None:
    assert {path.stem for path in EXAMPLES} == CHECKED
    assert all(len(path.read_text().splitlines()) <= 50 for path in EXAMPLES)


def test_tree_search_wins_the_agent_loop() -> None:
    assert load("aec_loop").play() == {"player_0": 1.0, "player_1": -1.0}


def test_the_first_seat_wins_more_random_games() -> None:
    # 57.4 % in 20,000 games; six standard errors are 2.1 points.
    assert 0.553 < load("batch_random").first_player_wins() < 0.595


def test_the_straight_policy_beats_random() -> None:
    assert load("own_policy").score() > 0.8


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_maskable_ppo_beats_random_in_more_than_80_of_100_games() -> None:
    example = load("maskable_ppo")
    assert example.wins(example.train()) > 80
