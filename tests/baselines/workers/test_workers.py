"""Work in many processes: the same games and decisions, whoever dies or is interrupted, and nobody left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mortals import Doomed, Liar, content, gone, interrupt

from boyi.baselines import benchmark, evaluate
from boyi.baselines.agents import make_agent
from boyi.baselines.arena import crowd
from boyi.baselines.arena.crowd import say_if_crowded
from boyi.baselines.arena.decisions import Inquiry, inquire
from boyi.baselines.arena.ladder import games_file
from boyi.baselines.arena.matches import Match, Parts, compete
from boyi.baselines.workers.crew import Crew, check_workers
from boyi.envs import BoyiError, find
from boyi.envs.records.game_record import GameRecord

HEX = "hex:board_size=3"
AGENTS = ["mcts:sims=20", "random", "mcts:sims=5"]


def played(agents: Any = AGENTS, *, n: int, out: Path | None = None, **options: Any) -> list[GameRecord]:
    records: list[GameRecord] = []
    match = {key: options.pop(key) for key in ("games", "opening", "clock") if key in options}
    compete(Match(HEX, agents, **{"games": 20, **match}), out, workers=n, report=records.append, **options)
    return records


@pytest.mark.parametrize("options", [{}, {"opening": 2}], ids=str)
def test_games_are_those_of_one_process(options: dict[str, Any], tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert content(played(n=1, out=one, **options)) == content(played(n=2, out=two, **options))

    def lines(path: Path) -> list[str]:
        told = [json.loads(line) for line in path.read_text().splitlines()]
        return sorted(json.dumps({**line, "seconds": 0}, sort_keys=True) for line in told)

    assert lines(one) == lines(two)


def test_a_run_goes_on_with_any_number(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "games.jsonl"
    expected = content(played(n=1, out=whole))
    lines = whole.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[3:11] + lines[40:43]))
    first = out.read_text()
    for n in (2, 3, 1):
        assert content(played(n=n, out=out, resume=True)) == expected
    assert out.read_text().startswith(first) and len(out.read_text().splitlines()) == len(lines)


def test_tables_of_four_and_openings_of_a_judge_are_shared_too() -> None:
    for game, agents, options in (
        ("mahjong", ["greedy", "random", "random", "greedy"], {"games": 8}),
        ("hex:board_size=4", AGENTS[:2], {"games": 8}),
    ):
        told: list[list[Any]] = []
        for n in (1, 2):
            records: list[GameRecord] = []
            compete(Match(game, agents, **options), workers=n, report=records.append)
            told.append(content(records))
        assert told[0] == told[1] and len(told[0]) == 8


def test_decisions_and_ladders_are_those_of_one_process(tmp_path: Path) -> None:
    def asked(n: int, positions: int = 12, **options: Any) -> list[Any]:
        inquiry = Inquiry(find(HEX), AGENTS[:2], positions=positions, judge="exact", conditions=["to_move=1"])
        answers = inquire(inquiry, workers=n, **options)
        return [(d.index, d.agent, d.action, d.regret) for d in answers.decisions]

    out = tmp_path / "decisions.jsonl"
    assert asked(1, out=out, positions=5) == asked(2)[:10]
    assert asked(2, out=out, resume=True) == asked(1)
    standings = [benchmark("mcts:sims=2", "hex:board_size=2", out=tmp_path / f"{n}.json", workers=n) for n in (1, 2)]
    assert standings[0].rating == standings[1].rating
    assert len(games_file(tmp_path / "2.json").read_text().splitlines()) == 200


def test_evaluations_are_shared() -> None:
    assert evaluate("mcts:sims=20", HEX, ["random"], games=20, workers=2).pairings[0].wins == (
        evaluate("mcts:sims=20", HEX, ["random"], games=20).pairings[0].wins
    )


# Those who die


@pytest.mark.parametrize("times", [1, 2])
def test_games_of_a_process_that_dies_are_played_again(times: int, tmp_path: Path) -> None:
    expected = content(played([Doomed(str(tmp_path / "x")), "random"], n=1))
    out = tmp_path / "games.jsonl"
    assert content(played([Doomed(str(tmp_path / "mark"), times), "random"], n=2, out=out)) == expected
    assert (tmp_path / f"mark{times - 1}").exists() and len(out.read_text().splitlines()) == 20


def test_who_dies_every_time_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(BoyiError, match="3 processes have died one after the other, killed or out of memory"):
        played([Doomed(str(tmp_path / "mark"), 99), "random"], n=2)
    gone()


def test_nobody_is_left_when_time_is_up_or_somebody_fails() -> None:
    def fails(record: GameRecord) -> None:
        raise KeyError("reported")

    started = time.monotonic()
    with pytest.raises(KeyError):
        compete(Match(HEX, ["random", "mcts:sims=5"], games=40), workers=2, report=fails)
    gone()
    records: list[GameRecord] = []
    compete(Match(HEX, AGENTS[:2], games=200_000), workers=2, minutes=0.15, report=records.append)
    gone()
    assert 2 <= len(records) < 200_000 and time.monotonic() - started < 120


def hundred(item: int) -> int:
    time.sleep(3600 if item == 3 else 0)
    return 100 * item


def recipe() -> Callable[[int], int]:
    return hundred


def test_what_nobody_waits_for_is_dropped() -> None:
    with Crew(recipe, 2) as crew:
        results = crew.in_order(iter(range(1, 100)))
        assert [next(results), next(results)] == [100, 200]
    gone()


def large(item: int) -> bytes:
    return bytes(400_000)


def recipe_of_large() -> Callable[[int], bytes]:
    return large


def test_who_is_stopped_in_the_middle_of_an_answer_stops_nobody() -> None:
    for k in range(20):
        with Crew(recipe_of_large, 2) as crew:
            results = crew.do(iter(range(100_000)))
            for _ in range(1 + k):
                next(results)
    gone()


class Slain:
    """Answers at length; the first process that is asked for item 3 is killed `after` that many seconds."""

    def __init__(self, mark: Path, after: float) -> None:
        self.mark, self.after = mark, after

    def __call__(self) -> Callable[[int], bytes]:
        return self.answer

    def answer(self, item: int) -> bytes:
        if item == 3 and not self.mark.exists():
            self.mark.touch()
            threading.Timer(self.after, os.kill, [os.getpid(), signal.SIGKILL]).start()
        return bytes(30_000_000)


@pytest.mark.posix
@pytest.mark.parametrize("after", [0.0, 0.005, 0.01, 0.02, 0.04, 0.3])
def test_what_is_half_said_by_a_process_that_is_killed_is_asked_again(after: float, tmp_path: Path) -> None:
    with Crew(Slain(tmp_path / "mark", after), 2) as crew:
        assert sorted(item for item, _ in crew.do(iter(range(12)))) == list(range(12))
    gone()


LEFT = """
from boyi.baselines.workers.crew import Crew
import test_workers

