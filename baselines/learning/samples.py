"""What self-play leaves behind to learn from: samples of decisions, the newest of them, and how a network sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import mask_rows, observe_rows
from ...envs.engine.spec import Game
from ...envs.faces.frame import Frame
from ...envs.faces.symmetry import symmetries
from .ring import Ring


def sample_form(game: Game, values: Mapping[str, Any], *, ended: bool = True) -> np.dtype:
    """Describe a sample: the position, the policy to learn, the value that its search found, and the outcome.

    Where a run's `values` want them, also the action that was played next (-1: none), how much the search surprised the
    network, in nats, and, once the game has `ended`, its last position.

    Positions are kept as bytes: NumPy's own copies of records leave the padding between their fields undefined.
    """
    position = f"V{game.dtype.itemsize}"
    fields: list[tuple[Any, ...]] = [("state", position), ("policy", np.float32, (game.actions,))]
    fields += [("value", np.float32), ("outcome", np.float32)]
    if values["reply_weight"]:
        fields.append(("reply", np.int32))
    if values["surprise"]:
        fields.append(("surprise", np.float32))
    if values["owner_weight"] and ended:
        fields.append(("end", position))
    return np.dtype(fields)


def positions(game: Game, samples: np.ndarray, name: str = "state") -> np.ndarray:
    """Return the positions (m,) of samples, or others that they hold, as records."""
    return np.ascontiguousarray(samples[name]).view(game.dtype)


def scaled(game: Game, returns: np.ndarray) -> np.ndarray:
    """Scale the returns (seats,) of a game to [-1, 1], as outcomes are."""
    found: np.ndarray = 2.0 * (returns - game.low) / (game.high - game.low) - 1.0
    return found


class Drawn(NamedTuple):
    """Samples as a network is shown them: what it sees (m, …), the legal actions (m, actions), the policy (m, actions)
    and the target of the value (m,); where these are learned, also what is played next (m, actions), nothing at the end
    of a game, and who owns each cell (m, H, W) once it has ended: 1 the observer, -1 the other, 0 nobody.
    """

    seen: np.ndarray
    legal: np.ndarray
    policy: np.ndarray
    target: np.ndarray
    reply: np.ndarray | None = None
    owner: np.ndarray | None = None


class Window(Ring):
    """The newest samples of one game, in a window that grows with their number."""

    def __init__(self, game: Game, encoder: str, values: Mapping[str, Any]) -> None:
        super().__init__(sample_form(game, values), values["buffer_size"])
        self.game, self.values, self.frame = game, values, Frame(game, encoder)
        self.images = images(self.frame, values["symmetry"])

    @property
    def size(self) -> int:
        """How many samples are learned from."""
        first, power = self.values["window"], self.values["window_growth"]
        wanted = self.total if self.total < first else first * (self.total / first) ** power
        return min(int(wanted), self.total, self.values["buffer_size"])

    def draw(self, many: int, rng: np.random.Generator) -> Drawn:
        """Draw samples."""
        places = (self.total - 1 - rng.integers(self.size, size=many)) % self.values["buffer_size"]
        which = rng.integers(len(self.images[0]), size=many)
        return picture(self.frame, self.samples[places], self.images, which, self.values["outcome_share"])


def images(frame: Frame, which: str) -> tuple[np.ndarray, np.ndarray]:
    """Say for every image of a game which number and which action of the original stands at each place in it."""
    if which != "none":
        try:
            numbers, actions = symmetries(frame.game, frame.encoder, which)
            return np.argsort(numbers, axis=1), np.argsort(actions, axis=1)
        except BoyiError:
            if which != "game":
                raise
    return np.arange(int(np.prod(frame.shape)))[None], np.arange(frame.game.actions)[None]


def picture(
    frame: Frame, samples: np.ndarray, tables: tuple[np.ndarray, np.ndarray], which: np.ndarray, outcome_share: float
) -> Drawn:
    """Show samples in the images `which` (m,)."""
    game, m = frame.game, samples.size
    states = positions(game, samples)
    seats, rows = states["to_move"].astype(np.int64), np.arange(m)
    mask = np.empty((m, game.actions), np.int8)
    bind(mask_rows, game)(0, m, states, rows, mask)
    seen, places = tables[0][which], tables[1][which]

    def shown(records: np.ndarray) -> np.ndarray:
        x = np.empty((m, *frame.shape), np.float32)
        bind(observe_rows, game, frame.encoder)(0, m, records, rows, seats, x)
        found: np.ndarray = np.take_along_axis(x.reshape(m, -1), seen, axis=1).reshape(x.shape)
        return found

    def turned(of_actions: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.take_along_axis(frame.masks(of_actions, seats), places, axis=1)
        return found

    target = outcome_share * samples["outcome"] + (1 - outcome_share) * samples["value"]
    reply = owner = None
    parts = samples.dtype.names or ()
    if "reply" in parts:
        reply = turned((samples["reply"][:, None] == np.arange(game.actions)).astype(np.float32))
    if "end" in parts:
        # The first two planes are the stones of the observer and of the other, in every encoder of planes.
        last = shown(positions(game, samples, "end"))
        owner = last[:, 0] - last[:, 1]
    return Drawn(shown(states), turned(mask), turned(samples["policy"]), target.astype(np.float32), reply, owner)
