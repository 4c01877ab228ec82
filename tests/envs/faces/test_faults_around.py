"""Whatever fails around a game, it is as before or after the step, or refused until a reset.

Faults are put at every call that watchers and windows get, Ctrl-C at the lines of faces and wrappers; what is refused
before anything was touched changes nothing.
"""

import copy
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from faulty import (
    FACES,
    GAMES,
    REFUSED,
    SEED,
    Faulty,
    act,
    base,
    check_refused,
    content,
    every_face,
    every_game,
    go_on,
    life,
    masks,
    raising,
    start,
)

from boyi import wrappers
from boyi.baselines.agents import make_env, make_vector_env
from boyi.baselines.web.local import Window
from boyi.envs import BoyiError
from boyi.envs.faces import seating
from boyi.envs.faces.aec import AEC
from boyi.envs.faces.gym import GameEnv
from boyi.envs.records.files import Growing
from boyi.envs.records.game_record import read_game
from boyi.wrappers import RecordGames, TurnBasedParallel, vector

# Watchers, wrappers and windows that fail


class Nosy(seating.Watcher):
    """Fails at its call number `at` of one kind, before or after it has been told."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind, self.at, self.calls = kind, at, 0

    def note(self, kind: str) -> None:
        self.calls += kind == self.kind
        if kind == self.kind and self.calls == self.at:
            raise KeyboardInterrupt

    def playing(self, batch: Any, rows: Any, actions: Any) -> None:
        self.note("playing")

    def ended(self, batch: Any, games: Any) -> None:
        self.note("ended")


@pytest.mark.parametrize("game", GAMES[:2])
@every_face
@pytest.mark.parametrize("at", [1, 2])
def test_a_watcher_that_fails_before_the_action_leaves_the_game_as_it_was(game: str, face: str, at: int) -> None:
    env, twin = FACES[face](game, Faulty()), FACES[face](game, Faulty())
    base(env).seating.watchers.append(Nosy("playing", at))
    for each in (env, twin):
        start(each)
        go_on(each, at - 1)
    before = content(env)
    with pytest.raises(KeyboardInterrupt):
        act(env, 0)
    assert content(env) == before
    assert go_on(env) == go_on(twin)


@pytest.mark.parametrize("game", GAMES[:2])
@every_face
@pytest.mark.parametrize("at", [1, 2])
def test_a_watcher_that_fails_after_a_game_has_ended_leaves_none(game: str, face: str, at: int) -> None:
    env = FACES[face](game, Faulty(), seat=1)
    base(env).seating.watchers.append(Nosy("ended", at))
    start(env)
    with pytest.raises(KeyboardInterrupt):
        go_on(env, 30)
    check_refused(env)
    assert life(env) == life(FACES[face](game, Faulty(), seat=1))


def cannot_write(self: Growing, text: str) -> None:
    raise BoyiError(f"cannot write {self.path}: No space left on device")


@pytest.mark.parametrize("many", [False, True])
def test_a_line_that_cannot_be_written_costs_the_step_and_no_line_of_the_next(
    many: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    env: Any = (
        vector.RecordGames(make_vector_env(GAMES[0], 3, Faulty()), path)
        if many
        else RecordGames(make_env(GAMES[0], Faulty()), path)
    )
    start(env)
    with monkeypatch.context() as full:
        full.setattr(Growing, "append", cannot_write)
        with pytest.raises(BoyiError, match="cannot write"):
            go_on(env, 20)
    with pytest.raises(BoyiError, match=REFUSED):
        act(env, 0)
    start(env)
    while not path.read_text():
        if np.any(act(env, 0)[1]) and not many:
            break
    assert read_game(path).index == 0
    path.unlink()
    start(env)
    with pytest.raises(BoyiError, match="is gone"):
        go_on(env, 20)


@pytest.mark.parametrize("made", [partial(make_env, opponent=Faulty()), partial(make_env, opponent="self"), AEC])
def test_a_window_that_fails_costs_the_step(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []

    def show(self: Window, state: np.void, seat: int | None) -> None:
        shown.append(1)
        if len(shown) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Window, "__init__", lambda self, game: None)
    monkeypatch.setattr(Window, "show", show)
    env = made("hex:board_size=3", render_mode="human")
    env.reset(seed=SEED)
    env.step(0)
    with pytest.raises(KeyboardInterrupt):
        env.step(4)
    for action in (8, 8):
        with pytest.raises(BoyiError, match=REFUSED):
            env.step(action)
    env.reset(seed=SEED)
    env.step(0)
    shown.clear()
    shown += [1, 1]
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=SEED)
    with pytest.raises(BoyiError, match=REFUSED):
        env.step(4)


# What is refused before anything is touched


@every_game
@every_face
@pytest.mark.parametrize("wrong", ["illegal", "fractions", "shape"])
def test_a_refused_action_leaves_the_game_as_it_was(game: str, face: str, wrong: str) -> None:
    env, twin = (FACES[face](game, Faulty(), illegal="raise", seat=1) for _ in range(2))
    many = not isinstance(env, GameEnv)
    action: Any = {"illegal": 10**6, "fractions": 0.5, "shape": [0, 0]}[wrong]
    for each in (env, twin):
        start(each)
    for t in range(12):  # under NextStep this meets rows whose games have ended
        before = content(env)
        if masks(env).any() or wrong != "illegal":  # there is nobody whose action it would be
            with pytest.raises(BoyiError):
                env.step(np.array([action] * 3) if many else action)
        assert content(env) == before
        told = []
        for each in (env, twin):
            said = act(each, t)
            if not many and (said[1] or said[2]):
                start(each, None)
            told.append((said, content(each)))
        assert told[0] == told[1]


@every_face
def test_a_refused_seed_leaves_the_game_as_it_was(face: str) -> None:
    env, twin = FACES[face](GAMES[1], Faulty()), FACES[face](GAMES[1], Faulty())
    for each in (env, twin):
        start(each)
        go_on(each, 2)
    with pytest.raises(BoyiError, match="a seed is a whole number"):
        base(env).seating.start([1, 2, 3, 4], np.arange(base(env).batch.n))
    assert go_on(env) == go_on(twin)


def test_a_snapshot_put_back_is_a_game_to_go_on_with() -> None:
    opponent = Faulty(raising(ZeroDivisionError))
    env, twin = make_vector_env(GAMES[1], 3, opponent), make_vector_env(GAMES[1], 3, Faulty())
    for each in (env, twin):
        start(each)
        go_on(each, 2)
    kept = {name: array.copy() for name, array in env.snapshot().items()}
    opponent.at = opponent.asked + 1
    with pytest.raises(ZeroDivisionError):
        act(env, 0)
    damaged = {**kept, "states": kept["states"][:, :-1]}
    with pytest.raises(BoyiError, match="a snapshot of 3 games holds"):
        env.restore(damaged)
    check_refused(env)
    env.restore(kept)
    assert go_on(env) == go_on(twin)


# Ctrl-C at any line

OURS = tuple(str(Path(module.__file__).parent) for module in (seating, wrappers))
STRIDES = dict(zip(GAMES, (1, 4, 19), strict=True))
"""Of how many lines one is tried: larger games take longer."""


def interrupted(call: Callable[[], Any], at: int) -> bool:
    """Call something with Ctrl-C at line number `at` of faces and wrappers that it runs; False when it ends before."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        lines += event == "line"
        if lines == at:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@every_game
