"""The arena: what is played, that it is played fairly and repeatably, and that a run survives being killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import contestants
import numpy as np
import pytest
from msgspec.structs import replace
from sizes import COMPILES
from toy import SPEC
from typer.testing import CliRunner

from boyi.baselines import evaluate
from boyi.baselines.agents import labels
from boyi.baselines.arena import matches as arena
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.rating import rate
from boyi.baselines.command.main import app
from boyi.envs import Batch, BoyiError, IllegalAction, find
from boyi.envs.records.game_record import GameRecord, read_game, read_line, replay

HEX = "hex:board_size=5"
TOY = find(SPEC)
MCTS = "mcts:sims=20"


def untimed(records):
    """Put games in order and leave out what a clock measured."""
    ordered = sorted(records, key=lambda record: (record.pairing, record.index))
    return [replace(record, seconds=dict.fromkeys(record.seats, 0.0)) for record in ordered]


def lines(path):
    return [read_line(line, "here") for line in Path(path).read_bytes().splitlines(keepends=True)]


def equal(state, other):
    """Compare two positions field by field: NumPy does not copy the bytes between them."""
    return all(np.array_equal(state[name], other[name]) for name in state.dtype.names)


# What is played


def test_same_seed_same_games_and_another_seed_others():
    one, two, other = (untimed(Match(HEX, [MCTS, "random"], games=6, seed=s).play()) for s in (4, 4, 5))
    assert one == two
    assert all(a.actions != b.actions for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("game", [HEX, pytest.param(TOY, marks=COMPILES)], ids=str)
def test_a_game_does_not_depend_on_the_games_beside_it(game, monkeypatch):
    whole = untimed(Match(game, [MCTS, "random"], games=12, seed=1).play())
    monkeypatch.setattr(arena, "ROWS", 3)
    assert untimed(Match(game, [MCTS, "random"], games=12, seed=1).play()) == whole
    done = {(0, index) for index in range(12) if index not in (3, 8)}
    assert untimed(Match(game, [MCTS, "random"], games=12, seed=1).play(done)) == [whole[3], whole[8]]


def test_a_game_does_not_depend_on_the_other_agents():
    two = untimed(Match(HEX, [MCTS, "random"], games=4).play())
    three = untimed(Match(HEX, [MCTS, "contestants:first", "random"], games=4).play())
    assert [r.actions for r in three if set(r.seats) == {MCTS, "random"}] == [r.actions for r in two]


def test_a_pair_shares_its_seed_and_swaps_the_seats():
    records = untimed(Match(HEX, [MCTS, "random"], games=6).play())
    assert [record.index for record in records] == list(range(6))
    assert [record.seats for record in records] == [[MCTS, "random"], ["random", MCTS]] * 3
    seeds = [record.seed for record in records]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == 3


def test_every_two_agents_meet_and_each_is_called_something_else():
    match = Match(HEX, ["random", "random", contestants.first], games=2)
    assert match.labels == ["random", "random #2", "contestants:first"]
    assert sorted({tuple(sorted(record.seats)) for record in match.play()}) == [
        ("contestants:first", "random"),
        ("contestants:first", "random #2"),
        ("random", "random #2"),
    ]


def test_equal_agents_share_every_pair():
    result = evaluate(MCTS, HEX, [MCTS], games=10)
    assert (result.pairings[0].wins, result.pairings[0].losses) == (5, 5)
    assert result.pairings[0].elo.value == pytest.approx(0, abs=0.01)


def test_more_seats_than_agents_are_filled_by_turns():
    records = untimed(Match(TOY, [MCTS, "random"], games=4).play())
    assert [record.seats for record in records[:2]] == [[MCTS, "random", MCTS], ["random", MCTS, "random"]]
    assert sum(record.decisions[MCTS] for record in records) + sum(r.decisions["random"] for r in records) == sum(
        record.plies for record in records
    )


@pytest.mark.parametrize("game", [HEX, TOY], ids=str)
def test_a_line_replays_move_by_move(game):
    """Chance comes from the row's stream, so seed and actions are the whole game; dice and draws included."""
    match = Match(game, [MCTS, "random"], games=4, seed=2)
    for record in match.play():
        again = read_line(record.line().encode(), "here")
        assert again == record
        batch = Batch(match.game, 1, again.seed, encoder=None)
        states = list(replay(match.game, again.seed, again.actions))
        for state, action, name in zip(states, again.actions, again.names, strict=False):
            assert equal(batch.states[0], state)
            assert match.game.module("text").name(state, action) == name
            scores, over, _ = batch.step(np.array([action]))
        assert over[0]
        assert scores[0].tolist() == again.returns
        assert equal(batch.states[0], states[-1])


