"""Jiu's evaluation: notes against a fresh survey, shapes against the rules' page, choices, and planted tactics."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from jiu_positions import Record, beside, dalians, exchanged, image, played, position, unit_cells
from numpy.typing import NDArray
from sizes import COMPILES, marked

from boyi.baselines import make_agent
from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import WIN, evaluation
from boyi.envs import Batch, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import candidates, evaluate, follow, step, survey, tactics, transposition
from boyi.envs.jiu import rules, text
from boyi.envs.jiu import state as record
from boyi.envs.jiu.constants import DROP, JUMP, LAYOUT, TAKE, TURN
from boyi.envs.jiu.evaluate import HANDMADE, LEARNED, Worths
from boyi.envs.jiu.greedy import shapes
from boyi.envs.jiu.weigh import Weights, count_shapes, mark_ways, padded, weigh_places

pytestmark = pytest.mark.kernels

GAMES = [
    pytest.param("jiu", marks=COMPILES),
    "jiu:board_size=6",
    "jiu:board_size=6,layout_only=true",
    "jiu:board_size=6,single_jump_ban=both,must_take=false,revisit=false",
    "jiu:board_size=6,single_jump_ban=stronger,flying=below,gun=false,no_capture_limit=20",
]
every_game = pytest.mark.parametrize("game", GAMES)
on_fourteen_lines = marked(COMPILES)


def surveyed(states, notes):  # type: ignore[no-untyped-def]
    """Survey the first position."""
    survey(states[0], notes[0])


def followed(states, notes, a):  # type: ignore[no-untyped-def]
    """Follow an action from the first position to the second."""
    follow(states[0], states[1], notes[0], a)


def looked(states, notes, moves, ranks, out):  # type: ignore[no-untyped-def]
    """List candidates and tactics of the first position (2, actions); write their numbers, values and the hash."""
    s, e = states[0], notes[0]
    out[0] = candidates(s, e, moves[0], ranks[0])
    out[1] = tactics(s, e, moves[1], ranks[1])
    out[2], out[3] = evaluate(s, e, 0), evaluate(s, e, 1)
    out[4] = np.int64(transposition(s, e) >> np.uint64(1))


def earning(states, notes, mask):  # type: ignore[no-untyped-def]
    """Leave those actions in a mask that take a stone at once or earn one; lifting a stone does neither."""
    for a in range(mask.size):
        if mask[a]:
            states[1] = states[0]
            step(states[1], a)
            s = states[1]
            mask[a] = s.stones[1 - states[0].to_move] < states[0].stones[1 - states[0].to_move] or s.due > 0


class Looking:
    """The kernels of evaluation for one game, and the notes of a position."""

    def __init__(self, game: Game, *, learned: bool = False) -> None:
        self.game, found = game, evaluation(game, "a test", learned=learned)
        self.notes, self.blank, self.kernels = found.notes.copy(), found.notes, found.kernels

    def bound(self, kernel, *args: object) -> None:  # type: ignore[no-untyped-def]
        bind(kernel, self.game, **self.kernels)(*args)

    def survey(self, states: Record) -> None:
        self.notes = self.blank.copy()
        self.bound(surveyed, states, self.notes)

    def follow(self, before: Record, after: Record, a: int) -> None:
        self.bound(followed, np.concatenate([before, after]), self.notes, a)

    def look(self, states: Record) -> tuple[list[int], list[int], int, int]:
        """Return the candidates, the tactics, the value for seat 0, and the hash."""
        moves, ranks = np.zeros((2, 2, self.game.actions), np.int32)
        out = np.zeros(5, np.int64)
        self.bound(looked, states, self.notes, moves, ranks, out)
        assert out[2] == -out[3] and abs(out[2]) < WIN
        assert (np.diff(ranks[0, : out[0]]) <= 0).all()
        return moves[0, : out[0]].tolist(), moves[1, : out[1]].tolist(), int(out[2]), int(out[4])

    def earning(self, states: Record, mask: np.ndarray) -> set[int]:
        kept = mask.copy()
        self.bound(earning, np.repeat(states, 2), self.notes, kept)
        return set(np.flatnonzero(kept).tolist())


def value(state: Record, *, learned: bool = False) -> int:
    """Value a position for seat 0."""
    looking = Looking(game_of(state), learned=learned)
    looking.survey(state)
    return looking.look(state)[2]


def game_of(state: Record) -> Game:
    return find(text.diagram(state[0]).splitlines()[0].split("  ")[0].replace(" ", ":"))


def put_down(game: Game, board: NDArray[np.int64]) -> Record:
    """Put stones on an empty board of the layout: 0 for an empty point, seat + 1 for a stone."""
    put, state = bind(record.put_stone, game), rules.blank(**game.params)
    for p in np.flatnonzero(board).tolist():
        put(state.view(np.recarray)[0], p, int(board[p]) - 1)
    return state


def games(game: str, many: int, seed: int) -> Iterator[tuple[Batch, int]]:
    """Play greedy games, with some random actions between, whose stones lie unlike; yield every action before it."""
    agent, batch = make_agent("greedy", game), Batch(game, 1, seed=seed, encoder=None)
    for k in range(many):
        while batch.to_move[0] >= 0:
            a = int((batch.sample() if (batch.states["ply"][0] // 7 + k) % 3 == 0 else agent.act(batch.view()))[0])
            yield batch, a
            batch.step([a])
        batch.reset()


@every_game
def test_notes_follow_the_game(game: str) -> None:
    """As a survey would write them; candidates are allowed, all different, and every phase has some."""
    looking, phases = Looking(find(game)), Counter[int]()
    looking.survey(Batch(game, 1, seed=0, encoder=None).states)
    last: tuple[Record, int] | None = None
    for batch, a in games(game, 1 if game == "jiu" else 3, seed=5):
        states = batch.states
        if last is not None and states["ply"][0] > 0:
            looking.follow(last[0], states, last[1])
        else:
            looking.survey(states)
        kept = looking.notes.copy()
        looking.survey(states)
        assert not [field for field in kept.dtype.names if not np.array_equal(kept[field], looking.notes[field])]
        chosen, sharp, _, _ = looking.look(states)
        assert not looking.notes["worth"].any() and not looking.notes["ways"].any()
        assert chosen and batch.mask[0, chosen].all() and len(set(chosen)) == len(chosen)
        assert set(sharp) <= set(chosen)
        earning = looking.earning(states, batch.mask[0]) if states["phase"][0] in (TURN, DROP) else set()
        assert earning <= set(chosen) & set(sharp)
        phases["earning"] += bool(earning)
        phases[int(states["phase"][0])] += 1
        last = states, a
    battle = {TURN, JUMP, TAKE, "earning"} | (set() if game == "jiu" else {DROP})
    assert phases.keys() >= {LAYOUT} | (set() if "layout_only" in game else battle), phases


@on_fourteen_lines
@pytest.mark.parametrize("n", [6, 14])
def test_places_are_weighed_as_counted_on_the_board(n: int) -> None:
    """Also at the edges: whole rows at once see what one finds point by point."""
    game = find(f"jiu:board_size={n}")
    draw = np.random.default_rng(n)
    for seat, steps in ((0, True), (1, True), (0, False)):
        stones, points = (Weights(*draw.integers(-40, 40, 5).tolist()) for _ in range(2))
        board = draw.choice(3, (n, n), p=[0.4, 0.3, 0.3])
        looking = Looking(game)
        looking.survey(put_down(game, board.ravel()))
        notes = looking.notes.view(np.recarray)[0]
        weigh_places(notes, seat, n, stones, points)
        mark_ways(notes, seat, n, steps)
        at = [padded(n, p) for p in range(n * n)]
        places = [(r, c) for r in range(n) for c in range(n)]
        weighed = [
            sum(np.multiply(stones if board[at] == seat + 1 else points, around(board, *at, seat))) for at in places
        ]
        assert notes["worth"][at].tolist() == weighed
        assert notes["ways"][at].tolist() == [ways(board, *at, seat, steps) for at in places]


def around(board: NDArray[np.int64], r: int, c: int, seat: int) -> tuple[int, int, int, int, int]:
    """Count what `Weights` are about around a point: squares, the other's holes, whether a stone of `seat` there can be
    jumped, how many it can jump, and how many of its side beside it could be jumped into the point.
    """
    edged = np.pad(board, 2, constant_values=-1)
    mine, theirs, here = seat + 1, 2 - seat, np.array([r + 2, c + 2])
    cells = [edged[here[0] - i : here[0] - i + 2, here[1] - j : here[1] - j + 2] for i in (0, 1) for j in (0, 1)]
    ways = [
        [int(edged[tuple(here + k * np.array(step))]) for k in (-1, 1, 2)]
        for step in ((-1, 0), (1, 0), (0, -1), (0, 1))
    ]
    return (
        sum(bool((cell == mine).all()) for cell in cells),
        sum(np.count_nonzero(cell == theirs) == 3 for cell in cells),
        int(any((behind, next_to) == (0, theirs) for behind, next_to, _ in ways)),
        sum((next_to, far) == (theirs, 0) for _, next_to, far in ways),
        sum((next_to, far) == (mine, theirs) for _, next_to, far in ways),
    )


def ways(board: NDArray[np.int64], r: int, c: int, seat: int, steps: bool) -> int:
    """Find where the stone of `seat` on a point can jump and, with `steps`, step to, as bits."""
    edged, found = np.pad(board, 2, constant_values=-1), 0
    for d, (down, right) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
        next_to, far = (int(edged[r + 2 + k * down, c + 2 + k * right]) for k in (1, 2))
        found |= ((next_to == 0 and steps) or (next_to, far) == (2 - seat, 0)) << d
    return found if board[r, c] == seat + 1 else 0


@pytest.mark.parametrize("learned", [False, True])
@every_game
def test_the_value_is_the_same_for_images_and_exchanged_seats(game: str, learned: bool) -> None:
    """The battle has eight images; white in black's place is worth what black was."""
    looking, points = Looking(find(game), learned=learned), find(game).params["board_size"] ** 2
    for k, (batch, _) in enumerate(games(game, 1, seed=9)):
        states = batch.states
        if k % 7 or (k > 0 and states["ply"][0] == 0):
            continue
        looking.survey(states)
        worth = looking.look(states)[2]
        mapped = image(states, rules.images(int(points**0.5))[k % 8][:points])
        looking.survey(mapped)
        assert looking.look(mapped)[2] == worth
        swapped = states.copy()
        swapped["board"] = (0, 2, 1) @ np.stack([states["board"][0] == stone for stone in range(3)])
        swapped["to_move"] = 1 - states["to_move"]
        for field in ("stones", "squares", "rows", "columns"):
            swapped[field] = states[field][:, ::-1]
        looking.survey(swapped)
        assert looking.look(swapped)[2] == -worth


