"""The kernels of expectimax with Star1 and Star2 (Ballard 1983), the alpha-beta search of games with dice.

Values are seat 0's expected returns, so it makes no difference if a seat acts twice running: seat 0 maximises, seat 1
minimises. A chance event gets a window too: every outcome is worth between the least and the greatest return, so what
is known of some of them bounds the event, and its search ends as soon as the bounds leave the window (Star1). Before
the outcomes are searched one by one, the most promising answer to each is tried, which bounds them on one side (Star2).
Outcomes after which the same can follow (`transposition`) are searched once, with the sum of their probabilities.

The depth counts decisions; the position that follows the last of them is evaluated, before the roll. A table remembers
positions with their bounds and the depth at which these were found. They count at no other depth, so that the value of
a depth is what it would be without the table.
"""

import math

import numpy as np

from ...envs.engine.protocol import (
    CHANCE,
    chance,
    evaluate,
    follow,
    key,
    legal,
    resolve,
    returns,
    step,
    survey,
    transposition,
)
from ...envs.engine.spec import Game


def make_frames(game: Game, levels: int) -> np.ndarray:
    """Allocate what the search keeps at each of its levels besides the position: recursion spelled out.

    `depth` counts the decisions still to go; `alpha` and `beta` are the window; `branch` lists `count` actions, best
    first, or outcomes, and number `at` is next; `probing` says whether one action is enough (for a decision), or one
    action after every outcome (for a chance event). A decision's best action so far is `choice`, worth `value`; `odds`,
    `least` and `most` are the outcomes' probabilities and bounds, and for actions `odds` is what they promise.
    """
    width = (max(game.actions, game.chance_outcomes),)
    fields = [
        *((name, "f8") for name in ("alpha", "beta", "value")),
        *((name, "f8", width) for name in ("odds", "least", "most")),
        ("branch", "i4", width),
        *((name, "i4") for name in ("depth", "count", "at", "choice")),
        ("probing", "i1"),
    ]
    return np.zeros(levels, np.dtype(fields, align=True))


def make_context(game: Game, scale: float, pruning: int) -> np.ndarray:
    """Allocate what exists only once, shape (1,): facts, counters and scratch.

    `level` is the current one, -1 when the search is done; `nodes` counts positions met, `leaves` those evaluated;
    `worth` (actions,) is what actions at the root are worth, or bounds, NaN where unknown; `salt` tells searches apart.
    """
    fields = [
        ("low", "f8"), ("high", "f8"), ("scale", "f8"), ("worth", "f8", (game.actions,)), ("salt", "u8"),
        ("marks", "u8", (game.chance_outcomes,)), ("p", "f8", (game.chance_outcomes,)),
        ("nodes", "i8"), ("leaves", "i8"), ("level", "i8"), ("pruning", "i8"),
        ("r", "f4", (game.seats,)), ("mask", "i1", (game.actions,)),
    ]  # fmt: skip
    context = np.zeros(1, np.dtype(fields, align=True))
    context["low"], context["high"], context["scale"], context["pruning"] = game.low, game.high, scale, pruning
    return context


def make_memo(slots: int) -> np.ndarray:
    """Allocate a table of `slots` entries, a power of 2: a position's mark, bounds, depth and best action."""
    fields = [("mark", "u8"), ("least", "f8"), ("most", "f8"), ("depth", "i4"), ("move", "i4")]
    return np.zeros(slots, np.dtype(fields, align=True))


def by_key(s, e):
    """Hash a position of a game that does not say what values depend on."""
    return key(s)


def static_value(s, e, d):
    """Return what a position is worth as it stands: its returns, or its evaluation."""
    if s.to_move < CHANCE:
        returns(s, d.r)
        return np.float64(d.r[0])
    middle, reach = 0.5 * (d.high + d.low), 0.5 * (d.high - d.low)
    return middle + reach * math.tanh(evaluate(s, e, 0) / d.scale)


