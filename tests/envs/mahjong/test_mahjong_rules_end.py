"""How a hand of mahjong ends: complete hands, who may win, wins that were missed, payments, forfeits."""

import numpy as np
import pytest
from histories import keys
from mahjong_positions import SEATS, WAITING, asks, by_hand, named, played, table

from boyi.envs import Batch, find
from boyi.envs.engine.protocol import OVER
from boyi.envs.mahjong import SPEC, rules, tiles
from boyi.envs.mahjong import state as record

pytestmark = pytest.mark.kernels

COMPLETE = "456m123456p123456s11z"
FIVE = "111p<0 222p<0 333p<0 444p<0 999s<0"

# Complete hands

HANDS = [  # 17 tiles, or two beside five melds
    ("123456m234p345789s11z", True),
    ("111222333444m55777z", True),
    ("11223344556677m123p", True),
    ("11123m222333444p555s", True),
    ("222234m11p111222333z", True),
    ("123789m123789p11789s", True),
    ("22z", True),
    ("9m9m", True),
    ("12z", False),
    ("89m", False),
    ("123m11112222333344z", False),
    ("899m123p123456s11122z", False),
    ("1133557799m2244p666s", False),
    ("123456m234p345s12355z", False),
    ("123456m234p345s56711z", False),
    ("234p345s123456m89m1p55z", False),
    ("124455669m234p345s11z", False),
    ("1111m222333444p5557s", False),
    ("1122m111222333p555s1z", False),
    ("11m22p123456789s1112z", False),
    ("11m123456789s111122z", False),
    ("123m123p123456s11112z", False),
]


@pytest.mark.parametrize(("hand", "complete"), HANDS)
def test_complete_hands(hand: str, complete: bool) -> None:
    """§2: five melds and a pair, nothing else: no pairs alone, no chow of honors, round the end or of two suits."""
    melds = {1: FIVE.replace("<0", "<2")} if len(hand) < 5 else {}
    state = table("", hand, turn=1, last=hand[0] + hand.lstrip("123456789")[0], melds=melds)
    assert state["hand"][0, 1].sum() == (2 if melds else 17)
    assert ("win" in named(played(state))) == complete


# Who may win


BEGUN = {  # a complete hand in a turn that began so, and its melds
    "deal": (COMPLETE, ""),
    "draw": (COMPLETE, ""),
    "kong": (COMPLETE.replace("123456p", "456p"), "9999p!"),
    "claimed-kong": (COMPLETE.replace("123456p", "456p"), "9999p<0"),
    "claim": (COMPLETE.removeprefix("456m"), "456m<0:5m"),
}


@pytest.mark.parametrize("start", BEGUN)
def test_winning_in_a_turn(start: str) -> None:
    """§5, §11: by self-draw on the deal, a draw or a replacement, not in a turn that began with a claim."""
    hand, meld = BEGUN[start]
    for allowed in (True, False):
        facts = {"thrown": "" if start == "deal" else None, "dealer": 1, "win_after_melded_kong": allowed}
        state = table("", hand, turn=1, start=start, last="5m", melds={1: meld} if meld else {}, **facts)
        wins = start != "claim" and (allowed or start != "claimed-kong")
        assert asks(played(state)) == ("1 win" if wins else "1")
        if wins:
            batch = played(state, "win")
            assert (batch.to_move[0], batch.states["payer"][0], batch.mask.any()) == (OVER, -1, False)
    assert asks(played(table("5m", WAITING, far="5m"), "5m, chow 456m")) == "1"


def test_the_replacement_of_a_claimed_kong() -> None:
    """§11: with `win_after_melded_kong=false` it may not win; what is drawn for a kong after it may."""
    for allowed in (True, False):
        state = table("5m", "", "555m123p789s11z12346s", far="5m", win_after_melded_kong=allowed)
        assert asks(played(state, "5m, kong, draw 5s")) == ("2 win" if allowed else "2")
        facts = {"turn": 2, "start": "claimed-kong", "melds": {2: "5555m<0"}}
        state = table("", "", "1111m123p46789s11z", **facts, win_after_melded_kong=allowed)
        assert asks(played(state, "kong 1m, draw 5s")) == "2 win"


def test_claimed_wins() -> None:
    """§8, §11: a hand that the offered tile completes, whoever discards it; it may be the pair or a fourth."""
    for hand, tile in (
        (WAITING, "5m"),
        ("5m123p123456s111222z", "5m"),
        ("555m123p123456s1122z", "1z"),
        ("44456m123456p123s77z", "4m"),
    ):
        for turn in (0, 2, 3):
            hands = ["", hand, "", ""]
            hands[turn] = tile
            batch = played(table(*hands, turn=turn, far=tile), tile)
            assert asks(batch).startswith("1 win ")
            batch = played(batch.states, "win")
            s = batch.states[0]
            assert (batch.to_move[0], s["payer"], s["won"].astype(bool).tolist()) == (
                OVER,
                turn,
                [False, True, False, False],
            )
            assert s["hand"][1].sum() == 16


