"""Self-play in other processes: the games that are ordered, whoever plays them, like those that are played here."""

import multiprocessing
from typing import Any

import numpy as np
import pytest
from mortals import gone
from scipy.stats import chi2_contingency, ks_2samp

from boyi.baselines.learning.alphazero import AlphaZero
from boyi.baselines.learning.samples import positions
from boyi.baselines.learning.self_play import Order, Played, Player
from boyi.envs import BoyiError, find

GAME = find("hex:board_size=3")
TINY: dict[str, Any] = {
    "network": "mlp", "choices": {"hidden": [8]}, "precision": "float32", "envs": 20, "halves": 1, "moves": 3,
    "sims": 6, "learning_starts": 10**6, "opening": 1, "seed": 3,
}  # fmt: skip


def learner(games: Any = GAME, **changes: Any) -> AlphaZero:
    return AlphaZero(games, **{**TINY, **changes})


def kept(model: AlphaZero) -> list[bytes]:
    """All samples, in an order of their own."""
    window = model.windows[0]
    return sorted(sample.tobytes() for sample in window.samples[: window.total])


def figures(model: AlphaZero) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of all samples: the ply, where the policy is highest, and whether the mover has won."""
    window = model.windows[0]
    samples = window.samples[: window.total]
    return positions(GAME, samples)["ply"], samples["policy"].argmax(axis=1), samples["outcome"] > 0


def test_an_order_is_played_alike_by_anybody_and_to_the_end() -> None:
    model = learner()
    order = next(model._orders())
    player = Player(model.games, model.encoder, model.net.choices, model.values)
    other = Player(model.games, model.encoder, model.net.choices, model.values)
    player(Order(0, 99, next(learner(seed=4)._orders()).weights))
    first, second = player(order), other(order)
    assert first.samples.tobytes() == second.samples.tobytes()
    assert first.sums["games"] == 20 and first.sums["decisions"] == first.moves.sum() == first.sums["plies"]
    assert 20 * 4 < first.samples.size <= first.sums["decisions"] and set(first.samples["outcome"]) == {-1.0, 1.0}
    assert player(order._replace(seed=7)).samples.tobytes() != first.samples.tobytes()
    last = [order.weights[name] + 1 for name in order.weights]
    changed = order._replace(weights=dict(zip(order.weights, last, strict=True)))
    assert player(changed).samples.tobytes() != first.samples.tobytes()


@pytest.mark.parametrize("times", [1, 3])
def test_the_same_games_whoever_is_killed(times: int) -> None:
    """Two processes play what one plays; a process that dies is replaced, and its order is given again."""
    one, two = learner(workers=1), learner(workers=2)
    try:
        for _ in range(12):
            one.round()
        for number in range(12):
            two.round()
            if number % 4 == 1 and number < 4 * times:
                multiprocessing.active_children()[number % 2].kill()
    finally:
        one.close()
        two.close()
    orders = learner()._orders()
    player = Player(one.games, one.encoder, one.net.choices, one.values)
    expected = [player(next(orders)) for _ in range(14)]
    for model in (one, two):
        done = _played(kept(model), expected)
        assert len(done) == 12 and (model is two or done == list(range(12)))
        assert model.finished == 12 * 20
        assert model.decisions == sum(expected[number].sums["decisions"] for number in done) == model.moves.sum()


def _played(samples: list[bytes], expected: list[Played]) -> list[int]:
    """Say which orders have been played, each once."""
    left, found = list(samples), []
    for number, played in enumerate(expected):
        theirs = [sample.tobytes() for sample in played.samples]
        if theirs[0] in left:
            for sample in theirs:
                left.remove(sample)
            found.append(number)
    assert not left
    return found


def test_games_are_like_those_that_are_played_here() -> None:
    here, there = learner(envs=100), learner(envs=100, workers=2)
    try:
        while here.finished < 3000:
            here.round()
        while there.finished < 3000:
            there.round()
    finally:
        there.close()
    (ply, best, won), (their_ply, their_best, their_won) = figures(here), figures(there)
    assert ks_2samp(ply, their_ply).pvalue > 0.01
    for ours, theirs, many in ((best, their_best, GAME.actions), (won, their_won, 2)):
        table = np.stack([np.bincount(each, minlength=many) for each in (ours, theirs)])
        assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 0.01
    # And it would be seen if it were not so.
    other = learner(envs=100, sims=2, opening=0)
    while other.finished < 3000:
        other.round()
    table = np.stack([np.bincount(each, minlength=GAME.actions) for each in (best, figures(other)[1])])
    assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue < 1e-6


def test_several_boards_take_turns_and_what_is_learned_is_played_by() -> None:
    model = learner(
        ["hex:board_size=3", "hex:board_size=4"], network="board", choices={"channels": 4, "blocks": 1},
        encoder="oriented", workers=1, learning_starts=100, batch_size=32,
    )  # fmt: skip
    try:
        for _ in range(6):
            model.round()
        assert [window.total > 100 for window in model.windows] == [True, True]
        assert model.updates > 10 and model.finished == 6 * 20 and model.moves.size == 9
        # The process is at the next order, and this one is for after it.
        weights = next(model._orders()).weights
        assert all(np.array_equal(array, model.net.state_dict()[name].numpy()) for name, array in weights.items())
        shares = {name: value for name, value in model.figures().items() if name.startswith("time/")}
        assert 0 < shares["time/network"] < 1 and shares["time/games"] > 0
    finally:
        model.close()
    gone()


def test_what_workers_cannot_be() -> None:
    for values, sentence in (
        ({"workers": -1}, "workers"),
        ({"cluster": "dask"}, "cluster must be"),
    ):
        with pytest.raises(BoyiError, match=sentence):
            learner(**values)
