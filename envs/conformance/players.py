"""Conformance: what a game owes searches and players in its ``evaluate``, ``proof``, ``greedy`` and ``rollout``."""

from __future__ import annotations

import numpy as np

from ..engine.bind import Kernel, brought
from ..engine.protocol import CHANCE, PROVEN
from .kernels import (
    advance_one,
    alike_one,
    evaluate_one,
    examine_one,
    follow_one,
    list_candidates,
    list_relevant,
    list_tactics,
    list_threats,
    policy_one,
    reexamine_one,
    rollout_one,
    survey_one,
)
from .random_games import Position, Probe, field_bytes, open_stream

BOUND = 1_000_000
"""Evaluations stay below it either way: it is what a won game is worth."""
FOLLOWED = 4  # games whose evaluation is followed from start to end
REPLIES = 8  # moves of a lost position that are tried


def _kernel(probe: Probe, generic: Kernel, part: str) -> Kernel:
    """Bind a kernel with the kernels of the protocol that one of the game's modules has."""
    return probe.kernel(generic, None, **brought(probe.game, part))


def evaluations(probe: Probe) -> None:
    """What evaluation keeps of a position is the same however it was reached; values are bounded and antisymmetric.

    Actions that it lists for a search are legal and listed once, and looking leaves the record as it is.
    """
    game = probe.game
    if not game.has("evaluate"):
        return
    scale = game.module("evaluate").SCALE
    probe.require(scale > 0, None, f"SCALE in its evaluate.py is {scale}, not above 0")
    surveyed, followed = _kernel(probe, survey_one, "evaluate"), _kernel(probe, follow_one, "evaluate")
    for seed in list(probe.seeds)[:FOLLOWED]:
        notes = game.module("evaluate").notes(game)
        before = None
        for choice, position in probe.moves(seed, probe.start(seed)):
            if position.to_move < CHANCE:
                break
            if before is None:
                surveyed(position.states, notes)
            else:
                followed(before, position.states, notes, choice)
            before = position.states
            fresh = game.module("evaluate").notes(game)
            surveyed(position.states, fresh)
            same = _said(probe, position, notes) == _said(probe, position, fresh)
            probe.require(same, position, "what is followed says something else here than what is surveyed")


def _said(probe: Probe, position: Position, notes: np.ndarray) -> list[bytes]:
    """Check what evaluation says of a position; return it."""
    before, values = field_bytes(position.states), np.zeros(probe.game.seats, np.int64)
    _kernel(probe, evaluate_one, "evaluate")(position.states, notes, values)
    bounded = (np.abs(values) < BOUND).all()
    probe.require(bounded, position, lambda: f"evaluate says {values}, not within a million either way")
    duel = probe.game.seats == 2 and probe.game.spec.zero_sum
    opposite = not duel or values.sum() == 0
    probe.require(opposite, position, lambda: f"evaluate says {values} to two seats: they do not sum to 0")
    said = [values.tobytes()]
    lists = (list_candidates, 1), (list_tactics, 0), (list_threats, 0)
    for generic, least in lists if position.to_move >= 0 else ():
        name = generic.__name__.removeprefix("list_")
        moves, ranks = (np.zeros(probe.game.actions, np.int32) for _ in range(2))
        count = int(_kernel(probe, generic, "evaluate")(position.states, notes, moves, ranks))
        probe.require(least <= count <= probe.game.actions, position, f"{name} lists {count} actions")
        listed = moves[:count]
        probe.require(position.mask[listed].all(), position, f"{name} lists what is not legal: {listed.tolist()}")
        probe.require(np.unique(listed).size == count, position, f"{name} lists an action twice: {listed.tolist()}")
        said += [listed.tobytes(), ranks[:count].tobytes()]
    probe.require(field_bytes(position.states) == before, position, "evaluation changes the record")
    return said


