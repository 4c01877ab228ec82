"""Jiu in text: names of actions, and diagrams that read back. Games in the published notation are in `notation`."""

import re
from functools import partial

import numpy as np

from ..engine.bind import bind
from ..engine.errors import BoyiError, shown
from ..engine.protocol import CUT, OVER
from ..engine.spec import Game
from ..engine.syntax import expect, expect_same, lines_of
from ..engine.syntax import parse as parse_options
from ..engine.validity import check_read
from ..grid.cells import LETTERS, side_of
from ..grid.diagram import NOTHING, SEATS, STATUS, begin, read_rows, status, write_line, write_rows
from ..grid.directions import NEXT
from ..grid.quiet_turns import read_quiet, write_quiet
from ..grid.repetition import occurrences
from . import SPEC, rules
from .constants import DROP, FEWEST, JUMP, LAYOUT, MOVE, PICK, PUT, STOP, TAKE, TAKE_OFF, TURN
from .points import DIGITS, read_point, write_point
from .state import CHOICES, put_stone

PHASES = ("layout", "turn", "jump", "drop", "take")
WORDS = {PICK: "lift", PUT: "drop", TAKE_OFF: "take"}
DIRECTIONS = ("up", "down", "left", "right")


def name(s: np.void, a: int) -> str:
    """Name action `a` (§20): ``h7``, ``g5-g6``, ``lift g5``, ``drop b3``, ``take K8`` or ``stop``."""
    n, seat = side_of(s), int(s["to_move"] == 1)
    plane, p = divmod(a, n * n)
    if plane == STOP:
        return "stop"
    if plane in WORDS:
        return f"{WORDS[plane]} {write_point(n, p, 1 - seat if plane == TAKE_OFF else seat)}"
    if plane == 0:
        return write_point(n, p, seat)
    to = _target(s, p, plane - MOVE)
    return f"{write_point(n, p, seat)}-{DIRECTIONS[plane - MOVE] if to is None else write_point(n, to, seat)}"


def _target(s: np.void, p: int, d: int) -> int | None:
    """Find where a step or jump ends; None where there is neither."""
    n = side_of(s)
    down, right = NEXT[d]
    for far in (1, 2):
        r, c = p // n + far * down, p % n + far * right
        if not (0 <= r < n and 0 <= c < n):
            return None
        if s["board"][r * n + c] == 0:
            return r * n + c
    return None


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    n = side_of(s)
    word = text.strip().lower()
    found = re.fullmatch(r"(?:(lift|drop|take) +)?(\w\w)(?:-(\w+))?", word)
    if word == "stop":
        return STOP * n * n
    p = read_point(n, found[2]) if found else None
    if found is not None and p is not None and not (found[1] and found[3]):
        if found[1]:
            return next(plane for plane, word in WORDS.items() if word == found[1]) * n * n + p
        if not found[3]:
            return p
        for d, direction in enumerate(DIRECTIONS):
            to = _target(s, p, d)
            if found[3] == direction if to is None else read_point(n, found[3]) == to:
                return (MOVE + d) * n * n + p
    raise BoyiError(
        f"no action {shown(text)}: write a point, a0 to {write_point(n, n * n - 1, 0)}, two as in g5-g6, lift g5, "
        "drop b3, take k8, or stop"
    )


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1; then the turns since the last capture, the latest one last."""
    n = side_of(s)
    options = ",".join(
        f"{key}={str(value).lower()}" for key, value in _params(s).items() if value != SPEC.params[key].default
    )
    over = "cut off" if s["to_move"] == CUT else "draw" if s["drawn"] else "ended"
    lines = [
        f"jiu{' ' * bool(options)}{options}  ply {s['ply']}  turns {s['turns']}  {status(s, over)}",
        f"phase {PHASES[s['phase']]}  latest {_point(s, s['latest'][0], 0)},{_point(s, s['latest'][1], 1)}"
        f"  from {_point(s, s['start'])}  runner {_point(s, s['runner'])}  jumps {s['jumps']}  taken {s['taken']}"
        f"  due {s['due']}  been {_join(s, np.flatnonzero(s['been']))}",
        write_line("   ", DIGITS[:n]),
    ]
    lines += write_rows(s["board"].reshape(n, n), [f" {letter} " for letter in LETTERS[:n]])
    named = partial(write_point, n)
    return "\n".join([*lines, write_quiet(s, 1 - int(s["turns"]) % 2, named)])


def _params(s: np.void) -> dict[str, object]:
    values: dict[str, object] = {"board_size": side_of(s)}
    for key, param in SPEC.params.items():
        if key in CHOICES:
            values[key] = param.choices[s[key]]
        elif key != "board_size":
            values[key] = type(param.default)(s[key])
    return values


def _point(s: np.void, p: int, seat: int | None = None) -> str:
    return NOTHING if p < 0 else write_point(side_of(s), int(p), int(s["to_move"] == 1) if seat is None else seat)


def _join(s: np.void, points: np.ndarray) -> str:
    return ",".join(_point(s, p) for p in points) or NOTHING


HEAD = rf"jiu(?: (\S+))?  ply (\d{{1,6}})  turns (\d{{1,6}})  ({STATUS}|draw|ended|cut off)"
TURN_FORM = (
    r"phase (layout|turn|jump|drop|take)  latest (\S+),(\S+)  from (\S+)  runner (\S+)  jumps (\d{1,3})"
    r"  taken (\d{1,3})  due ([0-8])  been (\S+)"
)


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes, also of a position that was set up, into a record, shape (1,); else `BoyiError`."""
    lines = lines_of(text, "a diagram of jiu")
    head = expect(HEAD, lines[0], "a diagram of jiu", "jiu  ply 0  turns 0  X to move")
    _, _, given = parse_options(f"jiu:{head[1]}" if head[1] else "jiu")
    game = Game.bind(SPEC, given)
    state = begin(game, rules.reset)
    s = state.view(np.recarray)[0]
    n = side_of(state[0])
    if len(lines) != n + 4:
        raise BoyiError(f"not a diagram of jiu: it has two lines of facts, the columns, {n} rows and the quiet turns")
    board = read_rows(lines[3:-1], n, LETTERS[:n], "a diagram of jiu").ravel()
    put = bind(put_stone, game)
    for p in np.flatnonzero(board):
        put(s, p, board[p] - 1)
    s.ply, s.turns = int(head[2]), int(head[3])
    _read_turn(s, lines[1])
    read_quiet(s, lines[-1], "a diagram of jiu", "quiet 2 G8-G7 h3-h4", partial(_read_point, s))
    _begin(game, s, head[4])
    wrong = _contradiction(game, s) if s.to_move >= 0 else None
    if wrong is not None:
        raise BoyiError(f"not a diagram of jiu: {wrong}")
    expect_same(lines, diagram(state[0]).split("\n"), "a diagram of jiu")
    check_read(game, state, "a diagram of jiu")
    return state


