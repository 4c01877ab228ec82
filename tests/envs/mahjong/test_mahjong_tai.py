"""Mahjong's tai: worked hands, every item and exclusion both ways, every parameter, random hands beside the oracle."""

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import mahjong_oracle as oracle
import numpy as np
import pytest
from mahjong_positions import GAME, Record, count, items_of_win, played, table
from numba import config

from boyi.envs import find
from boyi.envs.engine.bind import bind
from boyi.envs.mahjong import SPEC, complete, rules, tai, tiles
from boyi.envs.mahjong import state as record
from boyi.envs.mahjong.scoring import FORMS
from boyi.envs.mahjong.tai import best_items, waits

pytestmark = pytest.mark.kernels

CASES = json.loads((Path(__file__).parent / "scoring.json").read_text(encoding="utf-8"))
PAGE = (Path(rules.__file__).parent / "RULES.md").read_text(encoding="utf-8")
WINS = {"ron": "claim", "self": "self", "rob": "rob"}
FOUR_FOURS = "456m<0:4m 456m<0:4m 345m<0:4m 345m<0:4m"


def items_of_hand(states, seat, win, drawn, given):  # type: ignore[no-untyped-def]
    """Find the items of a hand, told how it was won."""
    return best_items(states[0], seat, win, drawn, given)


def number_of_waits(states, seat):  # type: ignore[no-untyped-def]
    """Count what a hand waits for."""
    return waits(states[0], seat, -1)


def listed(items: int) -> str:
    """Write items by their numbers on the page; a second dragon as T04 once more."""
    found = [f"T{i + 1:02d}" for i in range(28) if items >> i & 1]
    return " ".join(sorted([*found, *["T04"] * (items >> 28 & 1)]))


def winning(hand: str, win: str, how: str = "claim", seat: int = 1, melds: str = "", **facts: Any) -> Record:
    """Return the position in which a seat can win: `hand` has the winning tile already."""
    hands, laid = ["", "", "", ""], {seat: melds} if melds else {}
    facts = {"far": win, **facts}
    counts = tiles.parse(hand)
    if how == "self":
        hands[seat] = hand
        return table(*hands, turn=seat, last=win, melds=laid, **facts)
    counts[tiles.kind_of(win)] -= 1
    hands[seat], giver = tiles.write(counts), facts.pop("giver", (seat + 3) % 4)
    hands[giver] = win
    if how == "rob":
        laid[giver] = f"{win[0] * 3}{win[1]}<{(giver + 2) % 4}"
    return played(table(*hands, turn=giver, melds=laid, **facts), f"kong {win}" if how == "rob" else win).states


def items(*args: Any, seat: int = 1, **facts: Any) -> str:
    """List the items of a hand that could be won now; see `winning`."""
    return listed(bind(items_of_win, GAME)(winning(*args, seat=seat, **facts), seat))


# Worked hands


def named_items() -> dict[str, str]:
    """Read the names in the literature off the page: 自摸 is T01."""
    section = PAGE.split("**§16")[1].split("**§17")[0]
    return {name: number for number, name in re.findall(r"(T\d\d) ([^,，\s]+?)(?=,|\s)", section)}


