"""A person at the terminal, by a pipe: moves, undo, leaving, saving, and walking through what was saved."""

import inspect
import json
import os
import subprocess
import sys

import pytest
from toy import SPEC, text
from typer.testing import CliRunner

from boyi.baselines.arena.sitting import Sitting
from boyi.baselines.command import play
from boyi.baselines.command.main import app
from boyi.envs import BoyiError, find
from boyi.envs.records.game_record import Ending, read_game

START = ["play", "hex", "--board-size", "3", "--opponent", "contestants:first", "--seed", "1"]


def sit(typed, *options):
    """Type lines into a game of hex 3x3; the opponent always takes the first free cell."""
    return CliRunner().invoke(app, [*START, *options], input=typed)


def board(output, last=-1):
    """Read one of the printed diagrams: its three rows."""
    rows = [line for line in output.splitlines() if line.lstrip()[:2] in ("1 ", "2 ", "3 ")]
    shown = [rows[k : k + 3] for k in range(0, len(rows), 3)]
    return ["".join(row.split()[1:]) for row in shown[last]]


def test_a_game_to_the_end():
    done = sit("b1\nb2\nb3\n")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "hex:board_size=3, seed 1: seat 0 person, seat 1 contestants:first"
    assert "seat 1 (contestants:first) plays a1" in done.stdout
    assert "seat 1 (contestants:first) plays c1" in done.stdout
    assert board(done.stdout) == ["OXO", ".X.", ".X."]
    assert done.stdout.splitlines()[-1] == "You win."


def test_the_other_seat_and_losing():
    won, lost = sit("a3\nb3\nc3\n", "--seat", "1"), sit("c3\nc2\nb3\nb2\n", "--seat", "1")
    assert won.stdout.splitlines()[0].endswith("seat 0 contestants:first, seat 1 person")
    assert won.stdout.splitlines()[2] == "seat 0 (contestants:first) plays a1"
    assert won.stdout.splitlines()[-1] == "You win."
    assert lost.stdout.splitlines()[-1] == "You lose."


def test_wrong_input_is_a_sentence_and_another_chance():
    done = sit("zz\nd1\nb1\nb1\na1\n\nhelp\nmoves\nb2\nb3\n")
    assert "no action 'zz'" in done.stdout
    assert "no action 'd1'" in done.stdout
    assert "b1 is not legal here" in done.stdout
    assert "a1 is not legal here" in done.stdout
    assert done.stdout.count(play.HELP) == 3
    assert done.stdout.count("   a b c\n") == 4
    assert "7 moves: c1 a2 b2 c2 a3 b3 c3" in done.stdout
    assert done.stdout.splitlines()[-1] == "You win."


def test_undo_goes_back_to_the_previous_decision():
    done = sit("undo\nb1\nc3\nundo\nb2\nb3\n")
    assert "there is nothing to take back" in done.stdout
    assert done.stdout.count("back to your previous decision") == 1
    assert board(done.stdout) == ["OXO", ".X.", ".X."]
    twice = sit("b1\nc3\nundo\nundo\nc2\nquit\n", "--save", os.devnull)
    assert board(twice.stdout) == ["O..", "..X", "..."]


def test_undo_keeps_the_dice():
    """Taking everything back and playing it again leads to the same game, chance included."""
    sitting = Sitting(find(SPEC), ["random"] * find(SPEC).seats, seed=5)
    sitting.players[0] = None
    games = []
    for _ in range(2):
        while sitting.to_move >= 0:
            if sitting.to_move == 0:
                sitting.play(int(sitting.batch.mask[0].argmax()), 0.0)
            else:
                sitting.answer()
        games.append((sitting.moves[0].action, len(sitting.moves), sitting.state.tolist(), sitting.returns))
        sitting.ended, sitting.returns = Ending.UNFINISHED, None
        while sitting.undo():
            pass
        assert not any(move.seat == 0 for move in sitting.moves)
    assert repr(games[0]) == repr(games[1])


