"""Pictures of mahjong: tiles, hands, melds, rivers, what a seat sees, the winds, what is highlighted, captions."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from functools import cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from pictures import check_margin, check_svg, color, lettered

from boyi.envs import Batch
from boyi.envs.conformance.kernels import redeal_one
from boyi.envs.conformance.random_games import open_stream
from boyi.envs.engine import protocol
from boyi.envs.engine.bind import bind
from boyi.envs.engine.spec import find
from boyi.envs.faces import drawing as draw
from boyi.envs.mahjong import draw as board
from boyi.envs.mahjong import rules, tile_faces
from boyi.envs.mahjong.melds import ADDED, CHOW, CONCEALED, KONG, PONG
from boyi.envs.mahjong.tiles import kind_of, name_of

DEFAULT = "mahjong"
OPEN = "mahjong:reserve=0,hide_concealed_kong=false"  # and as many discards as there can be
ALL_WIN = "mahjong:dealer=2,streak=3,round_wind=1,multi_win=all,ask_all=true"
GAMES = (DEFAULT, OPEN, ALL_WIN)
VIEWERS = (None, 0, 1, 2, 3)
SVG = "{http://www.w3.org/2000/svg}"

Meld = tuple[int, str, str | None, int]  # form, lowest tile, claimed tile, giver


@cache
def positions(name: str, many: int = 60) -> tuple[np.void, ...]:
    """Play games in which nearly everything is claimed; return positions on their way, and ends."""
    batch, lots = Batch(name, many, seed=0, encoder=None), np.random.default_rng(0)
    seen = []
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        seen.append(batch.states[rows])
        batch.step(np.array([chosen(*both, lots) for both in zip(seen[-1], batch.mask[rows], strict=True)]), rows)
    passed = np.concatenate(seen)
    robs = passed[passed["phase"] == rules.ROB]
    kongs = passed[(passed["form"] == CONCEALED).any(axis=(1, 2))]
    spread = (each[np.linspace(0, len(each) - 1, n).astype(int)] for each, n in ((passed, 40), (kongs, 8)))
    return *(state for each in spread for state in each), *robs[:8], *batch.states[:20]


def chosen(state: np.void, mask: np.ndarray, lots: np.random.Generator) -> int:
    """Choose a win, a kong or a claim where there is one, mostly, else the discard with the fewest tiles near it."""
    claims = [rules.WIN, *range(rules.DECLARE, rules.WIN), *range(rules.TAKE_PONG, rules.PASS)]
    found = [a for a in claims if mask[a]]
    if found and lots.random() < 0.9:
        return found[0]
    if mask[rules.PASS]:
        return rules.PASS
    hand = np.pad(state["hand"][state["to_move"]].astype(float), 2)
    near = 3 * hand[2:-2] + hand[:-4] + hand[1:-3] + hand[3:-1] + hand[4:]
    return int(np.where(mask[:34], near + lots.random(34), np.inf).argmin())


def record(melds: dict[int, list[Meld]] | None = None, thrown: str = "", claimed: Any = (), **fields: Any) -> np.void:
    """Return a record in which seat 0 is to move; hands are dealt from what is left.

    `thrown` holds a seat and a tile for every discard, `claimed` who claimed which of them by its number.
    """
    state: np.void = find(DEFAULT).blank.copy()[0]
    state["wall"], state["taken"], state["giver"], state["claimed"] = 4, -1, -1, -1
    facts = {"last": -1, "offer": -1, "payer": -1, "to_move": 0} | fields
    for name, value in facts.items():
        state[name] = value
    for i, word in enumerate(thrown.split()):
        state["by"][i], state["discard"][i] = int(word[0]), kind_of(word[1:])
    state["discards"] = len(thrown.split())
    for i, q in dict(claimed).items():
        state["claimed"][i] = q
    for q, laid in (melds or {}).items():
        state["melds"][q] = len(laid)
        for j, (form, low, taken, giver) in enumerate(laid):
            state["form"][q, j], state["kind"][q, j] = form, kind_of(low)
            state["taken"][q, j], state["giver"][q, j] = kind_of(taken) if taken else -1, giver
    for k in shown_open(state):
        state["wall"][k] -= 1
    in_turn = [k for k in (facts["last"], facts["offer"]) if k >= 0 and state["phase"] != rules.CLAIM]
    for q in range(4):
        deal(state, q, in_turn if q == state["turn"] else [])
    state["left"] = state["wall"].sum()
    return state


def deal(state: np.void, q: int, drawn: list[int]) -> None:
    """Fill a hand from the wall, `drawn` tiles on top of those that a seat always holds."""
    lots = np.random.default_rng(q)
    for i in range(-len(drawn), 16 - 3 * int(state["melds"][q])):
        k = drawn[i] if i < 0 else lots.choice(np.flatnonzero(state["wall"] > 0))
        state["hand"][q, k] += 1
        state["wall"][k] -= 1


def meld_kinds(state: np.void, q: int, j: int) -> list[int]:
    kind, form = int(state["kind"][q, j]), int(state["form"][q, j])
    return [kind, kind + 1, kind + 2] if form == CHOW else [kind] * (3 if form == PONG else 4)


def shown_open(state: np.void) -> list[int]:
    """List the kinds of the melds and of the discards that lie on the table."""
    lying = [int(state["discard"][i]) for i in range(state["discards"]) if state["claimed"][i] < 0]
    return lying + [k for q in range(4) for j in range(state["melds"][q]) for k in meld_kinds(state, q, j)]


LONG = " ".join(f"{q}{name_of(k)}" for k in range(18) for q in range(4))
KONGS: dict[int, list[Meld]] = {
    q: [(ADDED if j % 2 else KONG, f"{j + 1}{suit}", f"{j + 1}{suit}", (q + 1 + j % 3) % 4) for j in range(5)]
    for q, suit in enumerate("mps")
}
EVERY: list[Meld] = [
    (CHOW, "4m", "5m", 3),
    (PONG, "7z", "7z", 1),
    (ADDED, "9p", "9p", 2),
    (CONCEALED, "1s", None, -1),
    (KONG, "2z", "2z", 1),
]
RECORDS = {
    "start": record(last=3),
    "every meld": record({0: EVERY}, last=20),
    "long rivers": record(thrown=LONG),
    "one river": record(thrown=" ".join(f"0{name_of(k // 4)}" for k in range(70))),
    "kongs": record(KONGS, last=30),
    "rob": record({2: [(PONG, "3p", "3p", 1)]}, turn=2, phase=rules.ROB, offer=11, to_move=0),
    "dear": record(
        won=[100, 77, 0, 88],
        payer=2,
        offer=5,
        turn=2,
        phase=rules.CLAIM,
        to_move=protocol.OVER,
        streak=99,
        points=[999999999, 999999999, -2000000000, 2],
    ),
    "cut": record(to_move=protocol.CUT),
}
every_record = pytest.mark.parametrize("name", RECORDS)
every_game = pytest.mark.parametrize("game", GAMES)


class Tile(NamedTuple):
    """A tile of a picture: its side, its name, its middle and size there before the side is turned, whether it lies."""

    side: int
    name: str
    x: float
    y: float
    scale: float
    turned: bool

    def corners(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom as the whole picture counts, from the middle of the table."""
        across, down = (tile_faces.HEIGHT, tile_faces.WIDTH) if self.turned else (tile_faces.WIDTH, tile_faces.HEIGHT)
        x, y, a, b = self.x, self.y, across * self.scale / 2, down * self.scale / 2
        for _ in range(self.side):
            x, y, a, b = y, -x, b, a
        return x - a, y - b, x + a, y + b


