"""Draw a mahjong table: the viewer's side is at the bottom, and the seats follow each other anticlockwise.

  2             a side is drawn as the bottom one and turned: its hand and, at the right, its melds lie on
3   1           the rim, its discards in front, eight in a row, the first row at the middle of the table.
  0             Pixels are counted from that middle.
"""

import re
from collections.abc import Iterator
from math import ceil, fsum
from typing import NamedTuple

import numpy as np

from ..engine.to_move import CHANCE, OVER
from ..faces.drawing import CELL, GOLD, GRID, INK, PAPER, RED, at, document, label, label_width, moved, polygon, rect
from .constants import CLAIM, KINDS, ROB, SEATS, TURN
from .melds import ADDED, CONCEALED, PONG, tiles_of
from .tile_faces import HEIGHT, WIDTH, WINDS, back, character, face, glow
from .tiles import name_of

TABLE = 340.0  # from the middle to the rim, in pixels
FELT, EDGE = "#6b9580", "#557b68"
LIT = "#fbe3a6"  # the plate of a seat that is to act, or has won
PANEL, PLATE = 112.0, 76.0  # from the middle to the panel's edge, and to the middle of a seat's plate
BASE = TABLE - 12  # where the tiles on the rim end
LEFT, RIGHT = -266.0, TABLE - 12  # of a hand and its melds: the corner at the left belongs to another seat
SMALL = 0.92  # of tiles that lie open, compared with those in a hand
APART, BETWEEN = 9.0, 5.0  # gaps before a drawn tile, and between melds
ROWS, COLUMNS = 4, 8  # of discards; a longer river becomes smaller
STRIP = 66.0  # height of the captions below the table
TEXT = 13.0  # height of the caption

WIND_NAMES = ("EAST", "SOUTH", "WEST", "NORTH")
BACK, NOTHING = "back", -1
SHAPES = {name_of(k): face(k) for k in range(KINDS)} | {BACK: back(), "glow": glow()}


class Tile(NamedTuple):
    """A tile around (x, y): its name or BACK; whether it lies on its side, whether it is the one that matters, and
    whether the viewer can discard it.
    """

    name: str
    x: float
    y: float
    scale: float
    turned: bool = False
    glow: bool = False
    own: bool = False


class Meld(NamedTuple):
    """The names of a meld's tiles, which of them lies on its side, whether a fourth lies above that and is offered."""

    names: list[str]
    turned: int = NOTHING
    fourth: bool = False
    offered: bool = False


def svg(state: np.void, seat: int | None = None) -> str:
    """Return the picture of one mahjong record as a seat sees it; without a seat, as spectators do, all tiles open."""
    middle = TABLE + 16
    felt = [(x, y) for x in (-TABLE, TABLE) for y in (-TABLE, TABLE)]
    parts = [polygon([felt[0], felt[1], felt[3], felt[2]], FELT, EDGE, 6), *_panel(state, seat)]
    for q in range(SEATS):
        tiles = [*_rim(state, q, seat), *_river(state, q)]
        parts.append(f'<g transform="rotate({-90 * _side(q, seat)})">{"".join(map(_drawn, tiles))}</g>')
    parts += _captions(state, seat)
    return document(2 * middle, 2 * middle + STRIP, [_definitions(parts), moved(parts, middle, middle)], PAPER)


def _definitions(parts: list[str]) -> str:
    """Return the tiles that the parts use, each drawn once."""
    used = set(re.findall(r'href="#tile-(\w+)"', "".join(parts)))
    groups = [f'<g id="tile-{name}">{"".join(shape)}</g>' for name, shape in SHAPES.items() if name in used]
    return "\n".join(["<defs>", *groups, "</defs>"])


def _drawn(tile: Tile) -> str:
    turn = " rotate(90)" if tile.turned else ""
    place = f'transform="translate({tile.x:.6g} {tile.y:.6g}){turn} scale({tile.scale:.4g})"'
    names = [tile.name, "glow"] if tile.glow else [tile.name]
    meant = f" {at(tile.name)}" if tile.own else ""
    return "".join(f'<use href="#tile-{name}" {place}{meant}/>' for name in names)


# What there is to see


def _side(q: int, seat: int | None) -> int:
    """Return a seat's side of the table: 0 is the bottom, 1 the right."""
    return (q - (seat or 0)) % SEATS


def _wind(state: np.void, q: int) -> int:
    return (q - int(state["dealer"])) % SEATS


