"""What AlphaZero learns besides: what comes next, who owns what, surprise, even openings, means, and others' games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.learning.alphazero import AlphaZero
from boyi.baselines.learning.lessons import Lessons
from boyi.baselines.learning.policy_value import Board
from boyi.baselines.learning.samples import images, picture, positions
from boyi.baselines.learning.self_play import SUMS, divergence
from boyi.baselines.search.guided import GuidedSearch
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import step_one
from boyi.envs.faces.frame import Frame
from boyi.envs.records.game_record import read_game

GAME = find("hex:board_size=3")
TINY: dict[str, Any] = {
    "network": "board", "choices": {"channels": 4, "blocks": 1, "auxiliary": True}, "precision": "float32", "envs": 8,
    "halves": 1, "threads": 1, "moves": 40, "sims": 6, "quick_sims": 3, "learning_starts": 10**6, "batch_size": 16,
    "seed": 3,
}  # fmt: skip


def learner(games: Any = GAME, **changes: Any) -> AlphaZero:
    return AlphaZero(games, **{**TINY, **changes})


def games_of(samples: np.ndarray) -> list[np.ndarray]:
    """Part samples into games: where the last position is another, or the ply an earlier one."""
    plies, ends = positions(GAME, samples)["ply"], positions(GAME, samples, "end")
    return np.split(samples, np.flatnonzero((np.diff(plies) <= 0) | (ends[1:] != ends[:-1])) + 1)


# What comes next, and who owns what at the end


def test_a_sample_knows_what_is_played_next_and_how_the_game_ends() -> None:
    model = learner(reply_weight=0.5, owner_weight=0.5, full_share=0.5)
    model.round()
    window = model.windows[0]
    samples, step, checked = window.samples[: window.total], bind(step_one, GAME), 0
    assert samples.size > 50
    for game in games_of(samples):
        states, ends = positions(GAME, game), positions(GAME, game, "end")
        assert (ends == ends[0]).all() and ends["to_move"][0] < 0
        for k in range(game.size):
            left = int(ends["ply"][0] - states["ply"][k])
            assert (game["reply"][k] < 0) == (left == 1)
            if k + 1 < game.size and states["ply"][k + 1] == states["ply"][k] + 2:
                # Between two samples that lie two plies apart there was one reply and one other action.
                assert states["board"][k + 1][game["reply"][k]] == 2 - states["to_move"][k]
                checked += 1
            if left == 2:
                last = states[k : k + 1].copy()
                first = np.flatnonzero((ends["board"][0] != 0) & (last["board"][0] == 0))
                played = [a for a in first.tolist() if a != game["reply"][k]]
                step(last, played[0])
                step(last, int(game["reply"][k]))
                assert (last["board"] == ends["board"][:1]).all()
    assert checked > 3


def test_they_are_shown_in_the_frame_and_the_image_of_the_sample() -> None:
    model = learner(reply_weight=0.5, owner_weight=0.5, encoder="oriented")
    model.round()
    window, frame = model.windows[0], Frame(GAME, "oriented")
    samples, tables = window.samples[: window.total], images(frame, "game")
    for image in range(len(tables[0])):
        drawn = picture(frame, samples, tables, np.full(samples.size, image), 1.0)
        assert drawn.reply is not None and drawn.owner is not None
        ends = positions(GAME, samples, "end")
        for k in range(samples.size):
            seat, reply = int(positions(GAME, samples)["to_move"][k]), int(samples["reply"][k])
            wanted = np.zeros(9)
            if reply >= 0:
                wanted[np.flatnonzero(tables[1][image] == frame.seen(reply, seat))] = 1
            assert drawn.reply[k].tolist() == wanted.tolist()
            board = ends["board"][k].reshape(3, 3)
            owner = (board == seat + 1) * 1.0 - (board == 2 - seat)
            owner = (owner.T if seat else owner).ravel()[tables[1][image]]
            assert drawn.owner[k].ravel().tolist() == owner.tolist()


def test_a_network_learns_to_foretell() -> None:
    model = learner(
        choices={"channels": 16, "blocks": 2, "auxiliary": True}, reply_weight=1.0, owner_weight=1.0, learning_rate=0.01
    )
    model.round()
    lost = []
    for steps in (1, 400):
        model._learn(steps)
        figures = model.figures()
        lost.append((figures["train/reply_loss"], figures["train/owner_loss"]))
    assert lost[1][0] < 0.8 * lost[0][0] and lost[1][1] < 0.6 * lost[0][1]
    plain = learner(choices={"channels": 4, "blocks": 1})
    assert "train/reply_loss" not in plain.figures() and not hasattr(plain.net, "owner")


def test_a_network_that_cannot_foretell_is_refused() -> None:
    for choices in ({"channels": 4, "blocks": 1}, {"channels": 4, "blocks": 1, "auxiliary": False}):
        with pytest.raises(BoyiError, match=r"need network=board with choices = \{ auxiliary = true \}"):
            learner(choices=choices, owner_weight=0.1)
    with pytest.raises(BoyiError, match="auxiliary"):
        learner(network="mlp", choices={}, reply_weight=0.1)


def test_all_that_is_foretold_comes_of_the_same_features() -> None:
    net = Board((3, 5, 5), 25, channels=4, blocks=1, auxiliary=True)
    x = torch.rand(6, 3, 5, 5)
    logits, values, reply, owner = net.foretell(x)
    assert reply.shape == (6, 25) and owner.shape == (6, 5, 5) and owner.abs().max() <= 1
    assert torch.equal(net(x)[0], logits) and torch.equal(net(x)[1], values)


# Surprise


def test_surprise_is_the_divergence_of_what_was_found_from_what_was_expected() -> None:
    policies = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    priors = np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.5, 0.3, 0.2]])
    wanted = [0.0, np.log(4), 0.2 * np.log(0.4) + 0.5 * np.log(2.5)]
    assert divergence(policies, priors).tolist() == pytest.approx(wanted)


def test_samples_are_repeated_by_their_surprise() -> None:
    model = learner(surprise=0.5)
    play = model.playing[0][0]
    ended = np.zeros(4, model.windows[0].samples.dtype)
    ended["value"], ended["surprise"] = range(4), [0.0, 1.0, 1.0, 6.0]
    counts = np.zeros(4)
    for _ in range(2000):
        counts += np.bincount(play._weighed(ended)["value"].astype(int), minlength=4)
    assert counts / 2000 == pytest.approx([0.5, 0.75, 0.75, 2.0], abs=0.05)
    ended["surprise"] = 0.0
    assert play._weighed(ended[:0]).size == 0
    model.round()
    window = model.windows[0]
    assert (window.samples["surprise"][: window.total] > 0).any()


# Openings


@pytest.mark.kernels
def test_games_begin_with_the_most_even_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    model = learner(envs=400, opening=2, openings=16, sims=2, quick_sims=2)
    play = model.playing[0][0]
    begun: list[np.ndarray] = []

    def values(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Consider positions even in which two stones lie in the first row."""
        return np.where((states["board"][:, :3] != 0).sum(axis=1) == 2, 0.01, -0.9).astype(np.float32)

    def search(self: GuidedSearch, view: Any, sims: Any, **rest: Any) -> Any:
        begun.append(view.states.copy())
        raise KeyboardInterrupt

    monkeypatch.setattr(play.evaluator, "values", values)
    monkeypatch.setattr(GuidedSearch, "search", search)
    with pytest.raises(KeyboardInterrupt):
        play.play(1, dict.fromkeys(SUMS, 0.0))
    stones = (begun[0]["board"] != 0).sum(axis=1)
    even = (begun[0]["board"][:, :3] != 0).sum(axis=1) == 2
    assert (play.plies == stones).all() and set(stones.tolist()) == {0, 1, 2}
    # Two stones in the first row are 3 of 36 pairs, and two stones a third of the openings: one in 36, of 16 each.
    likely = 1 - (1 - 1 / 36) ** 16
    assert even.mean() == pytest.approx(0.75 * likely + 0.25 / 36, abs=0.08)


