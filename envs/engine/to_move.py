"""What `to_move` of a record holds when it is not a seat, for use without Numba."""

CHANCE = -1  # dice or a draw come next
OVER = -2  # the game has ended by its rules
CUT = -3  # the game was truncated
