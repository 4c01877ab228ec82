"""Directions on a board, as (rows, columns) to the next cell; those of kernels too, which count them in this order."""

UP, DOWN, LEFT, RIGHT = range(4)
NEXT = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""To the four neighbours; d ^ 1 is the opposite of d."""

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Along each of the four lines through a cell; with their opposites, the ways of a queen."""
