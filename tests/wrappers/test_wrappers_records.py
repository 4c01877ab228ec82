"""`RecordGames`: every finished game is a line that replays, dice and all, from whatever environment it comes."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from msgspec.structs import replace
from playing import lot

from boyi.baselines.command.play import draw_pages
from boyi.envs import Batch, BoyiError, View
from boyi.envs.records.files import read_lines
from boyi.envs.records.game_record import GameRecord, positions, read_game
from boyi.wrappers import RandomOpening, RecordGames, SymmetryAugment, vector


def read_all(path: Path) -> list[GameRecord]:
    return [read_game(path, number) for number in range(1, len(read_lines(path)) + 1)]


def play_out(env: Any, seed: int | None) -> dict[str, Any]:
    """Play a game by lot; return the last info."""
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        observation, _, over, _, info = env.step(lot(observation["action_mask"], 1))
    return info


def test_lines_replay_to_the_games_that_were_played(tmp_path: Path) -> None:
    """Later episodes have dice of their own; opening and image are part of what happened, not of how it is written."""
    path = tmp_path / "games.jsonl"
    options: dict[str, Any] = {"board_size": 3, "stones": 2, "seat": "random", "opponent": "mcts:sims=5"}
    env = RecordGames(RandomOpening(SymmetryAugment(gym.make("boyi/EinStein-v0", **options)), 1), path)
    played = []
    for seed in (11, None, None, 14):
        info = play_out(env, seed)
        played.append((env.unwrapped.batch.states[0], info["returns"].tolist(), info["seat"]))
    records = read_all(path)
    assert [(record.seed, record.episode) for record in records[::3]] == [(11, 0), (14, 0)]
    assert records[0].episode < records[1].episode < records[2].episode
    assert [record.index for record in records] == [0, 1, 2, 3]
    for record, (state, returns, seat) in zip(records, played, strict=True):
        _, states = positions(record, "here")
        assert states[-1].tobytes() == state.tobytes()
        assert (record.returns, record.ended) == (returns, "over")
        assert record.seats[seat] == "learner" and record.seats[1 - seat] == "mcts:sims=5"
        assert sum(record.decisions.values()) == record.plies == len(record.names)
        assert set(record.agents) == {"learner", "mcts:sims=5"}
        assert len(draw_pages(record, "here")) == record.plies + 1


def test_a_record_of_another_episode_does_not_replay(tmp_path: Path) -> None:
    env = RecordGames(gym.make("boyi/EinStein-v0"), tmp_path / "games.jsonl")
    for seed in (1, None):
        play_out(env, seed)
    second = read_all(tmp_path / "games.jsonl")[1]
    with pytest.raises(BoyiError, match="does not replay"):
        positions(replace(second, episode=0), "here")


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_rows_write_what_single_environments_write(tmp_path: Path, mode: str) -> None:
    rows = gym.make_vec("boyi/EinStein-v0", 3, board_size=3, stones=2, autoreset_mode=mode)
    with pytest.raises(BoyiError, match="this batch keeps no actions"):
        rows.unwrapped.batch.history(0)
    rows = vector.RecordGames(rows, tmp_path / "rows.jsonl")
    rows.reset(seed=4)
    for _ in range(30):
        rows.step(rows.action_masks().argmax(axis=1))
    wrote = {(record.seed, record.episode): record for record in read_all(tmp_path / "rows.jsonl")}
    assert {seed for seed, _ in wrote} == {4, 5, 6} and len(wrote) > 6
    for row in range(3):
        env = RecordGames(gym.make("boyi/EinStein-v0", board_size=3, stones=2), tmp_path / f"{row}.jsonl")
        env.reset(seed=4 + row)
        while env.unwrapped.batch.episodes[0] < 2:
            over = env.step(int(env.action_masks().argmax()))[2]
            if over:
                env.reset()
        for record in read_all(tmp_path / f"{row}.jsonl"):
            twin = wrote[record.seed, record.episode]
            assert replace(twin, index=0) == replace(record, index=0)


class Corner:
    """Plays the first legal action, and is no agent of ours."""

    def act(self, view: View) -> np.ndarray:
        return view.mask.argmax(axis=1)


def test_seats_are_named_by_who_plays_them(tmp_path: Path) -> None:
    from boyi.baselines.agents import make_env

    for number, (opponent, names) in enumerate(
        {"self": ["learner", "learner"], "random": ["learner", "random"], Corner(): ["learner", "Corner"]}.items(), 1
    ):
        env = make_env("hex:board_size=3", "self" if opponent == "self" else "random")
        if opponent != "self":
            env.seating.opponents = [opponent] if isinstance(opponent, Corner) else env.seating.opponents
        play_out(RecordGames(env, tmp_path / "games.jsonl"), 3)
        assert read_game(tmp_path / "games.jsonl", number).seats == names
    own = make_env("hex:board_size=3", lambda observation, mask: int(mask.argmax()))
    play_out(RecordGames(own, tmp_path / "games.jsonl"), 3)
    assert read_game(tmp_path / "games.jsonl", 4).seats[1].startswith("test_wrappers_records:test_seats_are_named")


def test_a_forfeit_is_written_without_the_illegal_action(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = RecordGames(gym.make("boyi/Hex-v0", board_size=3, opponent="self"), path)
    rows = vector.RecordGames(gym.make_vec("boyi/Hex-v0", 2, board_size=3, opponent="self"), path)
    env.reset(seed=0)
    env.step(4)
    env.step(4)
    rows.reset(seed=0)
    rows.step(np.array([4, 4]))
    rows.step(np.array([4, 5]))
    single, row = read_all(path)
    for record in (single, row):
        assert (record.actions, record.names, record.ended) == ([4], ["b2"], "forfeit")
        assert record.returns == [0.0, -1.0]
        assert draw_pages(record, "here")[-1].endswith("Forfeited. seat 0 (learner) wins.")


def test_a_cut_game_is_written_as_such(tmp_path: Path) -> None:
    import toy

    from boyi.baselines.agents import make_env

    env = RecordGames(make_env(toy.SPEC, "self", side=2, limit=4), tmp_path / "games.jsonl")
    observation, _ = env.reset(seed=2)
    for k in range(4):
        observation, *_ = env.step(lot(observation["action_mask"], k))
    record = read_game(tmp_path / "games.jsonl")
    assert (record.ended, record.plies, record.returns) == ("cut", 4, [0.0, 0.0, 0.0])


def test_a_position_set_by_hand_cannot_be_recorded(tmp_path: Path) -> None:
    env = RecordGames(gym.make("boyi/Hex-v0", board_size=3, opponent="self"), tmp_path / "games.jsonl")
    other = Batch("hex:board_size=3", 1, seed=0)
    other.step([0])
    env.reset(seed=0)
    env.unwrapped.batch.states = other.states
    env.unwrapped._mover = 1
    for action in (1, 3, 4):
        env.step(action)
    with pytest.raises(BoyiError, match="row 0 did not begin at the start of a game; call reset"):
        env.step(6)
