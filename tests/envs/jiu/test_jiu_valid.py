"""Which records of Jiu are positions: all that play, forfeits and text lead to, and none that do harm."""

from collections.abc import Iterator

import numpy as np
import pytest
from damage import Record, altered, compiled, flaws, kinds, one_byte_changed, scrambled, survives, watch
from histories import count
from jiu_positions import DIAGRAMS, drawn, every_phase, every_set, every_small_set, laid_out, reads

from boyi.envs import Batch, Game, find
from boyi.envs.engine.protocol import CUT
from boyi.envs.grid.cells import side_of
from boyi.envs.jiu import constants, greedy, text, valid


def on_the_way(game: Game, many: int, seed: int = 0) -> Iterator[Record]:
    """Play random games, and yield all of them (many,) before every action and at the end."""
    batch = Batch(game, many, seed, encoder=None)
    while True:
        yield batch.states
        rows = np.flatnonzero(batch.to_move >= 0)
        if not rows.size:
            return
        batch.step(batch.sample()[rows], rows)


def some(game: Game, many: int, seed: int = 0) -> Record:
    """Collect `many` positions of random games, most of battles, and an end."""
    found = np.concatenate(list(on_the_way(game, count(8, 1), seed)))
    lots = np.random.default_rng(seed)
    battle = np.flatnonzero(found["phase"] != constants.LAYOUT)
    chosen = lots.choice(battle if battle.size else len(found), many)
    chosen[:2] = lots.integers(len(found)), len(found) - 1
    return found[chosen]


# What is lawful


@compiled
@every_set
@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_whatever_is_played_is_a_position(game: Game, share: float) -> None:
    """At random, by greedy for the most part, and by greedy alone; so is what a forfeit ends."""
    many = 6 if game.params["board_size"] > 8 else 40
    if share > 0.0 and game.params["board_size"] > 14:
        many = 1
    notes = greedy.notes(game)
    ends = watch(game, Batch(game, many, seed=4, encoder=None).states, 1, notes, greedy.policy, share)
    assert (ends["to_move"] < -1).all()


@compiled
def test_games_that_were_looked_at_reach_everything() -> None:
    """All phases, both winners, draws, cuts, guns or double squares, and double jumps come up in games like those."""
    game = find("jiu", board_size=6, max_turns=60)
    found = np.concatenate([*on_the_way(game, 60), *on_the_way(find(game, no_capture_limit=10), 20)])
    assert set(found["phase"]) == set(range(5))
    assert set(found["winner"]) == {-1, 0, 1} and set(found["drawn"]) == {0, 1} and (found["to_move"] == CUT).any()
    assert (found["due"] > 2).any() and (found["jumps"] > 1).any()


@every_phase
def test_what_is_set_up_is_a_position(drawing: str) -> None:
    assert flaw_of(reads(drawing)) == -1


@every_small_set
def test_what_reads_back_is_a_position(game: Game) -> None:
    """Of a game that was forfeited text forgets what was found when the turn began."""
    states = some(game, count(40, 2))
    forfeited = states[states["to_move"] >= 0].copy()
    forfeited["to_move"] = -2
    for state in (*states, *forfeited):
        assert flaws(game, reads(text.diagram(state))).tolist() == [-1]


# What is refused

STUCK = ["XOXOOX", "OOXXOO", "XXXXXO", "OXXOXX", "OOXXOO", "XOOXOO"]  # seat 1 has lost before it has moved


def state_of(name: str) -> Record:
    """Set up a position to break."""
    if name == "laid":
        batch = Batch("jiu", 1, encoder=None, board_size=6)
        batch.step([14])
        return batch.states
    if name == "stuck":
        return laid_out(*STUCK).states
    drawings = {
        "begun": drawn("OX", "...X", turns=2, quiet="2 A0-B0 b3-a3"),
        "won": drawn("OOOO", "XXX", fill=False).replace("O to move", "O has won"),
    }
    return reads((DIAGRAMS | drawings)[name])


