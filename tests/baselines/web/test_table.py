"""Tables of the page: what can be done at one, what its viewer is shown, and what a file keeps of it."""

import json
import re
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
import pytest

from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.sitting import PERSON
from boyi.baselines.web.catalog import catalog
from boyi.baselines.web.story import Replay
from boyi.baselines.web.table import Setup, Table, branch, load, written
from boyi.envs import BoyiError, find, games
from boyi.envs.records.game_record import GameRecord, positions, read_line

HEX = "hex:board_size=3"


def table(game: str = HEX, *seats: str, **others: Any) -> Table:
    return Table(Setup(game=game, seats=list(seats) or [PERSON, "random"], **{"seed": 1, **others}))


def answer(at: Table) -> None:
    """Let the agents play until a person is to move."""
    while at.agents_turn:
        at.take(at.sitting.ask())


def play(at: Table, name: str) -> None:
    text = at.sitting.game.module("text")
    at.play(text.parse(at.states[-1], name), len(at.sitting.moves))


def test_a_game_to_the_end() -> None:
    at = table(HEX, PERSON, "contestants:first")
    shown = at.message()
    assert (shown["ply"], shown["turn"], shown["mine"], shown["over"]) == (0, 0, True, False)
    assert [one["name"] for one in shown["legal"]] == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert all(one["path"] == [one["name"]] for one in shown["legal"]) and shown["setup"]["seed"] is None
    for name in ("b1", "b2", "b3"):
        play(at, name)
        answer(at)
    shown = at.message()
    assert (shown["over"], shown["ended"], shown["returns"], shown["legal"]) == (True, "over", [1.0, -1.0], [])
    assert [move["name"] for move in shown["moves"]] == ["b1", "a1", "b2", "c1", "b3"] and shown["setup"]["seed"] == 1
    pictures = [at.look(ply)[0] for ply in range(6)]
    assert all(picture.count("data-at") == 9 for picture in pictures) and len(set(pictures)) == 6
    assert at.look(5) == (shown["svg"], shown["diagram"])
    for ply in (-1, 6):
        with pytest.raises(BoyiError, match="no such position"):
            at.look(ply)


@pytest.mark.parametrize(
    ("action", "ply", "told"),
    [(1, 0, "not a legal action"), (9, 2, "not a legal action"), (10**18, 2, "not a legal"), (3, 1, "too late")],
)
def test_what_cannot_be_played_is_a_sentence(action: int, ply: int, told: str) -> None:
    at = table(HEX, PERSON, "contestants:first")
    play(at, "b1")
    with pytest.raises(BoyiError, match="too late"):
        at.play(3, 1)
    answer(at)
    with pytest.raises(BoyiError, match=told):
        at.play(action, 2 if ply == 0 else ply)
    assert [move.action for move in at.sitting.moves] == [1, 0]


def test_going_back_keeps_the_dice_and_what_was_before() -> None:
    at = table("einstein", PERSON, "mcts:sims=5", seed=7)
    before = []
    for _ in range(4):
        before.append(repr(at.states[-1]))
        at.play(int(np.flatnonzero(at.sitting.batch.mask[0])[0]), len(at.sitting.moves))
        answer(at)
    mine = at.message()["back"]
    assert mine == [k for k, move in enumerate(at.sitting.moves) if move.seat == 0]
    for ply, state in zip(mine[::-1], before[::-1], strict=False):
        at = at.back_to(ply)
        assert repr(at.states[-1]) == state and len(at.sitting.moves) == ply
    for ply in (0, 1, 99):
        with pytest.raises(BoyiError, match="no decision of a person"):
            at.back_to(ply)
    timed = table(HEX, PERSON, "random", clock=60.0)
    play(timed, "a1")
    assert timed.message()["back"] == []
    with pytest.raises(BoyiError, match="while a clock runs"):
        timed.back_to(0)


def test_who_resigns() -> None:
    for seats, moves, loser in (((PERSON, "random"), 0, 0), ((PERSON, PERSON), 1, 1), (("random", PERSON), 0, 1)):
        at = table(HEX, *seats)
        for name in ["a1"][:moves]:
            play(at, name)
        at.resign()
        assert at.message()["returns"] == [1.0 - 2 * (seat == loser) for seat in (0, 1)]
        with pytest.raises(BoyiError, match="nobody is there"):
            at.resign()
    with pytest.raises(BoyiError, match="nobody is there"):
        table(HEX, "random", "random").resign()


