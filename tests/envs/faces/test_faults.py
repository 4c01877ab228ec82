"""Whatever an opponent does in the middle of a step, the learner keeps its seat: the game is refused until a reset.

Faults are put at every decision of opponents. What is played after the reset is compared with a twin in which nothing
has ever failed.
"""

import copy
import pickle
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from faulty import (
    FACES,
    FAULTS,
    GAMES,
    REFUSED,
    Fault,
    Faulty,
    act,
    base,
    check_refused,
    content,
    every_face,
    every_game,
    every_seat,
    fail,
    go_on,
    life,
    raising,
    start,
)

from boyi.baselines import OpponentPool
from boyi.baselines.agent import RandomAgent
from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import BoyiError, IllegalAction, View, find

# Opponents that fail


@every_game
@every_face
@every_seat
def test_an_opponent_may_fail_at_any_decision(game: str, face: str, seat: Any) -> None:
    twin = Faulty()
    expected = life(FACES[face](game, twin, seat=seat))
    assert twin.asked > 2
    for at in range(1, twin.asked + 1):
        opponent = Faulty(raising(FAULTS[at % len(FAULTS)]), at)
        env = FACES[face](game, opponent, seat=seat)
        with pytest.raises(FAULTS[at % len(FAULTS)], match="in the middle"):
            life(env)
        check_refused(env)
        assert life(env) == expected


@every_game
@pytest.mark.parametrize("face", ["single", "same step"])
def test_a_game_that_ran_is_not_gone_on_with_after_a_reset_that_failed(game: str, face: str) -> None:
    opponent = Faulty(raising(ZeroDivisionError))
    env, twin = (FACES[face](game, player, seat=1) for player in (opponent, Faulty()))
    life(env)
    opponent.at = opponent.asked + 1
    with pytest.raises(ZeroDivisionError):
        start(env, 9)
    check_refused(env)
    life(twin)
    for each in (env, twin):
        start(each, 9)
    assert go_on(env) == go_on(twin)


@every_face
def test_a_pickle_is_no_way_out(face: str) -> None:
    env = FACES[face](GAMES[0], Faulty(fail, 2))
    with pytest.raises(ZeroDivisionError):
        life(env)
    check_refused(pickle.loads(pickle.dumps(env)))


NO_ACTIONS: dict[str, Fault] = {
    "nothing": lambda view: None,
    "a number": lambda view: 0,
    "a word": lambda view: "a1",
    "too many": lambda view: np.zeros(view.row.size + 1, np.int64),
    "none": lambda view: np.zeros(0, np.int64),
    "two a game": lambda view: np.zeros((view.row.size, 2), np.int64),
    "fractions": lambda view: view.mask.argmax(1) + 0.5,
    "whole fractions": lambda view: view.mask.argmax(1).astype(np.float64),
    "no numbers": lambda view: np.full(view.row.size, np.nan),
    "truths": lambda view: np.ones(view.row.size, np.bool_),
    "beyond": lambda view: [2**80] * view.row.size,
}


@pytest.mark.parametrize("game", GAMES[::2])
@every_face
@pytest.mark.parametrize("answer", NO_ACTIONS)
def test_what_are_no_actions_is_one_sentence(game: str, face: str, answer: str) -> None:
    env = FACES[face](game, Faulty(NO_ACTIONS[answer], 2), seat=1)
    with pytest.raises(
        BoyiError, match=r"an agent answers with \d whole numbers, one a game, not \S+ of shape"
    ) as said:
        life(env)
    assert "\n" not in str(said.value)
    check_refused(env)
    assert life(env) == life(FACES[face](game, Faulty(), seat=1))


@every_game
@every_face
@pytest.mark.parametrize("action", [-1, -2, 10**6, 2**62])
def test_an_opponent_outside_the_mask_loses_or_is_named(game: str, face: str, action: int) -> None:
    def outside(view: View) -> np.ndarray:
        return np.full(view.row.size, action)

    env, strict = (FACES[face](game, Faulty(outside, 1), illegal=rule) for rule in ("forfeit", "raise"))
    for each in (env, strict):
        start(each)
    _, other = find(game).spec.forfeit(**find(game).params)
    said = act(env, 0)
    assert set(np.ravel(said[0])) == {other}
    assert np.all(said[1])
    if action == -1:  # has given up, which loses either way
        assert act(strict, 0) == said
        return
    with pytest.raises(IllegalAction, match=f"action {action} is not legal"):
        act(strict, 0)
    check_refused(strict)


def test_members_of_a_pool_and_each_of_three_opponents_may_fail() -> None:
    expected = life(make_env("mahjong", [Faulty(), Faulty(), Faulty()], seat=2))
    for chair in range(3):
        opponents = [Faulty(raising(KeyboardInterrupt), 2 * (k == chair)) for k in range(3)]
        env = make_env("mahjong", opponents, seat=2)
        with pytest.raises(KeyboardInterrupt):
            life(env)
        check_refused(env)
        assert life(env) == expected
    members = [Faulty(), Faulty(NO_ACTIONS["whole fractions"], 2)]
    env = make_vector_env("mahjong", 3, OpponentPool(members))
    with pytest.raises(BoyiError, match="an agent answers with"):
        life(env)
    check_refused(env)
    assert life(env) == life(make_vector_env("mahjong", 3, OpponentPool([Faulty(), Faulty()])))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("face", ["single", "next step"])