def test_fewest_tai() -> None:
    """§11: `min_tai` counts all tai but the dealer's."""
    for tai, wins in ((0, True), (1, True), (2, True), (3, False), (14, False)):
        state = table("5m", WAITING, far="5m", min_tai=tai, dealer=1, streak=4)
        assert asks(played(state, "5m")) == ("1 win chow 456m pass" if wins else "1 chow 456m pass")
        state = table(COMPLETE, last="5m", min_tai=tai + 2, dealer=0)
        assert asks(played(state)) == ("0 win" if wins else "0")  # self-draw with a concealed hand and a single wait: 4


# Missed wins. Seat 3 lets a win pass; there are three tiles 5m more.

PASSED = ("5m", "", "", WAITING)


@pytest.mark.parametrize("mode", ["none", "until_own_discard", "strict"])
def test_missed_wins(mode: str) -> None:
    """§12: no win on others' tiles until the own next discard, with `strict` none by self-draw either."""
    state = table(*PASSED, far="5m7z", missed_win=mode)
    passed = played(state, "5m, pass")
    assert passed.states["missed"][0].tolist() == [0, 0, 0, int(mode != "none")]
    assert asks(played(passed.states, "draw 5m, 5m")) == ("3 win pass" if mode == "none" else "draw")
    own = played(passed.states, "draw 7z, 7z, draw 7z, 7z")
    assert (asks(own), own.states["turn"][0]) == ("draw", 3)
    drawn = played(own.states, "draw 5m")
    assert asks(drawn) == ("3" if mode == "strict" else "3 win")
    again = played(drawn.states, "5m")  # from a complete hand
    assert again.states["missed"][0, 3] == (mode == "strict")
    assert asks(played(again.states, "draw 5m, 5m")) == ("draw" if mode == "strict" else "3 win pass")
    other = played(own.states, "draw 7z, 7z")
    assert other.states["missed"][0].tolist() == [0] * 4
    assert asks(played(other.states, "draw 5m, 5m")) == "3 win pass"


@pytest.mark.parametrize("mode", ["none", "until_own_discard", "strict"])
def test_missed_wins_of_other_kinds(mode: str) -> None:
    """§12: a claim or a kong instead of the win, a robbery passed up, with `strict` alone a self-draw not declared."""
    batch = played(table("5m", WAITING, far="5m", missed_win=mode), "5m, chow 456m")
    assert batch.states["missed"][0, 1] == (mode != "none")
    assert played(batch.states, "1z").states["missed"][0, 1] == (mode == "strict")  # a complete hand
    batch = played(table("5m", WAITING, melds={0: "555m<2"}, far="5m", missed_win=mode), "kong 5m, pass")
    assert batch.states["missed"][0, 1] == (mode != "none")
    batch = played(table(COMPLETE, last="5m", far="5m", missed_win=mode), "5m")
    assert batch.states["missed"][0, 0] == (mode == "strict")
    batch = played(table("2222m34m123p123456s11z", last="2m", far="2m", missed_win=mode))
    assert asks(batch) == "0 kong 2m win"
    batch = played(batch.states, "kong 2m")
    assert batch.states["missed"][0, 0] == (mode == "strict")


def test_what_is_no_missed_win() -> None:
    """§11, §12: a hand with too few tai, and an answer that could have been no win, are not missed wins."""
    state = table("5m", WAITING, far="5m", missed_win="strict", min_tai=3)
    assert not played(state, "5m, pass").states["missed"].any()
    state = table("5m", "55m", far="5m", missed_win="strict")
    assert not played(state, "5m, pass").states["missed"].any()
    state = table(*PASSED, far="5m", missed_win="until_own_discard", missed="1,1,0,0")
    assert played(state).states["missed"].tolist() == [[1, 1, 0, 0]]
    assert played(state, "5m, pass").states["missed"].tolist() == [[0, 1, 0, 1]]
    state = table("5m", WAITING, far="5m", missed_win="strict", missed="0,1,0,0")
    assert asks(played(state, "5m")) == "1 chow 456m pass"


# Payments: the specification's P1 to P7

