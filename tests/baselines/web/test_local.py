"""The page without a command: boards of environments, and what is shown of one that is stepped."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import gymnasium as gym
import numpy as np
import pytest
from engines import SOON
from web_server import page

import boyi
from boyi.baselines.web import local
from boyi.baselines.web.local import DISPLAYS, Window
from boyi.envs import Batch, BoyiError, hex_v0, mahjong_v0


@pytest.fixture(autouse=True)
def _headless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DISPLAYS:
        monkeypatch.delenv(name, raising=False)


def at(address: str) -> Any:
    """Open a page at a board's table."""
    return page(local.local().web, address.partition("#")[2])


@pytest.fixture
def env() -> Iterator[Any]:
    made = hex_v0.env(board_size=3)
    made.reset(seed=1)
    yield made
    made.close()


def test_a_board_goes_on_from_where_an_environment_is(env: Any) -> None:
    for action in (4, 0, 2):
        env.step(action)
    laid = boyi.board(env)
    with at(laid.address) as one:
        shown = one.hear("table")
        assert (shown["ply"], shown["turn"], shown["mine"]) == (3, 1, True)
        assert [move["name"] for move in shown["moves"]] == ["b2", "a1", "c1"]
        one.ask(type="play", action=1, ply=3)
        one.hear("table", ply=4)
    assert env.unwrapped.batch.states[0]["ply"] == 3  # the environment stays as it is


def test_a_position_that_was_set_up_is_laid(env: Any) -> None:
    other = Batch("hex:board_size=3", 1)
    for action in (3, 5):
        other.step(np.array([action]))
    env.unwrapped.batch.set_states(other.states)
    with at(boyi.board(env, ["person", "random"]).address) as one:
        shown = one.hear("table")
        assert (shown["ply"], shown["turn"], shown["labels"]) == (0, 0, ["person", "random"])
        assert len(shown["legal"]) == 7


def test_of_hidden_hands_the_learner_sees_its_own() -> None:
    made = gym.make("boyi/Mahjong-v0", opponent=["greedy", "random", "greedy"], seat=1)
    made.reset(seed=2)
    with at(boyi.board(made).address) as one:
        shown = one.hear("table", mine=True)
        assert shown["viewer"] == 1
        assert shown["setup"]["seats"] == ["greedy", "person", "greedy", "random"]  # in turn from the learner on
    open_table = mahjong_v0.env()
    open_table.reset(seed=2)
    with at(boyi.board(open_table).address) as one:
        assert one.hear("table")["setup"]["seats"][0] == "person"
    other = Batch("mahjong", 1, seed=3)
    other.step(other.sample())
    open_table.unwrapped.batch.set_states(other.states)
    with pytest.raises(BoyiError, match="not played from its start"):
        boyi.board(open_table)


def test_a_cell_holds_the_page_and_other_sites_do_not(env: Any) -> None:
    laid = boyi.board(env)
    assert re.fullmatch(r'<iframe src="http://127\.0\.0\.1:\d+/[\w-]+/#[0-9a-f]{16}" .*></iframe>', laid._repr_html_())
    assert laid.address in repr(laid)
    with urlopen(laid.address, timeout=SOON) as found:
        policy = found.headers["content-security-policy"]
    ancestors = re.search("frame-ancestors ([^;]*)", policy)
    assert ancestors is not None
    assert ancestors[1].split() == ["http://localhost:*", "http://127.0.0.1:*", "vscode-webview:"]


@pytest.mark.parametrize("what", [3, gym.make_vec("boyi/Hex-v0", num_envs=2, opponent="random")])
def test_what_is_no_environment_has_no_board(what: Any) -> None:
    with pytest.raises(BoyiError, match="wants a single boyi environment"):
        boyi.board(what)


def test_who_cannot_sit_there_is_said_at_once(env: Any) -> None:
    wrong = {"nobody": "unknown agent", "gtp:cmd=rm": "--allow-programs"}
    for seats, told in ((["person"], "has 2 seats"), *((["person", agent], told) for agent, told in wrong.items())):
        with pytest.raises(BoyiError, match=told):
            boyi.board(env, seats)


@pytest.mark.parametrize("make", [lambda: hex_v0.env(board_size=3, render_mode="human"), None])
def test_an_environment_that_is_stepped_is_watched(make: Any, capfd: pytest.CaptureFixture[str]) -> None:
    aec = make is not None
    env = make() if aec else gym.make("boyi/Hex-v0", board_size=3, opponent="self", render_mode="human")
    env.reset(seed=1)
    said = capfd.readouterr().err
    address = re.search(r"http://\S+#[0-9a-f]{16}", said)
    assert address is not None and "rgb_array" in said
    with at(address[0]) as one:
        first = one.hear("table")
        assert first["title"] == "Hex" and not first["mine"] and first["legal"] == []
        env.step(4)
        then = one.hear("table")
        assert then["svg"] != first["svg"] and then["turn"] == 1
        one.ask(type="look", ply=0)
        assert one.hear("look")["svg"] == then["svg"]
        for kind in ("save", "branch", "play"):
            one.ask(type=kind)
            one.hear("error")
        one.ask(type="analyse", agent="exact", ply=0)
        assert one.hear("analysis")["actions"]
        for action in (0, 1, 2, 7):
            env.step(action)
        over = one.hear("table", over=True)
        assert over["turn"] is None
    assert capfd.readouterr().err == ""  # it is said once
    env.close()
    env.close()


def test_of_many_positions_not_each_is_shown() -> None:
    env = hex_v0.env(board_size=11, render_mode="human")
    env.reset(seed=1)
    window = env.unwrapped._renderer._window
    assert isinstance(window, Window)
    with page(local.local().web, window.name) as one:
        one.hear("table")
        before = len(one.heard)
        for action in range(100):
            env.step(action)
        one.hear("table", diagram=env.unwrapped.batch.game.module("text").diagram(env.unwrapped.batch.states[0]))
        assert len(one.heard) - before < 50
    env.close()


def test_a_learner_watches_its_own_hand() -> None:
    env = gym.make("boyi/Mahjong-v0", opponent="greedy", render_mode="human")
    env.reset(seed=2)
    window = env.unwrapped._renderer._window  # type: ignore[attr-defined]
    with page(local.local().web, window.name) as one:
        shown = one.hear("table")
        assert shown["viewer"] == 0 and shown["moves"] == [] and shown["turn"] is None
    env.close()


def test_a_browser_is_opened_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(local.webbrowser, "open", lambda address: opened.append(address) or True)
    env = hex_v0.env(board_size=3, render_mode="human")
    env.reset(seed=1)
    env.step(4)
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:")
    assert capfd.readouterr().err == ""
    laid = boyi.board(env)
    laid.open()
    assert opened[1] == laid.address


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "websockets"])
def test_what_is_not_installed_is_said(library: str) -> None:
    made = "from boyi.envs import hex_v0; hex_v0.env(render_mode='human').reset()"
    code = f"import sys; sys.modules[{library!r}] = None; {made}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'BoyiError: the board in the browser needs Starlette and uvicorn: pip install "boyi[web]"' in done.stderr


def test_a_forked_process_has_a_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread of its parent's is in it."""
    here = local.local()
    assert local.local() is here
    monkeypatch.setattr(local.os, "getpid", lambda: -1)
    assert local.local().web.port != here.web.port
