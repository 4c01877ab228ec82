"""Positions of mahjong for the tests."""

import re
from functools import cache
from typing import Any

import numpy as np
import sizes
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game, find
from boyi.envs.conformance.kernels import redeal_one
from boyi.envs.conformance.random_games import open_stream
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.mahjong import SPEC, greedy, text, tiles
from boyi.envs.mahjong.claims import win_items

TESTED = [find(SPEC, **params) for params in SPEC.tested]


every_set = sizes.every_set([SPEC])


ODD_LUCK = 1e-9  # no p-value below this comes up by chance: seeds are fixed


SEATS = range(4)


WAITING = "46m123456p123456s11z"  # for 5m; two tai on a discard


Record = NDArray[np.void]


def count(compiled: int, interpreted: int) -> int:
    """Choose how often to repeat something."""
    return interpreted if config.DISABLE_JIT else compiled


def likely(counts: Any, shares: Any) -> bool:
    """Say whether outcomes came up about as often as their shares say."""
    from scipy.stats import chisquare  # takes a second, which `test_mutants.py` would spend again and again

    return len(shares) == 1 or bool(
        chisquare(counts, np.sum(counts) * np.array(shares) / np.sum(shares)).pvalue > ODD_LUCK
    )


def by_hand(game: object = "mahjong", n: int = 1, seed: int = 0, **params: object) -> Batch:
    """Start hands whose draws the test chooses."""
    return Batch(game, n, seed, encoder=None, chance="by_hand", **params)


