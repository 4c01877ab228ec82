"""Classifiers that learn what somebody has played: what of it they are shown, and the agent that plays by them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.learning.imitation import CLASSIFIERS, Decisions, accuracy, classify, decisions, imitate, split
from boyi.baselines.learning.model_agent import Card, write_network
from boyi.baselines.learning.networks import Network, build
from boyi.envs import Batch, BoyiError, find
from boyi.envs.faces.frame import Frame
from boyi.envs.mahjong.constants import KINDS, TURN
from boyi.envs.records.game_record import GameRecord

pytestmark = pytest.mark.usefixtures("one_thread")

GAME = find("mahjong")
FRAME = Frame(GAME, "matrix19")


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    """Hands of `greedy`, no two alike."""
    found: list[GameRecord] = []
    compete(Match(GAME, ["greedy"] * 4, games=300, fresh_chance=True), report=found.append)
    return found


@pytest.fixture(scope="module")
def every(records: list[GameRecord]) -> Decisions:
    return decisions(records, FRAME, KINDS)


def test_decisions_are_what_was_seen_and_discarded(records: list[GameRecord], every: Decisions) -> None:
    """Replayed one hand at a time: all seats' discards, in their order within a hand."""
    for game in (0, 7, 299):
        batch, mine, n = Batch(GAME, 1, 0, encoder="matrix19"), every.take(np.flatnonzero(every.games == game)), 0
        batch.reset([records[game].seed])
        for action in records[game].actions:
            if action < KINDS:
                assert batch.states["phase"][0] == TURN
                np.testing.assert_array_equal(mine.x[n], batch.observation[0])
                np.testing.assert_array_equal(mine.masks[n], batch.mask[0, :KINDS])
                assert mine.actions[n] == action
                n += 1
            batch.step([action])
        assert n == len(mine.actions) > 0
    whole = decisions(records[:4], FRAME)
    assert len(whole.actions) == sum(record.plies for record in records[:4]) and whole.masks.shape[1] == GAME.actions


def test_decisions_of_a_turned_board_are_the_seats_own() -> None:
    """In Hex the second seat sees the board, and its own moves, transposed."""
    found: list[GameRecord] = []
    compete(Match("hex:board_size=3,swap=false", ["random", "random"], games=2), report=found.append)
    frame = Frame(find("hex:board_size=3,swap=false"))
    gathered = decisions(found, frame)
    for k, record in enumerate(found):
        own = gathered.actions[gathered.games == k]
        assert own.tolist() == [frame.seen(action, ply % 2) for ply, action in enumerate(record.actions)]
    assert (gathered.masks[np.arange(len(gathered.actions)), gathered.actions] == 1).all()


def test_parts_are_three_to_one_to_one_and_share_no_hand(every: Decisions) -> None:
    parts = split(every)
    assert [len(np.unique(part.games)) for part in parts] == [180, 60, 60]
    assert sum(len(part.actions) for part in parts) == len(every.actions)


class Oracle(Network):
    """Says what was played in decisions that are numbered by their first entry."""

    name = "oracle"

    def __init__(self, actions: np.ndarray, right: int) -> None:
        super().__init__((1,), KINDS)
        self.played = torch.from_numpy(np.where(np.arange(len(actions)) < right, actions, (actions + 1) % KINDS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.one_hot(self.played[x[:, 0].long()], KINDS).float()


def test_accuracy_is_the_share_that_is_foretold(every: Decisions) -> None:
    n = len(every.actions)
    masks = np.ones_like(every.masks)
    numbered = Decisions(np.arange(n, dtype=np.float32)[:, None], masks, every.actions, every.games)
    assert n > 256
    for right in (0, 1, n // 3, n):
        assert accuracy(Oracle(every.actions, right), numbered) == pytest.approx(right / n)


def test_what_is_not_lawful_is_not_foretold(every: Decisions) -> None:
    """A network that says nothing is right where one discard is lawful."""
    quiet = build("mlp", FRAME.shape, KINDS, hidden=[])
    with torch.no_grad():
        for p in quiet.parameters():
            p.zero_()
    first = every.masks.argmax(axis=1)
    assert accuracy(quiet, every) == pytest.approx((first == every.actions).mean())


@pytest.mark.parametrize("kind", [*CLASSIFIERS, "mlp"])
def test_classifiers_learn(kind: str, every: Decisions) -> None:
    """Twice as often right as who discards at random: a network in hands that it has not seen, and others by heart."""
    learned, tested, chosen_by = split(every)
    chance = (1 / tested.masks.sum(axis=1)).mean()
    if kind in CLASSIFIERS:
        net, tested = classify(kind, learned), learned
    else:
        torch.manual_seed(0)
        told: list[tuple[int, float]] = []
        made = build("mlp", FRAME.shape, KINDS, hidden=[64])
        net = imitate(made, learned, chosen_by, 4, report=lambda *each: told.append(each))
        assert [epoch for epoch, _ in told] == [1, 2, 3, 4]
        assert accuracy(net, chosen_by) == max(found for _, found in told)
    assert accuracy(net, tested) > 2 * chance


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_classifier_never_plays_what_it_has_not_seen_played(kind: str, every: Decisions) -> None:
    few = every.take(np.flatnonzero(every.actions % 3 > 0))
    net = classify(kind, few)
    with torch.inference_mode():
        assert (net(torch.from_numpy(few.x)).argmax(dim=1) % 3 > 0).all()


def test_the_agent_discards_by_the_network_and_leaves_the_rest_to_the_search(tmp_path: Path, every: Decisions) -> None:
    net = classify("linear", every)
    file = tmp_path / "linear.safetensors"
    facts = {"encoder": "matrix19", "layout": FRAME.layout, "network": "mlp", "choices": net.choices, "outputs": KINDS}
    write_network(file, net, Card(algorithm="imitation", game="mahjong", game_version=GAME.spec.version, **facts))
    agent, search = make_agent(f"imitation:{file}"), make_agent("expectimax:evaluator=published")
    batch, alone, asked = Batch(GAME, 16, 1, encoder="matrix19", autoreset="same_step"), 0, 0
    for _ in range(60):
        view = batch.view()
        actions, others = agent.act(view), search.act(view)
        assert view.mask[np.arange(16), actions].all()
        with torch.inference_mode():
            q = net(torch.from_numpy(batch.observation)).masked_fill(torch.from_numpy(view.mask[:, :KINDS]) == 0, -9e9)
        choice = view.mask[:, KINDS:].any(axis=1)
        searched = choice & (others >= KINDS)
        assert (actions[searched] == others[searched]).all()
        assert (actions[~searched] == q.argmax(dim=1).numpy()[~searched]).all()
        alone, asked = alone + (~searched).sum(), asked + searched.sum()
        batch.step(actions)
    assert alone > 100 < asked
    with pytest.raises(BoyiError, match="was learned by another algorithm"):
        make_agent(f"ddqn:{file}")
    with pytest.raises(BoyiError, match="judges no positions"):
        make_agent(f"expectimax:evaluator='imitation:{file}'", "mahjong")
