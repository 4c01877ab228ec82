"""What games begin with: openings of a seed, those a judge considers even, and who may be a judge."""

import json
import shlex
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from boyi.baselines.agent import Agent, RandomAgent
from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match, compete, shuffled
from boyi.baselines.arena.openings import Openings
from boyi.baselines.command.main import app
from boyi.baselines.search.exact import Solver
from boyi.envs import Batch, BoyiError, Game, View, find
from boyi.envs.records.game_record import GameRecord, positions, read_line

GOMOKU = find("gomoku:board_size=5")
HEX = find("hex:board_size=3")
MAHJONG = find("mahjong")


class Counting(RandomAgent):
    """A judge that holds a position for as even as few stones stand on the left of the board."""

    def value(self, view: View, k: int = 0) -> float:
        return float((view.states[k]["board"].reshape(5, 5)[:, :2] != 0).sum()) / 10


def boyi(words: str) -> object:
    return CliRunner().invoke(app, shlex.split(words))


def of_seeds(records: list[GameRecord], actions: int) -> dict[int, set[tuple[int, ...]]]:
    found: dict[int, set[tuple[int, ...]]] = {}
    for record in records:
        found.setdefault(record.seed, set()).add(tuple(record.actions[:actions]))
    return found


@pytest.mark.parametrize("even", [False, True])
def test_both_games_of_a_seed_begin_alike_and_other_seeds_do_not(even: bool) -> None:
    openings = Openings(GOMOKU, 3, even=even, judge=Counting() if even else None)
    drawn = of_seeds(list(Match(GOMOKU, ["random", "random"], games=8, opening=openings).play()), 3)
    assert len(drawn) == 4 and all(len(each) == 1 for each in drawn.values())
    assert len(set.union(*drawn.values())) == 4


def test_a_judge_holds_every_opening_for_even() -> None:
    openings, judge = Openings(GOMOKU, 4, even=True, judge=Counting(), margin=0.1), Counting()
    for seed in range(20):
        batch = Batch(GOMOKU, 1, seed=seed, encoder=None)
        for action in openings.of(seed):
            batch.step([action])
        assert abs(judge.value(batch.view())) <= 0.1
    chance = [Openings(GOMOKU, 4).of(seed) for seed in range(20)]
    assert sum((np.array(actions) % 5 < 2).sum() > 1 for actions in chance) > 5


def test_what_is_drawn_comes_from_the_seed_whatever_numpy_draws() -> None:
    """Ladders rest on it: another opening, or another order of seats, makes other games of them."""
    openings = Openings(GOMOKU, 4, even=True, judge=Counting(), margin=0.1)
    assert [openings.of(seed) for seed in range(3)] == [[17, 11, 14, 18], [20, 19, 9, 2], [24, 12, 13, 4]]
    orders = [shuffled(MAHJONG, (0, 1, 2, 3), seed) for seed in range(2400)]
    assert orders[:4] == [(2, 0, 1, 3), (0, 1, 3, 2), (0, 1, 3, 2), (3, 1, 2, 0)]
    often = Counter(orders)
    assert len(often) == 24 and min(often.values()) > 60 and max(often.values()) < 150


