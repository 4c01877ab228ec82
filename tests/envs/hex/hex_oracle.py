"""Hex in slow, plain Python, written from envs/hex/RULES.md alone: it shares no line with the kernels it judges."""

Cell = tuple[int, int]
Planes = list[list[list[float]]]


class Hex:
    """One game of Hex. The board is a dict from (r, c) to the seat whose stone stands there."""

    def __init__(self, board_size: int = 11, swap: bool = False) -> None:
        """The empty board with seat 0 to move (§2)."""
        self.n = board_size
        self.swap = bool(swap)
        self.stones: dict[Cell, int] = {}
        self.actions: list[int] = []
        self.offender: int | None = None
        self.won_by: int | None = None

    def copy(self) -> "Hex":
        """A game of its own in the same position."""
        twin = Hex(self.n, self.swap)
        twin.stones, twin.actions = dict(self.stones), list(self.actions)
        twin.offender, twin.won_by = self.offender, self.won_by
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> "Hex":
        """The same, where millions are counted."""
        return self.copy()

    def cells(self) -> list[Cell]:
        """All cells, in the order of their actions (§1, §7)."""
        return [(r, c) for r in range(self.n) for c in range(self.n)]

    def touching(self, cell: Cell) -> list[Cell]:
        """The up to six cells that `cell` touches (§1)."""
        r, c = cell
        around = [(r - 1, c), (r - 1, c + 1), (r, c - 1), (r, c + 1), (r + 1, c - 1), (r + 1, c)]
        return [(a, b) for a, b in around if 0 <= a < self.n and 0 <= b < self.n]

    def mover(self) -> int | None:
        """The seat to move, None when the game is over. Every action passes the turn, a swap too (§3, §5)."""
        if self.won_by is not None or self.offender is not None:
            return None
        return len(self.actions) % 2

    def swap_possible(self) -> bool:
        """Whether the mover may swap: seat 1 as its first move, in a game with the swap (§5)."""
        return self.swap and self.mover() == 1 and len(self.actions) == 1

    def legal(self) -> set[int]:
        """The actions open to the mover: the empty cells (§3) and perhaps the swap (§5); none after the end."""
        if self.mover() is None:
            return set()
        free = {r * self.n + c for r, c in self.cells() if (r, c) not in self.stones}
        return free | {self.n * self.n} if self.swap_possible() else free

    def play(self, action: int) -> None:
        """Place a stone (§3), swap (§5) or, outside the legal actions, forfeit the game (§7)."""
        seat = self.mover()
        if seat is None:
            raise AssertionError("the game is over")
        if action not in self.legal():
            self.offender = seat
            return
        self.actions.append(action)
        if action == self.n * self.n:
            ((r, c),) = self.stones
            self.stones = {(c, r): seat}
        else:
            self.stones[divmod(action, self.n)] = seat
        self.won_by = next((s for s in (0, 1) if self.has_chain(s)), None)

    def on_side(self, seat: int, end: int) -> set[Cell]:
        """The cells along one of a seat's two sides: end 0 is the top or the left, end 1 the opposite (§4)."""
        line = (self.n - 1) * end
        return {cell for cell in self.cells() if cell[seat] == line}

    def joined(self, seat: int, end: int) -> set[Cell]:
        """The seat's stones that a chain of its own stones joins to that side of its own, by flood fill (§4)."""
        found = {cell for cell in self.on_side(seat, end) if self.stones.get(cell) == seat}
        frontier = list(found)
        while frontier:
            for cell in self.touching(frontier.pop()):
                if self.stones.get(cell) == seat and cell not in found:
                    found.add(cell)
                    frontier.append(cell)
        return found

    def has_chain(self, seat: int) -> bool:
        """Whether the seat has an unbroken chain from one of its sides to the other (§4)."""
        return bool(self.joined(seat, 0) & self.on_side(seat, 1))

    def winner(self) -> int | None:
        """The seat that has won by a chain (§4), None before that and after a forfeit."""
        return self.won_by

    def returns(self) -> list[float]:
        """What each seat has got (§6, after a forfeit §7)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        if self.won_by is None:
            return [0.0, 0.0]
        return [1.0 if seat == self.won_by else -1.0 for seat in (0, 1)]

    def name(self, action: int) -> str:
        """The letter of the column and the number of the row from 1, or the swap's name (§8)."""
        if self.swap and action == self.n * self.n:
            return "swap-pieces"
        r, c = divmod(action, self.n)
        return "abcdefghijklmnopqrstuvwxyz"[c] + str(r + 1)

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat: never turned; the swap's plane exists only in games with the swap."""
        own_sides = self.on_side(seat, 0) | self.on_side(seat, 1)
        own = {cell for cell, owner in self.stones.items() if owner == seat}
        sets = [own, set(self.stones) - own, own_sides]
        if self.swap:
            sets.append(set(self.cells()) if self.swap_possible() else set())
        return [[[float((r, c) in chosen) for c in range(self.n)] for r in range(self.n)] for chosen in sets]

    def observe_oriented(self, seat: int) -> Planes:
        """The encoder `oriented` from a seat: `planes`, rows and columns exchanged for seat 1."""
        planes = self.observe_planes(seat)
        return planes if seat == 0 else [[list(column) for column in zip(*plane, strict=True)] for plane in planes]

    def observe_neurohex(self, seat: int) -> Planes:
        """The encoder `neurohex` from a seat: two cells of padding, the observer's sides on the first axis."""
        other = 1 - seat
        low, high = {0, 1}, {self.n + 2, self.n + 3}
        # Each plane: the stones that are 1, the axis of its padding, and the padding's coordinates on that axis.
        table = [
            ({cell for cell, owner in self.stones.items() if owner == seat}, 0, low | high),
            ({cell for cell, owner in self.stones.items() if owner == other}, 1, low | high),
            (self.joined(seat, 0), 0, low),
            (self.joined(seat, 1), 0, high),
            (self.joined(other, 0), 1, low),
            (self.joined(other, 1), 1, high),
        ]
        return [self.padded_plane(seat, *row) for row in table]

    def padded_plane(self, seat: int, stones: set[Cell], axis: int, padding: set[int]) -> list[list[float]]:
        """One plane of `neurohex`; seat 1 sees the board mirrored, (r, c) at (c, r)."""
        seen = {((c, r) if seat == 1 else (r, c)) for r, c in stones}
        width = range(self.n + 4)
        return [[float((x - 2, y - 2) in seen or (x, y)[axis] in padding) for y in width] for x in width]

    def seen_action(self, seat: int, action: int) -> int:
        """The action as the `oriented` and the `neurohex` of a seat show it: mirrored with the board for seat 1."""
        if seat == 0 or action == self.n * self.n:
            return action
        r, c = divmod(action, self.n)
        return c * self.n + r
