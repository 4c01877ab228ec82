"""A person at the terminal: a game against agents, with undo, and a walk through a recorded game."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np

from ...envs.engine.batch import Batch, random_seed
from ...envs.engine.errors import BoyiError, shown
from ...envs.engine.spec import Game, find
from ...envs.records.files import Growing, PathOf, as_path
from ...envs.records.game_record import Ending, GameRecord, positions, read_game
from ..agents import AgentLike
from ..arena.sitting import PERSON, Sitting
from ..engines.lines import whole

HELP = "Type an action by its name, or: moves (list them), undo, resign, quit, help."
STEPS = "Enter: next, b: back, a number: to that move, q: quit"
ENDS = {
    Ending.CUT: "The game was cut off. ",
    Ending.RESIGNED: "Resigned. ",
    Ending.FORFEIT: "Forfeited. ",
    Ending.TIME: "Out of time. ",
}


def read_seat(game: Game, seat: str, seed: int) -> int | None:
    """Read a seat: a number, "random" (drawn from the game's seed) or "none"."""
    if seat == "none":
        return None
    if seat == "random":
        return int(Batch(game, 1, seed, encoder=None).draw_seats()[0])
    if 0 <= whole(seat) < game.seats:
        return whole(seat)
    raise BoyiError(f"{game}: seat must be 0 to {game.seats - 1}, random or none, not {shown(seat)}")


def seat_all(game: Game, seat: int | None, opponents: Sequence[AgentLike]) -> list[AgentLike]:
    """Seat a person (None: nobody), then opponents in order after the person: one for all other seats, or one each."""
    others = game.seats - (seat is not None)
    if len(opponents) not in (1, others):
        raise BoyiError(f"{game}: give one opponent, or one for each of the {others} other seats")
    seats: list[AgentLike] = [PERSON] * game.seats
    for k in range(others):
        seats[k if seat is None else (seat + 1 + k) % game.seats] = opponents[k % len(opponents)]
    return seats


def sit_down(
    game: Game,
    seat: str,
    opponents: Sequence[AgentLike],
    seed: int | None = None,
    save: PathOf | None = None,
    clock: float | None = None,
) -> Sitting:
    """Play one game on the terminal; what was played is appended to `save`, however the game stops."""
    seed = random_seed() if seed is None else seed
    sitting = Sitting(game, seat_all(game, read_seat(game, seat, seed), opponents), seed, clock)
    # If the file cannot be written, that must be known before the game, not after it.
    file = None if save is None else Growing(as_path(save))
    with closing(sitting):
        try:
            converse(sitting)
        except (EOFError, KeyboardInterrupt):
            print()
        finally:
            if file is not None:
                file.append(sitting.record().line())
    if save is not None:
        print(f"saved to {save}")
    return sitting


def converse(sitting: Sitting) -> None:
    """Play to the end, or until the person leaves."""
    seats = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(sitting.labels))
    print(f"{sitting.game}, seed {sitting.seed}: {seats}")
    if sitting.persons:
        print(HELP)
    here = -1
    while sitting.to_move >= 0:
        if sitting.to_move not in sitting.persons:
            _show_answer(sitting)
            continue
        if here != len(sitting.moves):
            print(_picture(sitting))
            here = len(sitting.moves)
        if not _respond(sitting):
            return
    print(sitting.game.module("text").diagram(sitting.state))
    if sitting.reason:
        print(sitting.reason)
    print(outcome(sitting.labels, sitting.ended, sitting.returns, _person(sitting)))


def _person(sitting: Sitting) -> int | None:
    """Find the seat of the person at the terminal, None where nobody sits."""
    return next(iter(sitting.persons), None)


def _picture(sitting: Sitting) -> str:
    """Draw the position as the person may see it."""
    diagram = sitting.game.module("text").diagram
    hidden = sitting.game.spec.hidden and sitting.persons
    return diagram(sitting.state, _person(sitting)) if hidden else diagram(sitting.state)


def _show_answer(sitting: Sitting) -> None:
    """Let an agent move and tell what it did, unless the move itself may be hidden."""
    seat = sitting.to_move
    if not sitting.persons:
        print(_picture(sitting))
    name = sitting.answer()
    if name is not None and not (sitting.persons and sitting.game.spec.hidden):
        print(f"seat {seat} ({sitting.labels[seat]}) plays {name}")