if __name__ == "__main__":
    crew = Crew(test_workers.recipe_of_large, 2).__enter__()
    print(len(next(crew.do(iter(range(100_000))))[1]))
"""


def test_a_crew_that_nobody_dismisses_ends_with_its_process() -> None:
    done = subprocess.run([sys.executable, "-c", LEFT], cwd=Path(__file__).parent, capture_output=True, timeout=120)
    assert done.returncode == 0 and done.stdout == b"400000\n", done.stderr


def test_a_failure_in_a_process_is_the_sentence_it_would_be_here() -> None:
    with pytest.raises(BoyiError, match=r"^liar: ValueError: no more$"):
        played([Liar(), "random"], n=2)
    gone()


@pytest.mark.posix
def test_ctrl_c_leaves_a_file_to_go_on_with_and_no_process(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    command = [sys.executable, "-m", "boyi.baselines.command.main", "arena", HEX, "mcts:sims=3000", "random"]
    interrupt([*command, "--games", "4000", "--workers", "2"], out)


# What is refused, and said


@pytest.mark.parametrize("workers", [-1, 1.5, "2", None, True, 10_000])
def test_workers_are_counted(workers: Any) -> None:
    with pytest.raises(BoyiError, match="workers must be a whole number from 0, for all cores, to 1024, not"):
        compete(Match(HEX, ["random", "mcts"], games=2), workers=workers)
    assert check_workers(0) == workers_here() and check_workers(3) == 3


def workers_here() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def test_agents_that_cannot_travel_are_named() -> None:
    with pytest.raises(BoyiError, match=r"this cannot be sent to other processes: .*lambda.*; use one worker"):
        played([lambda observation, mask: int(mask.argmax()), "random"], n=2)


def test_who_is_limited_by_time_is_told_of_a_crowd(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crowd, "usable_cores", lambda: 2)
    said = "boyi: 3 workers share 2 cores: agents limited by time get less than they are given\n"
    for agents, n, clock, says in (
        (["mcts:seconds=1"], 3, None, said),
        (["pool:'random;mcts:seconds=1'"], 3, None, said),
        (["random"], 3, 5.0, said),
        (["random"], 3, None, ""),
        (["mcts:seconds=1"], 2, 5.0, ""),
    ):
        say_if_crowded([make_agent(agent) for agent in agents], n, clock=clock)
        assert capsys.readouterr().err == says


def test_parts_are_whole_seeds_that_grow_with_the_pace_and_shrink_towards_the_end() -> None:
    match = Match(HEX, AGENTS, games=200)
    parts = Parts(match, {(0, 0)}, 2)
    handed, sizes = [], []
    for pairing, indices in parts:
        handed += [(pairing, index) for index in indices]
        sizes.append(len(indices))
        parts.learn(len(indices), 0.01 * len(indices))
    assert sorted(handed) == sorted({(p, i) for p in range(3) for i in range(200)} - {(0, 0)})
    assert sizes[:3] == [2, 4, 8] and max(sizes) > 20 and sizes[-1] <= 2 and parts.size == 200
