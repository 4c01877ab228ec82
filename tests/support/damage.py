"""Records that somebody has damaged, and whatever kernels do with those that pass for positions all the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

from boyi.envs import Game
from boyi.envs.engine import protocol
from boyi.envs.engine.bind import bind, stub
from boyi.envs.engine.kernels import pick
from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.engine.rng import choose, uniform

Record = NDArray[np.void]

_stub: Any = protocol
legal, step, returns, key, observe = _stub.legal, _stub.step, _stub.returns, _stub.key, _stub.observe
chance, resolve, redeal, policy = _stub.chance, _stub.resolve, _stub.redeal, _stub.policy

compiled = pytest.mark.skipif(config.DISABLE_JIT, reason="plain Python would take an hour")

ENDLESS = -1  # in place of a number of actions: there was none to choose, or they did not end


@stub
def flaw(s):  # type: ignore[no-untyped-def]
    """Stand for the kernel of the game's ``valid.py``."""
    raise NotImplementedError


def _bound(generic: Any, game: Game, encoder: str | None = None, **choices: Any) -> Any:
    return bind(generic, game, encoder, flaw=game.module("valid").flaw, **choices)


def _flaw_rows(states, found):  # type: ignore[no-untyped-def]
    for i in range(states.shape[0]):
        found[i] = flaw(states[i])


def flaws(game: Game, states: Record) -> NDArray[np.int64]:
    """Find the rule that each record (n,) breaks, -1 for none; the records must be as they were."""
    found, looked_at = np.empty(len(states), np.int64), states.copy()
    _bound(_flaw_rows, game)(looked_at, found)
    changed = [name for name in states.dtype.names or () if looked_at[name].tobytes() != states[name].tobytes()]
    assert not changed, f"looking for flaws changes {changed}"
    return found


# Games whose every position is looked at


def _watch_rows(states, spare, notes, rng, mask, p, share, found):  # type: ignore[no-untyped-def]
    for i in range(states.shape[0]):
        s = states[i]
        while True:
            found[i] = flaw(s)
            for seat in range(share.shape[0]):
                if found[i] < 0 and s.to_move >= CHANCE:
                    spare[0] = s
                    redeal(spare[0], seat, rng)
                    found[i] = flaw(spare[0])
            if found[i] < 0 and s.to_move >= 0:
                spare[0] = s
                spare[0].to_move = OVER
                found[i] = flaw(spare[0])
            if found[i] >= 0 or s.to_move < CHANCE:
                break
            if s.to_move == CHANCE:
                resolve(s, pick(p, chance(s, p), rng))
            else:
                legal(s, mask)
                step(s, policy(s, notes, rng) if uniform(rng) < share[s.to_move] else choose(mask, rng))


def watch(game: Game, starts: Record, seed: int, notes: Any, chooses: Any, share: float) -> Record:
    """Play from records (n,), a `share` of the actions chosen by `chooses`, others at random; return the ends (n,).

    Each position on the way must be valid, also after a forfeit, and when dealt anew for every seat.
    """
    ends, found, spare = starts.copy(), np.full(len(starts), -1), starts[:1].copy()
    mask, p = np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes))
    rng = np.array([seed, 0], np.uint64)
    play = _bound(_watch_rows, game, policy=chooses)
    play(ends, spare, notes, rng, mask, p, np.full(game.seats, share), found)
    for i in np.flatnonzero(found >= 0)[:1]:
        rule = game.module("valid").FLAWS[found[i]]
        raise AssertionError(f"{game}: {rule}\n{game.module('text').diagram(ends[i])}\n{ends[i]}")
    return ends


# Damage


def altered(state: Record, changes: dict[str, object]) -> Record:
    """Change fields of a record (1,) in place: to a value, or one entry, given with its place; return it."""
    for field, value in changes.items():
        if isinstance(value, tuple):
            state[field][0][value[0]] = value[1]
        else:
            state[field] = value
    return state


ONE_BYTE: tuple[Callable[[NDArray[np.uint8], NDArray[np.uint8]], NDArray[np.uint8]], ...] = (
    lambda byte, lot: byte ^ (np.uint8(1) << (lot & 7)),
    lambda byte, lot: byte ^ np.uint8(0x80),
    lambda byte, lot: np.full_like(byte, 0xFF),
    lambda byte, lot: lot,
)
"""A bit, the sign, all bits, anything."""


def field_bytes(dtype: np.dtype) -> NDArray[np.int64]:
    """List the bytes of a record that belong to fields: kernels leave those between fields undefined."""
    fields = [(at, kind.itemsize) for kind, at in ((field[0], field[1]) for field in (dtype.fields or {}).values())]
    return np.concatenate([np.arange(at, at + size) for at, size in sorted(fields)])