def test_row_and_episode_name_a_game_once_and_for_all(monkeypatch):
    monkeypatch.setattr(arena, "ROWS", 4)
    witness, other = contestants.Witness(), contestants.Witness()
    list(Match("hex:board_size=3", [witness, "random", other], games=12).play())
    last = {}
    for view in witness.views:
        for row, episode, ply in zip(view.row, view.episode, view.states["ply"], strict=True):
            assert ply > last.get((row, episode), -1)
            last[row, episode] = ply
    assert len(last) == len({episode for _, episode in last}) == 24


@pytest.mark.usefixtures("clock")
def test_a_slow_agent_has_few_games_at_a_time(monkeypatch):
    """So that the first line comes soon, and a kill costs little."""
    sizes = []

    class Slow(contestants.Witness):
        def act(self, view):
            sizes.append(view.row.size)
            time.sleep(0.001 * view.row.size)
            return super().act(view)

    monkeypatch.setattr(arena, "ROUND", 0.004)
    list(Match("hex:board_size=3", [Slow(), "random"], games=20).play())
    assert max(sizes) == 4
    monkeypatch.setattr(arena, "ROUND", 10.0)
    sizes.clear()
    list(Match("hex:board_size=3", [Slow(), "random"], games=20).play())
    assert max(sizes) == 20


# What is reported


def test_mcts_beats_random_in_each_of_20_games():
    result = evaluate("mcts:sims=200", HEX, ["random"], games=20)
    row = result.pairings[0]
    assert (row.wins, row.draws, row.losses, row.score.value) == (20, 0, 0, 1.0)
    assert row.elo.low > 300
    assert row.elo.high == np.inf


@pytest.mark.usefixtures("clock")
def test_seconds_per_move_is_the_time_spent_in_act():
    row = evaluate("contestants:slow", "hex:board_size=3", ["contestants:first"], games=4).pairings[0]
    assert row.seconds_per_move == pytest.approx(contestants.WHILE)
    assert row.opponent_seconds_per_move == 0.0


def test_evaluate_returns_what_the_command_prints():
    result = evaluate(MCTS, HEX, ["random"], games=20, seed=3)
    printed = CliRunner().invoke(app, ["arena", HEX, MCTS, "random", "--games", "20", "--seed", "3"])
    assert printed.exit_code == 0

    def untimed_table(text):
        """The seconds a move took differ from run to run, and with them the widths of columns."""
        return [re.sub(r"[\d.]+ (s|ms|µs)\b", "TIME", line).split() for line in text.splitlines()]

    assert untimed_table(printed.stdout) == untimed_table(str(result))
    assert [line[1] for line in untimed_table(printed.stdout)[-2:]] == ["TIME"] * 2
    row = result.pairings[0]
    assert f"{row.wins}  {row.draws}  {row.losses}" in printed.stdout
    assert f"{100 * row.score.value:.1f} %" in printed.stdout
    assert f"{row.score.low * 100:.1f} to {row.score.high * 100:.1f}" in printed.stdout