@pytest.mark.parametrize(
    ("typed", "ended", "actions"),
    [
        ("b1\nb2\nb3\n", "over", 5),
        ("b1\nquit\n", "unfinished", 2),
        ("b1\n", "unfinished", 2),
        ("resign\n", "resigned", 0),
    ],
)
def test_what_was_played_is_saved_however_it_stops(tmp_path, typed, ended, actions):
    path = tmp_path / "games.jsonl"
    done = sit(typed, "--save", str(path))
    assert done.exit_code == 0
    record = read_game(path)
    assert (record.ended, record.plies) == (ended, actions)
    assert record.seats == ["person", "contestants:first"]
    assert record.returns == {"over": [1.0, -1.0], "resigned": [-1.0, 1.0], "unfinished": None}[ended]
    assert record.decisions["person"] + record.decisions["contestants:first"] == actions


def test_resigning_costs_a_forfeit():
    done = sit("resign\n")
    assert done.stdout.splitlines()[-1] == "Resigned. You lose."


def test_ctrl_c_saves_and_leaves_quietly(tmp_path, monkeypatch):
    typed = iter(["b1"])

    def ask(prompt):
        try:
            return next(typed)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("builtins.input", ask)
    play.sit_down(find("hex:board_size=3"), "0", ["random"], 1, tmp_path / "games.jsonl")
    assert read_game(tmp_path / "games.jsonl").plies == 2


def test_watching_and_a_seat_by_chance():
    done = sit("", "--seat", "none", "--opponent", "random")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].endswith("seat 0 contestants:first, seat 1 random")
    assert done.stdout.splitlines()[-1].endswith("wins.")
    seats = {play.read_seat(find("hex"), "random", seed) for seed in range(20)}
    assert seats == {0, 1}
    assert play.read_seat(find("hex"), "random", 3) == play.read_seat(find("hex"), "random", 3)


def test_several_opponents_sit_in_order():
    game = find(SPEC)
    watched = Sitting(game, play.seat_all(game, None, ["random", "contestants:first", "random"]), seed=0)
    assert watched.labels == ["random", "contestants:first", "random #2"]
    with pytest.raises(BoyiError, match="one for each of the 3 other seats"):
        play.seat_all(game, None, ["random", "random"])
    with pytest.raises(BoyiError, match=f"{game} has 3 seats, and 2 are given"):
        Sitting(game, ["random", "random"], seed=0)


def test_a_hidden_game_shows_a_person_their_own_side_only(monkeypatch, capsys):
    game = find(SPEC)
    if "seat" not in inspect.signature(text.diagram).parameters:
        with pytest.raises(BoyiError, match="a person would see hidden information"):
            Sitting(game, play.seat_all(game, 1, ["random"]), seed=0)
    shown = []

    def diagram(s, seat=None):
        shown.append(seat)
        return f"as seat {seat} sees it"

    monkeypatch.setattr(text, "diagram", diagram)
    monkeypatch.setattr("builtins.input", lambda _: "quit")
    sitting = play.sit_down(game, "1", ["random", "contestants:first"], 0)
    assert sitting.labels == ["contestants:first", "person", "random"]
    assert set(shown) == {1}
    assert len(sitting.moves) > 0
    assert "plays" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ended", "returns", "person", "words"),
    [
        ("over", [1.0, -1.0], 0, "You win."),
        ("over", [1.0, -1.0], 1, "You lose."),
        ("over", [0.0, 0.0], 1, "A draw."),
        ("over", [-1.0, 1.0], None, "seat 1 (b) wins."),
        ("cut", [0.0, 0.0], None, "The game was cut off. A draw."),
        ("unfinished", None, 0, "The game was not finished."),
        ("over", [0.5, 0.5, -1.0], 0, "You share the win. Scores: seat 0 +0.5, seat 1 +0.5, seat 2 -1."),
        ("over", [4.0, 4.0], 0, "A draw. Scores: seat 0 +4, seat 1 +4."),
        ("over", [2, 2, -4], None, "seat 0 (a) and seat 1 (b) share the win. Scores: seat 0 +2, seat 1 +2, seat 2 -4."),
    ],
)
def test_outcomes_in_words(ended, returns, person, words):
    assert play.outcome(["a", "b", "c"], ended, returns, person) == words