PLACE = re.compile(r"translate\((\S+) (\S+)\)( rotate\(90\))? scale\((\S+)\)")


def laid(state: np.void, seat: int | None = None) -> list[Tile]:
    """List the tiles in the order in which they are drawn; those named glow are outlines."""
    found = []
    for group in ElementTree.fromstring(board.svg(state, seat)).iter(f"{SVG}g"):
        turn = re.fullmatch(r"rotate\((-?\d+)\)", group.get("transform", ""))
        for node in group.findall(f"{SVG}use") if turn else ():
            place = PLACE.fullmatch(node.attrib["transform"])
            assert turn and place
            side, name = -int(turn[1]) // 90, node.attrib["href"].removeprefix("#tile-")
            found.append(Tile(side, name, float(place[1]), float(place[2]), float(place[4]), bool(place[3])))
    return found


def tiles(state: np.void, seat: int | None = None) -> list[Tile]:
    return [tile for tile in laid(state, seat) if tile.name != "glow"]


def hand_of(found: list[Tile], side: int) -> list[Tile]:
    """List the tiles of the hand at a side, from the left; they are larger than all others there."""
    beside = [tile for tile in found if tile.side == side]
    return [tile for tile in beside if tile.scale == max(other.scale for other in beside)]


def in_hand(state: np.void, q: int, seat: int | None = None) -> list[Tile]:
    return hand_of(tiles(state, seat), (q - (seat or 0)) % 4)


