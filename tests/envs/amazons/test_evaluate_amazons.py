"""Amazons' evaluation: its measures against plain counting, the same for both seats and in all images; what wins."""

import math
from collections.abc import Iterator
from itertools import takewhile

import numpy as np
import pytest
from histories import count, random_histories, replayed
from numpy.typing import NDArray
from sizes import COMPILES
from test_amazons import CORNERED, laid, play

from boyi.baselines import evaluate as arena
from boyi.baselines import make_agent
from boyi.envs import find
from boyi.envs.amazons import evaluate as module
from boyi.envs.amazons import rules
from boyi.envs.amazons.constants import ARROW
from boyi.envs.amazons.evaluate import race
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import evaluate, survey

pytestmark = pytest.mark.kernels

Cell = tuple[int, int]
EIGHT = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
BOARDS = [4, *(pytest.param(n, marks=COMPILES) for n in (5, 10, 20))]


def look(states, notes, out):  # type: ignore[no-untyped-def]
    """Write both races, and the value for either seat."""
    survey(states[0], notes[0])
    for queens in range(2):
        first, ties, contest, lead = race(notes[0], queens == 1)
        out[4 * queens], out[4 * queens + 1], out[4 * queens + 2], out[4 * queens + 3] = first, ties, contest, lead
    for seat in range(2):
        out[8 + seat] = evaluate(states[0], notes[0], seat)


def looked(states: NDArray[np.void], n: int) -> list[int]:
    game, out = find("amazons", board_size=n), np.zeros(10, np.int64)
    bind(look, game, None, survey=module.survey, evaluate=module.evaluate)(states.copy(), module.notes(game), out)
    return [int(number) for number in out]


def met(n: int) -> Iterator[NDArray[np.void]]:
    """Yield positions of random games that go on, in all three phases, one record each."""
    game = find("amazons", board_size=n)
    states = replayed(game, random_histories(game, count(60 if n < 20 else 12, 3))).states
    yield from (states[k : k + 1] for k in np.flatnonzero(states["to_move"] >= 0))


class Plain:
    """The measures of a position, cell by cell."""

    def __init__(self, states: NDArray[np.void], n: int) -> None:
        self.n, cells = n, dict(np.ndenumerate(states["board"][0].reshape(n, n)))
        self.amazons = [[cell for cell, value in cells.items() if value == seat + 1] for seat in (0, 1)]
        self.empty = {cell for cell, value in cells.items() if value == 0}

    def ways(self, cell: Cell) -> list[list[Cell]]:
        """The empty cells that a queen on a cell reaches, by direction, the nearest first."""
        found: list[list[Cell]] = []
        for dr, dc in EIGHT:
            steps = [(cell[0] + k * dr, cell[1] + k * dc) for k in range(1, self.n)]
            found.append(list(takewhile(self.empty.__contains__, steps)))
        return found

    def distances(self, seat: int, most: int | None) -> dict[Cell, float]:
        """How many moves, of at most so many cells, take a seat's nearest amazon to each empty cell."""
        far = dict.fromkeys(self.empty, math.inf)
        front, moves = self.amazons[seat], 0
        while front:
            moves += 1
            reached = {to for start in front for way in self.ways(start) for to in way[:most]}
            front = [cell for cell in reached if far[cell] == math.inf]
            far.update(dict.fromkeys(front, moves))
        return far

    def race(self, *, queens: bool) -> list[int]:
        """Cells that seat 0 is first on less those of seat 1, ties, contest, and by how much seat 0 is nearer."""
        mine, theirs = (self.distances(seat, None if queens else 1) for seat in (0, 1))
        pairs = [(mine[cell], theirs[cell]) for cell in self.empty]
        gaps = [abs(a - b) if a < math.inf or b < math.inf else math.inf for a, b in pairs]
        far = module.FAR + 1
        return [
            sum((a < b) - (a > b) for a, b in pairs),
            gaps.count(0),
            2 * gaps.count(0) + gaps.count(1),
            int(sum(min(b, far) - min(a, far) for a, b in pairs)),
        ]

    def shut(self, seat: int) -> int:
        """What it costs a seat that its amazons are not free."""
        free = [sum(64 // 2**k for way in self.ways(cell) for k in range(len(way))) for cell in self.amazons[seat]]
        return sum(module.SHUT * 64 // (64 + each) for each in free)

    def value(self, states: NDArray[np.void]) -> int:
        """The value for seat 0 by the measures and weights."""
        turn = (1, -1)[states["to_move"][0]] if states["ply"][0] % 3 < 2 else 0
        first, ties, contest, _ = self.race(queens=True)
        lead, shut = self.race(queens=False)[3], self.shut(0) - self.shut(1)
        share = min(1, contest / module.OPEN)
        on_open = module.TEMPO * turn + module.OPEN_LEAD * lead / module.FAR - shut
        on_closed = module.FIRST * first + module.TIE * ties * turn + module.LEAD * lead / module.FAR
        return math.trunc(round(share * on_open + (1 - share) * on_closed, 6))


@pytest.mark.parametrize("n", BOARDS)
def test_measures_are_those_of_plain_counting(n: int) -> None:
    """Races of queens and kings, and the value, in positions of random games and once all is closed (§5, §7)."""
    for states in met(n):
        plain, found = Plain(states, n), looked(states, n)
        assert found[:8] == plain.race(queens=False) + plain.race(queens=True)
        assert abs(found[8] - plain.value(states)) <= 1 and found[9] == -found[8]


@pytest.mark.parametrize("n", BOARDS[:3])
def test_values_keep_to_the_images(n: int) -> None:
    """§11: every image of a position is worth as much, and with the seats exchanged the other seat as much."""
    for states in met(n):
        value = looked(states, n)[8]
        assert {looked(rules.image(states, k), n)[8] for k in range(8)} == {value}
        exchanged, stands = states.copy(), states["board"]
        exchanged["board"] = np.where((stands == 0) | (stands == ARROW), stands, 3 - stands)
        exchanged["to_move"] = 1 - states["to_move"]
        assert looked(exchanged, n)[9] == value


def test_it_shuts_in_whom_it_can() -> None:
    """§7: alphabeta finds a turn after which black cannot move."""
    batch, agent = laid(4, *CORNERED), make_agent("alphabeta:depth=2", "amazons:board_size=4")
    while batch.to_move[0] == 0:
        batch.step(agent.act(batch.view()))
    assert batch.states["winner"][0] == 0


def test_a_closed_region_is_worth_its_cells() -> None:
    """White has two cells for itself, and nobody comes to any other: nothing is contested, whoever is to move."""
    batch = laid(10, "a1 b1 a2 b2", "i10 j10 i9 j9", "a4 b4 c4 c3 c2 c1 h10 h9 h8 i8 j8 e5")
    assert looked(batch.states, 10)[4:7] == [2, 0, 0]
    assert looked(batch.states, 10)[8] > module.FIRST
    assert looked(play(batch, "a2").states, 10)[8] > module.FIRST


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["mcts:sims=200", "random"])
def test_alphabeta_wins_by_it(opponent: str) -> None:
    """On a small board it beats players without it, in paired games."""
    found = arena("alphabeta:nodes=2000", "amazons:board_size=6", opponents=[opponent], games=40, seed=0)
    assert found.pairings[0].score.low > 0.5
