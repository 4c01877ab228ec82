"""Games shown in symmetric images, so that a learner sees every position from all sides."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..envs.engine.batch import Batch
from ..envs.faces.frame import Frame, whole
from ..envs.faces.seating import Seating
from ..envs.faces.symmetry import symmetries
from .shell import Info, Observation, Shell, box_of, channels_first

PURPOSE = 1  # of the number that is drawn from a game's seed; opponents are drawn with 0


class Images:
    """The images of a seating's game: which one each row is shown in, and what that changes."""

    count: int
    forward: np.ndarray
    back: np.ndarray

    def __init__(self, seating: Seating, space: gymnasium.spaces.Space[Any]) -> None:
        box = box_of(space, seating.frame, "SymmetryAugment")
        self.batch: Batch = seating.batch
        self.frame: Frame = seating.frame
        numbers, actions = symmetries(seating.game, seating.frame.encoder)
        self.count, self.forward, self.back = len(actions), actions, np.argsort(actions)
        # Where the entries of an image come from: first in flattened channels-first observations, one or a stack …
        length, size = int(np.prod(box.shape)) // numbers.shape[1], numbers.shape[1]
        blocks = size * np.arange(length)[:, None] + np.argsort(numbers)[:, None, :]
        # … and then in the layout that is shown.
        order = channels_first(seating.frame, length)
        self.sources: np.ndarray = np.argsort(order)[blocks.reshape(self.count, -1)[:, order]]

    def drawn(self) -> np.ndarray:
        """Draw the image (n,) each row's game is shown in: its seed and episode say which."""
        # The high half of the number times the count, in place of a remainder.
        high = self.batch.game_keys(purpose=PURPOSE) >> np.uint64(32)
        return (high * np.uint64(self.count) >> np.uint64(32)).astype(np.int64)

    def show(self, observation: Observation, drawn: np.ndarray) -> Observation:
        """Turn observations and masks of all rows into those of their images."""
        x, mask = (observation[key] for key in self.frame.keys)
        seen = np.take_along_axis(x.reshape(len(x), -1), self.sources[drawn], axis=1).reshape(x.shape)
        return self.frame.look(seen, self.mask(mask, drawn))

    def mask(self, masks: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """Turn masks (n, actions) into those of the images."""
        return np.take_along_axis(masks, self.back[drawn], axis=1)

    def actions(self, actions: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """Turn actions (n,) in the images into those of the games; what is out of range stays so."""
        inside = (actions >= 0) & (actions < self.back.shape[1])
        return np.where(inside, self.back[drawn, np.where(inside, actions, 0)], actions)


class SymmetryAugment(Shell):
    """Shows every game, observations and masks, in a symmetric image drawn from its seed, and takes actions in it.

    An image is one of the frame of the seat that observes. `BoyiError` for a game without symmetries.
    """

    def __init__(self, env: gymnasium.Env[Observation, int]) -> None:
        super().__init__(env)
        self.images: Images = Images(self.seating, env.observation_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        return self._show(*self.env.reset(seed=seed, options=options))

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        a = whole(action, self.seating.game)
        if 0 <= a < self.seating.game.actions:
            a = int(self.images.back[self.images.drawn()[0], a])
        observation, reward, over, cut, info = self.env.step(a)
        observation, info = self._show(observation, info)
        return observation, float(reward), over, cut, info

    def _show(self, observation: Observation, info: Info) -> tuple[Observation, Info]:
        drawn = self.images.drawn()
        shown = self.images.show({key: value[None] for key, value in observation.items()}, drawn)
        mask = self.images.mask(info["action_mask"][None], drawn)[0]
        return {key: value[0] for key, value in shown.items()}, {**info, "action_mask": mask}

    def action_masks(self) -> np.ndarray:
        return self.images.mask(super().action_masks()[None], self.images.drawn())[0]

    def image_of(self, action: int) -> int:
        """Turn an action of the frame into the one that is shown."""
        if self.env.has_wrapper_attr("image_of"):
            action = self.env.get_wrapper_attr("image_of")(action)
        return int(self.images.forward[self.images.drawn()[0], action])
