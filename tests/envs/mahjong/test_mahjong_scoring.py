"""`score`: what a complete hand is worth, apart from a game (§14 to §17)."""

import json
import re
from pathlib import Path

import pytest
from places import ROOT

from boyi.envs import BoyiError
from boyi.envs.mahjong import score
from boyi.envs.mahjong.tai import ITEMS

pytestmark = pytest.mark.kernels

CASES = json.loads((Path(__file__).parent / "scoring.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "envs" / "mahjong" / "RULES.md").read_text(encoding="utf-8")
# The literature's names in the order of the items (§16).
CHINESE = re.findall(r"T\d\d ([^ ,]+)", PAGE.split("**§16")[1].split("**§17")[0])
WAYS = {"ron": "discard", "self": "self", "rob": "rob"}
FORMS = {"chi": "chow", "pon": "pong", "ckong": "concealed_kong"}
HAND = "123456m234p345789s11z"


def flags(case):
    named = {"kong_bloom": "kong_draw", "last": "last_tile", "heavenly": "first_turn", "earthly": "first_turn"}
    return {named[flag]: True for flag in case["flags"]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_cases(case):
    """§14: tai, items, waits and points of hands counted by others, and by hand."""
    english = dict(zip(CHINESE, ITEMS, strict=True))
    found = score(
        case["concealed_including_win"],
        case["win"] or "1z",
        WAYS[case["source"]],
        [(FORMS[form], tiles) for form, tiles in case["melds"]],
        "ESWN".index(case["seat_wind"]),
        "ESWN".index(case["round_wind"]),
        **flags(case),
    )
    assert found.items == {english[name]: tai for name, tai in case["items"].items()}
    assert (found.tai, found.points) == (case["tai"], case["score_per_payer"])
    if case["waits"]:
        assert list(found.waits) == case["waits"]


def test_parameters_of_the_game():
    """§17: points by base and fan; §14: tai of choice."""
    assert score(HAND, "1z", base=300, fan=100, seat_wind=1).points == 500
    assert score(HAND, "1z", "self", seat_wind=1, first_turn=True, earthly=24).items == {
        "earthly": 24,
        "single_wait": 1,
    }
    assert score(HAND, "1z", "self", concealed_self_draw=2).items["concealed_self_draw"] == 2
    assert score("22z", "2z", melds=[("pong", f"{k}{k}{k}m") for k in range(1, 6)]).items["single_wait"] == 1
    melds = [("pong", f"{k}{k}{k}m") for k in range(1, 6)]
    assert "single_wait" not in score("22z", "2z", melds=melds, single_wait_all_claimed=False).items


def test_two_dragon_pongs_count_twice():
    """T04 counts once for each dragon, however they were won."""
    melds = [("pong", "555z"), ("kong", "6666z")]
    assert score("123m456p11z", "1z", melds=[*melds, ("chow", "789s")]).items["dragon_pong"] == 2


def test_first_turns():
    """T26 to T28, by whose tile and whose turn it was."""
    assert score(HAND, "1z", "self", first_turn=True).items == {"heavenly": 16}
    assert score(HAND, "1z", seat_wind=2, first_turn=True).items["human"] == 16


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"concealed": "123456m234p345789s12z"}, "is not complete: it is not made of melds and one pair"),
        ({"concealed": "123456m234p345789s1z"}, "has 16 tiles: with 0 melds a complete hand has 17"),
        ({"melds": [("chow", "123m")]}, "has 17 tiles: with 1 melds a complete hand has 14"),
        ({"concealed": "1133557799m2244p666s", "win": "6s"}, "is not complete"),
        ({"win": "7z"}, "does not hold the winning tile 7z"),
        ({"win": "12z"}, "cannot read tile '12z'"),
        ({"win": ""}, "cannot read"),
        ({"concealed": "11111m234p345789s111z"}, "tiles 1m, of which there are 4"),
        ({"concealed": "234p345789s11z222m", "melds": [("pong", "111z")]}, "hand and melds have 5 tiles 1z"),
        ({"concealed": "abc"}, "cannot read tiles 'abc'"),
        ({"by": "luck"}, "unknown way to win 'luck'"),
        ({"melds": [("chow", "124m")]}, "'124m' is no chow"),
        ({"melds": [("chow", "891m")]}, "'891m' is no chow"),
        ({"melds": [("chow", "123z")]}, "'123z' is no chow"),
        ({"melds": [("kong", "111m")]}, "'111m' is no kong"),
        ({"melds": [("pong", "")]}, "'' is no pong"),
        ({"melds": [("pung", "111m")]}, "unknown form of meld 'pung': did you mean 'pong'?"),
        ({"melds": [("pong", f"{k}{k}{k}p") for k in range(1, 7)]}, "a hand has at most 5 melds, not 6"),
        ({"seat_wind": 4}, "seat_wind is 0 to 3 for East, South, West, North, not 4"),
        ({"round_wind": "E"}, "round_wind is 0 to 3 for East, South, West, North, not 'E'"),
        ({"dealer": 1}, "unknown parameter of score 'dealer'"),
        ({"fann": 1}, "unknown parameter of score 'fann': did you mean 'fan'?"),
        ({"fan": -1}, "fan must be a whole number from 0"),
        ({"kong_draw": True}, "a discard is no replacement"),
        ({"first_turn": True}, "the dealer has discarded before any other seat"),
        ({"by": "rob", "last_tile": True}, "the tile of an added kong is no replacement"),
        ({"by": "self", "first_turn": True, "last_tile": True}, "nothing has been declared in the first turn"),
    ],
)
def test_what_cannot_be_is_one_sentence(words, sentence):
    with pytest.raises(BoyiError, match=re.escape(sentence)):
        score(**{"concealed": HAND, "win": "1z", **words})
