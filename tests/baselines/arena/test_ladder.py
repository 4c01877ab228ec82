"""The ladder: what it counts, that it goes on after a kill and is the same everywhere, and that it stays as it is."""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import contestants
import numpy as np
import pytest
from places import ROOT, of_game
from toy import SPEC
from typer.testing import CliRunner

from boyi.baselines import benchmark
from boyi.baselines.agent import Agent
from boyi.baselines.agents import learned, make_agent
from boyi.baselines.arena import ladders
from boyi.baselines.arena import matches as arena
from boyi.baselines.arena.ladder import compare, read_standing
from boyi.baselines.arena.ladders import LADDERS, RANDOM, Ladder, Rung, calibrate, find_ladder
from boyi.baselines.arena.rating import rate, rate_against, student
from boyi.baselines.command.main import app
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.kernels import GIVEN_UP
from boyi.envs.records.game_record import read_line

HEX = "hex:board_size=3"
TINY = Ladder(
    HEX, (RANDOM, Rung("mcts:sims=5", 150, 100, 200), Rung("alphabeta:depth=2", 420, 300, 540)), games=12, opening=1
)
AGENT = "mcts:sims=20"
TOY = find(SPEC)


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Hex 3x3 has a ladder here."""
    monkeypatch.setitem(LADDERS, HEX, TINY)


def lines(path):
    return [read_line(line, "here") for line in Path(path).read_bytes().splitlines(keepends=True)]


def untimed(path):
    return re.sub(r'"seconds_per_move": [\d.e-]+', "", path.read_text())


class Quitter(Agent):
    """Plays the first legal action, and every other time gives up."""

    name = "quitter"

    def act(self, view):
        self.faults = {k: "it is tired" for k, ply in enumerate(view.states["ply"].tolist()) if ply > 2}
        return np.array([GIVEN_UP if k in self.faults else mask.argmax() for k, mask in enumerate(view.mask)])


# What is counted


def test_the_numbers_are_those_of_the_games(tmp_path):
    standing = benchmark(AGENT, HEX, out=tmp_path / "it.json")
    records = lines(tmp_path / "it.jsonl")
    assert [step.rung for step in standing.steps] == ["random", "mcts:sims=5", "alphabeta:depth=2"]
    wins, losses = Counter(), Counter()
    for record in records:
        assert record.agents == [AGENT, *(rung.agent for rung in TINY.rungs)]
        (rung,) = set(record.seats) - {AGENT}
        (wins if record.returns[record.seats.index(AGENT)] > 0 else losses)[rung] += 1
    for step in standing.steps:
        assert (step.wins, step.draws, step.losses, step.forfeits) == (wins[step.rung], 0, losses[step.rung], 0)
        assert step.wins + step.losses == 12
        assert step.score.value == pytest.approx(step.wins / 12, abs=1e-4)
        assert step.score.low < step.score.value or step.wins == 0
    names = [rung.agent for rung in TINY.rungs]
    rating = rate_against([0, 150, 420], [wins[name] for name in names], [losses[name] for name in names])
    assert standing.rating == pytest.approx(rating, abs=0.06)
    assert standing.games == len(records) == 36
    assert standing.distinct == len({(*record.seats, *record.actions) for record in records})
    spent = sum(record.seconds[AGENT] for record in records) / sum(record.decisions[AGENT] for record in records)
    assert standing.seconds_per_move == pytest.approx(spent, abs=1e-6)


@pytest.mark.parametrize(("game", "agent"), [(TOY, "mcts:sims=10"), ("gomoku:board_size=5", "random")], ids=str)
def test_a_draw_is_half_a_win_and_the_mean_return_is_over_pairs(game, agent, monkeypatch, tmp_path):
    """The toy game has three seats, which two agents fill by turns, and returns that are more than who won."""
    monkeypatch.setitem(LADDERS, str(game), Ladder(str(game), (RANDOM, Rung("contestants:first", 30, 0, 60)), 40, 0))
    standing = benchmark(agent, game, out=tmp_path / "it.json")
    for pairing, step in enumerate(standing.steps):
        mine, points = {}, 0
        for record in lines(tmp_path / "it.jsonl"):
            if record.pairing == pairing:
                own, other = [], []
                for r, seat in zip(record.returns, record.seats, strict=True):
                    (own if seat == agent else other).append(r)
                points += 0.5 + 0.5 * np.sign(np.mean(own) - np.mean(other))
                mine.setdefault(record.seed, []).append(np.mean(own))
        assert step.wins + step.draws / 2 == points
        assert step.wins + step.draws + step.losses == 40
        assert {len(pair) for pair in mine.values()} == {2} and len(mine) == 20
        assert step.mean_return == pytest.approx(student([np.mean(pair) for pair in mine.values()]), abs=1e-4)
    assert any(step.draws for step in standing.steps) or game is TOY
    halves = [step.draws / 2 for step in standing.steps]
    wins = [step.wins + half for step, half in zip(standing.steps, halves, strict=True)]
    assert standing.rating == pytest.approx(rate_against([0, 30], wins, np.subtract(40, wins)), abs=0.06)
    assert ("return" in str(standing)) == (game is TOY)


def test_pairs_share_their_opening_and_equals_their_games(tmp_path):
    """Agents that choose nothing at random play another game from every seed, and two equals the same one twice."""
    standing = benchmark("alphabeta:depth=2", HEX, out=tmp_path / "it.json")
    records = [record for record in lines(tmp_path / "it.jsonl") if record.pairing == 2]
    pairs = [sorted((r for r in records if r.index // 2 == k), key=lambda r: r.index) for k in range(6)]
    assert all(one.actions == two.actions and one.seats == two.seats[::-1] for one, two in pairs)
    assert len({one.actions[0] for one, _ in pairs}) > 2
    assert (standing.steps[2].wins, standing.steps[2].losses) == (6, 6)


def test_an_agent_that_loses_or_wins_everything_has_an_open_interval(monkeypatch):
    monkeypatch.delitem(LADDERS, HEX)
    lost = benchmark(Quitter(), HEX)
    # Whoever meets it wins, even with no idea of the game.
    monkeypatch.setitem(LADDERS, HEX, Ladder(HEX, (Rung("test_ladder:Quitter", 0, 0, 0),), 200, 0))
    won = benchmark("random", HEX)
    assert (won.rating.high, won.steps[0].wins) == (np.inf, 200)
    assert f"Elo > +{won.rating.low:.0f}, 95 % +{won.rating.low:.0f} to +∞" in str(won)
    assert (lost.rating.low, lost.steps[0].losses, lost.steps[0].forfeits) == (-np.inf, 200, 200)
    assert f"Elo < {lost.rating.high:.0f}, 95 % -∞ to {lost.rating.high:.0f}" in str(lost) and "forfeits" in str(lost)


def test_forfeits_are_losses_and_are_counted(tmp_path):
    standing = benchmark(Quitter(), HEX, out=tmp_path / "it.json")
    ended = Counter((record.pairing, record.ended) for record in lines(tmp_path / "it.jsonl"))
    assert [step.forfeits for step in standing.steps] == [ended[k, "forfeit"] for k in range(3)]
    assert all(step.forfeits <= step.losses for step in standing.steps)
    assert any(step.forfeits for step in standing.steps)


def test_openings_are_those_that_the_ladders_judge_holds_for_even(monkeypatch, tmp_path):
    even = Ladder(HEX, TINY.rungs, games=12, opening=1, judge="alphabeta:depth=3", margin=0.5)
    seen = []
    calibrate(even, tmp_path / "games", games=8, report=seen.append)
    monkeypatch.setitem(LADDERS, HEX, even)
    benchmark("random", HEX, report=seen.append)
    judge, replay = make_agent("alphabeta:depth=3"), Batch(HEX, 1, encoder=None, history=True)
    assert len(seen) == 60 and {record.opening for record in seen} == {str(even.openings(find(HEX)))}
    for record in seen:
        replay.reset([record.seed])
        replay.step(np.array(record.actions[:1]))
        assert abs(judge.value(replay.view())) <= 0.5
    assert abs(judge.value(Batch(HEX, 1, encoder=None, history=True).view())) > 0.5
    assert even.digest() != TINY.digest()


def test_networks_are_rungs_where_they_can_play(monkeypatch, tmp_path):
    rungs = RANDOM, Rung("az:hex,sims=2", 300, 200, 400), Rung("alphabeta:depth=2", 420, 300, 540)
    ladder = Ladder(HEX, rungs, games=2, opening=1)
    monkeypatch.setitem(LADDERS, HEX, ladder)
    whole = benchmark("random", HEX)
    monkeypatch.setattr("boyi.baselines.agents.find_spec", lambda name: None)
    less = benchmark("random", HEX, out=tmp_path / "it.json")
    assert [step.rung for step in whole.steps] == [rung.agent for rung in rungs] and whole.left_out == ()
    assert [step.rung for step in less.steps] == ["random", "alphabeta:depth=2"] and ladder.total == 4
    assert read_standing(tmp_path / "it.json", HEX) == less and less.left_out == ("az:hex,sims=2",)
    assert "Left out, for they need PyTorch: az:hex,sims=2\n" in f"{less}\n" and "Left out" not in str(whole)
    # They are compared, and the games that both have are the same.
    assert whole.games_digest == less.games_digest and "move by move" in str(compare(whole, less))


def test_a_game_without_a_ladder_has_the_one_rung_random():
    standing = benchmark("random", "einstein:board_size=3,stones=2")
    assert [(step.rung, step.elo) for step in standing.steps] == [("random", 0)]
    assert standing.rating.value == pytest.approx(0, abs=0.1)
    assert "einstein:board_size=3,stones=2 has no ladder of its own" in str(standing)
    assert "no ladder of its own" not in str(benchmark("random", HEX))
    assert find_ladder("hex:board_size=4").digest() != find_ladder("hex:board_size=5").digest()


@pytest.mark.parametrize(
    "agent", [contestants.first, contestants.Witness(), "contestants:first"], ids=["function", "agent", "string"]
)
def test_whatever_plays_in_the_arena_is_measured(agent):
    standing = benchmark(agent, HEX)
    assert standing.agent in ("contestants:first", "witness")
    assert standing.games_digest == benchmark("contestants:first", HEX).games_digest


# The run on disk


def test_a_run_that_was_killed_goes_on_and_says_the_same(tmp_path):
    path, stream = tmp_path / "it.json", tmp_path / "it.jsonl"
    benchmark(AGENT, HEX, out=path)
    whole, games = untimed(path), stream.read_bytes().splitlines(keepends=True)
    path.unlink()
    stream.write_bytes(b"".join(games[:17]) + games[17][:40])
    seen = []
    benchmark(AGENT, HEX, out=path, resume=True, report=seen.append)
    assert untimed(path) == whole
    assert stream.read_bytes().startswith(b"".join(games[:17]))
    assert len(seen) == len(stream.read_bytes().splitlines()) == 36
    before = stream.read_bytes()
    benchmark(AGENT, HEX, out=path, resume=True)
    assert (untimed(path), stream.read_bytes()) == (whole, before)


def test_what_is_read_is_what_was_written(tmp_path):
    standing = benchmark("mcts:sims=300", HEX, out=tmp_path / "it.json")
    assert read_standing(tmp_path / "it.json", HEX) == standing
    assert json.loads((tmp_path / "it.json").read_text())["rating"]["value"] == standing.rating.value


@pytest.mark.parametrize(
    ("agent", "game", "sentence"),
    [
        ("mtcs", HEX, "unknown agent 'mtcs': did you mean 'mcts'?"),
        ("greedy", HEX, "greedy has no rule to play hex"),
        (AGENT, "hx", "unknown game 'hx'"),
        (7, HEX, "an agent is a string, an Agent, a callable or a model"),
    ],
)
def test_what_cannot_be_measured_is_refused(agent, game, sentence, tmp_path):
    with pytest.raises(BoyiError, match=re.escape(sentence)):
        benchmark(agent, game, out=tmp_path / "it.json")
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_way_is_refused(tmp_path):
    path = tmp_path / "it.json"
    path.write_text("mine")
    with pytest.raises(BoyiError, match=r"it\.json exists: --resume goes on"):
        benchmark(AGENT, HEX, out=path)
    assert path.read_text() == "mine"
    (tmp_path / "other.jsonl").write_text("mine\n")
    with pytest.raises(BoyiError, match=r"other\.jsonl is not empty: --resume goes on"):
        benchmark(AGENT, HEX, out=tmp_path / "other.json")
    with pytest.raises(BoyiError, match=r"other\.jsonl, line 1, is not a game record"):
        benchmark(AGENT, HEX, out=tmp_path / "other.json", resume=True)
    with pytest.raises(BoyiError, match=r"to FILE\.json, and its games to FILE\.jsonl"):
        benchmark(AGENT, HEX, out=tmp_path / "it.jsonl")
    with pytest.raises(BoyiError, match="cannot write"):
        benchmark(AGENT, HEX, out=tmp_path / "nowhere" / "it.json")


def test_games_of_another_agent_are_not_gone_on_with(tmp_path):
    benchmark(AGENT, HEX, out=tmp_path / "it.json")
    with pytest.raises(BoyiError, match="belongs to another run: its agents"):
        benchmark("mcts:sims=21", HEX, out=tmp_path / "it.json", resume=True)


# Comparing


def test_two_standings_are_compared(tmp_path):
    one, two = benchmark("mcts:sims=40", HEX), benchmark("random", HEX, out=tmp_path / "it.json")
    comparison = compare(one, read_standing(tmp_path / "it.json", HEX))
    assert comparison.difference.value == pytest.approx(one.rating.value - two.rating.value)
    assert comparison.difference.low < comparison.difference.value < comparison.difference.high
    text = str(comparison)
    for part in ("mcts:sims=40", "random", f"{one.rating.value:+.0f}", f"{comparison.difference.value:+.0f}"):
        assert part in text
    assert f"protocol {TINY.digest()}" in text
    assert "move by move" not in text and "versions of boyi differ" not in text
    assert "move by move" in str(compare(two, benchmark("random", HEX)))


def published(tmp_path, **changes):
    """Write a standing in which something is different."""
    path = tmp_path / "published.json"
    benchmark("random", HEX, out=path, resume=True)
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return path


def test_another_version_of_the_package_is_pointed_out(tmp_path):
    found = read_standing(published(tmp_path, version="0.0.1"), HEX)
    assert "The versions of boyi differ" in str(compare(benchmark("random", HEX), found))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ladder": "ladder-v0"}, "was measured on another ladder: its ladder is ladder-v0, here it is ladder-v2"),
        ({"game": "hex"}, "was measured on another ladder: its game is hex, here it is hex:board_size=3"),
        ({"game_version": 7}, "was measured on another ladder: its game version is 7, here it is 0"),
        ({"protocol": "0"}, "was measured on another ladder: its protocol is 0, here it is"),
        ({"format": "boyi-game-2"}, "is not a benchmark's result of format boyi-benchmark-2"),
        ({"rating": 5}, "is damaged"),
        ({"steps": []}, "is damaged"),
        ({"steps": [{"rung": "random"}]}, "is damaged"),
        ({"more": 1}, "is damaged"),
    ],
)
def test_what_cannot_be_compared_is_refused(changes, sentence, tmp_path):
    path = published(tmp_path, **changes)
    with pytest.raises(BoyiError, match=re.escape(f"{path} {sentence}")):
        read_standing(path, HEX)


def test_files_that_are_no_standing_are_refused(tmp_path):
    with pytest.raises(BoyiError, match="cannot read"):
        read_standing(tmp_path / "none.json")
    (tmp_path / "it.json").write_bytes(b"\xff{")
    with pytest.raises(BoyiError, match="is not a benchmark's result"):
        read_standing(tmp_path / "it.json")


def test_standings_of_different_ladders_are_not_compared():
    with pytest.raises(BoyiError, match="its game is hex:board_size=3, for random it is hex:board_size=3,swap=True"):
        compare(benchmark("random", HEX), benchmark("random", "hex:board_size=3,swap=true"))


# The command


def boyi(*words):
    return CliRunner().invoke(app, words)


def test_the_command_prints_the_standing_and_the_comparison(tmp_path):
    path = tmp_path / "it.json"
    first = boyi("benchmark", HEX, "mcts:sims=20", "--out", str(path))
    assert (first.exit_code, first.stdout) == (0, f"{read_standing(path)}\n")
    again = boyi("benchmark", HEX, "mcts:sims=20", "--out", str(path), "--resume", "--compare", str(path))
    assert again.stdout.startswith(first.stdout)
    assert "The games are the same, move by move." in again.stdout
    small = boyi("benchmark", "hex", "random", "--board-size", "3")
    assert small.stdout.startswith(f"random on ladder-v2 of {HEX}")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mtcs"], "unknown agent 'mtcs'"),
        (["random", "--resume"], "--resume needs --out FILE"),
        (["random", "--out", "/nowhere/it.json"], "cannot write /nowhere/it.jsonl"),
        (["random", "--out", "it.txt"], "a benchmark is written to FILE.json"),
        (["random", "--compare", "/nowhere/it.json"], "cannot read /nowhere/it.json"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words, sentence):
    done = boyi("benchmark", HEX, *words)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"boyi: {sentence}")


def test_another_game_is_not_compared_before_anything_is_played(tmp_path):
    path = published(tmp_path, game="hex:board_size=4")
    done = boyi("benchmark", HEX, "random", "--compare", str(path), "--out", str(tmp_path / "it.json"))
    assert done.exit_code == 2 and "another ladder: its game is hex:board_size=4" in done.stderr
    assert not (tmp_path / "it.json").exists() and not (tmp_path / "it.jsonl").exists()


# The ladders themselves


def test_ratings_of_rungs_are_those_of_their_games(tmp_path):
    seen = []
    ratings = calibrate(TINY, tmp_path / "games", games=20, report=seen.append)
    names = [rung.agent for rung in TINY.rungs]
    wins = np.zeros((3, 3))
    for record in seen:
        winner, loser = (names.index(record.seats[k]) for k in (np.argmax(record.returns), np.argmin(record.returns)))
        wins[winner, loser] += 1
    assert len(seen) == 60 and wins.sum() == 60
    assert ratings == pytest.approx(np.array(rate(wins)))
    again = []
    assert calibrate(TINY, tmp_path / "games", games=20, report=again.append) == ratings
    assert len(again) == 60


@pytest.mark.parametrize("name", sorted(LADDERS))
def test_rungs_fit_their_game_and_rise_from_random(name):
    ladder = LADDERS[name]
    assert (ladder.game, ladder.name, ladder.rungs[0]) == (str(find(name)), ladders.NAME, RANDOM)
    for rung in ladder.rungs:
        agent = make_agent(rung.agent, name)
        assert "seconds" not in rung.agent and agent.values.get("seconds", 0) == 0
        assert agent.values.get("threads", 1) == 1
        assert rung.low <= rung.elo <= rung.high
    ratings = [rung.elo for rung in ladder.rungs]
    assert ratings == sorted(set(ratings))
    assert max(np.diff(ratings)) <= 300
    assert ladder.games % 2 == 0 and (ladder.opening > 0) != find(name).spec.dice and ladder.measured
    assert bool(ladder.judge) == (ladder.margin > 0) == (ladder.opening > 0)
    assert "seconds" not in ladder.judge and not learned(ladder.judge)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LADDERS))
def test_a_ladder_stays_as_it_is(name, kept):
    """A ladder that is changed, or whose rungs play otherwise, is another one: it needs another name.

    Condensed are its rungs, ratings, seeds and numbers of games, and what rungs answer in positions of the first ones.
    """
    kept(of_game(name) / "ladder.txt", f"{LADDERS[name].digest()} {played(name)}\n")


def played(name):
    """Condense the first pair of games of random with itself, and what the rungs do in some of their positions."""
    ladder = LADDERS[name]
    match = arena.Match(name, ["random", "random"], games=2, seed=ladder.seed, opening=ladder.openings(find(name)))
    records = sorted(match.play(), key=lambda record: record.index)
    assert records[0].actions[: ladder.opening] == records[1].actions[: ladder.opening]
    answers = [records[0].actions, records[1].actions]
    for rung in ladder.rungs:
        if learned(rung.agent):  # its arithmetic is not the same on every machine
            continue
        batch, agent = Batch(name, 1, encoder=None, history=True), make_agent(rung.agent, name)
        batch.reset([records[0].seed])
        for ply, action in enumerate(records[0].actions):
            if ply >= ladder.opening and ply * 5 % len(records[0].actions) < 5:
                answers.append([rung.agent, ply, int(agent.act(batch.view())[0])])
            batch.step(np.array([action]))
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


# The page


def test_the_page_says_what_the_results_say(monkeypatch):
    monkeypatch.delitem(LADDERS, HEX)
    path = ROOT / "docs" / "ladder.py"
    spec = importlib.util.spec_from_file_location("ladder_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert path.with_suffix(".md").read_text() == module.page()


def test_what_a_ladder_is_not_measured_by_is_one_sentence(tmp_path):
    command = [sys.executable, "-m", "boyi.baselines.arena.ladders", "chess", str(tmp_path / "games")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 2
    assert told.stderr.startswith("boyi: unknown game 'chess'") and told.stderr.count("\n") == 1
