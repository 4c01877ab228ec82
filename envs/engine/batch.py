"""`Batch`: N games in one structured array, the engine under every face.

Row i of a batch with seed s is the single game of seed s + i, whatever the size of the batch and however many threads
step it. Each row owns a chance stream and one key per seat, derived from its seed and its episode; the records hold no
randomness.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from operator import index
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import kernels
from .bind import Kernel, bind, entry
from .errors import BoyiError, IllegalAction, chosen, is_truth, is_whole, shown, unknown
from .gallery import gallery
from .kernels import GIVEN_UP, KEEP, NEXT_STEP, SAME_STEP, Games
from .machine import usable_cores
from .protocol import CHANCE, OVER
from .rng import SEALED
from .spec import Game, Spec, settle
from .validity import check_states
from .view import View, copied

AUTORESET = {"off": KEEP, "same_step": SAME_STEP, "next_step": NEXT_STEP}
ILLEGAL = ("raise", "forfeit")
CHANCES = ("inside", "by_hand")
MOST_GAMES = 2**31 - 1
FLOAT = np.dtype(np.float32)  # NumPy is a quarter faster with the dtype than with the type
THREADS_PAY = 4e-4  # seconds of work below which waking another thread costs more than it gives


class Batch:
    """N games of one kind, stepped together by compiled kernels.

    `game` is a game string, `Spec` or `Game`, with parameters by keyword. `seed` is one whole number (row i gets
    seed + i) or one per row; None draws one. `encoder` names the observation (None: no observations). `autoreset`
    is "off", "same_step" or "next_step", or Gymnasium's words for them; `illegal` is "raise" or "forfeit". Chance is
    resolved "inside" or, without autoreset and with ``chance="by_hand"``, left to `resolve`. `threads` is the most
    threads to use (None: every core this process may use). `history=True` keeps each game's actions.
    """

    _play_one: Kernel | None
    n: int
    encoder: str | None
    autoreset: str
    illegal: str

    def __init__(
        self,
        game: str | Spec | Game,
        n: int = 1,
        seed: int | Sequence[int] | None = None,
        *,
        encoder: str | None = "planes",
        autoreset: str = "off",
        illegal: str = "raise",
        chance: str = "inside",
        threads: int | None = None,
        history: bool = False,
        **params: Any,
    ) -> None:
        self.game: Game = settle(game, params, Batch)
        if not is_whole(n, 1, MOST_GAMES):
            raise BoyiError(f"a batch holds a whole number of games, at least 1, not {shown(n)}")
        autoreset = read_autoreset(autoreset)
        chosen("way to treat illegal actions", illegal, ILLEGAL)
        chosen("way to resolve chance", chance, CHANCES)
        if chance == "by_hand" and autoreset != "off":
            raise BoyiError('chance="by_hand" needs autoreset="off": a new game may begin with a chance event')
        if threads is not None and not is_whole(threads, 1):
            raise BoyiError(f"threads must be a whole number, at least 1, not {shown(threads)}")
        if not is_truth(history):
            raise BoyiError(f"history must be true or false, not {shown(history)}")
        self.n, self.encoder, self.autoreset, self.illegal = int(n), encoder, autoreset, illegal
        self.threads: int = int(threads or usable_cores())
        self._shape = self.game.shape(encoder) if encoder is not None else ()
        self._cost: dict[str, float] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0
        self._every = np.arange(self.n)
        self._blank = self.game.blank
        self._states = np.repeat(self._blank, self.n)
        self._masks = np.zeros((self.n, self.game.actions), np.int8)
        self._by_hand = chance == "by_hand"
        self._chances = np.zeros((self.n, 0 if self._by_hand else max(1, self.game.chance_outcomes)))
        self._streams = np.zeros((self.n, *SEALED), np.uint64)
        self._keys = np.zeros((self.n, self.game.seats), np.uint64)
        self._lanes = np.zeros((self.n, 2), np.uint64)
        self._seeds = np.zeros(self.n, np.uint64)
        self._episodes = np.zeros(self.n, np.int64)
        self._penalty = _penalties(self.game)
        self._scores = np.zeros(self.game.seats, np.float32)
        self._seen: np.ndarray | None = None
        self.seen: np.ndarray | None = None
        """What the seat to move sees in a single game, (…) float32, if the latest change was a `play`."""
        self._history: list[list[int]] | None = [[] for _ in range(self.n)] if history else None
        self._bind()
        self.reset(random_seed() if seed is None else seed)

    def __repr__(self) -> str:
        return f"Batch({str(self.game)!r}, n={self.n})"

    def _repr_html_(self) -> str:
        return gallery(self.game, self._states)

    # Positions

    @property
    def states(self) -> np.ndarray:
        """The positions (n,), a copy; assign records of the same dtype to go on from other positions."""
        return copied(self._states)

    @states.setter
    def states(self, states: np.ndarray) -> None:
        self.set_states(states)

    def set_states(self, states: np.ndarray, rows: ArrayLike | None = None) -> None:
        """Put records, taken from a batch or read from text, into rows; their chance streams go on as they are.

        If a record is not a position, `BoyiError` names its row and the rule it breaks, and nothing has changed.
        """
        which = self._rows(rows)
        states = np.atleast_1d(states)
        if states.dtype != self._states.dtype or states.shape != which.shape:
            raise BoyiError(f"{self.game}: states must be {which.size} records of this game's dtype, one a row")
        check_states(self.game, states, which)
        self._states[which] = states
        self._forget(which)
        self._run("mask_rows", which.size, self._states, which, self._masks)

    @property
    def mask(self) -> np.ndarray:
        """Legal actions (n, actions) int8 of the seat to move; all zero where a game has ended. A copy."""
        return self._masks.copy()

    @property
    def to_move(self) -> np.ndarray:
        """The seat to move (n,) int8, OVER (-2) or CUT (-3) where a game has ended. A copy."""
        return self._states["to_move"].copy()

    @property
    def observation(self) -> np.ndarray:
        """Observations (n, …) float32 from the seat to move, from seat 0 where a game has ended.

        They cost nothing after a `step` of all rows, which has written them. The array stays the same until something
        changes; then there is a new one.
        """
        if self._seen is None:
            self._seen = self.observe(self._states["to_move"].clip(0))
        return self._seen

    def observe(self, seats: ArrayLike, rows: ArrayLike | None = None) -> np.ndarray:
        """Observe rows from the given seats, whether they are to move or not: (m, …) float32, a new array."""
        if self.encoder is None:
            raise BoyiError("this batch was made with encoder=None: it has no observations")
        which = self._rows(rows)
        seats = as_array(seats)
        if seats.dtype.kind not in "iu" or seats.shape not in ((), which.shape) or not _inside(seats, self.game.seats):
            raise BoyiError(f"{self.game}: seats are 0 to {self.game.seats - 1}, one for all rows or one a row")
        seats = np.full(which.shape, seats, np.int64)
        x = np.empty((which.size, *self._shape), np.float32)
        self._run("observe_rows", which.size, self._states, which, seats, x)
        return x

    def view(self, rows: ArrayLike | None = None) -> View:
        """Show unfinished rows (default: all of them) to the agents that are to move in them."""
        which = np.flatnonzero(self._states["to_move"] >= 0) if rows is None else self._rows(rows)
        states = copied(self._states, which)
        seats = states["to_move"].astype(np.int64)
        if (seats < 0).any():
            raise BoyiError(f"{self.game}: row {which[seats < 0][0]} has ended: nobody is to move in it")
        streams = np.empty((which.size, 2), np.uint64)
        self._kernels["decision_rows"](self._states, self._keys, which, streams)
        own_keys = np.empty(which.size, np.uint64)
        self._kernels["own_key_rows"](self._seeds, self._episodes, which, seats, own_keys)
        if self.game.spec.hidden:
            self._kernels["redeal_rows"](states, self._seeds, self._episodes, which, seats, self._lanes)
        histories = None
        if self._history is not None and not self.game.spec.hidden:
            histories = [list(self._history[i]) for i in which]
        return View(
            game=self.game,
            states=states,
            mask=self._masks[which],
            seat=seats,
            rng=streams,
            row=which.copy(),
            episode=self._episodes[which],
            game_key=own_keys,
            history=histories,
        )

    @property
    def seeds(self) -> np.ndarray:
        """Each row's own seed (n,) uint64. A copy."""
        return self._seeds.copy()

    @property
    def episodes(self) -> np.ndarray:
        """The number (n,) int64 of each row's game among those of its seed, from 0. A copy."""
        return self._episodes.copy()

    def history(self, row: int) -> list[int]:
        """Return the actions played in a row since its start or a position set there, without one that forfeited."""
        if self._history is None:
            raise BoyiError("this batch keeps no actions: make it with history=True, or call keep_history()")
        if not is_whole(row, 0, self.n - 1):
            raise BoyiError(f"a row is a number from 0 to {self.n - 1}, not {shown(row)}")
        return list(self._history[row])

    def keep_history(self) -> None:
        """Keep the actions of each row from now on, as ``history=True`` does from the first: call it between games."""
        if self._history is None:
            self._history = [[] for _ in range(self.n)]

    def game_keys(self, rows: ArrayLike | None = None, purpose: int = 0) -> np.ndarray:
        """Return random numbers (m,) uint64, different for each purpose, that depend only on a game's seed and episode.

        Whatever is drawn once per game should be drawn from them: it is then the same however games are batched.
        """
        which = self._rows(rows)
        if not is_whole(purpose, 0):
            raise BoyiError(f"a purpose is a whole number, at least 0, not {shown(purpose)}")
        keys = np.empty(which.size, np.uint64)
        self._kernels["key_rows"](self._seeds, self._episodes, which, int(purpose), keys)
        return keys

    # Play

    def reset(
        self, seed: int | Sequence[int] | None = None, rows: ArrayLike | None = None, *, episode: int = 0
    ) -> None:
        """Start new games: that `episode` of `seed` or, without a seed, the next episode of every row's own seed."""
        which = self._rows(rows)
        if not is_whole(episode, 0):
            raise BoyiError(f"an episode is a whole number of 63 bits, at least 0, not {shown(episode)}")
        if seed is None:
            self._episodes[which] += 1
        else:
            self._seeds[which] = _row_seeds(seed, which)
            self._episodes[which] = episode
        self._forget(which)
        self._run("start_rows", which.size, self._games, which)

    def step(
        self, actions: ArrayLike, rows: ArrayLike | None = None, *, giving_up: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play one action in each row: return rewards (m, seats) float32, over (m,) bool and cut (m,) bool.

        Raises `IllegalAction`, with every row untouched, for a finished row without autoreset and, under
        ``illegal="raise"``, for an action outside the mask; under "forfeit" the offender loses. With `giving_up`
        the action `GIVEN_UP` loses under either.
        """
        which = self._rows(rows)
        played = np.ascontiguousarray(as_array(actions))
        if played.shape != which.shape or played.dtype.kind not in "iu":
            raise BoyiError(
                f"{self.game}: actions must be {which.size} whole numbers, one a row, "
                f"not {played.dtype} of shape {played.shape}"
            )
        played = played.astype(np.int64, copy=False)
        movers = self._states["to_move"][which]
        idle = which[movers < 0 if self.autoreset == "off" else movers == CHANCE]
        if idle.size:
            raise self._idle(int(idle[0]))
        if self.illegal == "raise":
            k = self._kernels["first_illegal"](self._states, self._masks, which, played, giving_up)
            if k >= 0:
                raise self._illegal(int(which[k]), int(played[k]))
        return self._step(which, played, see=rows is None and self.encoder is not None)

    def _step(self, which: np.ndarray, actions: np.ndarray, *, see: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        m = which.size
        r = np.empty((m, self.game.seats), np.float32)
        over, cut = np.empty(m, np.bool_), np.empty(m, np.bool_)
        x = np.empty((m if see else 0, *self._shape), np.float32)
        before = (self._episodes[which], self._states["ply"][which]) if self._history is not None else None
        autoreset = AUTORESET[self.autoreset]
        self._run("step_rows", m, self._games, which, actions, self._penalty, autoreset, r, over, cut, x)
        self._seen, self.seen = x if see else None, None
        if before is not None:
            self._note(which, actions, self._episodes[which] != before[0], self._states["ply"][which] != before[1])
        return r, over, cut

    def _note(self, which: np.ndarray, actions: np.ndarray, restarted: np.ndarray, played: np.ndarray) -> None:
        """Write down the actions of a step; one that forfeited has not been played."""
        assert self._history is not None
        for k, i in enumerate(which):
            if restarted[k]:
                self._history[i] = []
            elif played[k]:
                self._history[i].append(int(actions[k]))

    def play(self, action: int, *, giving_up: bool = False) -> int:
        """Play one action in a batch of one: return the seat that moves next, or OVER or CUT.

        The shortest way through the engine, for the faces that hold a single game: `seen` is what the seat that moves
        next sees, `scores` the returns at the end. Errors are those of `step`.
        """
        x = np.empty(self._shape, FLOAT)
        if self._play_one is None:
            args = self._states, self._streams, 0, self._chances, self._masks, x
            self._play_one = self._kernels.enter("play_one", *args)
        try:
            t: int = self._play_one(self._states, self._streams, index(action), self._chances, self._masks, x)
        except OverflowError:  # beyond 64 bits
            t = kernels.ILLEGAL
        except TypeError:
            raise BoyiError(f"{self.game}: an action is a whole number, not {shown(action)}") from None
        self._seen = self.seen = None
        if t >= 0:
            self.seen = x if self.encoder is not None else None
        elif t == kernels.ILLEGAL:
            return self._forfeit(action, giving_up)
        elif t < CHANCE:
            self._kernels["score"](self._states, self._scores)
        if self._history is not None:
            self._history[0].append(action)
        return t

    def _forfeit(self, action: int, giving_up: bool) -> int:
        if self._states["to_move"][0] < 0:
            raise self._idle(0)
        if self.illegal == "raise" and not (giving_up and action == GIVEN_UP):
            raise self._illegal(0, action)
        self._scores = self._step(self._every, np.array([GIVEN_UP]), see=False)[0][0]
        return OVER

    def first_mask(self) -> np.ndarray:
        """Return a copy of the mask (actions,) int8 of game 0: the quickest way to the mask of a single game."""
        return self._first_mask.copy()

    @property
    def scores(self) -> list[float]:
        """Returns of game 0 for every seat, once `play` has ended it."""
        return self._scores.tolist()

    def sample(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Draw a uniformly random legal action for each row, (m,) int64; -1 where a game has ended.

        The draws come from the rows' decision streams: the same seed plays the same random games.
        """
        which = self._rows(rows)
        actions = np.empty(which.size, np.int64)
        self._run("sample_rows", which.size, self._states, self._keys, which, self._lanes, self._masks, actions)
        return actions

    def play_random(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Step every row `steps` times with the actions that `sample` would draw, in one call.

        Returns the summed returns (n, seats) float64 and the number (n,) int64 of the games that ended on the way. Rows
        without autoreset stop at their end. Masks and observations are written at every step, as `step` does.
        """
        if not is_whole(steps, 0):
            raise BoyiError(f"steps must be a whole number, at least 0, not {shown(steps)}")
        if self._by_hand:
            raise BoyiError(f'{self.game}: random play resolves chance itself; make the batch with chance="inside"')
        waiting = np.flatnonzero(self._states["to_move"] == CHANCE)
        if waiting.size:
            raise self._idle(int(waiting[0]))
        ended, scores = np.zeros(self.n, np.int64), np.zeros((self.n, self.game.seats))
        x = np.empty((self.n if self.encoder is not None else 0, *self._shape), np.float32)
        r, autoreset = np.zeros((self.n, self.game.seats), np.float32), AUTORESET[self.autoreset]
        self._forget(self._every)
        self._run("random_rows", self.n, self._games, self._lanes, int(steps), autoreset, r, scores, ended, x)
        return scores, ended

    def chances(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Return the probabilities (m, outcomes) float64 of the chance events that rows wait for."""
        which = self._waiting(rows)
        p = np.zeros((which.size, max(1, self.game.chance_outcomes)))
        self._kernels["chance_rows"](self._states, which, p)
        return p

    def draw_outcomes(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Draw an outcome (m,) for each row's chance event from its own stream, as ``chance="inside"`` would."""
        which = self._waiting(rows)
        outcomes = np.empty(which.size, np.int64)
        p = np.zeros(max(1, self.game.chance_outcomes))
        self._kernels["draw_rows"](self._states, self._streams, which, p, outcomes)
        return outcomes

    def resolve(self, outcomes: ArrayLike, rows: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Apply an outcome to each row's chance event; return what `step` does, raise for an impossible outcome."""
        which, chosen = self._waiting(rows), np.ascontiguousarray(as_array(outcomes))
        p = self.chances(which)
        if chosen.shape != which.shape or chosen.dtype.kind not in "iu":
            raise BoyiError(f"{self.game}: outcomes must be {which.size} whole numbers, one a row")
        for row, outcome, odds in zip(which, chosen, p, strict=True):
            if not 0 <= outcome < odds.size or odds[outcome] <= 0.0:
                possible = ", ".join(map(str, np.flatnonzero(odds)))
                raise BoyiError(f"{self.game}: row {row}: outcome {outcome} is not possible; possible: {possible}")
        r = np.empty((which.size, self.game.seats), np.float32)
        over, cut = np.empty(which.size, np.bool_), np.empty(which.size, np.bool_)
        self._kernels["resolve_rows"](self._states, which, chosen.astype(np.int64), self._masks, r, over, cut)
        self._seen = self.seen = None
        return r, over, cut

    def _waiting(self, rows: ArrayLike | None) -> np.ndarray:
        which = self._rows(rows)
        calm = which[self._states["to_move"][which] != CHANCE]
        if calm.size:
            raise BoyiError(f"{self.game}: row {calm[0]} waits for no chance event")
        return which

    def draw_seats(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Draw a seat (m,) for each row from its game's seed, separately from the game's own chance."""
        which = self._rows(rows)
        seats = np.empty(which.size, np.int64)
        self._kernels["seat_rows"](self._seeds, self._episodes, which, self._lanes, self.game.seats, seats)
        return seats

    # Copies

    def clone(self) -> Batch:
        """Copy everything: positions, seeds and chance streams. Copy and original go separate ways."""
        twin = object.__new__(type(self))
        state = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self.__getstate__().items()}
        # NumPy's own copies of records leave the padding between their fields undefined.
        state |= {"_states": self.states, "_blank": self._blank}
        if self._history is not None:
            state["_history"] = [list(actions) for actions in self._history]
        twin.__setstate__(state)
        return twin

    def snapshot(self) -> dict[str, np.ndarray]:
        """Gather positions (as bytes), seeds, episodes and how much chance has drawn: arrays that any format holds."""
        raw = self.states.view(np.uint8).reshape(self.n, -1)
        return {"states": raw, "seeds": self._seeds, "episodes": self._episodes, "draws": self._streams[:, 0, 1]}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from what `snapshot` gathered in a batch of the same number of games of the same kind.

        `BoyiError` for arrays of other names, shapes or dtypes and for records that are not positions; nothing has
        changed then.
        """
        for name, own in self.snapshot().items():
            array = arrays.get(name)
            if not isinstance(array, np.ndarray) or (array.shape, array.dtype) != (own.shape, own.dtype):
                raise BoyiError(f"{self.game}: a snapshot of {self.n} games holds {own.dtype} {own.shape} as {name!r}")
        if (arrays["episodes"] < 0).any():
            raise BoyiError(f"{self.game}: a snapshot's episodes are whole numbers, at least 0")
        self.set_states(np.ascontiguousarray(arrays["states"]).view(self._states.dtype)[:, 0])
        self._seeds[:], self._episodes[:] = arrays["seeds"], arrays["episodes"]
        self._kernels["open_rows"](self._seeds, self._episodes, self._streams, self._keys)
        self._streams[:, 0, 1] = arrays["draws"]

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to the process (compiled kernels, threads) and what only refers to what is kept."""
        made_anew = ("_games", "_kernels", "_play_one", "_first_mask", "_pool")
        return {k: v for k, v in self.__dict__.items() if k not in made_anew}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a pickle or a copy holds, and copy read-only arrays: kernels would write to them anyway."""
        for name, value in state.items():
            locked = isinstance(value, np.ndarray) and not value.flags.writeable
            setattr(self, name, copied(value) if locked else value)
        self._pool = None
        self._bind()

    def _bind(self) -> None:
        self._kernels = _kernels_of(self.game, self.encoder)
        self._play_one = None
        self._first_mask = self._masks[0]
        self._games = Games(
            self._states,
            self._blank,
            self._seeds,
            self._episodes,
            self._streams,
            self._keys,
            self._chances,
            self._masks,
        )

    # Rows, errors, threads

    def _rows(self, rows: ArrayLike | None) -> np.ndarray:
        if rows is None:
            return self._every
        which = as_array(rows)
        if which.dtype == np.bool_ and which.shape == (self.n,):
            which = np.flatnonzero(which)
        good = which.ndim == 1 and (which.dtype.kind in "iu" or not which.size)
        which = which.astype(np.int64) if good else self._every
        if not good or (which.size and (which[0] < 0 or which[-1] >= self.n or (which[1:] <= which[:-1]).any())):
            raise BoyiError(f"rows must be increasing row numbers from 0 to {self.n - 1}, or a mask of {self.n} bools")
        return which

    def _forget(self, which: np.ndarray) -> None:
        self._seen = self.seen = None
        if self._history is not None:
            for i in which:
                self._history[i] = []

    def _idle(self, row: int) -> IllegalAction:
        if self._states["to_move"][row] == CHANCE:
            return IllegalAction(f"{self.game}: row {row}: a chance event comes next; resolve it before stepping on")
        return IllegalAction(f"{self.game}: row {row}: the game has ended; reset it before stepping it again")

    def _illegal(self, row: int, action: int) -> IllegalAction:
        text, state = self.game.module("text"), self._states[row]
        inside = 0 <= action < self.game.actions
        name = f"{action} ({text.name(state, int(action))})" if inside else shown(action)
        legal = f"{self._masks[row].sum()} of the actions 0 to {self.game.actions - 1} are"
        return IllegalAction(f"{self.game}: row {row}: action {name} is not legal, {legal}\n{text.diagram(state)}")

    def _run(self, name: str, m: int, *args: Any) -> None:
        """Run a kernel over [0, m), in chunks on several threads where the last call says that it pays."""
        kernel = self._kernels.entries.get(name) or self._kernels.enter(name, 0, m, *args)
        started = perf_counter()
        chunks = min(self.threads, m) if m * self._cost.get(name, 0.0) > THREADS_PAY else 1
        if chunks == 1:
            kernel(0, m, *args)
        else:
            cuts = [m * k // chunks for k in range(chunks + 1)]
            others = [self._threads().submit(kernel, *cut, *args) for cut in pairwise(cuts[1:])]
            kernel(0, cuts[1], *args)
            for other in others:
                other.result()
        self._cost[name] = (perf_counter() - started) * chunks / max(m, 1)

    def _threads(self) -> ThreadPoolExecutor:
        # A forked child inherits the pool object but none of its threads.
        if self._pool is None or self._pool_pid != os.getpid():
            self._pool, self._pool_pid = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool


class _Kernels(dict[str, Kernel]):
    """The generic kernels for one game, each bound when it is first asked for."""

    SEEING = ("play_one", "step_rows", "observe_rows", "random_rows")

    def __init__(self, game: Game, encoder: str | None) -> None:
        super().__init__()
        self.game, self.encoder = game, encoder
        self.entries: dict[str, Kernel] = {}

    def __missing__(self, name: str) -> Kernel:
        encoder = self.encoder if name in self.SEEING else None
        self[name] = bind(getattr(kernels, name), self.game, encoder)
        return self[name]

    def enter(self, name: str, *args: Any) -> Kernel:
        """Take the short way into a kernel whose arguments have the same types at every call, in all batches.

        How an array that is only read lies in memory does not matter if it is in one piece.
        """
        if name not in self.entries:
            self.entries[name] = entry(self[name], *args)
        return self.entries[name]


@cache
def _kernels_of(game: Game, encoder: str | None) -> _Kernels:
    return _Kernels(game, encoder)


def read_autoreset(mode: object, allowed: Iterable[str] = tuple(AUTORESET)) -> str:
    """Read an autoreset mode, in our words or Gymnasium's ("SameStep", or its enum), as one of those `allowed`."""
    word = getattr(mode, "value", mode)
    ours = {name.replace("_", ""): name for name in AUTORESET} | {"disabled": "off"}
    found = ours.get(word.lower().replace("_", "")) if isinstance(word, str) else None
    if found is None or found not in tuple(allowed):
        raise unknown("autoreset mode", word, allowed)
    return found


def one_seed(seed: object) -> int | None:
    """Return a seed that is one number, for Gymnasium's own random numbers to start from; None for any other."""
    return index(seed) if is_whole(seed, 0) else None  # type: ignore[arg-type]


def random_seed() -> int:
    """Draw a seed of 63 bits from the operating system: too many to try out."""
    return secrets.randbits(63)


def _row_seeds(seed: int | Sequence[int], which: np.ndarray) -> np.ndarray:
    seeds = as_array(seed)
    if seeds.dtype.kind not in "iu" or (seeds < 0).any() or seeds.shape not in ((), which.shape):
        raise BoyiError(f"a seed is a whole number, at least 0, or a list of {which.size} of them, not {shown(seed)}")
    seeds = seeds.astype(np.uint64)
    return seeds + which.astype(np.uint64) if seeds.shape == () else seeds


def as_array(values: ArrayLike) -> np.ndarray:
    """Make an array of what should be whole numbers; one of kind "O" if no array can be made of it."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # lists of unequal lengths, numbers too large for NumPy
        return np.array(None)


def _inside(numbers: np.ndarray, end: int) -> bool:
    return bool(((numbers >= 0) & (numbers < end)).all())


def _penalties(game: Game) -> np.ndarray:
    offender, other = game.spec.forfeit(**game.params)
    penalty = np.full((game.seats, game.seats), other, np.float32)
    np.fill_diagonal(penalty, offender)
    return penalty
