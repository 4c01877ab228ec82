"""Which records of mahjong are positions: all that play, forfeits, `redeal` and text lead to, and none that do harm."""

from typing import NamedTuple

import numpy as np
import pytest
from damage import Record, altered, compiled, flaws, kinds, one_byte_changed, scrambled, survives, watch
from mahjong_positions import NAMES, TESTED, WAITING, by_name, count, every_set, played, table

from boyi.envs import Batch, Game, find
from boyi.envs.engine.protocol import OVER
from boyi.envs.engine.rng import choose, kernel
from boyi.envs.mahjong import SPEC, constants, greedy, text, valid
from boyi.envs.mahjong.melds import CONCEALED
from boyi.envs.mahjong.rules import legal
from boyi.envs.mahjong.state import DECLARE, PASS

LONG = find("mahjong", reserve=0, reserve_per_kong=1, multi_win="all", missed_win="strict", swap_call_ban=True)
every_game = pytest.mark.parametrize("game", [*TESTED, LONG], ids=str)


class Mask(NamedTuple):
    """Room for what is allowed (75,)."""

    mask: np.ndarray


@kernel
def eager(s, notes, rng):
    """Claim, declare and win wherever that is allowed."""
    legal(s, notes.mask)
    n = 0
    for a in range(DECLARE, PASS):
        n += notes.mask[a]
    if n > 0:
        notes.mask[:DECLARE] = 0
        notes.mask[PASS] = 0
    return choose(notes.mask, rng)


def starts(game: Game, many: int) -> Record:
    """Deal hands (many,)."""
    return Batch(game, many, seed=4, encoder=None, chance="by_hand").states


def some(game: Game, many: int) -> Record:
    """Collect `many` positions of hands in which much is claimed, ends and waits for a draw among them."""
    lots = np.random.default_rng(0)
    batch, found = Batch(game, count(40, 2), seed=9, encoder=None, chance="by_hand"), []
    while (batch.to_move > OVER).any():
        found.append(batch.states)
        waiting, rows = np.flatnonzero(batch.to_move == -1), np.flatnonzero(batch.to_move >= 0)
        if waiting.size:
            batch.resolve(batch.draw_outcomes(waiting), waiting)
        masks = batch.mask[rows]
        claims = masks * (np.arange(75) >= DECLARE) * (np.arange(75) < PASS)
        likely = np.where(claims.any(axis=1, keepdims=True) & (lots.random((len(rows), 1)) < 0.8), claims, masks)
        if rows.size:
            batch.step((likely * lots.random(likely.shape)).argmax(axis=1), rows)
    return np.concatenate([lots.choice(np.concatenate(found), many - 4), batch.states[:4]])


# What is lawful


@compiled
@every_game
def test_whatever_is_played_is_a_position(game: Game) -> None:
    """At random, eagerly, and by greedy; so is what a forfeit ends, and what is dealt anew for any seat."""
    for chooses, notes, share in ((eager, Mask(np.zeros(75, np.int8)), 0.9), (greedy.policy, greedy.notes(game), 0.9)):
        ends = watch(game, starts(game, 100), 1, notes, chooses, share)
        assert (ends["to_move"] == OVER).all()


@compiled
def test_hands_that_were_looked_at_end_in_every_way() -> None:
    """By self-draw, on a discard, two at once, robbing a kong, and with the wall; kongs of all forms are declared."""
    notes = Mask(np.zeros(75, np.int8))
    ends = watch(LONG, starts(LONG, 400), 1, notes, eager, 1.0)
    won = (ends["won"] > 0).sum(axis=1)
    assert set(won[ends["phase"] == constants.TURN]) == {0, 1} and {1} <= set(won[ends["phase"] == constants.CLAIM])
    assert set(ends["form"].ravel()) == set(range(CONCEALED + 1)) and (ends["left"] == ends["kongs"]).any()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_set_up_is_a_position(name: str) -> None:
    assert flaw_of(by_name(name)) == -1


@every_set
def test_what_reads_back_is_a_position(game: Game) -> None:
    states = some(game, count(60, 6))
    forfeited = states[states["to_move"] >= 0].copy()
    forfeited["to_move"] = OVER
    for state in (*states, *forfeited):
        assert flaw_of(text.read(text.diagram(state))) == -1


# What is refused


def state_of(name: str) -> Record:
    """Set up a position to break."""
    if name == "won":
        return played(table("5m", WAITING, far="5m"), "5m, win").states
    if name == "drawn":
        return played(table("", f"5m{WAITING}", turn=1, last="5m"), "win").states
    if name == "robbed":
        return played(by_name("rob"), "win").states
    if name == "over":
        return played(table("5m", live=0, far="5m"), "5m").states
    if name == "replaced":
        return table("", melds={0: "9999p!"}, start="kong")
    if name == "banned":
        return played(table("5m", "67m9s", far="5m", swap_call_ban=True), "5m, chow 567m").states
    return by_name(name).copy()


