"""What an agent is, the random agent, and callables as agents."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba.core.event import install_timer

from ..envs.engine.bind import bind
from ..envs.engine.errors import BoyiError
from ..envs.engine.kernels import choose_rows
from ..envs.engine.spec import Game, Param, check_params
from ..envs.engine.syntax import write
from ..envs.engine.view import View
from ..envs.faces.frame import KEYS, LAYOUTS, Frame, whole


class Weights(NamedTuple):
    """How an agent rates actions: `numbers` (actions,) float64, NaN where unknown, say how often it has looked at each
    if they are `visits`, else what each is worth to the seat to move. `notes` say more of each, under
    a word for what they are about, "" where there is nothing to say.
    """

    numbers: np.ndarray
    visits: bool
    notes: Mapping[str, Sequence[str]] = MappingProxyType({})


class Agent(ABC):
    """Decides for a seat in many games at once; `params` declares what its string may set."""

    name: ClassVar[str]
    params: ClassVar[Mapping[str, Param]] = {}
    positional: ClassVar[str | None] = None
    """The parameter that may stand alone after the colon of the agent's string."""
    foreign: ClassVar[bool] = False
    """Whether the agent's string names a program, which it starts."""

    def __init__(self, **values: Any) -> None:
        self.values: dict[str, Any] = check_params(self.name, self.params, values)
        self.faults: dict[int, str] = {}
        """Why the latest `act` has given games up (`GIVEN_UP`), by their places in its view."""
        self.starting: float = 0.0
        """Seconds in total that it has spent starting programs, which does not count as thinking."""

    @classmethod
    def from_string(cls, make: Callable[[str], Agent], **values: Any) -> Agent:
        """Make the agent from the values in an agent string; `make` makes the agents that these name."""
        return cls(**values)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __str__(self) -> str:
        """Write the string that would make this agent."""
        changed = {key: value for key, value in self.values.items() if value != self.params[key].default}
        alone = changed.pop(self.positional, None) if self.positional is not None else None
        return write(self.name, alone, changed)

    def fit(self, game: Game) -> None:  # noqa: B027 - most algorithms play every game
        """Raise `BoyiError` when the algorithm does not fit the game's facts."""

    @abstractmethod
    def act(self, view: View) -> np.ndarray:
        """Choose a legal action (m,) int64 for each of the m games of a view."""

    def value(self, view: View, k: int = 0) -> float:
        """Say what game k of a view is worth to the seat to move, on a scale from -1, lost, to 1, won.

        `BoyiError` from an agent that cannot tell.
        """
        raise BoyiError(f"{self.name} does not say what a position is worth: alphabeta, az, exact, mcts and puct do")

    def weigh(self, view: View, k: int = 0) -> Weights:
        """Say what it makes of each action in game k of a view: how often it has looked at it, or what it is worth.

        `BoyiError` from an agent that cannot tell.
        """
        able = "az, ddqn, dqn, exact, expectimax, imitation, mcts and puct"
        raise BoyiError(f"{self.name} does not weigh actions: {able} do")

    def so_far(self, view: View, k: int = 0) -> Weights | None:
        """Return, in the middle of `weigh`, what that would return if it ended now; None from one that cannot tell.

        `weigh` looks at ``view.hurry`` now and then, in its own thread: that is the place to ask.
        """
        return None

    def expects(self, view: View, k: int, action: int) -> list[int]:
        """Say what it expects to follow the action that it has just chosen, or weighed highest, in game k of a view.

        The list reaches as far as it has looked ahead, but not past the next dice; empty from one that does not look.
        """
        return []

    @property
    def alone(self) -> bool:
        """Whether it is better to ask it about one game after another than about many at once."""
        return False

    @property
    def by_history(self) -> bool:
        """Whether it follows games by their actions, so that they have to be kept."""
        return False

    def played(self, view: View, k: int) -> list[int]:
        """Return the actions so far of game k of a view; `BoyiError` when they have not been kept from its start."""
        if view.history is None or len(view.history[k]) != view.states["ply"][k]:
            raise BoyiError(f"{self.name} follows a game by its actions: make the batch with history=True")
        return view.history[k]

    def conclude(self, row: int, episode: int) -> str | None:
        """Note that a game in which it decided has ended; return why it forfeits that game all the same, or None."""
        return None

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is not memory, such as processes; the agent may still be asked again."""

    def action(self, env: Any) -> int:
        """Choose an action in a user's own loop: `env` is an AEC or Gymnasium environment of boyi, wrapped or not."""
        base = getattr(env, "unwrapped", env)
        batch, frame = getattr(base, "batch", None), getattr(base, "frame", None)
        if batch is None or frame is None or batch.n != 1:
            raise BoyiError(f"{self.name}: action(env) wants a single boyi environment, not {type(base).__name__}")
        view = batch.view([0])
        action = frame.seen(int(view.answered(self.act(view))[0]), int(view.seat[0]))
        # A wrapper that shows another image of the game knows what the action is there.
        shown = hasattr(env, "has_wrapper_attr") and env.has_wrapper_attr("image_of")
        return int(env.get_wrapper_attr("image_of")(action)) if shown else action


