"""What a network that has learned mahjong says of hands, for the search over hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.faces.frame import Frame
from ...envs.mahjong.constants import KINDS
from ..mahjong.evaluator import Hands
from ..mahjong.hands_kernels import observe_hands
from ..mahjong.values import PublishedEvaluator
from .hand_values_kernels import distinct_rows

if TYPE_CHECKING:
    from torch import Tensor, nn

SUITS = 3
ROWS = 4096  # hands that a network is asked about in one call
CACHED = 128  # hands whose features a core's cache holds between layers: twice as fast in the paper's network as 4,096


class NetworkHands:
    """Values discards by the first 34 outputs of a network, which has learned from returns multiplied by `scale`.

    With the `base` "published", the network's values are added to those of that evaluator. The network is asked as it
    is at the time.
    """

    def __init__(self, game: Game, net: nn.Module, frame: Frame, scale: float, base: str = "none") -> None:
        self.game, self.net, self.frame, self.scale = game, net, frame, scale
        self.base = PublishedEvaluator(game) if base == "published" else None
        self.imagined, self.unseen = game.blank.copy(), np.zeros(KINDS, np.int64)

    @property
    def outputs(self) -> int:
        """How many actions the network values: the first ones."""
        return int(self.net.actions)  # type: ignore[arg-type]

    @cached_property
    def _halved(self) -> bool:
        """Whether convolutions are in bfloat16: the paper's are where processors multiply it, 1.4 times as quick."""
        from .network_evaluator import quicker
        from .networks import ResNet

        return isinstance(self.net, ResNet) and quicker(self.net, self.frame.shape, CACHED) == "bfloat16"

    def observe(self, hands: Hands) -> np.ndarray:
        """Lay out what the seat would see of each hand (m, …)."""
        x = np.empty((len(hands.tiles), *self.frame.shape), np.float32)
        kernel = bind(observe_hands, self.game, self.frame.encoder)
        kernel(hands.states, self.imagined, hands.seat, hands.tiles, hands.unseen, hands.draws, self.unseen, x)
        return self.frame.arrange(x)

    def q(self, hands: Hands) -> np.ndarray:
        """Value every discard (m, 34) float32, in points."""
        return self.q_all([hands])[0]

    def q_all(self, hands: Sequence[Hands]) -> list[np.ndarray]:
        """Value every discard of hands of several games."""
        import torch

        counts = [len(each.tiles) for each in hands]
        q, done = np.empty((sum(counts), KINDS), np.float32), 0
        with torch.inference_mode():
            for parts in _in_calls(hands):
                x = np.concatenate([self.observe(part) for part in parts])
                q[done : done + len(x)] = self._ask(x)[:, :KINDS].numpy()
                done += len(x)
        q /= np.float32(self.scale)
        found = np.split(q, np.cumsum(counts)[:-1])
        if self.base is not None:
            for each, part in zip(hands, found, strict=True):
                part += self.base.q(each)
        return found

    def base_values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Say what the network's values (m, outputs) of records (m,) are added to, on their scale; 0 without a base."""
        if self.base is None:
            return np.zeros((len(states), self.outputs), np.float32)
        return self.base.q_records(states, seats) * np.float32(self.scale)

    def _ask(self, x: np.ndarray) -> Tensor:
        """Ask the network about what is seen (m, …): about equal rows only once, if it looks at each row by itself."""
        import torch

        from .networks import Suits

        if not isinstance(self.net, Suits):
            parts = np.split(x, range(CACHED, len(x), CACHED))
            with torch.autocast("cpu", torch.bfloat16, enabled=self._halved):
                return torch.cat([self.net(torch.from_numpy(part)) for part in parts])
        suits, which_suits = self._rows(x, 0, SUITS)
        honors, which_honors = self._rows(x, SUITS, SUITS + 1)
        rows = (torch.from_numpy(each) for each in (suits, honors, which_suits, which_honors[:, 0]))
        return self.net.of_rows(*rows)

    def _rows(self, x: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Gather the distinct rows (…, 9 C) of planes (m, C, 4, 9), and where among them each is (m, last - first)."""
        m, planes, _, wide = x.shape
        rows, which = np.empty((m * (last - first), planes * wide), np.float32), np.empty((m, last - first), np.int64)
        slots = np.zeros(1 << (2 * len(rows)).bit_length(), np.int32)
        return rows[: bind(distinct_rows, self.game)(x, first, last, slots, np.empty(wide), rows, which)], which


def _in_calls(hands: Sequence[Hands]) -> Iterator[list[Hands]]:
    """Split hands into lists of at most `ROWS`."""
    parts, room = list[Hands](), ROWS
    for each in hands:
        first = 0
        while first < len(each.tiles):
            some = slice(first, first + room)
            parts.append(each._replace(tiles=each.tiles[some], unseen=each.unseen[some]))
            first, room = first + len(parts[-1].tiles), room - len(parts[-1].tiles)
            if room == 0:
                yield parts
                parts, room = [], ROWS
    if parts:
        yield parts
