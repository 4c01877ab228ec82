"""Whole games of Jiu beside the oracle; ``python test_jiu_play.py 2000`` in tests/ plays that many."""

import random
import sys
import time
from collections import Counter
from math import lcm
from typing import Any

import numpy as np
import pytest
from jiu_oracle import DROP, LIFT, STOP, TAKE, Jiu, Point, corners

from boyi.envs import Batch
from boyi.envs.jiu import text

pytestmark = pytest.mark.kernels

VALUES: dict[str, tuple[Any, ...]] = {
    "gun": (True, False),
    "must_take": (True, False),
    "revisit": (True, False),
    "flying": ("size", "below"),
    "single_jump_ban": ("flyer", "both", "stronger", "none"),
    "dalian_win": ("apart", "any", "off"),
    "dalian_gates": (True, False),
    "repetition": (3, 0, 2, 4, 9),
    "no_capture_limit": (100, 0, 1, 7, 250),
    "max_turns": (1000, 1, 60, 400),
}
SETS: tuple[tuple[int, dict[str, Any]], ...] = (  # games, parameters
    (5, {}),
    (1, {"layout_only": True}),
    (2, {"single_jump_ban": "none", "dalian_win": "any", "must_take": False}),
    (13, {"board_size": 6}),
    (3, {"board_size": 6, "no_capture_limit": 7}),
    (2, {"board_size": 6, "layout_only": True}),
    (3, {"board_size": 6, "gun": False, "revisit": False, "single_jump_ban": "stronger", "max_turns": 400}),
    (4, {"board_size": 6, "flying": "below", "single_jump_ban": "both", "dalian_gates": False, "repetition": 2}),
    (4, {"board_size": 6, "dalian_win": "any", "dalian_gates": False, "no_capture_limit": 0, "repetition": 4}),
    (4, {"board_size": 6, "must_take": False, "single_jump_ban": "none", "no_capture_limit": 0, "repetition": 2}),
    (3, {"board_size": 6, "dalian_win": "off", "repetition": 0, "no_capture_limit": 250}),
    (3, {"board_size": 6, "dalian_win": "off", "repetition": 9, "revisit": False, "no_capture_limit": 0}),
    (2, {"board_size": 6, "max_turns": 1, "no_capture_limit": 1}),
    (2, {"board_size": 6, "max_turns": 60, "no_capture_limit": 7}),
    (3, {"board_size": 6, "dalian_win": "any", "revisit": False, "must_take": False, "flying": "below"}),
    (3, {"board_size": 6, "dalian_gates": False, "single_jump_ban": "both", "gun": False, "repetition": 0}),
    (3, {"board_size": 6, "single_jump_ban": "stronger", "repetition": 2, "no_capture_limit": 250}),
)
LARGER: tuple[tuple[int, dict[str, Any]], ...] = (
    (6, {"board_size": 8}),
    (1, {"board_size": 8, "layout_only": True}),
    (3, {"board_size": 8, "dalian_win": "any", "revisit": False, "must_take": False, "flying": "below"}),
    (3, {"board_size": 8, "dalian_gates": False, "single_jump_ban": "both", "gun": False, "repetition": 0}),
    (3, {"board_size": 8, "single_jump_ban": "stronger", "repetition": 2, "no_capture_limit": 250}),
)


