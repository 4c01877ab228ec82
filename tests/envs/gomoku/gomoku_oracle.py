"""Gomoku in slow, plain Python, from envs/gomoku/RULES.md alone: it shares no line with the kernels it judges."""

from itertools import groupby

Cell = tuple[int, int]
Planes = list[list[list[float]]]


class Gomoku:
    """One game of Gomoku. The board is a dict from (r, c) to the seat whose stone stands there."""

    def __init__(self, board_size: int = 15, rule: str = "freestyle") -> None:
        """The empty board with seat 0 to move (§2)."""
        self.n = board_size
        self.rule = rule
        self.stones: dict[Cell, int] = {}
        self.actions: list[int] = []
        self.offender: int | None = None
        self.won_by: int | None = None

    def copy(self) -> "Gomoku":
        """A game of its own in the same position."""
        twin = Gomoku(self.n, self.rule)
        twin.stones, twin.actions = dict(self.stones), list(self.actions)
        twin.offender, twin.won_by = self.offender, self.won_by
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> "Gomoku":
        """The same, where millions are counted."""
        return self.copy()

    def cells(self) -> list[Cell]:
        """All points, in the order of their actions (§1, §7)."""
        return [(r, c) for r in range(self.n) for c in range(self.n)]

    def lines(self) -> list[list[Cell]]:
        """Every line of the board from edge to edge: rows, columns and the diagonals of both directions (§1)."""
        found: dict[tuple[str, int], list[Cell]] = {}
        for r, c in self.cells():
            for line in (("row", r), ("column", c), ("down", r - c), ("up", r + c)):
                found.setdefault(line, []).append((r, c))
        return list(found.values())

    def rows(self) -> list[tuple[int, list[Cell]]]:
        """Every row on the board with its seat: an unbroken run that no stone of that seat extends (§4)."""
        runs = [(seat, list(run)) for line in self.lines() for seat, run in groupby(line, self.stones.get)]
        return [(seat, run) for seat, run in runs if seat is not None]

    def wins(self, length: int) -> bool:
        """Whether a row of that length wins (§4)."""
        return length == 5 if self.rule == "standard" else length >= 5

    def mover(self) -> int | None:
        """The seat to move, None when the game is over: won (§4), a draw (§5) or forfeited (§7)."""
        if self.won_by is not None or self.offender is not None or len(self.stones) == self.n * self.n:
            return None
        return len(self.actions) % 2

    def legal(self) -> set[int]:
        """The actions open to the mover: all empty points (§3); none after the end."""
        if self.mover() is None:
            return set()
        return {r * self.n + c for r, c in self.cells() if (r, c) not in self.stones}

    def play(self, action: int) -> None:
        """Place a stone (§3) or, outside the legal actions, forfeit the game (§7)."""
        seat = self.mover()
        if seat is None:
            raise AssertionError("the game is over")
        if action not in self.legal():
            self.offender = seat
            return
        self.actions.append(action)
        self.stones[divmod(action, self.n)] = seat
        self.won_by = next((owner for owner, row in self.rows() if self.wins(len(row))), None)

    def winner(self) -> int | None:
        """The seat that has won by a row (§4), None before that, in a draw and after a forfeit."""
        return self.won_by

    def returns(self) -> list[float]:
        """What each seat has got (§6, after a forfeit §7)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        if self.won_by is None:
            return [0.0, 0.0]
        return [1.0 if seat == self.won_by else -1.0 for seat in (0, 1)]

    def name(self, action: int) -> str:
        """The letter of the column and the number of the row, counted from 1 at the bottom (§8)."""
        r, c = divmod(action, self.n)
        return "abcdefghijklmnopqrstuvwxyz"[c] + str(self.n - r)

    def turned(self, action: int, turns: int, *, mirrored: bool) -> int:
        """The action after a reflection of the columns, if asked for, and so many quarter turns (§9)."""
        r, c = divmod(action, self.n)
        if mirrored:
            c = self.n - 1 - c
        for _ in range(turns):
            r, c = c, self.n - 1 - r
        return r * self.n + c

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat: never turned."""
        last = {divmod(action, self.n) for action in self.actions[-1:]}
        first = set(self.cells()) if seat == 0 else set()
        sets = [self.stones_of(seat), self.stones_of(1 - seat), last, first]
        return [[[float((r, c) in chosen) for c in range(self.n)] for r in range(self.n)] for chosen in sets]

    def observe_ruled(self, seat: int) -> Planes:
        """The encoder `ruled` from a seat: stones, the board, and a board where only exactly five in a row win."""
        cells = set(self.cells())
        sets = [self.stones_of(seat), self.stones_of(1 - seat), cells, cells if self.rule == "standard" else set()]
        return [[[float((r, c) in chosen) for c in range(self.n)] for r in range(self.n)] for chosen in sets]

    def observe_flat(self, seat: int) -> list[float]:
        """The encoder `flat` from a seat: the other seat's stones point by point, then the observer's."""
        return [float(cell in chosen) for chosen in map(self.stones_of, (1 - seat, seat)) for cell in self.cells()]

    def stones_of(self, seat: int) -> set[Cell]:
        """The points on which a seat has stones."""
        return {cell for cell, owner in self.stones.items() if owner == seat}
