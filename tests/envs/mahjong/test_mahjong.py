"""Mahjong's deal, wall, turns and kongs in positions set up by hand: `table` sets them up, `played` plays on.

Under NUMBA_DISABLE_JIT=1, where `test_mutants.py` runs these tests on broken copies of the game, the same checks play
fewer hands.
"""

from collections import Counter

import numpy as np
import pytest
from mahjong_positions import SEATS, WAITING, asks, by_hand, lies, named, played, seat, table

from boyi.envs import Batch
from boyi.envs.engine.kernels import CHANCE_KEY, derive
from boyi.envs.engine.rng import below
from boyi.envs.mahjong import constants, text, tiles
from boyi.envs.mahjong import state as record

pytestmark = pytest.mark.kernels


# The deal and the wall


@pytest.mark.parametrize("dealer", SEATS)
def test_deal(dealer: int) -> None:
    """§1, §2, §3: rounds of four tiles from the dealer on, and one more; each tile takes one random number."""
    batch = by_hand(seed=7, dealer=dealer)
    s, wall = batch.states[0], np.repeat(np.arange(34), 4).tolist()
    with np.errstate(over="ignore"):
        stream = np.array([[derive(np.uint64(7), 0, CHANCE_KEY, half, 0) for half in (0, 0, 1)]], np.uint64)
        stream[0, 1] = 0
        hands = [Counter[int]() for _ in SEATS]
        for i in range(65):
            hands[(dealer + i // 4) % 4][wall.pop(below(stream, len(wall)))] += 1
    assert [{k: n for k, n in enumerate(hand) if n} for hand in s["hand"].tolist()] == hands
    assert s["hand"].sum(axis=1).tolist() == [17 if q == dealer else 16 for q in SEATS]
    assert s["wall"].tolist() == [wall.count(k) for k in range(34)]
    assert (s["left"], s["discards"], s["last"], s["offer"], s["phase"], s["start"]) == (71, 0, -1, -1, 0, 0)
    assert (s["to_move"], s["turn"]) == (dealer, dealer)
    assert s["melds"].tolist() == [0] * 4
    assert [line[2] for line in text.diagram(s).splitlines()[2:6]] == ["ESWN"[(q - dealer) % 4] for q in SEATS]


def test_draws_are_uniform_over_the_wall() -> None:
    """§4: the chance of a kind is its share of what nobody holds or has shown, the reserve among it."""
    batch = played(table("5m", far="5m"), "5m")
    assert asks(batch) == "draw"
    wall = batch.states["wall"][0]
    assert batch.chances()[0] == pytest.approx(wall / wall.sum())
    assert wall.sum() == batch.states["left"][0] == 136 - 4 * 16 - 9
    assert batch.states["turn"][0] == 1


@pytest.mark.parametrize(("reserve", "per_kong", "live"), [(16, 0, 30), (0, 0, 46), (16, 1, 28), (32, 1, 12)])
def test_live_tiles(reserve: int, per_kong: int, live: int) -> None:
    """§4: `reserve`, and `reserve_per_kong` for each of two kongs, are never drawn."""
    state = table(melds={0: "1111z! 9999s<2"}, thrown="1:1m", reserve=reserve, reserve_per_kong=per_kong)
    state["left"] = 46
    s = state.view(np.recarray)[0]
    assert getattr(record.live, "py_func", record.live)(s) == live


def test_the_hand_ends_with_the_wall() -> None:
    """§4, §5, §13, §19: 1 + 71 - reserve discards without a claim, seat after seat, and then nobody pays."""
    for reserve in (0, 16, 32):
        batch = Batch("mahjong", 1, seed=5, encoder=None, reserve=reserve)
        while batch.to_move[0] >= 0:
            a = int(np.flatnonzero(batch.mask[0])[0]) if batch.states["phase"][0] == constants.TURN else record.PASS
            rewards, over, _ = batch.step(np.array([a]))
        s = batch.states[0]
        assert s["discards"] == 72 - reserve
        assert s["by"][: s["discards"]].tolist() == [i % 4 for i in range(72 - reserve)]
        assert (over[0], s["left"], rewards.tolist()) == (True, reserve, [[0.0] * 4])
        assert not s["won"].any()
        assert batch.game.longest == 4 * (92 - reserve)


# Turns and discards


def test_turns() -> None:
    """§5: a discard that nobody claims lets the next seat draw; the drawn tile is its last until it discards."""
    batch = played(table("", "", "", "5m", turn=3, far="5m"), "5m")
    assert (asks(batch), batch.states["turn"][0]) == ("draw", 0)
    batch = played(batch.states, "draw 5m")
    s = batch.states[0]
    assert (asks(batch), s["start"], tiles.name_of(s["last"])) == ("0", record.DRAW, "5m")
    batch = played(batch.states, "5m")
    assert (asks(batch), batch.states["turn"][0], batch.states["last"][0]) == ("draw", 1, -1)


def test_discards() -> None:
    """§6, §20: any concealed tile, and no other, whether or not the hand is complete."""
    batch = played(table("123456m234p345s11z345s", last="1z"))
    assert named(batch) == [*(tiles.name_of(k) for k in np.flatnonzero(batch.states["hand"][0, 0])), "win"]
    assert seat(played(batch.states, "3s"), 0) == "123456m234p344556s11z".replace("344556", "34455")
    assert lies(played(batch.states, "3s")).endswith("0:3s")


BANS = [  # hand of the claimer, tile, claim, what may not be discarded afterwards
    ("555m", "5m", "pong", "5m"),
    ("34567m", "5m", "chow 567m", "5m"),
    ("345678m", "5m", "chow 567m", "5m 8m"),
    ("23456m", "5m", "chow 456m", "5m"),
    ("123456m", "4m", "chow 234m", "1m 4m"),
    ("1234m", "3m", "chow 123m", "3m"),
    ("12p9m", "3p", "chow 123p", ""),
    ("789m1p", "7m", "chow 789m", "7m"),
]


@pytest.mark.parametrize(("hand", "tile", "claim", "banned"), BANS)
def test_swap_call_ban(hand: str, tile: str, claim: str, banned: str) -> None:
    """§6: after a pong not its kind, after a chow nothing that the two tiles from the hand wait for; only at once."""
    for ban in (False, True):
        batch = played(table(tile, hand, far=tile, swap_call_ban=ban), f"{tile}, {claim}")
        kept = {tiles.name_of(k) for k in np.flatnonzero(batch.states["hand"][0, 1])}
        assert kept - set(named(batch)) == (set(banned.split()) if ban else set())
        assert set(named(batch)) <= kept
        later = played(table(tile, hand, far=tile, swap_call_ban=ban, turn=1, melds={1: "999p<0"}))
        assert set(named(later)) >= set(banned.split()) & kept


@pytest.mark.parametrize(("hand", "tile", "claim"), [("3455m", "2m", "chow 234m"), ("2234m", "5m", "chow 345m")])
def test_no_claim_without_a_discard(hand: str, tile: str, claim: str) -> None:
    """§6: a chow that would leave only tiles that may not be discarded is not allowed."""
    melds = {1: "111p<0 222p<0 333p<0 444p<0"}
    for ban, tai, answers in (
        (False, 0, f"1 win {claim} pass"),
        (True, 0, "1 win pass"),
        (False, 16, f"1 {claim} pass"),
    ):
        state = table(tile, hand, melds=melds, far=tile, swap_call_ban=ban, min_tai=tai)
        assert asks(played(state, tile)) == answers
    state = table(tile, hand, melds=melds, far=tile, swap_call_ban=True, min_tai=16)
    assert asks(played(state, tile)) == "draw"
    state = table(tile, "".join(sorted(set(hand[:-1]))) + "9m", melds=melds, far=tile, swap_call_ban=True, min_tai=16)
    assert asks(played(state, tile)) == f"1 {claim} pass"


def test_pong_without_a_discard() -> None:
    """§6: after a pong its like stays in the hand, so another tile is needed; a kong has no discard to make at once."""
    melds = {2: "111p<0 222p<0 333p<0 444p<0"}
    for ban in (False, True):
        state = table("5m", "", "555m9s", melds=melds, far="5m", swap_call_ban=ban)
        assert asks(played(state, "5m")) == "2 pong kong pass"
    assert named(played(state, "5m, pong")) == ["9s"]


# Kongs


def test_concealed_kong() -> None:
    """§5, §7: four equal tiles; nobody is asked, even who waits for it; the seat goes on with a replacement."""
    state = table("5555m", WAITING, last="5m", far="5m")
    batch = played(state)
    assert asks(batch) == "0 kong 5m"
    batch = played(state, "kong 5m")
    assert (asks(batch), batch.states["last"][0], batch.states["kongs"][0]) == ("draw", -1, 1)
    assert seat(batch, 0).endswith("  5555m!")
    batch = played(batch.states, "draw 9s")
    assert (asks(batch), batch.states["start"][0], batch.states["turn"][0]) == ("0", record.SELF_KONG, 0)
    assert "9s" in named(batch)
    assert asks(played(table("555m", far="5m"))) == "0"


def test_kongs_of_a_turn() -> None:
    """§7: on the deal, a draw, a replacement, not after a claim; with the pong's fourth tile, or four in the hand."""
    assert asks(played(table("5555m", start="deal", thrown="", far="5m"))) == "0 kong 5m"
    for start, kong in (("draw", ""), ("kong", " 9999p!"), ("claimed-kong", " 9999p<2")):
        state = table("5555m7z", melds={0: "777z<1" + kong}, start=start, far="5m7z")
        assert asks(played(state)) == "0 kong 5m kong 7z"
    assert asks(played(table("5555m7z", melds={0: "777z<1"}, start="claim", far="5m7z"))) == "0"
    for tile in ("3m", "4m", "5m"):
        assert asks(played(table(tile, melds={0: "345m<3:4m"}, far="4m"))) == "0"
    assert asks(played(table("5m", melds={1: "555m<3"}, far="5m"))) == "0"
    assert asks(played(table("", melds={0: "777z<1"}, far="7z"))) == "0"


def test_added_kong() -> None:
    """§7, §10: the tile stays in the hand until nobody robs it; the pong becomes a kong in its place."""
    melds = {0: "555m<2 999p<1"}
    batch = played(table("5m", WAITING, melds=melds, far="5m"), "kong 5m")
    s = batch.states[0]
    assert (asks(batch), s["phase"], s["hand"][0, 4], s["kongs"]) == ("1 win pass", constants.ROB, 1, 0)
    batch = played(table("5m", melds=melds, far="5m9p"), "kong 5m")
    s = batch.states[0]
    assert (asks(batch), s["hand"][0, 4], s["kongs"], s["start"]) == ("draw", 0, 1, record.SELF_KONG)
    assert seat(batch, 0).split("  ")[1:] == ["5555m<2+", "999p<1"]
    assert asks(played(batch.states, "draw 5p")) == "0"


def test_kongs_need_a_live_tile() -> None:
    """§4, §7, §8: none when the live wall is empty; with `reserve_per_kong` two live tiles are needed."""
    for per_kong in (0, 1):
        for live in (0, 1, 2):
            can = live > per_kong
            state = table("5555m7z", melds={0: "777z<1"}, live=live, far="5m7z", reserve_per_kong=per_kong)
            assert asks(played(state)) == ("0 kong 5m kong 7z" if can else "0")
            state = table("5m", "", "555m", live=live, far="5m", reserve_per_kong=per_kong)
            answers = "2 pong kong pass" if can else "2 pong pass" if live else "over"
            assert asks(played(state, "5m")) == answers
    batch = played(table("5555m", live=1, far="5m"), "kong 5m, draw")
    assert batch.states["left"][0] == 16
    assert asks(played(batch.states, named(batch)[0])) == "over"  # §13: it was the last tile
