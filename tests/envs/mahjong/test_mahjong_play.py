"""Whole hands of mahjong beside the oracle; ``python test_mahjong_play.py 10000`` in tests/ plays that many."""

import random
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from histories import seen
from mahjong_oracle import Mahjong
from mahjong_positions import FORMS, SEATS, TESTED, by_hand, count, every_set, likely, notes

from boyi.envs import Batch, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import CHANCE, OVER, policy
from boyi.envs.mahjong import SPEC, greedy, text
from boyi.envs.mahjong import state as record

pytestmark = pytest.mark.kernels

HANDS = count(100, 8) // len(TESTED)  # of every parameter set, and twice as many where time does not matter
NO_LOTS = np.zeros(2, np.uint64)  # the player draws none


def decide(states, notes, rng):  # type: ignore[no-untyped-def]
    """Ask the game's own player."""
    return policy(states[0], notes, rng)


def kinds(counts: Any) -> list[int]:
    """List tiles that are given as counts."""
    return [k for k in range(34) for _ in range(int(counts[k]))]


def chosen(batch: Batch, legal: list[int], rng: random.Random) -> int:
    """Choose as `greedy` does, but now and then a kong, a claim, anything, or no win."""
    rare = [a for a in legal if record.DECLARE <= a < record.WIN or a == record.TAKE_KONG]
    if rare and rng.random() < 0.7:
        return rng.choice(rare)
    if rng.random() < (0.25 if record.WIN in legal else 0.04):
        return rng.choice(legal)
    return int(bind(decide, find("mahjong"), policy=greedy.policy)(batch.states, notes(), NO_LOTS))


def play(seed: int, looks: float = 0.02, **params: Any) -> Counter[str]:
    """Play one hand beside the oracle and compare every step; return what came up in it."""
    rng, came = random.Random(seed), Counter[str]()
    batch = Batch("mahjong", 1, seed=seed, encoder=None, chance="by_hand", **params)
    oracle, actions = Mahjong([kinds(hand) for hand in batch.states["hand"][0]], **params), 0
    while batch.to_move[0] != OVER:
        compare(batch, oracle)
        if batch.to_move[0] == CHANCE:
            wall = oracle.wall()
            assert batch.chances()[0] == pytest.approx([wall[k] / sum(wall.values()) for k in range(34)])
            k = rng.choices(range(34), batch.chances()[0])[0]
            oracle.draw(k)
            rewards, over, _ = batch.resolve(np.array([k]))
        else:
            legal = np.flatnonzero(batch.mask[0]).tolist()
            if rng.random() < looks:
                compare_observations(batch, oracle)
            a = chosen(batch, legal, rng)
            assert text.name(batch.states[0], a) == oracle.name(a)
            came[text.name(batch.states[0], a).split()[0] if a >= record.DECLARE else "discard"] += 1
            oracle.play(a)
            rewards, over, _ = batch.step(np.array([a]))
            actions += 1
        assert rewards[0].tolist() == oracle.returns()
        assert bool(over[0]) == oracle.over()
    return came + compare_ends(batch, oracle, actions)


def compare(batch: Batch, oracle: Mahjong) -> None:
    """Compare a position: who is to move and may do what, hands, melds, discards, and all the tiles."""
    s = batch.states[0]
    to_move = oracle.mover()
    assert s["to_move"] == (CHANCE if to_move is None else to_move)
    assert set(np.flatnonzero(batch.mask[0]).tolist()) == oracle.legal()
    assert bool(batch.mask.any()) == (s["to_move"] >= 0)
    assert s["turn"] == oracle.turn
    for q in SEATS:
        assert kinds(s["hand"][q]) == sorted(oracle.hands[q].elements())
        laid = [
            [FORMS[s["form"][q, j]], *(int(s[field][q, j]) for field in ("kind", "taken", "giver"))]
            for j in range(s["melds"][q])
        ]
        assert [[-1 if value is None else value for value in meld] for meld in oracle.melds[q]] == laid
    thrown = [(int(s["discard"][i]), int(s["by"][i]), int(s["claimed"][i])) for i in range(s["discards"])]
    assert [(k, q, -1 if to is None else to) for k, q, to in oracle.discards] == thrown
    assert (s["last"], s["offer"]) == tuple(-1 if kind is None else kind for kind in (oracle.last_drawn, oracle.offer))
    if not oracle.answers:
        assert {q for q in SEATS if s["missed"][q]} == oracle.missed
    assert int(s["left"]) == int(s["wall"].sum()) == sum(oracle.wall().values())
    wall = oracle.wall()
    assert s["wall"].tolist() == [wall[k] for k in range(34)]
    assert s["kongs"] == oracle.kongs()
    assert not s["points"].any() and not s["won"].any()


def compare_observations(batch: Batch, oracle: Mahjong) -> None:
    for encoder in SPEC.encoders:
        for seat in SEATS:
            expected = np.array(oracle.observation(seat, encoder), np.float32)
            assert np.allclose(seen(batch.game, batch.states, encoder, seat)[0], expected, atol=1e-6), (encoder, seat)


