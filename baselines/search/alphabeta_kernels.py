"""The kernels of alpha-beta search, which a search binds to a game with its evaluation.

Two seats play for opposite returns. Values are whole numbers from the side of the seat that moves at a level, and fail
soft. A won game is worth 2 * WIN less the number of actions that lead to it, so that the shortest win is the best and
the longest loss the least bad. A seat may have several actions in a row, its turn: depth counts turns, and signs change
only between them. Where the depth ends, a turn may begin with actions that change the value much: only these are
searched further, and the seat may instead take the position as it stands (quiescence), unless it is forced to act. A
turn that has begun is always finished.

A selective search does less. Late candidates are searched less deeply, and again if that raises alpha (late move
reductions). Two rules hold where a null window asks whether a position is good enough, nothing urgent is at hand and
the depth ends within SHALLOW turns. A position that is better by a margin for each of these turns counts as good enough
(reverse futility pruning). In the others TRIED candidates for each turn are tried (late move pruning), so that a loss
there is not certain. A single candidate below the root takes no turn from the depth: forced replies are extended.

Candidates are tried by rank: first the best one according to the table or, at the root, to the iteration before; then
ranks from URGENT up; then two killers of the level; then the others, to whose ranks history adds at most MOST_HISTORY.

Where a game's proofs say who wins any position, those that are searched deeply are examined. Decided positions are not
searched; in the others the candidates are moves that include a winning one if there is any.

All that a search knows lies in arrays: it stops after a given number of positions and goes on when called again.
"""

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import stub
from ...envs.engine.protocol import (
    FORCED,
    PROVEN,
    URGENT,
    candidates,
    evaluate,
    follow,
    legal,
    returns,
    step,
    survey,
    tactics,
    transposition,
)
from ...envs.engine.ranking import bring_best
from .evaluation import WIN
from .transpositions import EXACT, LOWER, UPPER, find_entry, value_in, value_out, write_entry

LIMIT = 4 * WIN  # beyond every value
MOST_HISTORY = 1024  # most that history adds to the ranks of the others, or subtracts
_FIRST, _KILLER = 1 << 30, 1 << 24  # ranks of the action known as best, and of the first killer
_OPEN, _BOUND, _KNOWN = 0, 1, 2  # what entering a position gave: nothing yet, a bound, or its value
LEVEL, NODES, ENTERING, HORIZON = 0, 1, 2, 3
EVERY = -1  # a width: all legal actions
LATE = 3  # candidates before those that count as late; twice as many before those searched two turns less deeply
REDUCED, REDUCED_TWICE = 3, 5  # fewest turns to go for a candidate to be searched one turn less deeply, or two
SHALLOW, TRIED = 4, 3
CERTAIN = WIN + 1000  # what it is worth to win, if nobody knows how soon
UNKNOWN = -2  # the count that `narrow_down` returns where it does not look


class Levels(NamedTuple):
    """What the search keeps of every level, most of it int64 (levels,): the seat to move, the turns still to go (at
    most 0: quiescence), the window, alpha as it was at first, the best value and action so far, how many candidates
    there are and how many are tried, whether the latest was tried with a null window, by how many turns its depth was
    reduced, whether candidates were left out, and the position's hash.

    `examined` are records of the game's proofs for the first levels, `seen` (levels,) bool says which of them are in
    use, and `least` (1,) int64 is the fewest turns to go at which a position is examined; the root always is.

    `moves` and `ranks` (levels, actions) int32 are the candidates, `barred` (actions,) int8 says which actions are not
    candidates at the root, `line` (levels, levels) int32 and `length` are the best continuation, `killers` (levels, 2)
    and `history` (2, actions) are what refuted before, `mask` int8 is scratch, with an entry for every action, rounded
    up to a multiple of eight. `at` (4,) says where the search stands: the level, positions met, whether the level is to
    be entered, and whether any position was evaluated.
    """

    at: np.ndarray
    seat: np.ndarray
    depth: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    floor: np.ndarray
    best: np.ndarray
    choice: np.ndarray
    listed: np.ndarray
    tried: np.ndarray
    narrow: np.ndarray
    reduced: np.ndarray
    pruned: np.ndarray
    position: np.ndarray
    moves: np.ndarray
    ranks: np.ndarray
    line: np.ndarray
    length: np.ndarray
    killers: np.ndarray
    history: np.ndarray
    mask: np.ndarray
    barred: np.ndarray
    examined: np.ndarray
    seen: np.ndarray
    least: np.ndarray


