"""`boyi decide`: positions, times and regrets, and a run that goes on where it stopped."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from boyi.baselines.agent import Agent
from boyi.baselines.arena.decisions import Decision, Inquiry, inquire
from boyi.baselines.command import main as cli
from boyi.baselines.search.exact import Exact
from boyi.envs import BoyiError, find

SMALL = "einstein:board_size=3,stones=2"


def boyi(words: str):
    return CliRunner().invoke(cli.app, shlex.split(words))


def decisions(inquiry: Inquiry) -> list[Decision]:
    return list(inquiry.run())


def test_everybody_is_asked_about_the_same_positions() -> None:
    inquiry = Inquiry(find(SMALL), ["random", "mcts:sims=50"], positions=6, seed=3)
    found = decisions(inquiry)
    assert [(each.index, each.agent) for each in found] == [(i, a) for i in range(6) for a in inquiry.names]
    views = [inquiry.position(i) for i in range(6)]
    assert len({view.states.tobytes() for view in views if view is not None}) > 3
    for each in found:
        view = views[each.index]
        assert view is not None
        assert view.mask[0, each.action]
        assert each.name == inquiry.game.module("text").name(view.states[0], each.action)
        assert each.seconds > 0
        assert each.regret is None


def test_positions_meet_the_conditions() -> None:
    inquiry = Inquiry(find("einstein"), ["random"], positions=5, conditions=["left=2,3", "turn=1"])
    for each in decisions(inquiry):
        view = inquiry.position(each.index)
        assert view is not None
        assert view.states["left"][0].tolist() == [2, 3]
        assert view.states["turn"][0] == 1


def test_positions_are_drawn_from_whole_games() -> None:
    """Any ply of a game may give its position: over many games their mean is the middle of a game."""
    inquiry = Inquiry(find("hex:board_size=3"), ["random"], positions=200)
    plies = [int(view.states["ply"][0]) for i in range(200) if (view := inquiry.position(i)) is not None]
    assert min(plies) == 0
    assert 2.5 < np.mean(plies) < 4.0


def test_regret_is_what_the_judge_says_of_the_action() -> None:
    game = find(SMALL)
    inquiry = Inquiry(game, ["random", "exact"], positions=30, judge="exact")
    by_agent: dict[str, list[float]] = {"random": [], "exact": []}
    for each in decisions(inquiry):
        view = inquiry.position(each.index)
        assert view is not None
        assert each.regret is not None
        worth = Exact().worth(view)
        assert each.regret == pytest.approx((np.nanmax(worth) - worth[each.action]) / 2)
        by_agent[each.agent].append(each.regret)
    assert max(by_agent["exact"]) == 0.0
    assert np.mean(by_agent["random"]) > 0.03


def test_the_table_sums_up(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    done = boyi(f"decide {SMALL} random exact --positions 8 --judge exact --when turn=0 --out {path}")
    assert done.exit_code == 0, done.output
    head, columns, first, second = done.stdout.splitlines()
    assert head == f"{SMALL}: positions of games of random, turn=0, seed 0"
    assert columns.split()[:2] == ["agent", "positions"]
    regrets = [json.loads(line)["regret"] for line in path.read_text().splitlines()[::2]]
    assert f"{100 * np.mean(regrets):.3f} %" in first
    assert second.split()[:2] == ["exact", "8"]
    assert "100.0%" in second


class Counting(Agent):
    """Plays the first legal action and counts how often it was asked."""

    name = "counting"
    asked = 0

    def act(self, view):
        Counting.asked += 1
        return view.mask.argmax(axis=1)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, names = tmp_path / "decisions.jsonl", ["test_decisions:Counting", "random"]
    monkeypatch.setattr(Counting, "asked", 0)

    def again(positions: int, resume: bool = True) -> list[Decision]:
        inquiry = Inquiry(find(SMALL), names, positions=positions, conditions=["left=2,1"])
        return list(inquire(inquiry, path, resume=resume).decisions)

    again(3, resume=False)
    assert Counting.asked == 4  # once to warm up
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]) + lines[-2][:20])
    whole = again(5)
    assert Counting.asked == 8
    assert len(path.read_text().splitlines()) == 10
    assert [(each.index, each.agent, each.action) for each in whole] == [
        (each.index, each.agent, each.action)
        for each in Inquiry(find(SMALL), names, positions=5, conditions=["left=2,1"]).run()
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("decide einstein random --when lef=2", "unknown field of einstein 'lef': did you mean 'left'?"),
        ("decide einstein random --when left=2", "einstein: left has 2 values, not 1"),
        ("decide einstein random --when left", "cannot read the condition 'left': write field=value"),
        ("decide einstein random --judge mcts", "a judge knows what each action is worth, as exact does, not 'mcts'"),
        ("decide einstein random random", "an agent is listed twice"),
        ("decide einstein nobody", "unknown agent 'nobody'"),
        ("decide einstein random --player nobody", "unknown agent 'nobody'"),
        ("decide einstein random --resume", "--resume needs --out FILE"),
        ("decide mahjong random --judge exact", "exact cannot solve mahjong"),
        ("decide hex:board_size=3 random --when ply=30", "100 games in a row had no position with ply=30"),
    ],
)
def test_bad_input_is_one_sentence(words: str, sentence: str) -> None:
    done = boyi(words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(f"boyi: {sentence}")


def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    inquire(Inquiry(find(SMALL), ["random"], positions=1), path)
    with pytest.raises(BoyiError, match="is not empty: --resume goes on with its run"):
        inquire(Inquiry(find(SMALL), ["random"], positions=1), path)
    with pytest.raises(BoyiError, match="line 1, belongs to another run: its run_seed is 0, here it is 1"):
        inquire(Inquiry(find(SMALL), ["random"], positions=1, seed=1), path, resume=True)
    path.write_text("{}\n")
    with pytest.raises(BoyiError, match="line 1, is not a decision of format boyi-decision-1"):
        inquire(Inquiry(find(SMALL), ["random"], positions=1), path, resume=True)
