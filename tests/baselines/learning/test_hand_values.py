"""A network that has learned mahjong values the hands of the search: what it is shown, and what comes of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from mahjong_positions import Record, played, redealt, table
from torch import nn

from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.learning import hand_values
from boyi.baselines.learning.dqn import DQN
from boyi.baselines.learning.hand_values import NetworkHands
from boyi.baselines.learning.model_agent import Card, write_network
from boyi.baselines.learning.networks import build
from boyi.baselines.mahjong import search as hand_search
from boyi.baselines.mahjong.evaluator import Hands
from boyi.baselines.mahjong.search import HandSearch
from boyi.baselines.mahjong.values import PublishedEvaluator
from boyi.envs import Batch, BoyiError, find
from boyi.envs.faces.frame import Frame
from boyi.envs.mahjong.constants import (
    CLAIM,
    KINDS,
    MATRIX_HAND,
    MATRIX_LIVE,
    MATRIX_RIVERS,
    MATRIX_ROUND,
    MATRIX_UNSEEN,
    TURN,
)
from boyi.wrappers import vector as wrappers
from boyi.wrappers.sb3 import SB3VecEnv

pytestmark = pytest.mark.kernels

GAME = find("mahjong")
HAND = "1358m2469p1335s24677z"
SCALE = 0.001


class Weighted(nn.Module):
    """A network of one layer, no two discards alike."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layer = nn.Linear(inputs, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.flatten(1))


def evaluator(encoder: str = "matrix19_extended", outputs: int = 75) -> NetworkHands:
    frame = Frame(GAME, encoder)
    return NetworkHands(GAME, Weighted(int(np.prod(frame.shape)), outputs), frame, SCALE)


def hands_of(state: Record, tiles: np.ndarray, unseen: np.ndarray, draws: int) -> Hands:
    return Hands(state, 0, 5 - int(state["melds"][0, 0]), draws, tiles.astype(np.int8), unseen.astype(np.int8))


def unseen_by(s: np.void) -> np.ndarray:
    """Count what seat 0 has not seen: the wall and the others' hands."""
    return (s["wall"] + s["hand"][1:].sum(axis=0)).astype(np.int8)


@pytest.mark.parametrize("encoder", ["matrix19", "matrix19_extended", "planes"])
def test_the_position_itself_is_shown_as_it_is(encoder: str) -> None:
    state = table(HAND, live=30, last="7z")
    x = evaluator(encoder).observe(hands_of(state, state["hand"][:, 0], unseen_by(state[0])[None], 7))
    np.testing.assert_array_equal(x, played(state).view().observe(encoder))


def edited(hands: Hands, i: int) -> np.ndarray:
    """Write by hand what matrix19_extended shows of an imagined hand: all else is as in the position itself."""
    s = hands.states[0]
    x = played(hands.states).view().observe("matrix19_extended").ravel()
    gone = s["hand"][0] + unseen_by(s) - hands.unseen[i] - hands.tiles[i]
    x[MATRIX_HAND : MATRIX_HAND + KINDS] = hands.tiles[i] / 4
    x[MATRIX_RIVERS : MATRIX_RIVERS + KINDS] += gone / 4
    x[MATRIX_UNSEEN : MATRIX_UNSEEN + KINDS] = hands.unseen[i] / 4
    x[MATRIX_ROUND] = (s["discards"] + gone.sum()) // 4 / 19
    # Thirty live tiles are seven draws and two tiles over.
    x[MATRIX_LIVE] = (2 + 4 * hands.draws) / 55
    return x


def test_of_what_is_imagined_tiles_river_and_draws_are_shown() -> None:
    """1m and 3m are discarded, 9s and 9s drawn, and two rounds have passed."""
    state = table(HAND, live=30)
    root, unseen = state["hand"][0, 0], unseen_by(state[0])
    drawn, gone = np.bincount([26, 26], minlength=KINDS), np.bincount([0, 2], minlength=KINDS)
    both = hands_of(state, np.stack([root + drawn - gone, root]), np.stack([unseen - drawn, unseen]), 5)
    seen = evaluator().observe(both).reshape(2, -1)
    for i in range(2):
        np.testing.assert_allclose(seen[i], edited(both, i), atol=1e-6)