def lit(state: np.void, seat: int | None = None) -> list[tuple[int, str]]:
    """List the highlighted tiles with their seats."""
    found = laid(state, seat)
    return [((t.side + (seat or 0)) % 4, t.name) for t, after in pairwise(found) if after.name == "glow"]


# The picture as a whole


@every_record
def test_svg_is_xml_without_text(name: str) -> None:
    check_svg(board.svg(RECORDS[name]))


@every_record
def test_pictures_keep_a_clear_margin(name: str) -> None:
    check_margin(board.svg(RECORDS[name]))


@every_game
def test_pictures_are_small_and_equally_large(game: str) -> None:
    heads = set()
    for state in positions(game):
        picture = board.svg(state)
        heads.add(picture.splitlines()[0])
        assert len(picture) < 100_000
        assert picture == board.svg(state.copy())
    assert len(heads) == 1


def test_pictures_hold_the_tiles_that_they_use() -> None:
    for state in RECORDS.values():
        for seat in VIEWERS:
            root = ElementTree.fromstring(board.svg(state, seat))
            known = {node.get("id") for node in root.iter(f"{SVG}g")} - {None}
            assert known == {node.attrib["href"][1:] for node in root.iter(f"{SVG}use")}


# Faces


def pixels(name: str, width: int) -> np.ndarray:
    """Return a tile (height, width, 3) on a grey ground."""
    shape = f'<g transform="translate(15 20)">{"".join(board.SHAPES[name])}</g>'
    return draw.rgb(draw.document(30, 40, [shape], "#888888"), width)


@pytest.mark.parametrize("width", [26, 60])
def test_faces_differ(width: int) -> None:
    """Any two faces differ by more than a hundredth of a tile's area, in a small picture too."""
    drawn = [pixels(name_of(k), width).astype(int) for k in range(34)]
    for a, b in combinations(drawn, 2):
        assert np.abs(a - b).sum() > 0.012 * 3 * 255 * a[:, :, 0].size


def test_faces_stay_on_their_tiles() -> None:
    """Beside the middle of a tile there is but its rim, as on its back."""
    rim = [tile_faces.IVORY, tile_faces.SIDE, tile_faces.RIM, "#888888"]
    for k in range(34):
        image = pixels(name_of(k), 120)
        for x in (0, 7, 113, 119):
            edge = image[40:120, x].astype(int)
            assert min(np.abs(edge - color(paint)).sum(axis=1).max() for paint in rim) < 40