def _respond(sitting: Sitting) -> bool:
    """Read one line from the person and do what it says; False to leave."""
    seat, started = sitting.to_move, time.perf_counter()
    left = "" if sitting.clock is None else f", {sitting.left(seat) - sitting.thinking:.1f} s left"
    word = input(f"seat {seat}{left}> ").strip()
    sitting.thinking += time.perf_counter() - started
    if sitting.flagged(sitting.thinking):
        return True
    match word.lower():
        case "quit":
            return False
        case "help" | "?":
            print(HELP)
        case "moves":
            print(_moves(sitting))
        case "undo" if sitting.clock is not None:
            print("nothing is taken back while a clock runs")
        case "undo":
            print("back to your previous decision" if sitting.undo() else "there is nothing to take back")
        case "resign":
            sitting.lose(seat, Ending.RESIGNED)
        case _:
            _play_named(sitting, word)
    return True


def _moves(sitting: Sitting) -> str:
    name, state = sitting.game.module("text").name, sitting.state
    legal = [name(state, int(action)) for action in np.flatnonzero(sitting.batch.mask[0])]
    return textwrap.fill(f"{len(legal)} moves: {' '.join(legal)}", shutil.get_terminal_size().columns)


def _play_named(sitting: Sitting, word: str) -> None:
    """Play an action given by name, or say in a sentence why not."""
    if not word:
        print(HELP)
        return
    try:
        action = sitting.game.module("text").parse(sitting.state, word)
    except BoyiError as error:
        print(f"{error} (help lists the commands)")
        return
    if sitting.batch.mask[0, action]:
        sitting.play(action, sitting.thinking)
    else:
        print(f"{word} is not legal here; moves lists what is")


def outcome(seats: Sequence[str], ended: Ending, returns: Sequence[float] | None, person: int | None = None) -> str:
    """Say in words how a game ended, for the person if there is one; scores where they say more than who won."""
    if returns is None:
        return "The game was not finished."
    best = [seat for seat, r in enumerate(returns) if r == max(returns)]
    how = ENDS.get(ended, "")
    if len(best) == len(returns):
        words = "A draw."
    elif person is not None:
        words = "You win." if best == [person] else "You share the win." if person in best else "You lose."
    else:
        words = " and ".join(f"seat {seat} ({seats[seat]})" for seat in best)
        words += " wins." if len(best) == 1 else " share the win."
    if len(returns) > 2 or not set(returns) <= {-1.0, 0.0, 1.0}:
        words += f" Scores: {', '.join(f'seat {seat} {r:+g}' for seat, r in enumerate(returns))}."
    return how + words


def show_record(path: PathOf, number: int = 1, game: Game | None = None) -> None:
    """Step through a recorded game on a terminal, or print all of it anywhere else; it must be of `game`, if given."""
    record = read_game(path, number)
    if game is not None and find(record.game).name != game.name:
        raise BoyiError(f"{path}, line {number}, is a game of {record.game}, not of {game.name}")
    pages = draw_pages(record, f"{path}, line {number},")
    if sys.stdin.isatty() and sys.stdout.isatty():
        step_through(pages, input)
    else:
        print("\n\n".join(pages))


def draw_pages(record: GameRecord, where: str) -> list[str]:
    """Draw every position of a recorded game under the move that led to it."""
    game, states = positions(record, where)
    movers = [int(state["to_move"]) for state in states[:-1]]
    heads = [f"{record.game}, seed {record.seed}: {', '.join(f'seat {k} {s}' for k, s in enumerate(record.seats))}"]
    for k, (mover, name) in enumerate(zip(movers, record.names, strict=True), 1):
        heads.append(f"{k}/{record.plies}: seat {mover} ({record.seats[mover]}) plays {name}")
    pages = [f"{head}\n{game.module('text').diagram(state)}" for head, state in zip(heads, states, strict=True)]
    pages[-1] += "\n" + f"{record.reason}\n" * bool(record.reason) + outcome(record.seats, record.ended, record.returns)
    return pages


def step_through(pages: Sequence[str], ask: Callable[[str], str]) -> None:
    """Show pages one at a time, the next one chosen by what `ask` answers, until told to quit."""
    at = 0
    print(f"{pages[0]}\n{STEPS}")
    while True:
        try:
            word = ask(f"{at}/{len(pages) - 1}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if word in ("q", "quit"):
            return
        wanted = at + 1 if not word else at - 1 if word == "b" else whole(word)
        if 0 <= wanted < len(pages):
            at = wanted
            print(pages[at])
        else:
            print(f"There is no such move; {STEPS}")
