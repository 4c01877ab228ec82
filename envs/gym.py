"""The Gymnasium faces: one game, or many natively, in which a seat learns and named agents answer for the others.

Observations are ``{"observation": float32, "action_mask": int8}``; the mask is also ``info["action_mask"]`` and, as
truths, what `action_masks` returns. ``info["seat"]`` is the seat the reward belongs to, ``info["to_move"]`` the seat
that decides next, -1 at the end. Row i of the vector environment under seed s is the single environment under s + i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .errors import BoyiError, unknown
from .frame import Frame, whole
from .render import MODES, Renderer
from .spec import Game, Spec, find
from .table import Player, Table

Observation = dict[str, np.ndarray]
Info = dict[str, Any]


class GameEnv(gymnasium.Env[Observation, int]):
    """One game as a single-agent environment.

    `opponents` answer for the other seats (None: every decision is the caller's, the reward that of the seat which
    acted); `seat` is the learner's, or "random". `encoder` and `layout` shape the observation. An illegal action
    loses the game ("forfeit") or raises and changes nothing ("raise").
    """

    metadata = {"render_modes": list(MODES), "render_fps": 2}

    def __init__(
        self,
        game: str | Spec | Game,
        opponents: Sequence[Player] | None = None,
        *,
        seat: int | str = 0,
        render_mode: str | None = None,
        encoder: str | None = None,
        layout: str = "chw",
        illegal: str = "forfeit",
        **params: Any,
    ) -> None:
        self.game = find(game, **params)
        if render_mode is not None and render_mode not in MODES:
            raise unknown("render mode", str(render_mode), MODES)
        self.render_mode = render_mode
        frame = Frame(self.game, encoder, layout)
        self.table = Table(self.game, 1, opponents, seat=seat, frame=frame, illegal=illegal)
        self.batch = self.table.batch
        self.observation_space = frame.observation_space()
        self.action_space: spaces.Discrete = frame.action_space()
        self._row = np.arange(1)
        self._running = False
        self._renderer = Renderer(self.game, render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start a game: the first of `seed`, or the next one of the seed in use."""
        super().reset(seed=seed)
        self.table.deal(seed, self._row)
        self._running = True
        self._show()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action and the opponents' answers."""
        if not self._running:
            raise BoyiError(f"{self.game}: no game is running; call reset() before step()")
        rewards, over, cut = self.table.play(np.array([whole(action, self.game)]), self._row)
        self._running = not (over[0] or cut[0])
        self._show()
        return self._observation(), float(rewards[0]), bool(over[0]), bool(cut[0]), self._info()

    def _observation(self) -> Observation:
        x = self.table.observe(self._row, self.table.facing())
        return {"observation": x[0], "action_mask": self.table.masks()[0]}

    def _info(self) -> Info:
        facts = {key: int(value[0]) for key, value in self.table.state().items()}
        return {"action_mask": self.table.masks()[0], **facts}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as truths (actions,), the form sb3-contrib asks for."""
        return self.table.masks()[0].astype(np.bool_)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return text ("ansi"), an image ("rgb_array"), or show a window ("human")."""
        return self._renderer.render(self.batch)

    def close(self) -> None:
        self._renderer.close()


class GameVectorEnv(gymnasium.vector.VectorEnv[Observation, np.ndarray, np.ndarray]):
    """N games stepped natively: the same options as `GameEnv`, and `autoreset_mode`, `threads`.

    SAME_STEP (the default) returns the first observation of the next game and ``info["final_obs"]`` of the one that
    ended; under NEXT_STEP the next call returns it and ignores that row's action.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Spec | Game,
        num_envs: int = 1,
        opponents: Sequence[Player] | None = None,
        *,
        seat: int | str = 0,
        encoder: str | None = None,
        layout: str = "chw",
        illegal: str = "forfeit",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int | None = None,
        **params: Any,
    ) -> None:
        self.game = find(game, **params)
        modes = {mode.value: mode for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)}
        mode = getattr(autoreset_mode, "value", autoreset_mode)
        if mode not in modes:
            raise unknown("autoreset mode", str(mode), modes)
        self.metadata = {**self.metadata, "autoreset_mode": modes[mode]}
        self._same_step = modes[mode] is AutoresetMode.SAME_STEP
        frame = Frame(self.game, encoder, layout)
        self.table = Table(
            self.game, num_envs, opponents, seat=seat, frame=frame, illegal=illegal, threads=threads
        )
        self.batch, self.num_envs = self.table.batch, num_envs
        self.single_observation_space = frame.observation_space()
        self.single_action_space = frame.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)
        self._ended: np.ndarray | None = None

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start a game in every row: the first of seed + row (or of a list of seeds), or each seed's next one."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.table.deal(seed, self._rows)
        self._ended = np.zeros(self.num_envs, np.bool_)
        return self._observation(), self._info()

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Play an action in every row and the opponents' answers."""
        if self._ended is None:
            raise BoyiError(f"{self.game}: no games are running; call reset() before step()")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise BoyiError(f"{self.game}: actions must be {self.num_envs} whole numbers, one a row")
        going = np.flatnonzero(~self._ended)
        self.table.deal(None, np.flatnonzero(self._ended))
        rewards = np.zeros(self.num_envs)
        over, cut = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        rewards[going], over[going], cut[going] = self.table.play(actions[going], going)
        ended = over | cut
        final: Info = {}
        if self._same_step and ended.any():
            final = self._final(ended)
            self.table.deal(None, np.flatnonzero(ended))
            ended = np.zeros_like(ended)
        self._ended = ended
        return self._observation(), rewards, over, cut, {**self._info(), **final}

    def _observation(self) -> Observation:
        return {"observation": self.table.observe(self._rows, self.table.facing()), "action_mask": self.table.masks()}

    def _info(self) -> Info:
        return self._marked({"action_mask": self.table.masks(), **self.table.state()}, np.ones(self.num_envs, np.bool_))

    def _final(self, ended: np.ndarray) -> Info:
        """Gather what Gymnasium's own vector environments report of the games that have just ended."""
        observation = self._observation()
        finals = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            finals[i] = {key: value[i].copy() for key, value in observation.items()}
        info = self._marked({"action_mask": self.table.masks(), **self.table.state()}, ended)
        return self._marked({"final_obs": finals, "final_info": info}, ended)

    @staticmethod
    def _marked(info: Info, rows: np.ndarray) -> Info:
        return {name: value for key, array in info.items() for name, value in ((key, array), (f"_{key}", rows.copy()))}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as truths (n, actions)."""
        return self.table.masks().astype(np.bool_)
