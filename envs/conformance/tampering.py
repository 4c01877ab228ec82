"""Conformance: what a game's ``valid.py`` owes the engine.

Positions are valid; records with changed bytes are refused, or can be played to the end like any other.

Run under NUMBA_BOUNDSCHECK=1 or NUMBA_DISABLE_JIT=1 an index out of bounds is an error that names the record; in
compiled kernels without checks it is seen only where it leaves a trace.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..engine.errors import BoyiError
from ..engine.protocol import CHANCE, OVER
from ..engine.validity import find_flaws, rules
from .kernels import finish_two, redeal_one
from .random_games import GameError, Position, Probe, open_stream

POSITIONS = 6  # positions of a probe in which bytes are changed
CHANGES = 4000  # the most records that are made from one position
PLAYED = 60  # the most that are played of the records taken for positions
EDITS = 60  # diagrams that are made from each of the positions by exchanging a character
FILLED = 6  # records made by filling a field, or all of the record, with random bytes


def validity(probe: Probe) -> None:
    """Every position met is valid, also when forfeited, redealt or read from its diagram; constants are declared."""
    states = np.concatenate([position.states for position in probe.positions])
    module, blank = probe.game.module("valid"), probe.game.blank
    for name in states.dtype.names or ():
        kept = bool(blank[name].any()) and bool((states[name] == blank[name]).all())
        declared = name in module.CONSTANTS
        probe.require(declared or not kept, None, f"{name} stays as blank() makes it, but is not in CONSTANTS")
    for k, position in enumerate(probe.positions):
        _admit(probe, position, "play has led to")
        text = probe.game.module("text")
        with probe.blame(position, "diagram or read"):
            _admit(probe, position._replace(states=text.read(text.diagram(position.states[0]))), "read has returned")
        if position.to_move >= 0:
            forfeited = position.states.copy()
            forfeited["to_move"] = OVER
            _admit(probe, position._replace(states=forfeited), "a forfeit has led to")
            for seat in range(probe.game.seats * probe.game.spec.hidden):
                dealt = position.states.copy()
                probe.kernel(redeal_one)(dealt, seat, open_stream(k))
                _admit(probe, position._replace(states=dealt), f"redeal for seat {seat} has led to")


def _admit(probe: Probe, position: Position, how: str) -> None:
    with probe.blame(position, "flaw"):
        found = int(find_flaws(probe.game, position.states)[0])
    probe.require(found < 0, position, f"valid.py refuses what {how}: {rules(probe.game)[found]}")


def tampering(probe: Probe) -> None:
    """A record with changed bytes is refused, or can be observed, written, dealt anew and played like any other."""
    generator = np.random.default_rng(probe.seeds.start)
    chosen = generator.permutation(len(probe.positions))[:POSITIONS]
    for position in [probe.positions[k] for k in chosen]:
        _misread(probe, position, generator)
        taken = accepted(probe, position, generator)
        for k in generator.permutation(len(taken))[: max(1, PLAYED // POSITIONS)]:
            _play(probe, position, taken[k : k + 1], int(k))


def _misread(probe: Probe, position: Position, generator: np.random.Generator) -> None:
    """Exchange characters of a diagram: `read` refuses it, or returns a position."""
    text, known = probe.game.module("text"), len(probe.game.module("valid").FLAWS)
    diagram = text.diagram(position.states[0])
    for _ in range(EDITS):
        at, taken = generator.integers(0, len(diagram), 2)
        edited = diagram[:at] + diagram[taken] + diagram[at + 1 :]
        with probe.blame(position, f"read of\n{edited}\n"):
            try:
                back = text.read(edited)
            except BoyiError:
                continue
        if back.dtype == position.states.dtype:
            # Where other parameters have been read, only the constants differ.
            found = int(find_flaws(probe.game, back)[0])
            refused = 0 <= found < known
            probe.require(
                not refused, position, f"read takes what valid.py refuses, {rules(probe.game)[found]}:\n{edited}\nfrom"
            )


def accepted(probe: Probe, position: Position, generator: np.random.Generator) -> np.ndarray:
    """Change bytes of a position; return the records (m,) that are still taken for positions."""
    made = _changed(position.states, generator)
    with probe.blame(position, "flaw"):
        flaws = find_flaws(probe.game, made)
    known = len(rules(probe.game))
    probe.require(((flaws >= -1) & (flaws < known)).all(), position, f"flaw returns {flaws.max()} of {known} rules")
    return made[flaws < 0]


def _changed(states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Change every byte of a record (1,) to some others, and fill each field, or all of them, with random bytes."""
    raw, fields = states.view(np.uint8), list(_places(states.dtype))
    each = np.concatenate(fields)
    values = np.stack(
        [raw[each] ^ 1, raw[each] ^ 0x80, np.full(each.size, 0xFF), generator.integers(0, 256, each.size)]
    )
    one = np.tile(raw, (values.size, 1))
    one[np.arange(values.size), np.tile(each, len(values))] = values.ravel()
    many = np.tile(raw, (FILLED * (len(fields) + 1), 1))
    for row, at in zip(many, [*fields, each] * FILLED, strict=True):
        row[at] = generator.integers(0, 256, at.size)
    made = np.concatenate([one, many])
    made = made[(made != raw).any(axis=1)]
    return made[generator.permutation(len(made))[:CHANGES]].view(states.dtype)[:, 0]


