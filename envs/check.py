"""Conformance: what every game owes the engine, checked on random games. Authors of new games call `check_game`.

First `pieces` looks for everything a game's folder must hold; then the functions in `ITEMS`, one promise each, look at
positions of random games. A broken promise is a `GameError` with the game, its parameters, seed, ply and diagram.
"""

from __future__ import annotations

import copy
import io
import pickle
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from . import protocol
from .batch import Batch
from .bind import Kernel, bind
from .errors import BoyiError, IllegalAction
from .frame import Frame
from .kernels import pick
from .protocol import CHANCE, CUT, OVER
from .spec import Game, Spec, find

SPREAD = 12  # about so many positions of a random game are looked at closely
EVENTS = 1000  # more chance events than this in a row would never end
DRAWS = 2000  # taken from one chance event to compare frequencies
SURE = 5.0  # standard deviations by which a frequency may be off; chance alone exceeds it once in a million events
ROWS = 257  # of the batches that threads share
STEPS = 40  # that such a batch is played for
_PIECES = {
    "rules": ("state_dtype", "blank", "reset", "legal", "step", "returns", "key"),
    "encode": (),
    "text": ("name", "parse", "diagram", "read"),
    "draw": ("svg",),
}


class GameError(AssertionError):
    """A game that breaks its contract; the message says which promise, and where that was seen."""


def check_game(game: str | Spec | Game, games: int = 20, seed: int = 0) -> None:
    """Check a game, or with a spec its every tested parameter set, on so many random games; `GameError` if it fails."""
    for each in [Game.bind(game, params) for params in game.tested] if isinstance(game, Spec) else [find(game)]:
        pieces(each)
        trial = Trial(each, games, seed)
        for item in ITEMS:
            item(trial)


# What a game's folder holds


def pieces(game: Game) -> None:
    """Find every module, kernel, encoder, text function and drawing of a game; `GameError` names the first missing."""
    wanted = dict(_PIECES)
    wanted["rules"] += ("chance", "resolve") * (game.chance_outcomes > 0) + ("redeal",) * game.spec.hidden
    wanted["encode"] += tuple(f"observe_{encoder}" for encoder in game.spec.encoders)
    for part, names in wanted.items():
        module = _module(game, part)
        for name in names:
            if not callable(getattr(module, name, None)):
                raise GameError(f"game {game.name!r} has no {name!r} in its {part}.py")
    if "planes" not in game.spec.encoders:
        raise GameError(f"game {game.name!r} has no encoder 'planes'")
    if not Path(str(import_module(game.spec.package).__file__)).with_name("RULES.md").is_file():
        raise GameError(f"game {game.name!r} has no RULES.md")
    _check_record(game)


def _module(game: Game, part: str) -> Any:
    try:
        return game.module(part)
    except ModuleNotFoundError as error:
        if error.name != f"{game.spec.package}.{part}":
            raise
        raise GameError(f"game {game.name!r} has no {part}.py") from None


def _check_record(game: Game) -> None:
    dtype, blank = game.module("rules").state_dtype(**game.params), game.blank
    for name, kind in (("to_move", np.int8), ("ply", np.int32)):
        if name not in (dtype.names or ()) or dtype[name] != kind:
            raise GameError(f"{game}: the record has no field {name!r} of type {np.dtype(kind)}")
    if not dtype.isalignedstruct or dtype.hasobject:
        raise GameError(f"{game}: the record's dtype must be aligned and hold no Python objects")
    if blank.shape != (1,) or blank.dtype != dtype:
        raise GameError(f"{game}: blank() must return one record, shape (1,), of the dtype of state_dtype()")


# The kernels on one record, from Python. The protocol's stubs are untyped: Numba types a kernel at its call.

_stub: Any = protocol
reset, legal, step, returns, key = _stub.reset, _stub.legal, _stub.step, _stub.returns, _stub.key
observe, chance, resolve, redeal = _stub.observe, _stub.chance, _stub.resolve, _stub.redeal


def _reset(states: Any, rng: Any) -> Any:
    reset(states[0], rng)


def _legal(states: Any, mask: Any) -> Any:
    return legal(states[0], mask)


def _step(states: Any, a: Any) -> Any:
    step(states[0], a)


def _returns(states: Any, r: Any) -> Any:
    returns(states[0], r)


def _key(states: Any, out: Any) -> Any:
    out[0] = key(states[0])