def _read_point(s: np.record, word: str) -> int:
    n = side_of(s)
    p = -1 if word == NOTHING else read_point(n, word)
    if p is None:
        raise BoyiError(f"no point {shown(word)} in a diagram of jiu: a0 to {write_point(n, n * n - 1, 0)}, - for none")
    return p


def _read_turn(s: np.record, line: str) -> None:
    example = "phase turn  latest h7,G6  from -  runner -  jumps 0  taken 0  due 0  been -"
    found = expect(TURN_FORM, line, "a diagram of jiu", example)
    s.phase = PHASES.index(found[1])
    s.latest[:] = [_read_point(s, found[2]), _read_point(s, found[3])]
    s.start, s.runner = _read_point(s, found[4]), _read_point(s, found[5])
    s.jumps, s.taken, s.due = int(found[6]), int(found[7]), int(found[8])
    for word in found[9].split(",") if found[9] != NOTHING else ():
        s.been[_read_point(s, word)] = 1


def _begin(game: Game, s: np.record, status: str) -> None:
    """Work out whose turn it is and what was found when it began, or how the game has ended."""
    battle = s.phase != LAYOUT
    s.to_move = 1 - s.turns % 2 if battle else s.ply % 2
    if not status.endswith("to move"):
        s.winner = SEATS.index(status[0]) if status.endswith("has won") else -1
        s.drawn = status == "draw"
        s.to_move = CUT if status == "cut off" else OVER
    elif battle:
        s.least = 2 if bind(rules.bans_single_jumps, game)(s, s.to_move) else 1
        s.seen = bind(occurrences, game)(s)


def _contradiction(game: Game, s: np.record) -> str | None:
    """Find facts of a game in progress that cannot be true together (§2, §4, §7, §13, §15, §16)."""
    stones, other = s.stones.tolist(), 1 - s.to_move
    if s.phase == LAYOUT:
        first = [int(s.board[p]) for p in bind(rules.ends, game)(side_of(s))]
        good = s.ply == sum(stones) < s.board.size and stones[0] - stones[1] == s.ply % 2
        if not good or s.turns or s.quiet or sorted(first) != ([0, 0], [0, 1], [1, 2])[min(s.ply, 2)]:
            return "in the layout the stones are put by turns, the first two on the marked diagonal"
        return None if (s.start, s.runner, s.jumps, s.taken, s.due) == (-1, -1, 0, 0, 0) else "the layout has no moves"
    if min(stones) < FEWEST or sum(stones) == s.board.size or s.layout_only or not s.board.size <= s.ply < game.longest:
        return f"in the battle each side has at least {FEWEST} stones, a point is empty, and the layout is over"
    limits = ((s.turns, s.max_turns), (s.quiet, s.no_capture_limit), (s.seen, s.repetition * (s.repetition > 1)))
    if s.quiet > s.turns or any(0 < limit <= value for value, limit in limits):
        return "the game would have ended earlier, by its number of turns or a repetition"
    mine = s.runner >= 0 and s.board[s.runner] == s.to_move + 1
    facts = {
        TURN: (s.start, s.runner, s.jumps, s.taken, s.due) == (-1, -1, 0, 0, 0) and bind(rules.can_act, game)(s),
        JUMP: mine and s.start >= 0 and s.jumps == s.taken > 0 == s.due and bind(rules.can_jump, game)(s, s.runner),
        DROP: mine and (s.start, s.jumps, s.taken, s.due) == (-1, 0, 0, 0) and bind(rules.flies, game)(s, s.to_move),
        TAKE: s.runner < 0 <= s.start
        and s.jumps <= s.taken
        and 0 < s.due <= stones[other]
        and s.latest[s.to_move] >= 0
        and s.board[s.latest[s.to_move]] == s.to_move + 1,
    }
    if not facts[int(s.phase)]:
        return f"the facts of phase {PHASES[s.phase]} contradict each other or the stones"
    been = np.flatnonzero(s.been).tolist()
    if (been and (s.revisit or s.jumps == 0)) or (s.jumps > 0 and not s.revisit and s.start not in been):
        return "where a stone has been is listed with revisit=false while it jumps, where it started included"
    return None
