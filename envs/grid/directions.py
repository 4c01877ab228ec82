"""Directions on a board, as (rows, columns) to the next cell; kernels number their directions in this order, too."""

UP, DOWN, LEFT, RIGHT = range(4)
NEXT = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""To the four neighbours; d ^ 1 is the opposite of d."""

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Along each of the four lines through a cell; with their opposites, the directions of a queen."""
