"""An engine at its door: lines are answered while what it needs is still being loaded, and none is lost."""

import subprocess
import sys
from pathlib import Path

import pytest
from engines import ENGINE, SOON
from typer.testing import CliRunner

from boyi.baselines.agents import make_agent
from boyi.baselines.command import main as cli
from boyi.baselines.engines.doors import SERVERS, NotReady, Unready
from boyi.baselines.engines.engine import Engine
from boyi.envs import find
from boyi.envs.engine.facts import facts

SLOW = """
import os, sys, time
from boyi.baselines.engines.doors import open_door
from boyi.envs import find

def make():
    while not os.path.exists(sys.argv[2]):
        time.sleep(0.01)
    from boyi.baselines.agents import make_agent
    return make_agent("random")

open_door(find(sys.argv[1]), "random", make, seed=1)
"""
"""An engine whose agent is not made before a file is there."""

TALKS = {
    "hex:board_size=3": (["name", "boardsize 5", "clear_board", "time_settings 0 9 1"], "genmove b", "quit"),
    "gomoku:board_size=5": (["ABOUT", "INFO rule 1", "START 6", "INFO timeout_turn 1000"], "BEGIN", "END"),
    "jiu:board_size=6": (['{"type": "game", "game": "jiu", "parameters": {"board_size": 6}}'], "", '{"type": "quit"}'),
}
"""For each protocol lines that need no engine, one that does, and the last."""


@pytest.mark.parametrize("game", TALKS)
def test_what_needs_no_engine_is_answered_before_there_is_one(game: str, tmp_path: Path) -> None:
    early, late, last = TALKS[game]
    file = tmp_path / "ready"
    command = [sys.executable, "-c", SLOW, game, str(file)]
    door = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert door.stdin is not None and door.stdout is not None
    protocol = facts(find(game)).program
    served = SERVERS[protocol](Unready(find(game), "random"))
    for line in early:
        door.stdin.write(line + "\n")
        expected = served.reply(line)
        assert door.stdout.read(len(expected)) == expected
    if late:
        door.stdin.write(late + "\n")
    file.touch()
    said, _ = door.communicate(last + "\n", timeout=SOON)
    assert door.returncode == 0
    # The engine has been told all of it: the board is that of the early lines.
    assert len(said.splitlines()) == {"gtp": 4, "gomocup": 1, "jsonl": 0}[protocol]


def test_the_door_is_light() -> None:
    code = "import sys, boyi.baselines.engines.doors; print([m for m in ('numba', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("game", TALKS)
def test_an_engine_answers_early_lines_as_what_stood_in_for_it(game: str) -> None:
    early, late, _ = TALKS[game]
    server = SERVERS[facts(find(game)).program]
    waiting = server(Unready(find(game), "random"))
    real = server(Engine(find(game), make_agent("random"), 0))
    assert [waiting.reply(line) for line in early] == [real.reply(line) for line in early]
    if late:
        with pytest.raises(NotReady):
            waiting.reply(late)
        assert real.reply(late)


@pytest.mark.parametrize("line", ["play b a1", "undo", "showboard", "final_score", "genmove w", "time_left b 1 0"])
def test_nothing_that_needs_a_position_is_answered_without_one(line: str) -> None:
    with pytest.raises(NotReady):
        SERVERS["gtp"](Unready(find("hex:board_size=3"), "random")).reply(line)


def test_an_engine_that_cannot_be_made_ends_at_once() -> None:
    """Though its input stays open."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*ENGINE, "gomoku", "nobody"], stdin=pipe, stderr=pipe, text=True) as door:
        assert door.wait(SOON) == 2
        assert door.stderr is not None and door.stderr.read().startswith("boyi: unknown agent 'nobody'")


@pytest.mark.parametrize("said", ["", "START 15\nEND\n", "END\n"])
def test_whoever_leaves_early_need_not_wait(said: str) -> None:
    done = subprocess.run([*ENGINE, "gomoku", "random"], input=said, capture_output=True, text=True, timeout=SOON)
    assert (done.returncode, done.stdout, done.stderr) == (0, "OK\n" * ("START" in said), "")


def test_a_line_without_an_end_is_a_line() -> None:
    done = CliRunner().invoke(cli.app, ["engine", "hex:board_size=3", "random"], input="name")
    assert (done.exit_code, done.stdout) == (0, "= boyi\n\n")


COUNTED = """
import sys
from numba.core import event

class Count(event.Listener):
    n = 0
    def on_start(self, event): self.n += 1
    def on_end(self, event): pass

count = Count()
event.register("numba:compile", count)
import shlex
from typer.testing import CliRunner
from boyi.baselines.command.main import app
from boyi.envs import find

for words in sys.argv[1:]:
    done = CliRunner().invoke(app, shlex.split(words), input="START 5\\nBEGIN\\nEND\\n")
    assert done.exit_code == 0, done.output
game = find("hex:board_size=3")
text = game.module("text")
text.read("hex 3x3  ply 1  last b2  O to move\\n   a b c\\n 1  . . .\\n  2  . X .\\n   3  . . .")
print(count.n)
"""
WORDS = (
    "arena hex:board_size=3 mcts:sims=5 alphabeta:depth=1 random --games 2",
    "engine gomoku:board_size=5 mcts:sims=5",
)


def test_what_is_in_the_cache_is_loaded_and_not_compiled(tmp_path: Path) -> None:
    """So that nobody is told of compiling who only waits for a busy machine."""
    counts = [
        int(subprocess.run([sys.executable, "-c", COUNTED, *WORDS], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert counts[1] == 0