def compare_ends(batch: Batch, oracle: Mahjong, actions: int) -> Counter[str]:
    """Compare who has won what; every tile is still somewhere, points add up to zero."""
    s, came = batch.states[0], Counter[str]()
    assert oracle.over() and not batch.mask.any()
    assert [int(tai) - 1 for tai in s["won"]] == [oracle.tai(q) if q in oracle.winners() else -1 for q in SEATS]
    assert s["points"].tolist() == oracle.returns()
    assert s["points"].sum() == 0
    assert s["payer"] == (-1 if oracle.payer() is None else oracle.payer())
    assert s["ply"] == actions <= batch.game.longest
    assert s["discards"] <= 92 - batch.game.params["reserve"]
    tiles = s["wall"] + s["hand"].sum(axis=0) + s["river"].sum(axis=0)
    for q in SEATS:
        for j in range(s["melds"][q]):
            k, form = s["kind"][q, j], FORMS[s["form"][q, j]]
            tiles[k : k + (3 if form == "chow" else 1)] += {"chow": 1, "pong": 3}.get(form, 4)
    if oracle.payer() is not None:
        tiles[s["offer"]] += 1
    assert tiles.tolist() == [4] * 34
    for q in oracle.winners():
        came.update(oracle.items(q))
    came[f"{len(oracle.winners())} winners"] += 1
    return came


def drawn_params(rng: random.Random) -> dict[str, Any]:
    """Draw a value for about every second parameter."""
    found: dict[str, Any] = {}
    for key, param in SPEC.params.items():
        if rng.random() < 0.5:
            few = param.low is not None and param.high is not None
            values = param.choices or (
                (False, True) if isinstance(param.default, bool) else range(param.low, min(param.high, 8) + 1)
            )
            found[key] = rng.choice(list(values)) if few or values else param.default
    return found


@every_set
def test_hands_agree_with_the_oracle(game: Game) -> None:
    """§2 to §21: at every step of played hands: who may do what, all tiles, observations, points; tai at the end."""
    check_hands(game, range(HANDS))


@pytest.mark.slow
@every_set
def test_more_hands_agree_with_the_oracle(game: Game) -> None:
    check_hands(game, range(HANDS, 3 * HANDS))


def check_hands(game: Game, seeds: range) -> None:
    came = Counter[str]()
    for seed in seeds:
        came += play(seed, looks=count(2, 1) / 100, **game.params)
    assert came["discard"] > 0 and came["pass"] > 0


@pytest.mark.parametrize(
    "seeds", [range(count(20, 2)), pytest.param(range(20, 60), marks=pytest.mark.slow)], ids=["some", "more"]
)
def test_other_rules_agree_with_the_oracle(seeds: range) -> None:
    """§2 to §21: the same with parameters drawn at random."""
    rng = random.Random(20 + seeds.start)
    for seed in seeds:
        play(seed, **drawn_params(rng))


# What is random


def test_deals_are_uniform() -> None:
    """§3: every kind as often as any other in every seat."""
    hands = by_hand(n=count(20_000, 150), seed=1).states["hand"].astype(np.int64)
    for q in SEATS:
        assert likely(hands[:, q].sum(axis=0), [1.0] * 34)
    pairs = Counter(zip(hands[:, 0].argmax(axis=1) // 9, hands[:, 3].argmax(axis=1) // 9, strict=True))
    assert len(pairs) >= count(16, 8)


def drawn(seed: int, greed: float, hands: int) -> list[list[int]]:
    """List the tiles that are drawn in hands whose players claim what they can, or nothing."""
    batch, lots = Batch("mahjong", hands, seed, encoder=None, reserve=8), np.random.default_rng(0)
    found: list[list[int]] = [[] for _ in range(hands)]
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        before, masks = batch.states["wall"], batch.mask
        masks[:, record.WIN] = 0
        actions = []
        for i in rows:
            legal = np.flatnonzero(masks[i])
            claims = legal[(legal >= record.DECLARE) & (legal < record.PASS)]
            if claims.size and greed:
                actions.append(claims[-1] if claims[-1] < record.TAKE_LOW else claims[0])
            else:
                actions.append(legal[-1] if legal[-1] == record.PASS else lots.choice(legal[legal < 34]))
        batch.step(np.array(actions), rows)
        for i, k in np.argwhere(before != batch.states["wall"]):
            found[i].append(int(k))
    return found


def test_the_seed_says_which_tiles_are_drawn() -> None:
    """§4: the i-th drawn tile is the same whatever the players do, through claims and kongs."""
    hands = count(60, 3)
    quiet, greedy = drawn(3, 0, hands), drawn(3, 1, hands)
    assert [len(tiles) for tiles in quiet] == [63] * hands
    assert quiet == greedy
    assert quiet != drawn(4, 0, hands)


if __name__ == "__main__":
    total, started, many = Counter[str](), time.time(), int(sys.argv[1])
    lots = random.Random(many)
    for number in range(many):
        sets = [dict(params) for params in SPEC.tested]
        total += play(10_000 + number, **(sets[number % 5] if number % 5 < len(sets) else drawn_params(lots)))
    print(f"{many} hands agree with the oracle, {time.time() - started:.0f} s")
    print(", ".join(f"{name} {n}" for name, n in total.most_common()))
