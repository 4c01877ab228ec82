"""Published systems repeated: the page, what it is made of, and going on after a kill."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from boyi.baselines.agent import Agent
from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.rating import student
from boyi.baselines.command.main import app
from boyi.baselines.mahjong.luck import luck
from boyi.baselines.reproduce import einstein, gomoku, hex, jiu, mahjong
from boyi.baselines.reproduce.meetings import slug
from boyi.envs.engine.batch import Batch
from boyi.envs.engine.errors import BoyiError
from boyi.envs.engine.machine import usable_cores
from boyi.envs.engine.spec import find
from boyi.envs.engine.view import View
from boyi.envs.records.files import append_to, lock
from boyi.envs.records.game_record import GameRecord

TINY = einstein.Scale(steps=6000, points=2, games=2, starts=300)


@pytest.mark.slow
def test_the_page_says_what_was_measured_and_a_second_time_nothing_is_trained(tmp_path: Path) -> None:
    said: list[str] = []
    page = einstein.reproduce(tmp_path, TINY, said.append)
    text = page.read_text()
    for picture in ("curves.png", "regret.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG") and f"]({picture})" in text
    for rules in einstein.RULES:
        assert re.search(rf"^\| {rules}, t = 1 \|( [\d.]+% \([\d.]+ to [\d.]+\) \|){{5}} [\d.]+ ms \|$", text, re.M)
        assert f"{rules}: 6,000 decisions of self-play" in said
    assert re.search(r"^\| regret with \| 2 stones \| 3 stones \|$", text, re.M)
    assert "6,000 decisions of self-play a run, 2 games a match" in text
    assert all(deviation in text for deviation in einstein.DEVIATIONS)
    for folder in einstein.FOLDERS.values():
        lines = [json.loads(line) for line in (tmp_path / folder / "log.jsonl").read_text().splitlines()]
        scores, regrets = ([line["steps"] for line in lines if name in line] for name in ("eval/random", "regret/3"))
        assert scores == regrets and len(scores) == TINY.points
        assert all(
            line["regret/3/low"] < line["regret/3"] < line["regret/3/high"] for line in lines if "regret/3" in line
        )
    steps = {rules: (tmp_path / folder / "log.jsonl").read_text() for rules, folder in einstein.FOLDERS.items()}
    again: list[str] = []
    einstein.reproduce(tmp_path, TINY, again.append)
    assert all(f"{rules}: 0 decisions of self-play" in again for rules in einstein.RULES)
    assert {rules: (tmp_path / folder / "log.jsonl").read_text() for rules, folder in einstein.FOLDERS.items()} == steps


def test_regret_is_what_a_decision_gives_away() -> None:
    ends = einstein.endings(find("einstein"), 3, 2000)
    states, worth = ends
    assert states.size > 100 and (states["left"].sum(axis=1) == 3).all()
    batch = Batch("einstein", states.size, seed=0)
    batch.states = states
    mask = batch.view().mask
    assert (mask.sum(axis=1) > 1).all() and (np.isfinite(worth) == mask).all()
    best = einstein.regret(make_agent("exact"), ends)
    drawn = einstein.regret(make_agent("random"), ends)
    assert best.value == 0.0 and 0.05 < drawn.value < 0.5
    assert np.isfinite([drawn.low, drawn.high]).all() and drawn.low < drawn.value < drawn.high
    # By hand: of a range of 2 what the worst choices lack to the best ones.
    most = np.mean(np.nanmax(worth, axis=1) - np.nanmin(worth, axis=1)) / 2

    class Worst(Agent):
        name = "worst"

        def act(self, view: View) -> np.ndarray:
            return np.nanargmin(worth, axis=1)

    assert einstein.regret(Worst(), ends).value == pytest.approx(most) and most > drawn.value


@pytest.mark.parametrize(
    ("words", "told"),
    [(["chess"], "unknown system 'chess'"), (["einstein", "--out", "{file}/x"], "file")],
)
def test_what_cannot_be_reproduced_is_one_sentence(tmp_path: Path, words: list[str], told: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    found = CliRunner().invoke(app, ["reproduce", *(word.format(file=file) for word in words)])
    assert found.exit_code != 0 and told in found.output and "Traceback" not in found.output


@pytest.mark.slow
def test_the_page_of_jiu_says_what_was_measured_and_a_second_time_nothing_is_played(tmp_path: Path) -> None:
    scale = jiu.Scale((1, 2), sims=2, layouts=2, battles=2, games=2, our_games=4, depth=1, nodes=500, seconds=0.001)
    said: list[str] = []
    page = jiu.reproduce(tmp_path, scale, said.append)
    text, estimate = page.read_text(), r"[\d.]+% \([\d.]+ to [\d.]+\)"
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG") and "](curves.png)" in text
    for k in (1, 2):
        assert f"{k} iterations: 784 decisions of self-play" in said
        assert (tmp_path / f"layout_{k}.svg").read_text().startswith("<svg") and f"](layout_{k}.svg)" in text
    for name, games in (("1 iterations", 2), ("2 iterations", 2), ("ours: az:jiu", 4)):
        assert re.search(rf"^\| {name} \|  \| {estimate} \| {games} \| {estimate} \|$", text, re.M)
        assert re.search(rf"^\| {name} \|( {estimate}, [\d.]+ to [\d.]+ \|){{3}}$", text, re.M)
    assert re.search(r"^Training took [\d.]+ hours\.$", text, re.M)
    assert "narrowed against every move: " in said[-1] and len([line for line in said if "games" in line]) == 4 * 3 + 2
    assert re.search(rf"in equal time \(0.001 s a turn\) in the battle, .* by `greedy`: {estimate} of 4 games", text)
    assert all(deviation in text for deviation in jiu.DEVIATIONS)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != page}
    jiu.reproduce(tmp_path, scale, said.append)
    assert {path: path.read_bytes() for path in files} == files
    # The page also says how busy the machine is.
    assert re.sub(r"load [\d.]+", "", page.read_text()) == re.sub(r"load [\d.]+", "", text)


FOREVER = """
from pathlib import Path
from boyi.baselines.reproduce.meetings import Meeting, play_all

