"""The newest samples to learn from; the oldest make room."""

from __future__ import annotations

import numpy as np


class Ring:
    """At most `most` samples of a dtype; it grows as they come."""

    def __init__(self, form: np.dtype, most: int) -> None:
        self.most = most
        self.samples = np.zeros(0, form)
        self.total = 0
        """How many samples there have been; the next one's place is that, modulo `most`."""

    def extend(self, samples: np.ndarray) -> None:
        """Take in samples; the oldest make room."""
        wanted, have = min(self.total + samples.size, self.most), self.samples.size
        if wanted > have:
            room = np.zeros(min(max(wanted, 2 * have), self.most) - have, self.samples.dtype)
            self.samples = np.concatenate([self.samples, room])
        places = (self.total + np.arange(samples.size)) % self.most
        self.samples[places[-self.most :]] = samples[-self.most :]
        self.total += samples.size