def test_characters_are_all_there() -> None:
    assert set(tile_faces.STROKES) == set("一二三四五六七八九萬東南西北中發")
    # Every number belongs to a pair on the square of 20 units.
    for path in tile_faces.STROKES.values():
        assert re.fullmatch(r"([MLC]-?[\d.]+ [\d.]+( [\d.]+ [\d.]+)*|Z)+", path)
        assert all(0 <= float(number) <= 20 for number in re.findall(r"[\d.]+", path))


# Where tiles lie


def overlapping(state: np.void, seat: int | None) -> list[tuple[Tile, Tile]]:
    """List the tiles that share more than a tenth of a pixel."""
    placed = [(tile, tile.corners()) for tile in tiles(state, seat)]
    return [
        (a, b)
        for (a, p), (b, q) in combinations(placed, 2)
        if min(p[2], q[2]) - max(p[0], q[0]) > 0.1 and min(p[3], q[3]) - max(p[1], q[1]) > 0.1
    ]


def check_places(state: np.void, seat: int | None) -> None:
    assert not overlapping(state, seat)
    for tile in tiles(state, seat):
        left, top, right, bottom = tile.corners()
        assert max(-left, -top, right, bottom) < board.TABLE
        assert min(right, bottom, -left, -top) < -board.PANEL or max(left, top, -right, -bottom) > board.PANEL


@every_record
def test_tiles_lie_apart_on_the_table(name: str) -> None:
    for seat in (None, 3):
        check_places(RECORDS[name], seat)


@every_game
def test_tiles_lie_apart_in_games(game: str) -> None:
    for state in positions(game)[::3]:
        check_places(state, None)


@every_game
def test_all_tiles_are_there(game: str) -> None:
    """Of every kind four are on the open table, in the wall, or face down in a concealed kong; winners share a tile."""
    backs = 0
    for state in positions(game):
        seen = Counter(tile.name for tile in tiles(state))
        winners = int((state["won"] > 0).sum())
        for k in range(34):
            kongs = int(((state["form"] == CONCEALED) & (state["kind"] == k)).sum())
            shared = max(winners - 1, 0) if state["offer"] == k else 0
            assert seen[name_of(k)] + 2 * kongs + state["wall"][k] == 4 + shared
        assert seen["back"] == 2 * (state["form"] == CONCEALED).sum()
        assert sum(seen.values()) + state["left"] == 136 + max(winners - 1, 0)
        backs += seen["back"]
    assert backs


def test_hands_are_in_order_and_the_drawn_tile_apart() -> None:
    state = record(last=kind_of("5p"))
    hand = in_hand(state, 0)
    kinds = [kind_of(tile.name) for tile in hand]
    assert kinds[:-1] == sorted(kinds[:-1]) and kinds[-1] == kind_of("5p") and len(hand) == 17
    steps = {round(b.x - a.x, 1) for a, b in pairwise(hand[:-1])}
    assert steps == {tile_faces.WIDTH}
    assert hand[-1].x - hand[-2].x == pytest.approx(tile_faces.WIDTH + board.APART)
    assert [tile.x for tile in in_hand(state, 0, 2)] == [tile.x for tile in hand]
    assert len(in_hand(record(), 0)) == 16


@pytest.mark.parametrize("seat", VIEWERS)
def test_seats_follow_each_other_against_the_clock(seat: int | None) -> None:
    """The next seat sits at the right, and it sees its own melds at its right."""
    state = record({q: [(PONG, f"{q + 1}z", f"{q + 1}z", (q + 1) % 4)] for q in range(4)})
    for q in range(4):
        place = (q - (seat or 0)) % 4
        x, y = ((1, 1), (1, -1), (-1, -1), (-1, 1))[place]
        for tile in tiles(state, seat):
            if tile.name == f"{q + 1}z" and tile.turned:
                left, top, right, bottom = tile.corners()
                assert x * (left + right) / 2 > 250 and y * (top + bottom) / 2 > 250


