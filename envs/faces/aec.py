"""The PettingZoo face: any game as an AEC environment over a batch of one, without a stack of wrappers.

Legality is checked inside, once, and nothing is allocated but what is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ..engine.batch import Batch
from ..engine.errors import BoyiError, chosen, unfinished
from ..engine.protocol import CUT
from ..engine.spec import Game, Spec, settle
from .frame import KEYS, Frame, check_cycles, check_mask_place, whole
from .render import MODES, Renderer, check_mode, seen

Observation = dict[str, np.ndarray] | np.ndarray


class AEC(AECEnv[str, Observation, int]):
    """One game for the agents ``player_0`` …, seat 0 first.

    `encoder` and `layout` ("chw", "hwc", "flat") shape the float32 observation; `mask_in` puts the int8 action mask
    into the observation dict ("obs") or into the infos ("info"). `keys` name observation and mask in that dict; masks
    are of `mask_dtype` "int8" or "bool". An illegal action loses the game ("forfeit": -1 for the offender) or raises
    and changes nothing ("raise"). With `max_cycles` a game is cut, with rewards of zero, when every agent could have
    acted that often. Deep copies and pickles keep the position.
    """

    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]

    def __init__(
        self,
        game: str | Spec | Game,
        render_mode: str | None = None,
        *,
        encoder: str | None = None,
        layout: str = "chw",
        mask_in: str = "obs",
        keys: Sequence[str] = KEYS,
        mask_dtype: str = "int8",
        illegal: str = "forfeit",
        max_cycles: int | None = None,
        **params: Any,
    ) -> None:
        self.game: Game = settle(game, params, AEC)
        self.frame: Frame = Frame(self.game, encoder, layout, keys, mask_dtype)
        self.mask_in: str = check_mask_place(mask_in)
        self.render_mode: str | None = check_mode(render_mode)
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v{self.game.spec.version}",
            "render_modes": list(MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents: list[str] = [f"player_{seat}" for seat in range(self.game.seats)]
        self.agents: list[str] = []
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: self.frame.observation_space(mask=mask_in == "obs") for agent in self.possible_agents
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: self.frame.action_space() for agent in self.possible_agents
        }
        self.batch: Batch = Batch(self.game, encoder=self.frame.encoder, illegal=illegal, history=True)
        cycles = check_cycles(max_cycles)
        self.most_actions: int | None = None if cycles is None else cycles * self.game.seats
        """After how many actions a game is cut; None: never."""
        self._renderer = Renderer(self.game, render_mode)
        self._live = False  # whether a game is running, and neither step nor reset has been broken off in it
        self._begun = False
        self._seen: np.ndarray | None = None
        self._plain, self._turned = self.frame.plain, self.frame.permutation is not None
        self._simple = self._plain and mask_in == "obs"
        self._busy = mask_in == "info" or render_mode == "human"
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[chosen("agent", agent, self.possible_agents)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[chosen("agent", agent, self.possible_agents)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: the first of `seed`, or the next one of the seed in use."""
        live, self._live = self._live, False
        try:
            self.batch.reset(seed)
        except BoyiError:  # refused before anything was touched
            self._live = live
            raise
        self._play, self._mask, self._seen = self.batch.play, self.batch.first_mask, None
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._begun = True
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self.batch.to_move[0]]
        if self._busy:
            self._show()
        self._live = True

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Go through the agents in the order in which they act, for at most `max_iter` turns."""
        self._check_begun("agent_iter()")
        return super().agent_iter(max_iter)

    def _check_begun(self, asked: str, *, running: bool = False) -> None:
        """Raise `BoyiError` for what is asked before the first game or, if it needs a `running` one, after the last."""
        if not (self._begun and (self.agents or not running)):
            raise BoyiError(f"{self.game}: no game is running; call reset() before {asked}")

    def step(self, action: int | None) -> None:
        """Play for `agent_selection`; None removes an agent whose game has ended."""
        if not self._live or action is None or self.terminations[self.agent_selection]:
            self._step_dead(action)
            return
        try:
            a = index(action)
        except TypeError:
            a = whole(action, self.game)
        if self._turned:
            a = self.frame.action(a, self._seats[self.agent_selection])
        self._live = False
        try:
            seat = self._play(a)
        except BoyiError:  # refused before anything was touched
            self._live = True
            raise
        if self.most_actions is not None and seat >= 0 and len(self.batch.history(0)) >= self.most_actions:
            seat = CUT
        if seat >= 0:
            # No reward before the end: the dicts of zeros stand as they are.
            self.agent_selection, self._seen = self.possible_agents[seat], self.batch.seen
        else:
            self._end(cut=seat == CUT)
        if self._busy:
            self._show()
        self._live = seat >= 0

    def _step_dead(self, action: int | None) -> None:
        self._check_begun("step()", running=True)
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            if not self._live:
                raise unfinished(self.game)
            raise BoyiError(f"{self.game}: {agent} must play an action; None is for agents whose game has ended")
        # Raises ValueError for an action: PettingZoo's wrappers and tests expect its own words and type.
        self._was_dead_step(action)

    def _show(self) -> None:
        """Do what only some environments ask for after every turn: masks in the infos, the human window."""
        if self.mask_in == "info":
            for agent in self.agents:
                mask = self._mask() if agent == self.agent_selection else np.zeros(self.game.actions, np.int8)
                self.infos[agent] = {"action_mask": self.frame.mask(mask, self._seats[agent])}
        if self.render_mode == "human":
            self.render()

    def _end(self, *, cut: bool) -> None:
        if self.batch.to_move[0] < 0:
            self.rewards = dict(zip(self.agents, self.batch.scores, strict=True))
        self._accumulate_rewards()
        self.truncations = dict.fromkeys(self.agents, cut)
        self.terminations = dict.fromkeys(self.agents, not cut)
        seat = (self._seats[self.agent_selection] + 1) % self.game.seats
        self.agent_selection = self.possible_agents[seat]

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return what `agent_selection` sees and has earned, as PettingZoo defines it, with one call fewer."""
        if not self.agents:
            self._check_begun("last()", running=True)
        agent = self.agent_selection
        if observe and self._live and self._simple:
            x, self._seen = self._seen, None
            if x is None:
                x = self._next()
            seen: Observation | None = {"observation": x, "action_mask": self._mask()}
        else:
            seen = self.observe(agent) if observe else None
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def _next(self) -> np.ndarray:
        """Observe from the seat to move; `last` has already returned what the step wrote."""
        return self.batch.observe(self.batch.to_move)[0]

    def observe(self, agent: str) -> Observation:
        """Observe from any agent's side, at any time; only the agent to move has a mask that is not all zero."""
        self._check_begun("observe()")
        chosen("agent", agent, self.possible_agents)
        if self._live and agent == self.agent_selection:
            x, mask = self._next(), self._mask()
        else:
            x, mask = self.batch.observe(self._seats[agent])[0], np.zeros(self.game.actions, np.int8)
        if not self._plain:
            x, mask = self.frame.arrange(x), self.frame.mask(mask, self._seats[agent])
        return x if self.mask_in == "info" else self.frame.look(x, mask)

    def render(self) -> Any:
        """Return text ("ansi"), an image ("rgb_array"), or show a window ("human")."""
        self._check_begun("render()")
        return self._renderer.render(self.batch.states[0])

    def close(self) -> None:
        self._renderer.close()

    def __repr__(self) -> str:
        return f"AEC({str(self.game)!r})"

    def _repr_svg_(self) -> str | None:
        """Draw the position for a notebook as `render` does; nothing before the first game."""
        return seen(self.game, "draw", "svg")(self.batch.states[0], None) if self._begun else None
