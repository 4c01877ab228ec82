"""Value a position: the logarithm of the odds of winning, from a race and from what stones are worth where they stand.

In the race both seats only run: every stone by itself needs its steps, and takes one whenever the die lets it move. A
stone's worth depends on how many faces let it move, on the steps to its goal and on how far it is off the diagonal,
because at the edge it has one way and no diagonal step. `RACE` and `WORTH` were fitted together, by logistic regression
on the outcomes of 130,000 games that the greedy player of such an evaluation, with some noise, played against itself
with the default parameters. Other boards and fewer stones are measured by the same steps and shares of the faces.
"""

import math

import numpy as np

from ..engine.protocol import CHANCE
from ..engine.rng import GOLDEN, hash64, kernel
from ..engine.spec import Game
from ..grid.board import hash_all
from .rules import movable

SCALE = 100_000.0
TURNS = 16  # turns of each seat that the race looks ahead
FARTHEST = 14  # steps to the goal on the largest board
FACES = 6  # the largest die
NEAR = 4  # steps to the goal beyond this many count as this many
_CERTAIN = 1e-4  # how near to 0 and 1 the chance to win a race may come


def _running() -> np.ndarray:
    """Tabulate how likely a stone is not yet home: by faces of the die, faces that move it, steps to go, and turns."""
    late = np.ones((FACES + 1, FACES + 1, FARTHEST + 1, TURNS), np.float32)
    for k in range(1, FACES + 1):
        for faces in range(1, k + 1):
            still = np.ones(FARTHEST + 1)
            still[0] = 0.0
            for turn in range(TURNS):
                still[1:] = faces / k * still[:-1] + (1 - faces / k) * still[1:]
                late[k, faces, :, turn] = still
    return late


RUNNING = _running()
RACE = 0.25
# In hundredths, for the seat that rolls next and for the other: a line for every sixth of the faces, ordered by steps
# and how far off the diagonal: 1 step, 0 and 1 off; 2 steps, 0 to 2 off; up to 4 steps.
WORTH = np.array(
    [
        [93, 131, 24, 44, 47, 14, 15, 10, -1, 10, 7, -12, -27, -36],
        [144, 188, 36, 67, 69, 22, 24, 22, 9, 19, 16, -2, -19, -38],
        [209, 244, 60, 90, 93, 31, 35, 35, 31, 31, 26, 8, -3, -16],
        [283, 311, 90, 118, 124, 41, 47, 47, 39, 39, 35, 14, 1, -9],
        [368, 381, 124, 153, 155, 46, 55, 56, 61, 32, 29, 7, 2, -2],
        [444, 522, 74, 168, 177, -43, 27, 51, 74, -28, -26, -39, -9, 19],
        [45, 110, 20, 32, 47, 13, 13, 9, -4, 8, 6, -13, -29, -39],
        [73, 150, 25, 44, 64, 20, 21, 19, 8, 14, 13, -5, -22, -36],
        [112, 186, 37, 55, 83, 27, 30, 30, 27, 24, 22, 4, -5, -29],
        [151, 221, 43, 71, 106, 33, 39, 38, 28, 33, 25, 7, -8, -34],
        [179, 254, 31, 85, 127, 29, 39, 39, 52, 29, 9, -3, 6, -33],
        [128, 281, -259, 65, 145, -24, -27, 3, 50, 0, 33, -7, 0, 0],
    ]
).reshape(2, 6, 14)


def notes(game: Game) -> np.ndarray:
    """Return what evaluation keeps of one position, shape (1,).

    For each seat `late`, how likely none of its stones is home after 1, 2, … of its turns, and `worth`, the sum over
    its stones when it rolls next and when it does not; for each stone the `faces` that move it and its `steps` to go.
    """
    stones = (2 * game.params["stones"],)
    fields = [("worth", "i4", (2, 2)), ("late", "f4", (2, TURNS)), ("faces", "i1", stones), ("steps", "i1", stones)]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def movers(s, seat, number):
    """Count the faces of the die that let a seat move one of its stones (§5)."""
    k = s.square.size // 2
    first = seat * k - 1
    below, above = number - 1, number + 1
    while below > 0 and s.square[first + below] < 0:
        below -= 1
    while above <= k and s.square[first + above] < 0:
        above += 1
    low, high = number - 1 - below, above - number - 1
    if s.nearest == 1:
        low = (low + 1) // 2 if below > 0 else low
        high = (high + 1) // 2 if above <= k else high
    return 1 + low + high