@pytest.mark.parametrize("q", range(4))
@pytest.mark.parametrize(
    ("form", "relative", "wanted"),
    [
        (PONG, 3, "*.."),
        (PONG, 2, ".*."),
        (PONG, 1, "..*"),
        (KONG, 3, "*..."),
        (KONG, 2, ".*.."),
        (KONG, 1, "...*"),
        (ADDED, 3, "**.."),
        (ADDED, 2, ".**."),
        (ADDED, 1, "..**"),
    ],
)
def test_claimed_tiles_lie_on_their_side(q: int, form: int, relative: int, wanted: str) -> None:
    """They lie where the seat sits that has given them: the previous at the left, the next at the right."""
    state = record({q: [(form, "7z", "7z", (q + relative) % 4)]})
    meld = sorted((t for t in tiles(state) if t.side == q and t.scale < 1), key=lambda t: (t.x, -t.y))
    assert "".join(".*"[tile.turned] for tile in meld) == wanted
    assert {tile.name for tile in meld} == {"7z"}
    both = [tile for tile in meld if tile.turned]
    if form == ADDED:
        assert both[0].x == both[1].x
        assert both[0].y - both[1].y == pytest.approx(tile_faces.WIDTH * both[0].scale)


def test_melds_lie_apart_from_the_corner_on() -> None:
    """The first one lies at the right, and each keeps its place when another comes."""
    rim = sorted((tile for tile in tiles(record({0: EVERY})) if tile.side == 0), key=lambda tile: tile.x)
    groups = [[rim[0].name]]
    for before, tile in pairwise(rim):
        if tile.corners()[0] - before.corners()[2] > 2:
            groups.append([])
        groups[-1].append(tile.name)
    assert [len(group) for group in groups] == [1, 4, 4, 4, 3, 3]
    assert [group[1] for group in groups[1:]] == ["2z", "1s", "9p", "7z", "4m"]
    alone = [tile for tile in tiles(record({0: EVERY[:1]})) if tile.side == 0]
    two = [tile for tile in tiles(record({0: EVERY[:2]})) if tile.side == 0]
    assert {tile for tile in alone if tile.scale < 1} < {tile for tile in two if tile.scale < 1}


@pytest.mark.parametrize(("taken", "order"), [("4s", "4s 5s 6s"), ("5s", "5s 4s 6s"), ("6s", "6s 4s 5s")])
def test_chows_show_what_was_claimed(taken: str, order: str) -> None:
    state = record({1: [(CHOW, "4s", taken, 0)]})
    meld = [tile for tile in tiles(state) if tile.side == 1 and tile.scale < 1]
    assert [tile.name for tile in meld] == order.split()
    assert [tile.turned for tile in meld] == [True, False, False]


def test_rivers_hold_the_discards_in_their_order() -> None:
    """They are read in rows away from the middle of the table, without those that were claimed."""
    thrown = [f"{q}{rank}{suit}" for suit in "mp" for rank in range(1, 10) for q in range(4)]
    state = record(thrown=" ".join(thrown), claimed={0: 2, 9: 3, 70: 1})
    for seat in VIEWERS:
        for q in range(4):
            lying = [tile for tile in tiles(state, seat) if tile.side == (q - (seat or 0)) % 4 and tile.scale < 1]
            read_in_rows = sorted(lying, key=lambda tile: (round(tile.y), tile.x))
            wanted = [word[1:] for i, word in enumerate(thrown) if word[0] == str(q) and i not in (0, 9, 70)]
            assert [tile.name for tile in read_in_rows] == [tile.name for tile in lying] == wanted
            rows = Counter(round(tile.y) for tile in lying)
            assert [rows[y] for y in sorted(rows)] == [board.COLUMNS] * 2 + [len(wanted) - 2 * board.COLUMNS] * (
                len(wanted) > 2 * board.COLUMNS
            )


# What a seat sees


