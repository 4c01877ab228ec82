"""Mahjong in text: names of actions, and diagrams that read back, whole or as one seat sees the table.

The tiles that a seat does not see are ``?`` in its view, which does not read back.
"""

from collections.abc import Iterable

import numpy as np

from ..errors import BoyiError
from ..protocol import CHANCE, OVER
from ..spec import Game
from ..syntax import parse as parse_options
from . import SEATS, SPEC, TILES, record, tiles
from .complete import COPIES, SUITED
from .tai import ADDED, CHOW, CONCEALED, ITEMS, KONG, PONG

WINDS = "ESWN"
PHASES = ("turn", "claim", "rob")
STARTS = ("deal", "draw", "kong", "claimed-kong", "claim")
ANSWERS = ("-", "win", "pong", "kong", "low", "middle", "high", "pass")
CHOICES = {param: SPEC.params[param].choices for param in ("multi_win", "missed_win")}
FIELDS = {"base": "stake", "single_wait_all_claimed": "single_wait", "five_concealed_all_pongs": "five_concealed"}
NOTHING, UNSEEN = "-", "?"


def name(s: np.void, a: int) -> str:
    """Name action `a` (§21): ``4m``, ``kong 4m``, ``win``, ``pong``, ``kong``, ``chow 456m`` or ``pass``."""
    if a < record.DECLARE:
        return tiles.name_of(a)
    if a < record.WIN:
        return f"kong {tiles.name_of(a - record.DECLARE)}"
    if record.TAKE_LOW <= a <= record.TAKE_HIGH:
        low = int(s["offer"]) - (a - record.TAKE_LOW)
        return (
            f"chow {tiles.write_list([low, low + 1, low + 2])}"
            if 0 <= low < 25
            else f"chow {ANSWERS[a - record.ANSWER]}"
        )
    return ANSWERS[a - record.ANSWER]


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    word = " ".join(text.lower().split())
    for a in range(record.PASS + 1):
        if name(s, a) == word:
            return a
    raise BoyiError(f"no action {text!r}: write a tile, as 4m, or kong 4m, win, pong, kong, chow 456m, pass")


def outcome(s: np.void, o: int) -> str:
    """Name the tile that is drawn."""
    return tiles.name_of(o)


def diagram(s: np.void, seat: int | None = None) -> str:
    """Draw the table: whose turn and what is offered, every seat's hand and melds, the discards, at the end the win.

    With a `seat`, what it does not see is left out, the number of plies too: it tells how many seats were asked.
    """
    options = ",".join(
        f"{key}={_option(value)}" for key, value in _params(s).items() if value != SPEC.params[key].default
    )
    live = int(s["left"] - s["reserve"] - s["reserve_per_kong"] * s["kongs"])
    lines = [
        f"mahjong{' ' * bool(options)}{options}  ply {s['ply'] if seat is None else UNSEEN}  live {live}",
        _status(s, seat),
    ]
    lines += [_seat(s, q, seat) for q in range(SEATS)]
    thrown = zip(s["discard"], s["by"], s["claimed"], strict=True)
    discards = [f"{q}:{tiles.name_of(k)}" + (f">{to}" if to >= 0 else "") for k, q, to in list(thrown)[: s["discards"]]]
    lines.append(" ".join(["discards", *discards]))
    if s["won"].any():
        lines.append(f"won {_join(s['won'])}  from {_or_nothing(s['payer'])}  points {_join(s['points'])}")
    return "\n".join(lines)


def _params(s: np.void) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, param in SPEC.params.items():
        if key in record.OF_CHOICE:
            values[key] = int(s["worth"][ITEMS.index(key)])
        else:
            number = int(s[FIELDS.get(key, key)])
            values[key] = CHOICES[key][number] if key in CHOICES else type(param.default)(number)
    return values


def _option(value: object) -> str:
    return str(value).lower()