def test_score_and_outcome_of_many_seats():
    """Seats A B A with returns 2 -1 -1: A's mean is 0.5, B's -1; the range is 3, equals would score 0.5."""
    match = Match(TOY, ["random", "contestants:first"], games=2)
    a, b = match.labels
    records = untimed(match.play())
    records = [
        replace(records[0], returns=[2.0, -1.0, -1.0]),
        replace(records[1], returns=[0.5, 0.5, -1.0]),
    ]
    records = [replace(record, seconds={a: 1.0, b: 2.0}) for record in records]
    row = match.result(records).pairings[0]
    assert (row.agent, row.opponent, row.wins, row.draws, row.losses) == (a, b, 2, 0, 0)
    margins = [0.5 - -1.0, 0.5 - -0.25]
    assert row.score.value == pytest.approx(0.5 + np.mean(margins) / 6)
    assert row.mean_return == pytest.approx(0.5)
    assert "return" in str(match.result(records))


def test_draws_count_half():
    match = Match(HEX, ["random", "contestants:first"], games=4)
    records = [replace(record, returns=[0.0, 0.0]) for record in match.play()]
    row = match.result(records).pairings[0]
    assert (row.wins, row.draws, row.losses, row.score.value) == (0, 4, 0, 0.5)


def test_standings_of_three_agents_have_the_first_at_zero():
    """Scores are dictated, so that the table can be: 8 to 2, 9 to 1 and 7 to 3."""
    match = Match("hex:board_size=3", ["random", "contestants:first", contestants.Witness()], games=10)
    won = {0: 8, 1: 9, 2: 7}

    def dictate(record):
        first = match.labels[match.pairings[record.pairing][0]]
        winner = record.seats.index(first) if record.index < won[record.pairing] else 1 - record.seats.index(first)
        return replace(record, returns=[1.0 - 2.0 * (seat != winner) for seat in (0, 1)])

    result = match.result([dictate(record) for record in match.play()])
    assert [tally.agent for tally in result.standings] == match.labels
    assert [tally.elo for tally in result.standings] == rate([[0, 8, 9], [2, 0, 7], [1, 3, 0]])
    assert [(tally.wins, tally.losses) for tally in result.standings] == [(17, 3), (9, 11), (4, 16)]
    assert [row.elo for row in result.pairings] == [rate([[0, 10 - w], [w, 0]])[1] for w in (8, 9, 7)]
    assert "Elo above random" in str(result)


def test_repeats_are_pointed_out():
    same = evaluate("contestants:first", HEX, [contestants.Witness()], games=10)
    assert same.distinct == 2
    assert "Only 2 of the games differ" in str(same)
    assert "differ" not in str(evaluate("random", HEX, ["contestants:first"], games=10))


def test_labels_are_what_makes_the_agent():
    made = [contestants.Witness(), contestants.Outside, " mcts:sims=5 ", contestants.first, contestants.first]
    expected = ["witness", "contestants:Outside", "mcts:sims=5", "contestants:first", "contestants:first #2"]
    assert labels(made) == expected


# What goes wrong


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("contestants:illegal", "^contestants:illegal: hex.* chose the illegal action 25"),
        ("contestants:broken", "^contestants:broken: ZeroDivisionError: nothing left$"),
        ("contestants:Many", "^contestants:Many: hex.* an agent answers with 2 whole numbers"),
    ],
)
def test_an_agent_that_fails_is_named(agent, sentence):
    with pytest.raises(BoyiError, match=sentence):
        evaluate("random", HEX, [agent], games=4)


def test_an_illegal_answer_names_agent_action_and_position():
    with pytest.raises(IllegalAction, match=r"contestants:Outside: hex.*action 24 \(e5\) is not legal(.|\n)* 5  "):
        evaluate("random", HEX, ["contestants:Outside"], games=4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"games": 3}, "games must be an even number"),
        ({"games": 0}, "games must be an even number"),
        ({"games": -2}, "games must be an even number"),
        ({"games": "many"}, "games must be an even number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"agents": ["random"]}, "at least two agents"),
        ({"agents": ["random", "mtcs"]}, "did you mean 'mcts'"),
        ({"game": "hexx"}, "did you mean 'hex'"),
    ],
)
def test_a_match_that_cannot_be_is_refused_before_it_starts(options, sentence):
    with pytest.raises(BoyiError, match=sentence):
        Match(**{"game": HEX, "agents": ["random", MCTS], **options})