def table(
    *hands: str,
    turn: int = 0,
    start: str = "draw",
    last: str = "",
    melds: dict[int, str] | None = None,
    thrown: str | None = None,
    live: int | None = None,
    far: str = "",
    missed: str = "0,0,0,0",
    **params: object,
) -> Record:
    """Return a position in a seat's turn: hands are filled up with tiles that are not within two of those in `far`.

    `melds` and `thrown` are written as in a diagram. Without `thrown` two tiles lie before every seat, or as many as
    leave `live`.
    """
    game, laid = find(SPEC, **params), melds or {}
    shown = [tiles.parse_list(re.split("[<!]", word)[0]) for words in laid.values() for word in words.split()]
    shown += [[tiles.kind_of(word[2:])] for word in (thrown or "").split() if ">" not in word]
    full = [tiles.parse(hands[q] if q < len(hands) else "").astype(np.int64) for q in SEATS]
    wall = 4 - sum(full) - np.bincount([k for kinds in shown for k in kinds], minlength=34)
    sizes = [16 - 3 * len(laid.get(q, "").split()) + (q == turn) for q in SEATS]
    near = {k for hot in tiles.parse_list(far) for k in range(hot - 2, hot + 3) if k // 9 == hot // 9}
    spare = [k for copy in range(4) for k in range(34) if k not in near and copy < wall[k]]
    for _ in range(17):
        for hand, size in zip(full, sizes, strict=True):
            if hand.sum() < size:
                k = min(spare, key=lambda k: hand[max(k - 2, 0) : k + 3].sum())
                spare.remove(k)
                hand[k] += 1
                wall[k] -= 1
    reserve = game.params["reserve"] + game.params["reserve_per_kong"] * sum(len(kinds) == 4 for kinds in shown)
    if thrown is None or live is not None:
        many = 8 if live is None else int(wall.sum()) - reserve - live
        lying = sorted((k for k in range(34) for _ in range(wall[k])), key=lambda k: k in near)[:many]
        np.subtract.at(wall, lying, 1)
        thrown = " ".join([*(f"{i % 4}:{tiles.name_of(k)}" for i, k in enumerate(lying)), *(thrown or "").split()])
    options = [f"{key}={value}".lower() for key, value in game.params.items() if value != SPEC.params[key].default]
    lines = [f"mahjong{' ' * bool(options)}{','.join(options)}  ply 0  live {wall.sum() - reserve}"]
    drawn = start not in ("deal", "claim")
    tile = (last or tiles.name_of(int(np.flatnonzero(full[turn])[-1]))) if drawn else "-"
    lines.append(
        f"phase turn  turn {turn}  start {start}  last {tile}  offer -  to {turn}  answers -,-,-,-  missed {missed}"
    )
    for q in SEATS:
        wind = "ESWN"[(q - game.params["dealer"]) % 4]
        lines.append("  ".join([f"{q} {wind} {tiles.write(full[q])}", *laid.get(q, "").split()]))
    lines.append(" ".join(["discards", *thrown.split()]))
    return text.read("\n".join(lines))


def game_of(state: Record) -> Game:
    """Find the game of a record's parameters, which its diagram tells."""
    options = re.match(r"mahjong(?: (\S+))?  ply", text.diagram(state[0]))
    assert options is not None
    return find(f"mahjong:{options[1]}" if options[1] else "mahjong")


def played(state: Record, line: str = "") -> Batch:
    """Play named actions, and draws as ``draw 4m``, or ``draw`` of any tile, from a position; all must be allowed."""
    batch = by_hand(game_of(state))
    batch.states = state
    for word in line.split(", ") if line else ():
        if word.startswith("draw"):
            wall = batch.states["wall"][0]
            k = tiles.kind_of(word[5:]) if word[5:] else int(wall.argmax())
            assert batch.to_move[0] == CHANCE and wall[k] > 0, (word, text.diagram(batch.states[0]))
            batch.resolve(np.array([k]))
        else:
            assert word in named(batch), (word, text.diagram(batch.states[0]))
            batch.step(np.array([text.parse(batch.states[0], word)]))
    return batch


def named(batch: Batch) -> list[str]:
    """Name what the seat to move may do."""
    return [text.name(batch.states[0], a) for a in np.flatnonzero(batch.mask[0])]


def asks(batch: Batch) -> str:
    """Say who is to move and, unless it is that seat's turn to discard, what it may answer: ``1 pong pass``."""
    whose = {CHANCE: "draw", OVER: "over"}.get(int(batch.to_move[0]), str(batch.to_move[0]))
    return " ".join([whose, *(word for word in named(batch) if word not in tiles.NAMES)])


def lies(batch: Batch) -> str:
    """Write the discards as a diagram does, those from before the last four left out."""
    return " ".join(text.diagram(batch.states[0]).splitlines()[6].split()[1:][-4:])


def seat(batch: Batch, q: int) -> str:
    """Write a seat's hand and melds as a diagram does."""
    return text.diagram(batch.states[0]).splitlines()[2 + q][4:]


FORMS = ("", "chow", "pong", "kong", "added_kong", "concealed_kong")


HIDDEN = {1: "5555p!", 2: "8888s! 123m<1:2m", 3: "1111z!"}


@cache
def by_name(name: str) -> Record:
    """Set up a position of some phase."""
    claim = ("5m", "46m", "55m", WAITING)
    made = {
        "deal": lambda: table("5m", start="deal", thrown=""),
        "turn": lambda: table("5m", last="5m", melds=HIDDEN),
        "turn of another": lambda: table("", "", "123m", turn=2, last="3m", melds=HIDDEN),
        "after a claim": lambda: played(table("5m", "46m", far="5m", melds=HIDDEN), "5m, chow 456m").states,
        "draw": lambda: played(table("5m", far="5m", melds=HIDDEN), "5m").states,
        "claim": lambda: played(table(*claim, far="5m", melds={2: "9999p!"}), "5m").states,
        "second answer": lambda: played(table(*claim, far="5m", melds={2: "9999p!"}), "5m, chow 456m").states,
        "third answer": lambda: played(table(*claim, far="5m", melds={2: "9999p!"}), "5m, pass, pong").states,
        "all win": lambda: played(
            table("", WAITING, "5m", WAITING.replace("11z", "22z").replace("123456p", "123789s"), turn=2, far="5m",
                  multi_win="all"), "5m, win").states,
        "rob": lambda: played(table("5m", WAITING, melds={0: "555m<2", 3: "9999p!"}, far="5m"), "kong 5m").states,
        "rob, asked twice": lambda: played(
            table("5m", "", WAITING, melds={0: "555m<2", 3: "9999p!"}, far="5m", ask_all=True), "kong 5m, pass").states,
        "open kongs": lambda: table("5m", last="5m", melds=HIDDEN, hide_concealed_kong=False),
        "missed": lambda: table("5m", last="5m", missed="1,1,1,1", missed_win="strict", streak=9, dealer=2),
    }  # fmt: skip
    return made[name]()


NAMES = ["deal", "turn", "turn of another", "after a claim", "draw", "claim", "second answer", "third answer",
         "all win", "rob", "rob, asked twice", "open kongs", "missed"]  # fmt: skip


def redealt(state: Record, seat: int, k: int) -> Record:
    """Deal anew what a seat does not see, from the k-th stream."""
    again = state.copy()
    bind(redeal_one, GAME)(again, seat, open_stream(k))
    return again


GAME = find("mahjong")


@cache
def notes() -> greedy.Notes:
    """Return what the player works with, once it is needed."""
    return greedy.notes(GAME)


def items_of_win(states, seat):  # type: ignore[no-untyped-def]
    """Find the items of a seat that could win now."""
    return win_items(states[0], seat)
