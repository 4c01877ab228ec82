"""Published systems repeated: the page, what it is made of, and going on after a kill."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from boyi.baselines.agents import make_agent
from boyi.baselines.command.main import app
from boyi.baselines.reproduce import einstein
from boyi.envs.engine.batch import Batch
from boyi.envs.engine.spec import find

TINY = einstein.Scale(steps=6000, points=2, games=2, starts=300)


def test_the_page_says_what_was_measured_and_a_second_time_nothing_is_trained(tmp_path: Path) -> None:
    said: list[str] = []
    page = einstein.reproduce(tmp_path, TINY, said.append)
    text = page.read_text()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    for rules in einstein.RULES:
        assert re.search(rf"^\| {rules}, t = 1 \|( [\d.]+% \([\d.]+ to [\d.]+\) \|){{5}} [\d.]+ ms \|$", text, re.M)
        assert f"{rules}: 6,000 decisions of self-play" in said
    assert re.search(r"^\| regret with \| 2 stones \| 3 stones \|$", text, re.M)
    assert "6,000 decisions of self-play a run, 2 games a match" in text
    assert all(deviation in text for deviation in einstein.DEVIATIONS)
    steps = {rules: (tmp_path / folder / "log.jsonl").read_text() for rules, folder in einstein.FOLDERS.items()}
    again: list[str] = []
    einstein.reproduce(tmp_path, TINY, again.append)
    assert all(f"{rules}: 0 decisions of self-play" in again for rules in einstein.RULES)
    assert {rules: (tmp_path / folder / "log.jsonl").read_text() for rules, folder in einstein.FOLDERS.items()} == steps


def test_regret_is_what_a_decision_gives_away() -> None:
    states = einstein.endings(find("einstein"), 3, 2000)
    assert states.size > 100 and (states["left"].sum(axis=1) == 3).all()
    batch = Batch("einstein", states.size, seed=0)
    batch.states = states
    assert (batch.view().mask.sum(axis=1) > 1).all()
    best = einstein.regret(make_agent("exact"), states)
    drawn = einstein.regret(make_agent("random"), states)
    assert best.value == 0.0 and 0.05 < drawn.value < 0.5
    assert np.isfinite([drawn.low, drawn.high]).all() and drawn.low < drawn.value < drawn.high


@pytest.mark.parametrize(
    ("words", "told"),
    [(["chess"], "unknown system 'chess'"), (["einstein", "--out", "{file}/x"], "file")],
)
def test_what_cannot_be_reproduced_is_one_sentence(tmp_path: Path, words: list[str], told: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    found = CliRunner().invoke(app, ["reproduce", *(word.format(file=file) for word in words)])
    assert found.exit_code != 0 and told in found.output and "Traceback" not in found.output