def test_one_object_cannot_play_both_sides():
    witness = contestants.Witness()
    with pytest.raises(BoyiError, match="listed twice"):
        Match(HEX, [witness, witness])


# Files and kills


@pytest.fixture
def finished(tmp_path):
    """Play a small run into a file; return the match and the file."""
    match, path = Match(HEX, [MCTS, "random"], games=6), tmp_path / "games.jsonl"
    compete(match, path)
    return match, path


def test_every_game_is_in_the_file_before_it_is_reported(tmp_path):
    path, counts = tmp_path / "games.jsonl", []
    compete(Match(HEX, [MCTS, "random"], games=6), path, report=lambda _: counts.append(len(lines(path))))
    assert counts == [1, 2, 3, 4, 5, 6]


def test_the_line_says_everything(finished):
    _, path = finished
    line = json.loads(path.read_text().splitlines()[0])
    assert line["format"] == "boyi-game-3"
    assert line["game"] == HEX
    assert line["agents"] == [MCTS, "random"]
    assert line["plies"] == len(line["actions"]) == len(line["names"]) == sum(line["decisions"].values())
    assert sorted(line["returns"]) == [-1.0, 1.0]
    assert line["ended"] == "over"
    assert all(line["seconds"][agent] > 0 for agent in (MCTS, "random"))
    assert line.keys() == set(GameRecord.__struct_fields__)


@pytest.mark.parametrize("cut", [0, 1, 700, -1, -2, -300, None])
def test_a_run_cut_anywhere_resumes_to_the_same_games(finished, cut):
    match, path = finished
    whole, content = untimed(lines(path)), path.read_bytes()
    path.write_bytes(content[:cut])
    played = []
    result = compete(Match(HEX, [MCTS, "random"], games=6), path, resume=True, report=played.append)
    assert untimed(lines(path)) == untimed(played) == whole
    assert result.pairings[0].wins == match.result(whole_with_times(whole)).pairings[0].wins
    kept = content[:cut].count(b"\n")
    assert path.read_bytes().splitlines()[:kept] == content.splitlines()[:kept]


def whole_with_times(records):
    return [replace(record, seconds=dict.fromkeys(record.seats, 0.0)) for record in records]


def test_a_longer_run_goes_on_from_a_shorter_one(finished):
    _, path = finished
    compete(Match(HEX, [MCTS, "random"], games=10), path, resume=True)
    assert untimed(lines(path)) == untimed(Match(HEX, [MCTS, "random"], games=10).play())


def test_a_file_with_games_is_not_written_over(finished):
    match, path = finished
    before = path.read_bytes()
    with pytest.raises(BoyiError, match="is not empty: --resume"):
        compete(match, path)
    assert path.read_bytes() == before