def _places(dtype: np.dtype) -> Iterator[np.ndarray]:
    """Yield the places of every field's bytes in a record, without the padding between fields."""
    for field in (dtype.fields or {}).values():
        yield field[1] + np.arange(field[0].itemsize)


def _play(probe: Probe, position: Position, states: np.ndarray, seed: int) -> None:
    """Do everything that is done with positions with a record that was taken for one."""
    try:
        changed = probe.look(position.seed, states)
        _show(probe, changed)
        if changed.to_move >= 0 and probe.game.spec.hidden:
            for seat in range(probe.game.seats):
                dealt = states.copy()
                probe.kernel(redeal_one)(dealt, seat, open_stream(seed))
                _finish(probe, probe.look(position.seed, dealt), seed)
        _finish(probe, changed, seed)
    except Exception as error:
        fields = [name for name in states.dtype.names or () if (states[name] != position.states[name]).any()]
        why = str(error) if isinstance(error, GameError) else repr(error)
        said = f"a record with other bytes in {', '.join(fields)} is taken for a position, but it is none: {why}\nfrom"
        raise GameError(probe.report(position, said)) from error


def _show(probe: Probe, position: Position) -> None:
    """Observe a position from every seat, and write its diagram, names and picture."""
    game, state = probe.game, position.states[0]
    for encoder in game.spec.encoders:
        for seat in range(game.seats):
            x = probe.observe(position, seat, encoder)
            probe.require(((x >= 0) & (x <= 1)).all(), position, f"observe_{encoder} writes numbers outside [0, 1]")
    text = game.module("text")
    for action in np.flatnonzero(position.mask).tolist():
        text.name(state, action)
    game.module("draw").svg(state)
    try:
        back = text.read(text.diagram(state))
    except BoyiError:
        return
    probe.require((find_flaws(game, back) < 0).all(), position, "read returns what valid.py refuses")


def _finish(probe: Probe, position: Position, seed: int) -> None:
    """Play a position to its end, at random and by the game's playout."""
    game = probe.game
    states, mask = np.repeat(position.states, 2), np.zeros(game.actions, np.int8)
    p = np.zeros(max(1, game.chance_outcomes))
    plies = probe.kernel(finish_two)(states, open_stream(seed), mask, p, game.longest)
    probe.require(plies >= 0, position, f"play from it does not end within {game.longest} plies, or nobody can move")
    probe.require((states["to_move"] < CHANCE).all(), position, "play from it does not end")
    probe.look(position.seed, states[:1])
