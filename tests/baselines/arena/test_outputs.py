"""What commands write: on outputs that have no word for ±, and to files that somebody takes away meanwhile."""

import contextlib
import io
import itertools
import os
import shlex
import subprocess
import sys
from pathlib import Path

import contestants
import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

from boyi.baselines.arena import matches as arena
from boyi.baselines.arena.decisions import Inquiry, inquire
from boyi.baselines.arena.ladder import benchmark
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.printing import fit_outputs, plain, show, text_table
from boyi.baselines.arena.results import duration
from boyi.baselines.command import main as cli
from boyi.baselines.command.play import sit_down
from boyi.envs import BoyiError, find
from boyi.envs.records.transcript import write
from boyi.wrappers import RecordGames

pytestmark = pytest.mark.usefixtures("no_notice")

HEX = "hex:board_size=3"


def boyi(words, charset="utf-8", **options):
    return CliRunner(charset=charset).invoke(cli.app, shlex.split(words), **options)


# Outputs


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        (f"arena {HEX} contestants:first random --games 4", "", ["4 games"]),
        (f"decide {HEX} random --positions 2", "", ["positions"]),
        (f"benchmark {HEX} contestants:first", "", ["rung"]),
        (f"play {HEX} --opponent random", "würfelt\nresign\n", ["Resigned"]),
        ("play einstein --seat none --opponent random", "", ["plays"]),
        ("play mahjong --seat none --opponent random --seed 1", "", ["plays"]),
        ("games", "", ["einstein"]),
        ("agents", "", ["expectimax"]),
        (f"perft {HEX} --depth 1", "", ["sequences"]),
        (f"compile {HEX}", "", [" s"]),
        ("--help", "", ["arena"]),
        ("arena --help", "", ["--games"]),
        ("--version", "", ["boyi"]),
        ("arena würfelt random mcts", "", ["'wurfelt'"]),
        ("play --record würfelt.jsonl", "", ["wurfelt.jsonl"]),
        ("arena hex random mcts --games würfelt", "", ["Usage"]),
        ("würfelt", "", ["wurfelt"]),
    ],
)
def test_whatever_is_printed_is_printed_in_ascii_where_that_is_all_there_is(words, typed, said):
    typed = typed.encode("latin-1")
    plainly = boyi(words, "ascii", input=typed)
    assert plainly.exit_code == boyi(words, input=typed).exit_code
    assert not isinstance(plainly.exception, UnicodeError)
    assert plainly.output_bytes.isascii()
    assert all(part in plainly.output for part in said)


def test_a_table_is_printed_in_ascii(monkeypatch):
    """What times and ratings are like depends on the machine: here they are what no ASCII holds."""
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    fit_outputs()
    table = text_table("agent", "95 %", "a move")
    table.add_row("würfelt", "-84 to +∞", duration(5e-5))
    show(table, "a ± b …")
    out.flush()
    text = out.buffer.getvalue().decode()
    assert text.splitlines()[1].split() == ["wurfelt", "-84", "to", "+inf", "50", "us"]
    assert text.splitlines()[2] == "a +- b ..."