# Shapes


def shapes_of_layout(states, out):  # type: ignore[no-untyped-def]
    """Write what `greedy` gives for the shapes of both sides."""
    out[0], out[1] = shapes(states[0], 0), shapes(states[0], 1)


LAID = {
    "a triangle": (["XX....", "X.....", "......", "......", "....OO", "....OO"], 50),
    "a triangle with a stone of the other's": (["XX....", "XO....", "......", "......", "....O.", "....O."], 50),
    "a gate": (["XX....", "X.X...", "......", "......", "....OO", "..O.O."], 100 - 50),
    "a double gate": (["XXX...", "X.X...", "......", "......", "....O.", "O.O.OO"], 800 - 50),
    "a square alone": (["XX....", "XX....", "......", "......", "O..O..", "..O..O"], 0),
}


@pytest.mark.parametrize(("rows", "worth"), LAID.values(), ids=LAID)
def test_layouts_are_valued_by_the_table(rows: list[str], worth: int) -> None:
    """The two stones on the marked diagonal are too far from the others to matter."""
    game = find("jiu:board_size=6")
    for mine, sign in ((rows, 1), (exchanged(rows), -1)):
        state = put_down(game, np.array([".XO".index(mark) for mark in "".join(mine)]))
        assert value_of(state) == sign * worth