@kernel
def survey_seat(s, e, seat):
    """Survey the stones of one seat."""
    k, columns = s.square.size // 2, np.int64(s.columns)
    rows = s.board.size // columns
    e.late[seat, :] = 1.0
    e.worth[seat, :] = 0
    for i in range(seat * k, seat * k + k):
        at = np.int64(s.square[i])
        if at < 0:
            e.steps[i] = e.faces[i] = 0
            continue
        r, c = at // columns, at % columns
        if seat == 0:
            r, c = rows - 1 - r, columns - 1 - c
        steps, faces = max(r, c), movers(s, seat, i - seat * k + 1)
        e.steps[i], e.faces[i] = steps, faces
        for turn in range(TURNS):
            e.late[seat, turn] *= RUNNING[k, faces, steps, turn]
        near = min(steps, NEAR)
        where = near * (near + 1) // 2 - 1 + min(near, abs(r - c))
        often = (6 * faces + k - 1) // k - 1
        e.worth[seat, 0] += WORTH[0, often, where]
        e.worth[seat, 1] += WORTH[1, often, where]


@kernel
def survey(s, e):
    """Survey both seats' stones."""
    survey_seat(s, e, 0)
    survey_seat(s, e, 1)


@kernel
def follow(before, s, e, a):
    """Survey again the stones of the seat that moved, and the other's if it lost one; a roll changes nothing."""
    if before.to_move != CHANCE:
        seat = np.int64(before.turn)
        survey_seat(s, e, seat)
        if s.left[1 - seat] != before.left[1 - seat]:
            survey_seat(s, e, 1 - seat)


@kernel
def first_turn(s, e, seat, turn):
    """Compute how likely none of a seat's stones is home after one turn, its roll known, and `turn` more."""
    k = s.square.size // 2
    one, other = movable(s)
    late = 1.0
    for i in range(seat * k, seat * k + k):
        if s.square[i] >= 0:
            number = i - seat * k + 1
            steps = np.int64(e.steps[i]) - np.int64(number in (one, other))
            if turn > 0:
                late *= RUNNING[k, e.faces[i], steps, turn - 1]
            elif steps == 0:
                late = 0.0
    return late


@kernel
def race(s, e):
    """Find the chance that the seat whose turn it is gets home first, plus half of what the last turn leaves open."""
    mine = np.int64(s.turn)
    running, other, chance = 1.0, 1.0, 0.0
    for turn in range(TURNS):
        still = np.float64(e.late[mine, turn]) if s.to_move == CHANCE else first_turn(s, e, mine, turn)
        chance += (running - still) * other
        running, other = still, np.float64(e.late[1 - mine, turn])
        if running * other < _CERTAIN:
            break
    return chance + 0.5 * running * other


@kernel
def evaluate(s, e, seat):
    """Value a position for a seat: half the logarithm of its odds, times `SCALE`."""
    mine = np.int64(s.turn)
    chance = min(max(race(s, e), _CERTAIN), 1.0 - _CERTAIN)
    stones = np.float64(e.worth[mine, 0]) - np.float64(e.worth[1 - mine, 1])
    odds = RACE * math.log(chance / (1.0 - chance)) + 0.01 * stones
    value = np.int64(0.5 * SCALE * min(max(odds, -18.0), 18.0))
    return value if seat == mine else -value


@kernel
def transposition(s, e):
    """Hash the position, with the stones that can move in place of the roll that lets them."""
    h = np.uint64(np.int64(s.to_move) + 2 + 4 * np.int64(s.turn + 2 * s.nearest))
    if s.to_move >= 0:
        low, high = movable(s)
        h += np.uint64(16 * (min(low, high) + 8 * max(low, high)))
    return hash64(hash_all(h * GOLDEN, s.square, -1))