def test_names_in_the_literature() -> None:
    """§14, §16: every item has its number, its name and its place in the code's order."""
    table_ids = re.findall(r"(?m)^\| (T\d\d) \| (\w+) \| (\S+)", PAGE)
    assert [number for number, _, _ in table_ids] == [f"T{i:02d}" for i in range(1, 29)]
    assert [item for _, item, _ in table_ids] == list(tai.ITEMS)
    assert sorted(named_items().values()) == [number for number, _, _ in table_ids]
    for i, (_, item, worth) in enumerate(table_ids):
        assert tai.WORTH[i] == (int(worth) if worth.isdigit() else SPEC.params[item].default)
    assert tai.WORTH[28] == tai.WORTH[3]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_worked_hands(case: dict[str, Any]) -> None:
    """§14, §15, §17: items, tai and waits of the specification's 30 hands, told how they were won and in a position."""
    seat, round_wind = "ESWN".index(case["seat_wind"]), "ESWN".index(case["round_wind"])
    forms = {"chi": "{0}<0:{1}", "pon": "{0}<0", "ckong": "{0}!"}
    giver = (seat + 3) % 4
    melds = " ".join(
        forms[form].format(shown, shown[0] + shown[-1]).replace("<0", f"<{giver}") for form, shown in case["melds"]
    )
    hand, win, how = case["concealed_including_win"], case["win"], WINS[case["source"]]
    expected = Counter(named_items()[name] for name, worth in case["items"].items())
    worth = {f"T{i + 1:02d}": tai.WORTH[i] for i in range(28)}
    expected["T04"] = case["items"].get("三元牌", 0)
    assert sum(worth[item] * n for item, n in expected.items()) == case["tai"]
    flags = set(case["flags"])
    given = {"self": tai.SELF_DRAW, "rob": tai.ROBBED_KONG, "claim": 0}[how]
    given |= {"kong_bloom": tai.KONG_DRAW, "heavenly": tai.HEAVENLY, "earthly": tai.EARTHLY}.get("".join(flags), 0)
    if "last" in flags:
        given |= tai.LAST_DRAW if how == "self" else tai.LAST_DISCARD
    facts: dict[str, Any] = {"round_wind": round_wind}
    if case["id"] != "X20":  # X20 would need a fifth copy of its tile
        facts |= {"live": 0} if "last" in flags else {}
        facts |= {"start": "kong"} if "kong_bloom" in flags else {}
        facts |= {"start": "deal", "thrown": ""} if "heavenly" in flags else {}
        facts |= {"thrown": "0:9p"} if "earthly" in flags else {}
        state = winning(hand, win, how, seat, melds, **facts)
        assert Counter(listed(bind(items_of_win, GAME)(state, seat)).split()) == +expected
        batch = played(state, "win")
        assert batch.states["won"][0, seat] == case["tai"] + 1
        assert 1000 + 500 * case["tai"] == case["score_per_payer"]
    state = winning(hand, win, "self", seat, melds, round_wind=round_wind)
    if how != "self":
        state["hand"][0, seat, tiles.kind_of(win)] -= 1
    found = bind(items_of_hand, GAME)(state, seat, tiles.kind_of(win), how == "self", given)
    assert Counter(listed(found).split()) == +expected
    if how != "self":
        assert bind(number_of_waits, GAME)(state, seat) == len(case["waits"])
        assert all(complete.complete(state["hand"][0, seat], tiles.kind_of(tile), -1) for tile in case["waits"])


# Items and exclusions