def _observe(states: Any, seat: Any, x: Any) -> Any:
    observe(states[0], seat, x)


def _chance(states: Any, p: Any) -> Any:
    return chance(states[0], p)


def _resolve(states: Any, o: Any) -> Any:
    resolve(states[0], o)


def _redeal(states: Any, seat: Any, rng: Any) -> Any:
    redeal(states[0], seat, rng)


def _draw(states: Any, rng: Any, p: Any) -> Any:
    for i in range(states.shape[0]):
        resolve(states[i], pick(p, chance(states[i], p), rng))


# Random games


class Position(NamedTuple):
    """One record of a random game: `states` (1,), its mask (actions,) int8 and the count of legal actions."""

    seed: int
    states: np.ndarray
    mask: np.ndarray
    count: int

    @property
    def to_move(self) -> int:
        return int(self.states["to_move"][0])


class Trial:
    """Random games of one game, chance events included; `positions` are a spread of them, starts and ends among them."""

    def __init__(self, game: Game, games: int = 20, seed: int = 0) -> None:
        self.game, self.seeds = game, range(seed, seed + games)
        self.positions: list[Position] = []
        for each in self.seeds:
            lots = np.random.default_rng(each)
            played = list(self.walk(each, self.start(each)))
            wanted = lots.random(len(played)) * len(played) < SPREAD
            wanted[0] = wanted[-1] = True
            self.positions += [position for position, kept in zip(played, wanted, strict=True) if kept]

    @property
    def decisions(self) -> list[Position]:
        return [position for position in self.positions if position.to_move >= 0]

    def kernel(self, generic: Kernel, encoder: str | None = None) -> Kernel:
        return bind(generic, self.game, encoder)

    def start(self, seed: int) -> np.ndarray:
        """Deal a start position (1,)."""
        states = self.game.blank.copy()
        self.kernel(_reset)(states, _stream(seed))
        return states

    def walk(self, seed: int, states: np.ndarray) -> Iterator[Position]:
        """Play on at random from a position, and yield it and every one that follows, to the end."""
        lots, events = np.random.default_rng([seed, 1]), 0
        while True:
            position = self.look(seed, states)
            yield position
            if position.to_move < CHANCE:
                return
            before, states = states, states.copy()
            if position.to_move == CHANCE:
                events += 1
                self.require(events <= EVENTS, position, f"{EVENTS} chance events follow each other")
                self.kernel(_resolve)(states, lots.choice(np.flatnonzero(self.odds(position) > 0)))
            else:
                events = 0
                self.kernel(_step)(states, lots.choice(np.flatnonzero(position.mask)))
            rise = int(position.to_move >= 0)
            self.require(
                states["ply"][0] == before["ply"][0] + rise,
                position,
                f"the next ply is not {rise} higher: step raises it",
            )

    def look(self, seed: int, states: np.ndarray) -> Position:
        """Write a position's mask over every byte of an old one."""
        mask, before = np.full(self.game.actions, 77, np.int8), _bytes(states)
        count = self.kernel(_legal)(states, mask)
        position = Position(seed, states, mask, count)
        self.require(_bytes(states) == before, position, "legal changes the record")
        self.require(CUT <= position.to_move < self.game.seats, position, "to_move is no seat and no protocol constant")
        self.require(
            states["ply"][0] <= self.game.longest, position, f"longer than the longest game, {self.game.longest}"
        )
        self.require(
            ((mask == 0) | (mask == 1)).all(), position, "the mask holds more than 0 and 1, or was not all written"
        )
        self.require(mask.sum() == count, position, f"legal counts {count} actions, the mask holds {mask.sum()}")
        self.require((count > 0) == (position.to_move >= 0), position, f"{count} legal actions in this position")
        return position

    def odds(self, position: Position) -> np.ndarray:
        """Write the probabilities (outcomes,) of a chance event."""
        p = np.full(max(1, self.game.chance_outcomes), np.nan)
        self.require(
            self.game.chance_outcomes > 0, position, "a chance event, but the spec declares no chance_outcomes"
        )
        n = self.kernel(_chance)(position.states, p)
        good = 0 < n <= p.size and (p[:n] >= 0).all() and abs(p[:n].sum() - 1) < 1e-9
        self.require(
            good, position, f"chance() returns {n} outcomes with the probabilities {p[:n]}, which must sum to 1"
        )
        return p[:n]

    def seen(self, position: Position, seat: int, encoder: str, filling: float = np.nan) -> np.ndarray:
        """Observe a position over a buffer full of `filling`."""
        x, before = np.full(self.game.shape(encoder), filling, np.float32), _bytes(position.states)
        self.kernel(_observe, encoder)(position.states, seat, x)
        self.require(_bytes(position.states) == before, position, f"observe_{encoder} changes the record")
        return x

    def views(self) -> Iterator[tuple[int, str]]:
        """Name every seat with every encoder."""
        yield from ((seat, encoder) for encoder in self.game.spec.encoders for seat in range(self.game.seats))

    def require(self, promise: Any, position: Position | None, failure: str) -> None:
        """Raise `GameError` unless the promise is kept, with the position's seed, ply and diagram."""
        if not promise:
            raise GameError(self.report(position, failure))

    def report(self, position: Position | None, failure: str) -> str:
        """Say what failed, and where."""
        if position is None:
            return f"{self.game}, seeds {self.seeds.start} to {self.seeds.stop - 1}: {failure}"
        state = position.states[0]
        try:
            diagram = self.game.module("text").diagram(state)
        except Exception as error:
            diagram = f"(its diagram raises {error!r}) {state}"
        return f"{self.game}, seed {position.seed}, ply {state['ply']}: {failure}\n{diagram}"

    @contextmanager
    def blame(self, position: Position, name: str) -> Iterator[None]:
        """Turn whatever the game's Python raises into a `GameError` that names the function."""
        try:
            yield
        except GameError:
            raise
        except Exception as error:
            raise GameError(self.report(position, f"{name} raises {error!r}")) from error


