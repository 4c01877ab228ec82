"""What `to_move` of a record holds where it is no seat, for whoever needs it without Numba."""

CHANCE = -1  # dice or a draw come next
OVER = -2  # the game has ended by its rules
CUT = -3  # the game was truncated
