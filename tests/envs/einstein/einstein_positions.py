"""Positions of EinStein for the tests."""

import json
import random
from itertools import product
from typing import Any

import numpy as np
import sizes
from einstein_oracle import Cell, EinStein, Stone
from numpy.typing import NDArray
from places import TESTS

from boyi.envs import Batch, Game, find
from boyi.envs.einstein import SPEC
from boyi.envs.engine.protocol import CHANCE, OVER

TESTED = [find(SPEC, **params) for params in SPEC.tested]


every_set = sizes.every_set([SPEC])


CASES = json.loads((TESTS / "envs" / "einstein" / "positions.json").read_text(encoding="utf-8"))


Record = NDArray[np.void]


def by_hand(game: str | Game, n: int = 1, seed: int = 0, **params: object) -> Batch:
    """Start games whose dice the test rolls."""
    return Batch(game, n, seed, encoder=None, chance="by_hand", **params)


def dealt(game: Game, state: np.void) -> EinStein:
    """Start the oracle's game from the stones that a start record has on the start squares."""
    start = EinStein(**game.params)
    start.deal(state)
    return start


def record(game: Game, oracle: EinStein) -> Record:
    """Write the oracle's position into a record, shape (1,)."""
    state, seats = game.blank.copy(), range(2)
    state["square"] = -1
    for (seat, i), (r, c) in oracle.stones.items():
        stone = seat * oracle.k + i - 1
        state["square"][0, stone] = r * oracle.m + c
        state["board"][0, r * oracle.m + c] = stone + 1
    state["left"] = [len(oracle.numbers(seat)) for seat in seats]
    state["last"] = oracle.actions[-1] if oracle.actions else -1
    state["turn"], state["die"] = oracle.turn, oracle.die or 0
    state["winner"] = -1 if oracle.winner() is None else oracle.winner()
    # Seats take turns: where seat 1 began in a position that was set up, a ply went before it.
    plies, moves_next = len(oracle.actions), oracle.turn if oracle.winner() is None else 1 - oracle.turn
    state["ply"] = plies + (plies + moves_next) % 2
    state["to_move"] = OVER if oracle.over() else CHANCE if oracle.die is None else oracle.turn
    return state


def different(a: Record, b: Record) -> list[str]:
    """Name the fields in which records differ."""
    return [field for field in a.dtype.names or () if not np.array_equal(a[field], b[field])]


def arranged(game: Game, rng: random.Random, *, most: int = 25, reach: int = 15) -> EinStein:
    """Draw a position that need not come up in play: up to `most` stones, none farther from its goal than `reach`.

    No seat has more steps to go than at the start: a game could be longer than the longest.
    """
    oracle = EinStein(**game.params)
    farthest = max(steps_to_go(oracle, oracle.stones, seat) for seat in (0, 1))
    cells = [(r, c) for r in range(oracle.n) for c in range(oracle.m)]
    stones: dict[Stone, Cell] = {}
    while {seat for seat, _ in stones} != {0, 1} or any(
        steps_to_go(oracle, stones, seat) > farthest for seat in (0, 1)
    ):
        stones = {}
        for cell in rng.sample(cells, rng.randint(2, min(most, len(cells)))):
            seat, i = rng.randrange(2), rng.randint(1, oracle.k)
            r, c = oracle.goal(seat)
            if 0 < max(abs(r - cell[0]), abs(c - cell[1])) <= reach and (seat, i) not in stones:
                stones[seat, i] = cell
    oracle.set_up(stones, rng.randrange(2), rng.randint(1, oracle.k))
    return oracle


def steps_to_go(shape: EinStein, stones: dict[Stone, Cell], seat: int) -> int:
    """Count the steps along rows and columns from a seat's stones to its goal."""
    r, c = shape.goal(seat)
    return sum(abs(r - row) + abs(c - column) for (owner, _), (row, column) in stones.items() if owner == seat)


def described(case: dict[str, Any]) -> EinStein:
    """Set the oracle up as a case of `positions/einstein.json` says."""
    oracle = EinStein()
    oracle.set_up(placed(case), case["to_move"], case["die"])
    return oracle


def placed(case: dict[str, Any]) -> dict[Stone, Cell]:
    return {(seat, int(i)): (r, c) for seat in (0, 1) for i, (r, c) in case[f"p{seat}"].items()}


def exchanged(stones: dict[Stone, Cell], shape: EinStein) -> dict[Stone, Cell]:
    """Turn the board half around and give every stone to the other seat (§2)."""
    return {(1 - seat, i): shape.half_turn(cell) for (seat, i), cell in stones.items()}


Change = tuple[int, int, int]


def changes(game: Game) -> list[Change]:
    """List the combinations of mirroring and of renumbering the mover's and the other's stones, in order (§12)."""
    oracle = EinStein(**game.params)
    mirrored = range(2) if oracle.n == oracle.m else range(1)
    return [(t, own, other) for other, own, t in product(range(2), range(2), mirrored)]


def image(oracle: EinStein, change: Change) -> EinStein:
    """Mirror and renumber a position, which is then one that was set up."""
    t, *renumbered = change

    def new(number: int, seat: int) -> int:
        return oracle.k + 1 - number if renumbered[seat != oracle.turn] else number

    stones = {(seat, new(i, seat)): (c, r) if t else (r, c) for (seat, i), (r, c) in oracle.stones.items()}
    twin = oracle.copy()
    twin.actions = []
    twin.set_up(stones, oracle.turn, None if oracle.die is None else new(oracle.die, oracle.turn))
    return twin
