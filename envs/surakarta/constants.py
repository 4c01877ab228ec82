"""Numbers of the game, for code that needs them without Numba; § numbers refer to RULES.md."""

SIDE = 6  # points along a side of the board
POINTS = SIDE * SIDE
MEN = 12  # of a seat at the start
LOOPS = (1, 2)  # how far from the edges the lines of each loop run
LOOKED_BACK = 250  # turns without a capture that a record remembers
