"""Jiu's flights, bans and ends in positions set up by hand, its symmetries, and what random games keep true."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from histories import count, scores
from jiu_positions import Record, every_small_set, exchanged, image, laid_out, named, played, position, stands, stones

from boyi.envs import Batch, BoyiError, Game, IllegalAction, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import playout
from boyi.envs.faces.symmetry import symmetries
from boyi.envs.jiu import constants, rules

pytestmark = pytest.mark.kernels

BANS = ("flyer", "both", "stronger", "none")
FEW = ["OX...OX.X.", *[""] * 8, "X." * 7, "", "XO" * 7, "", "XOXOXOXOXOX.X."]  # P9: 24 X, 14 O


def reward(batch: Batch) -> list[float]:
    """Return what both seats have got."""
    return scores(batch.game, batch.states)


# Flying, and the ban on single jumps


@pytest.mark.parametrize("ban", BANS)
def test_flying(ban: str) -> None:
    """§11, §12: P9. A side of 14 lifts any stone; it jumps, but takes no step, and none but double jumps if banned."""
    state = position(*FEW, single_jump_ban=ban)
    batch, banned = played(state), ban in ("flyer", "both")
    jumps = [word for word in named(batch) if "-" in word]
    assert jumps == (["A5-A7", "N9-NB"] if banned else ["A0-A2", "A5-A7", "N9-NB"])
    assert len(named(batch)) == 14 + len(jumps)
    batch = played(state, "A5-A7")
    assert named(batch) == (["A7-A9"] if banned else ["A7-A9", "stop"])
    batch = played(batch.states, "A7-A9")
    assert (stands(batch), stones(batch)) == ("X turn", [22, 14])
    batch = played(state, "lift A0")
    assert (stands(batch), len(named(batch))) == ("O drop", 196 - 38) and "drop A0" not in named(batch)
    batch = played(batch.states, "drop A2")
    assert (stands(batch), stones(batch)) == ("X turn", [24, 14])
    other = played(position(*FEW, single_jump_ban=ban, turns=1))
    assert ("a6-a4" in named(other)) == (ban in ("flyer", "none"))
    assert "a6-b6" in named(other) and not any("lift" in word for word in named(other))


@pytest.mark.parametrize(
    ("size", "flying", "flies"),
    [(5, "size", True), (6, "size", True), (7, "size", False), (5, "below", True), (6, "below", False)],
)
def test_who_flies(size: int, flying: str, flies: bool) -> None:
    """§11: a side of n stones or fewer or, with `flying=below`, of fewer; the other's stones do not matter."""
    for other in ("XXXX", "XXXXXX", "XXXXXXX"):
        rows = ["OOOO", "O" * (size - 4), "", "", other[:6], other[6:]]
        for board, turns, word in ((rows, 0, "lift A0"), (exchanged(rows), 1, "lift a0")):
            batch = played(position(*board, n=6, turns=turns, flying=flying))
            assert (word in named(batch)) == flies
            assert any("-" in step for step in named(batch)) != flies


SINGLES = {  # whether the mover flies, whether the other does: the bans under which it may take by a single jump
    (False, False): BANS,
    (True, False): ("stronger", "none"),
    (False, True): ("flyer", "none"),
    (True, True): ("stronger", "none"),
}


@pytest.mark.parametrize(("mover", "other"), SINGLES)
def test_single_jumps(mover: bool, other: bool) -> None:
    """§12: whom each value bans, as the turn begins; a double jump goes on, until the second one."""
    rows = ["OX", "", "OX.X", "" if mover else "O", "O..XX" if mover else "OO.XX", "O..X" if mover else "OO.X"]
    if not other:
        rows[5] += "X"
    for ban in BANS:
        free = ban in SINGLES[mover, other]
        for board, turns, single, double in (
            (rows, 0, "A0-A2", "C0-C2, C2-C4"),
            (exchanged(rows), 1, "a0-a2", "c0-c2, c2-c4"),
        ):
            state = position(*board, n=6, turns=turns, single_jump_ban=ban)
            first, second = double.split(", ")
            batch = played(state)
            assert (single in named(batch), first in named(batch)) == (free, True)
            assert named(played(state, first)) == [second, "stop"][: 1 + free]
            assert stands(played(state, double)) == f"{'XO'[turns]} turn"


