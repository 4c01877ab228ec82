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
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .batch import Batch
from .errors import BoyiError, unknown
from .frame import Frame, whole
from .protocol import CUT, OVER
from .render import MODES, Renderer
from .spec import Game, Spec, find
from .table import PATIENCE, Player, Table, check_seating, no_turn

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
        check_seating(self.game, opponents, seat)
        self.opponents, self.seat = opponents, seat
        self.frame = Frame(self.game, encoder, layout)
        self.batch = Batch(self.game, encoder=self.frame.encoder, illegal=illegal, history=True)
        self.observation_space = self.frame.observation_space()
        self.action_space = self.frame.action_space()  # type: ignore[assignment]
        self._mover, self._seat = OVER, 0  # who decides next; whose rewards and last observation are returned
        self._renderer = Renderer(self.game, render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start a game: the first of `seed`, or the next one of the seed in use."""
        super().reset(seed=seed)
        self.batch.reset(seed)
        for _ in range(PATIENCE):
            self._deal()
            if self._mover >= 0:
                self._show()
                return self._observation(), self._info()
            # The opponents ended the game before the learner's first turn: it has nothing to learn from it.
            self.batch.reset()
        raise no_turn(self.game, self.seat)

    def _deal(self) -> None:
        self._mover = self._seat = int(self.batch.to_move[0])
        if self.opponents is not None:
            self._seat = int(self.batch.draw_seats()[0]) if isinstance(self.seat, str) else int(self.seat)
            self._answer(self.opponents)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action and the opponents' answers."""
        if self._mover < 0:
            raise BoyiError(f"{self.game}: no game is running; call reset() before step()")
        a = self.frame.action(whole(action, self.game), self._mover)
        self._seat, self._mover = self._mover, self.batch.play(a)
        if self.opponents is not None:
            self._answer(self.opponents)
        self._show()
        reward = self.batch.scores[self._seat] if self._mover < 0 else 0.0
        return self._observation(), reward, self._mover == OVER, self._mover == CUT, self._info()

    def _answer(self, opponents: Sequence[Player]) -> None:
        """Let the opponents play until the learner is to move or the game has ended."""
        while self._mover >= 0 and self._mover != self._seat:
            chair = (self._mover - self._seat) % self.game.seats - 1
            player = opponents[chair if len(opponents) > 1 else 0]
            self._mover = self.batch.play(int(player.act(self.batch.view([0]))[0]))

    def _observation(self) -> Observation:
        if self._mover >= 0:
            x, mask = self.batch.sight()
        else:
            x, mask = self.batch.look(self._seat), self.batch.mask[0]
        return {"observation": self.frame.arrange(x), "action_mask": self.frame.mask(mask, self._mover)}

    def _info(self) -> Info:
        mask = self.frame.mask(self.batch.mask[0], self._mover)
        return {"action_mask": mask, "seat": self._seat, "to_move": max(self._mover, -1)}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as truths (actions,), the form sb3-contrib asks for."""
        return self.frame.mask(self.batch.mask[0], self._mover).astype(np.bool_)

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
        self.table = Table(self.game, num_envs, opponents, seat=seat, frame=frame, illegal=illegal, threads=threads)
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