if __name__ == "__main__":
    side = "two_phase:layout=random,battle='alphabeta:seconds=600'"
    play_all(Path(), [Meeting("long", "jiu", (side, side), 4, 2, 4)], print, str)
"""


@pytest.mark.slow
def test_who_plays_for_a_run_that_is_killed_ends_with_it(tmp_path: Path) -> None:
    """Or the files of its games would be in use when somebody goes on with them."""
    (tmp_path / "forever.py").write_text(FOREVER)
    run = subprocess.Popen([sys.executable, "forever.py"], cwd=tmp_path)
    files = [tmp_path / f"long_{k}.jsonl" for k in range(1, min(2, usable_cores()) + 1)]
    wait_until(lambda: all(file.exists() for file in files))
    time.sleep(1)  # to ask whether a file is in use is to use it
    assert all(in_use(file) for file in files)
    run.kill()
    run.wait()
    wait_until(lambda: not any(in_use(file) for file in files))


def in_use(path: Path) -> bool:
    try:
        with append_to(path) as file:
            lock(file, path)
    except BoyiError:
        return True
    return False


def wait_until(met: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not met():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_layouts_are_laid_again_from_games() -> None:
    """Squares are counted on the full board, before the battle takes two stones off, for the agent of either seat."""
    records: list[GameRecord] = []
    compete(Match("jiu", ["greedy", "random"], games=2, opening=4), report=records.append)
    squares, boards = jiu.laid_out(records)
    assert squares.shape == (2, 2) and (boards["board"] > 0).all()
    for k, (first, record) in enumerate(zip((1, 2), records, strict=True)):
        board = boards["board"][k].reshape(14, 14)
        for side, stone in enumerate((first, 3 - first)):
            mine = board == stone
            assert squares[k, side] == (mine[1:, 1:] & mine[:-1, 1:] & mine[1:, :-1] & mine[:-1, :-1]).sum()
        assert record.seats[first - 1] == "greedy"


def test_two_seats_are_compared_with_two_wall_by_wall() -> None:
    """By hand: what a seat makes more than one of the others, the mean over the hands of a wall being one number."""
    agents = ["greedy", "greedy", "random", "random"]
    records: list[GameRecord] = []
    compete(Match("mahjong", agents, games=16, seed=3), report=records.append)
    one, brought = mahjong.compare(records), luck(records)
    rows: dict[int, list[tuple[float, float, float]]] = {}
    for record, off in zip(records, brought, strict=True):
        assert record.returns is not None
        mine = [seat for seat in range(4) if record.seats[seat].startswith("greedy")]
        others = [seat for seat in range(4) if seat not in mine]
        values = (record.returns, np.array(record.returns) - off, record.statistics["win"])
        gains = tuple(float(np.mean(np.take(v, mine)) - np.mean(np.take(v, others))) for v in values)
        rows.setdefault(record.seed, []).append(gains)  # type: ignore[arg-type]
    assert sorted(map(len, rows.values())) == [4] * 4 and one.hands == 16
    for k, found in enumerate((one.points, one.less_luck, one.wins)):
        assert found == pytest.approx(student([np.mean([gains[k] for gains in wall]) for wall in rows.values()]))
    reach, less = one.points.high - one.points.value, one.less_luck.high - one.less_luck.value
    assert one.spared == pytest.approx(reach**2 / less**2)
    assert mahjong.said(records) == f"{one.points.value:+.0f} points"


@pytest.mark.slow
def test_the_page_of_mahjong_says_what_was_measured_and_a_second_time_nothing_is_done(tmp_path: Path) -> None:
    scale = mahjong.Scale(2048, 2, 4, 12, 1, 8, (0.2, 0.4), (4, 4), 2)
    said: list[str] = []
    page = mahjong.reproduce(tmp_path, scale, said.append)
    text, points = page.read_text(), r"[+-]\d+ \([+-](\d+|inf) to [+-](\d+|inf)\)"
    figures = rf"\d+ \| {points} \| {points} \| [+-][\d.]+ % \(.* to .*\)"
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG") and "](curves.png)" in text
    rows = [*mahjong.IMITATORS, *mahjong.RUNS, "Expectimax", *mahjong.OURS]
    assert len(rows) == 13
    for name in rows:
        assert re.search(rf"^\| {re.escape(name)} \| [^|]* \| {figures} \|$", text, re.M), name
    assert "| Expectimax | 0 | 8 | +0 (+0 to +0) |" in text
    for alpha, depth in ((0.2, 1), (0.4, 1), (0.2, 2), (0.4, 2)):
        assert re.search(rf"^\| {alpha} \| {depth} \| [\d.]+ m?s \| [^|]* \| {figures} \|$", text, re.M)
    assert re.search(r"takes [\d.]+ m?s one layer deep and [\d.]+ m?s two layers deep \(published: 0.068 s", text)
    for name in mahjong.IMITATORS:
        assert re.search(rf"^\| {name} \| [\d.]+% \([\d.]+ to [\d.]+\) \|$", text, re.M)
    for config in mahjong.RUNS.values():
        assert f"{config}: 2,048 decisions of self-play" in said
        log = [json.loads(line) for line in (tmp_path / config / "log.jsonl").read_text().splitlines()]
        assert any(f"return/{mahjong.BASE}" in line for line in log)
    assert all(deviation in text for deviation in mahjong.DEVIATIONS)
    files = {path: path.read_bytes() for path in tmp_path.glob("*") if path.is_file() and path != page}
    said.clear()
    mahjong.reproduce(tmp_path, scale, said.append)
    assert all(path.read_bytes() == data for path, data in files.items() if path.suffix != ".png")
    assert not any("decisions to learn from" in line for line in said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "scale", "matches"),
    [
        (
            hex,
            hex.Scale(
                steps=256,
                ours={7: 192, 9: 192, 11: 192},
                published=80,
                points=2,
                point_games=2,
                games=4,
                minutes={5: 0.02},
            ),
            len(hex.LADDER),
        ),
        (gomoku, gomoku.Scale(steps=256, ours=256, whole=192, points=2, point_games=2, games=2), len(gomoku.OPPONENTS)),
    ],
)
def test_the_pages_of_dqn_say_what_was_measured_and_a_second_time_nothing_is_done(
    module: ModuleType, scale: Any, matches: int, tmp_path: Path
) -> None:
    said: list[str] = []
    page = module.reproduce(tmp_path, scale, said.append)
    text, score = page.read_text(), r"[\d.]+% \([\d.]+ to [\d.]+\)"
    every = [line.rpartition(": ")[0] for line in said if "transitions" in line]
    runs = [name for name in every if "seed" not in name]
    assert len(set(every)) == len(every) and len(runs) == 8
    if module is hex:
        assert len(every) == 8 + hex.SEEDS * (len(hex.OPTIONS) + 1)
        for option in (*hex.OPTIONS, hex.IMAGES, hex.PEER):
            assert re.search(rf"^\| {option} \| {score}: \d+%, \d+%, \d+%; \d+ \|$", text, re.M), option
    for name in runs:
        figures = rf"(\d+)x\1 \| [\d,]+ \| [\d,]+ \| [\d.]+( \| {score}){{{matches}}}"
        assert re.search(rf"^\| {re.escape(name)} \| {figures} \|", text, re.M), name
        log = [json.loads(line) for line in (tmp_path / slug(name) / "log.jsonl").read_text().splitlines()]
        assert sum(any(key.startswith("eval/") for key in line) for line in log) >= scale.points
    for picture in re.findall(r"\]\((.*\.png)\)", text):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    assert all(deviation in text for deviation in module.DEVIATIONS)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    said.clear()
    module.reproduce(tmp_path, scale, said.append)
    assert {path: path.read_bytes() for path in files} == files
    assert all(line.endswith(": 0 transitions of self-play") for line in said if "transitions" in line)