def go(stack, notes, level, a):
    """Write into the next level what action or outcome `a` of a level leads to; return that record."""
    stack[level + 1] = stack[level]
    s = stack[level + 1]
    if s.to_move == CHANCE:
        resolve(s, a)
    else:
        step(s, a)
    if s.to_move >= CHANCE:
        notes[level + 1] = notes[level]
        follow(stack[level], s, notes[level + 1], a)
    return s


def last_decision(stack, notes, d, level, alpha, beta):
    """Value a decision after which positions are evaluated, as far as its window requires."""
    first = stack[level].to_move == 0
    best = -np.inf if first else np.inf
    legal(stack[level], d.mask)
    for a in range(d.mask.shape[0]):
        if d.mask[a]:
            s = go(stack, notes, level, a)
            d.nodes += 1
            d.leaves += np.int64(s.to_move >= CHANCE)
            value = static_value(s, notes[level + 1], d)
            best = max(best, value) if first else min(best, value)
            if best >= beta if first else best <= alpha:
                break
    return best


def list_actions(stack, notes, f, d, level, move):
    """List a decision's actions, the most promising first: `move`, then by the static value of what they lead to."""
    sign = 1.0 if stack[level].to_move == 0 else -1.0
    n = 0
    legal(stack[level], d.mask)
    for a in range(d.mask.shape[0]):
        if d.mask[a]:
            promise = np.inf
            if a != move:
                promise = sign * static_value(go(stack, notes, level, a), notes[level + 1], d)
            i = n
            while i > 0 and f.odds[i - 1] < promise:
                f.odds[i], f.branch[i] = f.odds[i - 1], f.branch[i - 1]
                i -= 1
            f.odds[i], f.branch[i] = promise, a
            n += 1
    f.count, f.value, f.choice = n, -sign * np.inf, -1


def list_outcomes(stack, notes, f, d, level):
    """List a chance event's outcomes; those after which the same can follow count as one."""
    n = 0
    for o in range(chance(stack[level], d.p)):
        if d.p[o] > 0.0:
            s = go(stack, notes, level, o)
            d.marks[n] = transposition(s, notes[level + 1])
            i = 0
            while d.marks[i] != d.marks[n]:
                i += 1
            if i == n:
                f.branch[n], f.odds[n], f.least[n], f.most[n] = o, 0.0, d.low, d.high
                n += 1
            f.odds[i] += d.p[o]
    f.count = n


def enter(stack, notes, frames, memo, d, level, alpha, beta, depth, probing):
    """Enter a position; return whether its value, or a bound outside the window, is known at once, and what it is."""
    s, f = stack[level], frames[level]
    f.alpha, f.beta, f.depth, f.at, f.probing = alpha, beta, depth, 0, probing
    d.nodes += 1
    if s.to_move < CHANCE or depth == 0 or level + 1 == stack.shape[0]:
        d.leaves += np.int64(s.to_move >= CHANCE)
        return True, static_value(s, notes[level], d)
    if level > 0 and depth == 1 and s.to_move >= 0:
        return True, last_decision(stack, notes, d, level, alpha, beta)
    move = -1
    if d.pruning > 0:
        mark = transposition(s, notes[level]) ^ d.salt
        m = memo[np.int64(mark & np.uint64(memo.shape[0] - 1))]
        if m.mark == mark:
            move = np.int64(m.move)
            if level > 0 and m.depth == depth:
                if m.least >= beta or m.least == m.most:
                    return True, m.least
                if m.most <= alpha:
                    return True, m.most
    if s.to_move == CHANCE:
        list_outcomes(stack, notes, f, d, level)
        f.probing = d.pruning > 1 and depth > 1
    else:
        list_actions(stack, notes, f, d, level, move)
    return False, 0.0


def remember(s, e, f, memo, d, value):
    """Store what the search of a position has found, together with what is already known of it."""
    mark = transposition(s, e) ^ d.salt
    m = memo[np.int64(mark & np.uint64(memo.shape[0] - 1))]
    least = value if value > f.alpha else d.low
    most = value if value < f.beta else d.high
    if m.mark == mark and m.depth == f.depth:
        least, most = max(least, m.least), min(most, m.most)
    m.mark, m.least, m.most, m.depth = mark, least, most, f.depth
    m.move = f.choice if s.to_move >= 0 else -1