def test_the_tree_backs_up_what_the_network_says() -> None:
    """As the same search does with numbers that are worked out hand by hand."""

    class ByHand:
        def __init__(self) -> None:
            self.net = evaluator().net

        def q(self, hands: Hands) -> np.ndarray:
            seen = np.stack([edited(hands, i) for i in range(len(hands.tiles))])
            with torch.inference_mode():
                return self.net(torch.from_numpy(seen))[:, :KINDS].numpy() / np.float32(SCALE)

    state = table("34m22p9s", melds={0: "123m<3:1m 456p<3:4p 789s<3:7s 777z<2"}, live=30)
    worth, expected = (HandSearch(GAME, 0.4, 1, one).worth(played(state).view()) for one in (evaluator(), ByHand()))
    assert np.isfinite(worth).any()
    np.testing.assert_allclose(worth, expected, rtol=1e-4)


@pytest.mark.parametrize("rows", [7, 4096])
def test_games_are_searched_together_as_one_by_one(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims and turns side by side, more games than are asked about at once, calls full at any place of a game."""
    monkeypatch.setattr(hand_values, "ROWS", rows)
    monkeypatch.setattr(hand_search, "TOGETHER", 3)
    batch, greedy = Batch(GAME, 5, seed=4, encoder=None), make_agent("greedy", GAME)
    search, phases = HandSearch(GAME, 0.4, 1, evaluator()), set()
    for ply in range(12):
        view = batch.view()
        phases |= set(view.states["phase"].tolist())
        if ply % 4 == 3:
            one_by_one = np.stack([search.worth(view, k) for k in range(5)])
            np.testing.assert_allclose(search.worth_all(view), one_by_one, rtol=1e-3, atol=1e-2)
            np.testing.assert_array_equal(search.decide_all(view), [search.decide(view, k) for k in range(5)])
        batch.step(greedy.act(view))
    assert phases == {TURN, CLAIM}


def test_the_network_sees_nothing_hidden() -> None:
    state = table(HAND, live=30, melds={2: "8888s!"})
    for k in range(5):
        again = redealt(state, 0, k)
        assert k > 0 or (again != state).any()
        seen = [
            evaluator("planes").observe(hands_of(s, state["hand"][:, 0], unseen_by(state[0])[None], 6))
            for s in (state, again)
        ]
        np.testing.assert_array_equal(*seen)


def test_a_model_is_named_in_the_string(tmp_path: Path) -> None:
    """Its values are points again, whatever returns it has learned from; its 75 outputs begin with the discards."""
    import gymnasium

    games = gymnasium.make_vec("boyi/Mahjong-v0", 2, opponent="self", encoder="matrix19")
    learner = DQN(
        "MlpPolicy", SB3VecEnv(wrappers.ScaleReward(games, SCALE)), policy_kwargs={"choices": {"hidden": [8]}}
    )
    learner.export(tmp_path / "model.safetensors")
    model = make_agent(f"dqn:{tmp_path}", GAME)
    state = table(HAND, live=30)
    hands = hands_of(state, state["hand"][:, 0], unseen_by(state[0])[None], 7)
    seen = torch.from_numpy(played(state).view().observe("matrix19"))
    with torch.inference_mode():
        expected = model.net(seen)[:, :KINDS].numpy() * 1000  # type: ignore[attr-defined]
    np.testing.assert_allclose(model.hand_evaluator(GAME).q(hands), expected, rtol=1e-5)  # type: ignore[attr-defined]
    agent = f"expectimax:evaluator=dqn:{tmp_path}"
    assert str(make_agent(agent, GAME)) == agent
    result = compete(Match(GAME, [agent, "random"], games=2, seed=1))
    assert result.games == 2
    with pytest.raises(BoyiError, match="has learned mahjong and cannot play hex"):
        make_agent(f"dqn:{tmp_path}").hand_evaluator(find("hex"))  # type: ignore[attr-defined]
    with pytest.raises(BoyiError, match="does not judge positions of einstein"):
        make_agent(agent, "einstein")


def silent(folder: Path, **facts: Any) -> Path:
    """Write a network whose values are all nothing."""
    frame = Frame(GAME, "planes")
    net = build("suits", frame.shape, KINDS, width=4, joint=4)
    with torch.no_grad():
        for weights in net.parameters():
            weights.zero_()
    told = {"encoder": "planes", "layout": frame.layout, "network": "suits", "choices": net.choices, "outputs": KINDS}
    card = Card(
        algorithm="ddqn", game="mahjong", game_version=GAME.spec.version, reward_scale=SCALE, **{**told, **facts}
    )
    write_network(folder / "silent.safetensors", net, card)
    return folder / "silent.safetensors"


def test_a_network_that_is_silent_plays_as_what_it_is_added_to(tmp_path: Path) -> None:
    """In the search, danger and all; alone it discards what the evaluator holds for best."""
    file = silent(tmp_path, base="published")
    beside, alone = make_agent(f"expectimax:evaluator='ddqn:{file}'"), make_agent(f"ddqn:{file}")
    usual, one = make_agent("expectimax"), PublishedEvaluator(GAME)
    batch, discards = Batch(GAME, 8, seed=6, encoder=None, autoreset="same_step"), 0
    for _ in range(60):
        view = batch.view()
        actions = usual.act(view)
        np.testing.assert_array_equal(beside.act(view), actions)
        only = np.flatnonzero(~view.mask[:, KINDS:].any(axis=1))
        q = np.where(view.mask[only, :KINDS], one.q_records(view.states[only], view.seat[only]), -np.inf)
        np.testing.assert_array_equal(alone.act(view)[only], q.argmax(axis=1))
        discards += only.size
        batch.step(actions)
    assert discards > 100


def test_a_base_is_for_discards(tmp_path: Path) -> None:
    file = silent(tmp_path, base="published", outputs=0)
    with pytest.raises(BoyiError, match="a network that is added to a base values 34 discards, not all actions"):
        make_agent(f"ddqn:{file}")


@pytest.mark.parametrize("rows", [7, 4096])
def test_equal_rows_are_looked_at_once_and_valued_alike(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network of suits is asked about distinct rows alone, and says what it says of whole observations."""
    monkeypatch.setattr(hand_values, "ROWS", rows)
    frame = Frame(GAME, "planes")
    torch.manual_seed(2)
    net = build("suits", frame.shape, 75, width=16, joint=8).eval()
    one, rng, state = NetworkHands(GAME, net, frame, SCALE), np.random.default_rng(4), table(HAND, live=30)
    root, unseen = state["hand"][0, 0], unseen_by(state[0])
    changes = np.stack([np.bincount(rng.choice(np.flatnonzero(root), 2), minlength=KINDS) for _ in range(60)])
    hands = hands_of(state, root - np.minimum(changes, root), np.tile(unseen, (60, 1)), 5)
    shown: list[tuple[int, int]] = []
    whole = net.of_rows
    monkeypatch.setattr(net, "of_rows", lambda *given: shown.append((len(given[0]), len(given[1]))) or whole(*given))
    found = one.q(hands)
    x = torch.from_numpy(one.observe(hands))
    with torch.inference_mode():
        np.testing.assert_allclose(found, net(x)[:, :KINDS].numpy() / np.float32(SCALE), rtol=1e-4, atol=1e-2)
    seen = x.transpose(1, 2).flatten(2)
    for (suits, honors), part in zip(shown, seen.split(rows), strict=False):
        assert suits == len(part[:, :3].flatten(0, 1).unique(dim=0)) < 3 * len(part)
        assert honors == len(part[:, 3].unique(dim=0))
    assert len(shown) >= -(-60 // rows)


@pytest.mark.parametrize("multiplies", [True, False])
def test_the_papers_network_reads_values_off_in_whole_numbers(
    monkeypatch: pytest.MonkeyPatch, multiplies: bool
) -> None:
    """Where processors multiply bfloat16 its convolutions are in it, but not its values: discards differ by less."""
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: multiplies)
    frame = Frame(GAME, "matrix19")
    torch.manual_seed(3)
    net = build("resnet", frame.shape, KINDS, layers=8).eval()
    torch.nn.init.normal_(net.head[1].weight, std=0.1)
    state = table(HAND, live=30)
    hands = hands_of(state, np.tile(state["hand"][0, 0], (3, 1)), np.tile(unseen_by(state[0]), (3, 1)), 5)
    one = NetworkHands(GAME, net, frame, 1.0)
    with torch.inference_mode():
        exact = net(torch.from_numpy(one.observe(hands))).numpy()
    found = one.q(hands)
    assert np.array_equal(found, exact) != multiplies
    np.testing.assert_allclose(found, exact, atol=0.02 * np.abs(exact).max())
    assert not np.array_equal(torch.from_numpy(found).bfloat16().float().numpy(), found)
