"""AlphaZero's learner by hand-made cases: samples and outcomes, images, schedules, gate; and that planted bugs show."""

import importlib.util
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from boyi.baselines.learning import alphazero, self_play
from boyi.baselines.learning import samples as kept_samples
from boyi.baselines.learning.alphazero_params import PARAMS
from boyi.baselines.learning.samples import Drawn, images, picture, positions, sample_form
from boyi.baselines.search.guided import GuidedSearch
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import step_one
from boyi.envs.engine.spec import check_params
from boyi.envs.faces.frame import Frame
from boyi.envs.faces.symmetry import symmetries

TINY: dict[str, Any] = {
    "network": "mlp", "choices": {"hidden": [8]}, "precision": "float32", "envs": 6, "halves": 2, "moves": 3,
    "sims": 6, "quick_sims": 3, "learning_starts": 20, "batch_size": 8, "threads": 1, "temperature_plies": 3,
}  # fmt: skip


def learner(game: Any = "hex:board_size=3", az: ModuleType = alphazero, **changes: Any) -> Any:
    return az.AlphaZero(game, **{**TINY, **changes})


def raw(states: np.ndarray) -> np.ndarray:
    """Look at records as bytes."""
    return states.view(np.dtype((np.void, states.dtype.itemsize)))


def samples_of(az: ModuleType) -> ModuleType:
    """Find the module that a learner takes its samples from."""
    return sys.modules[az.Window.__module__]


def values(**changes: Any) -> dict[str, Any]:
    return check_params("alphazero", PARAMS, changes)


def played(az: ModuleType, game: str, moves: int, **changes: Any) -> tuple[Any, list[tuple[np.ndarray, int]], Any]:
    """Play on; return the samples of ended games, each decision as it was made with its game, and the games' returns.

    Every decision is a record and the number of its game; the returns (seats,) are those of that game.
    """
    model = learner(game, az, **changes)
    play = model.playing[0][0]
    play.evaluator.refresh(model.net)
    decisions: list[tuple[np.ndarray, int]] = []
    returns: dict[int, np.ndarray] = {}
    numbers = np.arange(play.count.size)
    step = play.batch.step

    def watched(actions: np.ndarray, rows: np.ndarray) -> Any:
        before = play.batch.states
        for row in range(numbers.size):
            decisions.append((before[row : row + 1].copy(), int(numbers[row])))
        rewards, over, cut = step(actions, rows)
        for row in np.flatnonzero(over | cut):
            returns[int(numbers[row])] = rewards[row].copy()
            numbers[row] = numbers.max() + 1
        return rewards, over, cut

    play.batch.step = watched
    return play.play(moves, dict.fromkeys(az.SUMS, 0.0)), decisions, returns


# What the checks check is also checked: see `PLANTED`.


def check_outcomes(az: ModuleType) -> None:
    """Every decision of every ended game is a sample, and its outcome is its mover's return.

    In Amazons a seat acts three times before the other does.
    """
    for game in ("hex:board_size=3", "amazons:board_size=4", "einstein:board_size=3,stones=2"):
        samples, decisions, returns = played(az, game, 40)
        wanted = [
            (str(state[0]), float(returns[number][state["to_move"][0]]))
            for state, number in decisions
            if number in returns
        ]
        states = positions(find(game), samples)
        found = [(str(state), float(outcome)) for state, outcome in zip(states, samples["outcome"], strict=True)]
        assert len(found) > 20 and len({outcome for _, outcome in found}) > 1
        assert sorted(found) == sorted(wanted), game


