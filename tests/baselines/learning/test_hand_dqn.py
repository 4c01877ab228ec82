"""Q-learning of mahjong's hands: what is remembered of a hand, what is learned from it, and planted bugs."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hand_roots import root_hands

from boyi.baselines.learning import hand_dqn
from boyi.baselines.learning.hand_dqn import HandDQN, HandPlay, positions
from boyi.baselines.learning.hand_values import NetworkHands
from boyi.baselines.mahjong.search import HandSearch, choose
from boyi.baselines.mahjong.values import PublishedEvaluator
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.view import View
from boyi.envs.mahjong.constants import KINDS, PLANE_HAND

pytestmark = pytest.mark.usefixtures("one_thread")

GAME = find("mahjong")
SMALL: dict[str, Any] = {
    "choices": {"width": 8, "joint": 8}, "evaluator": "published", "alpha": 0.2, "envs": 4, "halves": 1, "moves": 1,
    "search_initial": 0.5, "search_final": 0.5, "exploration_initial_eps": 0.2, "learning_starts": 10**9,
}  # fmt: skip


def shown(states: np.ndarray) -> View:
    batch = Batch(GAME, states.size, seed=0, encoder=None)
    batch.states = states
    return batch.view()


def name_of(state: np.void) -> bytes:
    """Tell positions apart by what the seat to move sees: the rest is dealt anew in whatever an agent is shown."""
    return bytes([int(state["ply"]), int(state["to_move"])]) + shown(np.array([state])).observe("planes").tobytes()


def check_samples(learned: str) -> None:
    """What becomes of every decision is what a plain account of the tables says."""
    learner = HandDQN(**{**SMALL, "learned": learned})
    play, search = learner.playing[0], HandSearch(GAME, 0.2, 1, PublishedEvaluator(GAME))
    told: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    step = play.batch.step

    def watched(actions: np.ndarray) -> Any:
        before = play.batch.states.copy()
        returns, over, cut = step(actions)
        told.append((before, actions.copy(), returns.copy(), over | cut))
        return returns, over, cut

    play.batch.step = watched  # type: ignore[method-assign]
    found = np.concatenate([play.play(1, 0.5, 0.2, dict.fromkeys(hand_dqn.SUMS, 0.0)) for _ in range(260)])

    chains: dict[tuple[int, int], list[tuple[np.void, int]]] = defaultdict(list)
    expected: dict[tuple[bytes, int], tuple[bytes | None, int, float]] = {}
    for before, actions, returns, ended in told:
        for row, (state, action) in enumerate(zip(before, actions.tolist(), strict=True)):
            seat = int(state["to_move"])
            if learned == "all" or action < KINDS:
                chain = chains[row, seat]
                if chain:
                    worth = search.worth(shown(np.array([chain[-1][0]])))
                    reward = 0.1 * worth[choose(worth)] / 1000
                    expected[name_of(chain[-1][0]), chain[-1][1]] = name_of(state), action, reward
                chain.append((state, action))
            if ended[row]:
                for seat in range(4):
                    for last, played in chains.pop((row, seat), [])[-1:]:
                        expected[name_of(last), played] = None, 0, returns[row, seat] / 1000
    names = [
        (name_of(state), int(sample["action"]))
        for state, sample in zip(positions(GAME, found, "state"), found, strict=True)
    ]
    assert len(names) == len(set(names)) and set(names) == set(expected)
    assert found["over"].sum() > 8 and (~found["over"]).sum() > 100
    for name, sample, following in zip(names, found, positions(GAME, found, "next"), strict=True):
        after, follows, reward = expected[name]
        assert sample["over"] == (after is None) and (after is None or name_of(following) == after)
        assert sample["follows"] == follows
        assert sample["reward"] == pytest.approx(reward, rel=1e-4, abs=1e-5)
    assert len(set(np.round(found["reward"][found["over"]], 3))) > 2


def filled(**values: Any) -> HandDQN:
    """Return a learner that has played, its target network unlike the one that learns."""
    learner = HandDQN(**{**SMALL, **values})
    while learner.window.total < 200 or not learner.window.samples["over"][: learner.window.total].any():
        learner.round()
    torch.manual_seed(5)
    for net, scale in ((learner.net, 1.0), (learner.target, 0.7)):
        for weights in net.parameters():
            weights.data = scale * torch.randn_like(weights) / max(weights.shape[-1], 4) ** 0.5
    return learner


def check_targets(double: bool, bootstrap: str = "best") -> None:
    """Sample by sample, from what the two networks say of the position that follows."""
    learner = filled(double=double, bootstrap=bootstrap, symmetry=False, gamma=0.9)
    samples = learner.window.samples[: learner.window.total][-60:]
    samples["over"][:5], which = True, np.zeros(60, np.int64)
    found = learner.targets(samples, which).numpy()
    chosen = set()
    for i, following in enumerate(positions(GAME, samples, "next")):
        expected = float(samples["reward"][i])
        if not samples["over"][i]:
            view = shown(np.array([following]))
            legal = np.flatnonzero(view.mask[0, :KINDS])
            seen = torch.from_numpy(view.observe(learner.frame.encoder))
            with torch.inference_mode():
                online, target = (net(seen)[0].numpy() for net in (learner.net, learner.target))
            action = legal[(online if double else target)[legal].argmax()]
            if bootstrap == "played":
                action = samples["follows"][i]
            chosen.add((int(action), int(online.argmax())))
            expected += 0.9 * target[action]
        assert found[i] == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert any(action != best for action, best in chosen)


def check_images() -> None:
    """A sample's image is learned from as itself: numbers, legal actions and the action go where that puts them."""
    learner = filled()
    samples, count = learner.window.samples[:24], len(learner.images[0])
    assert count == 12
    plain, mask, _ = learner.picture(samples, "state", np.zeros(24, np.int64))
    np.testing.assert_array_equal(plain, shown(positions(GAME, samples, "state")).observe("planes"))
    which = np.arange(24) % count
    seen, legal, _ = learner.picture(samples, "state", which)
    for i in range(24):
        numbers, outputs = learner.images[0][which[i]], learner.images[1][which[i]]
        np.testing.assert_array_equal(seen[i].ravel()[numbers], plain[i].ravel())
        np.testing.assert_array_equal(legal[i][outputs], mask[i])
        assert legal[i, outputs[samples["action"][i]]] == 1
        # What may be discarded is what is held there.
        np.testing.assert_array_equal(legal[i], seen[i, PLANE_HAND].ravel()[:KINDS])


