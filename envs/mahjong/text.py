"""Mahjong in text: names of actions, and diagrams that read back, whole or as one seat sees the table.

The tiles that a seat does not see are ``?`` in its view, which does not read back.
"""

from collections.abc import Iterable

import numpy as np

from ..engine.errors import BoyiError, shown
from ..engine.protocol import CHANCE, OVER
from ..engine.spec import Game
from ..engine.syntax import expect, expect_same, lines_of
from ..engine.syntax import parse as parse_options
from ..engine.validity import check_read
from ..engine.view import copied
from . import SPEC, tiles
from .complete import COPIES, SUITED
from .constants import CLAIM, MOST_MELDS, ROB, SEATS, TILES, TURN
from .melds import ADDED, CHOW, CONCEALED, KONG, PONG, melded, tiles_of
from .state import ANSWER, CLAIMED, DEAL, DECLARE, OF_CHOICE, PASS, TAKE_HIGH, TAKE_LOW, WIN
from .tai import ITEMS

WINDS = "ESWN"
PHASES = ("turn", "claim", "rob")
STARTS = ("deal", "draw", "kong", "claimed-kong", "claim")
ANSWERS = ("-", "win", "pong", "kong", "low", "middle", "high", "pass")
CHOICES = {param: SPEC.params[param].choices for param in ("multi_win", "missed_win")}
FIELDS = {"base": "stake", "single_wait_all_claimed": "single_wait", "five_concealed_all_pongs": "five_concealed"}
NOTHING, UNSEEN = "-", "?"
WHAT = "a diagram of mahjong"


def name(s: np.void, a: int) -> str:
    """Name action `a` (§21): ``4m``, ``kong 4m``, ``win``, ``pong``, ``kong``, ``chow 456m`` or ``pass``."""
    if a < DECLARE:
        return tiles.name_of(a)
    if a < WIN:
        return f"kong {tiles.name_of(a - DECLARE)}"
    if TAKE_LOW <= a <= TAKE_HIGH:
        low = int(s["offer"]) - (a - TAKE_LOW)
        return f"chow {tiles.write_list([low, low + 1, low + 2])}" if 0 <= low < 25 else f"chow {ANSWERS[a - ANSWER]}"
    return ANSWERS[a - ANSWER]


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    word = " ".join(text.lower().split())
    for a in range(PASS + 1):
        if name(s, a) == word:
            return a
    raise BoyiError(f"no action {shown(text)}: write a tile such as 4m, or kong 4m, win, pong, kong, chow 456m, pass")


def outcome(s: np.void, o: int) -> str:
    """Name the tile that is drawn."""
    return tiles.name_of(o)


def diagram(s: np.void, seat: int | None = None) -> str:
    """Draw the table: whose turn and what is offered, every seat's hand and melds, the discards, at the end the win.

    With a `seat`, what it does not see is left out, also the number of plies, which tells how many seats were asked.
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
        if key in OF_CHOICE:
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
    if to_move >= 0 and s["phase"] != TURN and seat not in (None, to_move):
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
    held = tiles.write_list(tiles_of(form, kind))
    if form == CONCEALED:
        return f"{held}!"
    return f"{held}<{s['giver'][q, j]}{f':{tiles.name_of(taken)}' if form == CHOW else '+' * (form == ADDED)}"


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes of the whole table, or of a position that was set up, into a record, shape (1,).

    `BoyiError` for five copies of a tile, a hand of the wrong size, and anything else that `diagram` does not write.
    """
    lines = lines_of(text, WHAT)
    if not 7 <= len(lines) <= 8:
        raise BoyiError(f"not {WHAT}: it has two lines of facts, four seats, the discards, maybe a win")
    game, s = _start(lines[0])
    _read_status(s[0], lines[1])
    for q in range(SEATS):
        _read_seat(s[0], q, lines[2 + q])
    _read_discards(s[0], lines[6])
    if len(lines) > 7:
        _read_win(s[0], lines[7])
    _check_turn(s[0])
    _check_hands(s[0])
    _fill_wall(s[0])
    expect_same(lines, diagram(s[0]).split("\n"), WHAT)
    check_read(game, s, WHAT)
    return s


