"""The kernel that plays hands of mahjong out from actions of a seat, each several times."""

import numpy as np

from ...envs.engine.protocol import redeal, step
from ...envs.mahjong.claims import can_answer
from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS, TURN
from ...envs.mahjong.greedy import best_discard, count_unseen
from ...envs.mahjong.hidden import draw_answers
from ...envs.mahjong.rollout import rollout
from ...envs.mahjong.state import WIN, draw_from


def play_out(states, seats, actions, streams, redealt, passed, world, scene, rng, notes, mask, p, used, points):
    """Write what `seats` (m,) get on average, ``points`` (m, c), that play each of `actions` (m, c) in records (m,) and
    then go on as everybody does, as `greedy`.

    Tiles are drawn by `streams` (m, times, 2), which all actions of a record meet; with `redealt` what the seat does
    not see is dealt anew, and others' hands `ripen`. NaN stands for no action, -1, and, with `passed`, for a discard
    that somebody could win on. `world` and `scene` (1,), `rng` (2,) and what a rollout needs are scratch.
    """
    w, s = world[0], scene[0]
    for i in range(states.shape[0]):
        for c in range(actions.shape[1]):
            points[i, c] = 0.0 if actions[i, c] >= 0 else np.nan
        for t in range(streams.shape[1]):
            world[0] = states[i]
            rng[0], rng[1] = streams[i, t, 0], streams[i, t, 1]
            if redealt:
                redeal(w, seats[i], rng)
                ripen(w, seats[i], notes, rng)
            first, second = rng[0], rng[1]
            for c in range(actions.shape[1]):
                if not np.isnan(points[i, c]):
                    scene[0] = world[0]
                    rng[0], rng[1] = first, second
                    step(s, actions[i, c])
                    if passed and actions[i, c] < KINDS and is_won_on(s, seats[i]):
                        points[i, c] = np.nan
                        continue
                    rollout(s, notes, rng, mask, p, used)
                    points[i, c] += s.points[seats[i]] / streams.shape[1]


def ripen(s, seat, notes, rng):
    """Let others' hands that were dealt anew come as far as hands come: as many draws as they have had discards, by
    `greedy`, whose discards go back to the wall.

    Hands at random late in a hand are far from what players keep: by rollouts from them a seat thinks itself 900 points
    better than it is, by rollouts from ripe ones 100.
    """
    wall = 0
    for k in range(KINDS):
        wall += s.wall[k]
    for q in range(SEATS):
        need, held, draws = MOST_MELDS - np.int64(s.melds[q]), 0, 0
        for k in range(KINDS):
            notes.hand[k] = s.hand[q, k]
            held += notes.hand[k]
        for i in range(s.discards):
            draws += s.by[i] == q
        if q == seat or wall == 0 or held != 3 * need + 1:  # a kong that may be robbed leaves another number
            continue
        count_unseen(s, q, notes.unseen)
        for _ in range(draws):
            k = draw_from(s.wall, wall, rng)
            s.wall[k] -= 1
            notes.unseen[k] -= 1
            notes.hand[k] += 1
            k = best_discard(s, need, notes, False)[0]
            notes.hand[k] -= 1
            notes.unseen[k] += 1
            s.wall[k] += 1
        for k in range(KINDS):
            s.hand[q, k] = notes.hand[k]
    draw_answers(s, seat, rng)


def is_won_on(s, seat):
    """Say whether somebody else could win on the tile that is offered, if one is."""
    if s.to_move < 0 or s.phase == TURN:
        return False
    for q in range(SEATS):
        if q != seat and can_answer(s, q, WIN):
            return True
    return False