THREE = "234m456p234p345789s55m"  # all chows; by self-draw 3 tai for that alone
NOTHING = "456m234p345789s11z"  # beside a chow: no tai on a discard of 6m
PONGS = "111m444m222p555p777s33z"
PAYMENTS = [  # streak, winner, hand, payer (None: all), tai, points
    (0, 1, THREE, None, 3, [-3000, 8000, -2500, -2500]),
    (2, 1, THREE, None, 3, [-5000, 10000, -2500, -2500]),
    (1, 0, NOTHING, 2, 0, [2500, 0, -2500, 0]),
    (4, 1, NOTHING, 3, 0, [0, 1000, 0, -1000]),
    (2, 0, THREE, None, 3, [15000, -5000, -5000, -5000]),
    (0, 1, THREE, 0, 3, [-3000, 3000, 0, 0]),
    (0, 2, PONGS, 1, 14, [0, -8000, 8000, 0]),
    (3, 1, THREE, 0, 3, [-6000, 6000, 0, 0]),
    (99, 3, THREE, None, 3, [-102000, -2500, -2500, 107000]),
]


@pytest.mark.parametrize(("streak", "winner", "hand", "payer", "tai", "points"), PAYMENTS)
def test_payments(streak: int, winner: int, hand: str, payer: int | None, tai: int, points: list[int]) -> None:
    """§17: `base` and `fan`, the dealer's 1 + 2N where it pays or gets; three pay for a self-draw, else one alone."""
    win = {THREE: "2m", NOTHING: "6m", PONGS: "3z"}[hand]
    for turned, dealer_tai in ((0, True), (2, True), (0, False)):
        hands, seat = ["", "", "", ""], (winner + turned) % 4
        melds = {seat: f"123m<{(seat + 3) % 4}:1m"} if hand == NOTHING else None
        params = {"streak": streak, "dealer": turned, "dealer_tai": dealer_tai, "far": win, "melds": melds}
        if payer is None:
            hands[seat] = hand
            batch = played(table(*hands, turn=seat, last=win, **params), "win")
        else:
            hands[seat], turn = without(hand, win), (payer + turned) % 4
            hands[turn] = win
            batch = played(table(*hands, turn=turn, **params), f"{win}, win")
        s, extra = batch.states[0], 0 if dealer_tai else 500 * (1 + 2 * streak)
        expected = [points[(q - turned) % 4] for q in SEATS]
        for q in SEATS:  # what the dealer paid or got more
            if points[(q - turned) % 4] < 0 and turned in (q, seat):
                expected[q] += extra
                expected[seat] -= extra
        assert s["points"].tolist() == expected
        assert s["won"].tolist() == [tai + 1 if q == seat else 0 for q in SEATS]
        assert s["payer"] == (-1 if payer is None else (payer + turned) % 4)
        assert sum(expected) == 0


def without(hand: str, tile: str) -> str:
    """Take one tile out of a hand."""
    counts = tiles.parse(hand)
    counts[tiles.kind_of(tile)] -= 1
    return tiles.write(counts)


def test_base_and_fan() -> None:
    """§17: any amounts; the returns are the points, and 0 before the end."""
    for base, fan, paid in ((0, 0, 0), (7, 0, 7), (0, 11, 44), (1_000_000, 1_000_000, 5_000_000)):
        batch = played(table("", THREE, turn=1, last="2m", base=base, fan=fan))
        assert batch.states["points"].tolist() == [[0] * 4]
        rewards, over, _ = batch.step(np.array([record.WIN]))
        assert over[0]
        assert rewards[0, 0] == -paid
        assert rewards.sum() == 0
        assert batch.states["points"][0].tolist() == rewards[0].tolist()


TAI = [  # how the turn began, the discards before, live tiles, and what the tai of one hand are then
    ("draw", None, None, 4),
    ("kong", None, None, 5),
    ("claimed-kong", None, None, 3),
    ("draw", None, 0, 5),
    ("draw", None, 1, 4),
    ("draw", "0:9p", None, 17),
    ("draw", "0:9p 1:9p 2:9p 3:9p 0:8p", None, 4),
]


@pytest.mark.parametrize(("start", "thrown", "live", "tai"), TAI)
def test_tai_of_the_moment(start: str, thrown: str | None, live: int | None, tai: int) -> None:
    """§14: replacements, the last tile and the first draw are worth what they should, in the points too."""
    hand, meld = BEGUN[start]
    facts = {"start": start, "last": "5m", "melds": {1: meld} if meld else {}, "thrown": thrown, "live": live}
    batch = played(table("", hand, turn=1, **facts), "win")
    assert batch.states["won"].tolist() == [[0, tai + 1, 0, 0]]
    assert batch.states["points"][0, 2] == -1000 - 500 * tai