@pytest.mark.parametrize("name", games())
def test_a_file_keeps_a_table(name: str, tmp_path: Any) -> None:
    game = find(name)
    at = table(name, PERSON, *["random"] * (game.seats - 1), seed=3)
    for _ in range(6):
        answer(at)
        if at.sitting.to_move < 0:
            break
        at.play(int(np.flatnonzero(at.sitting.batch.mask[0])[-1]), at.message()["ply"])
    (tmp_path / "it.json").write_bytes(written(at))
    again = load(tmp_path / "it.json")
    assert again.message() == at.message() and list(map(repr, again.states)) == list(map(repr, at.states))
    if at.sitting.to_move >= 0:
        at.resign()
        (tmp_path / "it.json").write_bytes(written(at))
        assert load(tmp_path / "it.json").message() == at.message()


def test_a_damaged_file_is_a_sentence(tmp_path: Any) -> None:
    path = tmp_path / "it.json"
    with pytest.raises(BoyiError, match="cannot read"):
        load(path)
    at = table()
    play(at, "a1")
    path.write_bytes(written(at))
    whole = path.read_bytes()
    for k in range(len(whole)):
        for change in (b"", b"\0", b"9", b'"'):
            path.write_bytes(whole[:k] + change + whole[k + 1 :])
            with suppress(BoyiError):  # a sentence, or another table that can be
                load(path)
    kept = json.loads(whole)
    for change in ({"moves": [[0, 1.0], [0, 1.0]]}, {"moves": [[99, 1.0]]}, {"ended": "resigned", "lost": 7}):
        path.write_text(json.dumps({**kept, **change}))
        with pytest.raises(BoyiError):
            load(path)


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"seats": ["person"]}, "has 2 seats, and 1 are given"),
        ({"seats": ["person", "nobody"]}, "unknown agent"),
        ({"clock": -1.0}, "clock must be above 0"),
        ({"game": "mahjong", "seats": ["person"] * 4}, "one person at most"),
    ],
)
def test_what_cannot_be_set_up_is_a_sentence(setup: dict[str, Any], told: str) -> None:
    with pytest.raises(BoyiError, match=told):
        Table(Setup(**{"game": HEX, "seats": ["person", "random"], **setup}))


def test_a_person_sees_their_own_tiles_alone() -> None:
    """Whatever is said of a hand before it ends is the same if the others hold other tiles, as far as can be known."""
    at = table("mahjong", "random", PERSON, "random", "random", seed=5)
    decisions = 0
    while True:
        answer(at)
        if at.sitting.to_move < 0:
            break
        told = at.message()
        view = at.sitting.batch.view()
        assert told["viewer"] == 1 and told["turn"] == 1
        # Redealt: all that the seat cannot know is another.
        assert (view.states["hand"][0] != at.states[-1]["hand"]).any()
        at.states[-1], kept = view.states[0], at.states[-1]
        assert at.message() == told
        at.states[-1] = kept
        assert all(move["seat"] == 1 for move in told["moves"]) and told["clock"] is None
        # Nothing counts what others have been asked.
        assert len(told["moves"]) == told["ply"] == decisions and told["back"] == list(range(decisions))
        assert [at.look(ply)[0].count("#tile-back") > 0 for ply in range(decisions + 1)] == [True] * (decisions + 1)
        with pytest.raises(BoyiError, match="no such position"):
            at.look(decisions + 1)
        at.play(told["legal"][0]["action"], decisions)
        decisions += 1
        assert at.persons_turn or at.sitting.to_move < 0 or at.message()["turn"] is None
    assert decisions > 5
    over = at.message()
    assert len(over["moves"]) == over["ply"] == len(at.sitting.moves) and over["setup"]["seed"] == 5


def test_a_clock_that_has_run_down_ends_the_game() -> None:
    at = table(HEX, PERSON, "random", clock=5.0)
    assert 0 < at.check_clock() <= 5.0  # type: ignore[operator]
    at.since -= 6
    assert at.check_clock() is None
    assert (at.message()["ended"], at.message()["returns"]) == ("time", [-1.0, 1.0])
    again = Table.of(at.kept())
    assert again.message()["ended"] == "time" and again.message()["returns"] == [-1.0, 1.0]