def value_of(state: Record) -> int:
    looking = Looking(find("jiu:board_size=6"))
    looking.survey(state)
    return looking.look(state)[2]


def test_the_layout_is_what_greedy_makes_of_it() -> None:
    """Two programs for one table, on random boards."""
    game, rng, out = find("jiu:board_size=6"), np.random.default_rng(0), np.zeros(2, np.int64)
    looking, met = Looking(game), set()
    for k in range(200):
        p = (0.2, 0.4, 0.48)[k % 3]
        state = put_down(game, rng.choice(3, 36, p=[1 - 2 * p, p, p]))
        looking.survey(state)
        bind(shapes_of_layout, game)(state, out)
        assert looking.look(state)[2] == out[0] - out[1]
        met.add(int(out[0]))
    assert len(met) > 20


def counted(notes, seat, out):  # type: ignore[no-untyped-def]
    """Write a side's holes, gates, dalians, stones to jump and steps on a board of 6 lines."""
    e = notes[0]
    own, other = e.own[seat], e.own[1 - seat]
    out[0], out[1], out[2], out[3], out[4] = count_shapes(e.cells[seat], own, other, e.empty, 6)


def naive(board: list[int], n: int, mine: int) -> list[int]:
    """Count a side's shapes one by one, as `count_shapes` says."""
    points, cells = range(n * n), unit_cells(n)
    near = [[line[0] for line in beside(n, p) if line] for p in points]
    lines = [beside(n, p) for p in points]
    lacking = {
        q: [cell for cell in cells if q in cell and sum(board[p] == mine for p in cell) == 3]
        for q in points
        if board[q] == 0
    }
    gates = [
        (p, q) for q, cells in lacking.items() for p in near[q]
        if board[p] == mine and any(p not in cell for cell in cells)
    ]  # fmt: skip
    prey = {
        line[0] for p in points for line in lines[p]
        if board[p] == mine and len(line) == 2 and board[line[0]] == 3 - mine and board[line[1]] == 0
    }  # fmt: skip
    return [
        sum(map(len, lacking.values())),
        len(gates),
        len({(p, q) for p, q, _ in dalians(board, n, mine)}),
        len(prey),
        sum(board[p] == mine and board[q] == 0 for p in points for q in near[p]),
    ]