def test_a_judge_that_holds_nothing_for_even_is_told_of() -> None:
    class Gloomy(RandomAgent):
        def value(self, view: View, k: int = 0) -> float:
            return -1.0

    with pytest.raises(
        BoyiError, match=r"of 200 openings of 2 actions on seed 7 random considers none even within 0\.2"
    ):
        Openings(GOMOKU, 2, even=True, judge=Gloomy()).of(7)


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("hex", {"actions": -1}, "opening must be a whole number of actions, at least 0, not -1"),
        ("hex", {"even": True}, "even openings need a number of actions, at least 1: --opening N"),
        ("hex", {"actions": 1, "even": True, "margin": 1.5}, "margin must be a number from 0 to 1, not 1.5"),
        ("mahjong", {"actions": 1, "even": True}, "openings cannot be even in mahjong: that takes two seats"),
        ("hex", {"actions": 1, "even": True, "judge": "nobody"}, "unknown agent 'nobody'"),
    ],
)
def test_openings_that_cannot_be_are_refused(game: str, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(BoyiError, match=sentence):
        Openings(find(game), **options)  # type: ignore[arg-type]


def test_an_agent_that_cannot_tell_is_no_judge() -> None:
    with pytest.raises(BoyiError, match="random: random does not say what a position is worth: alphabeta, az, exact"):
        Openings(HEX, 1, even=True, judge="random").of(0)


def test_an_opening_must_leave_something_to_decide() -> None:
    with pytest.raises(BoyiError, match="an opening of 9 actions leaves nothing to decide: the game of seed 0 is over"):
        Openings(HEX, 9).of(0)


@pytest.mark.parametrize("judge", ["alphabeta:depth=9", "mcts:sims=3000", "puct:sims=3000", "exact"])
def test_what_a_position_is_worth_to_the_seat_to_move(judge: str) -> None:
    """Near the end of Hex on nine cells, where all searches see who wins."""
    agent, solver, rng, met = make_agent(judge, HEX), Solver(HEX), np.random.default_rng(3), set()
    for number in range(12):
        batch = Batch(HEX, 1, seed=number, encoder=None, history=True)
        for _ in range(3 + number % 2):
            batch.step([rng.choice(np.flatnonzero(batch.mask[0]))])
        if batch.to_move[0] >= 0:
            true = solver.value(batch.states) * (1 if batch.to_move[0] == 0 else -1)
            assert agent.value(batch.view()) * true > 0.5
            met.add((int(batch.to_move[0]), true))
    assert len(met) >= 3


def known(agent: Agent, game: Game) -> float:
    return agent.value(Batch(game, 1, seed=0, encoder=None, history=True).view())


def test_every_game_of_two_seats_has_a_judge() -> None:
    for name in ("hex:board_size=3", "gomoku:board_size=5", "einstein:board_size=3,stones=2"):
        game = find(name)
        openings = Openings(game, 1, even=True)
        assert openings.judge is not None and -1.0 <= known(openings.judge, game) <= 1.0


def test_the_command_draws_even_openings_and_goes_on_with_them(tmp_path) -> None:
    words = f"arena {HEX} random mcts:sims=5 --games 6 --opening 1 --openings even --judge exact --margin 1"
    out = f" --out {shlex.quote(str(tmp_path / 'games'))}"
    done = boyi(words + out)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1] == "opening: 1 random, within 1 of even for exact"
    content = (tmp_path / "games").read_bytes().splitlines(keepends=True)
    records = [read_line(line, "here") for line in content]
    assert {record.opening for record in records} == {"1 random, within 1 of even for exact"}
    assert all(positions(record, "here") for record in records)
    (tmp_path / "games").write_bytes(b"".join(content[:3]))
    assert boyi(words + out + " --resume").exit_code == 0
    again = [read_line(line, "here") for line in (tmp_path / "games").read_bytes().splitlines()]
    assert sorted((r.index, r.actions) for r in again) == sorted((r.index, r.actions) for r in records)
    other = boyi(words.replace("--opening 1", "--opening 2") + out + " --resume")
    assert other.exit_code == 2 and "belongs to another run: its opening is '1 random, within 1" in other.stderr


def test_a_game_that_was_played_has_its_seeds_opening(tmp_path) -> None:
    """Half of a pair is gone on with what the other half began with, whatever would be drawn now."""
    file = tmp_path / "games"
    compete(Match(GOMOKU, ["random", "random"], games=2, opening=3), file)
    line = json.loads(file.read_bytes().splitlines()[0])
    seed, opening = line["seed"], line["actions"][:3]
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    match = Match(GOMOKU, ["random", "random"], games=2, opening=3)
    match.openings._random = lambda seed: [24, 23, 22]
    compete(match, file, resume=True)
    assert [json.loads(each)["actions"][:3] for each in file.read_bytes().splitlines()] == [opening] * 2
    assert match.openings.of(seed) == opening


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--openings odd", "unknown openings 'odd'"),
        ("--openings even", "even openings need a number of actions, at least 1: --opening N"),
        ("--judge exact", "--judge and --margin are for --openings even"),
        ("--margin 0.5 --opening 1", "--judge and --margin are for --openings even"),
    ],
)
def test_words_that_make_no_openings_are_one_sentence(words: str, sentence: str) -> None:
    done = boyi(f"arena {HEX} random random --games 2 {words}")
    assert (done.exit_code, done.stdout) == (2, "") and sentence in done.stderr