BROKEN = [  # a position, its fields that are changed and to what, and the rule that this breaks
    ("turn", {"dealer": 4}, valid.PARAMETERS),
    ("turn", {"streak": 100}, valid.PARAMETERS),
    ("turn", {"round_wind": -1}, valid.PARAMETERS),
    ("turn", {"stake": 1_000_001}, valid.PARAMETERS),
    ("turn", {"fan": -1}, valid.PARAMETERS),
    ("turn", {"reserve": 33}, valid.PARAMETERS),
    ("turn", {"tail_no_claim": 72}, valid.PARAMETERS),
    ("turn", {"min_tai": 17}, valid.PARAMETERS),
    ("turn", {"missed_win": 3}, valid.PARAMETERS),
    ("turn", {"multi_win": 2}, valid.PARAMETERS),
    ("turn", {"ask_all": -1}, valid.PARAMETERS),
    ("turn", {"worth": (0, 2)}, valid.PARAMETERS),
    ("turn", {"worth": (25, 65)}, valid.PARAMETERS),
    ("turn", {"turn": 4}, valid.STATUS),
    ("turn", {"phase": 3}, valid.STATUS),
    ("turn", {"start": -1}, valid.STATUS),
    ("turn", {"answer": (0, 8)}, valid.STATUS),
    ("turn", {"missed": (0, 1)}, valid.STATUS),
    ("missed", {"missed": (0, 2)}, valid.STATUS),
    ("turn", {"last": 34}, valid.TILE),
    ("turn", {"offer": -2}, valid.TILE),
    ("turn", {"hand": ((0, 0), 5)}, valid.COUNTS),
    ("turn", {"hand": ((3, 33), -1)}, valid.COUNTS),
    ("turn", {"wall": (0, -1)}, valid.COUNTS),
    ("turn", {"melds": (0, 6)}, valid.MELDS),
    ("turn", {"melds": (0, -1)}, valid.MELDS),
    ("turn", {"form": ((1, 0), 6)}, valid.MELDS),
    ("turn", {"form": ((0, 0), 1)}, valid.MELDS),
    ("turn", {"kind": ((1, 0), 34)}, valid.MELDS),
    ("turn", {"kind": ((2, 1), 7)}, valid.MELDS),
    ("turn", {"kind": ((2, 1), 25)}, valid.MELDS),
    ("turn", {"taken": ((2, 1), 3)}, valid.MELDS),
    ("turn", {"giver": ((2, 1), 0)}, valid.MELDS),
    ("turn", {"giver": ((1, 0), 2)}, valid.MELDS),
    ("turn", {"giver": ((0, 4), 0)}, valid.MELDS),
    ("turn", {"discards": -1}, valid.THROWN),
    ("turn", {"discards": 93}, valid.THROWN),
    ("turn", {"discard": (0, 34)}, valid.THROWN),
    ("turn", {"by": (0, 4)}, valid.THROWN),
    ("turn", {"by": (91, 1)}, valid.THROWN),
    ("turn", {"claimed": (0, 0)}, valid.THROWN),
    ("turn", {"claimed": (0, -2)}, valid.THROWN),
    ("turn", {"claimed": (91, 0)}, valid.THROWN),
    ("turn", {"kongs": 4}, valid.KONGS),
    ("turn", {"claimed": (0, 1)}, valid.RIVER),
    ("turn", {"river": ((0, 0), -1)}, valid.RIVER),
    ("turn", {"river": ((0, 33), 1)}, valid.RIVER),
    ("after a claim", {"taken": ((1, 1), 5)}, valid.TAKEN),
    ("turn", {"left": 20}, valid.TILES),
    ("turn", {"wall": (0, 4)}, valid.TILES),
    ("turn", {"kind": ((1, 0), 0)}, valid.TILES),
    ("turn", {"to_move": 1}, valid.MOVER),
    ("turn", {"to_move": -3}, valid.MOVER),
    ("claim", {"to_move": 0}, valid.MOVER),
    ("claim", {"to_move": 4}, valid.MOVER),
    ("claim", {"to_move": -1}, valid.MOVER),
    ("turn", {"to_move": -1}, valid.SIZES),
    ("draw", {"to_move": 1}, valid.SIZES),
    ("draw", {"turn": 2, "to_move": 2}, valid.SIZES),
    ("turn", {"start": 0}, valid.START),
    ("turn", {"start": 2}, valid.START),
    ("turn", {"start": 3}, valid.START),
    ("turn", {"start": 4}, valid.START),
    ("deal", {"dealer": 1}, valid.START),
    ("draw", {"start": 4}, valid.START),
    ("turn", {"last": -1}, valid.LAST),
    ("deal", {"last": 4}, valid.LAST),
    ("claim", {"last": 4}, valid.LAST),
    ("draw", {"last": 4}, valid.LAST),
    ("replaced", {"last": 15}, valid.LAST),
    ("draw", {"to_move": OVER}, valid.LIVE),
    ("over", {"to_move": -1, "start": 1}, valid.LIVE),
    ("turn", {"ply": -1}, valid.PLY),
    ("turn", {"ply": 1000}, valid.PLY),
    ("claim", {"ply": 4 * 92}, valid.PLY),
    ("turn", {"offer": 4}, valid.OFFERED),
    ("turn", {"answer": (3, 1)}, valid.OFFERED),
    ("claim", {"offer": -1}, valid.OFFER),
    ("claim", {"offer": 5}, valid.OFFER),
    ("claim", {"turn": 3}, valid.OFFER),
    ("rob", {"offer": 0}, valid.OFFER),
    ("second answer", {"answer": (1, 0)}, valid.ANSWERS),
    ("second answer", {"answer": (1, 2)}, valid.ANSWERS),
    ("second answer", {"answer": (1, 1)}, valid.ANSWERS),
    ("second answer", {"answer": (2, 7)}, valid.ANSWERS),
    ("second answer", {"answer": (0, 7)}, valid.ANSWERS),
    ("second answer", {"answer": (3, 7), "to_move": OVER}, valid.ANSWERS),
    ("turn", {"points": (0, 1)}, valid.UNPAID),
    ("turn", {"payer": 0}, valid.UNPAID),
    ("turn", {"won": (0, 5)}, valid.PAID),
    ("won", {"won": (1, 5)}, valid.PAID),
    ("won", {"points": (1, 5)}, valid.PAID),
    ("won", {"payer": 2}, valid.PAID),
    ("won", {"answer": (1, 1)}, valid.ANSWERS),
    ("won", {"min_tai": 16}, valid.PAID),
    ("drawn", {"payer": 0}, valid.PAID),
    ("drawn", {"won": (1, -5)}, valid.PAID),
    ("robbed", {"fan": 499}, valid.PAID),
]  # fmt: skip