@pytest.mark.kernels
def test_openings_that_end_the_game_are_none() -> None:
    model = learner("hex:board_size=1", opening=1, openings=2, choices={"channels": 4, "blocks": 1})
    model.round()
    assert model.finished == 8 * 40 and model.figures()["rollout/game_length"] == 1
    with pytest.raises(BoyiError, match="openings must be 0 for a game with dice"):
        learner("einstein", choices={"channels": 4, "blocks": 1}, openings=2)


# The mean of the weights


def test_the_mean_of_the_weights_plays() -> None:
    model = learner(average=0.8, learning_starts=1, learning_rate=0.01)
    start = [tensor.clone() for tensor in model.net.parameters()]
    seen: list[list[torch.Tensor]] = []
    step = model.optimizer.step

    def watched() -> None:
        step()
        seen.append([tensor.detach().clone() for tensor in model.net.parameters()])

    model.optimizer.step = watched  # type: ignore[method-assign]
    while model.updates < 60:
        model.round()
    mean = start
    for number, weights in enumerate(seen, 1):
        share = min(0.8, number / (number + 9))
        mean = [share * old + (1 - share) * new for old, new in zip(mean, weights, strict=True)]
    for wanted, found in zip(mean, model.mean.parameters(), strict=True):
        assert torch.allclose(wanted, found, atol=1e-6) and not found.requires_grad
    model.values = {**model.values, "draws": 0.0}
    model.round()
    own = dict(model.mean.state_dict())
    for name, tensor in model.playing[0][0].evaluator.net.state_dict().items():
        assert torch.equal(tensor, own[name])
    assert not all(torch.equal(*pair) for pair in zip(model.mean.parameters(), model.net.parameters(), strict=True))


