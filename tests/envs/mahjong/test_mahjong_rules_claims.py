"""Mahjong's claims: who may claim what, who is asked in which order, what comes of it, and robbing a kong."""

import numpy as np
import pytest
from mahjong_positions import WAITING, asks, lies, played, seat, table

from boyi.envs.mahjong import state as record

pytestmark = pytest.mark.kernels

CLAIMS = [  # hand of the claimer, how far it sits from the discarder, tile, what it may answer
    ("55m", 1, "5m", "pong"),
    ("55m", 2, "5m", "pong"),
    ("55m", 3, "5m", "pong"),
    ("555m", 1, "5m", "pong kong"),
    ("555m", 3, "5m", "pong kong"),
    ("77z", 2, "7z", "pong"),
    ("5m", 1, "5m", ""),
    ("67m", 1, "5m", "chow 567m"),
    ("46m", 1, "5m", "chow 456m"),
    ("34m", 1, "5m", "chow 345m"),
    ("3467m", 1, "5m", "chow 567m chow 456m chow 345m"),
    ("3467m", 2, "5m", ""),
    ("3467m", 3, "5m", ""),
    ("44m66m", 1, "5m", "chow 456m"),
    ("12m", 1, "3m", "chow 123m"),
    ("89m", 1, "7m", "chow 789m"),
    ("79m", 1, "8m", "chow 789m"),
    ("9m2p", 1, "1p", ""),
    ("89m", 1, "1p", ""),
    ("8m1p", 1, "9m", ""),
    ("12p", 1, "9m", ""),
    ("12m", 1, "9m", ""),
    ("89m", 1, "1m", ""),
    ("89s", 1, "1z", ""),
    ("9s2z", 1, "1z", ""),
    ("67z", 1, "5z", ""),
    ("57z", 1, "6z", ""),
    ("56z", 1, "7z", ""),
    ("13z", 1, "2z", ""),
    ("23z", 1, "1z", ""),
    ("34p67s", 1, "5m", ""),
]


@pytest.mark.parametrize(("hand", "distance", "tile", "claims"), CLAIMS)
def test_claims(hand: str, distance: int, tile: str, claims: str) -> None:
    """§2, §8: pong, kong and chow; chows from the seat before alone, never round the end, never of honors."""
    for turn in (0, 2):
        hands = ["", "", "", ""]
        hands[turn], claimer = tile, (turn + distance) % 4
        hands[claimer] = hand
        batch = played(table(*hands, turn=turn, far=tile), tile)
        assert asks(batch) == (f"{claimer} {claims} pass" if claims else "draw")


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_kong_from_left(distance: int) -> None:
    """§8: with `kong_from_left=false` the seat after the discarder may pong, but not kong."""
    hands = ["5m", "", "", ""]
    hands[distance] = "555m"
    answers = asks(played(table(*hands, far="5m", kong_from_left=False), "5m"))
    assert answers == f"{distance} {'pong' if distance == 1 else 'pong kong'} pass"


@pytest.mark.parametrize("tail", [0, 3])
def test_the_last_discards_are_not_claimed(tail: int) -> None:
    """§8: no pong, kong or chow when no more than `tail_no_claim` tiles are live; wins always."""
    for live in (0, 1, 3, 4):
        state = table("5m", WAITING, "555m", live=live, far="5m", tail_no_claim=tail)
        more = live > tail
        batch = played(state, "5m")
        assert asks(batch) == ("1 win chow 456m pass" if more else "1 win pass")
        batch = played(batch.states, "pass")
        assert asks(batch) == ("2 pong kong pass" if more else "draw" if live else "over")