def test_a_banned_side_stops_after_two_jumps() -> None:
    """§8, §12: two jumps are enough; squares take without any."""
    state = position("OX.X.X", "", "OO", "O", "", "X.X.X", fill=False)
    assert named(played(state, "A0-A2")) == ["A2-A4"]
    assert named(played(state, "A0-A2, A2-A4")) == ["A4-A6", "stop"]
    assert stands(played(state, "lift A0, drop D1")) == "O take 1"


# Too few stones


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (["OX.X", "", "X.X", "", "", "OOOOOO"], "A0-A2"),
        (["OX.X", "", "X.X.X", "", "", "OOOOOO"], "A0-A2, A2-A4"),
        (["OO", "O.O", "", "XX.XX", "", "O.O.O"], "B2-B1, take d0"),
        (["OOO", "O.O", ".O", "X.X.X", ".X.X", "O"], "C1-B1, take d0, take d2"),
        (["OO", "O.XO", "", "XX.XX", "", "O.O.O"], "B3-B1, take d0"),
    ],
)
def test_too_few_stones(rows: list[str], line: str) -> None:
    """§13, §17: with three left a side has lost at once, in the middle of jumps or of taking."""
    *before, _ = line.split(", ")
    for board, turns, path in ((rows, 0, line), (exchanged(rows), 1, line.swapcase().replace("TAKE", "take"))):
        batch = played(position(*board, n=6, turns=turns), ", ".join(path.split(", ")[: len(before)]))
        assert batch.to_move[0] == 1 - turns and reward(batch) == [0, 0]
        batch = played(batch.states, path.split(", ")[-1])
        assert stands(batch) == f"{'OX'[turns]} has won"
        assert stones(batch)[turns] == 3
        assert reward(batch) == [2 * turns - 1, 1 - 2 * turns]
        assert named(batch) == [] and (batch.states["turns"][0], batch.states["due"][0]) == (turns, 0)


def test_too_few_stones_on_the_large_board() -> None:
    """§13: P10."""
    state = position("OO..", "O.O.", "X..X", "X..X", *[""] * 5, "O" * 14, fill=False)
    assert stands(played(state, "B2-B1")) == "O take 1"
    batch = played(state, "B2-B1, take c3")
    assert (stands(batch), stones(batch), reward(batch)) == ("O has won", [3, 18], [-1, 1])


# No action

STUCK = ["X" * 8 + "O" * 6] * 2 + ["O" * 14] * 3 + ["O" * 12 + "XO"] + ["O" * 14] * 7 + ["O" * 12 + ".."]


def test_no_action() -> None:
    """§15, §17: P12. A side that cannot move has lost; without the stone on f12 the same move is a gun."""
    batch = played(position(*STUCK, fill=False), "NB-NC")
    assert (stands(batch), reward(batch)) == ("O has won", [-1, 1])
    assert stands(played(position(*STUCK[:5], "O" * 14, *STUCK[6:], fill=False), "NB-NC")) == "O take 2"


@pytest.mark.parametrize("ban", BANS)
def test_no_allowed_jump(ban: str) -> None:
    """§12, §15: single jumps alone are no action for a side that they are forbidden to."""
    rows = [".XOOOO", ".OOOOO", "OOOOOO", "OOOOOO", "OOOOOX", "OOOOXX"]
    batch = played(position(*rows, n=6, turns=1, single_jump_ban=ban), "lift f5, drop b0")
    if ban in ("flyer", "none"):
        assert named(batch) == ["C0-A0", "D5-F5", "A2-A0", "F3-F5"]
    assert stands(batch) == ("O turn" if ban in ("flyer", "none") else "X has won")