def _four(form: str) -> str:
    return f"((?:(?:{form}),){{3}}(?:{form}))"


def _start(line: str) -> tuple[Game, np.ndarray]:
    head = expect(r"mahjong(?: (\S+))?  ply (\d{1,3})  live (\d+)", line, WHAT, "mahjong dealer=1  ply 26  live 41")
    _, _, given = parse_options(f"mahjong:{head[1]}" if head[1] else "mahjong")
    game = Game.bind(SPEC, given)
    s = copied(game.blank)
    s["taken"] = s["giver"] = s["claimed"] = s["payer"] = -1
    s["ply"] = int(head[2])
    return game, s


def _read_status(s: np.void, line: str) -> None:
    found = expect(
        f"phase ({'|'.join(PHASES)})  turn ([0-3])  start ({'|'.join(STARTS)})  last (\\S+)  offer (\\S+)"
        f"  to ([0-3]|draw|over)  answers {_four('|'.join(ANSWERS))}  missed {_four('[01]')}",
        line,
        WHAT,
        "phase turn  turn 2  start draw  last 4m  offer -  to 2  answers -,-,-,-  missed 0,0,0,0",
    )
    s["phase"], s["turn"], s["start"] = PHASES.index(found[1]), int(found[2]), STARTS.index(found[3])
    s["last"], s["offer"] = (-1 if word == NOTHING else tiles.kind_of(word) for word in (found[4], found[5]))
    whose = {"draw": CHANCE, "over": OVER}
    s["to_move"] = whose[found[6]] if found[6] in whose else int(found[6])
    s["answer"] = [ANSWERS.index(word) for word in found[7].split(",")]
    s["missed"] = found[8].split(",")


def _read_seat(s: np.void, q: int, line: str) -> None:
    head, *melds = line.split("  ")
    found = expect(rf"{q} [{WINDS}] (\S*)", head, WHAT, f"{q} E 1344m78p345s6z")
    s["hand"][q] = tiles.parse(found[1])
    if len(melds) > MOST_MELDS:
        raise BoyiError(f"seat {q} has {len(melds)} melds: the most is {MOST_MELDS}")
    for j, meld in enumerate(melds):
        _read_meld(s, q, j, meld)
    s["melds"][q] = len(melds)


def _read_meld(s: np.void, q: int, j: int, meld: str) -> None:
    found = expect(r"(\w+)(?:(!)|<([0-3])(?:(\+)|:(\w+))?)", meld, WHAT, "555z<1, 456m<1:4m, 7777p<1+ or 1111s!")
    kinds, taken = tiles.parse_list(found[1]), tiles.parse_list(found[5] or "")
    low, count = kinds[0], len(kinds)
    if kinds == [low, low + 1, low + 2] and low + 2 < SUITED and low % 9 < 7 and taken and taken[0] in kinds:
        s["form"][q, j] = CHOW
    elif kinds != [low] * count or not 3 <= count <= 4 or taken or (count == 3 and (found[2] or found[4])):
        raise BoyiError(f"not {WHAT}: {shown(meld)} is no meld")
    else:
        s["form"][q, j] = PONG if count == 3 else CONCEALED if found[2] else ADDED if found[4] else KONG
    s["kind"][q, j] = low
    if not found[2]:
        s["giver"][q, j], s["taken"][q, j] = int(found[3]), taken[0] if taken else low
    s["kongs"] += count == 4


def _read_discards(s: np.void, line: str) -> None:
    head, *discards = line.split(" ")
    expect("discards", head, WHAT, "discards 1:9m>3 3:5z 0:1z>1")
    if len(discards) > s["discard"].size:
        raise BoyiError(f"{len(discards)} discards are too many: a hand has {s['discard'].size} at most")
    for i, word in enumerate(discards):
        found = expect(r"([0-3]):(\w+)(?:>([0-3]))?", word, WHAT, "1:9m>3")
        s["by"][i], s["discard"][i] = int(found[1]), tiles.kind_of(found[2])
        if found[3]:
            s["claimed"][i] = int(found[3])
        else:
            s["river"][s["by"][i], s["discard"][i]] += 1
    s["discards"] = len(discards)