def test_claimed_melds() -> None:
    """§5, §10: the tile leaves the discards and joins the meld; the claimer discards, after a kong it draws first."""
    state = table("5m", "3467m", "555m", far="5m", thrown="3:9p")
    batch = played(state, "5m, chow 456m, pass")
    assert batch.states["hand"][0, 1, 2:7].tolist() == [1, 0, 0, 0, 1]
    assert (asks(batch), seat(batch, 1).split("  ")[1:], lies(batch)) == ("1", ["456m<0:5m"], "3:9p 0:5m>1")
    assert (batch.states["start"][0], batch.states["last"][0]) == (record.CLAIMED, -1)
    batch = played(state, "5m, pass, pong")
    assert (asks(batch), seat(batch, 2).split("  ")[1:], lies(batch)) == ("2", ["555m<0"], "3:9p 0:5m>2")
    assert batch.states["river"].sum() == 1
    assert asks(played(batch.states, "5m")).startswith("draw")
    assert played(batch.states, "5m").states["turn"][0] == 3
    batch = played(state, "5m, pass, kong")
    assert (asks(batch), seat(batch, 2).split("  ")[1:], lies(batch)) == ("draw", ["5555m<0"], "3:9p 0:5m>2")
    assert batch.states["hand"][0, 2, 4] == 0
    batch = played(batch.states, "draw 9p")
    assert (asks(batch), batch.states["start"][0], batch.states["turn"][0]) == ("2", record.MELDED_KONG, 2)
    for claim, low in (("chow 567m", 4), ("chow 345m", 2)):
        s = played(table("5m", "3467m", far="5m"), f"5m, {claim}").states[0]
        assert (s["kind"][1, 0], s["taken"][1, 0], s["giver"][1, 0]) == (low, 4, 0)
        assert s["hand"][1, 2:7].tolist() == ([0, 0, 0, 1, 1] if low == 2 else [1, 1, 0, 0, 0])


# Asking


def test_asking_order() -> None:
    """§9: from the seat after the discarder on, those who can claim; no answer depends on another."""
    state = table("", "55m", "5m", "46m", turn=2, far="5m")
    assert asks(played(state, "5m")) == "3 chow 456m pass"
    assert asks(played(state, "5m, chow 456m")) == "1 pong pass"
    assert asks(played(state, "5m, pass")) == "1 pong pass"
    assert asks(played(state, "5m, pass, pass")) == "draw"


def test_answers_are_secret() -> None:
    """§9: nothing but the record's answers, its plies and who is to move changes before the last answer."""
    state = table("5m", "46m", "55m", WAITING, far="5m")
    batch = played(state, "5m")
    for answer, stored in (("chow 456m", record.TAKE_MIDDLE), ("pass", record.PASS)):
        after = played(batch.states, answer).states
        changed = {field for field in after.dtype.names or () if not np.array_equal(after[field], batch.states[field])}
        assert changed == {"ply", "to_move", "answer"}
        assert after["answer"].tolist() == [[0, stored - record.ANSWER, 0, 0]]
    assert played(batch.states, "pass, pass, pass").states["answer"].tolist() == [[0] * 4]


def test_all_are_asked() -> None:
    """§9: with `ask_all` the three others are asked after every discard and added kong, though they can only pass."""
    state = table("5m", "", "55m", far="5m", ask_all=True)
    found = [asks(played(state, f"5m{', pass' * n}")) for n in range(4)]
    assert found == ["1 pass", "2 pong pass", "3 pass", "draw"]
    assert asks(played(state, "5m, pass, pong, pass")) == "2"
    state = table("", "", "5m", turn=2, melds={2: "555m<0"}, far="5m", ask_all=True)
    found = [asks(played(state, f"kong 5m{', pass' * n}")) for n in range(4)]
    assert found == ["3 pass", "0 pass", "1 pass", "draw"]


def test_who_is_asked_after_a_win() -> None:
    """§9: nobody with `head_bump`, everybody with `all`."""
    for turn, ask_all in ((0, False), (3, False), (2, True)):
        hands = [WAITING] * 4
        hands[turn] = "5m"
        hands[(turn + 1) % 4] = "46m456p456s123789p11z"
        hands[(turn + 2) % 4] = "46m789p123456s22333z"
        hands[(turn + 3) % 4] = "55m"
        options = {"turn": turn, "far": "5m", "ask_all": ask_all}
        first, second, third = ((turn + i) % 4 for i in (1, 2, 3))
        assert asks(played(table(*hands, **options), "5m")) == f"{first} win chow 456m pass"
        assert asks(played(table(*hands, **options), "5m, win")) == "over"
        assert asks(played(table(*hands, **options, multi_win="all"), "5m, win")) == f"{second} win pass"
        assert asks(played(table(*hands, **options, multi_win="all"), "5m, win, win")) == f"{third} pong pass"
        assert asks(played(table(*hands, **options), "5m, pass, win")) == "over"


# Precedence