def test_what_an_opponent_does_to_its_view_changes_no_game(game: str, face: str) -> None:
    class Vandal(RandomAgent):
        def act(self, view: View) -> np.ndarray:
            answer = super().act(view)
            for part in view[1:-2]:
                if isinstance(part, np.ndarray):
                    part.view(np.uint8)[:] = 255
                elif part is not None:
                    part.clear()
            return answer

    assert life(FACES[face](game, Vandal(), seat=1)) == life(FACES[face](game, RandomAgent(), seat=1))


# Opponents that reach for the environment


@every_face
@pytest.mark.parametrize("does", ["step", "reset"])
@pytest.mark.parametrize("swallows", [False, True])
def test_an_opponent_cannot_step_or_reset_the_game_it_is_asked_about(face: str, does: str, swallows: bool) -> None:
    def meddle(view: View) -> np.ndarray:
        with suppress(BoyiError if swallows else ()):
            act(env, 0) if does == "step" else start(env, 77)
        return view.mask.argmax(1)

    env = FACES[face](GAMES[0], Faulty(meddle, 2))
    if does == "step" and swallows:  # it was refused, and the game is what it was
        told = life(env)
        env = FACES[face](GAMES[0], Faulty(lambda view: view.mask.argmax(1), 2))
        assert told == life(env)
        return
    said = REFUSED if does == "step" else "whoever is asked in the middle of a step cannot step or reset the game"
    with pytest.raises(BoyiError, match=said):
        life(env)
    if does == "step":
        check_refused(env)
    else:  # the reset went through, the step did not
        assert [content(env), *go_on(env)] == life_of(FACES[face](GAMES[0], Faulty()), 77)
    assert life(env) == life(FACES[face](GAMES[0], Faulty()))


def life_of(env: Any, seed: int) -> list[Any]:
    start(env, seed)
    return [content(env), *go_on(env)]


def test_an_opponent_whose_own_reset_fails_leaves_no_game() -> None:
    def meddle(view: View) -> np.ndarray:
        opponent.at, opponent.fault = opponent.asked + 1, raising(ZeroDivisionError)
        with suppress(ZeroDivisionError):
            env.reset(seed=3)
        return view.mask.argmax(1)

    opponent = Faulty(meddle, 2)
    env = make_env(GAMES[0], opponent, seat=1)
    with pytest.raises(BoyiError, match="cannot step or reset the game"):
        life(env)
    check_refused(env)
    assert life(env) == life(make_env(GAMES[0], Faulty(), seat=1))


def test_an_opponent_may_look_copy_and_change_places() -> None:
    pictures = []

    def look(view: View) -> np.ndarray:
        pictures.append(env.render())
        twin = copy.deepcopy(env)
        check_refused(twin)
        assert start(twin) == 0
        env.set_opponent(Faulty())
        return np.array(view.mask.argmax(1))

    env = make_env("mahjong", Faulty(look, 2), render_mode="ansi")
    told = life(env)
    assert len(pictures) == 1
    assert told == life(make_env("mahjong", Faulty(lambda view: view.mask.argmax(1), 2)))


class Broken(Faulty):
    """Fails when it is asked whether it follows games by their actions; else it plays its own way."""

    def act(self, view: View) -> np.ndarray:
        first: np.ndarray = view.mask.argmax(1)
        return first

    @property
    def by_history(self) -> bool:
        raise ZeroDivisionError("in the middle")


@every_face
@pytest.mark.parametrize(
    ("opponent", "error"),
    [
        ("nobody", BoyiError),
        (3, BoyiError),
        ("self", BoyiError),
        ([], BoyiError),
        (["random"] * 2, BoyiError),
        ("exact", BoyiError),
        (Broken(), ZeroDivisionError),
    ],
    ids=str,
)
def test_an_opponent_that_cannot_sit_down_leaves_the_old_one(face: str, opponent: Any, error: Any) -> None:
    env, twin = FACES[face]("mahjong", Faulty()), FACES[face]("mahjong", Faulty())
    for each in (env, twin):
        start(each)
    with pytest.raises(error):
        base(env).set_opponent(opponent)
    assert go_on(env) == go_on(twin)


def test_every_opponent_is_let_go_though_one_fails_at_it() -> None:
    closed: list[Faulty] = []

    class Guest(Faulty):
        def close(self) -> None:
            closed.append(self)
            raise ZeroDivisionError("in the middle")

    env = make_env("mahjong", [Guest(), Guest(), Guest()])
    with pytest.raises(ZeroDivisionError):
        env.close()
    assert len(set(map(id, closed))) == 3
    assert life(env) == life(make_env("mahjong", Faulty()))