def check_images(az: ModuleType) -> None:
    """An image of a sample is the image of its position: what is seen, what is legal, what was found."""
    for name, encoder in (("gomoku:board_size=5", None), ("einstein", "policy42"), ("hex:board_size=3", "neurohex")):
        frame = Frame(find(name), encoder)
        game, rng = frame.game, np.random.default_rng(0)
        batch = Batch(game, 12, seed=1, encoder=frame.encoder)
        for _ in range(3):
            batch.step(batch.sample())
        view = batch.view()
        samples = np.zeros(view.row.size, sample_form(game, values()))
        samples["state"] = raw(view.states)
        samples["policy"] = rng.random(view.mask.shape) * view.mask
        samples["outcome"] = rng.choice([-1.0, 1.0], view.row.size)
        numbers, actions = symmetries(game, frame.encoder)
        plain = view.observe(frame.encoder).reshape(view.row.size, -1)
        tables = samples_of(az).images(frame, "game")
        assert len(tables[0]) == len(numbers) > 1
        for i in range(len(numbers)):
            which = np.full(samples.size, i)
            x, mask, policy, target, *_ = samples_of(az).picture(frame, samples, tables, which, 1.0)
            assert target.tolist() == samples["outcome"].tolist()
            for k, seat in enumerate(view.seat):
                seen = np.zeros(plain.shape[1])
                seen[numbers[i]] = plain[k]
                assert x[k].ravel().tolist() == seen.tolist()
                legal, found = np.zeros(game.actions), np.zeros(game.actions)
                legal[actions[i]] = frame.mask(view.mask[k], int(seat))
                found[actions[i]] = frame.mask(samples["policy"][k], int(seat))
                assert mask[k].tolist() == legal.tolist()
                assert policy[k] == pytest.approx(found)


class Fixed(nn.Module):
    """A network that says what it is told."""

    def __init__(self, logits: np.ndarray, values: np.ndarray) -> None:
        super().__init__()
        self.logits, self.values = torch.from_numpy(logits), torch.from_numpy(values)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.logits, self.values


def check_losses(az: ModuleType) -> None:
    """The losses are the published ones, over legal actions alone."""
    rng = np.random.default_rng(3)
    logits, mask = rng.normal(size=(5, 9)).astype(np.float32), (rng.random((5, 9)) < 0.6).astype(np.int8)
    mask[:, 0] = 1
    logits[mask == 0] += 20
    policy = rng.random((5, 9)) * mask
    policy = (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32)
    said, target = rng.uniform(-1, 1, (2, 5)).astype(np.float32)
    model = learner(az=az)
    model.net = Fixed(logits, said)
    found = model.losses(Drawn(np.zeros((5, 3, 3, 3), np.float32), mask, policy, target))
    expected = 0.0
    for k in range(5):
        legal = np.flatnonzero(mask[k])
        total = np.log(np.exp(logits[k, legal].astype(float)).sum())
        expected -= float((policy[k, legal] * (logits[k, legal] - total)).sum()) / 5
    assert found["policy_loss"].item() == pytest.approx(expected, rel=1e-5)
    assert found["value_loss"].item() == pytest.approx(float(((said - target) ** 2).mean()), rel=1e-5)


def check_learning(az: ModuleType) -> None:
    """Steps on one position teach its policy and its value, and steps go down the loss."""
    model = learner(az=az, learning_rate=0.01, weight_decay=0.0, window=8, draws=1.0)
    batch = Batch("hex:board_size=3", 1, seed=0)
    batch.step([0])
    view = batch.view()
    sample = np.zeros(8, sample_form(batch.game, model.values))
    sample["state"], sample["policy"][:, 8], sample["outcome"] = raw(view.states), 1.0, -1.0
    model.windows[0].extend(sample)
    model._learn(200)
    priors, values = model.evaluator(batch.game, model.net).evaluate(view.states, view.seat)
    # The sample and its half turn, in which the stone of a1 and the move at c3 would change places.
    assert priors[0].argmax() == 8 and priors[0, 8] > 0.9 and values[0] < -0.9


CHECKS: dict[str, Callable[[ModuleType], None]] = {
    check.__name__: check for check in (check_outcomes, check_images, check_losses, check_learning)
}


@pytest.mark.kernels
@pytest.mark.parametrize("name", CHECKS)
def test_the_learner(name: str) -> None:
    CHECKS[name](alphazero)