def proofs(probe: Probe) -> None:
    """What proofs look at says nothing that the next move refutes, and says the same of equal positions.

    After a winning move the other seat is not said to win; after some moves in a lost position, neither is the seat
    that made them: both by what is found afresh and from the notes before. What is listed is legal and listed once, and
    looking leaves the record as it is.
    """
    game, winners = probe.game, dict[int, int]()
    if not game.has("proof"):
        return
    module = game.module("proof")
    alone = getattr(module, "WINS_ALONE", False)
    for position in (position for position in probe.positions if position.to_move >= 0):
        notes, room, mover = module.notes(game), module.notes(game), position.to_move
        before = field_bytes(position.states)
        _kernel(probe, examine_one, "proof")(position.states, notes)
        count, moves = _relevant(probe, position, notes)
        winner = mover if count == PROVEN else 1 - mover if count == 0 and not alone else -1
        position_hash = int(_kernel(probe, alike_one, "proof")(position.states, room))
        probe.require(field_bytes(position.states) == before, position, "a proof changes the record")
        if winner >= 0:
            same = winners.setdefault(position_hash, winner == mover) == (winner == mover)
            probe.require(same, position, "alike in its proof.py hashes a lost position as one that is won")
        if winner != mover:
            moves = np.flatnonzero(position.mask)[: REPLIES * (winner >= 0)]
        for a in moves.tolist():
            states, followed, fresh = position.states.copy(), module.notes(game), module.notes(game)
            probe.kernel(advance_one)(states, a)
            after = probe.look(position.seed, states)
            if after.to_move < CHANCE:
                right = after.returns[winner] == after.returns.max() > after.returns.min()
                probe.require(right, after, f"a proof says that seat {winner} wins this")
                continue
            _kernel(probe, examine_one, "proof")(states, fresh)
            _kernel(probe, reexamine_one, "proof")(notes, states, followed, a)
            for each in (fresh, followed):
                found, _ = _relevant(probe, after, each)
                claims = after.to_move if found == PROVEN else 1 - after.to_move if found == 0 and not alone else winner
                probe.require(claims == winner, after, f"proofs say that seat {winner} wins this, and that it loses")


def _relevant(probe: Probe, position: Position, notes: np.ndarray) -> tuple[int, np.ndarray]:
    """Check the actions that matter in a position that has been examined; return their count, and them."""
    moves, ranks = (np.zeros(probe.game.actions, np.int32) for _ in range(2))
    count = int(_kernel(probe, list_relevant, "proof")(position.states, notes, moves, ranks))
    right = count == PROVEN or 0 <= count <= probe.game.actions
    probe.require(right, position, f"relevant in its proof.py lists {count} actions")
    listed = moves[: 1 if count == PROVEN else count]
    lawful = position.mask[listed].all()
    probe.require(lawful, position, f"relevant in its proof.py lists what is not legal: {listed.tolist()}")
    once = np.unique(listed).size == listed.size
    probe.require(once, position, f"relevant in its proof.py lists an action twice: {listed.tolist()}")
    return count, listed


def policies(probe: Probe) -> None:
    """The simple player chooses legal actions, the same for equal random numbers, and leaves the record as it is."""
    game = probe.game
    if not game.has("greedy"):
        return
    chosen, notes = _kernel(probe, policy_one, "greedy"), game.module("greedy").notes(game)
    for k, position in enumerate(position for position in probe.positions if position.to_move >= 0):
        before = field_bytes(position.states)
        a, again = (int(chosen(position.states, notes, open_stream(k))) for _ in range(2))
        legal = 0 <= a < game.actions and position.mask[a]
        probe.require(legal, position, f"policy in its greedy.py chooses {a}, which is not legal")
        probe.require(a == again, position, "policy in its greedy.py chooses differently by the same numbers")
        probe.require(field_bytes(position.states) == before, position, "policy in its greedy.py changes the record")


def rollouts(probe: Probe) -> None:
    """A rollout ends the game within its bounds, alike for equal random numbers, and marks what was played."""
    game = probe.game
    if not game.has("rollout"):
        return
    play, notes = _kernel(probe, rollout_one, "rollout"), game.module("rollout").notes(game)
    mask, p = np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes))
    for k, position in enumerate(position for position in probe.positions if position.to_move >= 0):
        ends = []
        for _ in range(2):
            states, used = position.states.copy(), np.zeros((game.seats, game.actions), np.int8)
            play(states, notes, open_stream(k), mask, p, used)
            end = probe.look(position.seed, states)
            probe.require(end.to_move < CHANCE, end, "rollout stops before the end")
            probe.require((used <= 1).all() and (used >= 0).all(), end, "rollout marks with something other than 1")
            seat = position.to_move
            probe.require(not used.any() or used[seat].any(), end, f"rollout marks nothing that seat {seat} played")
            ends.append((field_bytes(states), used.tobytes()))
        probe.require(ends[0] == ends[1], position, "rollout plays differently by the same numbers")