# The games of others


def recorded(path: Path, game: str = "hex:board_size=3", games: int = 130, opening: int = 0) -> Path:
    compete(Match(game, ["random", "mcts:sims=20"], games=games, opening=opening), path)
    return path


def test_recorded_games_are_learned_from_first(tmp_path: Path) -> None:
    path = recorded(tmp_path / "games.jsonl", opening=2)
    model = learner(records=str(path), reply_weight=0.1, owner_weight=0.1, learning_starts=50, draws=2.0)
    record, lesson = read_game(path), model.lessons
    assert lesson is not None
    for taken in (64, 128, 130):
        assert lesson.left
        model.round()
        assert lesson.taken == model.finished == taken
    window = model.windows[0]
    samples = window.samples[: window.total]
    assert model.updates == int(2.0 * window.total / 16) > 0
    some = samples[: record.plies - 2]
    batch = Batch(GAME, 1, 0, encoder=None)
    batch.reset([record.seed])
    for ply, action in enumerate(record.actions):
        if ply >= 2:
            sample = some[ply - 2 : ply - 1]
            assert record.returns is not None
            assert (positions(GAME, sample) == batch.states).all()
            assert sample["policy"][0].tolist() == (np.arange(9) == action).tolist()
            assert sample["outcome"][0] == sample["value"][0] == record.returns[batch.to_move[0]]
            assert sample["reply"][0] == ([*record.actions, -1])[ply + 1]
        batch.step([action])
    assert (positions(GAME, some, "end") == batch.states).all()
    model.round()
    assert lesson.taken == 130 and model.finished > 130


def test_what_cannot_be_learned_from_is_said(tmp_path: Path) -> None:
    path = recorded(tmp_path / "games.jsonl", games=4)
    with pytest.raises(BoyiError, match=r"has a game of hex:board_size=3, this run learns hex:board_size=4"):
        Lessons(path, [find("hex:board_size=4")], learner().values)
    path.write_text(path.read_text() + "nonsense\n")
    with pytest.raises(BoyiError, match=r"games.jsonl, line 5"):
        learner(records=str(path))
    with pytest.raises(BoyiError, match="nowhere"):
        learner(records=str(tmp_path / "nowhere.jsonl"))


def test_games_of_several_kinds_go_where_they_belong(tmp_path: Path) -> None:
    first = recorded(tmp_path / "a.jsonl", games=6).read_text()
    second = recorded(tmp_path / "b.jsonl", "hex:board_size=4", games=4).read_text()
    (tmp_path / "both.jsonl").write_text(first + second)
    model = learner([find("hex:board_size=4"), GAME], records=str(tmp_path / "both.jsonl"))
    model.round()
    assert model.finished == 10 and all(window.total for window in model.windows)
    assert model.windows[1].total == sum(read_game(tmp_path / "a.jsonl", k).plies for k in range(1, 7))