class Player:
    """Both seats of one game: at random, but mostly for what takes stones, and in layouts for a shape."""

    def __init__(self, game: Jiu, seed: int) -> None:
        self.game, self.rng = game, random.Random(seed)
        self.layout = self.rng.choices(("any", "squares", "halves", "ring"), (3, 4, 2, 1))[0]
        # How often it takes what it can; how often it takes its last step back when it does not.
        self.greed, self.idle = self.rng.choices(((0.8, 0.0), (0.9, 0.8), (0.2, 0.2), (0.0, 0.8)), (5, 2, 1, 2))[0]
        self.steps: list[tuple[Point, Point] | None] = [None, None]
        self.far = self.rng.random() < 0.5  # whether it jumps on rather than stops

    def choose(self, legal: list[int]) -> int:
        game = self.game
        seat = game.to_move
        assert seat is not None
        if game.phase == "layout":
            return self.rng.choice(self.shape(legal, seat))
        best = legal
        if self.rng.random() < self.greed:
            worth = [self.worth(action, seat) for action in legal]
            if max(worth) > 0:
                best = [a for a, value in zip(legal, worth, strict=True) if value > 0]
                if self.rng.random() < 0.5:
                    best = [a for a, value in zip(legal, worth, strict=True) if value == max(worth)]
        if game.phase == "jump" and self.far:
            best = [a for a in best if game.landing(a)] or best
        if best is legal and self.rng.random() < self.idle:
            back = self.steps[seat]
            best = [a for a in legal if back and (m := game.landing(a)) and (m[2], m[0]) == back] or legal
        action = self.rng.choice(best)
        move = game.landing(action)
        if move:
            self.steps[seat] = (move[0], move[2])
        return action

    def worth(self, action: int, seat: int) -> int:
        """Count the stones that an action takes, or that its move earns; not those of later jumps."""
        game = self.game
        own, other = game.stones[seat], game.stones[1 - seat]
        plane, point = game.parts(action)
        if plane == TAKE:
            return sum(corners(cell) <= other for cell in game.cells(point))
        if plane == LIFT:
            rest = own - {point}
            gates = [q for p in rest for cell in game.cells(p) for q in corners(cell) - rest - {point} if game.empty(q)]
            return max((game.earned(rest | {q}, q) for q in set(gates)), default=0)
        move = game.landing(action)
        if move is None:
            return 0
        start, middle, end = move
        return (middle is not None) + game.earned((own - {start}) | {end}, end)

    def shape(self, legal: list[int], seat: int) -> list[int]:
        """Choose points of a layout: for own squares, half a board each, or one side around the middle."""
        game = self.game
        points = {action: game.parts(action)[1] for action in legal}
        half, found = game.n // 2, legal
        if self.layout == "squares" and self.rng.random() < 0.8:
            own = game.stones[seat]
            most = {a: max(len(corners(cell) & own) for cell in game.cells(p)) for a, p in points.items()}
            found = [a for a in legal if most[a] == max(most.values())]
        elif self.layout == "halves":
            found = [a for a, (r, _) in points.items() if (r < half) == (seat == 0)]
        elif self.layout == "ring":
            inner = {a: abs(2 * r - game.n + 1) + abs(2 * c - game.n + 1) for a, (r, c) in points.items()}
            aim = min(inner.values()) if seat == 0 else max(inner.values())
            found = [a for a in legal if inner[a] == aim]
        return found or legal


class Watch:
    """What every game keeps: the stones of both seats, counted as the engine shows them, turn by turn (§4 to §10)."""

    def __init__(self, game: Jiu) -> None:
        self.game, self.turn = game, (0, -1)
        self.before = (0, 0)
        self.losses = 0

    def note(self, action: int) -> None:
        """Count the stones that an action takes, before it is played."""
        move = self.game.landing(action)
        self.losses += self.game.parts(action)[0] == TAKE or bool(move and move[1])

    def look(self, stones: tuple[int, int], seat: int | None) -> None:
        """Compare the stones of both seats with those at the beginning of the turn."""
        game = self.game
        assert stones == (len(game.stones[0]), len(game.stones[1]))
        if game.phase == "layout" or game.layout_only:
            return
        mover = self.turn[1]
        if mover >= 0:
            assert stones[mover] == self.before[mover]
            assert stones[1 - mover] == self.before[1 - mover] - self.losses
        if seat is not None and game.phase == "turn":
            self.turn, self.before, self.losses = (game.turns, seat), stones, 0


def diagram(batch: Batch, game: Jiu) -> str:
    """Write a position before a turn of the battle as the page's diagram, for `read`."""
    assert game.to_move is not None
    digits, rows = "0123456789ABCDEFGHIJKLMNOP"[: game.n], []
    for r in range(game.n):
        row = ["X" if (r, c) in game.stones[0] else "O" if (r, c) in game.stones[1] else "." for c in range(game.n)]
        rows.append(f" {chr(ord('a') + r)}  {' '.join(row)}")
    ply = f"ply {game.n**2 + game.turns}  turns {game.turns}  {'XO'[game.to_move]} to move"
    phase = "phase turn  latest -,-  from -  runner -  jumps 0  taken 0  due 0  been -"
    return "\n".join(
        [f"{str(batch.game).lower()}  {ply}".replace(":", " "), phase, "    " + " ".join(digits), *rows, "quiet 0"]
    )