def _live(state: np.void) -> int:
    return int(state["left"]) - int(state["reserve"]) - int(state["reserve_per_kong"]) * int(state["kongs"])


def _winners(state: np.void) -> list[int]:
    """List the winners in the order in which they come after the payer."""
    first = int(state["payer"]) + 1
    return [q % SEATS for q in range(first, first + SEATS) if state["won"][q % SEATS] > 0]


def _offered(state: np.void, phase: int) -> bool:
    """Return whether the tile of a discard, or of an added kong, is on offer."""
    return bool(state["phase"] == phase and state["offer"] >= 0 and not state["won"].any())


def _hand(state: np.void, q: int, seat: int | None) -> tuple[list[str], str | None]:
    """Return the names of the tiles in a hand, and of the one that lies apart: just drawn, or won from another seat."""
    counts, drawn = state["hand"][q].copy(), NOTHING
    if q == state["turn"] and state["phase"] == TURN:
        drawn = int(state["last"])
    elif q == state["turn"] and _offered(state, ROB):
        counts[state["offer"]] -= 1
    if drawn >= 0:
        counts[drawn] -= 1
    hidden = seat not in (None, q)
    names = [BACK if hidden else name_of(k) for k in np.repeat(np.arange(KINDS), counts).tolist()]
    if state["won"][q] > 0 and state["payer"] >= 0:
        return names, name_of(int(state["offer"]))
    return names, None if drawn < 0 else BACK if hidden else name_of(drawn)


def _meld(state: np.void, q: int, j: int, seat: int | None) -> Meld:
    """Return a seat's j-th meld: at the left, in the middle or at the right lies what came from the seat there."""
    form, kind, taken = (int(state[field][q, j]) for field in ("form", "kind", "taken"))
    if form == CONCEALED:
        hidden = seat not in (None, q) and state["hide_concealed_kong"]
        return Meld([BACK, *[BACK if hidden else name_of(kind)] * 2, BACK])
    names = [name_of(k) for k in tiles_of(PONG if form == ADDED else form, kind)]
    turned = (NOTHING, len(names) - 1, 1, 0)[(int(state["giver"][q, j]) - q) % SEATS]
    names.remove(name_of(taken))
    names.insert(turned, name_of(taken))
    added = _offered(state, ROB) and q == state["turn"] and form == PONG and kind == state["offer"]
    return Meld(names, turned, form == ADDED or added, added)


# Where it lies


def _rim(state: np.void, q: int, seat: int | None) -> list[Tile]:
    """Return a seat's hand, from the left, and its melds, the first of them in the corner at the right."""
    names, apart = _hand(state, q, seat)
    melds = [_meld(state, q, j, seat) for j in range(state["melds"][q])]
    held = WIDTH * len(names) + (WIDTH + APART) * (apart is not None)
    scale = min(1.0, (RIGHT - LEFT) / (held + fsum(_width(meld) + BETWEEN for meld in melds) + BETWEEN))
    y = BASE - HEIGHT * scale / 2
    own, won = q == (seat or 0), bool(state["won"][q] > 0)
    tiles = [Tile(name, LEFT + WIDTH * scale * (i + 0.5), y, scale, own=own) for i, name in enumerate(names)]
    if apart is not None:
        tiles.append(Tile(apart, LEFT + (held - WIDTH / 2) * scale, y, scale, glow=won, own=own))
    x = RIGHT
    for meld in melds:
        x -= _width(meld) * scale
        tiles += _laid(meld, x, SMALL * scale)
        x -= BETWEEN * scale
    return tiles


def _width(meld: Meld) -> float:
    return SMALL * (WIDTH * len(meld.names) + (HEIGHT - WIDTH) * (meld.turned >= 0))


def _laid(meld: Meld, x: float, scale: float) -> Iterator[Tile]:
    """Yield a meld's tiles from x on, the one on its side followed by the one that lies above it."""
    for i, name in enumerate(meld.names):
        turned = i == meld.turned
        width, height = (HEIGHT, WIDTH) if turned else (WIDTH, HEIGHT)
        tile = Tile(name, x + width * scale / 2, BASE - height * scale / 2, scale, turned)
        yield tile
        if turned and meld.fourth:
            yield tile._replace(y=tile.y - height * scale, glow=meld.offered)
        x += width * scale


