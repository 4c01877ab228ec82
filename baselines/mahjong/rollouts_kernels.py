"""The kernel that plays hands of mahjong out from actions of a seat, each several times."""

import numpy as np

from ...envs.engine.protocol import step
from ...envs.mahjong.claims import can_answer
from ...envs.mahjong.constants import KINDS, SEATS, TURN
from ...envs.mahjong.rollout import rollout
from ...envs.mahjong.state import WIN


def play_out(states, seats, actions, streams, passed, scene, rng, notes, mask, p, used, points):
    """Write to ``points`` (m, c) what `seats` (m,) get on average if they play each of `actions` (m, c) in records (m,)
    and then, like everybody else, go on as `greedy`.

    Tiles are drawn by `streams` (m, times, 2), the same for all actions of a record. NaN stands for no action (-1) and,
    with `passed`, for a discard that somebody could win on. `scene` (1,), `rng` (2,) and what a rollout needs are
    scratch.
    """
    s = scene[0]
    for i in range(states.shape[0]):
        for c in range(actions.shape[1]):
            points[i, c] = 0.0
            for t in range(streams.shape[1]):
                scene[0] = states[i]
                rng[0], rng[1] = streams[i, t, 0], streams[i, t, 1]
                if actions[i, c] >= 0:
                    step(s, actions[i, c])
                if actions[i, c] < 0 or (passed and actions[i, c] < KINDS and is_won_on(s, seats[i])):
                    points[i, c] = np.nan
                    break
                rollout(s, notes, rng, mask, p, used)
                points[i, c] += s.points[seats[i]] / streams.shape[1]


def is_won_on(s, seat):
    """Say whether somebody else could win on the tile that is offered, if one is."""
    if s.to_move < 0 or s.phase == TURN:
        return False
    for q in range(SEATS):
        if q != seat and can_answer(s, q, WIN):
            return True
    return False
