"""Jiu in slow, plain Python, written from envs/jiu/RULES.md alone: it shares no line with the kernels."""

from collections.abc import Iterator, Set
from itertools import combinations

Point = tuple[int, int]
Jump = tuple[int, Point, Point]  # the direction, the point jumped over, the point landed on
Dalian = tuple[Point, Point, Point, Point]  # p, q, A and B of §14; cells are named by their upper left corners
Position = tuple[frozenset[Point], frozenset[Point], int]  # white stones, black stones, the seat to move
Planes = list[list[list[float]]]

WAYS = ((-1, 0), (1, 0), (0, -1), (0, 1))  # up, down, left, right: planes 1 to 4 of the actions
PUT, LIFT, DROP, TAKE, STOP = 0, 5, 6, 7, 8
LOOK_BACK = 250


def corners(cell: Point) -> set[Point]:
    """The four points of the unit cell with this upper left corner."""
    r, c = cell
    return {(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)}


class Jiu:
    """One game of Jiu. The position is a set of points for each seat; `why` says how the game has ended."""

    def __init__(
        self,
        board_size: int = 14,
        layout_only: bool = False,
        gun: bool = True,
        must_take: bool = True,
        revisit: bool = True,
        flying: str = "size",
        single_jump_ban: str = "flyer",
        dalian_win: str = "apart",
        dalian_gates: bool = True,
        repetition: int = 3,
        no_capture_limit: int = 100,
        max_turns: int = 1000,
    ) -> None:
        self.n = board_size
        self.layout_only, self.gun, self.must_take, self.revisit = layout_only, gun, must_take, revisit
        self.flying, self.single_jump_ban = flying, single_jump_ban
        self.dalian_win, self.dalian_gates = dalian_win, dalian_gates
        self.repetition, self.no_capture_limit, self.max_turns = repetition, no_capture_limit, max_turns
        self.stones: tuple[set[Point], set[Point]] = (set(), set())
        self.to_move: int | None = 0
        self.phase = "layout"  # then turn, jump, drop and take, as in the diagram
        self.actions: list[int] = []
        self.over = self.cut = False
        self.winner: int | None = None
        self.offender: int | None = None
        self.why = ""
        self.latest: list[Point | None] = [
            None,
            None,
        ]  # where each seat's latest stone was put, or its latest move ended
        self.turns = self.quiet = 0  # turns of the battle that are over; of these, since the last capture
        self.stood: list[Position] = []  # positions before a turn, since the last capture
        # The turn in progress
        self.had = (0, 0)  # stones of each seat when it began
        self.runner: Point | None = None  # the stone that is jumping or lifted
        self.been: set[Point] = set()  # where the moving stone has stood
        self.jumps = self.taken = self.due = 0

    def set_up(self, stones: tuple[set[Point], set[Point]], turns: int = 0) -> None:
        """Go on from a position that was not played to, before a turn of the battle; seat 1 had the first (§3)."""
        self.stones, self.turns = (set(stones[0]), set(stones[1])), turns
        self.begin_turn(1 - turns % 2)

    def mover(self) -> int | None:
        """The seat to move, None when the game is over."""
        return self.to_move

    # The board (§1, §8, §9)

    def ends(self) -> set[Point]:
        """The two ends of the marked diagonal (§1)."""
        half = self.n // 2
        return {(half - 1, half - 1), (half, half)}

    def inside(self, point: Point) -> bool:
        return 0 <= point[0] < self.n and 0 <= point[1] < self.n

    def empty(self, point: Point) -> bool:
        """Whether this is a point of the board without a stone."""
        return self.inside(point) and point not in self.stones[0] and point not in self.stones[1]

    def empties(self) -> set[Point]:
        every = {(r, c) for r in range(self.n) for c in range(self.n)}
        return every - self.stones[0] - self.stones[1]

    def cells(self, point: Point) -> list[Point]:
        """The unit cells that a point is a corner of."""
        r, c = point
        found = [(a, b) for a in (r - 1, r) for b in (c - 1, c)]
        return [(a, b) for a, b in found if 0 <= a < self.n - 1 and 0 <= b < self.n - 1]

    def squares(self, seat: int) -> set[Point]:
        """The squares of a seat (§8)."""
        own = self.stones[seat]
        return {(r, c) for r, c in own if (r, c + 1) in own and (r + 1, c) in own and (r + 1, c + 1) in own}

    def squares_made(self, own: Set[Point], point: Point) -> int:
        """How many squares of these stones contain the point (§8)."""
        return sum(corners(cell) <= own for cell in self.cells(point))

    def guns_made(self, own: Set[Point], point: Point) -> int:
        """How many full rows and columns of these stones go through the point (§9)."""
        row = all((point[0], c) in own for c in range(self.n))
        column = all((r, point[1]) in own for r in range(self.n))
        return row + column

    def earned(self, own: Set[Point], point: Point) -> int:
        """What a move that ends on the point earns (§8, §9)."""
        return self.squares_made(own, point) + (2 * self.guns_made(own, point) if self.gun else 0)

    # Who may do what (§2, §5 to §7, §10 to §12)

    def few(self, stones: int) -> bool:
        """Whether so many stones fly (§11)."""
        return stones < self.n or (stones == self.n and self.flying == "size")

    def flies(self, seat: int) -> bool:
        """Whether a seat flies, as at the beginning of this turn (§11); by the stones left when all is over."""
        stones = len(self.stones[seat]) if self.to_move is None else self.had[seat]
        return self.phase != "layout" and self.few(stones)

    def banned(self) -> bool:
        """Whether the seat to move may not take by a single jump in this turn (§12)."""
        if self.to_move is None:
            return False
        own, other = self.flies(self.to_move), self.flies(1 - self.to_move)
        holds = {"flyer": own, "stronger": other and not own, "both": own or other, "none": False}
        return holds[self.single_jump_ban]

    def jumps_of(self, point: Point, own: Set[Point], other: Set[Point], been: Set[Point]) -> list[Jump]:
        """The jumps of the stone on a point (§6); with ``revisit=false`` it does not land where it has been (§7)."""
        found = []
        for way, (dr, dc) in enumerate(WAYS):
            middle, behind = (point[0] + dr, point[1] + dc), (point[0] + 2 * dr, point[1] + 2 * dc)
            if middle not in other or not self.inside(behind) or behind in own or behind in other:
                continue
            if self.revisit or behind not in been:
                found.append((way, middle, behind))
        return found

    def first_jumps(self) -> list[tuple[Point, Jump]]:
        """The jumps that can begin a turn, those that §12 forbids too: the stone and its jump."""
        assert self.to_move is not None
        own, other = self.stones[self.to_move], self.stones[1 - self.to_move]
        return [(p, jump) for p in own for jump in self.jumps_of(p, own, other, {p})]

    def follows(self, point: Point, jump: Jump) -> bool:
        """Whether the stone that begins a turn with this jump can jump on (§12)."""
        assert self.to_move is not None
        _, middle, behind = jump
        own = (self.stones[self.to_move] - {point}) | {behind}
        other = self.stones[1 - self.to_move] - {middle}
        return bool(self.jumps_of(behind, own, other, {point, behind}))

    def next_jumps(self) -> list[Jump]:
        """How the jumping stone can go on (§7)."""
        assert self.to_move is not None and self.runner is not None
        own, other = self.stones[self.to_move], self.stones[1 - self.to_move]
        return self.jumps_of(self.runner, own, other, self.been)

    def number(self, plane: int, point: Point) -> int:
        """The action of this plane on a point (§19)."""
        return plane * self.n**2 + point[0] * self.n + point[1]

    def parts(self, action: int) -> tuple[int, Point]:
        """The plane and the point of an action (§19)."""
        plane, rest = divmod(action, self.n**2)
        return plane, divmod(rest, self.n)

    def legal(self) -> set[int]:
        """The actions open to the seat to move (§19); none when the game has ended."""
        seat = self.to_move
        if seat is None:
            return set()
        found: set[int] = set()
        if self.phase == "layout":
            points = self.empties()
            if len(self.actions) < 2:
                points &= self.ends()  # §2
            found = {self.number(PUT, p) for p in points}
        elif self.phase == "turn":
            for p, jump in self.first_jumps():
                if not self.banned() or self.follows(p, jump):
                    found.add(self.number(1 + jump[0], p))
            if self.flies(seat):
                found |= {self.number(LIFT, p) for p in self.stones[seat]}  # §11: in the battle some point is empty
            else:
                for r, c in self.stones[seat]:
                    for way, (dr, dc) in enumerate(WAYS):
                        if self.empty((r + dr, c + dc)):
                            found.add(self.number(1 + way, (r, c)))
        elif self.phase == "jump":
            assert self.runner is not None
            found = {self.number(1 + way, self.runner) for way, _, _ in self.next_jumps()}
            if not self.banned() or self.jumps >= 2:
                found.add(self.number(STOP, (0, 0)))
        elif self.phase == "drop":
            found = {self.number(DROP, p) for p in self.empties() - self.been}
        elif self.phase == "take":
            found = {self.number(TAKE, p) for p in self.stones[1 - seat]}
            if not self.must_take:
                found.add(self.number(STOP, (0, 0)))
        return found

    def forbidden(self) -> set[int]:
        """The jumps that a turn could begin with, were it not for §12."""
        if self.phase != "turn" or not self.banned():
            return set()
        return {self.number(1 + jump[0], p) for p, jump in self.first_jumps() if not self.follows(p, jump)}

    def landing(self, action: int) -> tuple[Point, Point | None, Point] | None:
        """Where a step, jump or drop starts, what it jumps over, and where it lands; None for other actions."""
        plane, (r, c) = self.parts(action)
        if plane == DROP:
            assert self.runner is not None
            return self.runner, None, (r, c)
        if not 1 <= plane <= 4:
            return None
        dr, dc = WAYS[plane - 1]
        if self.empty((r + dr, c + dc)):
            return (r, c), None, (r + dr, c + dc)
        return (r, c), (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)

    # Play

    def play(self, action: int) -> None:
        """Play an action or, where it is not legal, forfeit the game (§19)."""
        assert self.to_move is not None, f"the game is over\n{self}"
        if action not in self.legal():
            self.offender = self.to_move
            self.drawn("forfeit")
            return
        seat, (plane, point) = self.to_move, self.parts(action)
        own, other = self.stones[seat], self.stones[1 - seat]
        move = self.landing(action)
        self.actions.append(action)
        if plane == PUT:
            self.put(seat, point)
        elif plane == LIFT:
            self.phase, self.runner, self.been = "drop", point, {point}
        elif plane == TAKE:
            other.remove(point)
            self.taken += 1
            self.due -= 1
            if len(other) < 4:
                self.won(seat, "too few stones")  # §13
            elif not self.due:
                self.end_turn()
        elif move is None:  # stop
            if self.phase == "jump":
                self.end_move()
            else:
                self.end_turn()
        else:
            start, middle, end = move
            own.remove(start)
            own.add(end)
            self.runner = end
            self.been |= {start, end}
            if middle is not None:
                other.remove(middle)
                self.phase = "jump"
                self.jumps += 1
                self.taken += 1
            if len(other) < 4:
                self.latest[seat] = end
                self.won(seat, "too few stones")  # §13
            elif middle is None or not self.next_jumps():
                self.end_move()

    def put(self, seat: int, point: Point) -> None:
        """Put a stone on the board; when it is full comes the battle (§2, §3) or the end (§18)."""
        self.stones[seat].add(point)
        self.latest[seat] = point
        if self.empties():
            self.to_move = 1 - seat
        elif self.layout_only:
            white, black = len(self.squares(0)), len(self.squares(1))
            if white == black:
                self.drawn("equal squares")
            else:
                self.won(int(black > white), "more squares")
        else:
            for stones in self.stones:
                stones -= self.ends()
            self.begin_turn(1)

    def end_move(self) -> None:
        """Count what the move has earned (§8 to §10)."""
        assert self.to_move is not None and self.runner is not None
        earned = self.earned(self.stones[self.to_move], self.runner)
        self.due = min(earned, len(self.stones[1 - self.to_move]))
        self.latest[self.to_move], self.runner = self.runner, None
        if self.due:
            self.phase = "take"
        else:
            self.end_turn()

    def begin_turn(self, seat: int) -> None:
        """Give the move to a seat, unless it has lost (§15) or the position is a draw (§16)."""
        self.to_move, self.phase = seat, "turn"
        self.had = (len(self.stones[0]), len(self.stones[1]))
        self.runner, self.been = None, set()
        self.jumps = self.taken = self.due = 0
        self.stood.append((frozenset(self.stones[0]), frozenset(self.stones[1]), seat))
        if not self.legal():
            self.won(1 - seat, "no action")
        elif self.repetition and self.occurrence() >= self.repetition:
            self.drawn("repetition")

    def occurrence(self) -> int:
        """How often the position before this turn has stood, this time included (§16)."""
        seen = self.stood if self.no_capture_limit else self.stood[-1 - LOOK_BACK :]
        return seen.count(self.stood[-1])

    def end_turn(self) -> None:
        """Test what is tested at the end of a turn (§14, §16)."""
        assert self.to_move is not None
        seat = self.to_move
        self.turns += 1
        self.quiet += 1
        if self.taken:
            self.quiet, self.stood = 0, []
        for side in (seat, 1 - seat):
            if self.has_two_dalians(side):
                self.won(side, "two dalians")
                return
        if self.no_capture_limit and self.quiet >= self.no_capture_limit:
            self.drawn("no capture")
        elif self.turns >= self.max_turns:
            self.cut, self.to_move, self.why = True, None, "cut"
        else:
            self.begin_turn(1 - seat)

    def won(self, seat: int, why: str) -> None:
        self.winner = seat
        self.drawn(why)

    def drawn(self, why: str) -> None:
        self.over, self.to_move, self.why = True, None, why

    def returns(self) -> list[float]:
        """What each seat has got (§17, after a forfeit §19)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    # Two dalians (§14)

    def dalians(self, seat: int) -> Iterator[Dalian]:
        """All dalians of a seat."""
        own = self.stones[seat]
        for p in own:
            homes = [a for a in self.cells(p) if corners(a) <= own]
            for dr, dc in WAYS if homes else ():
                q = (p[0] + dr, p[1] + dc)
                if not self.empty(q):
                    continue
                for a in homes:
                    for b in self.cells(q):
                        if q not in corners(a) and p not in corners(b) and corners(b) - {q} <= own:
                            yield p, q, a, b

    def has_two_dalians(self, seat: int) -> bool:
        """Whether a seat has won by two dalians."""
        if self.dalian_win == "off" or self.squares(1 - seat):
            return False
        if not self.dalian_gates and self.has_gate(1 - seat):
            return False
        found = set(self.dalians(seat))
        if self.dalian_win == "any":
            return len({(p, q) for p, q, _, _ in found}) >= 2
        covers = [corners(a) | corners(b) for _, _, a, b in found]
        return any(not one & two for one, two in combinations(covers, 2))

    def has_gate(self, seat: int) -> bool:
        """Whether a seat has three stones of a unit cell and can bring a fourth one to its empty point at once."""
        own, other = self.stones[seat], self.stones[1 - seat]
        for q in self.empties():
            for cell in self.cells(q):
                if not corners(cell) - {q} <= own:
                    continue
                if self.few(len(own)) and own - corners(cell):
                    return True
                for dr, dc in WAYS:
                    near, far = (q[0] + dr, q[1] + dc), (q[0] + 2 * dr, q[1] + 2 * dc)
                    if near in own and near not in corners(cell):
                        return True
                    if near in other and far in own:
                        return True
        return False

    # What is seen

    def observe_layout4(self, seat: int) -> Planes:
        """The encoder `layout4` from a seat: the first four planes."""
        return self.observe_planes(seat)[:4]

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat."""
        going = self.to_move is not None or self.offender is not None  # whether a turn is shown
        every = {(r, c) for r in range(self.n) for c in range(self.n)}
        used = self.latest[1 - seat]
        phase = self.phase if going else "over"
        limit = self.no_capture_limit
        often = min(self.occurrence() - 1, 2) / 2 if going and self.stood else 0.0

        def flat(value: float) -> dict[Point, float]:
            return dict.fromkeys(every, float(value))

        planes: list[dict[Point, float]] = [
            dict.fromkeys(self.stones[seat], 1.0),
            dict.fromkeys(self.stones[1 - seat], 1.0),
            {} if used is None else {used: 1.0},
            flat(seat == 0),
            flat(self.phase != "layout"),
            {self.runner: 1.0} if self.runner is not None and phase in ("jump", "drop") else {},
            flat(phase == "jump"),
            flat(phase == "drop"),
            flat(self.due / 8 if going else 0),
            flat(self.flies(seat)),
            flat(self.flies(1 - seat)),
            flat(self.quiet / limit if limit else 0),
            flat(often),
        ]
        return [[[plane.get((r, c), 0.0) for c in range(self.n)] for r in range(self.n)] for plane in planes]

    def __str__(self) -> str:
        """A picture for the messages of failing tests: X is seat 0, O seat 1."""
        names = "0123456789ABCDEFGHIJKLMNOPQ"
        lines = ["   " + " ".join(names[: self.n])]
        for r in range(self.n):
            row = ["X" if (r, c) in self.stones[0] else "O" if (r, c) in self.stones[1] else "." for c in range(self.n)]
            lines.append(f" {chr(ord('a') + r)} " + " ".join(row))
        facts = f"to move {self.to_move}, {self.phase}, turns {self.turns}, quiet {self.quiet}, due {self.due}"
        return "\n".join([*lines, f"{facts}, jumps {self.jumps}, runner {self.runner}, {self.why}"])