def _join(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def _or_nothing(number: int) -> str:
    return str(number) if number >= 0 else NOTHING


def _tile(kind: int) -> str:
    return tiles.name_of(kind) if kind >= 0 else NOTHING


def _status(s: np.void, seat: int | None) -> str:
    to_move, turn = int(s["to_move"]), int(s["turn"])
    whose = {CHANCE: "draw", OVER: "over"}.get(to_move, str(to_move))
    if to_move >= 0 and s["phase"] != record.TURN and seat not in (None, to_move):
        whose = UNSEEN
    last = _tile(s["last"]) if seat in (None, turn) or s["last"] < 0 else UNSEEN
    answers = [ANSWERS[a] if seat in (None, q) else UNSEEN for q, a in enumerate(s["answer"])]
    missed = [v if seat in (None, q) else UNSEEN for q, v in enumerate(s["missed"])]
    return (
        f"phase {PHASES[s['phase']]}  turn {turn}  start {STARTS[s['start']]}  last {last}  offer {_tile(s['offer'])}"
        f"  to {whose}  answers {_join(answers)}  missed {_join(missed)}"
    )


def _seat(s: np.void, q: int, seat: int | None) -> str:
    hand = s["hand"][q]
    shown = tiles.write(hand) if seat in (None, q) else UNSEEN * int(hand.sum())
    words = [f"{q} {WINDS[(q - s['dealer']) % SEATS]} {shown}"]
    for j in range(s["melds"][q]):
        hidden = seat not in (None, q) and s["hide_concealed_kong"] and s["form"][q, j] == CONCEALED
        words.append(f"{UNSEEN * 4}!" if hidden else _meld(s, q, j))
    return "  ".join(words)


def _meld(s: np.void, q: int, j: int) -> str:
    """Write a meld: ``444m<1`` is from seat 1, ``123m<1:2m`` a chow, ``+`` an added, ``!`` a concealed kong."""
    form, kind, taken = int(s["form"][q, j]), int(s["kind"][q, j]), int(s["taken"][q, j])
    if form == CHOW:
        return f"{tiles.write_list([kind, kind + 1, kind + 2])}<{s['giver'][q, j]}:{tiles.name_of(taken)}"
    if form == CONCEALED:
        return f"{tiles.write_list([kind] * 4)}!"
    return f"{tiles.write_list([kind] * (3 if form == PONG else 4))}<{s['giver'][q, j]}{'+' * (form == ADDED)}"


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes of the whole table into a record, shape (1,).

    `BoyiError` for five copies of a tile, a hand of a wrong size, and anything else that `diagram` does not write.
    """
    lines = text.strip().splitlines()
    try:
        s = _start(lines[0])
        _read_status(s[0], lines[1])
        for q in range(SEATS):
            _read_seat(s[0], q, lines[2 + q])
        _read_discards(s[0], lines[6])
        if len(lines) > 7:
            _read_win(s[0], lines[7])
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise BoyiError(f"not a diagram of mahjong: {error}") from None
    _fill_wall(s[0])
    if diagram(s[0]) != text.strip():
        raise BoyiError("not a diagram of mahjong: diagram() writes this position in another way")
    return s


def _words(line: str) -> dict[str, str]:
    words = line.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _start(line: str) -> np.ndarray:
    head, *facts = line.split("  ")
    game, _, options = head.partition(" ")
    if game != "mahjong" or len(facts) != 2:
        raise ValueError("it begins with mahjong, the parameters that are not the default, ply and live")
    _, _, given = parse_options(f"mahjong:{options}" if options else "mahjong")
    s = Game.bind(SPEC, given).blank.copy()
    s["taken"] = s["giver"] = s["claimed"] = -1
    s["ply"] = int(facts[0].removeprefix("ply "))
    return s


def _read_status(s: np.void, line: str) -> None:
    words = _words(line)
    s["phase"], s["turn"] = PHASES.index(words["phase"]), range(SEATS)[int(words["turn"])]
    s["start"] = STARTS.index(words["start"])
    s["last"], s["offer"] = (-1 if words[key] == NOTHING else tiles.kind_of(words[key]) for key in ("last", "offer"))
    whose = {"draw": CHANCE, "over": OVER}
    s["to_move"] = whose[words["to"]] if words["to"] in whose else range(SEATS)[int(words["to"])]
    s["answer"] = [ANSWERS.index(word) for word in words["answers"].split(",")]
    s["missed"] = [int(word) for word in words["missed"].split(",")]
    s["payer"] = -1


def _read_seat(s: np.void, q: int, line: str) -> None:
    head, *melds = line.split("  ")
    concealed = head.split(" ")[2]
    s["hand"][q] = tiles.parse(concealed)
    for j, meld in enumerate(melds):
        _read_meld(s, q, j, meld)
    s["melds"][q] = len(melds)
    allowed = {16 - 3 * len(melds), 16 - 3 * len(melds) + (q == s["turn"])}
    if s["hand"][q].sum() not in allowed:
        wanted = " or ".join(map(str, sorted(allowed)))
        raise BoyiError(
            f"seat {q} has {s['hand'][q].sum()} concealed tiles beside {len(melds)} melds: it needs {wanted}"
        )


def _read_meld(s: np.void, q: int, j: int, meld: str) -> None:
    shown, _, source = meld.rstrip("!+").partition("<")
    kinds = tiles.parse_list(shown)
    giver, _, taken = source.partition(":")
    chow = kinds == [kinds[0], kinds[0] + 1, kinds[0] + 2] and kinds[2] < SUITED
    if not chow and kinds not in ([kinds[0]] * 3, [kinds[0]] * 4):
        raise ValueError(f"{meld} is no meld")
    form = {3: PONG, 4: KONG}[len(kinds)]
    form = CHOW if chow else (CONCEALED if meld.endswith("!") else (ADDED if meld.endswith("+") else form))
    s["form"][q, j], s["kind"][q, j] = form, kinds[0]
    if form != CONCEALED:
        s["giver"][q, j] = range(SEATS)[int(giver)]
        s["taken"][q, j] = tiles.kind_of(taken) if chow else kinds[0]
    s["kongs"] += len(kinds) == 4


def _read_discards(s: np.void, line: str) -> None:
    head, *discards = line.split(" ")
    if head != "discards":
        raise ValueError("the discards are missing")
    for i, word in enumerate(discards):
        thrown, _, to = word.partition(">")
        q, _, tile = thrown.partition(":")
        s["by"][i], s["discard"][i] = range(SEATS)[int(q)], tiles.kind_of(tile)
        if to:
            s["claimed"][i] = range(SEATS)[int(to)]
        else:
            s["river"][s["by"][i], s["discard"][i]] += 1
    s["discards"] = len(discards)


def _read_win(s: np.void, line: str) -> None:
    words = _words(line)
    s["won"], s["points"] = ([int(v) for v in words[key].split(",")] for key in ("won", "points"))
    s["payer"] = -1 if words["from"] == NOTHING else range(SEATS)[int(words["from"])]


def _fill_wall(s: np.void) -> None:
    """Put what is nowhere else into the wall; `BoyiError` for a fifth copy."""
    used = s["hand"].sum(axis=0) + s["river"].sum(axis=0)
    for q in range(SEATS):
        for j in range(s["melds"][q]):
            kind, form = int(s["kind"][q, j]), int(s["form"][q, j])
            used[kind : kind + (3 if form == CHOW else 1)] += {CHOW: 1, PONG: 3}.get(form, 4)
    if s["won"].any() and s["payer"] >= 0:
        used[s["offer"]] += 1
    if used.max() > COPIES:
        raise BoyiError(f"there are {used.max()} copies of {tiles.name_of(int(used.argmax()))}: the most is {COPIES}")
    s["wall"] = COPIES - used
    s["left"] = TILES - used.sum()
