"""A learner's games: a batch in which agents answer for the other seats. What the Gymnasium environments stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..engine.batch import Batch, random_seed
from ..engine.errors import BoyiError, is_whole, shown
from ..engine.protocol import OVER
from ..engine.spec import Game
from ..engine.view import View
from .frame import Frame
from .steps import Steps

ROW = np.zeros(1, np.int64)  # the only row of a single environment
PATIENCE = 100  # games in a row that may end before the learner's first turn
START = 2  # the purpose of the number that a game's start is drawn from; see `Batch.game_keys`


class Player(Protocol):
    """What decides for a seat: one action (m,) for each of the m games of a view, -1 (`GIVEN_UP`) to lose it.

    A player with a true attribute `by_history` is shown the actions of its games. If it has a method `close`, that is
    called when an environment closes; the player may be asked again.
    """

    def act(self, view: View) -> np.ndarray: ...


Resolver = Callable[[Any, Game], Sequence[Player] | None]


class Finished(NamedTuple):
    """Games that have just ended, in `rows` (m,): the learner's seats (m,), everybody's returns (m, seats), over (m,).

    The batch still holds their last positions and actions. Without opponents `seats` holds the seats that acted last.
    """

    rows: np.ndarray
    seats: np.ndarray
    returns: np.ndarray
    over: np.ndarray


class Watcher:
    """An observer, for wrappers that must see the games as they are, whatever the caller is shown.

    Added to `Seating.watchers`; both methods do nothing unless they are overridden.
    """

    def playing(self, batch: Batch, rows: np.ndarray, actions: np.ndarray) -> None:
        """Note that the caller is about to play the game's `actions` (m,) int64 in `rows` (m,), legal or not.

        -1 stands for anything that is not an action of the game.
        """

    def ended(self, batch: Batch, games: Finished) -> None:
        """Note games that have ended, before new ones take their rows."""


def as_players(opponent: Any, game: Game) -> list[Player] | None:
    """Take `opponent` as it is, a player or a list of them, or None for "self"; `BoyiError` for anything else.

    The simplest resolver: to use agents by name or from callables, give the environments a better one.
    """
    if isinstance(opponent, str) and opponent == "self":
        return None
    several = list(opponent) if isinstance(opponent, list | tuple) else [opponent]
    for each in several:
        if isinstance(each, type) or not callable(getattr(each, "act", None)):
            raise BoyiError(f'{game}: an opponent is "self" or an object with act(view), not {shown(each)}')
    return several


def _by_history(opponents: Sequence[Player] | None) -> bool:
    return any(getattr(player, "by_history", False) for player in opponents or ())


def check_seating(game: Game, opponents: Sequence[Player] | None, seat: int | str) -> None:
    """Raise `BoyiError` for a learner's seat that the game does not have, or too many or few opponents."""
    if not (is_whole(seat, 0, game.seats - 1) or (isinstance(seat, str) and seat == "random")):
        raise BoyiError(f'{game}: seat must be 0 to {game.seats - 1} or "random", not {shown(seat)}')
    if opponents is None:
        return
    if not isinstance(opponents, list | tuple) or not all(callable(getattr(each, "act", None)) for each in opponents):
        raise BoyiError(f"{game}: opponents are None or a list of objects with act(view), not {shown(opponents)}")
    if len(opponents) not in (1, game.seats - 1):
        raise BoyiError(f"{game}: give one opponent, or one for each of the {game.seats - 1} other seats")


def check_lines(game: Game, lines: Sequence[Sequence[int]]) -> np.ndarray:
    """Return games of nothing but decisions, each a sequence of actions, as one array (k, longest), -1 after their
    ends; `BoyiError` for anything that is not such a game.
    """
    if game.chance_outcomes or game.spec.hidden:
        raise BoyiError(f"{game}: what is thrown or dealt is not among the actions, which alone lead to no position")
    if not isinstance(lines, list | tuple) or not lines:
        raise BoyiError(f"{game}: lines are a list of games, each a list of actions, not {shown(lines)}")
    for k, line in enumerate(lines):
        if not isinstance(line, list | tuple) or not line or not all(is_whole(a, 0, game.actions - 1) for a in line):
            raise BoyiError(f"{game}: line {k} must be a list of actions, 0 to {game.actions - 1}, not {shown(line)}")
    table = np.full((len(lines), max(map(len, lines))), -1, np.int64)
    for k, line in enumerate(lines):
        table[k, : len(line)] = line
    batch = Batch(game, len(lines), 0, encoder=None)
    for ply, actions in enumerate(table.T):
        rows = np.flatnonzero(actions >= 0)
        legal = (batch.to_move[rows] >= 0) & (batch.mask[rows, actions[rows]] != 0)
        if not legal.all():
            k = int(rows[~legal][0])
            raise BoyiError(f"{game}: line {k}: action {actions[k]} is illegal at ply {ply}")
        batch.step(actions[rows], rows)
    return table


