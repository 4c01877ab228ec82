"""Agents for the arena's tests, named from strings: ``contestants:first``."""

import os
import time
from pathlib import Path

import numpy as np

from boyi.baselines.agent import Agent


def first(observation, mask):
    """Choose the first legal action."""
    return mask.argmax()


WHILE = 0.004  # seconds


def slow(observation, mask):
    """Choose the last legal action, after a while."""
    time.sleep(WHILE)
    return np.flatnonzero(mask)[-1]


def held(observation, mask):
    """Choose the last legal action; never again once the file that HELD_AT names has two lines."""
    path = Path(os.environ.get("HELD_AT", os.devnull))
    while path.is_file() and path.read_bytes().count(b"\n") >= 2:
        time.sleep(WHILE)
    return np.flatnonzero(mask)[-1]


def illegal(observation, mask):
    return len(mask)


def broken(observation, mask):
    raise ZeroDivisionError("nothing left")


class Outside(Agent):
    """Answers without looking at the mask."""

    name = "outside"

    def act(self, view):
        return np.full(view.row.size, view.mask.shape[1] - 1)


class Many(Outside):
    """Answers once too often."""

    name = "many"

    def act(self, view):
        return np.zeros(view.row.size + 1, np.int64)


class Witness(Agent):
    """Plays the first legal action and keeps what it was shown."""

    name = "witness"

    def __init__(self):
        super().__init__()
        self.views = []

    def act(self, view):
        self.views.append(view)
        return view.mask.argmax(1)


class Timekeeper(Witness):
    """Takes a little time over every decision."""

    name = "timekeeper"

    def act(self, view):
        time.sleep(WHILE)
        return super().act(view)

    @property
    def told(self):
        """The clock and the limit of every decision."""
        times = ((view.clock, view.limit) for view in self.views)
        return [tuple(None if each is None else each[0] for each in pair) for pair in times]