def expected(odds, bounds, n, but):
    """Sum the bounds of `n` outcomes, except outcome `but`, weighted by their probabilities."""
    total = 0.0
    for i in range(n):
        if i != but:
            total += odds[i] * bounds[i]
    return total


def window(s, f, d):
    """Return the bounds between which the value of a level's next branch matters."""
    if d.pruning == 0:
        return -np.inf, np.inf
    alpha, beta = f.alpha, f.beta
    if s.to_move == CHANCE:
        i = f.at
        alpha = max(f.least[i], (alpha - expected(f.odds, f.most, f.count, i)) / f.odds[i])
        beta = min(f.most[i], (beta - expected(f.odds, f.least, f.count, i)) / f.odds[i])
    elif s.to_move == 0:
        alpha = max(alpha, f.value)
    else:
        beta = min(beta, f.value)
    return alpha, beta


def decide_with(s, f, d, level, value):
    """Take in what a decision's next action is worth; return whether that settles it, and the best so far."""
    a, first = f.branch[f.at], s.to_move == 0
    f.at += 1
    if level == 0:
        d.worth[a] = value
    if value > f.value if first else value < f.value:
        f.value, f.choice = value, a
    best = f.value
    cut = d.pruning > 0 and (best >= f.beta if first else best <= f.alpha)
    return cut or f.at == f.count or f.probing == 1, best


def expect_with(f, d, mover, alpha, beta, value, whole):
    """Take in what a chance event's next outcome is worth, searched in a window; return whether that settles the event,
    and what the event is worth.

    Unless the outcome was searched as a `whole`, its value only bounds it: from below where seat 0 is the `mover`.
    """
    i, n = f.at, f.count
    if (whole or mover == 0) and value > alpha:
        f.least[i] = min(value, f.most[i])
    if (whole or mover == 1) and value < beta:
        f.most[i] = max(value, f.least[i])
    least, most = expected(f.odds, f.least, n, -1), expected(f.odds, f.most, n, -1)
    if d.pruning > 0:
        if least >= f.beta:
            return True, least
        if most <= f.alpha:
            return True, most
    f.at += 1
    if f.probing == 1 and f.at == n:
        f.probing = f.at = 0
    while f.probing == 0 and f.at < n and f.least[f.at] == f.most[f.at]:
        f.at += 1
    return f.at == n, least


def explore(stack, notes, frames, memo, context, depth, budget):
    """Search ``stack[0]``, in which a seat decides, to `depth` decisions until `budget` positions have been met in all.

    With `level` at 0 and a `count` of 0 actions the search is new, otherwise it goes on where it stopped.
    """
    d = context[0]
    level = d.level
    if level == 0 and frames[0].count == 0:
        survey(stack[0], notes[0])
        d.leaves = 0
        d.worth[:] = np.nan
        alpha, beta = (-np.inf, np.inf) if d.pruning == 0 else (d.low, d.high)
        enter(stack, notes, frames, memo, d, 0, alpha, beta, depth, 0)
    while level >= 0 and d.nodes < budget:
        s, f = stack[level], frames[level]
        alpha, beta = window(s, f, d)
        rolling = s.to_move == CHANCE
        left, probing = f.depth - (0 if rolling else 1), 1 if rolling and f.probing == 1 else 0
        go(stack, notes, level, f.branch[f.at])
        level += 1
        done, value = enter(stack, notes, frames, memo, d, level, alpha, beta, left, probing)
        whole = True
        while done:
            level -= 1
            if level < 0:
                break
            s, f, below = stack[level], frames[level], frames[level + 1]
            if s.to_move == CHANCE:
                mover = stack[level + 1].to_move
                done, value = expect_with(f, d, mover, below.alpha, below.beta, value, whole)
                whole = True
            else:
                done, value = decide_with(s, f, d, level, value)
                whole = f.at == f.count or f.probing == 0
            if done and whole and d.pruning > 0:
                remember(s, notes[level], f, memo, d, value)
    d.level = level