@pytest.mark.posix
def test_two_runs_do_not_write_one_file(finished, tmp_path):
    match, path = finished
    shared = tmp_path / "shared.jsonl"

    def intrude(_):
        with pytest.raises(BoyiError, match=r"shared\.jsonl is in use by another process"):
            compete(match, shared, resume=True)

    compete(match, shared, report=intrude)
    assert untimed(lines(shared)) == untimed(lines(path))
    compete(match, shared, resume=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 1}, "line 1, belongs to another run: its run_seed is 0, here it is 1"),
        ({"agents": [MCTS, "mcts:sims=30"]}, "line 1, belongs to another run: its agents"),
        ({"game": "hex:board_size=4"}, "line 1, belongs to another run: its game is 'hex:board_size=5'"),
        ({"games": 2}, "belongs to a longer run"),
    ],
)
def test_a_file_of_another_run_is_refused(finished, change, sentence):
    _, path = finished
    before = path.read_bytes()
    other = Match(**{"game": HEX, "agents": [MCTS, "random"], "games": 6, **change})
    with pytest.raises(BoyiError, match=sentence):
        compete(other, path, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda line: b"hello\n", "line 2, is not a game record of format boyi-game-3: JSON is malformed"),
        (lambda line: b"\xff\xfe\n", "line 2, is not a game record"),
        (lambda line: b"[1]\n", "line 2, is not a game record of format boyi-game-3"),
        (lambda line: line.replace(b"boyi-game-3", b"boyi-game-9"), "line 2, is not a game record of format"),
        (lambda line: line.replace(b'"plies"', b'"moves"'), "line 2, is damaged"),
        (lambda line: line.replace(b'"index": ', b'"index": -1'), "line 2, is damaged"),
        (lambda line: line.replace(b'"index": ', b'"index": 0.'), "line 2, is damaged"),
        (lambda line: re.sub(rb'"seed": \d+', b'"seed": 1', line), "line 2, is damaged: its seed"),
        (lambda line: line.replace(b'"version": "', b'"version": "9'), "its version is"),
        (lambda line: line.replace(b'"game_version": 0', b'"game_version": 7'), "its game_version is 7"),
    ],
)  # fmt: skip
def test_a_spoilt_line_is_named(finished, spoil, sentence):
    match, path = finished
    content = path.read_bytes().splitlines(keepends=True)
    spoilt = spoil(content[1])
    assert spoilt != content[1]
    path.write_bytes(b"".join([content[0], spoilt, *content[2:]]))
    with pytest.raises(BoyiError, match=sentence):
        compete(match, path, resume=True)


def test_a_game_that_stands_there_twice_is_refused(finished):
    match, path = finished
    content = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*content, content[0]]))
    with pytest.raises(BoyiError, match="line 7, repeats game"):
        compete(match, path, resume=True)


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(BoyiError, match=r"cannot write .*: No such file or directory"):
        compete(Match(HEX, ["random", MCTS], games=2), tmp_path / "nowhere" / "games.jsonl")
    with pytest.raises(BoyiError, match=r"cannot read .*: Is a directory"):
        read_game(tmp_path)


def test_no_call_that_a_match_makes_loses_an_interrupt():
    def play(chosen=None):
        """List what Python functions are called, and interrupt in the chosen one."""

        def look(frame, event, _):
            # Python 3.10 unlocks modules in callbacks of its own, from which nothing can be raised.
            if event == "call" and not frame.f_code.co_filename.startswith("<frozen importlib"):
                called[frame.f_code] = None
                if frame.f_code is chosen:
                    raise KeyboardInterrupt

        called = {}
        sys.setprofile(look)
        try:
            list(Match("hex:board_size=3", ["contestants:first", "random"], games=2).play())
        finally:
            sys.setprofile(None)
        return called

    play()  # which compiles and imports
    called = play()
    assert len(called) > 100
    for each in called:
        with pytest.raises(KeyboardInterrupt):
            play(each)


@pytest.mark.posix
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_killed_run_resumes_to_what_it_would_have_been(tmp_path, how):
    path = tmp_path / "games.jsonl"
    agents = ["contestants:held", "random"]
    command = [
        sys.executable,
        "-m",
        "boyi.baselines.command.main",
        "arena",
        HEX,
        *agents,
        "--games",
        "200",
        "--out",
        str(path),
    ]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        env={**os.environ, "HELD_AT": str(path)},
        # A shell starts background jobs deaf to Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < 2):
        time.sleep(0.005)
    process.send_signal(getattr(signal, how))
    said = process.communicate()[1].decode()
    kept = path.read_bytes().count(b"\n")
    assert 2 <= kept < 200
    if how == "SIGINT":
        assert process.returncode == 130
        assert said.splitlines()[-1] == f"boyi: stopped after {kept} of 200 games; go on with: boyi " + " ".join(
            [*command[3:], "--resume"]
        )
    match = Match(HEX, agents, games=200)
    compete(match, path, resume=True)
    assert untimed(lines(path)) == untimed(Match(HEX, agents, games=200).play())