def flaw_of(state: Record) -> int:
    """Find the rule that a record breaks, -1 for none."""
    return int(flaws(find(SPEC), state)[0])


@pytest.mark.parametrize(("name", "changes", "rule"), BROKEN)
def test_every_rule_refuses(name: str, changes: dict[str, object], rule: int) -> None:
    assert flaw_of(state_of(name)) == -1
    assert valid.FLAWS[flaw_of(altered(state_of(name), changes))] == valid.FLAWS[rule]


def test_every_rule_was_broken() -> None:
    assert {rule for _, _, rule in BROKEN} | {valid.DISCARDABLE} == set(range(len(valid.FLAWS)))


def test_a_seat_without_a_discard_is_refused() -> None:
    """§6: whoever has claimed 5m for 567m and holds nothing else but 8m."""
    melds = {1: "111p<0 222p<0 333p<0 444p<0"}
    state = played(table("5m", "67m9s", far="5m8m", melds=melds, swap_call_ban=True), "5m, chow 567m").states
    assert flaw_of(state) == -1
    hand, wall = state["hand"][0, 1], state["wall"][0]
    wall += hand
    hand[:] = 0
    hand[7], wall[7] = 2, wall[7] - 2
    assert valid.FLAWS[flaw_of(state)] == valid.FLAWS[valid.DISCARDABLE]


# Damage


@compiled
@every_game
def test_one_byte_changed_does_no_harm(game: Game) -> None:
    """Each byte of positions is changed: it is refused, or played to the end in bounds."""
    rng = np.random.default_rng(1)
    accepted = []
    for state in some(game, 30):
        refused, others = kinds(game, one_byte_changed(state[None], rng))
        assert len(refused) > 9 * len(others)
        accepted.append(others)
    survives(game, rng.permutation(np.concatenate(accepted))[:200])


@compiled
@every_game
def test_damage_does_no_harm(game: Game) -> None:
    """So are several bytes, whole fields, fields of other positions, and everything."""
    rng = np.random.default_rng(2)
    refused, accepted = kinds(game, scrambled(some(game, 100), 2000, rng))
    assert len(refused) > len(accepted)
    survives(game, rng.permutation(accepted)[:100])
