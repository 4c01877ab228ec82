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
    """Plays the first legal action and notes which games it was shown."""

    name = "witness"

    def __init__(self):
        super().__init__()
        self.seen = []

    def act(self, view):
        shown = zip(view.row.tolist(), view.episode.tolist(), view.states["ply"].tolist(), strict=True)
        self.seen.append(list(shown))
        return view.mask.argmax(1)


class Timekeeper(Agent):
    """Notes the time it is told and plays the first legal action a little later."""

    name = "timekeeper"

    def __init__(self):
        super().__init__()
        self.told = []

    def act(self, view):
        self.told.append((None if view.clock is None else view.clock[0], None if view.limit is None else view.limit[0]))
        time.sleep(0.002)
        return view.mask.argmax(1)
