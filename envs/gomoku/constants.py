"""Numbers of the game, for whoever needs them without Numba."""

ROW = 5  # §4: stones in a winning row
