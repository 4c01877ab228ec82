"""Generic kernels over many games, written once against the protocol and compiled for each game by `bind`.

The arrays of a batch of n games are those of `Games` and ``lanes`` (n, 2) uint64, room for any other stream. ``rows``
(m,) int64 names the games a call is about; arguments and results of the call are indexed along it. ``[lo, hi)`` is the
part of them that one thread does.

Everything random in a game comes from its seed and episode by `derive`, which nobody can invert or continue: the key
for one purpose says nothing about the key for another.
"""

from typing import NamedTuple

import numpy as np

from .protocol import (
    CHANCE,
    CUT,
    OVER,
    chance,
    examine,
    flaw,
    key,
    legal,
    observe,
    playout,
    redeal,
    reset,
    resolve,
    returns,
    step,
)
from .rng import below, choose, kernel, siphash, uniform

ILLEGAL = -4  # answer of `play_one`: the action is outside the mask and nothing was touched
GIVEN_UP = -1  # what a player without an action plays: it loses the game
KEEP, SAME_STEP, NEXT_STEP = 0, 1, 2  # what happens to a finished game: nothing, a new one at once, or at the next step
CHANCE_KEY, DECISION_KEY, REDEAL_KEY, SEAT_KEY, GAME_KEY, OWN_KEY = range(6)  # the purposes of keys
_TAG = np.uint64(0x69796F62)  # "boyi": the second half of the key that all keys are derived under
_S8, _S32 = np.uint64(8), np.uint64(32)
_PLY = np.uint64(0xD6E8FEB86659FD93)  # spreads a seat's streams over plies; odd, and far from GOLDEN's multiples


class Games(NamedTuple):
    """What n games are: ``states`` (n,) records, and ``blank`` (1,), what each starts from; ``seeds`` (n,) uint64 and
    ``episodes`` (n,) int64, which name a game; ``streams`` (n, 1, 3) uint64, each row's sealed chance stream; ``keys``
    (n, seats) uint64, what each seat's decisions draw from; ``p`` (n, outcomes) float64, scratch for chance events;
    ``masks`` (n, actions) int8, the legal actions of the seat to move.
    """

    states: np.ndarray
    blank: np.ndarray
    seeds: np.ndarray
    episodes: np.ndarray
    streams: np.ndarray
    keys: np.ndarray
    p: np.ndarray
    masks: np.ndarray


@kernel
def observe_nothing(s, seat, x):
    """Stand in for the encoder of a batch without observations."""


@kernel
def pick(p, n, rng):
    """Draw an outcome from the first `n` probabilities of `p`."""
    u = uniform(rng)
    for o in range(n - 1):
        u -= p[o]
        if u < 0.0:
            return o
    return n - 1


def settle(s, rng, p):
    """Resolve chance until a seat decides or the game has ended; with no room in `p` it is left to the caller."""
    while s.to_move == CHANCE and p.shape[0] > 0:
        n = chance(s, p)
        resolve(s, pick(p, n, rng))


def advance(s, rng, a, p, mask):
    """Play a legal action through to the next decision, whose mask is written, or to the end; return `to_move`."""
    step(s, a)
    if s.to_move == CHANCE:  # a call that most games never need
        settle(s, rng, p)
    legal(s, mask)
    return s.to_move


def reset_one(states, rng):
    """Reset game 0; a chance event it begins with is left open."""
    reset(states[0], rng)


def step_one(states, a):
    """Play a legal action in game 0; a chance event that follows is left open."""
    step(states[0], a)


def play_one(states, streams, a, p, masks, x):
    """Advance game 0, observe it in `x` from the seat that moves next; return that seat, OVER, CUT or ILLEGAL."""
    if a < 0 or a >= masks.shape[1] or masks[0, a] == 0:
        return ILLEGAL
    t = advance(states[0], streams[0], a, p[0], masks[0])
    if t >= 0:
        observe(states[0], t, x)
    return t


@kernel
def derive(seed, episode, purpose, which, ply):
    """Derive a key from a game's seed: a different one for each episode, purpose, `which` below 2**24, and ply."""
    message = np.uint64(purpose) | (np.uint64(which) << _S8) | (np.uint64(ply) << _S32)
    return siphash(seed, _TAG, np.uint64(episode), message)


