"""Agents for the arena's tests, named from strings: ``contestants:first``."""

import time

import numpy as np

from boyi.baselines.agent import Agent


def first(observation, mask):
    """Choose the first legal action."""
    return mask.argmax()


def slow(observation, mask):
    """Choose the last legal action, after a while."""
    time.sleep(0.004)
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
        time.sleep(0.002)
        return super().act(view)

    @property
    def told(self):
        """The clock and the limit of every decision."""
        times = ((view.clock, view.limit) for view in self.views)
        return [tuple(None if each is None else each[0] for each in pair) for pair in times]
