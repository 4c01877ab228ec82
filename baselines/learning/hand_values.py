"""What a network that has learned mahjong says of hands, for the search over hands."""

from __future__ import annotations

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
    """Values discards by a network, whose first 34 outputs they are, of returns that were multiplied by `scale`."""

    def __init__(self, game: Game, net: nn.Module, frame: Frame, scale: float) -> None:
        self.game, self.net, self.frame, self.scale = game, net, frame, scale
        self.imagined, self.base = game.blank.copy(), np.zeros(KINDS, np.int64)

    def observe(self, hands: Hands) -> np.ndarray:
        """Lay out what the seat would see of each hand (m, …)."""
        x = np.empty((len(hands.tiles), *self.frame.shape), np.float32)
        kernel = bind(observe_hands, self.game, self.frame.encoder)
        kernel(hands.states, self.imagined, hands.seat, hands.tiles, hands.unseen, hands.draws, self.base, x)
        return self.frame.arrange(x)

    def q(self, hands: Hands) -> np.ndarray:
        """Value every discard (m, 34) float32, in points."""
        import torch

        q = np.empty(hands.tiles.shape, np.float32)
        with torch.inference_mode():
            for first in range(0, len(q), ROWS):
                some = slice(first, first + ROWS)
                part = hands._replace(tiles=hands.tiles[some], unseen=hands.unseen[some])
                q[some] = self.net(torch.from_numpy(self.observe(part)))[:, :KINDS].numpy()
        return q / np.float32(self.scale)