def test_shapes_are_counted() -> None:
    game, rng, out = find("jiu:board_size=6"), np.random.default_rng(1), np.zeros(5, np.int64)
    looking, most = Looking(game), np.zeros(5, np.int64)
    for k in range(200):
        board = rng.choice(3, 36, p=[(0.2, 0.1, 0.7), (0.1, 0.45, 0.45), (0.5, 0.25, 0.25)][k % 3])
        state = put_down(game, board)
        looking.survey(state)
        for seat in (0, 1):
            bind(counted, game)(looking.notes, seat, out)
            assert out.tolist() == naive(board.tolist(), 6, seat + 1)
            most = np.maximum(most, out)
    assert (most >= 3).all()


# Battles


@pytest.mark.parametrize(("learned", "worths"), [(False, HANDMADE), (True, LEARNED)])
def test_a_battle_is_worth_its_shapes(learned: bool, worths: Worths) -> None:
    """Added up as the names of the worths say; a side of six stones or fewer flies."""
    game, rng = find("jiu:board_size=6"), np.random.default_rng(2)
    looking, flying = Looking(game, learned=learned), Counter[bool]()
    for k in range(100):
        board = rng.choice(3, 36, p=[(0.4, 0.3, 0.3), (0.5, 0.15, 0.35), (0.7, 0.15, 0.15)][k % 3])
        state = put_down(game, board)
        state["phase"], state["to_move"] = TURN, k % 2
        mine, theirs = (int((board == stone).sum()) for stone in (1, 2))
        if min(mine, theirs) < 4:
            continue
        wanted = worths.stone * (mine - theirs) + int(worths.share * (mine - theirs) / (mine + theirs))
        for seat, stones, sign in ((0, mine, 1), (1, theirs, -1)):
            holes, gates, dalians, jumps, steps = naive(board.tolist(), 6, seat + 1)
            squares = sum(all(board[p] == seat + 1 for p in cell) for cell in unit_cells(6))
            flying[stones <= 6] += 1
            if stones <= 6:
                gates, dalians = holes, holes if squares else 0
            total = worths.square * squares + worths.hole * min(holes, 10) + worths.gate * min(gates, 4)
            total += worths.dalian * (dalians > 0) + worths.more_dalians * min(max(dalians - 1, 0), 3)
            total += worths.jump * min(jumps, 5) + worths.step * min(steps, 40)
            total += (worths.first_gate * (gates > 0) + worths.first_jump * (jumps > 0)) * (seat == k % 2)
            wanted += sign * total
        looking.survey(state)
        assert looking.look(state)[2] == wanted
    assert min(flying.values()) > 20


FLAT = ["OOOO", "OO.O"]  # a dalian, its runner on b1
FAR = ["", "", "X.X", "", ".X.X"]  # stones of the other side, in no shape


