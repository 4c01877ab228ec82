"""The Gymnasium faces: one game, or many natively, in which a seat learns and named agents answer for the others.

Observations are ``{"observation": float32, "action_mask": int8}``; the mask is also ``info["action_mask"]`` and, as
booleans, what `action_masks` returns. ``info["seat"]`` is the seat the reward belongs to, ``info["to_move"]`` the seat
that decides next, -1 at the end, when ``info["returns"]`` holds everybody's returns. Row i of the vector environment
under seed s is the single environment under s + i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..engine.batch import Batch, as_array, one_seed, read_autoreset
from ..engine.errors import BoyiError, shown
from ..engine.gallery import gallery
from ..engine.protocol import CUT, OVER
from ..engine.schema import ArrayForm, fit_arrays
from ..engine.spec import Game, Spec, settle
from .frame import KEYS, Frame, whole
from .render import MANY_MODES, MODES, Renderer, check_mode, seen
from .seating import ROW, Player, Resolver, Seating, as_players
from .steps import Steps

Observation = dict[str, np.ndarray]
Info = dict[str, Any]
AUTORESET_MODES = {
    "same_step": AutoresetMode.SAME_STEP,
    "next_step": AutoresetMode.NEXT_STEP,
    "off": AutoresetMode.DISABLED,
}


def reset_rows(options: dict[str, Any] | None, n: int) -> np.ndarray:
    """Read which rows (n,) a reset is for, all of them without a "reset_mask"; `BoyiError` for an invalid mask."""
    mask = (options or {}).get("reset_mask")
    if mask is None:
        return np.ones(n, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.shape != (n,) or mask.dtype != np.bool_ or not mask.any():
        raise BoyiError(f"reset_mask is an array of {n} booleans, at least one of them true, not {shown(mask)}")
    return mask


class GameEnv(gymnasium.Env[Observation, int]):
    """One game as a single-agent environment.

    `opponents` answer for the other seats (None: every decision is the caller's, and the reward that of the seat that
    acted); `seat` is the learner's, or "random". `encoder` and `layout` shape the observation, `keys` name it and its
    mask, and masks are of `mask_dtype`, "int8" or "bool". An illegal action loses the game ("forfeit") or raises and
    changes nothing ("raise"); an opponent that gives up loses either way. `resolve` turns what `set_opponent` is given
    into players.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}
    batch: Batch
    steps: Steps

    def __init__(
        self,
        game: str | Spec | Game,
        opponents: Sequence[Player] | None = None,
        *,
        seat: int | str = 0,
        render_mode: str | None = None,
        encoder: str | None = None,
        layout: str = "chw",
        keys: Sequence[str] = KEYS,
        mask_dtype: str = "int8",
        illegal: str = "forfeit",
        resolve: Resolver = as_players,
        **params: Any,
    ) -> None:
        self.game: Game = settle(game, params, GameEnv)
        self.render_mode: str | None = check_mode(render_mode)
        self.frame: Frame = Frame(self.game, encoder, layout, keys, mask_dtype)
        options: Info = {"seat": seat, "frame": self.frame, "illegal": illegal, "resolve": resolve}
        self.seating: Seating = Seating(self.game, 1, opponents, history=True, **options)
        self.batch, self.steps = self.seating.batch, self.seating.steps
        self.observation_space: spaces.Space[Observation] = self.frame.observation_space()
        self.action_space: spaces.Space[int] = self.frame.action_space()  # type: ignore[assignment]
        self._mover, self._seat = OVER, 0  # who decides next; whose rewards and last observation are returned
        self._renderer = Renderer(self.game, render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start a game: the first of `seed`, or the next one of the seed in use."""
        self.seating.start(seed, ROW)
        super().reset(seed=one_seed(seed))
        self._mover, self._seat = int(self.batch.to_move[0]), int(self.seating.seats[0])
        self._show()
        first = self._observation(None), self._info()
        self.steps.finish()
        return first

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action and the opponents' answers."""
        self.steps.check()
        if self._mover < 0:
            raise BoyiError(f"{self.game}: no game is running; call reset() before step()")
        self._seat, self._mover = self._mover, self.seating.play_one(whole(action, self.game), self._mover)
        self._show()
        reward, info = 0.0, self._info()
        if self._mover < 0:
            scores = self.batch.scores
            reward, info["returns"] = scores[self._seat], np.array(scores, np.float32)
        observation = self._observation(self.batch.seen)
        self.steps.finish()
        return observation, reward, self._mover == OVER, self._mover == CUT, info

    def set_opponent(self, opponent: Any) -> None:
        """Let somebody else play the other seats, from their next decision on: anything that ``opponent=`` takes.

        `BoyiError` for what it does not take, and for a change between "self" and opponents.
        """
        self.seating.set_opponent(opponent)

    @property
    def self_play(self) -> bool:
        """Whether every seat is the caller's."""
        return self.seating.opponents is None

    def _observation(self, seen: np.ndarray | None) -> Observation:
        """Arrange what a step has written for the seat to move or, without that, what the learner sees."""
        if seen is None or self._mover < 0:
            seen = self.batch.observe(self._seat)[0]
        mask = self.frame.mask(self.batch.first_mask(), self._mover)
        return self.frame.look(self.frame.arrange(seen), mask)

    def _info(self) -> Info:
        mask = self.frame.mask(self.batch.first_mask(), self._mover)
        return {"action_mask": mask, "seat": self._seat, "to_move": max(self._mover, -1)}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as booleans (actions,), the form sb3-contrib asks for."""
        self.steps.check()
        return self.frame.mask(self.batch.mask[0], self._mover).astype(np.bool_)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return text ("ansi"), an image ("rgb_array"), or show a window ("human")."""
        return self._renderer.render(self.batch.states[0], self._viewer)

    @property
    def _viewer(self) -> int | None:
        return None if self.self_play else int(self.seating.seats[0])

    def close(self) -> None:
        self._renderer.close()
        self.seating.close()

    def __repr__(self) -> str:
        return f"GameEnv({str(self.game)!r})"

    def _repr_svg_(self) -> str | None:
        """Draw the position for a notebook as `render` does; nothing where it is not whole."""
        return seen(self.game, "draw", "svg")(self.batch.states[0], self._viewer) if self.steps.whole else None


class GameVectorEnv(gymnasium.vector.VectorEnv[Observation, np.ndarray, np.ndarray]):
    """N games stepped natively: the same options as `GameEnv`, plus `autoreset_mode` and `threads`.

    SAME_STEP (the default) returns the first observation of the next game and ``info["final_obs"]`` of the one that
    ended; under NEXT_STEP the next call returns the former and ignores that row's action; DISABLED leaves it to
    ``reset(options={"reset_mask": rows})``. `render` returns a tuple of what each game looks like.
    """

    metadata: dict[str, Any] = {
        "render_modes": list(MANY_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    batch: Batch
    steps: Steps
    num_envs: int

    def __init__(
        self,
        game: str | Spec | Game,
        num_envs: int = 1,
        opponents: Sequence[Player] | None = None,
        *,
        seat: int | str = 0,
        render_mode: str | None = None,
        encoder: str | None = None,
        layout: str = "chw",
        keys: Sequence[str] = KEYS,
        mask_dtype: str = "int8",
        illegal: str = "forfeit",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int | None = None,
        resolve: Resolver = as_players,
        **params: Any,
    ) -> None:
        self.game: Game = settle(game, params, GameVectorEnv)
        mode = AUTORESET_MODES[read_autoreset(autoreset_mode, AUTORESET_MODES)]
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.autoreset_mode = mode
        self.render_mode: str | None = check_mode(render_mode, MANY_MODES)
        self.frame: Frame = Frame(self.game, encoder, layout, keys, mask_dtype)
        options: Info = {"seat": seat, "frame": self.frame, "illegal": illegal, "resolve": resolve}
        self.seating: Seating = Seating(self.game, num_envs, opponents, threads=threads, **options)
        self.batch, self.steps, self.num_envs = self.seating.batch, self.seating.steps, num_envs
        self.single_observation_space: spaces.Space[Any] = self.frame.observation_space()
        self.single_action_space: spaces.Space[Any] = self.frame.action_space()
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)
        self._ended: np.ndarray | None = None
        self._renderer = Renderer(self.game, render_mode)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start a game in every row: the first of seed + row (or of a list of seeds), or each seed's next one.

        With ``options={"reset_mask": rows}``, (n,) booleans, only in those rows; the others stay as they are.
        """
        rows = reset_rows(options, self.num_envs)
        seeds: Any = seed
        if rows.all():
            ended = np.zeros(self.num_envs, np.bool_)
        else:
            self.steps.check()
            if self._ended is None:
                raise BoyiError(f"{self.game}: no games are running; call reset() before resetting some of the rows")
            ended = self._ended & ~rows
            if seed is not None and as_array(seed).shape == rows.shape:
                seeds = as_array(seed)[rows]
        self.seating.start(seeds, np.flatnonzero(rows))
        super().reset(seed=one_seed(seed))
        self._ended = ended
        first = self._observation(), self._info()
        self.steps.finish()
        return first

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Play an action in every row and the opponents' answers."""
        self.steps.check()
        if self._ended is None:
            raise BoyiError(f"{self.game}: no games are running; call reset() before step()")
        actions = as_array(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise BoyiError(f"{self.game}: actions must be {self.num_envs} whole numbers, one a row")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            row = int(np.flatnonzero(self._ended)[0])
            how = 'reset(options={"reset_mask": …})'
            raise BoyiError(f"{self.game}: the game in row {row} has ended; start its next one with {how}")
        going = np.flatnonzero(~self._ended)
        scores = np.zeros((self.num_envs, self.game.seats), np.float32)
        over, cut = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        scores[going], over[going], cut[going] = self.seating.play(actions[going], going)
        self.seating.deal(np.flatnonzero(self._ended))
        rewards = scores[self._rows, self.seating.seats].astype(np.float64)
        ended = over | cut
        final: Info = {}
        if ended.any():
            final = self._marked({"returns": scores}, ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = self._final(final, ended)
                self.seating.deal(np.flatnonzero(ended))
                ended = np.zeros_like(ended)
        self._ended = ended
        observation, info = self._observation(), {**self._info(), **final}
        self.steps.finish()
        return observation, rewards, over, cut, info

    def _observation(self) -> Observation:
        return self.frame.look(self.seating.observe(self._rows, self.seating.facing()), self.seating.masks())

    def _info(self) -> Info:
        return self._marked(
            {"action_mask": self.seating.masks(), **self.seating.state()}, np.ones(self.num_envs, np.bool_)
        )

    def _final(self, returns: Info, ended: np.ndarray) -> Info:
        """Gather what Gymnasium's own vector environments report of the games that have just ended."""
        observation = self._observation()
        finals = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            finals[i] = {key: value[i].copy() for key, value in observation.items()}
        info = self._marked({"action_mask": self.seating.masks(), **self.seating.state()}, ended)
        return self._marked({"final_obs": finals, "final_info": {**info, **returns}}, ended)

    def render(self) -> tuple[Any, ...]:
        """Return text ("ansi") or an image ("rgb_array") of every game, as the learner's seat sees it."""
        seats = [None] * self.num_envs if self.self_play else self.seating.seats.tolist()
        return tuple(map(self._renderer.render, self.batch.states, seats))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the opponents; `close` of Gymnasium's class calls this, in an old one even of what was never made."""
        if hasattr(self, "seating"):
            self.seating.close()

    def __repr__(self) -> str:
        return f"GameVectorEnv({str(self.game)!r}, num_envs={self.num_envs})"

    def _repr_html_(self) -> str:
        return gallery(self.game, self.batch.states)

    @staticmethod
    def _marked(info: Info, rows: np.ndarray) -> Info:
        return {name: value for key, array in info.items() for name, value in ((key, array), (f"_{key}", rows.copy()))}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as booleans (n, actions)."""
        self.steps.check()
        return self.seating.masks().astype(np.bool_)

    def observe_as(self, seats: np.ndarray) -> Observation:
        """Observe every row from the given seats (n,), to move or not.

        The masks are what may be played next, by whichever seat, in the frames of the given seats.
        """
        self.steps.check()
        return self.frame.look(self.seating.observe(self._rows, seats), self.seating.masks(seats))

    def set_opponent(self, opponent: Any) -> None:
        """Let somebody else play the other seats, from their next decision on: anything that ``opponent=`` takes."""
        self.seating.set_opponent(opponent)

    @property
    def self_play(self) -> bool:
        """Whether every seat is the caller's."""
        return self.seating.opponents is None

    def snapshot(self) -> dict[str, np.ndarray]:
        """Gather all that the games' future depends on, by name, except the opponents' own state."""
        self.steps.check()
        ended = np.zeros(self.num_envs, np.bool_) if self._ended is None else self._ended
        return {"ended": ended, "seats": self.seating.seats, **self.batch.snapshot()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `snapshot` gathered in an environment made like this one; `BoyiError` for anything else."""
        forms = {
            "ended": ArrayForm((self.num_envs,), (np.bool_,)),
            "seats": ArrayForm((self.num_envs,), (np.int64,), 0, self.game.seats - 1),
        }
        fit_arrays({name: arrays[name] for name in forms if name in arrays}, forms, "the snapshot")
        self.steps.begin(self.batch.restore, arrays)
        self._ended, self.seating.seats = arrays["ended"].copy(), arrays["seats"].copy()
        self.steps.finish()