def check_base() -> None:
    """Q is what the published evaluator says of a discard and what the network says, in sum, in any image."""
    learner, one = filled(base="published"), PublishedEvaluator(GAME)
    samples, which = learner.window.samples[:24], np.arange(24) % 12
    for name in ("state", "next"):
        states = positions(GAME, samples, name)
        _, mask, base = learner.picture(samples, name, which)
        for i, state in enumerate(states):
            if state["to_move"] >= 0 and mask[i].any():
                q = one.q(root_hands(np.array([state])))[0] / 1000
                held = np.flatnonzero(state["hand"][state["to_move"]])
                np.testing.assert_allclose(base[i][learner.images[1][which[i], held]], q[held], rtol=1e-4, atol=1e-5)
    x, _, base = learner.picture(samples, "state", which)
    actions = learner.images[1][which, samples["action"]]
    targets = learner.targets(samples, which)
    with torch.inference_mode():
        q = (base + learner.net(x))[np.arange(24), actions]
    expected = torch.nn.functional.mse_loss(q, targets)
    learner.values["loss"] = "mse"
    assert learner.loss(samples, which)[0].item() == pytest.approx(expected.item(), rel=1e-4)
    going = ~samples["over"]
    x, mask, base = learner.picture(samples[going], "next", which[going])
    with torch.inference_mode():
        online, target = ((base + net(x)).masked_fill(mask == 0, -torch.inf) for net in (learner.net, learner.target))
    after = samples["reward"][going] + 0.99 * target.gather(1, online.argmax(1, keepdim=True))[:, 0].numpy()
    np.testing.assert_allclose(targets.numpy()[going], after, rtol=1e-4)


