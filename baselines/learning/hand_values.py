"""What a network that has learned mahjong says of hands, for the search over hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.faces.frame import Frame
from ...envs.mahjong.constants import KINDS
from ..mahjong.evaluator import Hands
from ..mahjong.hands_kernels import observe_hands

if TYPE_CHECKING:
    from torch import nn

ROWS = 4096  # hands that a network is shown in one call


class NetworkHands:
    """Values discards by a network, whose first 34 outputs they are, of returns that were multiplied by `scale`.

    It goes by what the network is when it is asked.
    """

    def __init__(self, game: Game, net: nn.Module, frame: Frame, scale: float) -> None:
        self.game, self.net, self.frame, self.scale = game, net, frame, scale
        self.imagined, self.base = game.blank.copy(), np.zeros(KINDS, np.int64)

    @property
    def outputs(self) -> int:
        """How many actions the network values, the first ones."""
        return int(self.net.actions)  # type: ignore[arg-type]

    def observe(self, hands: Hands) -> np.ndarray:
        """Lay out what the seat would see of each hand (m, …)."""
        x = np.empty((len(hands.tiles), *self.frame.shape), np.float32)
        kernel = bind(observe_hands, self.game, self.frame.encoder)
        kernel(hands.states, self.imagined, hands.seat, hands.tiles, hands.unseen, hands.draws, self.base, x)
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
                q[done : done + len(x)] = self.net(torch.from_numpy(x))[:, :KINDS].numpy()
                done += len(x)
        q /= np.float32(self.scale)
        return np.split(q, np.cumsum(counts)[:-1])


def _in_calls(hands: Sequence[Hands]) -> Iterator[list[Hands]]:
    """Part hands into lists of at most `ROWS`."""
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