def _stream(seed: int) -> np.ndarray:
    return np.array([seed, 0], np.uint64)


def _bytes(states: np.ndarray) -> bytes:
    """Gather the bytes of every field: NumPy's copies leave those of the padding between fields undefined."""
    return b"".join(states[field].tobytes() for field in states.dtype.names or ())


# The promises


def starts(trial: Trial) -> None:
    """Seat 0 decides first, at ply 0, and the same seed deals the same start."""
    for seed in trial.seeds:
        states = trial.start(seed)
        first = next(position for position in trial.walk(seed, states) if position.to_move != CHANCE)
        trial.require(first.to_move == 0 and first.states["ply"][0] == 0, first, "seat 0 does not move first, at ply 0")
        trial.require(_bytes(states) == _bytes(trial.start(seed)), first, "the same seed deals two starts")


def results(trial: Trial) -> None:
    """Returns are zero before the end, and at the end in range and, where declared, zero-sum."""
    game = trial.game
    for position in trial.positions:
        r = np.full(game.seats, np.nan, np.float32)
        trial.kernel(_returns)(position.states, r)
        if position.to_move >= CHANCE:
            trial.require((r == 0).all(), position, f"returns() is {r} before the end, not zero")
        trial.require(
            ((r >= game.low) & (r <= game.high)).all(), position, f"returns {r} not in [{game.low}, {game.high}]"
        )
        trial.require(not game.spec.zero_sum or abs(r.sum()) < 1e-5, position, f"returns {r} do not sum to zero")


def keys(trial: Trial) -> None:
    """Positions with one key have one seat to move and one mask."""
    known: dict[int, Position] = {}
    for position in trial.positions:
        out = np.zeros(1, np.uint64)
        trial.kernel(_key)(position.states, out)
        twin = known.setdefault(int(out[0]), position)
        same = twin.to_move == position.to_move and (twin.mask == position.mask).all()
        trial.require(same, position, f"this position has the key of another:\n{trial.report(twin, 'the other')}\n")


def texts(trial: Trial) -> None:
    """A name is unique and `parse` takes it back; `read` takes back a diagram, and neither reads nonsense."""
    text = trial.game.module("text")
    for position in trial.positions:
        state, legal_actions = position.states[0], np.flatnonzero(position.mask).tolist()
        with trial.blame(position, "name or parse"):
            names = [text.name(state, a) for a in legal_actions]
            trial.require(len(set(names)) == len(names), position, "two legal actions have one name")
            for a, name in zip(legal_actions, names, strict=True):
                trial.require(text.parse(state, name) == a, position, f"parse({name!r}) is not action {a}, named so")
        with trial.blame(position, "diagram or read"):
            diagram = text.diagram(state)
            back = text.read(diagram)
            agree = back.dtype == position.states.dtype and text.diagram(back[0]) == diagram
            trial.require(agree, position, "read(diagram(s)) has another diagram or dtype")
            found, wanted = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
            trial.kernel(_key)(back, found)
            trial.kernel(_key)(position.states, wanted)
            trial.require(found == wanted, position, "key(read(diagram(s))) is not key(s)")
    _refuse_nonsense(trial, text)