MOVER = '[positions(self.game, ended)["to_move"]]'
SEATS = 'states["to_move"].astype(np.int64)'
PLANTED = {
    "sign of the outcome": ('ended["outcome"] = outcomes', 'ended["outcome"] = -outcomes'),
    "outcome of the other seat": (MOVER, MOVER.replace("[positions", "[1 - positions")),
    "outcome by the parity of plies": (MOVER, MOVER.replace('["to_move"]', '["ply"] % 2')),
    "last decision left out": ("many = int(self.count[row])", "many = int(self.count[row]) - 1"),
    "decisions of the game before": ("self.count[row] = self.plies[row] = 0", "self.plies[row] = 0"),
    "image of the numbers the wrong way round": ("np.argsort(numbers, axis=1)", "numbers"),
    "image of the actions the wrong way round": ("np.argsort(actions, axis=1)", "actions"),
    "image of the policy left out": ('turned(samples["policy"])', 'frame.masks(samples["policy"], seats)'),
    "policy in the frame of the game": (
        'turned(samples["policy"])',
        'np.take_along_axis(samples["policy"], places, axis=1)',
    ),
    "policy over illegal actions": (".masked_fill(legal == 0, -1e9)", ""),
    "sign of the policy's loss": ("-(policy * logs)", "(policy * logs)"),
    "sign of the value": ("mse_loss(values, target)", "mse_loss(-values, target)"),
    "seen from the other seat": (f"seats, rows = {SEATS}", f"seats, rows = 1 - {SEATS}"),
}
"""Bugs of a learner: what stands there, and what would be wrong instead."""


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_bug_is_found(what: str) -> None:
    old, new = PLANTED[what]
    sources = [Path(str(module.__file__)).read_text() for module in (kept_samples, self_play, alphazero)]
    assert sum(source.count(old) for source in sources) == 1, what
    with ExitStack() as stack:
        for source, name in zip(sources, ("planted_samples", "planted_self_play", "planted"), strict=True):
            spec = importlib.util.spec_from_loader(f"boyi.baselines.learning.{name}", None)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            module.__package__ = "boyi.baselines.learning"
            sys.modules[spec.name] = module
            stack.callback(sys.modules.pop, spec.name)
            source = source.replace(old, new)
            for own in ("samples", "self_play"):
                source = source.replace(f"from .{own} import", f"from .planted_{own} import")
            exec(compile(source, what, "exec"), module.__dict__)
        for check in CHECKS.values():
            try:
                check(module)
            except AssertionError:
                return
    pytest.fail(f"nothing shows that the learner has this bug: {what}")


# Self-play


def test_quick_searches_leave_no_samples_and_have_no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[np.ndarray, np.ndarray]] = []
    search = GuidedSearch.search

    def watched(self: GuidedSearch, view: Any, sims: Any, **rest: Any) -> Any:
        asked.append((np.asarray(sims), rest["noise"].share))
        found = search(self, view, sims, **rest)
        assert (found.visits.sum(axis=1) >= np.asarray(sims) - 1).all()
        return found

    monkeypatch.setattr(GuidedSearch, "search", watched)
    samples, decisions, returns = played(alphazero, "hex:board_size=3", 60, full_share=0.3)
    sims, shares = (np.concatenate(parts) for parts in zip(*asked, strict=True))
    assert set(sims.tolist()) == {3, 6}
    assert (shares[sims == 3] == 0).all() and (shares[sims == 6] == 0.25).all()
    share = len(samples) / sum(number in returns for _, number in decisions)
    assert 0.15 < share < 0.45 and abs((sims == 6).mean() - 0.3) < 0.12


def test_half_of_the_openings_are_random_and_not_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphazero.SelfPlay, "_choose", lambda self, view, found: view.mask.argmax(axis=1))
    play = learner(envs=200, halves=1, sims=2, opening=1).playing[0][0]
    play.play(1, dict.fromkeys(alphazero.SUMS, 0.0))
    boards = play.batch.states["board"].reshape(200, 9)
    astray = play.count == 0
    assert 70 < astray.sum() < 130
    assert (boards[~astray, 0] == 1).all() and boards[astray].any(axis=0).all()
    play.play(1, dict.fromkeys(alphazero.SUMS, 0.0))
    assert (play.count == np.where(astray, 1, 2)).all()