class Told:
    """Stands for rollouts whose points are known: they tell the action, and one that is told from all others."""

    def points(self, states: np.ndarray, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        seats = states["to_move"]
        held = states["hand"][np.arange(states.size), (seats + 1) % 4, 0]  # nobody to move sees it
        points = 1000.0 * actions + 100.0 * seats[:, None] + 10.0 * held[:, None]
        return np.where((actions < 0) | (actions % 5 == 0), np.nan, points)


def check_rollouts() -> None:
    """A decision's best discards and another are played out from where the table is, and learned from as seen."""
    learner = HandDQN(**{**SMALL, "bootstrap": "rollouts", "candidates": 3, "base": "published", "point": 1000.0})
    play = learner.playing[0]
    play.rollouts = Told()  # type: ignore[assignment]
    others = set()
    for _ in range(60):
        view, true = play.batch.view(), play.batch.states.copy()
        discarding = np.flatnonzero(view.mask[:, :KINDS].any(axis=1))
        q = PublishedEvaluator(GAME).q_records(view.states, view.seat)
        q = np.where(view.mask[:, :KINDS] > 0, q, -np.inf)
        found = play._play_out(view, discarding, q)
        assert found["over"].all()
        expected = {}
        for k in discarding:
            seat, order = int(view.seat[k]), np.argsort(-q[k], kind="stable")
            for action in np.flatnonzero(view.mask[k, :KINDS]):
                held = int(true["hand"][k, (seat + 1) % 4, 0])
                reward = action + 0.1 * seat + 0.01 * held
                expected[name_of(view.states[k]), int(action)] = (k, reward, list(order).index(action))
        ranks = defaultdict(list)
        for state, sample in zip(positions(GAME, found, "state"), found, strict=True):
            k, reward, rank = expected[name_of(state), int(sample["action"])]
            assert state.tobytes() == view.states[k].tobytes()
            assert sample["reward"] == pytest.approx(reward) and sample["action"] % 5 > 0
            ranks[k].append(rank)
        for k in discarding:
            best = [rank for rank in (0, 1) if np.argsort(-q[k], kind="stable")[rank] % 5]
            assert set(best) <= set(ranks[k]) and len(set(ranks[k])) == len(ranks[k]) <= len(best) + 1
            others |= set(ranks[k]) - {0, 1}
        play.play(1, 0.5, 0.2, dict.fromkeys(hand_dqn.SUMS, 0.0))
    assert len(others) > 5
    # Such samples are their targets.
    samples = found[np.arange(8) % found.size]
    np.testing.assert_array_equal(learner.targets(samples, np.arange(8)), samples["reward"])


CHECKS: dict[str, Callable[[], None]] = {
    "discards": lambda: check_samples("discards"),
    "all": lambda: check_samples("all"),
    "dqn": lambda: check_targets(False),
    "ddqn": lambda: check_targets(True),
    "sarsa": lambda: check_targets(True, "played"),
    "images": check_images,
    "base": check_base,
    "rollouts": check_rollouts,
}


@pytest.mark.parametrize("name", CHECKS)
def test_the_learner(name: str) -> None:
    CHECKS[name]()


def wrong_seat(self: HandPlay, rows: np.ndarray, returns: np.ndarray) -> np.ndarray:
    return FINISH(self, rows, np.roll(returns, 1, axis=1))


def next_of_another(self: HandPlay, view: View, *rest: Any) -> np.ndarray:
    return LINK(self, view._replace(seat=(view.seat + 1) % 4), *rest)


def every_action(self: HandDQN, samples: np.ndarray, name: str, which: np.ndarray) -> Any:
    x, mask, base = PICTURE(self, samples, name, which)
    return x, torch.ones_like(mask), base


def other_way_round(*args: Any, **values: Any) -> tuple[np.ndarray, np.ndarray]:
    numbers, outputs = IMAGES(*args, **values)
    return numbers, np.argsort(outputs, axis=1)


def in_points(self: NetworkHands, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return BASE(self, states, seats) * 1000


def as_shown(self: HandPlay, view: View, *rest: Any) -> np.ndarray:
    kept, self.batch.states = self.batch.states.copy(), view.states
    found = PLAY_OUT(self, view, *rest)
    self.batch.states = kept
    return found


def worst_first(self: HandPlay, view: View, which: np.ndarray, q: np.ndarray) -> np.ndarray:
    return PLAY_OUT(self, view, which, np.where(np.isfinite(q), -q, q))


PLAY_OUT = HandPlay._play_out
FINISH, LINK, PICTURE, IMAGES = HandPlay._finish, HandPlay._link, HandDQN.picture, hand_dqn.hand_images
BASE = NetworkHands.base_values
BUGS: dict[str, tuple[str, Any, str, Any]] = {
    "the score of another seat": ("discards", HandPlay, "_finish", wrong_seat),
    "what follows is another seat's": ("discards", HandPlay, "_link", next_of_another),
    "illegal discards count": ("ddqn", HandDQN, "picture", every_action),
    "actions go the other way round": ("images", hand_dqn, "hand_images", other_way_round),
    "hands are played out from tiles dealt anew": ("rollouts", HandPlay, "_play_out", as_shown),
    "the worst is played out": ("rollouts", HandPlay, "_play_out", worst_first),
    "the base has all points": ("base", NetworkHands, "base_values", in_points),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check, owner, name, broken = BUGS[bug]
    monkeypatch.setattr(owner, name, broken)
    with pytest.raises((AssertionError, ValueError)):
        CHECKS[check]()


def test_shares_change_from_the_first_to_the_last() -> None:
    learner = HandDQN(**{**SMALL, "search_initial": 1.0, "search_final": 0.2, "search_steps": 100})
    found = []
    for learner.decisions in (0, 50, 100, 1000):
        found.append(learner.share("search_steps", "search_initial", "search_final"))
    assert found == pytest.approx([1.0, 0.6, 0.2, 0.2])


def test_other_games_are_refused() -> None:
    with pytest.raises(BoyiError, match="hand_dqn learns mahjong, not hex"):
        HandDQN("hex")
    with pytest.raises(BoyiError, match="with one, learned must be discards"):
        HandDQN(base="published", learned="all")
    with pytest.raises(BoyiError, match="network suits sees mahjong by the encoder planes"):
        HandDQN(encoder="matrix19")