@kernel
def open_streams(i, seeds, episodes, streams, keys):
    """Open what game i draws from: the sealed stream of its chance, and the keys of its seats."""
    streams[i, 0, 0] = derive(seeds[i], episodes[i], CHANCE_KEY, 0, 0)
    streams[i, 0, 1] = np.uint64(0)
    streams[i, 0, 2] = derive(seeds[i], episodes[i], CHANCE_KEY, 1, 0)
    for seat in range(keys.shape[1]):
        keys[i, seat] = derive(seeds[i], episodes[i], DECISION_KEY, seat, 0)


def open_rows(seeds, episodes, streams, keys):
    """Open what all games draw from, as at their start."""
    for i in range(seeds.shape[0]):
        open_streams(i, seeds, episodes, streams, keys)


def start(games, i):
    """Start episode ``episodes[i]`` of game i."""
    open_streams(i, games.seeds, games.episodes, games.streams, games.keys)
    games.states[i] = games.blank[0]
    s, stream = games.states[i], games.streams[i]
    reset(s, stream)
    settle(s, stream, games.p[i])
    legal(s, games.masks[i])


def start_next(games, i):
    """Start the next episode of game i."""
    games.episodes[i] += 1
    start(games, i)


def start_rows(lo, hi, games, rows):
    """Start the episodes of games ``rows[lo:hi]``."""
    for k in range(lo, hi):
        start(games, rows[k])


def first_illegal(states, masks, rows, actions, giving_up):
    """Find the first k whose action is outside the mask of its unfinished game; -1 when all are legal.

    With `giving_up` the action `GIVEN_UP` is legal, too.
    """
    for k in range(rows.shape[0]):
        i, a = rows[k], actions[k]
        known = (0 <= a < masks.shape[1] and masks[i, a] != 0) or (giving_up and a == GIVEN_UP)
        if states[i].to_move >= 0 and not known:
            return k
    return -1


def step_rows(lo, hi, games, rows, actions, penalty, autoreset, r, over, cut, x):
    """Step games ``rows[lo:hi]``: returns (m, seats) float32 where one ended, over and cut (m,) bool.

    An action outside the mask forfeits: `penalty` (seats, seats) holds everybody's return for each offender. A
    finished game restarts (NEXT_STEP; its action is ignored) or is left as it is. With room in `x`, x[k] becomes the
    observation of the seat to move.
    """
    states, masks = games.states, games.masks
    for k in range(lo, hi):
        i, a = rows[k], actions[k]
        s = states[i]
        r[k, :] = 0.0
        over[k] = cut[k] = False
        if s.to_move < CHANCE:
            if autoreset == NEXT_STEP:
                start_next(games, i)
        else:
            if a < 0 or a >= masks.shape[1] or masks[i, a] == 0:
                for seat in range(r.shape[1]):
                    r[k, seat] = penalty[s.to_move, seat]
                s.to_move = OVER
                masks[i, :] = 0
            else:
                if advance(s, games.streams[i], a, games.p[i], masks[i]) < CHANCE:
                    returns(s, r[k])
            if s.to_move < CHANCE:
                over[k] = s.to_move == OVER
                cut[k] = not over[k]
                if autoreset == SAME_STEP:
                    start_next(games, i)
        if x.shape[0] > 0 and states[i].to_move >= 0:
            observe(states[i], states[i].to_move, x[k])


def score(states, r):
    """Write the returns of game 0."""
    returns(states[0], r)


def chance_rows(states, rows, p):
    """Write the probabilities (m, outcomes) of the chance events that games `rows` wait for, zero beyond the last."""
    for k in range(rows.shape[0]):
        p[k, :] = 0.0
        chance(states[rows[k]], p[k])


def draw_rows(states, streams, rows, p, outcomes):
    """Draw, from their own streams, an outcome of the chance events that games `rows` wait for."""
    for k in range(rows.shape[0]):
        i = rows[k]
        outcomes[k] = pick(p, chance(states[i], p), streams[i])