OPEN = ("456m234p345789s11z", "6m")
CHI, KONG = "123m<0:1m", "9999m!"
ALL_CLAIMED = "123m<0:1m 456m<0:4m 234p<0:2p 345s<0:3s 666p<0"
ITEMS = [  # hand with the winning tile, that tile, how, facts, items
    (("123456m234p345789s11z", "1z"), {}, "T02 T07"),
    (("123456m234p345789s11z", "1z", "self"), {}, "T03 T07"),
    (OPEN, {"melds": CHI}, ""),
    ((*OPEN, "self"), {"melds": CHI}, "T01"),
    (OPEN, {"melds": CHI, "giver": 2}, ""),
    # T04 to T06: dragons and winds
    (("123456m234p345s11s555z", "1s"), {}, "T02 T04 T07"),
    (("123456m234p11s555666z", "1s"), {}, "T02 T04 T04 T07"),
    (("123456m234p11s777z", "1s"), {"melds": "666z<2"}, "T04 T04 T07"),
    (("123456m234p345s11s222z", "1s"), {}, "T02 T06 T07"),
    (("123456m234p345s11s111z", "1s"), {}, "T02 T05 T07"),
    (("123456m234p345s11s333z", "1s"), {}, "T02 T07"),
    (("123456m234p345s11s111z", "1s"), {"seat": 0}, "T02 T05 T06 T07"),
    (("123456m234p345s11s", "1s"), {"melds": "4444z!", "seat": 3, "round_wind": 3}, "T02 T05 T06 T07"),
    (("123456m234p345s11s", "1s"), {"melds": "1111z<2", "dealer": 1}, "T05 T06 T07"),
    (("123456m234p345s11s", "1s"), {"melds": "1111z<2+", "dealer": 3, "round_wind": 2}, "T07"),
    (("123456m234p345s11s333z", "1s"), {"dealer": 3, "round_wind": 1}, "T02 T06 T07"),
    # T07: single waits
    (("345678m234p345789s11z", "3m"), {}, "T02"),  # three kinds of wait
    (("123m234p345789s33355z", "3m"), {}, "T02 T07"),
    (("789m234p345789s33355z", "7m"), {}, "T02 T07"),
    (("789m234p345789s33355z", "8m"), {}, "T02 T07"),
    (("789m234p345789s33355z", "9m"), {}, "T02"),
    (("123m234p345789s33355z", "1m"), {}, "T02"),
    (("789789s111444m77s333z", "3z"), {}, "T02"),  # 7s would be the fifth
    (("123456789m234p678s55p", "5p"), {}, "T02"),
    (("23444m", "4m"), {"melds": "1111m! 123p<0:1p 456p<0:4p 789s<0:7s"}, "T07"),  # so would 1m
    (("23444m", "4m"), {"melds": "111m<0 123p<0:1p 456p<0:4p 789s<0:7s"}, ""),
    # T08 to T11: robbed kong, replacement, the last tile
    (("456m123456p123456s11z", "5m", "rob"), {}, "T02 T07 T08"),
    (("456m123456p456s11z", "5m", "self"), {"start": "kong", "melds": KONG}, "T03 T07 T09"),
    (("456m123456p456s11z", "5m", "self"), {"start": "claimed-kong", "melds": "9999p<0"}, "T01 T07 T09"),
    (("456m123456p456s11z", "5m", "self"), {"start": "kong", "melds": "9999p<0+", "live": 0}, "T01 T07 T09 T10"),
    ((*OPEN, "self"), {"melds": CHI, "live": 0}, "T01 T10"),
    ((*OPEN, "self"), {"melds": CHI, "live": 1}, "T01"),
    (OPEN, {"melds": CHI, "live": 0}, "T11"),
    (OPEN, {"melds": CHI, "live": 1}, ""),
    # T12, T13: all claimed
    (("22z", "2z"), {"melds": ALL_CLAIMED}, "T07 T12"),
    (("22z", "2z"), {"melds": "123m<0:1m 456m<0:4m 234p<0:2p 3333s<2 6666p<0+"}, "T07 T12"),
    (("22z", "2z", "self"), {"melds": ALL_CLAIMED}, "T01 T07 T13"),
    (("22z", "2z"), {"melds": "123m<0:1m 456m<0:4m 234p<0:2p 345s<0:3s 6666p!"}, "T07"),
    (("22z", "2z", "self"), {"melds": "123m<0:1m 456m<0:4m 234p<0:2p 345s<0:3s 6666p!"}, "T01 T07"),
    (("22z789s", "2z"), {"melds": "123m<0:1m 456m<0:4m 234p<0:2p 345s<0:3s"}, "T07"),
    (("22z", "2z"), {"melds": ALL_CLAIMED, "single_wait_all_claimed": False}, "T12"),
    (("22z", "2z", "self"), {"melds": ALL_CLAIMED, "single_wait_all_claimed": False}, "T01 T07 T13"),
    (("123456m234p345789s11z", "1z"), {"single_wait_all_claimed": False}, "T02 T07"),
    # T14: all chows
    (("234m456p234p345789s55m", "2m"), {}, "T02 T14"),
    (("234m456p234p345789s55m", "2m"), {"giver": 3}, "T02 T14"),
    (("234m456p234p345s55m", "2m"), {"melds": "789s<0:7s"}, "T14"),
    (("234m456p234p345789s55m", "2m", "self"), {}, "T03"),
    (("234m456p234p345789s55m", "2m", "rob"), {}, "T02 T08"),
    (("234m456p234p345789s55m", "3m"), {}, "T02 T07"),
    (("234m456p234p345789s55z", "2m"), {}, "T02"),  # honors
    (("234m456p234p345s777s55m", "2m"), {}, "T02"),  # a pong
    (("234m456p234p345s55m", "2m"), {"melds": "777s<2"}, ""),
    (("123m99p", "1m"), {"melds": FOUR_FOURS}, ""),  # the other end, 4m, is no wait
    (("123m99p", "1m"), {"melds": FOUR_FOURS.replace("345m<0:4m", "567p<0:5p", 1)}, "T14"),
    # T15 to T18: triplets
    (("111m444m222p456p789s33z", "3z"), {}, "T02 T07 T15"),
    (("111m444m222p456p789s33z", "2p"), {}, "T02"),
    (("111m444m222p456p789s33z", "1m", "self"), {}, "T03 T15"),
    (("111m444m222p555p789s33z", "3z"), {}, "T02 T07 T16"),
    (("111m444m555p789s33z", "3z"), {"melds": "2222p!"}, "T02 T07 T16"),
    (("111m444m555p789s33z", "3z"), {"melds": "222p<0"}, "T07 T15"),
    (("111m444m222p555p777s33z", "3z"), {}, "T02 T07 T17 T18"),
    (("111m444m222p555p777s33z", "7s"), {}, "T02 T16 T18"),
    (("111m444m222p555p777s33z", "7s", "self"), {}, "T03 T17 T18"),
    (("111m444m222p555p777s33z", "3z"), {"five_concealed_all_pongs": False}, "T02 T07 T17"),
    (("111m444m222p555p777s33z", "7s"), {"five_concealed_all_pongs": False}, "T02 T16 T18"),
    (("111m444m222p33z", "3z"), {"melds": "555p<0 7777s<2"}, "T07 T15 T18"),
    (("111222333m456p789s55z", "5z"), {}, "T02 T07 T15"),
    (("111m123m444p777s999s22z", "1m"), {}, "T02 T16"),  # the tile goes to the chow
    # T19 to T21: suits
    (("123456789m111m33355z", "5z"), {}, "T02 T07 T19"),
    (("123456789m111m33m", "3m"), {"melds": "777m<2"}, "T20"),
    (("123456789m111p33355z", "5z"), {}, "T02 T07"),
    (("123456789m11155m", "5m"), {"melds": "777z<0"}, "T04 T07 T19"),
    (("123123456456789m99m", "9m"), {}, "T02 T14 T20"),
    (("11122233355566677z", "7z"), {}, "T02 T05 T06 T07 T17 T21 T22"),
    (("33355566677z", "7z"), {"melds": "111z<0 222z<0"}, "T05 T06 T07 T15 T21 T22"),
    # T22 to T25: dragons and winds
    (("123456m234p55566677z", "7z"), {}, "T02 T07 T22"),
    (("123456m22p555666777z", "2p"), {}, "T02 T07 T15 T23"),
    (("123456m22p666777z", "2p"), {"melds": "5555z<0"}, "T07 T23"),
    (("123m456p11122233344z", "4z"), {}, "T02 T07 T15 T24"),
    (("123m55p111222333444z", "5p"), {}, "T02 T07 T16 T25"),
    (("123m456p111222333z55z", "5z"), {}, "T02 T05 T06 T07 T15"),
    (("123m456p11122233355z", "5z"), {"round_wind": 2}, "T02 T05 T06 T07 T15"),
    # T26 to T28: before anything has been claimed
    (("123456m234p345789s11z", "1z", "self"), {"seat": 0, "start": "deal", "thrown": ""}, "T26"),
    (("111m444m222p555p777s33z", "3z", "self"), {"seat": 0, "start": "deal", "thrown": ""}, "T17 T18 T26"),
    (("123456m234p345789s11z", "1z", "self"), {"seat": 0, "start": "draw", "thrown": "0:9p 1:9p 2:9p 3:9p"}, "T03 T07"),
    (("456m234p345789s11z", "1z", "self"), {"seat": 0, "start": "kong", "thrown": "", "melds": KONG}, "T03 T07 T09"),
    (("123456m234p345789s11z", "1z", "self"), {"thrown": "0:9p"}, "T07 T27"),
    (("123456m234p345789s11z", "1z", "self"), {"seat": 3, "thrown": "0:9p 1:9p 2:9p"}, "T07 T27"),
    (("123456m234p345789s11z", "1z", "self"), {"thrown": "0:9p 1:9p 2:9p 3:9p 0:2z"}, "T03 T07"),
    (("456m234p345789s11z", "1z", "self"), {"thrown": "0:9p", "start": "kong", "melds": KONG}, "T03 T07 T09"),
    (("123456m234p345789s11z", "1z"), {"thrown": "", "giver": 0}, "T07 T28"),
    (("123456m234p345789s11z", "1z"), {"thrown": "0:9p 1:2z 2:9p", "giver": 3, "seat": 2}, "T02 T07"),
    (("123456m234p345789s11z", "1z"), {"thrown": "0:9p", "giver": 1, "seat": 3}, "T07 T28"),
    (("123456m234p345789s11z", "1z"), {"thrown": "0:9p", "giver": 1, "seat": 0}, "T02 T07"),
    (("234m456p234p345789s55m", "2m"), {"thrown": "", "giver": 0}, "T14 T28"),
    (OPEN, {"thrown": "", "melds": CHI, "giver": 0}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("args", "facts", "expected"), ITEMS)
def test_items(args: tuple[str, ...], facts: dict[str, Any], expected: str) -> None:
    """§14, §15: the items of a hand that has been won in a position, all of them."""
    assert items(*args, **facts) == expected


def test_somebody_elses_meld_ends_the_first_turn() -> None:
    """§14: T27 and T28 need that nobody has claimed a tile or declared a kong, T26 that the dealer has not."""
    hand = ("123456m234p345789s11z", "1z")
    for meld in ("999p<0", KONG):
        state = winning(*hand, "self", thrown="0:8s")
        assert listed(bind(items_of_win, GAME)(state, 1)) == "T07 T27"
        laid = table("", "123456m234p345789s11z", turn=1, last="1z", thrown="0:8s", melds={3: meld}, far="1z")
        assert listed(bind(items_of_win, GAME)(laid, 1)) == "T03 T07"
        laid = table("1z", "123456m234p345789s1z", thrown="", melds={3: meld}, far="1z")
        assert listed(bind(items_of_win, GAME)(played(laid, "1z").states, 1)) == "T02 T07"


def test_every_item_comes_up() -> None:
    """§14: each among the hands above, and missing from others."""
    found = Counter(item for _, _, expected in ITEMS for item in expected.split())
    assert sorted(found) == [f"T{i:02d}" for i in range(1, 29)]
    assert max(found.values()) < len(ITEMS)


VALUED = [  # a parameter that says what an item is worth, a hand with the item, and the other tai it has
    ("heavenly", ("123456m234p345789s11z", "1z", "self"), {"seat": 0, "start": "deal", "thrown": ""}, 0),
    ("earthly", ("123456m234p345789s11z", "1z", "self"), {"thrown": "0:9p"}, 1),
    ("human", ("123456m234p345789s11z", "1z"), {"thrown": "", "giver": 0}, 1),
    ("concealed_self_draw", ("123456m234p345789s11z", "1z", "self"), {}, 1),
    ("all_honors", ("11122233355566677z", "7z"), {}, 16),
    ("last_discard", OPEN, {"melds": CHI, "live": 0}, 0),
    ("half_claimed", ("22z", "2z", "self"), {"melds": ALL_CLAIMED}, 2),
]


@pytest.mark.parametrize(("name", "args", "facts", "others"), VALUED)
@pytest.mark.parametrize("worth", [0, 1, 64])
def test_tai_of_choice(name: str, args: tuple[str, ...], facts: dict[str, Any], others: int, worth: int) -> None:
    """§14, §17: what an item is worth; of the others none changes."""
    for param in record.OF_CHOICE:
        state = winning(*args, **facts, **{param: worth, "base": 0, "fan": 1, "dealer_tai": False})
        expected = others + (worth if param == name else SPEC.params[name].default)
        batch = played(state, "win")
        assert batch.states["won"].max() == expected + 1
        assert batch.states["points"].max() == expected * (3 if args[2:] == ("self",) else 1)


# Random hands


def random_win(rng: random.Random) -> tuple[list[int], int, list[oracle.Meld]]:
    """Draw a complete hand that may well be of few suits or of many triplets: concealed tiles, winning tile, melds."""
    while True:
        used, parts, melds = Counter[int](), [], []
        suits = rng.choice([[0], [1, 3], [0, 2, 3], [3], [0, 1, 2, 3]])
        share, claims = rng.random(), rng.choice([0, 0, 1, 3, 4, 5])
        for i in range(6):
            kind = rng.choice([k for k in range(34) if k // 9 in suits])
            chow = i < 5 and oracle.chow(kind) and rng.random() < share
            part = ("chow" if chow else "pong" if i < 5 else "pair", kind)
            four = i < claims and part[0] == "pong" and rng.random() < 0.3
            parts.append((part, four))
            used.update(oracle.tiles_of(part) + [kind] * four)
        if max(used.values()) <= 4:
            break
    concealed: list[int] = []
    for i, (part, four) in enumerate(parts):
        if i >= claims:
            concealed += oracle.tiles_of(part)
        elif four:
            melds.append(rng.choice([("kong", part[1], part[1], 0), ("concealed_kong", part[1], None, None)]))
        else:
            melds.append((part[0], part[1], part[1], 0))
    return concealed, rng.choice(concealed), melds


def laid(concealed: list[int], melds: list[oracle.Meld], seat: int, **params: Any) -> Record:
    """Write a hand, and nothing else, into a record."""
    state = find(SPEC, **params).blank.copy()
    np.add.at(state["hand"][0, seat], concealed, 1)
    state["melds"][0, seat] = len(melds)
    for j, (form, kind, _, _) in enumerate(melds):
        state["form"][0, seat, j], state["kind"][0, seat, j] = FORMS[form], kind
    return state


def test_random_hands() -> None:
    """§2, §14, §15: the best way to count a hand is worth what the oracle finds, whatever the parameters."""
    rng, seen, names = random.Random(14), Counter[str](), list(tai.ITEMS)
    for _ in range(count(4000, 40)):
        concealed, win, melds = random_win(rng)
        how, seat = rng.choice(["self", "discard", "rob"]), rng.randrange(4)
        flags = {"self": ["kong_draw", "last_draw"], "discard": ["last_discard"], "rob": []}[how]
        if not melds:
            flags += {"self": [rng.choice(["heavenly", "earthly"])], "discard": ["human"], "rob": []}[how]
        chosen = {flag for flag in flags if rng.random() < 0.3}
        params: dict[str, Any] = {name: rng.choice([0, 1, 9, 40]) for name in record.OF_CHOICE if rng.random() < 0.3}
        params |= {
            name: False for name in ("single_wait_all_claimed", "five_concealed_all_pongs") if rng.random() < 0.5
        }
        params |= {"round_wind": rng.randrange(4), "dealer": rng.randrange(4)}
        wanted, tai_of, _ = oracle.score(
            concealed, win, how, melds, (seat - params["dealer"]) % 4,
            flags=chosen, **{name: value for name, value in params.items() if name != "dealer"},
        )  # fmt: skip
        state = laid(concealed, melds, seat, **params)
        if how != "self":
            state["hand"][0, seat, win] -= 1
        given = sum(1 << names.index(flag) for flag in chosen)
        given |= {"self": tai.SELF_DRAW, "discard": 0, "rob": tai.ROBBED_KONG}[how]
        found = int(bind(items_of_hand, GAME)(state, seat, win, how == "self", given))
        assert sum(int(state["worth"][0, i]) for i in range(29) if found >> i & 1) == tai_of, (
            concealed,
            win,
            melds,
            wanted,
        )
        seen.update(wanted)
    assert set(seen) == set(names) or config.DISABLE_JIT


def test_completeness_agrees_with_the_oracle() -> None:
    """§2: of random tiles, and of complete hands with a tile exchanged."""
    rng, found = random.Random(2), Counter[bool]()
    for _ in range(count(20_000, 400)):
        concealed, _, melds = random_win(rng)
        for _ in range(rng.choice([0, 0, 1, 2])):
            concealed[rng.randrange(len(concealed))] = rng.choice([k for k in range(34) if concealed.count(k) < 4])
        hand = np.bincount(concealed, minlength=34).astype(np.int8)
        expected = oracle.complete(Counter(concealed), melds)
        assert complete.complete(hand, -1, -1) == expected, concealed
        last = rng.choice(concealed)
        hand[last] -= 1
        assert complete.complete(hand, last, -1) == expected
        hand[last] += 2
        assert complete.complete(hand, -1, last) == expected
        found[expected] += 1
    assert min(found.values()) > count(3000, 60)
