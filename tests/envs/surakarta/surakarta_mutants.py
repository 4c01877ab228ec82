"""One-line bugs in Surakarta: (name, file of the game's folder, text that occurs there once, what replaces it)."""

MUTANTS = [
    # Loops and neighbours.
    ("loops turn at the edges", "loops.py", "(last - k, last - i)", "(last - k, i)"),
    ("an arc lies a point further on", "loops.py", "-line) for", "-line - 1) for"),
    ("loops are seen one way only", "loops.py", "[[places[::-1], places]", "[[places, places]"),
    ("corners are on a loop", "constants.py", "LOOPS = (1, 2)", "LOOPS = (0, 2)"),
    ("knights are neighbours", "loops.py", "np.maximum(abs", "np.minimum(abs"),
    # Actions.
    ("steps onto the other seat's men", "rules.py", "np.int8(b[q] == 0)", "np.int8(b[q] != s.to_move + 1)"),
    ("steps of either seat", "rules.py", "np.int8(b[p] == s.to_move + 1)", "np.int8(b[p] != 0)"),
    ("steps are not counted", "rules.py", "count = mark_steps(s, mask)", "count = mark_steps(s, mask) * 0"),
    ("captures are counted twice", "rules.py", "count += 1 - mask[a]", "count += 1"),
    ("captures go one way only", "rules.py", "range(CAPTURES):\n        a", "range(0, CAPTURES, 2):\n        a"),
    ("the own point is not empty", "rules.py", "first_seen(b, arc, 1 - way, p)", "first_seen(b, arc, 1 - way, -1)"),
    ("own men are taken", "rules.py", "if q >= 0 and b[q] != me else np.int64(-1)", "if q >= 0 else np.int64(-1)"),
    ("some captures are drawn more often", "rules.py", "capture(s, before) == a", "capture(s, before) < -1"),
    ("who can only take cannot act", "rules.py", "if capture(s, i) >= 0:", "if capture(s, i) < -1:"),
    ("who can only step cannot act", "rules.py", "if stepped_to(s, p, d) >= 0:", "if stepped_to(s, p, d) > POINTS:"),
    # Turns and ends.
    ("seat 1 moves first", "rules.py", "s.seen = 1\n", "s.seen = s.to_move = 1\n"),
    ("the man stays where it was", "rules.py", "b[p], b[q] = 0, seat + 1", "b[q] = seat + 1"),
    ("men taken are not counted", "rules.py", "s.men[1 - seat] -= 1", "s.men[1 - seat] -= 0"),
    ("turns before a capture are remembered", "rules.py", "        forget_turns(s)", "        note_turn(s, p, q)"),
    ("who cannot act has won", "rules.py", "s.winner, s.to_move = seat, OVER", "s.winner, s.to_move = 1 - seat, OVER"),
    ("a draw before a win", "rules.py", "    if not can_act(s):", "    if not can_act(s) and not draws(s):"),
    ("one turn more without a capture", "rules.py", "s.quiet == s.no_capture_limit", "s.quiet > s.no_capture_limit"),
    ("no repetitions", "rules.py", "s.seen == s.repetition > 1", "s.seen == s.repetition > 9"),
    ("a first occurrence is a repetition", "rules.py", "s.seen == s.repetition > 1", "s.seen == s.repetition > 0"),
    ("a draw is not noted", "rules.py", "s.drawn, s.to_move = 1, OVER", "s.to_move = OVER"),
    ("a turn the other way", "rules.py", "cells = images(SIDE)[k]", "cells = np.argsort(images(SIDE)[k])"),
    # Observations.
    ("plane 2 counts against 250", "encode.py", "s.quiet / s.no_capture_limit", "s.quiet / 250"),
    ("plane 3 does not end at 1", "encode.py", "min(1.0, (s.seen - 1) / 2.0)", "(s.seen - 1) / 2.0"),
    ("plane 4 is of the other seat", "encode.py", "s.to_move == seat)", "s.to_move == 1 - seat)"),
    # Records and texts.
    ("men need not be counted", "valid.py", "s.men[0] != men - second or", "s.men[0] < 0 or"),
    ("thirteen men", "valid.py", "max(s.men[0], s.men[1]) > MEN", "max(s.men[0], s.men[1]) > MEN + 1"),
    ("more plies than captures allow", "valid.py", "taken * np.int64(s.no_capture_limit):", "9999:"),
    ("quiet turns may jump", "valid.py", "abs(p % SIDE - q % SIDE)) != 1", "abs(p % SIDE - q % SIDE)) == 0"),
    ("the latest turn is any", "valid.py", "return p == s.source[s.quiet - 1] and q", "return q"),
    ("occurrences need not be counted", "valid.py", "if s.seen != occurrences(s):", "if s.seen < 1:"),
    ("a drawn game goes on", "valid.py", "s.winner < 0 and s.drawn == 0)", "s.winner < 0)"),
    ("captures are named as steps", "text.py", 's["board"][q] != 0)', "False)"),
    ("the last capture is called a step", "text.py", 's["quiet"] == 0)', "False)"),
    ("the mark between points is any", "text.py", "if name(s, a) == found[0]:", "if a >= 0:"),
    ("rows are counted from the top", "text.py", "upward=True", "upward=False"),
]
