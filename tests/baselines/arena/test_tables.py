"""What the arena prints: names of one's own, tables that fit 80 columns, and the score while games are played."""

import re
import shlex

import pytest
from engines import command
from typer.testing import CliRunner

from boyi.baselines.agents import alias, label
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.running import RunningScore
from boyi.baselines.command import progress
from boyi.baselines.command.main import app
from boyi.envs import BoyiError
from boyi.envs.records.game_record import read_line

HEX = "hex:board_size=3"
LONG = "mcts:sims=2,c=0.25,rollouts=informed,reuse=false,nodes=1000,rave=100"


def boyi(*words: str) -> object:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(
    ("text", "name", "agent"),
    [
        ("mohex=gtp:cmd='a=b'", "mohex", "gtp:cmd='a=b'"),
        (" a.b-c_1=random", "a.b-c_1", "random"),
        ("mcts:sims=5", "", "mcts:sims=5"),
        ("gtp:cmd='x=y'", "", "gtp:cmd='x=y'"),
        ("module:attribute", "", "module:attribute"),
        ("=random", "", "=random"),
        ("1st=random", "", "1st=random"),
    ],
)
def test_a_name_stands_before_the_first_equals_sign(text: str, name: str, agent: str) -> None:
    assert alias(text) == (name, agent) and label(text) == (name or agent)


def test_a_name_stands_in_tables_and_records_which_say_what_it_is(tmp_path) -> None:
    words = ["arena", HEX, f"mine={LONG}", "random", "--games", "4", "--out", str(tmp_path / "games")]
    done = boyi(*words)
    assert done.exit_code == 0, done.output
    assert f"mine is {LONG}" in done.stdout.splitlines()
    assert done.stdout.splitlines()[2].split()[:2] == ["mine", "random"]
    records = [read_line(line, "here") for line in (tmp_path / "games").read_bytes().splitlines()]
    assert all(set(r.seats) == {"mine", "random"} and r.aliases == {"mine": LONG} for r in records)
    words[2] = "mine=mcts:sims=3"
    other = boyi(*words, "--resume")
    assert other.exit_code == 2 and "belongs to another run: its aliases is" in other.stderr


def test_equal_names_are_told_apart() -> None:
    match = Match(HEX, ["a=random", "a=mcts:sims=2"], games=2)
    assert match.labels == ["a", "a #2"] and match.aliases == {"a": "random", "a #2": "mcts:sims=2"}


@pytest.mark.parametrize("game", [HEX, "mahjong"])
def test_tables_fit_80_columns_and_break_no_name(game: str) -> None:
    agents = [LONG, "random", "greedy"] if game == HEX else ["test_tables:" + "a" * 70] * 2 + ["greedy", "random"]
    agents = agents[:2] if game == HEX else agents
    done = boyi("arena", game, *agents, "--games", "4", "--clock", "1000")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    named = [line for line in lines if line.startswith("#") and line.split()[1] in agents]
    assert [line.split()[1] for line in named] == list(dict.fromkeys(agents))
    assert max(len(line) for line in lines if line not in named and ", seed " not in line) <= 80


def __getattr__(name: str) -> object:
    if set(name) == {"a"}:
        return lambda observation, mask: int(mask.argmax())
    raise AttributeError(name)


@pytest.mark.parametrize(("columns", "numbered"), [(66, True), (200, False)])
def test_on_a_terminal_tables_are_as_wide_as_that_is(columns: int, numbered: bool, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    told = re.sub(r"\x1b\[[0-9;]*m", "", boyi("arena", HEX, LONG, "random", "--games", "2").stdout)
    rows = [line.split()[:2] for line in told.splitlines()]
    assert (["#1", "#2"] in rows, [LONG, "random"] in rows) == (numbered, not numbered)


def test_a_match_of_three_agents_fits() -> None:
    result = str(compete(Match(HEX, ["mcts:sims=2", "random", "alphabeta:depth=1"], games=2, clock=1000.0)))
    assert max(map(len, result.splitlines()[1:])) <= 80 and "Elo above mcts:sims=2" in result.splitlines()


@pytest.mark.posix
def test_mohex_with_an_opening_fits(tmp_path) -> None:
    done = boyi("arena", "hex", "--board-size", "3", f"mohex=gtp:cmd={shlex.quote(command('gtp'))}", "random",
        "--games", "2", "--opening", "2")  # fmt: skip
    assert done.exit_code == 0, done.output
    _, opening, *table = done.stdout.splitlines()
    assert opening == "opening: 2 random" and table[1].split()[:2] == ["mohex", "random"]
    assert max(len(line) for line in table if not line.startswith("mohex is ")) <= 80


def test_the_score_goes_on_with_every_game() -> None:
    running, match = RunningScore(), Match(HEX, ["random", "mcts:sims=20"], games=4)
    told = [running.add(record) for record in match.play()]
    for score, said in told:
        first, second = score.split(", ")
        assert first.startswith("random ") and second.startswith("mcts:sims=20 ") and said.endswith(f"; {score}")
        assert " actions, " in said and " a move; " in said
    assert sum(float(part.rpartition(" ")[2]) for part in told[-1][0].split(", ")) == 4


def test_the_score_of_a_table_adds_returns() -> None:
    running = RunningScore()
    for record in Match("mahjong", ["greedy", "random", "random", "greedy"], games=4).play():
        score, said = running.add(record)
    assert [part.split()[0] for part in score.split(", ")] == ["greedy", "random", "random", "greedy"]
    assert " in " in said


def test_off_a_terminal_games_are_told_in_lines(monkeypatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    done = boyi("arena", HEX, "random", "contestants:first", "--games", "2")
    lines = done.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["1 of 2 games", "2 of 2 games"]
    assert all(" beat " in line and " actions, " in line for line in lines)


def test_on_a_terminal_the_score_stands_at_the_bar_and_games_above_it(monkeypatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    told = boyi("arena", HEX, "random", "mine=contestants:first", "--games", "2").stderr
    assert re.search(r"2 of 2 games: \w+ beat \w+ in \d actions, .* a move; random \d, mine \d", told)
    assert re.search(r"random \d, mine \d +.*2/2", told)


def test_a_name_for_nobody_is_refused() -> None:
    with pytest.raises(BoyiError, match="unknown agent 'nobody'"):
        Match(HEX, ["mine=nobody", "random"], games=2)