@every_game
def test_nothing_hidden_shows(game: str) -> None:
    """What a seat sees is the same whatever the others hold; the open table is not."""
    redeal, changes, kongs = bind(redeal_one, find(game)), 0, 0
    moving = [state for state in positions(game) if state["to_move"] >= protocol.CHANCE]
    for i, state in enumerate(moving[::2]):
        for seat in range(4):
            other = np.array([state])
            redeal(other, seat, open_stream(i))
            assert board.svg(other[0], seat) == board.svg(state, seat)
            changes += board.svg(other[0]) != board.svg(state)
            kongs += bool((other[0]["kind"] != state["kind"]).any())
    assert changes > 2 * len(moving[::2])
    assert (kongs > 0) == (game != OPEN)


@every_game
def test_answers_are_secret(game: str) -> None:
    """Who is asked, what others have answered and whether they have missed a win is not to be seen."""
    asked = [state for state in positions(game) if state["phase"] != rules.TURN and state["to_move"] >= 0]
    assert len(asked) > 5
    for state in asked:
        seat = int(state["turn"])
        for q in range(1, 4):
            other = state.copy()
            other["to_move"] = (seat + q) % 4
            other["answer"][(seat + 1) % 4], other["missed"][(seat + 2) % 4] = 3, 1
            assert board.svg(other, seat) == board.svg(state, seat)


@every_game
def test_each_seat_sees_its_own_hand(game: str) -> None:
    for state in positions(game)[::2]:
        robbed = state["phase"] == rules.ROB and not state["won"].any()
        for seat in range(4):
            found = tiles(state, seat)
            for q in range(4):
                # The tile of an added kong lies on the pong, the tile of a win beside the hand.
                held = [name_of(k) for k in np.repeat(np.arange(34), state["hand"][q])]
                if robbed and q == state["turn"]:
                    held.remove(name_of(int(state["offer"])))
                held = held if q == seat else ["back"] * len(held)
                if state["won"][q] > 0 and state["payer"] >= 0:
                    held.append(name_of(int(state["offer"])))
                assert Counter(tile.name for tile in hand_of(found, (q - seat) % 4)) == Counter(held)


@pytest.mark.parametrize("hide", [0, 1])
def test_concealed_kongs(hide: int) -> None:
    """Two tiles lie face down, for the other seats all four, unless the rules show them the kind."""
    state = record({1: [(CONCEALED, "3z", None, -1)]}, hide_concealed_kong=hide)
    for seat in VIEWERS:
        side = (1 - (seat or 0)) % 4
        meld = [tile.name for tile in tiles(state, seat) if tile.side == side and tile.scale < 1]
        hidden = hide and seat not in (None, 1)
        assert meld == (["back"] * 4 if hidden else ["back", "3z", "3z", "back"])


# What is highlighted


@pytest.mark.parametrize("seat", VIEWERS)
def test_the_tile_on_offer_is_highlighted(seat: int | None) -> None:
    discarded = record(thrown="03z 11m", turn=1, phase=rules.CLAIM, offer=0, to_move=2)
    assert lit(discarded, seat) == [(1, "1m")]
    assert lit(RECORDS["rob"], seat) == [(2, "3p")]
    upper = next(tile for tile in laid(RECORDS["rob"], seat) if tile.name == "glow")
    assert upper.turned and upper.scale < 1
    for turn in (record(last=3), record(thrown="03z 11m", turn=2, to_move=protocol.CHANCE), RECORDS["cut"]):
        assert not lit(turn, seat)