def test_targets_mix_outcome_and_search() -> None:
    frame = Frame(find("hex:board_size=3"))
    batch = Batch("hex:board_size=3", 2, seed=0)
    samples = np.zeros(2, sample_form(batch.game, values()))
    samples["state"], samples["outcome"], samples["value"] = raw(batch.states), [1.0, -1.0], [0.5, 0.25]
    tables = images(frame, "none")
    for share, wanted in ((1.0, [1.0, -1.0]), (0.0, [0.5, 0.25]), (0.75, [0.875, -0.6875])):
        target = picture(frame, samples, tables, np.zeros(2, np.int64), share).target
        assert target.tolist() == pytest.approx(wanted)


@pytest.mark.parametrize(
    "values", [{"temperature": 1.0}, {"temperature": 0.0}, {"noise": "published", "temperature": 0.0}]
)
def test_temperature_holds_for_the_first_plies(values: dict[str, Any]) -> None:
    """After them, and at temperature 0 from the start, the most visited move is played, whatever noise is mixed in."""
    model = learner(envs=200, halves=1, sims=12, dirichlet=1.0, **values)
    play = model.playing[0][0]
    play.evaluator.refresh(model.net)
    drawn = []
    for _ in range(5):
        view = play.batch.view()
        full = np.ones(view.row.size, np.bool_)
        found = play.search.search(view, 12, noise=play._noise(view, full))
        actions = play._choose(view, found)
        assert view.mask[np.arange(200), actions].all()
        most = found.visits[np.arange(200), actions] == found.visits.max(axis=1)
        drawn.append((view.states["ply"], most))
        play.batch.step(actions)
    ply, most = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    assert most[ply >= 3].all()
    assert most[ply < 3].all() == (values["temperature"] == 0.0)


def test_published_noise_with_a_temperature_changes_moves() -> None:
    model = learner(envs=200, halves=1, sims=12, noise="published", temperature=1.0, noise_share=0.9, dirichlet=1.0)
    play = model.playing[0][0]
    view = play.batch.view()
    found = play.search.search(view, 12, noise=None)
    actions = play._choose(view, found)
    assert view.mask[np.arange(200), actions].all()
    assert (found.visits[np.arange(200), actions] < found.visits.max(axis=1)).any()


# Remembering


def test_a_window_keeps_the_newest_and_grows() -> None:
    frame_values = {**alphazero.check_params("alphazero", alphazero.PARAMS, {}), "window": 10, "window_growth": 0.5}
    window = alphazero.Window(find("hex:board_size=3"), "planes", {**frame_values, "buffer_size": 25})
    sizes = []
    for k in range(12):
        samples = np.zeros(7, window.samples.dtype)
        samples["outcome"] = np.arange(7) + 7 * k
        window.extend(samples)
        sizes.append(window.size)
        places = (window.total - 1 - np.arange(window.size)) % 25
        newest = 7 * (k + 1) - 1 - np.arange(window.size)
        assert window.samples["outcome"][places].tolist() == newest.tolist()
    assert sizes[:5] == [7, int(10 * 1.4**0.5), int(10 * 2.1**0.5), int(10 * 2.8**0.5), int(10 * 3.5**0.5)]
    assert sizes[-1] == min(25, int(10 * 8.4**0.5)) == 25 or sizes[-1] == int(10 * 8.4**0.5)
    window.extend(np.zeros(60, window.samples.dtype))
    assert window.size == 25 or window.size == int(10 * (window.total / 10) ** 0.5)
    assert (window.samples["outcome"] == 0).all()


# Schedules and gate


def test_the_learning_rate_is_divided_by_games() -> None:
    model = learner(decay_games=100, decay=10.0, learning_rate=0.01)
    model.windows[0].extend(np.repeat(sample_of(model), 8))
    for finished, rate in ((0, 0.01), (99, 0.01), (100, 0.001), (250, 0.0001)):
        model.finished = finished
        model._learn(1)
        assert model.optimizer.param_groups[0]["lr"] == pytest.approx(rate)


def sample_of(model: Any) -> np.ndarray:
    sample = np.zeros(1, model.windows[0].samples.dtype)
    sample["state"] = raw(Batch(model.games[0], 1, seed=0).states)
    sample["policy"][0, 0] = 1.0
    return sample