def test_an_output_keeps_what_it_has_a_word_for():
    done = boyi("arena würfelt∞ random mcts", "latin-1")
    assert "'würfelt".encode("latin-1") in done.stderr_bytes and b"inf" in done.stderr_bytes


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_a_process_prints_its_table(encoding):
    """As in the report: the whole run had been played before its table died."""
    words = [
        sys.executable,
        "-m",
        "boyi.baselines.command.main",
        "arena",
        HEX,
        "contestants:first",
        "random",
        "--games",
        "4",
    ]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(words, env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "4 games" in done.stdout.decode(encoding)


def test_characters_become_what_they_look_like():
    shown = "".join(map(plain, "±…∞µsü²│─╭━字½é→\udcff"))
    assert shown == "+-...infusu2|-+-??e->?"


# Files that are taken away


def remove(path):
    path.unlink()


def change(path):
    """Put another file in its place, which holds more."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes() + b"more\n")
    other.replace(path)


def shorten(path):
    path.write_bytes(b"")


TAKEN = pytest.mark.parametrize("take", [remove, change, shorten])


def played(path, report):
    compete(Match(HEX, ["random", "contestants:first"], games=4), path, report=report)


def decided(path, report):
    inquire(Inquiry(find(HEX), ["random"], positions=4), path, report=report)


def measured(path, report):
    benchmark("contestants:first", HEX, out=path.with_suffix(".json"), report=report)


@TAKEN
@pytest.mark.parametrize("when", [1, 4])
@pytest.mark.parametrize("run", [played, decided, measured])
def test_a_results_file_that_is_taken_away_is_noticed_at_the_next_line_and_at_the_end(run, when, take, tmp_path):
    path, reports = tmp_path / "lines.jsonl", itertools.count(1)
    last = when if run is not measured else when if when == 1 else 200
    seen = []

    def report(_):
        seen.append(next(reports))
        if seen[-1] == last:
            take(path)

    with pytest.raises(BoyiError, match=r"lines\.jsonl (is gone|has become another file)"):
        run(path, report)
    assert len(seen) == last


@TAKEN
def test_the_command_says_so_in_a_sentence(take, tmp_path, monkeypatch):
    path, whole = tmp_path / "lines.jsonl", contestants.first

    def first(*view):
        if path.exists() and path.read_bytes():
            take(path)
        return whole(*view)

    monkeypatch.setattr(contestants, "first", first)
    done = boyi(f"arena {HEX} contestants:first random --games 4 --out {path}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"boyi: {path} ") and len(done.stderr.splitlines()) == 1


@TAKEN
def test_a_recording_that_is_taken_away_is_noticed(take, tmp_path):
    path = tmp_path / "games.jsonl"
    env = RecordGames(gymnasium.make("boyi/Hex-v0", board_size=3, opponent="random").unwrapped, path)

    def game():
        env.reset(seed=0)
        over = False
        while not over:
            over = env.step(np.flatnonzero(env.action_masks())[0])[2]

    game()
    game()
    take(path)
    with pytest.raises(BoyiError, match=r"games\.jsonl (is gone|has become another file)"):
        game()


@TAKEN
def test_a_game_that_a_person_plays_is_not_saved_to_another_file(take, tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    path.write_text("{}\n")

    def type_something(prompt):
        with contextlib.suppress(FileNotFoundError):
            take(path)
        return "resign"

    monkeypatch.setattr("builtins.input", type_something)
    with pytest.raises(BoyiError, match=r"games\.jsonl (is gone|has become another file)"):
        sit_down(find(HEX), "0", ["random"], 0, path)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="devices")
def test_a_device_is_no_file_that_could_be_taken_away():
    compete(Match(HEX, ["random", "contestants:first"], games=4), Path("/dev/null"))


# Counts


def test_a_run_begins_without_drawing_up_all_its_games(monkeypatch):
    drawn = []
    monkeypatch.setattr(arena, "pair_seed", lambda *place: drawn.append(place) or 7)
    match = Match(HEX, ["random", "contestants:first"], games=arena.MOST)
    done = {(0, index) for index in range(0, 1000, 2)}
    assert next(match.play(done)).index == 1
    assert len(drawn) <= arena.ROWS


@pytest.mark.parametrize("games", [(6, 4), (4, 4)])
def test_games_that_are_done_are_not_counted_twice(games):
    longer, shorter = games
    match = Match(HEX, ["random", "contestants:first"], games=shorter)
    done = [(0, index) for index in range(1, longer)] * 2
    assert [record.index for record in match.play(done)] == [0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (f"arena {HEX} random mcts --games 2000000000", "games must be at most 10,000,000, not 2000000000"),
        (f"decide {HEX} random --positions 2000000000", "positions must be at most 10,000,000, not 2000000000"),
        (f"decide {HEX} random --seed {2**70}", "seed must be a whole number"),
        (f"perft {HEX} --depth 2000000000", "depth must be a whole number from 0 to 1,000, not 2000000000"),
    ],
)
def test_more_than_anybody_will_wait_for_is_refused(words, sentence):
    done = boyi(words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"boyi: {sentence}")


def test_a_late_episode_is_written_at_once():
    assert write("einstein", 0, [], episode=2**40).startswith("einstein\n")
    assert write("einstein", 3, [], episode=2) != write("einstein", 3, [], episode=1)
