"""Games of Jiu in the notation of published records (§21): ``0,h7,G6,…;`` the layout, ``3,G8-G6,g7,e6;`` a turn.

`write` makes a record of a game's actions, `read` gives the actions back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ..engine.batch import Batch
from ..engine.errors import BoyiError
from ..engine.spec import Game, Spec, find
from ..engine.syntax import expect
from ..grid.cells import side_of
from .constants import LAYOUT, MOVE, PICK, PUT, TAKE_OFF
from .points import read_point, write_point

OPENING = 2  # turns of the numbering that take the middle stones off (§3)
WHAT = "a record of jiu"


@dataclass
class Turn:
    """A turn of a seat: the points where its stone stood, then the other's stones that it took, in their order."""

    number: int
    seat: int
    path: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)

    def note(self, state: np.void, action: int) -> None:
        """Note an action that is about to be played in the position `state`."""
        n = side_of(state)
        plane, p = divmod(action, n * n)
        if plane == TAKE_OFF:
            self.taken.append(p)
        elif plane == PUT:
            self.path.append(p)
        elif plane == PICK:
            self.path = [p]
        elif plane < PICK:
            to = p + (-n, n, -1, 1)[plane - MOVE]
            if state["board"][to]:
                self.taken.append(to)
                to += to - p
            self.path = [*(self.path or [p]), to]

    def write(self, n: int) -> str:
        path = "-".join(write_point(n, p, self.seat) for p in self.path)
        return ",".join([str(self.number), path, *(write_point(n, p, 1 - self.seat) for p in self.taken)]) + ";"


def write(game: str | Spec | Game, actions: Sequence[int]) -> str:
    """Write the record of a game from its start; `BoyiError` for illegal actions, and for an unfinished last turn."""
    batch = Batch(game, 1, seed=0, encoder=None, illegal="raise")
    n, lines, layout = batch.game.params["board_size"], [], ["0"]
    turn: Turn | None = None
    for action in actions:
        state = batch.states[0]
        batch.step([action])
        if state["phase"] == LAYOUT:
            layout.append(write_point(n, action, int(state["to_move"])))
        else:
            turn = turn or Turn(OPENING + 1 + int(state["turns"]), int(state["to_move"]))
            turn.note(state, action)
        if turn is not None and batch.to_move[0] != turn.seat:
            lines.append(turn.write(n))
            turn = None
    if turn is not None:
        raise BoyiError(f"{batch.game}: the actions end within a turn, which a record cannot express")
    if len(actions) >= n * n and not batch.game.params["layout_only"]:
        lines = [*_opening(n, actions), *lines]
    return "\n".join([",".join(layout) + ";", *lines]) + "\n"


def _opening(n: int, actions: Sequence[int]) -> list[str]:
    """Write the turns that take off the first two stones, the second player's first."""
    return [f"{number},{write_point(n, actions[seat], seat)};" for number, seat in ((1, 1), (2, 0))]


def read(text: str, game: str | Spec | Game = "jiu") -> list[int]:
    """Read the actions of a recorded game; `BoyiError` says which turn cannot be read or is not possible.

    Line breaks and spaces do not matter. A first part that begins with ``JIU``, the head of published records, is
    passed over.
    """
    batch = Batch(find(game), 1, seed=0, encoder=None, illegal="raise", history=True)
    n = batch.game.params["board_size"]
    parts = [part for part in "".join(text.split()).split(";") if part]
    if parts and parts[0].startswith("JIU"):
        del parts[0]
    if not parts or not parts[0].startswith("0,"):
        raise BoyiError(f"not {WHAT}: it begins with 0, and the points of the layout, as in 0,h7,G6;")
    for word in parts[0].split(",")[1:]:
        p = _point(n, word, max(0, int(batch.to_move[0])))
        if not batch.mask[0, p]:
            raise BoyiError(f"no stone can be put on {word!r} at this stage of the layout")
        batch.step([p])
    if parts[1:] and batch.states["phase"][0] == LAYOUT:
        raise BoyiError(f"{parts[1]!r} is not possible: the layout is not full")
    for number, part in enumerate(parts[1:], 1):
        if batch.to_move[0] < 0:
            raise BoyiError(f"{part!r} is not possible: the game is over")
        found = expect(rf"{number},([\w-]+)((?:,\w+)*)", part, WHAT, f"{number},G8-G6,g7,e6")
        if number <= OPENING:
            if part + ";" != _opening(n, batch.history(0))[number - 1]:
                raise BoyiError(f"{part!r}: turns 1 and 2 take off the first two stones, the second player's first")
            continue
        seat = int(batch.to_move[0])
        path = [_point(n, word, seat) for word in found[1].split("-")]
        taken = [_point(n, word, 1 - seat) for word in found[2].split(",")[1:]]
        actions = _found(batch, Turn(number, seat), Turn(number, seat, path, _in_order(path, taken)))
        if actions is None:
            raise BoyiError(f"{part!r} is not possible: no turn of seat {seat} goes this way and takes these stones")
        for action in actions:
            batch.step([action])
    return batch.history(0)


def _point(n: int, word: str, seat: int) -> int:
    p = read_point(n, word)
    if p is None or word != write_point(n, p, seat):
        letters = "a capital letter, as in G6" if seat == 1 else "a small letter, as in g6"
        raise BoyiError(f"no point {word!r} of seat {seat} on a board of {n} lines: write {letters}")
    return p


def _in_order(path: list[int], taken: list[int]) -> list[int]:
    """Put the stones that several jumps took into the order of the jumps: records list them in any order."""
    jumped = [(p + q) // 2 for p, q in pairwise(path)]
    several = len(jumped) > 1 and set(jumped) == set(taken[: len(jumped)])
    return jumped + taken[len(jumped) :] if several else taken


def _found(batch: Batch, noted: Turn, turn: Turn) -> list[int] | None:
    """Find the actions that make what is `noted` into the whole turn; None if there are none."""
    if batch.to_move[0] != turn.seat:
        return [] if noted == turn else None
    for action in np.flatnonzero(batch.mask[0]).tolist():
        longer = Turn(turn.number, turn.seat, [*noted.path], [*noted.taken])
        longer.note(batch.states[0], action)
        if longer.path == turn.path[: len(longer.path)] and longer.taken == turn.taken[: len(longer.taken)]:
            trial = batch.clone()
            trial.step([action])
            rest = _found(trial, longer, turn)
            if rest is not None:
                return [action, *rest]
    return None
