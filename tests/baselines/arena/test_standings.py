"""As many agents as seats make a table: every seed from every seat, and what the game counts besides its returns."""

import re
import shlex

import numpy as np
import pytest
from msgspec.structs import replace
from toy import SPEC
from typer.testing import CliRunner

from boyi.baselines import evaluate
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.results import Result
from boyi.baselines.arena.standings import Standings
from boyi.baselines.command.main import app
from boyi.baselines.mahjong.luck import less_luck
from boyi.envs import BoyiError, find
from boyi.envs.records.game_record import replay

TOY = find(SPEC)
FIRST = "contestants:first"


def untimed(records):
    return [replace(r, seconds=dict.fromkeys(r.seats, 0.0)) for r in sorted(records, key=lambda record: record.index)]


def test_every_agent_has_every_seat_of_every_seed():
    records = untimed(Match(TOY, ["random", "random", FIRST], games=12, seed=3).play())
    assert [record.index for record in records] == list(range(12))
    for k in range(0, 12, 3):
        wall = records[k : k + 3]
        assert len({record.seed for record in wall}) == 1
        for seat in range(3):
            assert {record.seats[seat] for record in wall} == {"random", "random #2", FIRST}
    assert len({record.seed for record in records}) == 4


def test_the_order_at_the_table_changes_with_the_seed():
    match = Match(TOY, ["random", FIRST, "mcts:sims=2"], games=60)
    orders = {tuple(np.roll(seats, -seats.index(0))) for seats in (match.fixture(0, k).seats for k in range(0, 60, 3))}
    assert orders == {(0, 1, 2), (0, 2, 1)}


def test_two_agents_or_one_against_all_still_play_in_pairs():
    assert isinstance(compete(Match(TOY, ["random", FIRST], games=2)), Result)
    assert isinstance(evaluate("random", TOY, [FIRST, "random"], games=2), Result)
    assert isinstance(compete(Match("hex:board_size=3", ["random", FIRST], games=2)), Result)
    assert isinstance(compete(Match(TOY, ["random", FIRST, "random"], games=3)), Standings)


def test_rows_sum_up_the_records():
    match = Match(TOY, ["random", "random", FIRST], games=30, seed=1)
    records = sorted(match.play(), key=lambda record: record.index)
    table = match.result(records)
    assert [(row.agent, row.seats) for row in table.rows] == [("random", 2), (FIRST, 1)]
    by_seat = [(seat, r) for record in records for seat, r in zip(record.seats, record.returns, strict=True)]
    for row, names in zip(table.rows, ({"random", "random #2"}, {FIRST}), strict=True):
        mine = [r for seat, r in by_seat if seat in names]
        assert row.mean_return.value == pytest.approx(np.mean(mine))
        walls = np.array(mine).reshape(10, -1).mean(1)
        reach = 2.262157 * walls.std(ddof=1) / np.sqrt(10)  # Student's t, 9 degrees of freedom
        assert row.mean_return.high - row.mean_return.value == pytest.approx(reach, rel=1e-5)
    assert 2 * table.rows[0].mean_return.value + table.rows[1].mean_return.value == pytest.approx(0, abs=1e-9)


def test_mahjong_counts_wins_self_draws_and_deal_ins():
    records = list(Match("mahjong", ["greedy", "greedy", "greedy", "random"], games=40, seed=2).play())
    counted = {"win": 0, "self-draw": 0, "deal-in": 0}
    for record in records:
        *_, last = replay(find("mahjong"), record.seed, record.actions)
        win, drawn, paid = (np.array(record.statistics[name]) for name in counted)
        assert win.tolist() == [float(value > 0) for value in last["won"]]
        assert win.sum() == (any(record.returns)) and drawn.sum() + paid.sum() == win.sum()
        if drawn.any():
            assert (win == drawn).all() and sum(value < 0 for value in record.returns) == 3
        elif win.any():
            assert [value < 0 for value in record.returns] == (paid > 0).tolist()
        for name, values in zip(counted, (win, drawn, paid), strict=True):
            counted[name] += values.sum()
    assert all(counted.values())
    row = Match("mahjong", ["greedy", "greedy", "greedy", "random"], games=40, seed=2).result(records).rows[0]
    assert row.statistics["win"].value == pytest.approx(counted["win"] / 120)
    assert 0 <= row.statistics["win"].low < row.statistics["win"].value < row.statistics["win"].high <= 1


def test_the_command_prints_points_and_rates(tmp_path):
    words = shlex.split(f"arena mahjong greedy greedy random random --games 8 --seed 0 --out '{tmp_path / 'g'}'")
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    head, columns, first, second, shares, *rows = done.stdout.splitlines()
    assert head == "mahjong: 8 games, seed 0, every seed played from all 4 seats"
    assert re.split(r"  +", columns.strip()) == ["agent", "seats", "points", "95 %", "a move"]
    assert [row.split()[:2] for row in (first, second)] == [["greedy", "2"], ["random", "2"]]
    assert re.split(r"  +", shares.strip()) == ["agent", "win", "95 %", "self-draw", "95 %", "deal-in", "95 %"]
    assert [row.split()[0] for row in rows] == ["greedy", "random"]
    assert max(map(len, done.stdout.splitlines())) <= 80
    again = CliRunner().invoke(app, [*words, "--resume"])
    assert again.stdout == done.stdout


def test_the_luck_of_draws_is_taken_off_where_that_is_asked(tmp_path):
    """A second table says the same of other returns, whoever goes on with the run, in the games that count."""
    words = shlex.split(f"arena mahjong greedy greedy random random --games 8 --seed 0 --out '{tmp_path / 'g'}'")
    plain = CliRunner().invoke(app, words).stdout
    done = CliRunner().invoke(app, [*words, "--resume", "--less-luck"])
    assert done.exit_code == 0, done.stderr
    before, _, after = done.stdout.partition("Less the luck of draws:\n")
    assert before == plain and after != plain
    records = less_luck(list(Match("mahjong", ["greedy", "greedy", "random", "random"], games=8, seed=0).play()))
    made = [r.returns[seat] for r in records for seat in range(4) if r.seats[seat].startswith("greedy")]
    assert after.splitlines()[2].split()[:3] == ["greedy", "2", f"{np.mean(made):+.0f}"]
    assert after.splitlines()[4:] == plain.splitlines()[4:]


@pytest.mark.parametrize("agents", ["hex random random", "mahjong random random", "einstein random random"])
def test_there_is_no_luck_to_take_off_elsewhere(agents):
    done = CliRunner().invoke(app, ["arena", *agents.split(), "--less-luck"])
    assert done.exit_code == 2 and "--less-luck is for mahjong, and for four agents" in done.stderr


def test_a_run_goes_on_where_it_stopped(tmp_path):
    whole = list(Match(TOY, ["random", "random", FIRST], games=9).play())
    file = tmp_path / "games.jsonl"
    with file.open("w") as out:
        out.writelines(record.line() for record in whole[:4])
    result = compete(Match(TOY, ["random", "random", FIRST], games=9), file, resume=True)
    assert result.games == 9
    assert len(file.read_text().splitlines()) == 9


@pytest.mark.parametrize("games", [0, 2, 10, 3.0])
def test_games_must_fill_the_seats(games):
    with pytest.raises(
        BoyiError, match=f"games must be a multiple of 3, every seed being played from every seat, not {games}"
    ):
        Match(TOY, ["random"] * 3, games=games)


def test_one_seed_has_no_interval():
    assert "unknown" in str(compete(Match(TOY, ["random"] * 3, games=3)))