def dalian(point: Point, rng: random.Random) -> list[Point]:
    """The seven stones of a dalian, or those on the board, from a point on, down or to the right (§14)."""
    r, c = point
    q = (rng.randrange(2), rng.choice((1, 2)))
    block = [(i, j) for i in range(2) for j in range(4) if (i, j) != q]
    return [(r + i, c + j) for i, j in block] if rng.random() < 0.5 else [(r + j, c + i) for i, j in block]


def placed(rng: random.Random, **params: Any) -> Jiu:
    """Set up a position with few stones, some of them three or four to a cell, where the seat to move has an action."""
    while True:
        game = Jiu(**params)
        free = [(r, c) for r in range(game.n) for c in range(game.n)]
        rng.shuffle(free)
        stones: tuple[set[Point], set[Point]] = (set(), set())
        for seat in (0, 1):
            aim, clump = rng.randint(4, rng.choice((game.n + 1, 2 * game.n, game.n**2 // 2 - 1))), rng.random()
            while len(stones[seat]) < aim:
                piece = [free[-1]]
                if rng.random() < clump:
                    cell = sorted(corners(rng.choice(game.cells(free[-1]))))
                    piece = rng.choice((cell, rng.sample(cell, 3), dalian(free[-1], rng)))
                for p in [p for p in piece if p in free][: aim - len(stones[seat])]:
                    free.remove(p)
                    stones[seat].add(p)
        late, soon = game.max_turns - rng.randint(1, 8), rng.randrange(2)
        game.set_up(stones, min(game.max_turns - 1, max(0, late) if rng.random() < 0.3 else soon))
        if game.to_move is not None:
            return game


def play(seed: int, games: int, looks: float = 0.02, set_up: bool = False, **params: Any) -> Counter[str]:
    """Play games side by side, each beside its oracle, and compare every step; return what came up in them.

    With `set_up` they begin with a turn of the battle, from positions drawn at random.
    """
    batch, rng, came = Batch("jiu", games, seed=seed, **params), random.Random(seed), Counter[str](games=games)
    oracles = [placed(rng, **params) if set_up else Jiu(**params) for _ in range(games)]
    if set_up:
        batch.states = np.concatenate([text.read(diagram(batch, oracle)) for oracle in oracles])
    players = [Player(oracle, seed + i) for i, oracle in enumerate(oracles)]
    watches = [Watch(oracle) for oracle in oracles]
    rows = np.arange(games)
    while rows.size:
        masks, seats = batch.mask, batch.to_move
        shown = batch.observe(0, rows)
        actions = []
        for k, i in enumerate(rows):
            oracle = oracles[i]
            legal = np.flatnonzero(masks[i]).tolist()
            assert seats[i] == oracle.to_move, oracle
            assert set(legal) == oracle.legal() and legal, f"{sorted(oracle.legal() ^ set(legal))}\n{oracle}"
            assert (shown[k, 0] > 0).sum() + (shown[k, 1] > 0).sum() == sum(map(len, oracle.stones))
            watches[i].look((int(shown[k, 0].sum()), int(shown[k, 1].sum())), oracle.to_move)
            if rng.random() < looks:
                for seat in (0, 1):
                    expected = np.array(oracle.observe_planes(seat), np.float32)
                    seen = batch.observe(seat, [i])[0]
                    wrong = np.flatnonzero((abs(seen - expected) > 1e-6).any(axis=(1, 2)))
                    assert not wrong.size, f"planes {wrong} of seat {seat}\n{oracle}"
            action = players[i].choose(legal)
            came.update(events(oracle, action))
            watches[i].note(action)
            oracle.play(action)
            actions.append(action)
        rewards, over, cut = batch.step(np.array(actions), rows)
        for k, i in enumerate(rows):
            oracle = oracles[i]
            assert (over[k], cut[k]) == (oracle.over, oracle.cut), f"{over[k]} {cut[k]}\n{oracle}"
            assert rewards[k].tolist() == oracle.returns(), f"{rewards[k]}\n{oracle}"
            if oracle.to_move is None:
                came += ended(batch, oracle, watches[i], int(i))
        rows = np.flatnonzero(batch.to_move >= 0)
    return came


def events(game: Jiu, action: int) -> Counter[str]:
    """Name what an action is, before it is played."""
    assert game.to_move is not None
    own, move = game.stones[game.to_move], game.landing(action)
    came = Counter[str](actions=1, takes=game.parts(action)[0] == TAKE)
    came["single-jump bans met"] += bool(game.forbidden())
    came["stops"] += game.parts(action)[0] == STOP
    if move:
        start, middle, end = move
        came["jumps"] += middle is not None
        came["jumps on"] += game.phase == "jump"
        came["flights"] += game.parts(action)[0] == DROP
        came["guns"] += game.gun and middle is None and game.guns_made((own - {start}) | {end}, end)
    return came


def ended(batch: Batch, oracle: Jiu, watch: Watch, row: int) -> Counter[str]:
    """Compare what is left at the end; return how the game has ended."""
    assert not batch.mask[row].any() and batch.to_move[row] < 0 and not oracle.legal()
    assert len(oracle.actions) <= batch.game.longest
    shown = batch.observe(0, [row])[0]
    watch.look((int(shown[0].sum()), int(shown[1].sum())), None)
    for seat in (0, 1):
        assert set(map(tuple, np.argwhere(shown[seat] > 0).tolist())) == oracle.stones[seat]
    if oracle.cut or oracle.winner is not None:
        return Counter([oracle.why])
    return Counter([f"draw: {oracle.why}"])


def drawn_params(rng: random.Random, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Draw a size, and a value for about every second parameter."""
    found: dict[str, Any] = {"board_size": rng.choice(sizes), "layout_only": rng.random() < 0.02}
    for key, values in VALUES.items():
        if rng.random() < 0.5:
            usual = key in ("repetition", "no_capture_limit", "max_turns") and rng.random() < 0.5
            found[key] = values[0] if usual else rng.choice(values)
    return found


def test_games_agree_with_the_oracle() -> None:
    """§2 to §19: at every step who may do what, and the end, under every value of every parameter."""
    came = Counter[str]()
    for number, (games, params) in enumerate(SETS):
        came += play(100 * number, games, **params)
    ends = ("too few stones", "two dalians", "no action", "more squares", "draw: repetition", "draw: no capture", "cut")
    for name in (*ends, "takes", "jumps on", "stops", "flights", "guns", "single-jump bans met"):
        assert came[name] > 0, f"nothing like {name} in {came}"


@pytest.mark.slow
def test_games_on_eight_lines_agree_with_the_oracle() -> None:
    """§2 to §19: from the start and from positions with few stones."""
    for number, (games, params) in enumerate(LARGER):
        play(2000 + 100 * number, games, **params)
    rng = random.Random(7)
    for number in range(16):
        play(3000 + 10 * number, 4, set_up=True, **drawn_params(rng, (8,)) | {"layout_only": False})


def test_games_from_positions_agree_with_the_oracle() -> None:
    """§4 to §16: the same from positions with few stones, under parameters drawn at random."""
    rng, came = random.Random(5), Counter[str]()
    for number in range(50):
        params = drawn_params(rng, (6,)) | {"layout_only": False}
        came += play(1000 + 10 * number, 4, set_up=True, **params)
    for name in ("two dalians", "draw: no capture", "cut", "flights", "jumps on", "single-jump bans met"):
        assert came[name] > 0, f"nothing like {name} in {came}"


def test_ends_of_turns_agree_with_the_oracle() -> None:
    """§14, §16: one or two turns from many positions: two dalians, gates, and which end comes first."""
    rng, came = random.Random(6), Counter[str]()
    for number in range(100):
        drawn = {key: rng.choice(VALUES[key]) for key in ("single_jump_ban", "flying", "must_take")}
        ends = {"dalian_win": ("any", "apart")[number // 2 % 2], "no_capture_limit": rng.randrange(2)}
        params = drawn | ends | {"max_turns": rng.choice((1, 2, 2)), "dalian_gates": number % 2 == 0}
        came += play(3000 + 20 * number, 20, 0.0, set_up=True, board_size=6, **params)
    for name in ("too few stones", "two dalians", "draw: no capture", "cut"):
        assert came[name] > 0, f"nothing like {name} in {came}"


@pytest.mark.parametrize(("white", "black", "drawn"), [(31, 4, True), (125, 5, True), (18, 7, False)])
def test_how_far_a_repetition_is_looked_for(white: int, black: int, drawn: bool) -> None:
    """§16: without `no_capture_limit` a position that stood 250 turns ago counts, one that stood earlier does not."""
    params: dict[str, Any] = {"repetition": 2, "no_capture_limit": 0}
    game, batch = Jiu(**params), Batch("jiu", 1, seed=0, **params)
    loops = [(r, c) for r in range(2, 11) for c in range(14)][:white], [(11, c) for c in range(14)][:black]
    stones = {(0, 0), (0, 3), (0, 6), loops[0][0]}, {(13, 0), (13, 3), (13, 6), loops[1][0]}
    game.set_up(stones)
    batch.states = text.read(diagram(batch, game))
    period = 2 * lcm(white, black)
    for turn in range(period + 8):
        if game.to_move is None:
            break
        seat, step = 1 - turn % 2, turn // 2
        here, there = (loops[seat][i % len(loops[seat])] for i in (step, step + 1))
        for action in (game.number(LIFT, here), game.number(DROP, there)):
            game.play(action)
            _, over, _ = batch.step(np.array([action]))
            assert over[0] == game.over
    assert game.over == drawn
    assert game.turns == (period if drawn else period + 8)


GATES = {  # more black stones, more white ones, whether white has a gate
    "none": (set(), {(3, 12), (6, 9)}, False),
    "step": (set(), {(3, 12), (6, 7)}, True),
    "jump": ({(6, 7)}, {(3, 12), (6, 8)}, True),
    "jump that is cut off": ({(6, 7), (6, 8)}, {(3, 12), (6, 9)}, False),
    "flight": (set(), {(6, 9)}, True),
    "flight after a loss": (set(), {(13, 12), (6, 9)}, True),
}


@pytest.mark.parametrize("ban", VALUES["single_jump_ban"])
@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("case", GATES)
def test_gates(case: str, few: bool, ban: str) -> None:
    """§14: what reaches the fourth point: a step, a jump, banned or not, a flight if white flies when it is next."""
    params: dict[str, Any] = {"dalian_gates": False, "dalian_win": "any", "single_jump_ban": ban}
    more_black, more_white, gate = GATES[case]
    two = {(0, 0), (0, 1), (1, 0), (1, 1), (0, 3), (1, 2), (1, 3), (2, 1), (3, 0), (3, 1)}
    loss = case == "flight after a loss"  # black must be free to jump once: it does not fly
    rest = set() if few and not loss else {(8, c) for c in (0, 2, 4, 6, 8)}
    black = two | rest | more_black | {(13, 13)}
    white = {(5, 5), (5, 6), (6, 5)} | {(10, c) for c in range(0, 13, 2)} | {(12, c) for c in (0, 2, 4)} | more_white
    game, batch = Jiu(**params), Batch("jiu", 1, seed=0, **params)
    game.set_up((white, black))
    batch.states = text.read(diagram(batch, game))
    assert game.flies(1) == (few and not loss)
    left, flight = [game.number(3, (13, 13))], [game.number(LIFT, (13, 13)), game.number(DROP, (13, 11))]
    for action in flight if game.flies(1) else left:
        game.play(action)
        rewards, over, _ = batch.step(np.array([action]))
    assert over[0] == game.over == (not gate) and rewards[0].tolist() == game.returns()
    assert game.winner == (None if gate else 1)


def test_every_value_of_every_parameter_is_played() -> None:
    """The sets above have each of them."""
    for key, values in VALUES.items():
        assert {params.get(key, values[0]) for _, params in SETS} == set(values), key
    assert sum(games for games, _ in SETS) == 60


if __name__ == "__main__":
    total, started, many = Counter[str](), time.time(), int(sys.argv[1])
    lots = random.Random(many)
    while total["games"] < many:
        sets = (
            SETS[lots.randrange(len(SETS))][1]
            if lots.random() < 0.3
            else drawn_params(lots, (6, 6, 6, 8, 8, 10, 14, 26))
        )
        half = not sets.get("layout_only") and lots.random() < 0.5
        try:
            total += play(10_000 + total["games"], min(4, many - total["games"]), set_up=half, **sets)
        except AssertionError:
            print(f"seed {10_000 + total['games']}, set_up {half}, {sets}")
            raise
    print(f"{many} games agree with the oracle, {time.time() - started:.0f} s")
    print(", ".join(f"{name} {n}" for name, n in total.most_common()))