def test_precedence() -> None:
    """§10: a win before a pong or kong, that before a chow (E03 of the specification); a pass leaves it to the next."""
    state = table("5m", "46m", "55m", WAITING, far="5m")
    outcomes = {
        "chow 456m, pong, win": "over",
        "chow 456m, pong, pass": "2",
        "chow 456m, pass, pass": "1",
        "pass, pong, pass": "2",
        "pass, pass, pass": "draw",
        "chow 456m, pass, win": "over",
    }
    for answers, outcome in outcomes.items():
        batch = played(state, f"5m, {answers}")
        assert asks(batch) == outcome
        s = batch.states[0]
        assert s["melds"].tolist() == [0, int(outcome == "1"), int(outcome == "2"), 0]
        assert s["won"].tolist() == ([0, 0, 0, s["won"][3]] if outcome == "over" else [0] * 4)
        assert (s["won"][3] > 0) == (outcome == "over")
    batch = played(table("5m", "46m", "555m", far="5m"), "5m, chow 456m, kong")
    assert (asks(batch), batch.states["turn"][0], batch.states["melds"][0].tolist()) == ("draw", 2, [0, 0, 1, 0])
    batch = played(table("5m", "5546m", far="5m"), "5m, pong")
    assert batch.states["melds"][0].tolist() == [0, 1, 0, 0]
    batch = played(table("", "5m", "46m", turn=1, far="5m"), "5m, chow 456m")
    assert lies(batch).endswith("1:5m>2")


TWO_WAIT = ("5m", "46m456p456s123789p11z", "", "46m789p123456s22333z")


def test_head_bump() -> None:
    """§10: the first after the discarder wins (E04); the second if the first passes."""
    state = table(*TWO_WAIT, far="5m")
    assert (played(state, "5m, win").states["won"][0] > 0).tolist() == [False, True, False, False]
    assert (played(state, "5m, pass, win").states["won"][0] > 0).tolist() == [False, False, False, True]
    assert lies(played(state, "5m, win")).endswith("0:5m>1")
    assert lies(played(state, "5m, pass, win")).endswith("0:5m>3")


def test_all_win() -> None:
    """§10: with `multi_win=all` each is paid for itself; the tile is the first one's."""
    state = table(*TWO_WAIT, far="5m", multi_win="all", dealer_tai=False)
    batch = played(state, "5m, win, win")
    s = batch.states[0]
    assert s["won"].tolist() == [0, 3, 0, 3]
    assert s["points"].tolist() == [-4000, 2000, 0, 2000]
    assert lies(batch).endswith("0:5m>1")
    assert played(state, "5m, win, pass").states["points"][0].tolist() == [-2000, 2000, 0, 0]
    assert played(state, "5m, pass, win").states["points"][0].tolist() == [-2000, 0, 0, 2000]
    assert lies(played(state, "5m, pass, win")).endswith("0:5m>3")


def test_robbing_a_kong() -> None:
    """§7, §10 (E07): on the tile of an added kong others may only win; then it is theirs, and the pong stays."""
    state = table("5m", "46m456p456s123789p11z", "", "46m789p123456s22333z", melds={0: "555m<2"}, far="5m")
    batch = played(state, "kong 5m")
    assert (asks(batch), asks(played(batch.states, "pass"))) == ("1 win pass", "3 win pass")
    assert asks(played(batch.states, "pass, pass")) == "draw"
    batch = played(batch.states, "pass, win")
    s = batch.states[0]
    assert (asks(batch), s["payer"], s["kongs"], s["hand"][0, 4]) == ("over", 0, 0, 0)
    assert seat(batch, 0).split("  ")[1:] == ["555m<2"]
    assert s["hand"][0].sum() == 13
    assert s["points"].tolist() == [s["points"][0], 0, 0, -s["points"][0]]
    assert s["points"][3] > 0
    chow = table("5m", "3467m", melds={0: "555m<2"}, far="5m")
    assert asks(played(chow, "kong 5m")) == "draw"
    both = table("5m", *TWO_WAIT[1:], melds={0: "555m<2"}, far="5m", multi_win="all", dealer_tai=False)
    assert played(both, "kong 5m, win, win").states["points"][0].tolist() == [-5000, 2500, 0, 2500]
    dead = table("5m", WAITING, melds={0: "555m<2"}, far="5m", live=1, tail_no_claim=9)
    assert asks(played(dead, "kong 5m")) == "1 win pass"
    kong = played(dead, "kong 5m, pass")
    assert (asks(kong), seat(kong, 0).split("  ")[1:]) == ("draw", ["5555m<2+"])
