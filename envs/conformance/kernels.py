"""The kernels of the protocol on record 0, and on a few more, for the checks to call from Python."""

from ..engine.kernels import pick, settle
from ..engine.protocol import (
    CHANCE,
    alike,
    candidates,
    chance,
    evaluate,
    examine,
    follow,
    key,
    legal,
    playout,
    policy,
    redeal,
    reexamine,
    relevant,
    resolve,
    returns,
    rollout,
    step,
    survey,
    tactics,
    threats,
)
from ..engine.rng import choose


def look_one(states, mask, r, keys):
    keys[0] = key(states[0])
    returns(states[0], r)
    return legal(states[0], mask)


def advance_one(states, choice):
    if states[0].to_move == CHANCE:
        resolve(states[0], choice)
    else:
        step(states[0], choice)


def chance_one(states, p):
    return chance(states[0], p)


def redeal_one(states, seat, rng):
    redeal(states[0], seat, rng)


def finish_two(states, rng, mask, p, most):
    """Play record 0 at random to the end, record 1 by the game's playout; return the plies of the former.

    They are -1 where nobody can move, or where it takes more than `most`.
    """
    s, plies = states[0], 0
    settle(s, rng, p)
    while s.to_move >= 0:
        if legal(s, mask) < 1 or plies == most:
            return -1
        step(s, choose(mask, rng))
        settle(s, rng, p)
        plies += 1
    playout(states[1], rng, mask, p)
    return plies


def draw_rows(states, rng, p):
    for i in range(states.shape[0]):
        resolve(states[i], pick(p, chance(states[i], p), rng))


def survey_one(states, notes):
    survey(states[0], notes[0])


def follow_one(before, states, notes, choice):
    follow(before[0], states[0], notes[0], choice)


def evaluate_one(states, notes, values):
    for seat in range(values.size):
        values[seat] = evaluate(states[0], notes[0], seat)


def list_candidates(states, notes, moves, ranks):
    return candidates(states[0], notes[0], moves, ranks)


def list_tactics(states, notes, moves, ranks):
    return tactics(states[0], notes[0], moves, ranks)


def list_threats(states, notes, moves, ranks):
    return threats(states[0], notes[0], moves, ranks)


def examine_one(states, notes):
    examine(states[0], notes[0])


def reexamine_one(old, states, notes, a):
    reexamine(old[0], states[0], notes[0], a)


def list_relevant(states, notes, moves, ranks):
    return relevant(states[0], notes[0], moves, ranks)


def alike_one(states, notes):
    return alike(states[0], notes[0])


def policy_one(states, notes, rng):
    return policy(states[0], notes, rng)


def rollout_one(states, notes, rng, mask, p, used):
    rollout(states[0], notes, rng, mask, p, used)