@every_face
@pytest.mark.parametrize("does", ["step", "reset"])
def test_ctrl_c_at_any_line_leaves_the_game_before_or_after_the_step_or_refused(
    game: str, face: str, does: str
) -> None:
    def do(env: Any) -> Any:
        return act(env, 1) if does == "step" else start(env, 8)

    first = FACES[face](game, Faulty(), seat=1)
    expected = life(first)
    start(first)
    go_on(first, 1)
    twin, before = copy.deepcopy(first), content(first)
    do(twin)
    after = content(twin)
    following = go_on(twin, 2)
    ends, at = set(), 1 - STRIDES[game]
    while True:
        at += STRIDES[game]
        env = copy.deepcopy(first)
        if not interrupted(partial(do, env), at):
            break
        try:
            masks(env)
        except BoyiError:
            with pytest.raises(BoyiError, match=REFUSED):
                env.step(0)
            assert life(env) == expected
            ends.add("refused")
            continue
        ends.add("before" if content(env) == before else "after")
        if content(env) == before:
            do(env)
        assert content(env) == after
        assert go_on(env, 2) == following
    assert {"before", "refused"} <= ends


@every_game
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("does", ["step", "end", "reset"])
def test_ctrl_c_at_any_line_of_a_game_of_turns(game: str, wrapped: bool, does: str) -> None:
    def made() -> Any:
        face = AEC(game, mask_in="info")
        env = TurnBasedParallel(face) if wrapped else face
        env.reset(seed=SEED)
        return env

    def play(env: Any, action: int) -> None:
        env.step({env.unwrapped.agent_selection: action} if wrapped else action)

    def do(env: Any) -> None:
        legal = np.flatnonzero(env.unwrapped.batch.mask[0])
        if does == "reset":
            env.reset(seed=8)
        else:
            play(env, int(legal[-1]) if does == "step" else env.unwrapped.game.actions)

    def told(env: Any) -> Any:
        face = env.unwrapped
        position = face.batch.states.tobytes(), face.batch.mask.tobytes(), face.infos
        return str((env.agents, face.agent_selection, face.rewards, face.terminations, position))

    twin = made()
    before = told(twin)
    do(twin)
    after, ends, at = told(twin), set(), 0
    refusals = BoyiError if wrapped else ValueError  # PettingZoo has its own words for an agent whose game has ended
    while True:
        at += 1
        env = made()
        if not interrupted(partial(do, env), at):
            break
        try:
            play(copy.deepcopy(env), int(env.unwrapped.batch.mask[0].argmax()))
        except refusals:
            if told(env) != after:
                ends.add("refused")
                env.reset(seed=SEED)
                do(env)
        else:
            ends.add("before" if told(env) == before else "after")
            if told(env) == before:
                do(env)
        assert told(env) == after
    assert {"before", "refused"} <= ends
