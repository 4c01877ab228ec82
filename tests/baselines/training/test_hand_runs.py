"""Runs that learn hands of mahjong: what they leave behind, and going on after a stop anywhere."""

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from runs import LEFT, TINY_HANDS, left_by
from safetensors.numpy import load_file

from boyi.baselines.agents import make_agent
from boyi.baselines.learning.checkpoint import read_file, write_file
from boyi.baselines.training.config import Config, read_config
from boyi.baselines.training.export import export
from boyi.baselines.training.run import FORMAT, Checkpoint, Limits, Run
from boyi.envs import Batch, BoyiError

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(TINY_HANDS)


def tiny(**changes: Any) -> Config:
    return read_config("tiny.toml", **changes)


def state(folder: Path) -> dict[str, bytes]:
    """Read all that the next step of a run depends on."""
    return {name: array.tobytes() for name, array in load_file(folder / "checkpoint.safetensors").items()}


@pytest.mark.parametrize("changes", [{"base": "published"}, {"learned": "all"}], ids=["discards", "all"])
def test_a_run_leaves_everything_behind_and_plays_as_an_agent(changes: dict[str, Any]) -> None:
    run = Run(tiny(**changes), Path("runs/tiny"), device="cpu")
    assert run.train() == f"all {run.steps} steps are done"
    assert left_by(Path("runs/tiny")) == LEFT
    assert run.trainer.learner.updates > 100 and set(run.scores) == {"random"}  # type: ignore[attr-defined]
    figures = next(line for line in reversed(run.lines) if "train/loss" in line)
    assert 0 < figures["rollout/agreed"] < 1 and 0 <= figures["rollout/won"] <= 1
    played = {words: make_agent(f"{words}ddqn:runs/tiny", "mahjong") for words in ("", "expectimax:evaluator=")}
    for words, agent in played.items():
        batch = Batch("mahjong", 3, seed=2, encoder=None)
        while (rows := np.flatnonzero(batch.to_move >= 0)).size:
            batch.step(agent.act(batch.view(rows)), rows)
        assert batch.states["ply"].min() > 20, words
    with pytest.raises(BoyiError, match="was learned by another algorithm: write ddqn:runs/tiny"):
        make_agent("dqn:runs/tiny")


def test_a_run_is_exported_and_plays_as_the_search_s_evaluator() -> None:
    """In half precision; what it was evaluated by are points."""
    Run(tiny(base="published"), Path("runs/tiny"), device="cpu").train()
    card = export("runs/tiny", "mine.safetensors")
    assert card.algorithm == "ddqn" and card.made["command"] == "boyi train tiny" and int(card.made["games"]) > 1
    assert re.fullmatch(r"[+-]\d+ points a game of \d+ against random", card.made["ladder"])
    assert {array.dtype for array in load_file("mine.safetensors").values()} == {np.dtype(np.float16)}
    view = Batch("mahjong", 3, seed=2, encoder=None).view()
    for words in ("", "expectimax:evaluator="):
        learned, given = (make_agent(f"{words}ddqn:{place}", "mahjong") for place in ("runs/tiny", "mine.safetensors"))
        assert np.array_equal(learned.act(view), given.act(view))


@pytest.mark.parametrize(
    "changes",
    [
        {"base": "published", "danger": True},
        {"halves": 3, "evaluator": "own", "double": False},
        {"base": "published", "bootstrap": "rollouts", "rollouts": 1},
    ],
    ids=["base", "own", "rollouts"],
)
def test_a_run_stopped_anywhere_resumes_to_what_it_would_have_been(changes: dict[str, Any]) -> None:
    config = tiny(**changes)
    Run(config, Path("runs/whole"), device="cpu").train()
    for number, rounds in enumerate((7, 20)):
        stops = iter([False] * rounds + [True])
        run = Run(config, Path("runs/parts"), resume=number > 0, device="cpu")
        assert run.train(Limits(asked=lambda stops=stops: next(stops))) == "stopped"  # type: ignore[misc]
    assert 250 < run.steps < 400
    Run(config, Path("runs/parts"), resume=True, device="cpu").train()
    assert state(Path("runs/whole")) == state(Path("runs/parts"))


def test_a_checkpoint_that_is_wrong_is_refused() -> None:
    """Whatever array is cut, missing or of another run, and samples that are no positions of a decision."""
    Run(tiny(steps=700), Path("runs/tiny"), device="cpu").train()
    file = Path("runs/tiny/checkpoint.safetensors")
    arrays, facts = read_file(file, Checkpoint, FORMAT)
    over = np.flatnonzero(arrays["samples/over"])[0]

    def flipped(name: str, row: int) -> np.ndarray:
        array = arrays[name].copy()
        array[row] = ~array[row]
        return array

    wrong: list[tuple[str, np.ndarray | None]] = [(name, None) for name in arrays]
    wrong += [(name, array[:-1]) for name, array in arrays.items() if array.size]
    wrong += [(name, flipped(name, 0)) for name in ("samples/state", "play/0/latest/state", "play/1/latest/state")]
    wrong += [("samples/over", flipped("samples/over", int(over))), ("samples/action", arrays["samples/action"] - 40)]
    for name, array in wrong:
        changed = {key: kept for key, kept in arrays.items() if key != name}
        write_file(file, changed if array is None else {**changed, name: array}, msgspec.to_builtins(facts))
        with pytest.raises(BoyiError, match="is damaged"):
            Run(tiny(steps=700), Path("runs/tiny"), resume=True, device="cpu")
    learner = {**facts.learner, "generators": facts.learner["generators"][1:]}
    write_file(file, arrays, msgspec.to_builtins(facts) | {"learner": learner})
    with pytest.raises(BoyiError, match="it has 2 generators, not 3"):
        Run(tiny(steps=700), Path("runs/tiny"), resume=True, device="cpu")
    with pytest.raises(BoyiError, match="hand_dqn learns on the CPU"):
        Run(tiny(), Path("runs/other"), device="cuda")
