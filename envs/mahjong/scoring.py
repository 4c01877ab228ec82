"""What a complete hand is worth, apart from a game (§14 to §17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.bind import bind
from ..engine.errors import BoyiError, chosen, is_whole, shown, unknown
from ..engine.spec import Game, find
from . import tiles
from .complete import complete
from .constants import KINDS, MOST_MELDS, SEATS
from .melds import ADDED, CHOW, CONCEALED, KONG, PONG, melded, tiles_of
from .tai import (
    DRAGON_PONG,
    EARTHLY,
    HEAVENLY,
    HUMAN,
    ITEMS,
    KONG_DRAW,
    LAST_DISCARD,
    LAST_DRAW,
    ROBBED_KONG,
    SECOND_DRAGON,
    SELF_DRAW,
    best_items_one,
)

GAME = find("mahjong")
FORMS = {"chow": CHOW, "pong": PONG, "kong": KONG, "added_kong": ADDED, "concealed_kong": CONCEALED}
WAYS = ("discard", "self", "rob")
OUTSIDE = ("dealer", "streak", "round_wind")  # parameters of the game that `score` has under other names, or not at all


@dataclass(frozen=True)
class Score:
    """A hand's `tai`, its `items` with the tai of each, the `waits` it had, and the `points` of each payer (§17).

    What the dealer pays and gets in addition is not in the points.
    """

    tai: int
    items: dict[str, int]
    waits: tuple[str, ...]
    points: int


def score(
    concealed: str,
    win: str,
    by: str = "discard",
    melds: Sequence[tuple[str, str]] = (),
    seat_wind: int = 0,
    round_wind: int = 0,
    *,
    kong_draw: bool = False,
    last_tile: bool = False,
    first_turn: bool = False,
    **params: Any,
) -> Score:
    """Count a complete hand: `concealed` tiles, the winning one among them, and declared `melds`.

    `by` says whose the tile `win` was: a "discard", drawn by oneself ("self") or of an added kong ("rob"). A meld is
    its form, "chow", "pong", "kong", "added_kong" or "concealed_kong", and its tiles, as ``("chow", "123m")``. Winds
    are 0 to 3 for East, South, West, North; East is the dealer. `kong_draw`: the tile replaced a kong's; `last_tile`:
    no live tile was left; `first_turn`: nobody had claimed or declared anything, and the seat had not discarded yet.
    `params` are parameters of the game, such as ``fan=200``. `BoyiError` for a hand that is not complete, and for what
    cannot be.

    >>> score("123456m234p345789s11z", "1z", seat_wind=1).items
    {'concealed_hand': 1, 'single_wait': 1}
    """
    game = _game(params, round_wind)
    seat, way = _wind(seat_wind, "seat_wind"), _way(by)
    s = game.blank.copy()
    hand, kind = tiles.parse(concealed), tiles.kind_of(win)
    _declare(s, seat, melds)
    _check_hand(concealed, hand, kind, s[0], seat)
    drawn = way == "self"
    s["hand"][0, seat] = hand
    s["hand"][0, seat, kind] -= not drawn
    given = _given(way, kong_draw, last_tile, first_turn, seat, bool(melds))
    items = int(bind(best_items_one, game)(s, seat, kind, drawn, given))
    found = {name: int(s["worth"][0, i]) for i, name in enumerate(ITEMS) if items >> i & 1}
    if items & SECOND_DRAGON:
        found[ITEMS[DRAGON_PONG.bit_length() - 1]] += int(s["worth"][0, -1])
    tai = sum(found.values())
    return Score(tai, found, _waits(hand, kind, s[0], seat, game), game.params["base"] + game.params["fan"] * tai)


def _game(params: dict[str, Any], round_wind: int) -> Game:
    for name in params:
        known = [key for key in GAME.spec.params if key not in OUTSIDE]
        if name not in known:
            raise unknown("parameter of score", name, known)
    return find(GAME, **params, round_wind=_wind(round_wind, "round_wind"))


def _wind(wind: int, name: str) -> int:
    if not is_whole(wind, 0, SEATS - 1):
        raise BoyiError(f"{name} is 0 to 3 for East, South, West, North, not {shown(wind)}")
    return int(wind)


def _way(by: str) -> str:
    return chosen("way to win", by, WAYS)


def _declare(s: np.ndarray, seat: int, melds: Sequence[tuple[str, str]]) -> None:
    if len(melds) > MOST_MELDS:
        raise BoyiError(f"a hand has at most {MOST_MELDS} melds, not {len(melds)}")
    for j, (name, held) in enumerate(melds):
        chosen("form of meld", name, FORMS)
        kinds = sorted(tiles.parse_list(held))
        low = kinds[0] if kinds else 0
        wanted = tiles_of(FORMS[name], low)
        if kinds != wanted or (name == "chow" and (low >= 27 or low % 9 > 6)):
            raise BoyiError(f"{held!r} is no {name.replace('_', ' ')}")
        s["form"][0, seat, j], s["kind"][0, seat, j] = FORMS[name], low
    s["melds"][0, seat] = len(melds)


def _check_hand(text: str, hand: np.ndarray, win: int, s: np.void, seat: int) -> None:
    wanted = 17 - 3 * int(s["melds"][seat])
    if hand.sum() != wanted:
        rest = f"with {s['melds'][seat]} melds a complete hand has {wanted}, the winning one included"
        raise BoyiError(f"{text!r} has {hand.sum()} tiles: {rest}")
    copies = hand + melded(s, seat)
    if copies.max() > tiles.COPIES:
        most = int(copies.argmax())
        found = f"{copies[most]} tiles {tiles.name_of(most)}"
        raise BoyiError(f"hand and melds have {found}, of which there are {tiles.COPIES}")
    if hand[win] == 0:
        raise BoyiError(f"{text!r} does not hold the winning tile {tiles.name_of(win)}")
    if not bind(complete, GAME)(hand, -1, -1):
        raise BoyiError(f"{text!r} is not complete: it is not made of melds and one pair")


def _waits(hand: np.ndarray, win: int, s: np.void, seat: int, game: Game) -> tuple[str, ...]:
    before = hand.copy()
    before[win] -= 1
    left = tiles.COPIES - before - melded(s, seat)
    full = bind(complete, game)
    return tuple(tiles.name_of(k) for k in range(KINDS) if left[k] > 0 and full(before, k, -1))


def _given(way: str, kong_draw: bool, last_tile: bool, first_turn: bool, seat: int, melds: bool) -> int:
    """Return the items that follow from how the hand was won."""
    if way == "rob":
        if kong_draw or last_tile or first_turn:
            raise BoyiError("the tile of an added kong is no replacement, not the last one and not of the first turn")
        return ROBBED_KONG
    if first_turn and (melds or kong_draw or last_tile):
        raise BoyiError("nothing has been declared in the first turn, and its tile is not the last one")
    if way == "discard":
        if kong_draw or (first_turn and seat == 0):
            raise BoyiError("a discard is no replacement, and the dealer has discarded before any other seat")
        return (LAST_DISCARD if last_tile else 0) | (HUMAN if first_turn else 0)
    first = (HEAVENLY if seat == 0 else EARTHLY) if first_turn else 0
    return SELF_DRAW | (KONG_DRAW if kong_draw else 0) | (LAST_DRAW if last_tile else 0) | first