# Records


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "games.jsonl"
    assert sit("b1\nb2\nb3\n", "--save", str(path)).exit_code == 0
    assert sit("c1\nquit\n", "--save", str(path)).exit_code == 0
    return path


def show(path, *options):
    return CliRunner().invoke(app, ["play", "--record", str(path), *options])


def test_a_record_is_printed_whole_where_there_is_no_terminal(saved):
    done = show(saved)
    assert done.exit_code == 0
    assert [board(done.stdout, k) for k in range(6)] == [
        ["...", "...", "..."],
        [".X.", "...", "..."],
        ["OX.", "...", "..."],
        ["OX.", ".X.", "..."],
        ["OXO", ".X.", "..."],
        ["OXO", ".X.", ".X."],
    ]
    assert "4/5: seat 1 (contestants:first) plays c1" in done.stdout
    assert done.stdout.splitlines()[-1] == "seat 0 (person) wins."
    second = show(saved, "--game-number", "2")
    assert board(second.stdout) == ["O.X", "...", "..."]
    assert second.stdout.splitlines()[-1] == "The game was not finished."


def test_a_game_of_the_arena_is_shown_as_well(tmp_path):
    path = tmp_path / "arena.jsonl"
    run = ["arena", "hex:board_size=3", "random", "contestants:first", "--games", "4", "--out", str(path)]
    assert CliRunner().invoke(app, run).exit_code == 0
    done = show(path, "--game-number", "4")
    assert done.exit_code == 0
    assert f"seed {json.loads(path.read_text().splitlines()[3])['seed']}" in done.stdout


@pytest.mark.usefixtures("no_notice")
@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"actions": [1, 0,', '"actions": [1, 1,', "line 1, does not replay: action 2 of 5 is not legal"),
        ('"actions": [1, 0,', '"actions": [1, 99,', "line 1, does not replay: action 2 of 5 is not legal"),
        ('"names": ["b1"', '"names": ["b2"', "does not replay: the names"),
        ("hex:board_size=3", "chess", "unknown game 'chess'"),
        ("hex:board_size=3", "hex:board_size=5", "does not replay"),
        ('"game_version": 0', '"game_version": 3', "was played under version 3 of hex, this is 0"),
        ('"seats": ["person", ', '"seats": [', "is damaged"),
        ('"plies": 5', '"plies": 4', "is damaged"),
        ('"returns": [1.0', '"returns": ["1.0"', "is damaged"),
        ("{", "", "JSON is malformed"),
    ],
)
def test_a_spoilt_record_is_one_sentence(saved, old, new, sentence):
    content = saved.read_text()
    assert old in content
    saved.write_text(content.replace(old, new, 1))
    done = show(saved)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr


@pytest.mark.parametrize("number", ["0", "3", "-1"])
def test_a_game_that_is_not_there(saved, number):
    done = show(saved, "--game-number", number)
    assert done.exit_code == 2
    assert f"holds 2 games: there is no game number {number}" in done.stderr


def test_stepping(capsys):
    typed = iter(["", "", "b", "4", "9", "x", "b", "q"])
    play.step_through([f"page {k}" for k in range(5)], lambda prompt: next(typed))
    said = [line.split("; ")[0] for line in capsys.readouterr().out.splitlines() if line != play.STEPS]
    wrong = "There is no such move"
    assert said == ["page 0", "page 1", "page 2", "page 1", "page 4", wrong, wrong, "page 3"]


@pytest.mark.posix
def test_on_a_terminal_a_record_is_stepped_through(saved):
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "boyi.baselines.command.main", "play", "--record", str(saved)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, b"\n3\nq\n")
    output = b""
    while process.poll() is None or b"3/5> q" not in output:
        try:
            output += os.read(ours, 4096)
        except OSError:  # Linux reports the closed terminal so
            break
    assert process.wait() == 0
    os.close(ours)
    said = output.decode().replace("\r\n", "\n")
    assert "1/5: seat 0 (person) plays b1" in said
    assert "3/5: seat 0 (person) plays b2" in said
    assert "2/5: " not in said