@pytest.mark.parametrize("seat", VIEWERS)
def test_the_winning_tile_is_highlighted(seat: int | None) -> None:
    over = {"to_move": protocol.OVER}
    claimed = record(
        thrown="15s", claimed={0: 3}, turn=1, phase=rules.CLAIM, offer=22, payer=1, won=[0, 0, 0, 4], **over
    )
    assert lit(claimed, seat) == [(3, "5s")]
    assert in_hand(claimed, 3, seat)[-1].name == "5s"
    robbed = record({1: [(PONG, "5s", "5s", 0)]}, turn=1, phase=rules.ROB, offer=22, payer=1, won=[3, 0, 4, 0], **over)
    robbed["hand"][1, 22] -= 1
    assert sorted(lit(robbed, seat)) == [(0, "5s"), (2, "5s")]
    drawn = record(turn=2, last=8, won=[0, 0, 7, 0], **over)
    assert lit(drawn, seat) == [(2, "9m" if seat in (None, 2) else "back")]
    assert not lit(
        record(turn=2, won=[0, 0, 7, 0], **over), seat
    )  # §14: on the deal any tile counts as the winning one


def plates(monkeypatch: pytest.MonkeyPatch, state: np.void, seat: int | None) -> dict[str, tuple[str, str, str]]:
    """Return for every plate's label its side of the table, its wind, and whether it is lit."""
    labels: dict[str, tuple[float, float]] = {}
    winds: dict[tuple[float, float], tuple[str, str]] = {}
    boxes: dict[tuple[float, float], str] = {}
    monkeypatch.setattr(board, "label", lambda text, x, y, *rest: labels.update({text: (x, y)}) or "")
    monkeypatch.setattr(
        board, "character", lambda name, x, y, size, ink, *rest: winds.update({(x, y): (name, ink)}) or ""
    )
    monkeypatch.setattr(
        board, "rect", lambda x, y, w, h, fill, *rest: boxes.update({(x + w / 2, y + h / 2): fill}) or ""
    )
    board.svg(state, seat)
    monkeypatch.undo()

    def near(places: dict[tuple[float, float], Any], at: tuple[float, float]) -> Any:
        return places[min(places, key=lambda place: abs(place[0] - at[0]) + abs(place[1] - at[1]))]

    found = {}
    for text, at in labels.items():
        if text.startswith("SEAT"):
            side = "bottom" if at[1] > 60 else "top" if at[1] < -30 else "right" if at[0] > 0 else "left"
            wind, ink = near(winds, at)
            found[text] = side, wind + "*" * (ink == draw.RED.fill), "lit" if near(boxes, at) == board.LIT else ""
    return found


def test_winds_and_turn_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dealer's wind is red, and the plate of who is to move is lit."""
    state = record(dealer=2, turn=1, to_move=1)
    assert plates(monkeypatch, state, None) == {
        "SEAT 0": ("bottom", "西", ""),
        "SEAT 1": ("right", "北", "lit"),
        "SEAT 2": ("top", "東*", ""),
        "SEAT 3": ("left", "南", ""),
    }
    assert plates(monkeypatch, state, 3) == {
        "SEAT 3": ("bottom", "南", ""),
        "SEAT 0": ("right", "西", ""),
        "SEAT 1": ("top", "北", "lit"),
        "SEAT 2": ("left", "東*", ""),
    }