@pytest.mark.parametrize("learned", [False, True])
@on_fourteen_lines
def test_what_is_better_is_worth_more(learned: bool) -> None:
    """To seat 1, in turn: one stone more, a triangle closed, a runner next to the hole, a square behind the runner."""
    steps = [["OOO", "O..", "..O"], ["OOO", "O..", "..OO"], ["OOO", "OO..", "...O"], ["OOOO", "OO.O"]]
    worth = [-value(position(*rows, "", *FAR, turns=1), learned=learned) for rows in steps]
    assert worth == sorted(worth) and len(set(worth)) == len(worth)
    assert -value(position(*FLAT, "", *FAR)) > -value(position(*FLAT, "", *FAR, turns=1))  # who is to move


@on_fourteen_lines
def test_stones_that_are_due_count_as_taken() -> None:
    state = played(position(*FLAT, "", *FAR), "B1-B2").states
    assert state["phase"][0] == TAKE
    after = played(state, "take f0").states
    assert abs(value(after) - value(state)) < HANDMADE.stone / 2 + 600  # only what shapes and the move are worth
    looking = Looking(find("jiu"))
    looking.survey(state)
    before = looking.look(state)[2]
    state["due"] = 2
    assert before - looking.look(state)[2] >= HANDMADE.stone


@on_fourteen_lines
def test_positions_with_equal_hashes_have_equal_values() -> None:
    """Stones taken in either order lead to the same; who moves, what is due, and a draw that is near do not."""
    start = position("OOO", "O.O", ".O", "", *FAR)
    hashes = []
    for line in ("C1-B1, take g0, take g2", "C1-B1, take g2, take g0", "C1-B1, take g2", "C1-B1"):
        state = played(start, line).states
        looking = Looking(find("jiu"))
        looking.survey(state)
        hashes.append(looking.look(state)[3])
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3

    def hashed(**changes: int) -> int:
        state = start.copy()
        for field, value in changes.items():
            state[field] = value
        looking.survey(state)
        return looking.look(state)[3]

    assert hashed() == hashed(turns=20, quiet=20) != hashed(quiet=95)
    assert len({hashed(), hashed(to_move=0), hashed(seen=2), hashed(least=2), hashed(quiet=95), hashed(quiet=96)}) == 6


# Planted tactics


def turn(state: Record, **limits: int) -> tuple[list[str], Batch]:
    """Let alpha-beta play the turn of the seat to move; name its actions, and return what comes of them."""
    batch, agent = played(state), AlphaBeta(**limits)
    seat, words = batch.to_move[0], []
    while batch.to_move[0] == seat:
        a = agent.act(batch.view())
        words.append(text.name(batch.states[0], int(a[0])))
        batch.step(a)
    return words, batch


CROWD = ["O.O.O.O.O.O.O", "", ".O.O.O.O.O.O.O"]  # stones enough not to fly


@on_fourteen_lines
@pytest.mark.parametrize("depth", [1, 3])
def test_it_takes_the_stone_that_wins(depth: int) -> None:
    """White has four stones; there is a jump to threaten and a square to make."""
    words, batch = turn(position("OO..", "O.O.", "", "X..X", "X..X", "", *CROWD, fill=False), depth=depth)
    assert words[0] == "B2-B1" and batch.states["winner"][0] == 1


@on_fourteen_lines
def test_it_goes_on_jumping() -> None:
    """Three stones, rather than one of them or another."""
    rows = ["OX.X..", "....X.", "", "", "", "", "OX...."]
    words, batch = turn(position(*rows), depth=1)
    assert words == ["A0-A2", "A2-A4", "A4-C4"] and batch.states["quiet"][0] == 0


@on_fourteen_lines
@pytest.mark.parametrize("depth", [2, 3])
def test_it_takes_the_stone_that_the_other_needs(depth: int) -> None:
    """Black makes a square; of white's 28 stones it takes one without which white's dalian takes nothing."""
    state = position("OO", "O.O", "", "", "......XXXX", "......XX.X")
    words, batch = turn(state, depth=depth)
    assert words[0] == "B2-B1" and len(words) == 2
    assert naive(state["board"][0].tolist(), 14, 1)[1] == 2
    assert naive(batch.states["board"][0].tolist(), 14, 1)[1] == 0, words


@on_fourteen_lines
def test_it_makes_a_dalian() -> None:
    """The seventh stone comes from below."""
    words, batch = turn(position("OOOO", "OO..", "...O", *FAR), depth=3)
    assert words == ["C3-B3"]
    assert len(dalians(batch.states["board"][0].tolist(), 14, 2)) == 1