def test_a_long_gradient_is_clipped() -> None:
    changes = []
    for clip in (0.0, 1e-6):
        model = learner(optimizer="sgd", momentum=0.0, weight_decay=0.0, clip=clip, learning_rate=1.0)
        model.windows[0].extend(np.repeat(sample_of(model), 8))
        before = [p.detach().clone() for p in model.net.parameters()]
        model._learn(1)
        steps = [(p.detach() - q).abs().max().item() for p, q in zip(model.net.parameters(), before, strict=True)]
        changes.append(max(steps))
    assert changes[0] > 1e-3 and 0 < changes[1] < 2e-6


def test_so_many_steps_as_samples_call_for() -> None:
    model = learner(draws=2.0, learning_starts=30)
    seen = 0
    while model.updates < 20:
        model.round()
        seen = sum(window.total for window in model.windows)
    assert model.updates == pytest.approx(2.0 * seen / 8, abs=2.0 * 30 / 8 + 1)


def test_the_gate_lets_the_better_network_play() -> None:
    model = learner(gate_interval=10, gate_threshold=0.55)
    with torch.no_grad():
        next(model.net.parameters()).add_(1.0)
    one = next(model.best.parameters()).detach().clone()
    assert not model.gate(lambda newest, best: 0.54)
    assert torch.equal(next(model.best.parameters()), one) and model.promotions == 0
    asked: list[Any] = []
    assert model.gate(lambda newest, best: asked.append((newest, best)) or 0.55)  # type: ignore[func-returns-value]
    assert asked == [(model.mean, model.best)]
    assert torch.equal(next(model.best.parameters()), next(model.net.parameters())) and model.promotions == 1


def test_without_a_gate_the_newest_plays() -> None:
    model = learner(learning_starts=0, learning_rate=0.1)
    while model.updates < 5:
        model.round()
    model.values = {**model.values, "draws": 0.0}
    model.round()
    own = dict(model.net.state_dict())
    for play in (play for plays in model.playing for play in plays):
        assert all(torch.equal(tensor, own[name]) for name, tensor in play.evaluator.net.state_dict().items())


# Repeatability


def weights(model: Any) -> list[bytes]:
    return [tensor.numpy().tobytes() for tensor in model.net.state_dict().values()]


@pytest.mark.parametrize("root", ["puct", "gumbel"])
@pytest.mark.parametrize("game", ["hex:board_size=3", "einstein:board_size=3,stones=2"])
def test_same_seed_same_weights_whatever_the_threads(game: str, root: str) -> None:
    found = []
    for seed, threads in ((1, 1), (1, 2), (2, 1)):
        model = learner(game, seed=seed, root=root, threads=threads)
        for _ in range(8):
            model.round()
        assert model.updates > 5
        found.append(weights(model))
    assert found[0] == found[1] != found[2]


def test_one_network_learns_several_boards() -> None:
    model = learner(
        ["hex:board_size=3", "hex:board_size=4"], network="board", choices={"channels": 4, "blocks": 1}, envs=4
    )
    for _ in range(10):
        model.round()
    assert all(window.total > 0 for window in model.windows) and model.updates > 0
    assert model.decisions == 10 * 3 * 4 * 2
    with pytest.raises(
        BoyiError, match=r"network mlp has other weights for hex:board_size=4 than for hex:board_size=3"
    ):
        learner(["hex:board_size=3", "hex:board_size=4"])