def test_tai_of_a_claim() -> None:
    """§14: the last discard, the first turn, which the dealer has not and which a claim or kong ends, a robbed kong."""
    for facts, tai in (({}, 2), ({"live": 0}, 3), ({"live": 1}, 2), ({"thrown": ""}, 17), ({"thrown": "1:9p"}, 2)):
        batch = played(table("5m", WAITING, far="5m", **facts), "5m, win")
        assert batch.states["won"].tolist() == [[0, tai + 1, 0, 0]]
    for melds in ("999p<0", "9999m!"):
        batch = played(table("5m", WAITING, far="5m", thrown="", melds={3: melds}), "5m, win")
        assert batch.states["won"].tolist() == [[0, 3, 0, 0]]
    batch = played(table("5m", WAITING, far="5m", thrown="", dealer=1), "5m, win")
    assert batch.states["won"].tolist() == [[0, 3, 0, 0]]
    batch = played(table("5m", WAITING, far="5m", thrown="", melds={0: "555m<2"}), "kong 5m, win")
    assert batch.states["won"].tolist() == [[0, 4, 0, 0]]
    batch = played(table(COMPLETE, start="deal", thrown=""), "win")
    assert batch.states["won"].tolist() == [[17, 0, 0, 0]]


# The end


def test_nobody_pays_for_a_draw() -> None:
    """§13: when the last discard is not claimed; a seat that could win it and passes ends the hand too."""
    state = table("5m", WAITING, live=0, far="5m")
    assert asks(played(state, "5m")) == "1 win pass"
    batch = played(state, "5m, pass")
    assert (batch.to_move[0], batch.states["points"].any(), batch.states["won"].any()) == (OVER, False, False)
    assert asks(played(table("5m", live=1, far="5m"), "5m")) == "draw"


@pytest.mark.parametrize("base", [0, 700])
def test_forfeits(base: int) -> None:
    """§20: an action outside the mask costs three times `base`, to every other seat `base`."""
    for offender, line in ((0, ""), (1, "5m")):
        for action in (-1, 75, record.PASS if offender == 0 else 4, 33):
            batch = Batch("mahjong", 1, seed=0, encoder=None, illegal="forfeit", base=base)
            batch.states = played(table("5m", "46m", far="5m7z", base=base), line).states
            rewards, over, _ = batch.step(np.array([action]))
            assert over[0]
            assert rewards[0].tolist() == [-3 * base if q == offender else base for q in SEATS]
            assert not batch.mask.any()


def test_lengths() -> None:
    """§19: the record has room for the discards, and a hand is at most as long as is declared."""
    assert record.DISCARDS == 92
    for reserve in (0, 16, 32):
        assert find(SPEC, reserve=reserve).longest == 368 - 4 * reserve


def test_counts_of_a_hand() -> None:
    """§17: who won, by self-draw, and who paid alone; nobody after a draw."""
    won = rules.statistics(played(table("", THREE, turn=1, last="2m"), "win").states[0])
    assert won == {"win": [0, 1, 0, 0], "self-draw": [0, 1, 0, 0], "deal-in": [0] * 4}
    claimed = rules.statistics(played(table("5m", WAITING, far="5m"), "5m, win").states[0])
    assert claimed == {"win": [0, 1, 0, 0], "self-draw": [0] * 4, "deal-in": [1, 0, 0, 0]}
    drawn = rules.statistics(played(table("5m", live=0, far="5m"), "5m").states[0])
    assert drawn == {"win": [0] * 4, "self-draw": [0] * 4, "deal-in": [0] * 4}


def test_keys() -> None:
    """Keys of equal positions are equal, whatever the number of plies; hands, melds, discards, answers, turns count."""
    game = find("mahjong")
    base = {"far": "5m", "melds": {0: "123m<3:1m"}}
    state = table("5m", "46m", "55m", **base)
    later = state.copy()
    later["ply"] += 7
    others = [
        state,
        table("5m", "46m", "66m", **base),
        table("5m", "46m", "55m", far="5m", melds={0: "123m<3:2m"}),
        *(table("5m", "46m", "55m", far="5m", melds={0: f"222s<{giver}"}) for giver in (2, 3)),
        *(table("5m", "46m", "55m", far="5m", melds={0: "9999m!"}, start=start) for start in ("draw", "kong")),
        table("5m", "46m", "55m", **base, last="5m"),
        table("5m", "46m", "55m", **base, missed="0,1,0,0", missed_win="strict"),
        table("5m", "46m", "55m", **base, thrown="1:9s"),
        table("5m", "46m", "55m", **base, thrown="2:9s"),
        *(played(state, line).states for line in ("5m", "5m, pass", "5m, chow 456m", "5m, pass, pong")),
    ]
    found = [keys(game, other)[0] for other in others]
    assert len(set(found)) == len(others)
    assert keys(game, later)[0] == found[0]
    assert by_hand(seed=3).states.tobytes() == by_hand(seed=3).states.tobytes()
