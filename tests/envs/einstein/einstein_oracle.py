"""EinStein in slow, plain Python, written from envs/einstein/RULES.md alone: it shares no line with the kernels."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

Cell = tuple[int, int]
Stone = tuple[int, int]
Planes = list[list[list[float]]]


class EinStein:
    """One game of EinStein. The position is a dict from (seat, number) to the (r, c) where that stone stands."""

    def __init__(
        self,
        board_size: int = 5,
        columns: int = 0,
        stones: int = 6,
        placement: str = "random",
        substitution: str = "adjacent",
    ) -> None:
        """The start (§3) with stones dealt as with `fixed`."""
        self.n, self.m, self.k = board_size, columns or board_size, stones
        self.placement, self.substitution = placement, substitution
        self.stones: dict[Stone, Cell] = {}
        for seat in (0, 1):
            self.stones.update({(seat, i + 1): cell for i, cell in enumerate(self.start_squares(seat)[:stones])})
        self.turn = 0
        self.die: int | None = None
        self.actions: list[int] = []
        self.offender: int | None = None
        self.won_by: int | None = None

    def copy(self) -> "EinStein":
        """A game of its own in the same position."""
        twin = EinStein(self.n, self.m, self.k, self.placement, self.substitution)
        twin.stones, twin.actions = dict(self.stones), list(self.actions)
        twin.turn, twin.die, twin.offender, twin.won_by = self.turn, self.die, self.offender, self.won_by
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> "EinStein":
        """The same, where millions are counted."""
        return self.copy()

    def deal(self, state: Any) -> None:
        """Take the stones from where a record has them at the start: on its start squares (§3)."""
        squares = [cell for seat in (0, 1) for cell in self.start_squares(seat)]
        dealt = {int(state["board"][r * self.m + c]) - 1: (r, c) for r, c in squares}
        self.stones = {(stone // self.k, stone % self.k + 1): dealt[stone] for stone in sorted(dealt) if stone >= 0}

    def set_up(self, stones: Mapping[Stone, Cell], turn: int, die: int | None) -> None:
        """Go on from a position that was not played to."""
        self.stones, self.turn, self.die = dict(stones), turn, die

    def half_turn(self, cell: Cell) -> Cell:
        """Where a square comes to by half a turn of the board (§2)."""
        r, c = cell
        return self.n - 1 - r, self.m - 1 - c

    def start_squares(self, seat: int) -> list[Cell]:
        """The squares of a seat's triangle, in order (§3)."""
        widest = max(0, min(self.n, self.m) - 2)
        squares: list[Cell] = []
        for t in range(widest + 1):
            squares = [(r, c) for r in range(self.n) for c in range(self.m) if r + c <= t]
            if len(squares) >= self.k:
                break
        return squares if seat == 0 else [self.half_turn(cell) for cell in squares]

    def goal(self, seat: int) -> Cell:
        """The corner that a seat's stones race to (§1)."""
        return (self.n - 1, self.m - 1) if seat == 0 else (0, 0)

    def numbers(self, seat: int) -> list[int]:
        """The stones that a seat still has, lowest number first."""
        return sorted(i for owner, i in self.stones if owner == seat)

    def mover(self) -> int | None:
        """The seat to move; None before the roll and when the game is over."""
        return None if self.over() or self.die is None else self.turn

    def over(self) -> bool:
        return self.won_by is not None or self.offender is not None

    def resolve(self, outcome: int) -> None:
        """Roll what outcomes are numbered by, from 0."""
        self.roll(outcome + 1)

    def roll(self, die: int) -> None:
        """Begin the turn with a roll (§4)."""
        if self.over() or self.die is not None or not 1 <= die <= self.k:
            raise AssertionError("no roll is due, or none like this")
        self.die = die

    def movable(self) -> list[int]:
        """The mover's stones that it may choose from (§5)."""
        return [] if self.die is None or self.over() else self.movable_by(self.turn, self.die)

    def movable_by(self, seat: int, die: int) -> list[int]:
        """The stones that a roll lets a seat choose from (§5)."""
        own = self.numbers(seat)
        if die in own:
            return [die]
        lower, higher = [i for i in own if i < die][-1:], [i for i in own if i > die][:1]
        candidates = lower + higher
        if self.substitution == "nearest" and candidates:
            least = min(abs(i - die) for i in candidates)
            candidates = [i for i in candidates if abs(i - die) == least]
        return candidates

    def target(self, action: int) -> Cell | None:
        """The square that an action moves a stone of the mover to, None where there is none (§1, §6, §10)."""
        number, direction = action // 3 + 1, action % 3
        r, c = self.stones[self.turn, number]
        step = 1 if self.turn == 0 else -1
        if direction != 1:
            c += step
        if direction != 0:
            r += step
        return (r, c) if 0 <= r < self.n and 0 <= c < self.m else None

    def legal(self) -> set[int]:
        """The actions open to the mover (§6); none before the roll and after the end."""
        actions = {3 * (number - 1) + direction for number in self.movable() for direction in range(3)}
        return {action for action in actions if self.target(action) is not None}

    def play(self, action: int) -> None:
        """Move a stone (§6) or, outside the legal actions, forfeit the game (§10)."""
        if self.mover() is None:
            raise AssertionError("nobody is to move")
        if action not in self.legal():
            self.offender = self.turn
            return
        target = self.target(action)
        assert target is not None
        for stone in [stone for stone, cell in self.stones.items() if cell == target]:
            del self.stones[stone]  # §7: of either seat
        self.stones[self.turn, action // 3 + 1] = target
        self.actions.append(action)
        self.die = None
        if target == self.goal(self.turn) or not self.numbers(1 - self.turn):
            self.won_by = self.turn
        else:
            self.turn = 1 - self.turn

    def winner(self) -> int | None:
        """The seat that has won (§8), None before that and after a forfeit."""
        return self.won_by

    def returns(self) -> list[float]:
        """What each seat has got (§9, after a forfeit §10)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        if self.won_by is None:
            return [0.0, 0.0]
        return [1.0 if seat == self.won_by else -1.0 for seat in (0, 1)]

    def longest(self) -> int:
        """All steps that full triangles of stones have to their goals, less one (§9)."""
        steps = 0
        for seat in (0, 1):
            r, c = self.goal(seat)
            steps += sum(abs(r - a) + abs(c - b) for a, b in self.start_squares(seat)[: self.k])
        return steps - 1

    def name(self, action: int) -> str:
        """The stone's number and the direction in the words of the seat whose turn it is (§11)."""
        words = ("right", "down", "diag") if self.turn == 0 else ("left", "up", "diag")
        return f"{action // 3 + 1}-{words[action % 3]}"

    def seen(self, seat: int, cell: Cell) -> Cell:
        """Where an observer sees a square: it always moves right and down."""
        return cell if seat == 0 else self.half_turn(cell)

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat."""
        everywhere = {(r, c) for r in range(self.n) for c in range(self.m)}
        ones: list[set[Cell]] = []
        for owner in (seat, 1 - seat):
            for i in range(1, self.k + 1):
                ones.append({self.seen(seat, cell) for stone, cell in self.stones.items() if stone == (owner, i)})
        ones += [everywhere if face else set() for face in self.faces()]
        ones.append(everywhere if self.turn == seat and not self.over() else set())
        return [[[float((r, c) in where) for c in range(self.m)] for r in range(self.n)] for where in ones]

    def observe_mobility(self, seat: int) -> Planes:
        """The encoder `mobility` from a seat: `planes`, and what the die may let stones do."""
        whose, chances = [], []
        for owner in (seat, 1 - seat):
            at = {i: self.seen(seat, cell) for (of, i), cell in self.stones.items() if of == owner}
            by = Counter(at[i] for die in range(1, self.k + 1) for i in self.movable_by(owner, die))
            whose.append(dict.fromkeys(at.values(), 1.0))
            chances.append({cell: faces / self.k for cell, faces in by.items()})
        now = {self.seen(seat, self.stones[self.turn, i]): 1.0 for i in self.movable()}
        return self.observe_planes(seat) + [
            [[plane.get((r, c), 0.0) for c in range(self.m)] for r in range(self.n)]
            for plane in (*whose, *chances, now)
        ]

    def faces(self) -> list[float]:
        """One number for each face of the die: 1 for the one it shows, before the roll and after the end none."""
        return [float(not self.over() and self.die == i) for i in range(1, self.k + 1)]

    def observe_value36(self, seat: int) -> list[float]:
        """The encoder `value36` from a seat: whether each stone is there, and where."""
        numbers: list[float] = []
        for owner in (seat, 1 - seat):
            for i in range(1, self.k + 1):
                if (owner, i) in self.stones:
                    r, c = self.seen(seat, self.stones[owner, i])
                    numbers += [1.0, r / (self.n - 1), c / (self.m - 1) if self.m > 1 else 0.0]
                else:
                    numbers += [0.0, 0.0, 0.0]
        return numbers

    def observe_policy42(self, seat: int) -> list[float]:
        """The encoder `policy42` from a seat: `value36` and the die."""
        return self.observe_value36(seat) + self.faces()