class Seating:
    """N games in which one seat learns and `opponents` answer, or, without opponents, every decision is the caller's.

    `opponents` holds one player for all other seats, or one for each of them in order after the learner's. `seat` is
    the learner's seat or "random": a new one every game, drawn from the game's seed.
    """

    game: Game
    seat: int | str
    frame: Frame
    resolve: Resolver
    lines: np.ndarray
    decisions: np.ndarray

    def __init__(
        self,
        game: Game,
        n: int,
        opponents: Sequence[Player] | None,
        *,
        seat: int | str,
        frame: Frame,
        illegal: str,
        threads: int | None = None,
        history: bool = False,
        resolve: Resolver = as_players,
    ) -> None:
        check_seating(game, opponents, seat)
        self.game, self.opponents, self.seat, self.frame, self.resolve = game, opponents, seat, frame, resolve
        history = history or _by_history(opponents)
        options: dict[str, Any] = {"illegal": illegal, "threads": threads, "history": history}
        self.batch: Batch = Batch(game, n, random_seed(), encoder=frame.encoder, **options)
        self.seats: np.ndarray = np.zeros(n, np.int64)
        """The seat (n,) each row's rewards and final observation belong to: the learner's, or the last to act."""
        self.lines, self.decisions = np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
        """Games in whose positions those here begin, if any, as actions (k, longest), -1 after their ends; and how
        many decisions there are in all up to the end of each (k,).
        """
        self.opening = 0
        """How many of the caller's first decisions in every game are played at random before it sees the game."""
        self.watchers: list[Watcher] = []
        self.steps: Steps = Steps(game)

    def set_opponent(self, opponent: Any) -> None:
        """Let somebody else play the other seats, from their next decision on."""
        opponents = self.resolve(opponent, self.game)
        if (opponents is None) != (self.opponents is None):
            here = "every seat is the caller's" if self.opponents is None else "opponents play the other seats"
            raise BoyiError(f'{self.game}: {here} here; make another environment to change to or from "self"')
        check_seating(self.game, opponents, self.seat)
        if _by_history(opponents):
            self.batch.keep_history()
        self.opponents = opponents

    def begin_in(self, lines: Sequence[Sequence[int]]) -> None:
        """From the next game on, begin in a position of one of these; `BoyiError` for anything that is not a game."""
        self.lines = check_lines(self.game, lines)
        self.decisions = (self.lines >= 0).sum(axis=1).cumsum()

    def close(self) -> None:
        """Let all opponents release what is not memory, even if one of them fails to."""
        with ExitStack() as stack:
            for player in self.opponents or ():
                stack.callback(getattr(player, "close", lambda: None))

    def player(self, seat: int, learner: int) -> Player | None:
        """Find who plays a seat when the learner has seat `learner`; None for the caller."""
        if self.opponents is None or seat == learner:
            return None
        return self.opponents[(seat - learner) % self.game.seats - 1 if len(self.opponents) > 1 else 0]

    def start(self, seed: int | Sequence[int] | None, rows: np.ndarray) -> None:
        """Begin a reset: start the first games of `seed`, or the next ones of the seeds in use."""
        self.steps.begin(self.batch.reset, seed, rows)
        self._lead(rows)

    def deal(self, rows: np.ndarray) -> None:
        """Start the next games, in the middle of a step."""
        if rows.size:
            self.batch.reset(None, rows)
            self._lead(rows)

    def _lead(self, rows: np.ndarray) -> None:
        """Let the opponents, and chance for an opening, play new games until the caller is to move."""
        for _ in range(PATIENCE):
            self._begin(rows)
            # There is nothing to learn from a game that ended before the learner's first turn.
            rows = rows[self.batch.to_move[rows] < 0]
            if not rows.size:
                return
            self.batch.reset(None, rows)
        opening = f" or an opening shorter than {self.opening}" if self.opening else ""
        raise BoyiError(
            f"{self.game}: {PATIENCE} games ended before seat {self.seat} had a turn; choose another seat{opening}"
        )

    def _begin(self, rows: np.ndarray) -> None:
        if len(self.lines):
            self._begin_in_line(rows)
        if self.opponents is not None:
            self.seats[rows] = self.batch.draw_seats(rows) if self.seat == "random" else self.seat
            if (self.batch.to_move[rows] != self.seats[rows]).any():
                self.answer(rows)
        for _ in range(self.opening):
            rows = rows[self.batch.to_move[rows] >= 0]
            self.advance(self.batch.sample(rows), rows)
        if self.opponents is None:
            self.seats[rows] = self.batch.to_move[rows]

    def _begin_in_line(self, rows: np.ndarray) -> None:
        """Play a line up to one of its decisions; both are drawn from a game's seed, all decisions equally likely."""
        keys = self.batch.game_keys(rows, START)
        drawn = (keys % self.decisions[-1].astype(np.uint64)).astype(np.int64)
        line = np.searchsorted(self.decisions, drawn, side="right")
        plies = drawn - np.append(0, self.decisions)[line]
        for ply in range(plies.max(initial=0)):
            going = plies > ply
            self.batch.step(self.lines[line[going], ply], rows[going])

    def play(self, actions: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Begin a step: play the caller's actions (m,) of the seats' frames and the opponents' answers.

        Returns everybody's rewards (m, seats), over (m,) and cut (m,).
        """
        played = self.frame.actions(actions, self.batch.to_move[rows].astype(np.int64))
        self.announce(played, rows)
        movers = self.batch.to_move[rows].astype(np.int64)
        scores, over, cut = self._follow(movers, rows, *self.steps.begin(self.batch.step, played, rows))
        ended = np.flatnonzero(over | cut)
        if ended.size:
            self.report(Finished(rows[ended], self.seats[rows[ended]], scores[ended], over[ended]))
        return scores, over, cut

    def play_one(self, action: int, mover: int) -> int:
        """Do what `play` does in a single game, the shortest way; `mover` is the caller's seat, which is to move.

        Returns the seat that moves next, the caller's, or OVER or CUT, where the batch's `scores` are the returns.
        """
        played = self.frame.action(action, mover)
        self.announce(played, ROW)
        following = self.steps.begin(self.batch.play, played)
        if self.opponents is None:
            self.seats[0] = mover
        while following >= 0 and (player := self.player(following, mover)) is not None:
            following = self.batch.play(int(self.ask(player, ROW)[0]), giving_up=True)
        if following < 0:
            scores, over = np.array([self.batch.scores], np.float32), np.array([following == OVER])
            self.report(Finished(ROW, np.array([mover]), scores, over))
        return following

    def announce(self, actions: ArrayLike, rows: np.ndarray) -> None:
        """Tell the watchers what the caller is about to play."""
        if self.watchers:
            actions = np.atleast_1d(actions)  # holds Python's numbers if one is beyond 64 bits
            told = np.where((actions >= 0) & (actions < self.game.actions), actions, -1).astype(np.int64)
            for watcher in self.watchers:
                self.steps.ask(watcher.playing, self.batch, rows, told)

    def report(self, games: Finished) -> None:
        """Tell the watchers which games have ended."""
        for watcher in self.watchers:
            self.steps.ask(watcher.ended, self.batch, games)

    def advance(self, actions: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play the game's actions (m,) for the seats to move, and the opponents' answers."""
        movers = self.batch.to_move[rows].astype(np.int64)
        return self._follow(movers, rows, *self.batch.step(actions, rows))

    def _follow(
        self, movers: np.ndarray, rows: np.ndarray, scores: np.ndarray, over: np.ndarray, cut: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Let the opponents answer what `movers` (m,) have played, and write down what comes of it."""
        if self.opponents is None:
            self.seats[rows] = movers
        else:
            going = ~(over | cut)
            scores[going], over[going], cut[going] = self.answer(rows[going])
        return scores, over, cut

    def answer(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Let the opponents play in `rows` until the learner is to move or the game has ended."""
        scores = np.zeros((rows.size, self.game.seats), np.float32)
        over, cut = np.zeros(rows.size, np.bool_), np.zeros(rows.size, np.bool_)
        while True:
            movers = self.batch.to_move[rows].astype(np.int64)
            waiting = np.flatnonzero((movers >= 0) & (movers != self.seats[rows]))
            if not waiting.size:
                return scores, over, cut
            actions = self._decide(rows[waiting], (movers - self.seats[rows])[waiting] % self.game.seats - 1)
            scores[waiting], over[waiting], cut[waiting] = self.batch.step(actions, rows[waiting], giving_up=True)

    def _decide(self, rows: np.ndarray, chairs: np.ndarray) -> np.ndarray:
        """Ask the opponents for their actions in `rows`; chair 0 is the seat after the learner's."""
        opponents, actions = self.opponents, np.empty(rows.size, np.int64)
        assert opponents is not None
        for chair, opponent in enumerate(opponents):
            asked = np.flatnonzero(chairs == chair) if len(opponents) > 1 else np.arange(rows.size)
            if asked.size:
                actions[asked] = self.ask(opponent, rows[asked])
        return actions

    def ask(self, player: Player, rows: np.ndarray) -> np.ndarray:
        """Return what a player does in `rows`, (m,) int64, legal or not; `BoyiError` for anything but actions."""
        view = self.batch.view(rows)
        return view.answered(self.steps.ask(player.act, view))

    def observe(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Observe rows from seats in the layout asked for: (m, …) float32."""
        return self.frame.arrange(self.batch.observe(seats, rows))

    def masks(self, seats: np.ndarray | None = None) -> np.ndarray:
        """The masks (n, actions) int8 in the frames of the seats to move, or of given seats (n,)."""
        return self.frame.masks(self.batch.mask, self.batch.to_move.astype(np.int64) if seats is None else seats)

    def facing(self) -> np.ndarray:
        """The seat (n,) that each row's observation is from: to move, or the one rewarded where a game has ended."""
        movers = self.batch.to_move.astype(np.int64)
        return np.where(movers >= 0, movers, self.seats)

    def state(self) -> dict[str, Any]:
        """Per-row facts for the infos: whose rewards these are and who decides next (-1: nobody)."""
        return {"seat": self.seats.copy(), "to_move": self.batch.to_move.clip(-1).astype(np.int64)}