# Draws

SHUTTLE = ["O", "...X"]
CYCLE = ["A0-B0", "b3-a3", "B0-A0", "a3-b3"]


def cycles(turns: int) -> str:
    """Name the moves of as many turns."""
    return ", ".join(CYCLE[i % 4] for i in range(turns))


@pytest.mark.parametrize(("repetition", "turns"), [(0, None), (1, None), (2, 4), (3, 8), (9, 32)])
def test_repetition(repetition: int, turns: int | None) -> None:
    """§16, §17: P13. A draw when the position stands before a turn for that time; 0 or 1: never."""
    state = position(*SHUTTLE, repetition=repetition)
    batch = played(state, cycles((turns or 13) - 1))
    assert batch.to_move[0] >= 0
    if turns:
        batch = played(batch.states, CYCLE[3])
        assert (stands(batch), reward(batch), batch.states["turns"][0]) == ("draw", [0, 0], turns)


def flights(*moves: str) -> str:
    return ", ".join(f"lift {move[:2]}, drop {move[3:]}" for move in moves)


def test_a_position_is_stones_and_the_seat_to_move() -> None:
    """§16: the other seat before the same stones is another position; which stone stands where does not matter."""
    state = position("O..O", "", "O....O", "X...X", "", "X..X", n=6, repetition=2, no_capture_limit=0)
    batch = played(state, flights("A0-B1", "d0-e2", "B1-B5", "e2-d0", "B5-A0"))
    assert np.array_equal(batch.states["board"], state["board"]) and stands(batch) == "X turn"
    batch = played(batch.states, flights("d0-e2", "A0-B1", "e2-d0", "B1-B5", "d0-e2", "B5-A0"))
    assert stands(batch) == "X turn"
    assert stands(played(batch.states, flights("e2-d0"))) == "draw"
    batch = played(state, flights("A0-B1", "d0-e2", "A3-A0", "e2-e5", "B1-A3"))
    assert stands(batch) == "X turn"
    assert stands(played(batch.states, flights("e5-d0"))) == "draw"


def test_repetition_counts_since_the_last_capture() -> None:
    """§7, §16: what stood before a capture does not count, even where the stone that took is back in its place."""
    state = position("OX....OX", "X.X...X.X", ".X.....X", "O", "...X", repetition=3, no_capture_limit=9)
    batch = played(state, "D0-E0, e3-d3, E0-D0, d3-e3")
    assert (batch.states["quiet"][0], batch.states["seen"][0]) == (4, 2)
    batch = played(batch.states, "A0-A2, A2-C2, C2-C0, C0-A0, e3-d3, A6-A8, A8-C8, C8-C6, C6-A6, d3-e3")
    assert (stands(batch), batch.states["quiet"][0], batch.states["seen"][0]) == ("O turn", 1, 1)
    batch = played(batch.states, "D0-E0, e3-d3, E0-D0, d3-e3, D0-E0, e3-d3")
    assert (stands(batch), batch.states["quiet"][0]) == ("O turn", 7)
    assert stands(played(batch.states, "E0-D0")) == "draw"


def test_looking_back() -> None:
    """§16: at most 250 turns; the list of them is written round and round."""
    for turns, seen_then in ((244, 62), (252, 63), (400, 63)):
        listed = [CYCLE[i % 4] for i in range(turns)][-250:]
        quiet = " ".join([str(turns), *listed])
        state = position(*SHUTTLE, turns=turns, quiet=quiet, repetition=0, no_capture_limit=0)
        assert state["seen"][0] == seen_then
        batch = played(state, cycles(3))
        assert (batch.states["seen"][0], batch.states["quiet"][0]) == (seen_then, turns + 3)