def one_byte_changed(state: Record, rng: np.random.Generator) -> Record:
    """Change every byte of a record (1,) in every way of `ONE_BYTE`; return those that differ."""
    raw, at = state.view(np.uint8), field_bytes(state.dtype)
    changed = np.repeat(raw[None], len(at) * len(ONE_BYTE), axis=0)
    lots = rng.integers(256, size=len(at), dtype=np.uint8)
    for k, way in enumerate(ONE_BYTE):
        changed[np.arange(len(at)) + k * len(at), at] = way(raw[at], lots)
    return changed[(changed != raw).any(axis=1)].view(state.dtype)[:, 0]


def scrambled(states: Record, count: int, rng: np.random.Generator) -> Record:
    """Change several bytes of records, whole fields, or everything; or give them fields of others: (4 * count,)."""
    raw, at = states.view(np.uint8).reshape(len(states), -1), field_bytes(states.dtype)
    changed = np.repeat(raw[rng.integers(len(raw), size=count)][None], 4, axis=0)
    names = list(states.dtype.names or ())
    for i in range(count):
        places = rng.choice(at, rng.integers(2, 9), replace=False)
        changed[0, i, places] = rng.integers(256, size=len(places))
        for kind in (1, 2):
            dtype, start = (states.dtype.fields or {})[names[rng.integers(len(names))]][:2]
            field = slice(start, start + dtype.itemsize)
            changed[kind, i, field] = rng.integers(256, size=dtype.itemsize) if kind == 1 else raw[
                rng.integers(len(raw)), field
            ]  # fmt: skip
        changed[3, i] = rng.integers(256, size=raw.shape[1])
    return np.ascontiguousarray(changed.reshape(4 * count, -1)).view(states.dtype)[:, 0]


# What is accepted


def _play_rows(states, spare, rng, mask, p, r, x, most, plies):  # type: ignore[no-untyped-def]
    for i in range(states.shape[0]):
        s = states[i]
        while True:
            key(s)
            returns(s, r)
            for seat in range(r.shape[0]):
                observe(s, seat, x)
                spare[0] = s
                redeal(spare[0], seat, rng)
                legal(spare[0], mask)
            if s.to_move == CHANCE:
                resolve(s, pick(p, chance(s, p), rng))
                continue
            legal(s, mask)
            a = choose(mask, rng)
            if a < 0 or plies[i] == most:
                plies[i] = plies[i] if s.to_move < CHANCE else ENDLESS
                break
            step(s, a)
            plies[i] += 1


def play_on(game: Game, states: Record, encoder: str, seed: int = 0) -> tuple[Record, NDArray[np.int64]]:
    """Play at random from records (n,) that are valid; return where that ends, and after how many actions or ENDLESS.

    Every position on the way is observed, hashed, scored and dealt anew for every seat.
    """
    ends, plies = states.copy(), np.zeros(len(states), np.int64)
    mask, p = np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes))
    r, x, rng = np.zeros(game.seats, np.float32), np.zeros(game.shape(encoder), np.float32), np.array([seed, 0], "u8")
    _bound(_play_rows, game, encoder)(ends, states[:1].copy(), rng, mask, p, r, x, game.longest, plies)
    return ends, plies


def survives(game: Game, states: Record, seed: int = 0) -> None:
    """Demand that games go on from records (n,) to an end in bounds, whatever kernels and text do on the way."""
    text = game.module("text")
    for state in states[:: max(1, len(states) // 20)]:
        text.diagram(state)
        for a in range(game.actions) if state["to_move"] >= 0 else ():
            text.name(state, a)
        game.module("draw").svg(state)
    for encoder in game.spec.encoders:
        ends, plies = play_on(game, states, encoder, seed)
        assert (plies != ENDLESS).all(), text.diagram(states[np.argmin(plies)])
        assert (ends["ply"] <= game.longest).all() and (ends["ply"] == states["ply"] + plies).all()
        assert (ends["to_move"] < CHANCE).all() and (flaws(game, ends) < 0).all()


def kinds(game: Game, states: Record) -> tuple[Record, Record]:
    """Part records into those that are refused, for another game's constants too, and those that are accepted."""
    good = flaws(game, states) < 0
    for name in game.module("valid").CONSTANTS:
        same = states[name] == game.blank[name]
        good &= same if same.ndim == 1 else same.all(axis=1)
    return states[~good], states[good]
