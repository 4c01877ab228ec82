"""Numbers of the game, for code that needs them without Numba; § numbers refer to RULES.md."""

LOOKED_BACK = 250  # turns without a capture that a record remembers

LAYOUT, TURN, JUMP, DROP, TAKE = range(5)  # phases
FLYER, BOTH, STRONGER, NO_BAN = range(4)  # single_jump_ban
APART, ANY, OFF = range(3)  # dalian_win

# Planes of the actions (§19); MOVE has one for each direction.
MOVE, PICK, PUT, TAKE_OFF, STOP = 1, 5, 6, 7, 8

# Planes of the observations, and how many there are: `layout4` has the first four of `planes`.
MINE, THEIRS, LATEST, BEGAN, LAYOUT_PLANES = range(5)
BATTLE, RUNNER, JUMPING, LIFTED, DUE, FLYING, THEY_FLY, QUIET, SEEN, PLANES = range(LAYOUT_PLANES, 14)

FEWEST = 4  # §13: a side with fewer stones has lost