@pytest.mark.parametrize("limit", [1, 5, 100])
def test_no_capture_limit(limit: int) -> None:
    """§16, §17: P13. So many turns in a row without a capture are a draw."""
    state = position(*SHUTTLE, repetition=0, no_capture_limit=limit)
    batch = played(state, cycles(limit - 1))
    assert stands(batch) == f"{'OX'[(limit - 1) % 2]} turn"
    batch = played(batch.states, CYCLE[(limit - 1) % 4])
    assert (stands(batch), reward(batch)) == ("draw", [0, 0])


def test_cut() -> None:
    """§16, §17: after `max_turns` turns of the battle, whatever they took; nobody gets anything."""
    batch = played(position("OX", "O", "...X", max_turns=3), "A0-A2, c3-b3")
    assert stands(batch) == "O turn"
    rewards, over, cut = batch.step(np.flatnonzero(batch.mask[0])[:1])
    assert (rewards.tolist(), over.tolist(), cut.tolist()) == ([[0, 0]], [False], [True])
    assert (stands(batch), reward(batch), named(batch)) == ("cut off", [0, 0], [])


def test_order_of_the_checks() -> None:
    """§14, §15, §16: dalians, the limit, the cut, no action, repetition."""
    lost = ["OOOO..XX", "OO.O..XX", "", "", "OOOO", "OO.O"]
    limits = {"no_capture_limit": 1, "max_turns": 1}
    for turns, rows, line, facts, ends in (
        (1, lost, "a6-a5", {"no_capture_limit": 1, "max_turns": 2}, "O has won"),
        (0, STUCK, "NB-NC", limits, "draw"),
        (0, STUCK, "NB-NC", {"max_turns": 1}, "cut off"),
        (0, SHUTTLE, "A0-B0", limits, "draw"),
        (0, SHUTTLE, cycles(4), {"max_turns": 4, "repetition": 2}, "cut off"),
        (0, SHUTTLE, cycles(4), {"max_turns": 5, "repetition": 2}, "draw"),
    ):
        assert stands(played(position(*rows, turns=turns, fill=rows is not STUCK, **facts), line)) == ends


@pytest.mark.parametrize(("last", "ends", "returns"), [
    ("XXXOOO", "draw", [0, 0]), ("XXOOXO", "X has won", [1, -1]), ("XOXXOO", "O has won", [-1, 1]),
])  # fmt: skip
def test_layout_only(last: str, ends: str, returns: list[float]) -> None:
    """§17, §18: the full board decides, by the number of squares."""
    batch = laid_out(*["XXXOOO"] * 5, last, layout_only=True)
    assert (stands(batch), reward(batch), stones(batch)) == (ends, returns, [18, 18])
    assert batch.states["ply"][0] == batch.game.longest == 36


def test_illegal_actions() -> None:
    """§17, §19: outside the mask they raise, or cost the offender the game and the other nothing."""
    state = position("OX")
    batch = played(state)
    for a in (-1, 0, 196, 1568, 1569):
        with pytest.raises(IllegalAction):
            batch.step(np.array([a]))
    lenient = Batch("jiu", 1, seed=0, illegal="forfeit", encoder=None)
    lenient.states = state
    rewards, over, cut = lenient.step(np.array([196]))
    assert (rewards.tolist(), over.tolist(), cut.tolist()) == ([[0, -1]], [True], [False])
    assert stands(lenient) == "ended" and named(lenient) == []


# Random games