def _river(state: np.void, q: int) -> Iterator[Tile]:
    """Yield a seat's discards in their order, without those that were claimed."""
    n = int(state["discards"])
    lying = [i for i in range(n) if state["by"][i] == q and state["claimed"][i] < 0]
    columns = max(COLUMNS, ceil(len(lying) / ROWS))
    scale = SMALL * COLUMNS / columns
    for place, i in enumerate(lying):
        r, c = divmod(place, columns)
        x, y = WIDTH * scale * (c - (columns - 1) / 2), PANEL + 6 + HEIGHT * scale * (r + 0.5)
        yield Tile(name_of(int(state["discard"][i])), x, y, scale, glow=i == n - 1 and _offered(state, CLAIM))


# What is written


def _actor(state: np.void, seat: int | None) -> int:
    """Return who is to act, as far as the viewer knows: only a seat itself knows that a discard is offered to it."""
    mover = int(state["to_move"])
    asked = state["phase"] != TURN and mover >= 0 and seat in (None, mover)
    return mover if asked else int(state["turn"])


def _panel(state: np.void, seat: int | None) -> list[str]:
    """Return the middle: every seat's wind, the dealer's in red, the prevailing wind, and how many tiles are live."""
    lit = [_actor(state, seat)] if state["to_move"] >= CHANCE else _winners(state)
    parts = [rect(-PANEL, -PANEL, 2 * PANEL, 2 * PANEL, CELL, EDGE, 1.6)]
    for q in range(SEATS):
        right, down = ((0, 1), (1, 0), (0, -1), (-1, 0))[_side(q, seat)]
        x, y, wind = PLATE * right, PLATE * down, _wind(state, q)
        color = INK if wind else RED.fill
        parts.append(rect(x - 30, y - 25, 60, 50, LIT if q in lit else PAPER, GOLD if q in lit else GRID, 1.6))
        parts.append(character(WINDS[wind], x, y - 6, 25, color, 2))
        parts.append(label(f"SEAT {q}", x, y + 16.5, 7, color))
        if wind == 0 and state["streak"] > 0:
            parts.append(label(f"+{state['streak']}", x + 13, y - 15, 6, color, "start"))
    parts.append(character(WINDS[state["round_wind"]], 0, -10, 36, INK, 1.5))
    parts.append(label(f"{_live(state)} LEFT", 0, 26, 10, INK))
    return parts


def _captions(state: np.void, seat: int | None) -> list[str]:
    """Return the lines below the table: what happens, and after a win everybody's points."""
    y = TABLE + 32
    if not state["won"].any():
        return [label(_happening(state, seat), 0, y + 8, TEXT, INK)]
    parts = [label(_result(state), 0, y, TEXT, INK)]
    size, mark = 10.0, 22.0
    order = [(int(state["dealer"]) + i) % SEATS for i in range(SEATS)]
    texts = [f"{int(state['points'][q]):+}" for q in order]
    widths = [mark + label_width(text, size) for text in texts]
    x = -(fsum(widths) + 26 * (SEATS - 1)) / 2
    for i, (text, width) in enumerate(zip(texts, widths, strict=True)):
        parts.append(character(WINDS[i], x + 7, y + 26, 15, RED.fill if i == 0 else INK, 2))
        parts.append(label(text, x + mark, y + 26, size, INK, "start"))
        x += width + 26
    return parts


def _happening(state: np.void, seat: int | None) -> str:
    name = WIND_NAMES[_wind(state, _actor(state, seat))]
    if state["to_move"] < CHANCE:
        q = int(state["turn"])
        discarded = state["phase"] == TURN and state["hand"][q].sum() % 3 == 1  # else somebody has forfeited
        return "DRAW" if state["to_move"] == OVER and discarded and _live(state) == 0 else "GAME OVER"
    if state["to_move"] == CHANCE:
        return f"{name} TO DRAW"
    if state["phase"] == TURN:
        return f"{name} TO MOVE"
    if _actor(state, seat) != state["turn"]:
        return f"{name} TO ANSWER"
    return f"{name} DISCARDS" if state["phase"] == CLAIM else f"{name} ADDS TO A PONG"


def _result(state: np.void) -> str:
    winners = _winners(state)
    names = ", ".join(WIND_NAMES[_wind(state, q)] for q in winners)
    tai = ", ".join(str(state["won"][q] - 1) for q in winners)
    payer = int(state["payer"])
    how = f"FROM {WIND_NAMES[_wind(state, payer)]}" if payer >= 0 else "BY SELF-DRAW"
    return f"{names} WIN{'S' if len(winners) == 1 else ''} {how}: {tai} TAI"
