"""`openspiel`: OpenSpiel's C++ tree search as an agent, in the games that it has by the same rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent

# OpenSpiel's name for a game, with the parameters that it has; all others must have their defaults.
NAMES = {
    "hex": "hex(board_size={board_size},swap={swap})",
    "gomoku": "gomoku(size={board_size})",
    "einstein": "einstein_wurfelt_nicht",
}
FOREVER = 10**9  # simulations that no limit of time lets it finish


def load(game: Game) -> Any:
    """Load OpenSpiel's version of a game; `KeyError` where it has none with these parameters."""
    import pyspiel

    template = NAMES[game.name]
    if any(value != game.spec.params[name].default and f"{{{name}}}" not in template for name, value in game.values):
        raise KeyError(str(game))
    return pyspiel.load_game(template.format(**game.params))


class OpenSpiel(Agent):
    """OpenSpiel's MCTSBot with random rollouts, which follows the game by its history."""

    name = "openspiel"
    positional = "algorithm"
    params = {
        "algorithm": Param("mcts", "which of its players", choices=("mcts",)),
        "sims": Param(1000, "simulations per decision", low=1, high=FOREVER),
        "seconds": Param(0.0, "time per decision instead of simulations, when above 0", low=0.0, high=86400.0),
        "c": Param(2.0, "its weight of exploration, for returns from -1 to 1", low=0.0, high=100.0),
        "solve": Param(True, "back up proven results"),
        "memory": Param(1000, "megabytes for its tree", low=1, high=10**6),
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.peer: tuple[Game, Any] | None = None

    @property
    def by_history(self) -> bool:
        return True

    def fit(self, game: Game) -> None:
        if self.peer is not None and self.peer[0] == game:
            return
        try:
            self.peer = game, load(game)
        except KeyError:
            raise BoyiError(f"OpenSpiel does not have {game}") from None
        except ImportError:
            raise BoyiError('openspiel needs OpenSpiel: pip install "boyi[peers]"') from None

    def act(self, view: View) -> np.ndarray:
        view.check()
        self.fit(view.game)
        return np.array([self._decide(view, k) for k in range(view.row.size)], np.int64)

    def _decide(self, view: View, k: int) -> int:
        import pyspiel

        assert self.peer is not None
        state, seed = self.state(view, k), int(view.rng[k, 0] & np.uint64(0x7FFFFFFF))
        values = self.values
        limit, sims = {"max_wall_clock_time": values["seconds"]}, FOREVER
        if not values["seconds"]:
            limit, sims = {}, values["sims"]
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        try:
            bot = pyspiel.MCTSBot(
                self.peer[1], rollouts, values["c"], sims, values["memory"], values["solve"], seed, False, **limit
            )
        except TypeError:
            raise BoyiError("this OpenSpiel cannot be limited by seconds: use sims, or a newer one") from None
        theirs = bot.step(state)
        ours = {their_action(view.game, view.states[k], a): a for a in np.flatnonzero(view.mask[k]).tolist()}
        return int(ours[theirs])

    def state(self, view: View, k: int) -> Any:
        """Build OpenSpiel's state of game k of a view; `BoyiError` when its history was not kept."""
        self.fit(view.game)
        assert self.peer is not None
        if view.history is None:
            raise BoyiError("openspiel follows a game by its actions: make the batch with history=True")
        state = self.peer[1].new_initial_state()
        follow = _einstein_actions if view.game.name == "einstein" else _same_actions
        for action in follow(view.states[k], view.history[k]):
            state.apply_action(action)
        return state


def their_action(game: Game, record: np.void, a: int) -> int:
    """Number the action `a` in a position as OpenSpiel does."""
    if game.name != "einstein":
        return a
    stone = int(record["turn"]) * STONES + a // 3
    return _number(stone, a, record["square"].tolist())


def _same_actions(record: np.void, history: Sequence[int]) -> Sequence[int]:
    return history


# EinStein. Where it is OpenSpiel's player 1 that begins, with the stones on the lower right, so our board is turned by
# half for it. Its history begins with an order of each player's stones on these squares, ours being numbered from 0.

STONES, SQUARES = 6, 25
FILLED = ((10, 6, 5, 2, 1, 0), (24, 23, 22, 19, 18, 14))  # our squares, of our seat 0 and 1, in their order
ORDERS = {order: number for number, order in enumerate(permutations(range(STONES)))}
AHEAD = (1, 5, 6)  # what seat 0's steps add to a square
WIDTH = 5
THEIR_STEPS = ((5, 3, 4), (2, 1, 0))  # their numbers for our steps, by our seat


def _destination(square: int, a: int, seat: int) -> int:
    """Find the square to which a step leads; -1: it leaves the board."""
    to = square + (AHEAD[a % 3] if seat == 0 else -AHEAD[a % 3])
    return to if 0 <= to < SQUARES and abs(to % WIDTH - square % WIDTH) <= 1 else -1


def _number(stone: int, a: int, squares: Sequence[int]) -> int:
    """Number a step: by the square it leaves, its direction, and whether it captures."""
    seat = stone // STONES
    captures = _destination(squares[stone], a, seat) in squares
    return ((SQUARES - 1 - squares[stone]) * 6 + THEIR_STEPS[seat][a % 3]) * 2 + captures


def _einstein_actions(record: np.void, history: Sequence[int]) -> list[int]:
    """Write a history, dice and start included, that leads to a position of EinStein by these actions.

    The start is not told, nor which stone went when: where several starts fit, the first will do, for the game goes on
    from all of them alike. A die that shows the stone moved allows every move.
    """
    for start in _starts(record, history):
        actions, squares = [], list(start)
        for seat in (1, 0):
            own = [start[seat * STONES : (seat + 1) * STONES].index(square) for square in FILLED[seat]]
            actions.append(ORDERS[tuple(own)])
        for ply, a in enumerate(history):
            stone = ply % 2 * STONES + a // 3
            to = _destination(squares[stone], a, ply % 2) if squares[stone] >= 0 else -1
            if to < 0:
                break
            actions += [a // 3, _number(stone, a, squares)]
            if to in squares:
                squares[squares.index(to)] = -1
            squares[stone] = to
        if squares == record["square"].tolist():
            return [*actions, int(record["die"]) - 1]
    raise BoyiError("the history of this game of EinStein does not lead to its position")


def _starts(record: np.void, history: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every start (12 squares) from which the stones still there have come by their steps."""
    found: list[list[tuple[int, ...]]] = []
    for seat, sign in ((0, 1), (1, -1)):
        own = record["square"][seat * STONES : (seat + 1) * STONES].tolist()
        for a in history[seat::2]:
            if own[a // 3] >= 0:
                own[a // 3] -= sign * AHEAD[a % 3]
        free = [square for square in FILLED[seat] if square not in own]
        gone = [i for i in range(STONES) if own[i] < 0]
        orders = []
        for order in permutations(free) if len(free) == len(gone) else ():
            for i, square in zip(gone, order, strict=True):
                own[i] = square
            orders.append(tuple(own))
        found.append(orders)
    for first, second in product(*found):
        yield first + second
