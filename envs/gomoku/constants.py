"""Numbers of the game, for code that needs them without Numba."""

ROW = 5  # §4: stones in a winning row
