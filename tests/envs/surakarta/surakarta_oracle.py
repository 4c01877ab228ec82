"""Surakarta in slow, plain Python, from envs/surakarta/RULES.md alone: it shares no line with the kernels it judges."""

Point = tuple[int, int]
Planes = list[list[list[float]]]

POINTS = [(r, c) for r in range(6) for c in range(6)]


def loop(k: int) -> list[Point]:
    """The 24 points of a loop in their order; an arc follows each sixth of them (§4)."""
    across, down = [(k, c) for c in range(6)], [(r, 5 - k) for r in range(6)]
    back, up = [(5 - k, 5 - c) for c in range(6)], [(5 - r, k) for r in range(6)]
    return across + down + back + up


class Surakarta:
    """One game of Surakarta. The board is a dict from (r, c) to the seat whose man stands there."""

    def __init__(self, no_capture_limit: int = 100, repetition: int = 3) -> None:
        """The start: seat 0 below, seat 1 above, seat 0 to move (§2)."""
        self.limit, self.repetition = no_capture_limit, repetition
        self.men = {(r, c): int(r < 2) for r, c in POINTS if r in (0, 1, 4, 5)}
        self.turns = 0
        self.seen = [self.position()]
        self.offender: int | None = None

    def position(self) -> tuple[int, list[tuple[Point, int]]]:
        """The men and the seat whose turn is next, which make two positions the same (§9)."""
        return self.turns % 2, sorted(self.men.items())

    def steps(self, seat: int) -> set[tuple[Point, Point]]:
        """A seat's steps, as where from and where to (§5)."""
        mine = [point for point, owner in self.men.items() if owner == seat]
        near = [(a, b) for a in mine for b in POINTS if max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1]
        return {(a, b) for a, b in near if b not in self.men}

    def captures(self, seat: int) -> set[tuple[Point, Point]]:
        """A seat's captures, as where from and where to (§6)."""
        found = set()
        for track in (loop(1), loop(2)):
            for way in (track, track[::-1]):
                for i, start in enumerate(way):
                    if self.men.get(start) == seat:
                        victim = self.first_met(way[i:] + way[:i], 5 - i % 6)
                        if victim is not None and self.men[victim] != seat:
                            found.add((start, victim))
        return found

    def first_met(self, way: list[Point], arc: int) -> Point | None:
        """The point of the first other man on the way, if it passes an arc before; `arc` steps lead to the first."""
        for far, point in enumerate(way):
            if point != way[0] and point in self.men:
                return point if far > arc else None
        return None

    def moves(self, seat: int) -> set[int]:
        """A seat's actions: every step and every capture (§3), numbered (§11)."""
        pairs = self.steps(seat) | self.captures(seat)
        return {36 * (6 * a[0] + a[1]) + 6 * b[0] + b[1] for a, b in pairs}

    def loser(self) -> int | None:
        """The seat that has no man left (§7), or is to move and cannot (§8)."""
        mover = self.turns % 2
        bare = [seat for seat in (0, 1) if seat not in self.men.values()]
        return bare[0] if bare else None if self.moves(mover) else mover

    def stood(self) -> int:
        """How often the position has stood since the last capture (§9)."""
        return self.seen.count(self.position())

    def mover(self) -> int | None:
        """The seat to move; None when the game is lost, forfeited or a draw, by quiet turns or a repetition (§9)."""
        drawn = len(self.seen) > self.limit or 1 < self.repetition <= self.stood()
        return None if drawn or self.offender is not None or self.loser() is not None else self.turns % 2

    def legal(self) -> set[int]:
        """The actions open to the mover; none after the end."""
        mover = self.mover()
        return set() if mover is None else self.moves(mover)

    def play(self, action: int) -> None:
        """Make a step or a capture (§3) or, outside the legal actions, forfeit the game (§11)."""
        seat = self.mover()
        assert seat is not None, "the game is over"
        if action not in self.legal():
            self.offender = seat
            return
        start, end = POINTS[action // 36], POINTS[action % 36]
        taken = self.men.get(end) is not None
        self.men[end] = self.men.pop(start)
        self.turns += 1
        self.seen = [*([] if taken else self.seen), self.position()]

    def returns(self) -> list[float]:
        """What each seat has got (§10, after a forfeit §11)."""
        if self.offender is not None:
            return [-1.0 if seat == self.offender else 0.0 for seat in (0, 1)]
        loser = self.loser()
        return [0.0 if loser is None else -1.0 if seat == loser else 1.0 for seat in (0, 1)]

    def name(self, action: int) -> str:
        """The two points, counted from the lower left, with an x between them in a capture (§12)."""
        ends = [POINTS[action // 36], POINTS[action % 36]]
        return ("x" if ends[1] in self.men else "-").join("abcdef"[c] + str(6 - r) for r, c in ends)

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes` from a seat: never turned."""
        men = [[[float(self.men.get((r, c)) == who) for c in range(6)] for r in range(6)] for who in (seat, 1 - seat)]
        facts = [(len(self.seen) - 1) / self.limit, min(self.stood() - 1, 2) / 2, float(self.mover() == seat)]
        return men + [[[fact] * 6 for _ in range(6)] for fact in facts]
