"""Numbers of the game, for whoever needs them without Numba."""

KINDS = 34
SEATS = 4
TILES = 136
DEALT = 65  # tiles that are in hands when the dealer moves first
WALL = TILES - DEALT
MOST_MELDS = 5

TURN, CLAIM, ROB = range(3)  # phases: a turn, answers to a discard, answers to an added kong