@pytest.mark.parametrize(
    ("fields", "seat", "wanted"),
    [
        ({"turn": 1, "to_move": protocol.CHANCE}, None, "1"),
        ({"turn": 1, "phase": rules.CLAIM, "offer": 3, "to_move": 3}, None, "3"),
        ({"turn": 1, "phase": rules.CLAIM, "offer": 3, "to_move": 3}, 3, "3"),
        ({"turn": 1, "phase": rules.CLAIM, "offer": 3, "to_move": 3}, 0, "1"),
        (
            {"turn": 1, "won": [1, 0, 0, 9], "payer": 2, "offer": 3, "phase": rules.CLAIM, "to_move": protocol.OVER},
            1,
            "03",
        ),
        ({"turn": 1, "to_move": protocol.OVER}, None, ""),
    ],
    ids=str,
)
def test_plates_are_lit(fields: Any, seat: int | None, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plates(monkeypatch, record(**fields), seat)
    assert "".join(sorted(text[-1] for text, (_, _, state) in found.items() if state)) == wanted


# Letters


CLAIMED: Any = {"turn": 1, "phase": rules.CLAIM, "offer": 3}
WON: Any = {"to_move": protocol.OVER, "won": [0, 0, 6, 0]}


@pytest.mark.parametrize(
    ("fields", "seat", "caption"),
    [
        ({}, None, "EAST TO MOVE"),
        ({"dealer": 1}, 2, "NORTH TO MOVE"),
        ({"turn": 2, "to_move": protocol.CHANCE}, 0, "WEST TO DRAW"),
        ({**CLAIMED, "to_move": 3}, None, "NORTH TO ANSWER"),
        ({**CLAIMED, "to_move": 3}, 3, "NORTH TO ANSWER"),
        ({**CLAIMED, "to_move": 3}, 2, "SOUTH DISCARDS"),
        ({**CLAIMED, "phase": rules.ROB, "to_move": 3}, 2, "SOUTH ADDS TO A PONG"),
        ({"to_move": protocol.CUT}, None, "GAME OVER"),
        ({"to_move": protocol.OVER}, None, "GAME OVER"),
        ({**CLAIMED, "to_move": protocol.OVER}, None, "GAME OVER"),
    ],
    ids=str,
)
def test_the_caption_says_what_happens(
    fields: Any, seat: int | None, caption: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = lettered(monkeypatch, board)
    board.svg(record(**fields), seat)
    assert texts[-1] == caption


@pytest.mark.parametrize(
    ("fields", "caption"),
    [
        ({"turn": 2}, "WEST WINS BY SELF-DRAW: 5 TAI"),
        ({**CLAIMED, "payer": 1}, "WEST WINS FROM SOUTH: 5 TAI"),
        ({**CLAIMED, "payer": 1, "dealer": 3}, "NORTH WINS FROM WEST: 5 TAI"),
        ({**CLAIMED, "payer": 1, "won": [1, 0, 6, 0]}, "WEST, EAST WIN FROM SOUTH: 5, 0 TAI"),
    ],
    ids=str,
)
@pytest.mark.parametrize("seat", VIEWERS)
def test_the_caption_says_who_has_won(
    fields: Any, caption: str, seat: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below it are the points, from East on."""
    points = [1500, -2500, 0, 1000]
    state = record(**(WON | fields | {"points": points}))
    texts = lettered(monkeypatch, board)
    board.svg(state, seat)
    first = int(state["dealer"])
    assert texts[-5:] == [caption, *(f"{points[(first + i) % 4]:+}" for i in range(4))]


def test_a_draw_is_told_from_a_forfeit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has won and the live wall is empty: a seat that still has to discard has forfeited."""
    state = record(turn=1, to_move=protocol.OVER)
    forfeited = record(turn=1, last=3, to_move=protocol.OVER)
    texts = lettered(monkeypatch, board)
    for each, caption in ((state, "DRAW"), (forfeited, "GAME OVER")):
        each["left"] = each["reserve"] = 16
        board.svg(each)
        assert texts[-1] == caption and "0 LEFT" in texts


@every_game
def test_games_end_with_their_result(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    seen = set()
    for state in positions(game):
        if state["to_move"] == protocol.OVER:
            board.svg(state)
            won = bool((state["won"] > 0).any())
            assert (texts[-1] == "DRAW") != won and any("TAI" in text for text in texts[-5:]) == won
            seen.add(won)
    assert seen == {True, False}


@pytest.mark.parametrize(("per_kong", "live"), [(0, "55 LEFT"), (1, "52 LEFT")])
def test_live_tiles_are_counted(per_kong: int, live: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    state = record(left=71, kongs=3, reserve_per_kong=per_kong)
    state["left"] = 71
    board.svg(state)
    assert live in texts


def test_the_streak_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    for streak, told in ((0, False), (7, True)):
        board.svg(record(streak=streak))
        assert ("+7" in texts) == told