def _refuse_nonsense(trial: Trial, text: Any) -> None:
    position = trial.positions[0]
    for name, call in (
        ("parse", lambda: text.parse(position.states[0], "?!")),
        ("read", lambda: text.read("?!")),
        ("read", lambda: text.read("")),
    ):
        try:
            with trial.blame(position, name):
                call()
        except GameError as error:
            if isinstance(error.__cause__, BoyiError):
                continue
            raise
        trial.require(False, position, f"{name} reads nonsense; it must raise BoyiError")


def drawings(trial: Trial) -> None:
    """`svg` draws a start, an end and a position between as one SVG document."""
    for position in trial.positions[:: max(1, len(trial.positions) // 2)]:
        with trial.blame(position, "svg"):
            root = ElementTree.fromstring(trial.game.module("draw").svg(position.states[0]))
            trial.require(root.tag.endswith("svg"), position, "svg() returns no SVG document")


def observations(trial: Trial) -> None:
    """Every number of an observation is written, in [0, 1], and depends on nothing but the record and the seat."""
    for position in trial.positions:
        for seat, encoder in trial.views():
            x = trial.seen(position, seat, encoder)
            trial.require(not np.isnan(x).any(), position, f"observe_{encoder} leaves numbers of seat {seat} unwritten")
            trial.require(((x >= 0) & (x <= 1)).all(), position, f"observe_{encoder} writes numbers outside [0, 1]")
            again = trial.seen(position, seat, encoder, filling=0.5)
            trial.require((x == again).all(), position, f"observe_{encoder} depends on what the buffer held")


def frames(trial: Trial) -> None:
    """An encoder's permutations are permutations of the actions, one a seat."""
    game = trial.game
    for encoder in game.spec.encoders:
        table = Frame(game, encoder).permutation
        if table is not None:
            good = table.shape == (game.seats, game.actions) and (np.sort(table) == np.arange(game.actions)).all()
            trial.require(good, None, f"permutation_{encoder} is not one permutation of the actions for each seat")


def secrets(trial: Trial) -> None:
    """What is redealt for a seat it cannot see: no number it observes changes, nor what it may do; the game goes on."""
    if not trial.game.spec.hidden:
        return
    changed = False
    for k, position in enumerate(trial.decisions):
        for seat in range(trial.game.seats):
            dealt = position._replace(states=position.states.copy())
            trial.kernel(_redeal)(dealt.states, seat, _stream(k))
            changed |= _bytes(dealt.states) != _bytes(position.states)
            _check_unseen(trial, position, trial.look(position.seed, dealt.states), seat)
        for _ in trial.walk(position.seed, dealt.states):
            pass
    trial.require(changed, None, "redeal changes nothing: is anything hidden?")


def _check_unseen(trial: Trial, position: Position, dealt: Position, seat: int) -> None:
    for field in ("ply", "to_move"):
        trial.require(
            dealt.states[field] == position.states[field], position, f"redeal for seat {seat} changes {field}"
        )
    for encoder in trial.game.spec.encoders:
        same = trial.seen(position, seat, encoder) == trial.seen(dealt, seat, encoder)
        trial.require(same.all(), position, f"observe_{encoder} shows seat {seat} something that redeal changes for it")
    if position.to_move == seat:
        trial.require((position.mask == dealt.mask).all(), position, f"redeal for seat {seat} changes its own mask")


def chances(trial: Trial) -> None:
    """Probabilities sum to 1, every possible outcome moves on, and outcomes come up as often as they say."""
    events: dict[bytes, Position] = {}
    for position in trial.positions:
        if position.to_move == CHANCE:
            events.setdefault(trial.odds(position).tobytes(), position)
    met = trial.game.chance_outcomes == 0 or events
    trial.require(met, None, "the spec declares chance_outcomes, but no game met a chance event")
    for position in list(events.values())[:4]:
        _compare_frequencies(trial, position)


def _compare_frequencies(trial: Trial, position: Position) -> None:
    expected: Counter[bytes] = Counter()
    p = trial.odds(position)
    for o in np.flatnonzero(p):
        after = position.states.copy()
        trial.kernel(_resolve)(after, o)
        trial.require((after != position.states).all(), position, f"outcome {o} changes nothing")
        expected[_bytes(after)] += p[o]
    drawn = np.repeat(position.states, DRAWS)
    trial.kernel(_draw)(drawn, _stream(position.seed), np.zeros(trial.game.chance_outcomes))
    found = Counter(_bytes(drawn[i]) for i in range(DRAWS))
    trial.require(found.keys() <= expected.keys(), position, "an outcome of probability 0 came up")
    for record, chance_of in expected.items():
        off = abs(found[record] - DRAWS * chance_of)
        likely = off <= SURE * (DRAWS * chance_of * (1 - chance_of)) ** 0.5 + 1e-6
        trial.require(
            likely, position, f"an outcome of probability {chance_of:.3f} came up {found[record]} of {DRAWS} times"
        )


def batches(trial: Trial) -> None:
    """A seed names a game: batches of any size on any number of threads and single games agree to the byte."""
    game, seed = trial.game, trial.seeds.start
    one, many = (Batch(game, ROWS, seed, threads=threads, autoreset="same_step") for threads in (1, 3))
    single = {row: Batch(game, 1, seed + row, autoreset="same_step") for row in (0, ROWS // 2, ROWS - 1)}
    for _ in range(STEPS):
        actions = one.sample()
        answers, others = one.step(actions), many.step(actions)
        same = all((a == b).all() for a, b in zip(answers, others, strict=True)) and _snapshot(one) == _snapshot(many)
        trial.require(same, None, "the same seeds play other games on other numbers of threads")
        for row, batch in single.items():
            batch.step(actions[row : row + 1])
            trial.require(
                _bytes(batch.states) == _bytes(one.states[row : row + 1]),
                None,
                f"row {row} of a batch of {ROWS} is not the single game of seed {seed + row}",
            )


def _snapshot(batch: Batch) -> tuple[bytes, ...]:
    return _bytes(batch.states), batch.mask.tobytes(), batch.sample().tobytes()


def isolation(trial: Trial) -> None:
    """Stepping one row changes no byte of another."""
    batch = Batch(trial.game, 3, trial.seeds.start)
    while (batch.to_move >= 0).all():
        before = batch.states
        batch.step(batch.sample()[1:2], [1])
        trial.require(_bytes(before[::2]) == _bytes(batch.states[::2]), None, "stepping row 1 changes other rows")


def histories(trial: Trial) -> None:
    """Equal histories give equal bytes, whoever looks on the way: scratch fields are zero between calls."""
    game, seed, n = trial.game, trial.seeds.start, len(trial.seeds)
    quiet = Batch(game, n, seed, encoder=None)
    watched = [Batch(game, n, seed, encoder=encoder, history=True) for encoder in game.spec.encoders]
    while (rows := np.flatnonzero(quiet.to_move >= 0)).size:
        actions = quiet.sample()[rows]
        quiet.step(actions, rows)
        for batch in watched:
            for seat in range(game.seats):
                batch.observe(seat)
            batch.view()
            batch.step(actions, rows)
            trial.require(
                _snapshot(batch) == _snapshot(quiet), None, "equal histories give other bytes when seats look on"
            )


def copies(trial: Trial) -> None:
    """A clone, deep copy, pickle or saved file keeps the position, goes on alike and leaves the original alone."""
    batch = Batch(trial.game, len(trial.seeds), trial.seeds.start, autoreset="same_step")
    for _ in range(min(STEPS, trial.game.longest // 2)):
        batch.step(batch.sample())
    file, loaded = io.BytesIO(), batch.clone()
    np.save(file, batch.states)
    file.seek(0)
    loaded.states = np.load(file)
    twins = {"clone": batch.clone(), "deepcopy": copy.deepcopy(batch), "save": loaded}
    twins["pickle"] = pickle.loads(pickle.dumps(batch))
    before, ends = _snapshot(batch), set()
    for name, twin in twins.items():
        trial.require(_snapshot(twin) == before, None, f"{name} does not keep the position")
        for _ in range(STEPS):
            twin.step(twin.sample())
        trial.require(_snapshot(batch) == before, None, f"playing on after {name} changes the original")
        ends.add(_snapshot(twin))
    trial.require(len(ends) == 1, None, "copies of one position go on differently")


def refusals(trial: Trial) -> None:
    """An action outside the mask raises and touches nothing, or forfeits with the declared returns."""
    game, seed = trial.game, trial.seeds.start
    strict, lenient = (Batch(game, 2, seed, illegal=illegal) for illegal in ("raise", "forfeit"))
    for _ in range(min(STEPS, game.longest)):
        if (strict.to_move < 0).any():
            break
        for a in {-1, game.actions, *np.flatnonzero(strict.mask[1] == 0)[:3].tolist()}:
            actions, before = np.array([strict.sample()[0], a]), _snapshot(strict)
            try:
                strict.step(actions)
            except IllegalAction:
                trial.require(
                    _snapshot(strict) == before, None, f"the illegal action {a} raises, but changes something"
                )
            else:
                trial.require(False, None, f"the illegal action {a} is played")
            _check_forfeit(trial, lenient.clone(), actions)
        actions = strict.sample()
        strict.step(actions)
        lenient.step(actions)


def _check_forfeit(trial: Trial, batch: Batch, actions: np.ndarray) -> None:
    offender = batch.to_move[1]
    loss, other = trial.game.spec.forfeit(**trial.game.params)
    rewards, over, _ = batch.step(actions)
    wanted = [loss if seat == offender else other for seat in range(trial.game.seats)]
    good = over[1] and batch.to_move[1] == OVER and not batch.mask[1].any() and np.allclose(rewards[1], wanted)
    trial.require(good, None, f"an illegal action of seat {offender} gives {rewards[1]}, not {wanted} and the end")


def symmetries(trial: Trial) -> None:
    """Where rules.py has ``symmetries(**params)``: each row renames the actions, and the renamed game is the same."""
    game = trial.game
    make = getattr(game.module("rules"), "symmetries", None)
    tables = np.empty((0, game.actions), int) if make is None else make(**game.params)
    good = tables.ndim == 2 and (np.sort(tables) == np.arange(game.actions)).all()
    trial.require(good, None, "symmetries() is not an array of permutations of the actions")
    for k, table in enumerate(tables[:8]):
        _play_mirrored(trial, table, trial.seeds[k % len(trial.seeds)])


def _play_mirrored(trial: Trial, table: np.ndarray, seed: int) -> None:
    lots, here, there = np.random.default_rng(seed), trial.start(seed), trial.start(seed)
    while here["to_move"][0] >= CHANCE:
        a, b = trial.look(seed, here), trial.look(seed, there)
        same = a.to_move == b.to_move and (b.mask[table] == a.mask).all() and _mirrored(trial, a, b, table)
        trial.require(same, a, f"symmetry {table} does not lead to the same game:\n{trial.report(b, 'the other')}\n")
        if a.to_move == CHANCE:
            o = lots.choice(np.flatnonzero(trial.odds(a)))
            trial.kernel(_resolve)(here, o)
            trial.kernel(_resolve)(there, o)
        else:
            action = lots.choice(np.flatnonzero(a.mask))
            trial.kernel(_step)(here, action)
            trial.kernel(_step)(there, table[action])
    scores = np.zeros((2, trial.game.seats), np.float32)
    trial.kernel(_returns)(here, scores[0])
    trial.kernel(_returns)(there, scores[1])
    trial.require((scores[0] == scores[1]).all(), None, f"symmetry {table} changes the returns of seed {seed}")


def _mirrored(trial: Trial, a: Position, b: Position, table: np.ndarray) -> bool:
    """Action i is cell i of the planes: where the table moves cells to cells, the planes move with them."""
    shape = trial.game.shape("planes")
    cells = int(np.prod(shape[1:]))
    if cells > table.size or (table[:cells] >= cells).any():
        return True
    x, y = (trial.seen(position, 0, "planes").reshape(shape[0], cells) for position in (a, b))
    return bool((y[:, table[:cells]] == x).all())


ITEMS = (
    starts, results, keys, texts, drawings, observations, frames, secrets, chances, batches, isolation, histories,
    copies, refusals, symmetries,
)  # fmt: skip
"""Every promise, as a function of a `Trial`; `Trial` itself checks masks, plies and the longest game on its way."""
