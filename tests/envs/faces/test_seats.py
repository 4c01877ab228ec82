"""Who sits where at a table of four, what the learner is shown of it, and whose hands are dealt anew for whom."""

from typing import Any

import numpy as np
import pytest
from faulty import FACES, base, every_face, every_game, go_on, life, start

from boyi.baselines.agent import RandomAgent
from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import Batch, View, find
from boyi.envs.faces import drawing as draw
from boyi.envs.faces.render import seen
from boyi.envs.faces.seating import Finished, Seating, Watcher


class Sitter(RandomAgent):
    """Remembers for which seat of which row it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[tuple[int, int]] = set()

    def act(self, view: View) -> np.ndarray:
        self.asked |= set(zip(view.row.tolist(), view.seat.tolist(), strict=True))
        return super().act(view)


@pytest.mark.parametrize("seat", [0, 1, 2, 3, "random"])
@pytest.mark.parametrize("n", [1, 12])
def test_three_opponents_sit_in_order_after_the_learner(n: int, seat: Any) -> None:
    """The first one on the learner's right, whom the turn reaches next, and so on round the table."""
    for seed in range(4):
        opponents = [Sitter() for _ in range(3)]
        many: Any = {"num_envs": n} if n > 1 else {}
        env: Any = (make_vector_env if n > 1 else make_env)("mahjong", opponent=opponents, seat=seat, **many)
        learners = np.atleast_1d(env.reset(seed=seed)[1]["seat"])
        for _ in range(6):  # far from the end of any game, and enough for claims not to pass a seat by
            env.step(env.action_masks().argmax(axis=-1))
        for k, opponent in enumerate(opponents, 1):
            assert {row for row, _ in opponent.asked} == set(range(n))
            assert {(asked - learners[row]) % 4 for row, asked in opponent.asked} == {k}
        if seat == "random" and n > 1:
            assert set(learners) == {0, 1, 2, 3}


@every_face
def test_new_opponents_take_the_chairs_of_the_old_ones(face: str) -> None:
    env = FACES[face]("mahjong", "random", seat=2)
    start(env)
    opponents = [Sitter() for _ in range(3)]
    base(env).set_opponent(opponents)
    go_on(env, 3)
    assert [{seat for _, seat in opponent.asked} for opponent in opponents] == [{3}, {0}, {1}]


# What watchers are told


class Diary(Watcher):
    """Writes down all that it is told, and what it finds then."""

    def __init__(self, seating: Seating) -> None:
        self.seating, self.lines = seating, list[Any]()
        seating.watchers.append(self)

    def playing(self, batch: Batch, rows: np.ndarray, actions: np.ndarray) -> None:
        self.lines.append((batch.states.tobytes(), rows.tolist(), actions.tolist(), actions.dtype))

    def ended(self, batch: Batch, games: Finished) -> None:
        plain = [(each.tolist(), each.dtype) for each in games]
        self.lines.append((batch.states.tobytes(), self.seating.seats.tolist(), plain))


@every_game
@pytest.mark.parametrize("opponent", ["random", "self"])
def test_watchers_are_told_of_a_single_game_what_they_are_told_of_a_row(game: str, opponent: str) -> None:
    """Also of actions that are none, with which a game is lost."""
    one, many = make_env(game, opponent), make_vector_env(game, 1, opponent)
    told = [Diary(env.seating) for env in (one, many)]
    start(one), start(many)
    for t in range(80):
        lawless = {20: 9999, 40: -5, 60: one.game.actions}.get(t)
        a = int(np.flatnonzero(one.action_masks())[0]) if lawless is None else lawless
        ended = any(one.step(a)[2:4])
        many.step(np.array([a]))
        if ended:
            one.reset()
        assert told[0].lines == told[1].lines and (one.seating.seats == many.seating.seats).all()
    assert [line[2] for line in told[0].lines if line[2] == [-1]] == [[-1]] * 3


def test_an_action_beyond_every_number_is_told_as_none() -> None:
    env = make_env("hex:board_size=3", "self")
    told = Diary(env.seating)
    start(env)
    assert env.step(10**30)[2] and told.lines[0][2] == [-1]


# What the learner is shown


@pytest.mark.parametrize("seat", [0, 1, 2, 3, "random"])
@pytest.mark.parametrize(("mode", "part", "name"), [("ansi", "text", "diagram"), ("rgb_array", "draw", "svg")])
def test_the_learner_is_shown_its_own_hand_alone(
    mode: str, part: str, name: str, seat: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture is the same whatever the others hold, and it is not the open table."""
    monkeypatch.setattr(draw, "rgb", lambda svg: svg)
    env, picture = make_env("mahjong", "random", seat=seat, render_mode=mode), seen(find("mahjong"), part, name)
    for seed in range(3):
        learner = env.reset(seed=seed)[1]["seat"]
        for _ in range(4):
            true, redealt = env.batch.states[0], env.batch.view([0]).states[0]
            others = [k for k in range(4) if k != learner]
            assert (true["hand"][others] != redealt["hand"][others]).any()
            assert picture(true, None) != picture(redealt, None)
            assert env.render() == picture(true, learner) == picture(redealt, learner) != picture(true, None)
            env.step(env.action_masks().argmax())
    open_table = make_env("mahjong", "self", render_mode=mode)
    open_table.reset(seed=0)
    assert open_table.render() == picture(open_table.batch.states[0], None)


def test_a_reset_that_fails_shows_the_hand_of_nobody_else() -> None:
    """With a seat by chance, the one of the game before is another."""

    class Tired(RandomAgent):
        tired = False

        def act(self, view: View) -> np.ndarray:
            if self.tired:
                raise ZeroDivisionError
            return super().act(view)

    opponent = Tired()
    env = make_env("mahjong", opponent, seat="random", render_mode="ansi")
    diagram, same = find("mahjong").module("text").diagram, set()

    def reset_in_vain() -> int:
        """Reset until an opponent has been asked; return the learner's seat in the game before."""
        while True:
            earlier = int(env.seating.seats[0])
            try:
                env.reset()
            except ZeroDivisionError:
                return earlier

    for seed in range(12):
        opponent.tired = False
        env.reset(seed=seed)
        opponent.tired = True
        earlier, learner = reset_in_vain(), int(env.batch.draw_seats()[0])
        same.add(earlier == learner)
        assert env.render() == diagram(env.batch.states[0], learner)
    assert same == {True, False}


# One game


@every_game
def test_a_view_of_a_single_game_is_what_a_batch_shows_of_it(game: str) -> None:
    """Also of a single game what the seat to move cannot know is dealt anew."""
    one, many = Batch(game, 1, seed=7), Batch(game, 3, seed=[7, 8, 9])
    hidden = find(game).spec.hidden
    for _ in range(3):
        for view in (one.view(), one.view([0]), one.view([True]), many.view().take(np.array([0]))):
            assert view.states.tobytes() == many.view([0]).states.tobytes()
            assert (view.states.tobytes() != one.states.tobytes()) == hidden
        many.step(many.sample())
        one.step(one.sample())
    env = make_env(game, "random")
    env.reset(seed=7)
    assert (env.batch.view([0]).states.tobytes() != env.batch.states.tobytes()) == hidden
    assert life(env)[0] == 0
