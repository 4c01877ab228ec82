"""A network on a GPU, recorded: one call asks for all that it does for a number of positions, not one call a layer.

To ask for a layer of a small network takes longer, some 20 microseconds, than to compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
import torch
from torch import Tensor

LEAST = 8  # the fewest positions that are judged at once; each size that is recorded is twice the one before
_recording = Lock()


def rounded(m: int) -> int:
    """Say how many positions are judged when m are asked about."""
    return max(LEAST, 1 << (m - 1).bit_length())


def parts(said: Any) -> tuple[Tensor, ...]:
    """Return all that a network has said, which may be one thing alone."""
    return said if isinstance(said, tuple) else (said,)


class Recorded:
    """What `net` says of observations (rows, *shape), computed as `dtype` on a stream of a GPU.

    `shown` is where observations are written to. A change of the network's weights in place changes what it says.
    """

    def __init__(
        self,
        net: Callable[[Tensor], Any],
        shape: Sequence[int],
        rows: int,
        dtype: torch.dtype,
        stream: torch.cuda.Stream,
    ) -> None:
        self.stream = stream
        self._shown = torch.zeros(rows, *shape).pin_memory()
        self.shown: np.ndarray = self._shown.numpy()
        self._seen = self._shown.to(stream.device)

        def said() -> list[Tensor]:
            return [part.float() for part in parts(net(self._seen.to(dtype)))]

        self._graph = torch.cuda.CUDAGraph()
        with _recording:
            with torch.cuda.stream(stream):
                for _ in range(3):  # what libraries set up at first cannot be recorded
                    said()
            stream.synchronize()
            with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
                self._said = said()
        self._told = [torch.empty(part.shape, dtype=part.dtype).pin_memory() for part in self._said]

    def __call__(self, m: int) -> list[np.ndarray]:
        """Return what is said of the first m observations that are shown, each (m, …) float32."""
        with torch.cuda.stream(self.stream):
            self._seen.copy_(self._shown, non_blocking=True)
            self._graph.replay()
            for told, said in zip(self._told, self._said, strict=True):
                told.copy_(said, non_blocking=True)
        self.stream.synchronize()
        return [told[:m].numpy().copy() for told in self._told]
