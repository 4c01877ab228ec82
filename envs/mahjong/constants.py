"""Numbers of the game, for code that needs them without Numba."""

KINDS = 34
SEATS = 4
TILES = 136
DEALT = 65  # tiles that are in hands when the dealer moves first
WALL = TILES - DEALT
MOST_MELDS = 5

TURN, CLAIM, ROB = range(3)  # phases: a turn, answers to a discard, answers to an added kong

# Planes of `planes`: where one for each seat, or for each copy of a kind, begin, and how many there are in all.
PLANE_HAND = 0
PLANE_MELDS = PLANE_HAND + TILES // KINDS
PLANE_RIVERS = PLANE_MELDS + SEATS
PLANE_LATEST = PLANE_RIVERS + SEATS
PLANE_UNSEEN = PLANE_LATEST + SEATS
PLANE_OFFER, PLANE_DRAWN, PLANE_SEAT_WIND, PLANE_ROUND_WIND = range(PLANE_UNSEEN + 1, PLANE_UNSEEN + 5)
PLANE_CLAIM, PLANE_ROB, PLANE_LIVE, PLANE_STREAK = range(PLANE_ROUND_WIND + 1, PLANE_ROUND_WIND + 5)
PLANE_HIDDEN = PLANE_STREAK + 1  # only the others'
PLANES = PLANE_HIDDEN + SEATS - 1

# Numbers of `matrix19` and `matrix19_extended`: where each group begins; those from the seat's wind on are extended.
MATRIX_HAND = 0
MATRIX_MELDS = MATRIX_HAND + KINDS
MATRIX_RIVERS = MATRIX_MELDS + SEATS * KINDS
MATRIX_ROUND = MATRIX_RIVERS + SEATS * KINDS
MATRIX_LIVE = MATRIX_ROUND + 1
MATRIX_SEAT_WIND = MATRIX_LIVE + 1
MATRIX_ROUND_WIND = MATRIX_SEAT_WIND + SEATS
MATRIX_DEALER = MATRIX_ROUND_WIND + SEATS
MATRIX_STREAK = MATRIX_DEALER + SEATS
MATRIX_UNSEEN = MATRIX_STREAK + 1
MATRIX_HIDDEN = MATRIX_UNSEEN + KINDS  # only the others'
MATRIX_HELD = MATRIX_HIDDEN + SEATS - 1  # only the others'
MATRIX_SIDE = 19