BROKEN = [  # a position, its fields that are changed and to what, and the rule that this breaks
    ("turn", {"max_turns": 0}, valid.PARAMETERS),
    ("turn", {"max_turns": 100_001}, valid.PARAMETERS),
    ("turn", {"no_capture_limit": 251}, valid.PARAMETERS),
    ("turn", {"repetition": -1}, valid.PARAMETERS),
    ("turn", {"gun": 2}, valid.PARAMETERS),
    ("turn", {"flying": -128}, valid.PARAMETERS),
    ("turn", {"single_jump_ban": 4}, valid.PARAMETERS),
    ("turn", {"dalian_win": 3}, valid.PARAMETERS),
    ("turn", {"board": (0, 3)}, valid.BOARD),
    ("turn", {"board": (195, -1)}, valid.BOARD),
    ("turn", {"board": (0, 0)}, valid.COUNTS),
    ("turn", {"stones": (1, 23)}, valid.COUNTS),
    ("turn", {"rows": ((0, 0), 0)}, valid.COUNTS),
    ("turn", {"columns": ((1, 13), 9)}, valid.COUNTS),
    ("turn", {"squares": (0, 1)}, valid.COUNTS),
    ("turn", {"squares": (0, 16384)}, valid.COUNTS),
    ("turn", {"latest": (0, 196)}, valid.POINTS),
    ("turn", {"start": -2}, valid.POINTS),
    ("drop", {"runner": 26 * 26}, valid.POINTS),
    ("turn", {"phase": 5}, valid.PHASE),
    ("turn", {"phase": -1}, valid.PHASE),
    ("turn", {"layout_only": 1}, valid.PHASE),
    ("turn", {"turns": -1}, valid.TURNS),
    ("turn", {"quiet": 1}, valid.TURNS),
    ("begun", {"turns": 1001}, valid.TURNS),
    ("begun", {"no_capture_limit": 1}, valid.TURNS),
    ("layout", {"turns": 1}, valid.TURNS),
    ("turn", {"source": (0, 1)}, valid.QUIET),
    ("begun", {"target": (1, 196)}, valid.QUIET),
    ("begun", {"source": (0, -1)}, valid.QUIET),
    ("turn", {"ply": 195}, valid.PLY),
    ("turn", {"ply": 2 * 196}, valid.PLY),
    ("layout", {"ply": 1}, valid.PLY),
    ("laid", {"latest": (0, 3)}, valid.LAID),
    ("turn", {"winner": 2}, valid.ENDED),
    ("turn", {"winner": 1}, valid.ENDED),
    ("turn", {"winner": 1, "to_move": -2}, valid.ENDED),
    ("turn", {"drawn": 1, "to_move": -2}, valid.ENDED),
    ("turn", {"drawn": -1}, valid.ENDED),
    ("turn", {"to_move": -3}, valid.ENDED),
    ("won", {"winner": 0}, valid.ENDED),
    ("stuck", {"winner": 1}, valid.ENDED),
    ("stuck", {"to_move": 0}, valid.ENDED),
    ("stuck", {"seen": 1}, valid.ENDED),
    ("turn", {"to_move": 0}, valid.MOVER),
    ("turn", {"to_move": -1}, valid.MOVER),
    ("turn", {"to_move": 2}, valid.MOVER),
    ("won", {"winner": -1}, valid.BATTLE),
    ("begun", {"max_turns": 2}, valid.GOING_ON),
    ("begun", {"no_capture_limit": 2}, valid.GOING_ON),
    ("turn", {"least": 2}, valid.BEGUN),
    ("turn", {"seen": 2}, valid.BEGUN),
    ("turn", {"runner": 0}, valid.IDLE),
    ("turn", {"taken": -1}, valid.IDLE),
    ("turn", {"jumps": 1}, valid.IDLE),
    ("turn", {"due": 1}, valid.IDLE),
    ("turn", {"been": (7, 1)}, valid.IDLE),
    ("layout", {"start": 0}, valid.IDLE),
    ("stuck", {"winner": -1, "to_move": 1, "least": 1, "seen": 1}, valid.ABLE),
    ("drop", {"runner": 0}, valid.LIFTED),
    ("drop", {"jumps": 1}, valid.LIFTED),
    ("jump", {"runner": 4}, valid.JUMPED),
    ("jump", {"start": 1}, valid.JUMPED),
    ("jump", {"jumps": 3, "taken": 3}, valid.JUMPED),
    ("jump", {"been": (4, 1)}, valid.JUMPED),
    ("jump", {"due": 1}, valid.JUMPED),
    ("take", {"due": 1}, valid.TAKING),
    ("take", {"due": 9}, valid.TAKING),
    ("take", {"taken": 1}, valid.TAKING),
    ("take", {"latest": (1, -1)}, valid.TAKING),
    ("take", {"start": 0}, valid.TAKING),
    ("take", {"start": 99}, valid.TAKING),
]  # fmt: skip


def flaw_of(state: Record) -> int:
    """Find the rule that a record breaks, -1 for none."""
    return int(flaws(find("jiu", board_size=side_of(state[0])), state)[0])


@pytest.mark.parametrize(("name", "changes", "rule"), BROKEN)
def test_every_rule_refuses(name: str, changes: dict[str, object], rule: int) -> None:
    assert flaw_of(state_of(name)) == -1
    assert valid.FLAWS[flaw_of(altered(state_of(name), changes))] == valid.FLAWS[rule]


def test_every_rule_was_broken() -> None:
    assert {rule for _, _, rule in BROKEN} == set(range(len(valid.FLAWS)))


# Damage


@compiled
@every_set
def test_one_byte_changed_does_no_harm(game: Game) -> None:
    """Each byte of positions is changed: it is refused, or played to the end in bounds."""
    rng = np.random.default_rng(1)
    accepted = []
    for state in some(game, 2 if game.params["board_size"] > 14 else 8):
        refused, others = kinds(game, one_byte_changed(state[None], rng))
        assert len(refused) > len(others)
        accepted.append(others)
    survives(game, rng.permutation(np.concatenate(accepted))[:100])


@compiled
@every_set
def test_damage_does_no_harm(game: Game) -> None:
    """So are several bytes, whole fields, fields of other positions, and everything."""
    rng = np.random.default_rng(2)
    refused, accepted = kinds(game, scrambled(some(game, 50), 400, rng))
    assert len(refused) > len(accepted)
    survives(game, rng.permutation(accepted)[:100])
