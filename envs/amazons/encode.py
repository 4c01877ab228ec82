"""Observation encoder of Amazons; RULES.md lists every plane."""

from ..engine.rng import kernel
from ..grid.board import write_stones
from .constants import ARROW, CHOOSE, GO, SHOOT
from .rules import phase


@kernel
def observe_planes(s, seat, x):
    """Write (7, n, n): my amazons, theirs, closed cells, the amazon in hand, what comes next, and whether I act."""
    b, cells = s.board, s.board.size
    flat = x.reshape(x.size)
    write_stones(b, seat, flat)
    for cell in range(cells):
        flat[2 * cells + cell] = b[cell] == ARROW
    flat[3 * cells : 4 * cells] = 0.0
    if phase(s) != CHOOSE:
        flat[3 * cells + s.last] = 1.0
    flat[4 * cells : 5 * cells] = phase(s) == GO
    flat[5 * cells : 6 * cells] = phase(s) == SHOOT
    flat[6 * cells :] = s.to_move == seat