def test_the_catalog_names_what_can_be_played() -> None:
    known = json.loads(msgspec.json.encode(catalog()))
    assert [game["name"] for game in known["games"]] == list(games())
    for game in known["games"]:
        assert game["opponents"]
        for agent in game["opponents"]:
            table(game["name"], *[agent] * game["seats"]).close()
        assert set(game["agents"]) <= known["agents"].keys()
        assert {param["name"] for param in game["params"]} == find(game["name"]).spec.params.keys()
    assert re.search("az:hex", json.dumps(known))


def test_a_game_begins_in_a_position_set_up() -> None:
    first = table(HEX, PERSON, PERSON)
    for name in ("a1", "b2", "c3"):
        play(first, name)
    at = table(HEX, PERSON, PERSON, position=first.message()["diagram"])
    assert at.message()["diagram"] == first.message()["diagram"] and at.message()["turn"] == 1
    play(at, "c2")
    again = at.back_to(0)
    assert again.message()["diagram"] == first.message()["diagram"]
    with pytest.raises(BoyiError, match="cannot be recorded"):
        at.record()
    for position in ("nonsense", table("hex:board_size=4").message()["diagram"]):
        with pytest.raises(BoyiError):
            table(HEX, PERSON, PERSON, position=position)
    over = table(HEX, PERSON, PERSON)
    for name in ("b1", "a1", "b2", "a2", "b3"):
        play(over, name)
    with pytest.raises(BoyiError, match="the game is over in this position"):
        table(HEX, PERSON, PERSON, position=over.message()["diagram"])


def recorded(game: str, games: int = 2) -> list[GameRecord]:
    found: list[GameRecord] = []
    compete(Match(game, ["random"] * find(game).seats, games=games, seed=3), report=found.append)
    return found


@pytest.mark.parametrize("name", games())
def test_a_record_is_looked_at_and_kept(name: str, tmp_path: Any) -> None:
    game = {"jiu": "jiu:board_size=6,max_turns=20"}.get(name, name)
    for record in recorded(game, 4):
        shown = Replay(record)
        told = shown.message()
        assert (told["ply"], told["labels"], told["returns"]) == (record.plies, record.seats, record.returns)
        assert [move["name"] for move in told["moves"]] == record.names and told["legal"] == []
        states = positions(record, "it")[1]
        for ply in range(0, record.plies + 1, 7):
            assert shown.look(ply)[1] == find(record.game).module("text").diagram(states[ply])
        (tmp_path / "it.json").write_bytes(written(shown))
        assert load(tmp_path / "it.json").message() == told
    assert record.episode or record.seed  # the last one is not the first game of seed 0


@pytest.mark.parametrize("name", sorted({*games()} - {"mahjong"}))
def test_a_branch_goes_on_from_a_position_with_the_same_dice(name: str) -> None:
    game = {"jiu": "jiu:board_size=6,max_turns=20"}.get(name, name)
    record = recorded(game)[-1]
    story = Replay(record)
    for ply in (0, record.plies // 2, record.plies - 1):
        tried = Table.of(branch(story, ply))
        assert repr(tried.states) == repr(story.states[: ply + 1]) and tried.persons_turn
        tried.play(record.actions[ply], ply)
        assert repr(tried.states[-1]) == repr(story.states[ply + 1])
        twice = Table.of(branch(tried, ply))
        assert repr(twice.states) == repr(story.states[: ply + 1])
    with pytest.raises(BoyiError, match="no such position"):
        branch(story, record.plies + 1)


def test_what_hidden_hands_forbid() -> None:
    at = table("mahjong", PERSON, "random", "random", "random", seed=5)
    with pytest.raises(BoyiError, match="when it is over"):
        at.record()
    for story in (at, Replay(recorded("mahjong", 4)[0])):
        with pytest.raises(BoyiError, match="cannot be tried out"):
            branch(story, 0)


def test_a_saved_game_is_a_record() -> None:
    at = table("einstein", PERSON, "random", seed=11)
    for _ in range(3):
        at.play(int(np.flatnonzero(at.sitting.batch.mask[0])[0]), len(at.sitting.moves))
        answer(at)
    record = read_line(at.record().line().encode(), "it")
    assert Replay(record).look(4) == at.look(4) and record.ended == "unfinished"