def resolve_rows(states, rows, outcomes, masks, r, over, cut):
    """Apply possible outcomes in games `rows`; returns, over and cut as in `step_rows`."""
    for k in range(rows.shape[0]):
        s = states[rows[k]]
        r[k, :] = 0.0
        resolve(s, outcomes[k])
        legal(s, masks[rows[k]])
        if s.to_move < CHANCE:
            returns(s, r[k])
        over[k], cut[k] = s.to_move == OVER, s.to_move == CUT


def mask_rows(lo, hi, states, rows, masks):
    """Write the masks of games ``rows[lo:hi]``."""
    for k in range(lo, hi):
        legal(states[rows[k]], masks[rows[k]])


def flaw_rows(states, flaws):
    """Write the first rule that every record, of any bytes, breaks; -1 for a position."""
    for k in range(states.shape[0]):
        flaws[k] = flaw(states[k])


def observe_rows(lo, hi, states, rows, seats, x):
    """Write ``x[k]``, game ``rows[k]`` as seat ``seats[k]`` sees it, for k in [lo, hi)."""
    for k in range(lo, hi):
        observe(states[rows[k]], seats[k], x[k])


@kernel
def open_lane(lane, key):
    """Start the stream of `key` in a lane."""
    lane[0], lane[1] = key, np.uint64(0)


@kernel
def decision(own_key, ply):
    """Key of the stream for a seat's decision at `ply`: the same however games are batched."""
    return own_key + np.uint64(ply) * _PLY


def decision_rows(states, keys, rows, lanes):
    """Start in `lanes` (m, 2) the streams from which the seats to move decide in games `rows`."""
    for k in range(rows.shape[0]):
        s = states[rows[k]]
        open_lane(lanes[k], decision(keys[rows[k], s.to_move], s.ply))


def seat_rows(seeds, episodes, rows, lanes, seats, out):
    """Draw one of `seats` seats for each of the games `rows`."""
    for k in range(rows.shape[0]):
        i = rows[k]
        open_lane(lanes[k], derive(seeds[i], episodes[i], SEAT_KEY, 0, 0))
        out[k] = below(lanes[k], seats)


def key_rows(seeds, episodes, rows, purpose, out):
    """Write numbers, different for each purpose, that depend only on seed and episode of each of the games `rows`."""
    for k in range(rows.shape[0]):
        out[k] = derive(seeds[rows[k]], episodes[rows[k]], GAME_KEY, purpose, 0)


def own_key_rows(seeds, episodes, rows, seats, out):
    """Write for each of the games `rows` a number that depends only on its seed, its episode and the seat (m,)."""
    for k in range(rows.shape[0]):
        out[k] = derive(seeds[rows[k]], episodes[rows[k]], OWN_KEY, seats[k], 0)


def redeal_rows(states, seeds, episodes, rows, seats, lanes):
    """Resample in the copies `states` (m,) of games `rows` what their seats (m,) cannot know, anew at each ply."""
    for k in range(rows.shape[0]):
        s = states[k]
        open_lane(lanes[k], derive(seeds[rows[k]], episodes[rows[k]], REDEAL_KEY, seats[k], s.ply))
        redeal(s, seats[k], lanes[k])


@kernel
def sample(s, own_keys, lane, mask):
    """Draw a uniformly random legal action from the decision's stream of the seat to move."""
    open_lane(lane, decision(own_keys[s.to_move], s.ply))
    return choose(mask, lane)


def sample_rows(lo, hi, states, keys, rows, lanes, masks, actions):
    """Draw a uniformly random legal action for games ``rows[lo:hi]``, -1 where a game has ended."""
    for k in range(lo, hi):
        i = rows[k]
        going = states[i].to_move >= 0
        actions[k] = sample(states[i], keys[i], lanes[i], masks[i]) if going else -1


