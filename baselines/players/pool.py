"""`Pool`: several agents as one opponent, one for each seat of a game. For self-play against earlier selves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...envs.engine.errors import BoyiError, is_number, shown
from ...envs.engine.spec import Game, Param, check_params
from ...envs.engine.syntax import pieces, write
from ...envs.engine.view import View
from ..agent import Agent, Team

BETWEEN = ";"
REMEMBERED = 1 << 16  # games whose members are remembered at once; large views raise this limit
_UNIT = 2.0**-53  # spacing of the doubles in [0, 1) that a game's key gives


class Pool(Team):
    """Several agents; each seat of a game draws one of them in proportion to `weights`.

    The seat keeps it to the end. The draw depends on the game's seed, its episode and the seat, so it is the same in
    single and vector environments. A member that is added plays in games whose first decision comes later.
    """

    name = "pool"
    positional: ClassVar[str | None] = "agents"
    params: ClassVar[Mapping[str, Param]] = {
        "agents": Param("", "agent strings, with a semicolon between two"),
        "weights": Param("", "a number for each of them, with semicolons; empty: all are drawn equally often"),
    }

    def __init__(self, agents: Sequence[Any] = (), weights: Sequence[float] | None = None) -> None:
        super().__init__()
        if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
            raise BoyiError(f"a pool holds a list of agents, at least one, not {agents!r}")
        if weights is not None and len(weights) != len(agents):
            raise BoyiError(f"a pool of {len(agents)} agents needs {len(agents)} weights, not {len(weights)}")
        self.members: list[Agent] = []
        self.weights: list[float] = []
        self._games: set[Game] = set()
        self._kept: dict[tuple[int, int], tuple[int, int]] = {}  # by game: its member and latest ply
        for agent, weight in zip(agents, [1.0] * len(agents) if weights is None else weights, strict=True):
            self.add(agent, weight)

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> Pool:
        """Make the pool from agent strings and weights."""
        given = check_params(cls.name, cls.params, values)
        agents, weights = (pieces(given[key], BETWEEN) if given[key].strip() else [] for key in ("agents", "weights"))
        try:
            numbers = [float(weight) for weight in weights]
        except ValueError:
            raise BoyiError(f"weights in a pool are numbers, as in '3;1', not {shown(given['weights'])}") from None
        return cls([make(agent) for agent in agents], numbers or None)

    def __str__(self) -> str:
        """Write the string that would make this pool, unless a member has no such string."""
        numbers = BETWEEN.join(repr(weight).removesuffix(".0") for weight in self.weights)
        weights = {"weights": numbers} if set(self.weights) != {1.0} else {}
        return write(self.name, BETWEEN.join(map(str, self.members)), weights)

    def add(self, agent: Agent, weight: float = 1.0) -> None:
        """Let another agent play in games in which the pool has not decided yet."""
        if not is_number(weight, 0) or weight == 0:
            raise BoyiError(f"a weight in a pool must be a number above 0, not {shown(weight)}")
        for game in self._games:
            agent.fit(game)
        self.members.append(agent)
        self.weights.append(float(weight))

    def fit(self, game: Game) -> None:
        super().fit(game)
        self._games.add(game)

    def act(self, view: View) -> np.ndarray:
        """Ask each member once, for all the games that have drawn it."""
        view.check()
        return self.ask(view, self._choose(view))

    def _choose(self, view: View) -> np.ndarray:
        """Find the member (m,) of each game: the one it has, or a new one where the game is met for the first time."""
        bounds = np.cumsum(self.weights)
        drawn = np.searchsorted(bounds, (view.game_key >> np.uint64(11)) * _UNIT * bounds[-1], side="right")
        chosen = np.minimum(drawn, len(self.members) - 1).astype(np.int64)
        games = zip(view.row.tolist(), view.game_key.tolist(), strict=True)
        for i, (game, ply) in enumerate(zip(games, view.states["ply"].tolist(), strict=True)):
            member, latest = self._kept.pop(game, (-1, -1))
            # An earlier ply means another game of the same seed.
            if latest < ply and member >= 0:
                chosen[i] = member
            self._kept[game] = int(chosen[i]), ply
        while len(self._kept) > max(REMEMBERED, 2 * view.row.size):
            del self._kept[next(iter(self._kept))]
        return chosen
