"""Every example runs and does what it claims."""

import importlib.util
import re
from types import ModuleType

import pytest
from places import ROOT

from boyi.baselines import evaluate, make_agent

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LIBRARIES = sorted((ROOT / "examples" / "libraries").glob("*.py"))
CHECKED = {
    "aec_loop", "batch_random", "hex_ddqn", "jsonl_program", "opponent_pool", "own_policy", "record_video",
    "targets", "torch_loop",
}  # fmt: skip


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


def test_the_film_is_made_by_ci_which_has_what_it_takes() -> None:
    assert 'film/bin/python" clone/examples/record_video.py' in (ROOT / ".ci/run").read_text()


def test_tree_search_wins_the_agent_loop() -> None:
    assert load("aec_loop").play() == {"player_0": 1.0, "player_1": -1.0}


def test_the_first_seat_wins_more_random_games() -> None:
    # 57.4 % in 20,000 games; six standard errors are 2.1 points.
    assert 0.553 < load("batch_random").first_player_wins() < 0.595


def test_the_straight_policy_beats_random() -> None:
    assert load("own_policy").score() > 0.8


def test_every_example_of_a_library_is_trained_by_ci_short_and_on_its_page() -> None:
    trained = set(re.findall(r"\w+", " ".join(re.findall(r"^train_in (.*)$", (ROOT / ".ci/run").read_text(), re.M))))
    page = (ROOT / "docs" / "libraries.md").read_text()
    for path in LIBRARIES:
        lines = path.read_text().splitlines()
        assert len(lines) < 50 and f"/{path.name})" in page, path.name
        row = next(line for line in page.splitlines() if f"/{path.name})" in line and line.startswith("|"))
        assert str(len(lines)) in row.split("|")[4]
        if "__main__" in lines[-4]:
            assert path.stem in trained and lines[-1].startswith("    assert result.pairings[0].wins > ")
    assert {path.stem for path in LIBRARIES} >= trained - {"together", "rllib", "agilerl"}


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_double_dqn_beats_tree_search_in_more_than_60_of_100_games() -> None:
    example = load("hex_ddqn")
    assert example.wins(example.train()) > 60


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_only_the_literal_target_does_not_learn_to_keep_wins() -> None:
    example = load("targets")
    assert example.wins_kept(make_agent("exact")) == 1
    kept = {target: example.wins_kept(example.train(target).agent()) for target in ("negamax", "own_next", "literal")}
    assert kept["negamax"] > 0.95 and kept["own_next"] > 0.95 and kept["literal"] < 0.9


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_ppo_among_a_pool_beats_its_members_in_more_than_80_of_100_games() -> None:
    example = load("opponent_pool")
    learner = example.Snapshot(example.train())
    result = evaluate(learner, "gomoku:board_size=6", ["random", "mcts:sims=10"], games=100)
    assert [pairing.wins > 80 for pairing in result.pairings] == [True, True]


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_the_plain_loop_beats_random_in_more_than_900_of_1000_games() -> None:
    example = load("torch_loop")
    assert (example.play(example.train(), 1000, seed=1_000_000)[0] > 0).sum() > 900
