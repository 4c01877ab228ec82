"""The luck of draws: what it is by hand, that it is nothing on average, and that hands without it vary less."""

import numpy as np
import pytest
from mahjong_positions import table

from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.mahjong.evaluator import Hands
from boyi.baselines.mahjong.luck import DrawLuck, less_luck, luck
from boyi.baselines.mahjong.values import PublishedEvaluator
from boyi.envs import Batch, BoyiError, find
from boyi.envs.mahjong import score, tiles
from boyi.envs.mahjong.constants import KINDS
from boyi.envs.records.game_record import GameRecord

GAME = find("mahjong")


def drawn_instead(state: np.ndarray, k: int) -> np.ndarray:
    """The position, had the seat to move drawn a tile of kind k from the same wall."""
    other = state.copy()
    s = other[0]
    for kind, back in ((int(s["last"]), 1), (k, -1)):
        s["hand"][s["to_move"], kind] -= back
        s["wall"][kind] += back
    s["last"] = k
    return other


def could_be_drawn(state: np.ndarray) -> np.ndarray:
    """Count what was in the wall before the draw (34,)."""
    return state["wall"][0] + np.eye(KINDS, dtype=np.int64)[state["last"][0]]


def after_draws(count: int, seed: int) -> list[np.ndarray]:
    """Positions after a draw from hands at random."""
    batch, rng = Batch(GAME, 8, seed, encoder=None, autoreset="same_step"), np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < count:
        left = batch.states["left"].copy()
        batch.step(batch.sample())
        drawn = np.flatnonzero((batch.states["left"] < left) & (batch.states["left"] > 20))
        found += [batch.states[row : row + 1].copy() for row in drawn if rng.random() < 0.2]
    return found[:count]


@pytest.mark.kernels
def test_the_luck_of_all_that_could_have_been_drawn_is_nothing_in_sum() -> None:
    """Whatever the evaluator: each tile counts as often as the wall had it."""

    class Odd:
        def q(self, hands: Hands) -> np.ndarray:
            told = hands.tiles.astype(np.int64) @ (np.arange(KINDS) ** 2 % 31)
            return (np.arange(KINDS) * 13 % 7 + told[:, None] + hands.draws).astype(np.float32)

    for one in (DrawLuck(GAME), DrawLuck(GAME, Odd())):
        for state in after_draws(20, seed=3):
            counts = could_be_drawn(state)
            each = np.array([one.of(drawn_instead(state, k)) if n else 0.0 for k, n in enumerate(counts)])
            assert np.ptp(each) > 1e-3
            assert abs(counts @ each) < 1e-6 * counts.sum() * np.abs(each).max()


def test_luck_by_hand() -> None:
    """A win brings what three others pay; any other tile is worth the best discard after it."""
    state = table("12m99s5p", melds={0: "123m<3:1m 456p<3:4p 789s<3:7s 777z<2"}, live=30)
    melds = [("chow", "123m"), ("chow", "456p"), ("chow", "789s"), ("pong", "777z")]
    s, drawn = state[0], int(state["last"][0])
    hand, unseen = s["hand"][0].astype(np.int8), (s["wall"] + s["hand"][1:].sum(axis=0)).astype(np.int8)
    hand[drawn] -= 1
    unseen[drawn] += 1
    counts, worth, evaluator = could_be_drawn(state), np.zeros(KINDS), PublishedEvaluator(GAME)
    for k in np.flatnonzero(counts):
        one = np.eye(KINDS, dtype=np.int8)[k]
        if k == tiles.kind_of("3m"):
            worth[k] = 3 * (score(tiles.write(hand + one), "3m", "self", melds).points + 500)
        else:
            q = evaluator.q(Hands(state, 0, 1, 7, (hand + one)[None], (unseen - one)[None]))[0]
            worth[k] = q[hand + one > 0].max()
    for k in np.flatnonzero(counts):
        found = DrawLuck(GAME).of(drawn_instead(state, k))
        assert found == pytest.approx(worth[k] - worth @ counts / counts.sum(), rel=1e-5)


def hands(agents: list[str], games: int, seed: int = 5) -> list[GameRecord]:
    records: list[GameRecord] = []
    compete(Match(GAME, agents, games=games, seed=seed, fresh_chance=True), report=records.append)
    return records


def test_the_luck_of_hands_is_that_of_their_draws() -> None:
    """What a draw brings one seat it costs the others; kongs draw, too, and claims do not."""
    records, one = hands(["greedy", "greedy", "random", "random"], 8), DrawLuck(GAME)
    expected = np.zeros((8, 4))
    for total, record in zip(expected, records, strict=True):
        batch = Batch(GAME, 1, 0, encoder=None)
        batch.reset([record.seed])
        for action in record.actions:
            wall = batch.states["wall"].sum()
            batch.step([action])
            if batch.states["wall"].sum() < wall and batch.to_move[0] >= 0:
                points = one.of(batch.states)
                total -= points / 3
                total[batch.to_move[0]] += points * 4 / 3
    found = luck(records)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-6)
    for record, plain, off in zip(less_luck(records), records, found, strict=True):
        assert plain.returns is not None
        np.testing.assert_allclose(record.returns, np.array(plain.returns) - off)
    assert luck([]).shape == (0, 4)


@pytest.mark.parametrize("agents", [["random"] * 4, ["greedy", "greedy", "random", "random"], ["greedy"] * 4])
def test_luck_is_nothing_on_average_and_hands_without_it_vary_less(agents: list[str]) -> None:
    """Over 400 hands: their mean luck is no further from zero than chance allows, four of its errors at the most."""
    records = hands(agents, 400)
    found, points = luck(records), np.array([record.returns for record in records])
    for seat in range(4):
        own = found[:, seat]
        assert own.std() > 50 and abs(own.mean()) < 4 * own.std() / np.sqrt(len(own))
    if agents[-1] == "greedy":
        assert (points - found).var() < 0.8 * points.var()


def test_only_mahjong_has_this_luck() -> None:
    records: list[GameRecord] = []
    compete(Match("hex:board_size=3", ["random", "random"], games=2), report=records.append)
    with pytest.raises(BoyiError, match="draws of mahjong, not for hex"):
        luck(records)
    with pytest.raises(BoyiError, match="draws of mahjong, not for hex"):
        DrawLuck(find("hex"))
