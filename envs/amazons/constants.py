"""Numbers that rules, texts and pictures of Amazons share."""

from ..grid.directions import LINES

ARROW = 3  # on the board: a closed cell
AMAZONS = 4  # of each seat, which are never captured

CHOOSE, GO, SHOOT = range(3)  # what the next action does, in their order in a turn

QUEEN = (*LINES, *((-down, -right) for down, right in LINES))
"""The eight directions, as (rows, columns) to the next cell."""