@pytest.mark.parametrize(
    ("games", "values", "says"),
    [
        ("mahjong", {}, "alphazero cannot learn mahjong: that takes two seats, zero sum and nothing hidden"),
        ([], {}, "alphazero learns one game or several different ones"),
        (["hex", "hex"], {}, "alphazero learns one game or several different ones"),
        ("hex", {"sims": 1}, "alphazero: sims must be a whole number from 2"),
        ("hex", {"gate_games": 3}, "gate_games must be an even number"),
        ("hex", {"network": "policy42_value36"}, "network policy42_value36 sees EinStein by the encoder policy42"),
        ("hex", {"simulations": 3}, "unknown parameter of alphazero 'simulations'"),
    ],
)
def test_what_does_not_fit_is_refused(games: Any, values: dict[str, Any], says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        alphazero.AlphaZero(games, **values)


def test_a_position_of_a_sample_can_be_played_on() -> None:
    samples, _, _ = played(alphazero, "hex:board_size=3", 20)
    step = bind(step_one, find("hex:board_size=3"))
    states = positions(find("hex:board_size=3"), samples)
    for k in range(20):
        before = int(states["ply"][k])
        step(states[k : k + 1], int(samples["policy"][k].argmax()))
        assert states["ply"][k] == before + 1


def test_learning_ends_where_the_policy_has_moved_far_enough() -> None:
    """A round's minibatches, of which the first always counts; and how far, as the definition says."""
    stepped = {}
    for stop in (0.0, 1e-9, 0.02, 100.0):
        model = learner(kl_stop=stop, draws=40.0, learning_rate=0.01)
        counts = []
        for _ in range(12):
            before = model.updates
            model.round()
            counts.append(model.updates - before)
        stepped[stop] = [count for count in counts if count]
        assert ("train/divergence" in model.figures()) == (stop > 0.0)
    assert stepped[0.0] == stepped[100.0] and min(stepped[0.0]) > 20
    assert set(stepped[1e-9]) == {1}
    assert 1 < max(stepped[0.02]) < max(stepped[0.0])


def test_divergence_is_that_of_kullback_and_leibler() -> None:
    model, before = learner(), learner(seed=1).net
    rng = np.random.default_rng(0)
    x, mask = rng.random((5, 3, 3, 3), np.float32), (rng.random((5, 9)) < 0.6).astype(np.int8)
    mask[:, 4] = 1
    with torch.no_grad():
        # Networks are quiet at first.
        for weights in (*before.parameters(), *model.net.parameters()):
            weights *= 5
        old, new = (
            torch.where(torch.from_numpy(mask) > 0, net(torch.from_numpy(x))[0], -torch.inf).softmax(1)
            for net in (before, model.net)
        )
    wanted = [
        sum(p * np.log(p / q) for p, q in zip(*pair, strict=True) if p > 0)
        for pair in zip(old.tolist(), new.tolist(), strict=True)
    ]
    drawn = Drawn(x, mask, np.zeros((5, 9), np.float32), np.zeros(5, np.float32))
    assert model.divergence(before, drawn) == pytest.approx(np.mean(wanted), rel=1e-4) and np.mean(wanted) > 0.01
    assert model.divergence(model.net, drawn) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.kernels
def test_playouts_may_value_leaves_in_place_of_the_network() -> None:
    """Each from the position alone, as random games are worth on average; the priors are the network's."""
    model = learner("hex:board_size=4", leaf="playout")
    batch = Batch("hex:board_size=4", 400, seed=3)
    for _ in range(5):
        batch.step(batch.sample())
    view = batch.view()
    judge, plain = (learner("hex:board_size=4", leaf=leaf) for leaf in ("playout", "network"))
    judge, plain = (each.evaluator(batch.game, model.net) for each in (judge, plain))
    kept = view.states.copy()
    priors, values = judge.evaluate(view.states, view.seat)
    assert (view.states == kept).all() and (priors == plain.evaluate(view.states, view.seat)[0]).all()
    assert set(values.tolist()) == {-1.0, 1.0}
    assert (values == judge.values(view.states, view.seat)).all()
    assert (values[7:9] == judge.evaluate(view.states[7:9], view.seat[7:9])[1]).all()
    assert (values == -judge.values(view.states, 1 - view.seat)).all()
    ends = []
    for seed in range(20):
        games = Batch("hex:board_size=4", 400, seed=100 + seed, encoder=None)
        games.states = view.states
        seats, over = view.seat, np.zeros(400)
        while (rows := np.flatnonzero(games.to_move >= 0)).size:
            returns, ended, _ = games.step(games.sample()[rows], rows)
            over[rows[ended]] = returns[ended, seats[rows[ended]]]
        ends.append(over.mean())
    assert abs(values.mean() - np.mean(ends)) < 0.15
    samples, _, _ = played(alphazero, "hex:board_size=3", 20, leaf="playout")
    assert len(samples) > 20
