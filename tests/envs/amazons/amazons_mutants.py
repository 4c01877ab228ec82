"""One-line bugs in Amazons: (name, file of the game's folder, text that occurs there once, what replaces it)."""

MUTANTS = [
    # The start, turns and their phases.
    ("amazons stand a cell nearer to the corners", "rules.py", "(n - 1) // 3", "(n - 2) // 3"),
    ("the seats' starts are exchanged", "rules.py", "s.board[cell] = 2", "s.board[mirrored(n, cell)] = 2"),
    ("the same seat has the next turn", "rules.py", "s.to_move = 1 - seat\n", "s.to_move = seat\n"),
    # Choosing and ways.
    ("the other's amazons are chosen", "rules.py", "s.to_move + 1 and", "2 - s.to_move and"),
    ("an amazon that cannot move is chosen", "rules.py", "s.to_move + 1 and is_free(s, cell):", "s.to_move + 1:"),
    ("nothing is free above", "rules.py", "range(max(row - 1, 0),", "range(row,"),
    ("nothing is free to the left", "rules.py", "range(max(column - 1, 0),", "range(column,"),
    ("beyond the left edge it is free", "rules.py", "max(column - 1, 0)", "column - 1"),
    ("amazons go as kings", "rules.py", "        while 0 <= r < n", "        if 0 <= r < n"),
    ("amazons go as rooks", "rules.py", "in QUEEN:", "in QUEEN[:2] + QUEEN[4:6]:"),
    ("amazons do not go back to the left", "constants.py", "(-down, -right)", "(-down, right)"),
    ("ways go on around the left edge", "rules.py", "0 <= c < n and b", "c < n and b"),
    (
        "arrows fly over amazons",
        "rules.py",
        "b[r * n + c] == 0:\n            mask",
        "b[r * n + c] < 3:\n            mask",
    ),
    ("actions are left after the end", "rules.py", "    if s.to_move < 0:", "    if s.to_move == -1:"),
    # What actions do, and the end.
    ("amazons multiply", "rules.py", "s.board[s.last] = 0", "s.board[a] = 0"),
    ("arrows do not close cells", "rules.py", "s.board[a] = ARROW", "s.board[a] = 0"),
    ("nobody ever loses", "rules.py", "if not can_move(s, 1 - seat):", "if False:"),
    ("who shuts itself in has lost", "rules.py", "if not can_move(s, 1 - seat):", "if not can_move(s, seat):"),
    ("the other seat wins", "rules.py", "s.winner = seat\n", "s.winner = 1 - seat\n"),
    # Keys and images.
    ("the key ignores the mover", "rules.py", "s.to_move + 4 +", "4 +"),
    ("the key ignores the amazon in hand", "rules.py", "3 * hand", "0 * hand"),
    ("the key ignores what comes next", "rules.py", "(phase(s) + 3", "(3"),
    ("the key knows the latest arrow", "rules.py", "s.last + 1 if phase(s) != CHOOSE else 0", "s.last + 1"),
    ("images keep the amazon in hand", "rules.py", '["board"], ["last"]', '["board"], []'),
    # What is seen.
    ("closed cells are not seen", "encode.py", "== ARROW", "== ARROW + 1"),
    ("the seats' planes are exchanged", "encode.py", "write_stones(b, seat,", "write_stones(b, 1 - seat,"),
    ("the latest arrow is shown in hand", "encode.py", "if phase(s) != CHOOSE:", "if s.last >= 0:"),
    ("nothing is in hand once it has gone", "encode.py", "if phase(s) != CHOOSE:", "if phase(s) == GO:"),
    ("moving and shooting are exchanged", "encode.py", "== GO", "!= GO"),
    ("everybody is to move", "encode.py", "s.to_move == seat", "s.to_move >= 0"),
    # What is valid, and text.
    ("any number of amazons is read", "valid.py", "if first != AMAZONS or second != AMAZONS:", "if first < 1:"),
    ("any ply is valid", "valid.py", "if s.ply < 0 or s.ply // 3 != closed:", "if s.ply < 0:"),
    ("an amazon in hand may be shut in", "valid.py", " and is_free(s, s.last)", ""),
    ("anybody's amazon is in hand", "valid.py", "== mover + 1 and", "> 0 and"),
    ("any winner is valid", "valid.py", "if s.winner != (1 - mover if lost else -1):", "if False:"),
    ("rows are named from the top", "text.py", "square(s, upward=True).name(a)", "square(s).name(a)"),
    ("names are read from the top", "text.py", "square(s, upward=True).read(", "square(s).read("),
    ("the phases are misnamed", "text.py", '"go", "shoot")', '"shoot", "go")'),
]