def _read_win(s: np.void, line: str) -> None:
    tai, points = _four(r"\d{1,4}"), _four(r"-?[01]?\d{1,9}")
    example = "won 0,5,0,0  from -  points -3500,9500,-3000,-3000"
    found = expect(f"won {tai}  from ([0-3]|-)  points {points}", line, WHAT, example)
    s["won"], s["points"] = ([int(number) for number in found[k].split(",")] for k in (1, 3))
    s["payer"] = -1 if found[2] == NOTHING else int(found[2])


def _check_hands(s: np.void) -> None:
    """Raise `BoyiError` for a seat with the wrong number of tiles (§2); after the end there may be one too many."""
    turn, to_move = int(s["turn"]), int(s["to_move"])
    drawn = s["phase"] == ROB or (s["phase"] == TURN and to_move == turn)
    for q in range(SEATS):
        size = 16 - 3 * int(s["melds"][q])
        allowed = [size] if q != turn else [size, size + 1] if to_move == OVER else [size + drawn]
        if s["hand"][q].sum() not in allowed:
            needed = " or ".join(map(str, allowed))
            raise BoyiError(
                f"seat {q} has {s['hand'][q].sum()} concealed tiles and {s['melds'][q]} melds: it needs {needed}"
            )


def _check_turn(s: np.void) -> None:
    """Raise `BoyiError` where a hand in progress has facts that contradict one another (§5 to §10)."""
    turn, to_move, offer, last = (int(s[key]) for key in ("turn", "to_move", "offer", "last"))
    hand, latest, newest = s["hand"][turn], int(s["discards"]) - 1, int(s["melds"][turn]) - 1
    if to_move == OVER:
        return
    if s["phase"] == TURN:
        drawn = to_move == turn and s["start"] not in (DEAL, CLAIMED)
        _require(to_move in (turn, CHANCE), "in a turn nobody else is to act")
        _require(offer < 0 and not s["answer"].any(), "in a turn no tile is offered and nothing answered")
        _require(
            last >= 0 and hand[last] > 0 if drawn else last < 0,
            "the tile drawn last is in the hand, or - before a draw",
        )
        claimed = s["start"] == CLAIMED
        _require(not claimed or (newest >= 0 and s["form"][turn, newest] in (CHOW, PONG)), "nothing has been claimed")
        return
    _require(to_move not in (turn, CHANCE), "only another seat answers what is offered")
    if s["phase"] == CLAIM:
        thrown = [int(s[key][latest]) for key in ("discard", "by", "claimed")]
        _require(latest >= 0 and thrown == [offer, turn, -1], "the tile offered is the latest discard")
        _require(last < 0, "no tile is the one drawn last after a discard")
    else:
        pongs = s["kind"][turn][s["form"][turn] == PONG]
        _require(offer in pongs and hand[offer] > 0, "the tile offered is in the hand, its like in a pong")
        _require(last < 0 or hand[last] > 0, "the tile drawn last is in the hand")


def _require(condition: bool | np.bool_, rule: str) -> None:
    if not condition:
        raise BoyiError(f"not {WHAT}: {rule}")


def _fill_wall(s: np.void) -> None:
    """Put what is nowhere else into the wall; `BoyiError` for a fifth copy."""
    used = s["hand"].sum(axis=0) + s["river"].sum(axis=0)
    for q in range(SEATS):
        used += melded(s, q)
    if s["won"].any() and s["payer"] >= 0:
        used[s["offer"]] += 1
    if used.max() > COPIES:
        raise BoyiError(f"there are {used.max()} copies of {tiles.name_of(int(used.argmax()))}: the most is {COPIES}")
    s["wall"] = COPIES - used
    s["left"] = TILES - used.sum()
