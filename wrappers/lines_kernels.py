"""The kernel that counts the lines which a stone of Gomoku makes and blocks."""

from ..envs.gomoku.constants import ROW
from ..envs.grid.board import side
from ..envs.grid.directions import LINES
from ..envs.grid.rays import run_of


def line_rows(states, actions, lines):
    """Write (m, 2): how many stones of its own, and of the other's, a stone on ``actions[k]`` lines up with at most.

    Both count the stones joined to the point on one of the four lines through it, no more than `ROW` - 1; 0 where the
    action is illegal.
    """
    for k in range(states.shape[0]):
        s, a = states[k], actions[k]
        lines[k, 0] = lines[k, 1] = 0
        b, n = s.board, side(s)
        if s.to_move < 0 or a < 0 or a >= b.size or b[a] != 0:
            continue
        for whose in range(2):
            stone = 1 + (s.to_move + whose) % 2
            for dr, dc in LINES:
                joined = run_of(b, n, a // n, a % n, dr, dc, stone) + run_of(b, n, a // n, a % n, -dr, -dc, stone)
                lines[k, whose] = max(lines[k, whose], min(joined, ROW - 1))