def check_duel(game: Game, refusal: str, *, dice: bool | None = None) -> None:
    """Raise `BoyiError` unless a game has two seats, zero sum and nothing hidden, and dice as `dice` says (None: any).

    The message begins with the `refusal`, such as "puct cannot search".
    """
    fits = game.seats == 2 and game.spec.zero_sum and not game.spec.hidden
    if not fits or dice not in (None, game.spec.dice):
        chance = {None: "", True: ", dice", False: ", no dice"}[dice]
        raise BoyiError(f"{refusal} {game}: that takes two seats, zero sum{chance} and nothing hidden")


class Team(Agent):
    """An agent that leaves every decision to one of several others, its `members`."""

    members: list[Agent]
    chosen: np.ndarray
    """The member that made each of the latest decisions, by the games of their view."""
    faults: dict[int, str]
    starting: float

    @property
    def alone(self) -> bool:
        return any(member.alone for member in self.members)

    @property
    def by_history(self) -> bool:
        return any(member.by_history for member in self.members)

    def fit(self, game: Game) -> None:
        """Raise `BoyiError` when any member does not fit the game."""
        for member in self.members:
            member.fit(game)

    def ask(self, view: View, chosen: np.ndarray) -> np.ndarray:
        """Ask each member once, about all games of the view for which it is `chosen` (m,); a `BoyiError` names it."""
        actions, self.faults = np.empty(view.row.size, np.int64), {}
        before = sum(member.starting for member in self.members)
        for k in np.unique(chosen):
            member, games = self.members[k], np.flatnonzero(chosen == k)
            part = self.shown(int(k), view if games.size == view.row.size else view.take(games))
            with blame(member):
                actions[games] = part.answered(member.act(part))
            self.faults |= {int(games[game]): why for game, why in member.faults.items()}
        self.chosen = chosen
        self.starting += sum(member.starting for member in self.members) - before
        return actions

    def shown(self, member: int, part: View) -> View:
        """Return what a member, given by its number, is shown of the games that it is asked about."""
        return part

    def expects(self, view: View, k: int, action: int) -> list[int]:
        member = int(self.chosen[k])
        return self.members[member].expects(self.shown(member, view), k, action)

    def conclude(self, row: int, episode: int) -> str | None:
        return next(filter(None, [member.conclude(row, episode) for member in self.members]), None)

    def close(self) -> None:
        for member in self.members:
            member.close()


class Named(Team):
    """One agent as it is, except that its failures begin with its name."""

    name = "named"

    def __init__(self, member: Agent) -> None:
        super().__init__()
        self.members = [member]

    def __str__(self) -> str:
        return str(self.members[0])

    def act(self, view: View) -> np.ndarray:
        return self.ask(view, np.zeros(view.row.size, np.int64))


