"""Mahjong's deal, wall, turns and kongs in positions set up by hand: `table` sets them up, `played` plays on.

Under NUMBA_DISABLE_JIT=1, where `test_mutants.py` runs these tests on broken copies of the game, the same checks play
fewer hands.
"""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game, find
from boyi.envs.engine.kernels import CHANCE_KEY, derive
from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.engine.rng import below
from boyi.envs.mahjong import SPEC, record, text, tiles

pytestmark = pytest.mark.kernels

TESTED = [find(SPEC, **params) for params in SPEC.tested]
every_set = pytest.mark.parametrize("game", TESTED, ids=str)
ODD_LUCK = 1e-9  # no p-value below this comes up by chance: seeds are fixed
SEATS = range(4)
WAITING = "46m123456p123456s11z"  # for 5m; two tai on a discard

Record = NDArray[np.void]


def count(compiled: int, interpreted: int) -> int:
    """Choose how often to repeat something."""
    return interpreted if config.DISABLE_JIT else compiled


def likely(counts: Any, shares: Any) -> bool:
    """Say whether outcomes came up about as often as their shares say."""
    from scipy.stats import chisquare  # takes a second, which `test_mutants.py` would spend again and again

    return len(shares) == 1 or bool(
        chisquare(counts, np.sum(counts) * np.array(shares) / np.sum(shares)).pvalue > ODD_LUCK
    )


def by_hand(game: object = "mahjong", n: int = 1, seed: int = 0, **params: object) -> Batch:
    """Start hands whose draws the test chooses."""
    return Batch(game, n, seed, encoder=None, chance="by_hand", **params)


def table(
    *hands: str,
    turn: int = 0,
    start: str = "draw",
    last: str = "",
    melds: dict[int, str] | None = None,
    thrown: str | None = None,
    live: int | None = None,
    far: str = "",
    missed: str = "0,0,0,0",
    **params: object,
) -> Record:
    """Return a position in a seat's turn: hands are filled up with tiles that are not within two of those in `far`.

    `melds` and `thrown` are written as in a diagram. Without `thrown` two tiles lie before every seat, or as many as
    leave `live`.
    """
    game, laid = find(SPEC, **params), melds or {}
    shown = [tiles.parse_list(re.split("[<!]", word)[0]) for words in laid.values() for word in words.split()]
    shown += [[tiles.kind_of(word[2:])] for word in (thrown or "").split() if ">" not in word]
    full = [tiles.parse(hands[q] if q < len(hands) else "").astype(np.int64) for q in SEATS]
    wall = 4 - sum(full) - np.bincount([k for kinds in shown for k in kinds], minlength=34)
    sizes = [16 - 3 * len(laid.get(q, "").split()) + (q == turn) for q in SEATS]
    near = {k for hot in tiles.parse_list(far) for k in range(hot - 2, hot + 3) if k // 9 == hot // 9}
    spare = [k for copy in range(4) for k in range(34) if k not in near and copy < wall[k]]
    for _ in range(17):
        for hand, size in zip(full, sizes, strict=True):
            if hand.sum() < size:
                k = min(spare, key=lambda k: hand[max(k - 2, 0) : k + 3].sum())
                spare.remove(k)
                hand[k] += 1
                wall[k] -= 1
    reserve = game.params["reserve"] + game.params["reserve_per_kong"] * sum(len(kinds) == 4 for kinds in shown)
    if thrown is None or live is not None:
        many = 8 if live is None else int(wall.sum()) - reserve - live
        lying = sorted((k for k in range(34) for _ in range(wall[k])), key=lambda k: k in near)[:many]
        np.subtract.at(wall, lying, 1)
        thrown = " ".join([*(f"{i % 4}:{tiles.name_of(k)}" for i, k in enumerate(lying)), *(thrown or "").split()])
    options = [f"{key}={value}".lower() for key, value in game.params.items() if value != SPEC.params[key].default]
    lines = [f"mahjong{' ' * bool(options)}{','.join(options)}  ply 0  live {wall.sum() - reserve}"]
    drawn = start not in ("deal", "claim")
    tile = (last or tiles.name_of(int(np.flatnonzero(full[turn])[-1]))) if drawn else "-"
    lines.append(
        f"phase turn  turn {turn}  start {start}  last {tile}  offer -  to {turn}  answers -,-,-,-  missed {missed}"
    )
    for q in SEATS:
        wind = "ESWN"[(q - game.params["dealer"]) % 4]
        lines.append("  ".join([f"{q} {wind} {tiles.write(full[q])}", *laid.get(q, "").split()]))
    lines.append(" ".join(["discards", *thrown.split()]))
    return text.read("\n".join(lines))


def game_of(state: Record) -> Game:
    """Find the game of a record's parameters, which its diagram tells."""
    options = re.match(r"mahjong(?: (\S+))?  ply", text.diagram(state[0]))
    assert options is not None
    return find(f"mahjong:{options[1]}" if options[1] else "mahjong")


def played(state: Record, line: str = "") -> Batch:
    """Play named actions, and draws as ``draw 4m``, or ``draw`` of any tile, from a position; all must be allowed."""
    batch = by_hand(game_of(state))
    batch.states = state
    for word in line.split(", ") if line else ():
        if word.startswith("draw"):
            wall = batch.states["wall"][0]
            k = tiles.kind_of(word[5:]) if word[5:] else int(wall.argmax())
            assert batch.to_move[0] == CHANCE and wall[k] > 0, (word, text.diagram(batch.states[0]))
            batch.resolve(np.array([k]))
        else:
            assert word in named(batch), (word, text.diagram(batch.states[0]))
            batch.step(np.array([text.parse(batch.states[0], word)]))
    return batch


def named(batch: Batch) -> list[str]:
    """Name what the seat to move may do."""
    return [text.name(batch.states[0], a) for a in np.flatnonzero(batch.mask[0])]


def asks(batch: Batch) -> str:
    """Say who is to move and, unless it is that seat's turn to discard, what it may answer: ``1 pong pass``."""
    whose = {CHANCE: "draw", OVER: "over"}.get(int(batch.to_move[0]), str(batch.to_move[0]))
    return " ".join([whose, *(word for word in named(batch) if word not in tiles.NAMES)])


def lies(batch: Batch) -> str:
    """Write the discards as a diagram does, those from before the last four left out."""
    return " ".join(text.diagram(batch.states[0]).splitlines()[6].split()[1:][-4:])


def seat(batch: Batch, q: int) -> str:
    """Write a seat's hand and melds as a diagram does."""
    return text.diagram(batch.states[0]).splitlines()[2 + q][4:]


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
            a = int(np.flatnonzero(batch.mask[0])[0]) if batch.states["phase"][0] == record.TURN else record.PASS
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
    assert (asks(batch), s["phase"], s["hand"][0, 4], s["kongs"]) == ("1 win pass", record.ROB, 1, 0)
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
