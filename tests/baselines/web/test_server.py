"""The server of the page: who is let in, what goes over the wire, and that nothing is lost whatever a page does."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from engines import SOON
from typer.testing import CliRunner
from web_server import NAME, page, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from boyi.baselines.command.main import app
from boyi.baselines.web import room
from boyi.baselines.web.room import Room
from boyi.baselines.web.server import MOST_KEPT, RUN, Web, forget, listen
from boyi.envs import BoyiError

HEX = {"game": "hex:board_size=3", "seats": ["person", "mcts:sims=20"], "seed": 1}


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with serving(tmp_path) as made:
        yield made


def get(web: Web, path: str, **headers: str) -> tuple[int, Message]:
    """Ask for a path as it is written, from a host or an origin; return the status and the headers."""
    with closing(HTTPConnection("127.0.0.1", web.port, timeout=SOON)) as line:
        line.putrequest("GET", path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{web.port}", **headers}.items():
            line.putheader(name, value)
        line.endheaders()
        with line.getresponse() as answer:
            answer.read()
            return answer.status, answer.headers


def test_nothing_is_there_without_the_token(web: Web) -> None:
    for path in ("", "page.js", "catalog.json", "index.html"):
        assert get(web, f"/{web.token}/{path}")[0] == 200
        for wrong in (f"/{path}", f"/{'x' * 32}/{path}", f"/{web.token[:-1]}/{path}"):
            assert get(web, wrong)[0] == 404
    for path in (f"/{web.token}/../token", f"/{web.token}/%2e%2e/server.py", f"/{web.token}/{NAME}.json"):
        assert get(web, path)[0] == 404
    for place in ({"token": "x" * 32}, {"name": "../token"}, {"name": NAME[1:]}, {"name": "token"}):
        with pytest.raises((InvalidStatus, ConnectionClosed)), page(web, **place) as one:
            one.hear("empty")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", ""]
)
def test_pages_of_others_are_refused(web: Web, origin: str) -> None:
    origin = origin.format(port=web.port)
    assert get(web, f"/{web.token}/", Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus), page(web, additional_headers={"Origin": origin}):
        pass
    with page(web, origin=f"http://localhost:{web.port}") as one:
        one.hear("empty")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", ""])
def test_names_of_others_lead_nowhere(web: Web, host: str) -> None:
    """A name that somebody else makes lead to this machine gives a page of theirs no way in."""
    assert get(web, f"/{web.token}/", Host=host.format(port=web.port))[0] == 403
    assert get(web, f"/{web.token}/", Host=f"localhost:{web.port}")[0] == 200


def test_a_page_may_load_from_its_server_alone(web: Web) -> None:
    policy = get(web, f"/{web.token}/")[1]["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy and "http" not in policy


def test_a_game_over_the_wire(web: Web) -> None:
    with page(web) as one:
        one.hear("empty")
        one.ask(type="setup", setup=HEX)
        assert one.hear("table")["ply"] == 0
        one.ask(type="play", action=4, ply=0)
        then = one.hear("table", mine=True, ply=2)
        one.ask(type="look", ply=1)
        assert "<svg" in one.hear("look")["svg"]
        one.ask(type="hint", agent="exact")
        best = one.hear("hint")
        assert best["ply"] == 2 and best["action"] in [each["action"] for each in then["legal"]]
        one.ask(type="play", action=best["action"], ply=2)
        one.hear("table", thinking=False)
        one.ask(type="back", ply=2)
        shown = one.hear("table")
        assert shown["legal"] == then["legal"]
        while not shown["over"]:
            one.ask(type="hint", agent="exact")
            one.ask(type="play", action=one.hear("hint")["action"], ply=shown["ply"])
            shown = one.hear("table", thinking=False)
        assert shown["returns"] == [1.0, -1.0]  # who begins in the middle of 3x3 wins


def test_a_table_is_there_again_for_its_page_and_for_a_server_that_starts_anew(tmp_path: Path) -> None:
    with serving(tmp_path) as web:
        with page(web) as one:
            one.ask(type="setup", setup=HEX)
            one.ask(type="play", action=1, ply=0)
            there = one.hear("table", mine=True, ply=2)
        with page(web) as one:
            assert one.hear("table") == there
    with serving(tmp_path) as again:
        assert again.token == web.token
        with page(again) as one:
            assert one.hear("table") == there


def test_a_second_page_takes_a_table_over(web: Web) -> None:
    with page(web) as first:
        first.ask(type="setup", setup=HEX)
        first.hear("table")
        with page(web) as second:
            assert second.hear("table")["ply"] == 0
            first.hear("taken")
            with pytest.raises(ConnectionClosed):
                first.hear("table")
            second.ask(type="play", action=0, ply=0)
            second.hear("table", mine=True, ply=2)


def test_who_leaves_in_the_middle_of_a_move_finds_it_made(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "seats": ["person", "mcts:sims=20000"]})
        one.ask(type="play", action=4, ply=0)
        one.hear("table", ply=1)
    with page(web) as one:
        one.hear("table", mine=True, ply=2)


def test_games_are_saved_opened_and_branched(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup=HEX)
        one.ask(type="play", action=4, ply=0)
        one.hear("table", mine=True, ply=2)
        one.ask(type="save")
        line = one.hear("record")["line"]
        one.ask(type="open", line=line)
        shown = one.hear("table", recorded=True)
        assert shown["ply"] == 2 and shown["returns"] is None
        for kind in ("play", "back", "resign", "hint", "step"):
            one.ask(type=kind)
            assert "nobody plays in a recorded game" in one.hear("error")["text"]
        one.ask(type="open", line=line.replace("b2", "zz"))
        assert "does not replay" in one.hear("error")["text"]
        other = "f" * 16
        one.ask(type="branch", ply=1, to=other)
        assert one.hear("branched")["to"] == other
        for to in (other, "../token", ""):
            one.ask(type="branch", ply=1, to=to)
            assert "a table of its own" in one.hear("error")["text"]
    with page(web) as one:
        assert one.hear("table") == shown  # a reload shows it again
    with page(web, other) as one:
        tried = one.hear("table")
        assert (tried["ply"], tried["turn"], tried["labels"]) == (1, 1, ["person", "person #2"])


def test_a_position_is_analysed_better_and_better(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "game": "hex:board_size=4", "seats": ["person", "person"]})
        one.ask(type="play", action=5, ply=0)
        one.hear("table", ply=1)
        endless = [f"mcts:{how},prove=false" for how in ("sims=1000000000,nodes=9999", "seconds=9999,threads=2")]
        for agent in (*endless, "puct:seconds=9999"):
            one.ask(type="analyse", agent=agent, ply=1)
            totals = [sum(each["number"] for each in one.hear("analysis")["actions"]) for _ in range(3)]
            assert totals == sorted(totals) and len(set(totals)) == 3
            one.ask(type="rest")
        one.ask(type="analyse", agent="mcts:sims=1000,prove=false", ply=1)
        while sum(each["number"] for each in one.hear("analysis")["actions"]) != 1000:
            pass  # what was said of before
        one.ask(type="analyse", agent="exact", ply=1)
        found = one.hear("analysis")
        assert not found["visits"] and len(found["actions"]) == 15
        numbers = [each["number"] for each in found["actions"]]
        assert numbers == sorted(numbers, reverse=True) and set(numbers) == {1.0, -1.0}
        assert all(each["share"] == (each["number"] > 0) for each in found["actions"])
        one.ask(type="analyse", agent="mcts:sims=100000000", ply=1)
        one.hear("analysis")
        one.ask(type="rest")
        one.ask(type="look", ply=0)
        one.hear("look")
        for agent, ply, told in (
            ("random", 1, "does not weigh"),
            ("nobody", 1, "unknown agent"),
            ("mcts", 9, "no such"),
        ):
            one.ask(type="analyse", agent=agent, ply=ply)
            assert told in one.hear("error")["text"]


def test_a_curve_tells_where_a_game_was_lost(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "seats": ["person", "person"]})
        for ply, action in enumerate((4, 0, 2, 1, 8)):
            one.ask(type="play", action=action, ply=ply)
        one.hear("table", ply=5)
        one.ask(type="curve", agent="exact")
        values = [one.hear("curve", ply=ply)["value"] for ply in range(6)]
        assert values[:2] == [1.0, 1.0] and set(values) <= {1.0, -1.0}  # who begins wins in the middle of 3x3
        one.ask(type="curve", agent="random")
        assert "does not say what a position is worth" in one.hear("error")["text"]


def test_what_others_hold_is_not_analysed(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={"game": "mahjong", "seats": ["greedy", "person", "greedy", "greedy"], "seed": 2})
        shown = one.hear("table", mine=True)
        one.ask(type="analyse", agent="expectimax", ply=shown["ply"])
        found = one.hear("analysis")
        assert {"shanten", "useful", "danger"} <= set(found["actions"][0]["notes"]) and found["line"] == []
        legal = {each["name"] for each in shown["legal"]}
        assert {each["name"] for each in found["actions"]} <= legal and found["actions"][0]["path"]
        one.ask(type="curve", agent="expectimax")
        assert "one that is over" in one.hear("error")["text"]
        one.ask(type="resign")
        over = one.hear("table", over=True)
        one.ask(type="curve", agent="expectimax")
        values = [one.hear("curve", ply=ply)["value"] for ply in range(over["ply"] + 1)]
        own = [move["seat"] == 1 for move in over["moves"]]
        assert [value is not None for value in values] == [*own, True] and abs(values[-1]) > 1
        one.ask(type="curve", agent="mcts:sims=50")
        assert "does not say what actions of mahjong are worth" in one.hear("error")["text"]


def test_games_of_a_file_are_handed_out(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    CliRunner().invoke(app, ["arena", HEX["game"], "random", "random", "--games", "4", "--out", str(path)])
    assert len(path.read_bytes().splitlines()) == 4
    for damage in (b"{}\n", b"nonsense\n"):
        (tmp_path / "bad.jsonl").write_bytes(path.read_bytes() + damage)
        words = ["web", "--no-open", "--tables", str(tmp_path / "t"), "--record", str(tmp_path / "bad.jsonl")]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and "bad.jsonl, line 5," in done.output and done.output.count("\n") == 1
    done = CliRunner().invoke(app, ["web", "--no-open", "--record", str(tmp_path / "none.jsonl")])
    assert done.exit_code == 2 and "cannot read" in done.output


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", "is not JSON"),
        ("[" * 60_000, "nested too deeply"),
        ("{}", "type"),
        ('{"type": "fly"}', "no message is called 'fly'"),
        ('{"type": "play", "action": -1}', "action"),
        ('{"type": "play", "action": 1, "ply": 7}', "too late"),
        ('{"type": "play", "action": 99, "ply": 0}', "not a legal action"),
        ('{"type": "play", "action": 1, "ply": 0, "more": 1}', "unknown field"),
        ('{"type": "watch", "delay": 1e9}', "a delay is 0 to 10 seconds"),
        ('{"type": "back", "ply": 3}', "no decision of a person"),
        ('{"type": "look", "ply": 3}', "no such position"),
        ('{"type": "setup"}', "what is to be played"),
        ('{"type": "setup", "setup": {"game": "hex", "seats": ["person", "gtp:cmd=rm"]}}', "--allow-programs"),
        ('{"type": "setup", "setup": {"game": "hex", "seats": ["person", "os:abort"]}}', "--allow-programs"),
        ('{"type": "hint", "agent": "gtp:cmd=\'rm\'"}', "--allow-programs"),
    ],
)
def test_bad_input_is_a_sentence_and_the_table_stays(web: Web, said: str, told: str) -> None:
    plain = {**HEX, "seats": ["person", "random"]}
    with page(web) as one:
        one.ask(type="setup", setup=plain)
        one.hear("table")
        one.socket.send(said)
        text = one.hear("error")["text"]
        assert told in text and "Traceback" not in text and len(text) < 1000
        one.ask(type="play", action=0, ply=0)
        one.hear("table", mine=True)


def test_messages_come_before_there_is_a_game(web: Web) -> None:
    with page(web) as one:
        one.ask(type="resign")
        assert "no game at this table" in one.hear("error")["text"]


def test_an_agent_that_fails_is_told_of_and_asked_again(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    from boyi.baselines.agent import RandomAgent

    act, calls = RandomAgent.act, []

    def fails(self: RandomAgent, view: Any) -> Any:
        calls.append(view)
        if len(calls) == 1:
            raise ZeroDivisionError("no idea")
        return act(self, view)

    monkeypatch.setattr(RandomAgent, "act", fails)
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "seats": ["person", "random"]})
        one.ask(type="play", action=0, ply=0)
        told = one.hear("table", ply=1, thinking=True)
        while not told["failed"]:
            told = one.hear("table", ply=1)
        assert told["failed"] == "random: ZeroDivisionError: no idea"
        one.ask(type="again")
        assert one.hear("table", mine=True)["failed"] == ""


def test_a_clock_runs_down(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "clock": 0.2})
        assert one.hear("table")["clock"] == [0.2, 0.2]
        assert one.hear("table", over=True)["ended"] == "time"
        one.ask(type="play", action=0, ply=0)
        assert one.hear("table")["returns"] == [-1.0, 1.0]


def test_nothing_waits_for_an_agent_that_thinks(web: Web) -> None:
    """Neither taking back nor resigning, and what it says in the end changes nothing."""
    slow = "mcts:sims=200000"
    with page(web) as one:
        one.ask(type="setup", setup={"game": "hex:board_size=4", "seats": ["person", slow]})
        one.hear("table")
        one.ask(type="hint", agent=slow)
        one.ask(type="play", action=4, ply=0)
        one.hear("table", thinking=True)
        one.ask(type="back", ply=0)
        one.hear("table", ply=0)
        one.ask(type="play", action=0, ply=0)
        one.hear("table", ply=1)
        one.ask(type="resign")
        assert one.hear("table", over=True)["ended"] == "resigned"
        one.ask(type="look", ply=0)
        one.hear("look")
    until = time.monotonic() + SOON
    while web.rooms and time.monotonic() < until:
        time.sleep(0.01)
    assert not web.rooms
    with page(web) as one:
        assert one.hear("table")["ended"] == "resigned"


def test_an_agent_is_hurried_and_says_what_it_expects(web: Web) -> None:
    with page(web) as one:
        one.ask(type="hurry")
        assert "no game at this table" in one.hear("error")["text"]
        one.ask(type="setup", setup={"game": "hex:board_size=4", "seats": ["person", "mcts:seconds=80000,prove=false"]})
        one.hear("table")
        one.ask(type="hurry")  # nobody thinks yet
        one.ask(type="play", action=5, ply=0)
        assert one.hear("table", thinking=True)["expected"] == []
        one.ask(type="hurry")
        one.hear("table", mine=True, ply=2)
        one.ask(type="setup", setup={"game": "hex:board_size=4", "seats": ["person", "mcts:sims=5000"]})
        one.ask(type="play", action=5, ply=0)
        told = one.hear("table", mine=True, ply=2)
        assert told["expected"][0] == told["moves"][1]["name"] and len(told["expected"]) > 1
        one.ask(type="back", ply=0)
        assert one.hear("table", ply=0)["expected"] == []


def test_the_best_line_of_a_position_is_told(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "seats": ["person", "person"]})
        one.hear("table")
        one.ask(type="analyse", agent="puct:sims=1000", ply=0)
        found = one.hear("analysis")
        while sum(each["number"] for each in found["actions"]) < 999:
            found = one.hear("analysis")
        assert len(found["line"]) > 1 and found["line"][0] == found["actions"][0]["name"]


def test_files_of_a_run_are_handed_out_and_no_others(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "first"
    run.mkdir(parents=True)
    for name in (*RUN, "checkpoint.safetensors"):
        (run / name).write_text(name)
    with serving(tmp_path / "tables", run=run) as web:
        with urlopen(f"{web.address}catalog.json", timeout=SOON) as found:
            assert json.load(found)["run"] == "first"
        for name in RUN:
            status, headers = get(web, f"/{web.token}/run/{name}")
            assert status == 200
            assert get(web, f"/{web.token}/run/{name}", **{"If-None-Match": headers["etag"]})[0] == 304
        for name in ("checkpoint.safetensors", "nothing.json", "..%2ffirst%2flog.jsonl", ""):
            assert get(web, f"/{web.token}/run/{name}")[0] == 404
    with serving(tmp_path / "tables") as web:
        assert get(web, f"/{web.token}/run/log.jsonl")[0] == 404
    done = CliRunner().invoke(app, ["web", "--no-open", "--tables", str(tmp_path), "--run", str(tmp_path / "runs")])
    assert done.exit_code == 2 and "holds no training run" in done.output and done.output.count("\n") == 1


def test_who_watches_pauses_steps_and_goes_on(web: Web) -> None:
    with page(web) as one:
        one.ask(type="setup", setup={**HEX, "seats": ["random", "mcts:sims=20"]})
        one.ask(type="watch", paused=True, delay=0.0)
        ply = one.hear("table", paused=True)["ply"]
        one.ask(type="step")
        assert one.hear("table")["ply"] == ply + 1
        one.ask(type="watch", paused=False, delay=0.0)
        assert one.hear("table", over=True)["returns"] is not None


def test_no_hidden_tile_goes_over_the_wire(web: Web) -> None:
    """Names of tiles stand in what is sent as often as the person can see them, whoever plays."""
    with page(web) as one:
        one.ask(type="setup", setup={"game": "mahjong", "seats": ["greedy", "person", "greedy", "greedy"], "seed": 2})
        for _ in range(8):
            shown = one.hear("table", mine=True)
            room = web.rooms[NAME]
            assert room.table is not None
            state = room.table.states[-1]
            seen = state["hand"][1].sum() + state["discards"] + 4 * state["melds"].sum()
            drawn = [part for part in shown["svg"].split("<use")[1:] if "#tile-back" not in part.split("/>")[0]]
            assert len([part for part in drawn if "#tile-glow" not in part.split("/>")[0]]) <= seen
            assert {move["seat"] for move in shown["moves"]} <= {1}
            one.ask(type="play", action=shown["legal"][0]["action"], ply=shown["ply"])
    waiting = [message for message in one.heard if message["type"] == "table" and not message["mine"]]
    assert waiting and all(message["turn"] is None for message in waiting)


def test_many_tables_at_once_and_none_is_left(web: Web) -> None:
    with ExitStack() as stack:
        pages = [stack.enter_context(page(web, f"{k:016x}")) for k in range(100)]
        for each in pages:
            each.ask(type="setup", setup=HEX)
        for k, each in enumerate(pages):
            each.ask(type="play", action=k % 9, ply=0)
        for each in pages[::2]:
            each.hear("table", mine=True)
        assert len(web.rooms) == 100
    until = time.monotonic() + SOON
    while web.rooms and time.monotonic() < until:
        time.sleep(0.01)
    assert not web.rooms and len(list(web.folder.glob("*.json"))) == 100


def test_the_oldest_tables_are_forgotten(tmp_path: Path) -> None:
    for k in range(MOST_KEPT + 3):
        (tmp_path / f"{k:016x}.json").write_text("{}")
    forget(tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == MOST_KEPT


def test_a_server_that_ends_writes_a_table_once_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two who write one file at once lose it; the folder may be gone once the server has ended."""
    writing, written, begun = threading.Lock(), [], threading.Event()

    def slowly(path: Path, content: bytes) -> None:
        assert writing.acquire(blocking=False), "two write at once"
        begun.set()
        time.sleep(0.2)
        written.append(content)
        writing.release()

    monkeypatch.setattr(room, "replace_file", slowly)
    kept = Room(tmp_path / "t.json")
    kept.unsaved = b"a"
    threads = [threading.Thread(target=kept._write) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait(SOON)
    kept.unsaved = b"b"
    kept.close()
    ended = len(written)
    for thread in threads:
        thread.join()
    assert written[-1] == b"b" and len(written) == ended and set(written) <= {b"a", b"b"}


def test_answers_are_not_held_back_to_be_collected() -> None:
    """Each would come 40 ms late."""
    with listen(0) as taken:
        assert taken.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "websockets"])