def random_game(game: Game, many: int, seed: int) -> Iterator[tuple[Record, Record]]:
    """Play random games to their ends: the positions before and after every action of those that go on."""
    batch = Batch(game, many, seed, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        before = batch.states[rows]
        assert batch.mask[rows].any(axis=1).all()
        batch.step(batch.sample()[rows], rows)
        yield before, batch.states[rows]


@every_small_set
def test_counts_are_kept(game: Game) -> None:
    """§8, §9, §10, §17: stones, lines and squares as recounted; only the other's stones go; no game is too long."""
    n = game.params["board_size"]
    for before, after in random_game(game, count(20, 2), seed=2):
        seats, rows = before["to_move"], np.arange(len(before))
        assert (after["ply"] == before["ply"] + 1).all() and (after["ply"] <= game.longest).all()
        battle = before["phase"] != constants.LAYOUT
        assert (before["stones"] == after["stones"])[rows, seats][battle].all()
        gone = (before["stones"] - after["stones"])[rows, 1 - seats][battle]
        assert ((gone == 0) | (gone == 1)).all()
        for seat in (0, 1):
            own = after["board"].reshape(-1, n, n) == seat + 1
            squares = own[:, 1:, 1:] & own[:, :-1, 1:] & own[:, 1:, :-1] & own[:, :-1, :-1]
            assert np.array_equal(after["stones"][:, seat], own.sum(axis=(1, 2)))
            assert np.array_equal(after["squares"][:, seat], squares.sum(axis=(1, 2)))
            assert np.array_equal(after["rows"][:, seat], own.sum(axis=2))
            assert np.array_equal(after["columns"][:, seat], own.sum(axis=1))


def test_occurrences_are_counted() -> None:
    """§16: as often as the stones and the seat to move have stood before a turn since the last capture."""
    rng, most, pens = np.random.default_rng(3), 0, (0, 1, 6, 7, 28, 29, 34, 35)
    state = position("O..XXO", "...XX", "OX", "OX", "XXOO", "X.OO.X", n=6, repetition=0, no_capture_limit=0)
    for _ in range(count(40, 3)):
        batch, met = played(state), Counter[tuple[bytes, int]]()
        while batch.to_move[0] >= 0 and batch.states["turns"][0] < 120:
            s, actions = batch.states[0], np.flatnonzero(batch.mask[0])
            if s["phase"] == constants.TURN:
                if s["quiet"] == 0:
                    met.clear()
                stood = (s["board"].tobytes(), int(s["to_move"]))
                met[stood] += 1
                assert s["seen"] == met[stood]
                most = max(most, s["seen"])
            # Where one stone of either seat mostly stays in its corner, positions come again.
            steps = [a for a in actions if {a % 36, a % 36 + (0, -6, 6, -1, 1, 99, 99, 99, 99)[a // 36]} <= set(pens)]
            batch.step(rng.choice(steps if steps and rng.random() < 0.95 else actions, 1))
    assert most > 4


def test_playouts_draw_evenly() -> None:
    """§19: every action of the mask is as likely as any other, in every phase."""
    start = Batch("jiu:board_size=6", 1, seed=0)
    jumping = ["OX.X", ".OX", "..", "XXXXX", "O", "OOOOO"]
    flying = ["OX.X.", "", "", "XXXX", "O", "O..OO"]
    taking = ["OOO", "O.O", ".O", "X.X.X", ".X.X", "O"]
    for batch in (
        start,
        played(start.states, "c2, D3, a0, A1"),
        played(position(*jumping, n=6)),
        played(position(*jumping, n=6), "A0-A2"),
        played(position(*flying, n=6)),
        played(position(*flying, n=6, single_jump_ban="none")),
        played(position(*flying, n=6), "lift A0"),
        played(position(*taking, n=6), "C1-B1"),
        played(position(*taking, n=6, must_take=False), "C1-B1"),
        played(position(".XOOOO", "XOOOOO", *["OOOOOO"] * 3, "OOOOXX", n=6)),
    ):
        legal = np.flatnonzero(batch.mask[0])
        s, stream = batch.states.view(np.recarray)[0], np.array([8, 0], np.uint64)
        draw, mask = bind(rules.random_action, batch.game), np.zeros(289, np.int8)
        draws = count(200, 30) * len(legal)
        drawn = Counter(draw(s, stream, mask) for _ in range(draws))
        assert set(drawn) == set(legal.tolist())
        expected, spare = draws / len(legal), len(legal) - 1
        assert sum((drawn[a] - expected) ** 2 for a in legal) / expected < spare + 6 * (2 * spare) ** 0.5 + 9


def to_the_end(states, stream, mask, p):  # type: ignore[no-untyped-def]
    """Generic kernel: one playout."""
    playout(states[0], stream, mask, p)


@every_small_set
def test_playouts_end(game: Game) -> None:
    """§17: they go on to an end, which pays both seats."""
    for seed in range(count(20, 1)):
        state = Batch(game, 1, seed=seed).states
        bind(to_the_end, game)(state, np.array([seed, 0], np.uint64), np.zeros(game.actions, np.int8), np.zeros(1))
        assert state["to_move"][0] < 0 and state["ply"][0] <= game.longest
        assert sorted(scores(game, state)) == ([-1, 1] if state["winner"][0] >= 0 else [0, 0])


# Symmetry


@every_small_set
def test_the_whole_game_has_four_images(game: Game) -> None:
    """§22: those that keep the marked diagonal; masks, observations and scores change with them."""
    numbers, actions = symmetries(game)
    single, images = Batch(game, 1, seed=3), Batch(game, 4, seed=0)
    assert np.array_equal(numbers[0], np.arange(numbers.shape[1])) and len({row.tobytes() for row in actions}) == 4
    while single.to_move[0] >= 0:
        a = single.sample()[0]
        single.step(np.array([a]))
        assert images.mask[range(4), actions[:, a]].all()
        images.step(actions[:, a])
        assert (images.to_move == single.to_move[0]).all()
        assert (np.take_along_axis(images.mask, actions, 1) == single.mask[0]).all()
        x = images.observe([0] * 4).reshape(4, -1)
        assert (np.take_along_axis(x, numbers, 1) == single.observe([0]).ravel()).all()
    assert (images.states["winner"] == single.states["winner"][0]).all()


def test_sets_of_images_to_learn_from() -> None:
    """The printed image of S3 is a quarter turn against the clock, then mirrored from left to right."""
    game = find("jiu:layout_only=true,board_size=6")
    points = np.arange(36).reshape(6, 6)
    numbers, actions = symmetries(game, "layout4", "printed")
    assert (numbers.shape, actions.shape) == ((2, 144), (2, game.actions))
    assert (points.ravel()[np.argsort(actions[1, :36])] == np.fliplr(np.rot90(points)).ravel()).all()
    assert {tuple(row) for row in symmetries(game, "layout4", "board")[1].tolist()} == set(map(tuple, rules.images(6)))
    with pytest.raises(BoyiError, match="hex:board_size=5 has no images by the name 'printed', only its symmetries"):
        symmetries(find("hex:board_size=5"), None, "printed")


@every_small_set
def test_the_battle_has_eight_images(game: Game) -> None:
    """§22: every action of a battle does to the image what it does to the position."""
    n = game.params["board_size"]
    tables = rules.images(n)
    assert tables.shape == (8, game.actions) and len({table.tobytes() for table in tables}) == 8
    batch = Batch(game, count(10, 2), seed=6, encoder=None)
    mirror = Batch(game, batch.n, seed=0, encoder=None)
    for k in range(game.longest):
        rows = np.flatnonzero(batch.to_move >= 0)
        if not rows.size:
            break
        actions, before, masks = batch.sample(), batch.states, batch.mask
        batch.step(actions[rows], rows)
        if k >= n * n and k % count(1, 5) == 0:
            table = tables[k % 8]
            mirror.states = image(before, table[: n * n])
            assert np.array_equal(mirror.mask[:, table], masks)
            mirror.step(table[actions[rows]], rows)
            after, reached = image(batch.states, table[: n * n]), mirror.states
            assert not [field for field in after.dtype.names if not np.array_equal(after[field], reached[field])]
