"""Games as text that a person reads and that replays without our random numbers: every draw and roll is written down.

A transcript is the game string, the diagram of the start, and a line for every event: ``1: 4m`` for what seat 1 did,
``* 7z`` for what chance brought. `write` makes one from a game given by a seed and its actions, `read` returns the
positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..engine.batch import Batch
from ..engine.errors import BoyiError
from ..engine.protocol import CHANCE
from ..engine.spec import Game, Spec, find
from ..engine.view import copied

CHANCE_MARK = "*"


def write(game: str | Spec | Game, seed: int, actions: Sequence[int], episode: int = 0) -> str:
    """Write the transcript of the game that `actions` play in an episode of a seed; `BoyiError` for an illegal one."""
    batch = Batch(game, 1, seed=seed, encoder=None, chance="by_hand")
    batch.reset(seed, episode=episode)
    text, waiting = batch.game.module("text"), list(reversed(actions))
    lines = [str(batch.game), text.diagram(batch.states[0])]
    while batch.to_move[0] == CHANCE or (waiting and batch.to_move[0] >= 0):
        state = batch.states[0]
        if batch.to_move[0] == CHANCE:
            outcome = int(batch.draw_outcomes()[0])
            lines.append(f"{CHANCE_MARK} {_outcome_name(batch.game, state, outcome)}")
            batch.resolve([outcome])
        else:
            action = waiting.pop()
            batch.step([action])
            lines.append(f"{state['to_move']}: {text.name(state, action)}")
    if waiting:
        raise BoyiError(f"the game was over {len(waiting)} actions before the last")
    return "\n".join(lines) + "\n"


def read(text: str) -> Iterator[np.ndarray]:
    """Play a transcript; yield the record, shape (1,), of every position, the start first.

    `BoyiError` names the line that is impossible or cannot be read.
    """
    lines = text.splitlines()
    game = find(lines[0] if lines else "")
    first = next((k for k, line in enumerate(lines) if k > 0 and _is_event(line)), len(lines))
    batch = Batch(game, 1, seed=0, encoder=None, chance="by_hand")
    batch.set_states(game.module("text").read("\n".join(lines[1:first])))
    yield copied(batch.states)
    for number, line in enumerate(lines[first:], first + 1):
        try:
            _play(batch, line)
        except BoyiError as error:
            raise BoyiError(f"line {number}: {error}") from None
        yield copied(batch.states)


def _is_event(line: str) -> bool:
    who, _, what = line.partition(" ")
    return bool(what) and (who == CHANCE_MARK or (who.endswith(":") and who[:-1].isdecimal()))


def _play(batch: Batch, line: str) -> None:
    who, _, what = line.partition(" ")
    state, game = batch.states[0], batch.game
    whose = CHANCE_MARK if state["to_move"] == CHANCE else f"{state['to_move']}:"
    if who != whose:
        raise BoyiError(f"it is {whose!r} that comes next, not {who!r}")
    if who == CHANCE_MARK:
        names = {_outcome_name(game, state, int(o)): o for o in np.flatnonzero(batch.chances()[0])}
        if what not in names:
            raise BoyiError(f"chance cannot bring {what!r}; possible: {', '.join(names)}")
        batch.resolve([names[what]])
    else:
        batch.step([game.module("text").parse(state, what)])


def _outcome_name(game: Game, state: np.void, outcome: int) -> str:
    """Name an outcome as the game's text does with ``outcome(s, o)``, else by its number."""
    name = getattr(game.module("text"), "outcome", None)
    return str(outcome) if name is None else str(name(state, outcome))
