"""Mahjong's own player `greedy`: its decisions against their definition, and how hands go that it plays."""

import numpy as np
import pytest
from mahjong_positions import GAME, Record, by_name, count, every_set, notes, played, redealt, table
from numba import config

from boyi.baselines.agents import make_agent
from boyi.baselines.players.greedy_kernels import act_rows
from boyi.envs import Batch, BoyiError, Game
from boyi.envs.engine.bind import bind
from boyi.envs.mahjong import constants, distance, greedy, text
from boyi.envs.mahjong import state as record
from boyi.envs.mahjong.greedy import count_unseen
from boyi.envs.mahjong.melds import CHOW, KONG, PONG

pytestmark = pytest.mark.kernels


def choice(state: Record) -> int:
    """Ask for the decision of the seat to move."""
    actions = np.empty(1, np.int64)
    bind(act_rows, GAME, policy=greedy.policy)(state, np.zeros((1, 2), np.uint64), actions, notes())
    return int(actions[0])


def lacks(hand: np.ndarray) -> int:
    """Count what a hand lacks."""
    return int(bind(distance.distance, GAME)(hand, int(hand.sum()) // 3, notes().tables))


def unseen_by(s: np.void, seat: int) -> np.ndarray:
    """Count the copies that a seat has not seen: the wall, others' hands and the kongs that are hidden from it."""
    unseen = s["wall"].astype(np.int64)
    for q in range(4):
        if q != seat:
            unseen += s["hand"][q]
            for j in range(s["melds"][q]):
                if s["form"][q, j] == 5 and s["hide_concealed_kong"]:
                    unseen[s["kind"][q, j]] += 4
    return unseen


def count_one(states, seat, unseen):  # type: ignore[no-untyped-def]
    """Ask the player what a seat has not seen."""
    count_unseen(states[0], seat, unseen)


@pytest.mark.parametrize("name", ["turn", "claim", "open kongs"])
def test_it_counts_what_it_has_not_seen(name: str) -> None:
    """§18: others' tiles, the wall and hidden kongs."""
    for seat in range(4):
        unseen = np.zeros(34, np.int64)
        bind(count_one, GAME)(by_name(name), seat, unseen)
        assert unseen.tolist() == unseen_by(by_name(name)[0], seat).tolist()


def best_of(hand: np.ndarray, allowed: list[int], unseen: np.ndarray) -> tuple[int, int, int]:
    """Find the discard that leaves the least distance, then accepts most, then is first: distance, -accepted, kind."""
    found = []
    for k in allowed:
        left = hand.copy()
        left[k] -= 1
        d, n = lacks(left), 0
        for i in np.flatnonzero((unseen > 0) & (left < 4)):
            left[i] += 1
            n += int(unseen[i]) * (lacks(left) < d)
            left[i] -= 1
        found.append((d, -n, k))
    return min(found)


def expected(state: Record) -> int:
    """Find the decision as its definition has it."""
    s, legal = state[0], np.flatnonzero(played(state).mask[0]).tolist()
    seat = int(s["to_move"])
    if record.WIN in legal:
        return record.WIN
    hand, unseen = s["hand"][seat], unseen_by(s, seat)
    if s["phase"] == constants.TURN:
        return best_of(hand, [k for k in legal if k < 34], unseen)[2]
    found = [(lacks(hand), -99, record.PASS)]
    for a in legal:
        if a == record.TAKE_PONG or record.TAKE_LOW <= a <= record.TAKE_HIGH:
            left, offer = hand.copy(), int(s["offer"])
            used = [offer] * 2 if a == record.TAKE_PONG else [offer - (a - record.TAKE_LOW) + i for i in range(3)]
            for k in used:
                left[k] -= a == record.TAKE_PONG or k != offer
            found.append((*best_of(left, np.flatnonzero(left).tolist(), unseen)[:2], a))
    return min(found)[2] if min(found)[0] < found[0][0] else record.PASS


CHOICES = [  # hand of seat 1, tile offered by seat 0, decision
    ("34m456234p345789s1z", "2m", "chow 234m"),
    ("46m123456p123456s11z", "5m", "win"),
    ("4599m12345678p123s", "3m", "chow 345m"),
    ("44599m234678p1234s", "9m", "pong"),
    ("4599m234567p12345s"[:17], "9m", "pass"),
    ("147m147p147s1234567z", "7z", "pass"),
    ("34567m147p147s12345z", "5m", "chow 567m"),
    ("111m456p456s1234567z", "1m", "pass"),  # a kong may be declared, but is not
]


@pytest.mark.parametrize(("hand", "tile", "decision"), CHOICES[:4])
def test_claims(hand: str, tile: str, decision: str) -> None:
    """§8, §11: it wins, and claims what lowers the distance, nothing else and no kong."""
    state = played(table(tile, hand, far=tile), tile).states
    assert text.name(state[0], choice(state)) == decision


def test_it_wins_and_declares_no_kong() -> None:
    """§7, §11."""
    assert choice(table("456m123456p123456s11z", last="5m")) == record.WIN
    state = table("1111m147p147s234567z", last="1m")
    assert "kong 1m" in [text.name(state[0], a) for a in np.flatnonzero(played(state).mask[0])]
    assert choice(state) < 34
    assert text.name(state[0], choice(table("123456m123456p12s115z", last="5z"))) == "5z"


def test_it_discards_what_it_may() -> None:
    """§6: not what `swap_call_ban` forbids."""
    for ban in (False, True):
        state = played(table("5m", "5567m123p123s11777z", far="5m", swap_call_ban=ban), "5m, chow 567m").states
        assert choice(state) == expected(state)
        assert played(state).mask[0, choice(state)]


@every_set
def test_decisions_follow_the_definition(game: Game) -> None:
    """§5 to §12: in hands that it plays, now and then at random; no decision depends on what the seat cannot know."""
    lots, batch, checked = np.random.default_rng(5), Batch(game, count(12, 2), seed=9, encoder=None), 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size and checked < count(80, 7):
        actions = batch.sample()
        for i in rows:
            state = batch.states[i : i + 1]
            chosen = choice(state)
            assert batch.mask[i, chosen]
            if state["discards"][0] > 5 and lots.random() < 0.2:
                assert chosen == expected(state), text.diagram(state[0])
                assert chosen == choice(redealt(state, int(state["to_move"][0]), checked))
                checked += 1
            if lots.random() < 0.95:
                actions[i] = chosen
        batch.step(actions[rows], rows)
    assert checked >= count(80, 7)


def test_the_agent() -> None:
    """The string `greedy` makes a player that decides as the rule does; other games have none."""
    batch = Batch("mahjong", 3, seed=2, encoder=None)
    assert make_agent("greedy", "mahjong").act(batch.view()).tolist() == [
        choice(batch.states[i : i + 1]) for i in range(3)
    ]
    with pytest.raises(BoyiError, match="greedy has no rule to play hex"):
        make_agent("greedy", "hex")


@pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many hands")
def test_hands_go_as_known() -> None:
    """§4 to §13: another program's 3,000 hands had 2.0 % draws, 22.1 % self-draws, 75.9 % wins on discards …"""
    hands = 3000
    batch, agent = Batch("mahjong", hands, seed=1000, encoder=None), make_agent("greedy", "mahjong")
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(agent.act(batch.view()), rows)
    s = batch.states
    won = s["won"] > 0
    drawn, alone = won.any(axis=1) & (s["payer"] < 0), won.any(axis=1) & (s["payer"] >= 0)
    assert 1 - won.any(axis=1).mean() == pytest.approx(0.02, abs=0.01)
    assert drawn.mean() == pytest.approx(0.221, abs=0.03)
    assert alone.mean() == pytest.approx(0.759, abs=0.03)
    melds = [int(((s["form"] == form) & (np.arange(5) < s["melds"][:, :, None])).sum()) for form in (PONG, CHOW, KONG)]
    assert np.array(melds) / hands == pytest.approx([3.2, 3.0, 0], abs=0.15)
    assert s["discards"][won.any(axis=1)].mean() == pytest.approx(37.2, abs=0.8)
    assert won.sum(axis=0) / won.sum() == pytest.approx([0.26, 0.25, 0.25, 0.22], abs=0.035)
    assert not np.any(s["kongs"])