def test_what_is_not_installed_is_named_with_what_installs_it(library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; from boyi.baselines.command.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "web"], capture_output=True, text=True)
    told = 'boyi: the board in the browser needs Starlette and uvicorn: pip install "boyi[web]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    taken = listen(0)
    taken.listen()
    port = str(taken.getsockname()[1])
    with pytest.raises(BoyiError, match=f"cannot take port {port}: .*; --port 0"):
        listen(int(port))
    for words in (["--port", port], ["--port", "70000"], ["--port", "-1"]):
        done = CliRunner().invoke(app, ["web", "--no-open", "--tables", str(tmp_path), *words])
        assert done.exit_code == 2 and done.output.startswith("boyi: ") and "port" in done.output
    taken.close()


def test_the_command_says_its_address_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "boyi.baselines.command.main", "web", "--port", "0", "--no-open", "--tables", "t"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    said = server.stdout.readline()
    address = said.split()[5]
    assert (
        said == f"boyi: the board is at {address} until Ctrl-C\n" and (tmp_path / "t" / "token").read_text() in address
    )
    with urlopen(address, timeout=SOON) as found:
        assert b"<title>boyi" in found.read()
    server.send_signal(signal.SIGINT)
    _, errors = server.communicate(timeout=SOON)
    assert (server.returncode, errors) == (130, "")