def random_rows(lo, hi, games, lanes, steps, autoreset, r, scores, ended, x):
    """Step games [lo, hi) `steps` times with sampled actions: what a loop of sampling and stepping would play.

    `scores` (n, seats) sums the returns of the `ended` (n,) games; r (n, seats) is scratch. With room in `x`, x[i]
    becomes what `step_rows` would write.
    """
    for i in range(lo, hi):
        s, stream, p, mask = games.states[i], games.streams[i], games.p[i], games.masks[i]
        own_keys, lane = games.keys[i], lanes[i]
        for _ in range(steps):
            if s.to_move < CHANCE:
                if autoreset != NEXT_STEP:
                    break
                start_next(games, i)
            elif advance(s, stream, sample(s, own_keys, lane, mask), p, mask) < CHANCE:
                returns(s, r[i])
                for seat in range(r.shape[1]):
                    scores[i, seat] += r[i, seat]
                ended[i] += 1
                if autoreset == SAME_STEP:
                    start_next(games, i)
            if x.shape[0] > 0 and s.to_move >= 0:
                observe(s, s.to_move, x[i])


def choose_rows(masks, streams, actions):
    """Draw a uniformly random legal action for every row of `masks` from its own stream."""
    for k in range(masks.shape[0]):
        actions[k] = choose(masks[k], streams[k])


def random_playout(s, rng, mask, p):
    """Play uniformly random actions to the end of the game."""
    settle(s, rng, p)
    while s.to_move >= 0:
        legal(s, mask)
        step(s, choose(mask, rng))
        settle(s, rng, p)


def random_games(states, blank, count, rng, mask, p, r, total):
    """Play `count` random games in ``states[0]``; add every seat's returns to `total`; return the plies played.

    `r` (seats,) float32 is scratch, as `mask` and `p` are.
    """
    plies = 0
    for _ in range(count):
        states[0] = blank[0]
        reset(states[0], rng)
        settle(states[0], rng, p)
        playout(states[0], rng, mask, p)
        returns(states[0], r)
        for seat in range(r.shape[0]):
            total[seat] += r[seat]
        plies += states[0].ply
    return plies


def perft(stack, depth, masks, p):
    """Count the sequences of `depth` actions from ``stack[0]``, chance events counted by their outcomes.

    `stack` holds a record for every action and chance event on the way, and one more. `masks` (len(stack), max(actions,
    outcomes)) holds what is still to be tried at each of them: recursion spelled out, because kernels do not recurse.
    Games that end early count at their last ply. Without chance events (`p` then has one entry), the last actions are
    counted and not played: one sequence ends with each.
    """
    played = depth - 1 if depth > 0 and p.shape[0] == 1 else depth
    level, leaves, n = 0, 0, branch(stack[0], masks[0], p)
    while level >= 0:
        s = stack[level]
        if s.to_move < CHANCE:
            leaves += 1
            level -= 1
            continue
        if s.to_move >= 0 and s.ply - stack[0].ply >= played:
            leaves += n if played < depth else 1
            level -= 1
            continue
        a = 0
        while a < masks.shape[1] and masks[level, a] == 0:
            a += 1
        if a == masks.shape[1]:
            level -= 1
            continue
        masks[level, a] = 0
        stack[level + 1] = s
        if s.to_move == CHANCE:
            resolve(stack[level + 1], a)
        else:
            step(stack[level + 1], a)
        level += 1
        n = branch(stack[level], masks[level], p)
    return leaves


def branch(s, mask, p):
    """Mark what can follow a record, its legal actions or its outcomes of positive probability; count them."""
    mask[:] = 0
    if s.to_move != CHANCE:
        return legal(s, mask)
    n = 0
    for o in range(chance(s, p)):
        mask[o] = p[o] > 0.0
        n += p[o] > 0.0
    return n


def hash_rows(states, out):
    """Write the key of every record."""
    for i in range(states.shape[0]):
        out[i] = key(states[i])


def all_candidates(s, e, moves, ranks):
    """Write every legal action, all of one rank; return how many there are. Room in `ranks` serves as the mask."""
    mask = ranks.view(np.int8)[: ranks.shape[0]]
    legal(s, mask)
    n = 0
    for a in range(mask.shape[0]):
        if mask[a]:
            moves[n] = a
            n += 1
    ranks[:] = 0
    return n


def examine_anew(old, s, e, a):
    """Do what `examine` does: earlier notes are of no use."""
    examine(s, e)


def whole_key(s, e):
    """Hash all of a position: evaluation looks at nothing else."""
    return key(s)
