"""Amazons in slow, plain Python, from envs/amazons/RULES.md alone: it shares no line with the kernels it judges."""

Cell = tuple[int, int]
Planes = list[list[list[float]]]

COMPASS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
CHOOSE, GO, SHOOT = "choose", "go", "shoot"
NEXT_PART = {CHOOSE: GO, GO: SHOOT, SHOOT: CHOOSE}


class Amazons:
    """One game of Amazons. Each seat's amazons, and the cells that arrows have closed, are sets of cells (r, c)."""

    def __init__(self, board_size: int = 10) -> None:
        """The start: four amazons each, nothing closed, seat 0 to choose one (§2)."""
        n, k = board_size, (board_size - 1) // 3
        white = {(n - 1 - k, 0), (n - 1, k), (n - 1, n - 1 - k), (n - 1 - k, n - 1)}
        black = {(k, 0), (0, k), (0, n - 1 - k), (k, n - 1)}
        self.n = n
        self.amazons: list[set[Cell]] = [white, black]
        self.closed: set[Cell] = set()
        self.seat = 0
        self.part = CHOOSE
        self.in_hand: Cell | None = None
        self.offender: int | None = None

    def is_empty(self, cell: Cell) -> bool:
        """Whether a cell is on the board, and neither an amazon nor an arrow is on it (§1)."""
        on_board = all(0 <= x < self.n for x in cell)
        return on_board and not any(cell in taken for taken in (*self.amazons, self.closed))

    def reach(self, start: Cell) -> set[Cell]:
        """The empty cells in a straight line from a cell, over empty cells only (§5, §6)."""
        found: set[Cell] = set()
        for down, right in COMPASS:
            far = (start[0] + down, start[1] + right)
            while self.is_empty(far):
                found.add(far)
                far = (far[0] + down, far[1] + right)
        return found

    def movable(self, seat: int) -> set[Cell]:
        """The amazons of a seat that have an empty neighbour (§4)."""
        return {a for a in self.amazons[seat] if any(self.is_empty((a[0] + dr, a[1] + dc)) for dr, dc in COMPASS)}

    def has_lost(self) -> bool:
        """Whether a turn is to begin that the seat cannot begin (§7)."""
        return self.part == CHOOSE and not self.movable(self.seat)

    def mover(self) -> int | None:
        """The seat to move, None when the game is over: lost (§7) or forfeited (§9)."""
        return None if self.offender is not None or self.has_lost() else self.seat

    def legal(self) -> set[int]:
        """The actions open to the mover, each the number of a cell (§9); none after the end."""
        if self.mover() is None:
            return set()
        cells = self.movable(self.seat) if self.in_hand is None else self.reach(self.in_hand)
        return {r * self.n + c for r, c in cells}

    def play(self, action: int) -> None:
        """Choose, go or shoot (§3), or, outside the legal actions, forfeit the game (§9)."""
        seat = self.mover()
        assert seat is not None, "the game is over"
        if action not in self.legal():
            self.offender = seat
            return
        cell = divmod(action, self.n)
        if self.part == SHOOT:
            self.closed.add(cell)
            self.in_hand, self.seat = None, 1 - seat
        else:
            if self.in_hand is not None:
                self.amazons[seat] = self.amazons[seat] - {self.in_hand} | {cell}
            self.in_hand = cell
        self.part = NEXT_PART[self.part]

    def returns(self) -> list[float]:
        """What each seat has got (§8, after a forfeit §9)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        if not self.has_lost():
            return [0.0, 0.0]
        return [-1.0 if seat == self.seat else 1.0 for seat in (0, 1)]

    def name(self, action: int) -> str:
        """The letter of the column and the number of the row, counted from 1 at the bottom (§10)."""
        r, c = divmod(action, self.n)
        return "abcdefghijklmnopqrstuvwxyz"[c] + str(self.n - r)

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat: never turned."""
        everywhere = {(r, c) for r in range(self.n) for c in range(self.n)}
        held = set() if self.in_hand is None else {self.in_hand}
        facts = (self.part == GO, self.part == SHOOT, self.mover() == seat)
        sets = [self.amazons[seat], self.amazons[1 - seat], self.closed, held]
        sets += [everywhere if fact else set() for fact in facts]
        return [[[float((r, c) in chosen) for c in range(self.n)] for r in range(self.n)] for chosen in sets]