def make_levels(levels: int, actions: int, examined: np.ndarray | None = None) -> Levels:
    """Allocate the levels for a game with the given number of actions, and records for what is examined, if any."""
    return Levels(
        at=np.zeros(4, np.int64),
        seat=np.zeros(levels, np.int64),
        depth=np.zeros(levels, np.int64),
        alpha=np.zeros(levels, np.int64),
        beta=np.zeros(levels, np.int64),
        floor=np.zeros(levels, np.int64),
        best=np.zeros(levels, np.int64),
        choice=np.zeros(levels, np.int64),
        listed=np.zeros(levels, np.int64),
        tried=np.zeros(levels, np.int64),
        narrow=np.zeros(levels, np.int64),
        reduced=np.zeros(levels, np.int64),
        pruned=np.zeros(levels, np.int64),
        position=np.zeros(levels, np.uint64),
        moves=np.zeros((levels, actions), np.int32),
        ranks=np.zeros((levels, actions), np.int32),
        line=np.zeros((levels, levels), np.int32),
        length=np.zeros(levels, np.int64),
        killers=np.zeros((levels, 2), np.int32),
        history=np.zeros((2, actions), np.int32),
        mask=np.zeros(-(-actions // 8) * 8, np.int8),
        barred=np.zeros(actions, np.int8),
        examined=np.zeros(0, np.int8) if examined is None else examined,
        seen=np.zeros(levels, np.bool_),
        least=np.zeros(1, np.int64),
    )


@stub
def narrow_down(s, levels, level):
    """Write the candidates of a level that matter according to proofs; count them as `relevant` does, or UNKNOWN."""
    return np.int64(UNKNOWN)


def begin(levels, states, notes):
    """Prepare for a new decision in ``states[0]``."""
    survey(states[0], notes[0])
    levels.at[:] = 0
    levels.seat[0] = states[0].to_move
    levels.choice[0] = -1
    levels.killers[:] = -1
    levels.history[:] = 0
    levels.barred[:] = 0
    levels.seen[0] = False


def start_iteration(levels, depth, alpha, beta):
    """Start an iteration: search the root to a depth in turns, with a window."""
    levels.at[LEVEL] = levels.at[HORIZON] = 0
    levels.at[ENTERING] = 1
    levels.depth[0], levels.alpha[0], levels.beta[0] = depth, alpha, beta


def iterate(levels, states, notes, table, generation, quiescence, width, margin, low, high, r, budget):
    """Go on with the iteration until it ends, or `budget` positions have been met in all; return whether it ended.

    The search is selective with a `margin` above 0.
    """
    at = levels.at
    while True:
        level = at[LEVEL]
        if at[ENTERING]:
            if at[NODES] >= budget:
                return False
            at[NODES] += 1
            at[ENTERING] = 0
            kind, value = enter(
                levels, level, states, notes, table, generation, quiescence, width, margin, low, high, r
            )
        elif levels.tried[level] < levels.listed[level] and levels.alpha[level] < levels.beta[level]:
            descend(levels, level, states, notes, margin)
            continue
        else:
            if levels.pruned[level]:
                levels.best[level] = max(levels.best[level], 1 - WIN)
            kind, value = _BOUND, levels.best[level]
            store(levels, level, table, generation)
        if kind != _OPEN:
            if level == 0:
                return True
            at[LEVEL] = level - 1
            take(levels, level - 1, value, kind == _KNOWN)


def enter(levels, level, states, notes, table, generation, quiescence, width, margin, low, high, r):
    """Look at a position met: return what is known of it, and its value; else list its candidates."""
    s, e, seat = states[level], notes[level], levels.seat[level]
    levels.length[level] = 0
    if s.to_move < 0:
        returns(s, r)
        return _KNOWN, outcome(np.float64(r[seat]), low, high, level)
    depth = levels.depth[level]
    begins = level > 0 and levels.seat[level - 1] != seat
    if level + 1 == states.shape[0] or (begins and depth <= -quiescence):
        levels.at[HORIZON] = 1
        return _KNOWN, np.int64(evaluate(s, e, seat))
    position = np.uint64(transposition(s, e))
    alpha, beta = levels.alpha[level], levels.beta[level]
    hint = np.int64(-1) if level > 0 else levels.choice[0]
    i = find_entry(table, generation, position)
    if i >= 0:
        hint = np.int64(table[i].move) if hint < 0 else hint
        value = value_out(np.int64(table[i].value), level)
        if table[i].depth >= depth and beta - alpha == 1 and decides(table[i].about & 3, value, alpha, beta):
            return _BOUND, value
    levels.position[level], levels.floor[level] = position, alpha
    levels.seen[level] &= level == 0
    levels.best[level], levels.choice[level] = -LIMIT, -1
    n = 0
    if depth <= 0:
        n = tactics(s, e, levels.moves[level], levels.ranks[level])
        if begins:
            levels.at[HORIZON] = 1
            value = np.int64(evaluate(s, e, seat))
            if n == 0:
                return _KNOWN, value
            if levels.ranks[level, 0] < FORCED:
                levels.best[level], levels.alpha[level] = value, max(alpha, value)
                if value >= beta:
                    return _KNOWN, value
    if n == 0:
        n = narrow_down(s, levels, level)
        if n == PROVEN:
            a = np.int64(levels.moves[level, 0])
            levels.best[level], levels.choice[level] = CERTAIN, a
            levels.line[level, 0], levels.length[level] = a, 1
            return _KNOWN, np.int64(CERTAIN)
        if n == 0 and level > 0:
            return _KNOWN, np.int64(-CERTAIN)
    if n <= 0:
        n = candidates(s, e, levels.moves[level], levels.ranks[level])
        if 0 < width < n:
            n = keep_best(levels.moves[level], levels.ranks[level], n, width)
        elif width == EVERY:
            n = append_others(s, levels.moves[level], levels.ranks[level], n, levels.mask)
    if level == 0:
        n = leave_out(s, levels, n)
    levels.pruned[level] = 0
    shallow = margin > 0 and begins and 0 < depth <= SHALLOW and beta - alpha == 1 and abs(beta) < WIN // 2
    shallow &= n > 1 and levels.ranks[level, 0] < URGENT
    if shallow:
        value = np.int64(evaluate(s, e, seat)) - margin * depth
        if value >= beta:
            levels.at[HORIZON] = 1
            return _KNOWN, value
    order(levels, level, n, hint)
    if shallow and n > TRIED * depth:
        levels.at[HORIZON] = levels.pruned[level] = 1
        n = keep_best(levels.moves[level], levels.ranks[level], n, TRIED * depth)
    levels.listed[level], levels.tried[level] = n, 0
    return _OPEN, np.int64(0)


def outcome(result, low, high, level):
    """Turn a return at the end of the game into a value: the shortest win is the best."""
    if result == high:
        return np.int64(2 * WIN - level)
    if result == low:
        return np.int64(level - 2 * WIN)
    return np.int64((2.0 * result - low - high) / (high - low) * (WIN - 1))


def decides(bound, value, alpha, beta):
    """Whether an entry's bound settles a null window."""
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


def keep_best(moves, ranks, n, width):
    """Bring the `width` candidates of the highest ranks to the front, the first of equals; return `width`."""
    for i in range(width):
        bring_best(moves, ranks, i, n)
    return width


def append_others(s, moves, ranks, n, mask):
    """Append the legal actions that are not among the first `n`, none of a higher rank; return how many there are."""
    legal(s, mask[: moves.size])
    least = np.int32(0)
    for i in range(n):
        mask[moves[i]] = 0
        least = min(least, ranks[i])
    # Most of a mask is empty: it is read eight entries at a time.
    eights = mask.view(np.int64)
    for k in range(eights.size):
        if eights[k] != 0:
            for a in range(8 * k, 8 * k + 8):
                if mask[a]:
                    moves[n], ranks[n] = a, least
                    n += 1
    return n


def leave_out(s, levels, n):
    """Leave out candidates of the root that are barred, or take others where none is left; count those that stay."""
    moves, ranks, barred = levels.moves[0], levels.ranks[0], levels.barred
    left = without(moves, ranks, barred, n)
    if left == 0:
        left = without(moves, ranks, barred, append_others(s, moves, ranks, n, levels.mask))
    return left


def without(moves, ranks, barred, n):
    """Take the barred ones out of the first n candidates; count those that stay."""
    left = 0
    for i in range(n):
        if not barred[moves[i]]:
            moves[left], ranks[left] = moves[i], ranks[i]
            left += 1
    return left


def order(levels, level, n, hint):
    """Raise the ranks of the candidates by what has been learned of them."""
    moves, ranks, seat = levels.moves[level], levels.ranks[level], levels.seat[level]
    first, second = levels.killers[level, 0], levels.killers[level, 1]
    for i in range(n):
        a = moves[i]
        if a == hint:
            ranks[i] = _FIRST
        elif ranks[i] >= URGENT:
            ranks[i] = min(np.int64(ranks[i]), _FIRST - _KILLER - 1) + _KILLER
        elif a == first:
            ranks[i] = _KILLER
        elif a == second:
            ranks[i] = _KILLER - 1
        else:
            ranks[i] += levels.history[seat, a]


def descend(levels, level, states, notes, margin):
    """Play the next best candidate into the level below, which is to be entered."""
    i = levels.tried[level]
    bring_best(levels.moves[level], levels.ranks[level], i, levels.listed[level])
    a = np.int64(levels.moves[level, i])
    levels.tried[level] = i + 1
    below, seat = level + 1, levels.seat[level]
    states[below] = states[level]
    s = states[below]
    step(s, a)
    levels.seat[below] = s.to_move if s.to_move >= 0 else seat
    if s.to_move >= 0:
        notes[below] = notes[level]
        follow(states[level], s, notes[below], a)
    passes = levels.seat[below] != seat
    levels.reduced[level] = reduction(levels, level) if margin > 0 and passes else 0
    only = margin > 0 and level > 0 and levels.listed[level] == 1 and levels.depth[level] > 0
    levels.depth[below] = levels.depth[level] - (passes and not only) - levels.reduced[level]
    levels.narrow[level] = i > 0
    open_window(levels, level)


def reduction(levels, level):
    """Find how many turns less deeply the candidate just brought to its place is searched at first."""
    i, depth = levels.tried[level] - 1, levels.depth[level]
    if i < LATE or depth < REDUCED or levels.ranks[level, i] >= _KILLER - 1:
        return 0
    return 2 if i >= 2 * LATE and depth >= REDUCED_TWICE else 1


def open_window(levels, level):
    """Give the level below this level's window, or a null window where `narrow` says so, and have it entered."""
    below, alpha, beta = level + 1, levels.alpha[level], levels.beta[level]
    if levels.narrow[level]:
        beta = alpha + 1
    if levels.seat[below] == levels.seat[level]:
        levels.alpha[below], levels.beta[below] = alpha, beta
    else:
        levels.alpha[below], levels.beta[below] = -beta, -alpha
    levels.at[LEVEL], levels.at[ENTERING] = below, 1


def take(levels, level, value, known):
    """Take the value of the candidate tried last, or try it once more: where a search of reduced depth raises alpha,
    and where a null window has only bounded the value.
    """
    below = level + 1
    if levels.seat[below] != levels.seat[level]:
        value = -value
    if levels.reduced[level] > 0 and value > levels.alpha[level]:
        levels.depth[below] += levels.reduced[level]
        levels.reduced[level] = 0
        open_window(levels, level)
        return
    if levels.narrow[level] and not known and levels.alpha[level] < value < levels.beta[level]:
        levels.narrow[level] = 0
        open_window(levels, level)
        return
    if value <= levels.best[level]:
        return
    a = levels.moves[level, levels.tried[level] - 1]
    levels.best[level], levels.choice[level] = value, a
    if value > levels.alpha[level]:
        levels.alpha[level] = value
        levels.line[level, 0] = a
        n = levels.length[below]
        for i in range(n):
            levels.line[level, i + 1] = levels.line[below, i]
        levels.length[level] = n + 1
        if value >= levels.beta[level]:
            credit(levels, level)


def credit(levels, level):
    """Credit the action that refuted, and debit those tried in vain before it."""
    last, seat, depth = levels.tried[level] - 1, levels.seat[level], levels.depth[level]
    a = levels.moves[level, last]
    if levels.killers[level, 0] != a:
        levels.killers[level, 1] = levels.killers[level, 0]
        levels.killers[level, 0] = a
    weight = min(max(depth, 1), 8)
    for i in range(last + 1):
        b = levels.moves[level, i]
        goal = MOST_HISTORY if i == last else -MOST_HISTORY
        levels.history[seat, b] += (goal - levels.history[seat, b]) * weight // 32


def store(levels, level, table, generation):
    """Store what the search of a level has found."""
    best = levels.best[level]
    bound = UPPER if best <= levels.floor[level] else LOWER if best >= levels.beta[level] else EXACT
    move = levels.choice[level] if bound != UPPER else np.int64(-1)
    write_entry(
        table, generation, levels.position[level], value_in(best, level), move, levels.depth[level], bound
    )  # fmt: skip