def timed_act(agent: Agent, view: View) -> tuple[np.ndarray, float]:
    """Return an agent's actions (m,) and the seconds it took, not counting compiling kernels and starting programs."""
    compiling: list[float] = []
    before = agent.starting
    with install_timer("numba:compile", compiling.append):
        started = time.perf_counter()
        actions = agent.act(view)
        seconds = time.perf_counter() - started
    return view.answered(actions), max(0.0, seconds - sum(compiling) - (agent.starting - before))


@contextmanager
def blame(who: Agent | str) -> Iterator[None]:
    """Turn any failure into a `BoyiError` that begins with the agent's name, which is not asked for before that."""
    try:
        yield
    except BoyiError as error:
        raise type(error)(f"{who}: {error}") from error
    except Exception as error:
        raise BoyiError(f"{who}: {type(error).__name__}: {error}") from error


class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    name = "random"

    def act(self, view: View) -> np.ndarray:
        view.check()
        actions = np.empty(view.row.size, np.int64)
        bind(choose_rows, view.game)(view.mask, view.rng, actions)
        return actions


class PolicyAgent(Agent):
    """Somebody else's policy, which sees a game as an environment with the same options shows it: through a `Frame`.

    Where they are None, `encoder` is the game's default and `layout` is "chw"; `keys` are as the environments have
    them.
    """

    name = "policy"

    policy: Any
    encoder: str | None
    layout: str | None
    keys: Sequence[str] | None

    def __init__(
        self,
        policy: Any,
        *,
        encoder: str | None = None,
        layout: str | None = None,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self.policy, self.encoder, self.layout, self.keys = policy, encoder, layout, keys
        self._frames: dict[Game, Frame] = {}

    def fit(self, game: Game) -> None:
        """Raise `BoyiError` when the policy does not see games in this way."""
        self.frame(game)

    def frame(self, game: Game) -> Frame:
        """Find how a game appears to the policy."""
        if game not in self._frames:
            self._frames[game] = self.make_frame(game)
        return self._frames[game]

    def make_frame(self, game: Game) -> Frame:
        layout, keys = LAYOUTS[0] if self.layout is None else self.layout, KEYS if self.keys is None else self.keys
        return Frame(game, self.encoder, layout, keys)

    def decide(self, view: View) -> np.ndarray:
        """Ask the policy for an action of the game, legal or not, in each of the m games of a view: (m,) int64."""
        view.check()
        frame = self.frame(view.game)
        observations, masks = frame.arrange(view.observe(frame.encoder)), frame.masks(view.mask, view.seat)
        return frame.actions(view.answered(self.choose(frame, observations, masks)), view.seat)

    @abstractmethod
    def choose(self, frame: Frame, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose actions (m,) of the frame, from observations (m, …) as it lays them out and its masks (m, actions)."""


class CallableAgent(PolicyAgent):
    """A user's function ``(observation, mask) -> action``, asked one game at a time.

    With `keys` it is given one argument: what an environment with those keys would observe.
    """

    name = "callable"

    def __str__(self) -> str:
        """Name the function."""
        return f"{self.policy.__module__}:{getattr(self.policy, '__qualname__', type(self.policy).__qualname__)}"

    def act(self, view: View) -> np.ndarray:
        actions = self.decide(view)
        for k, (action, mask) in enumerate(zip(actions.tolist(), view.mask, strict=True)):
            if not 0 <= action < view.game.actions or not mask[action]:
                where = view.game.module("text").diagram(view.states[k])
                raise BoyiError(f"{view.game}: the callable agent chose the illegal action {action}\n{where}")
        return actions

    def choose(self, frame: Frame, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = np.empty(len(masks), np.int64)
        for k, (observation, mask) in enumerate(zip(observations, masks.copy(), strict=True)):
            given = (observation, mask) if self.keys is None else (frame.look(observation, mask),)
            actions[k] = whole(self.policy(*given), frame.game)
        return actions
