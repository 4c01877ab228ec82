"""Conformance: what every game owes the engine, checked on random games. Authors of new games call `check_game`.

`pieces` looks for everything a game's folder must hold; a `Trial` plays random games and watches masks and plies; then
each function in `ITEMS` checks one promise. A broken one is a `GameError` with game, seed, ply and diagram.
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

from . import kernels, protocol
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
ROWS, STEPS = 257, 40  # size of the batches that threads share, and how long copies and batches are played
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
            _expect(callable(getattr(module, name, None)), game, f"there is no {name!r} in its {part}.py")
    _expect("planes" in game.spec.encoders, game, "there is no encoder 'planes'")
    folder = Path(str(import_module(game.spec.package).__file__)).parent
    _expect((folder / "RULES.md").is_file(), game, "there is no RULES.md")
    dtype = game.module("rules").state_dtype(**game.params)
    for name, kind in (("to_move", np.dtype(np.int8)), ("ply", np.dtype(np.int32))):
        _expect(dict(dtype.fields or {}).get(name, (None,))[0] == kind, game, f"its record has no {kind} {name!r}")
    _expect(dtype.isalignedstruct and not dtype.hasobject, game, "its record is not aligned, or holds Python objects")
    _expect(game.blank.shape == (1,) and game.dtype == dtype, game, "blank() is not one record of its state_dtype()")


def _module(game: Game, part: str) -> Any:
    try:
        return game.module(part)
    except ModuleNotFoundError as error:
        _expect(error.name != f"{game.spec.package}.{part}", game, f"there is no {part}.py")
        raise


def _expect(promise: Any, game: Game, failure: str) -> None:
    if not promise:
        raise GameError(f"game {game}: {failure}")


# The kernels on record 0, from Python. The protocol's stubs are untyped: Numba types a kernel at its call.

_stub: Any = protocol
reset, legal, step, returns, key = _stub.reset, _stub.legal, _stub.step, _stub.returns, _stub.key
chance, resolve, redeal = _stub.chance, _stub.resolve, _stub.redeal


def _reset(states: Any, rng: Any) -> Any:
    reset(states[0], rng)


def _look(states: Any, mask: Any, r: Any, keys: Any) -> Any:
    keys[0] = key(states[0])
    returns(states[0], r)
    return legal(states[0], mask)


def _advance(states: Any, choice: Any) -> Any:
    if states[0].to_move == CHANCE:
        resolve(states[0], choice)
    else:
        step(states[0], choice)


def _chance(states: Any, p: Any) -> Any:
    return chance(states[0], p)


def _redeal(states: Any, seat: Any, rng: Any) -> Any:
    redeal(states[0], seat, rng)


def _draw(states: Any, rng: Any, p: Any) -> Any:
    for i in range(states.shape[0]):
        resolve(states[i], pick(p, chance(states[i], p), rng))


# Random games


class Position(NamedTuple):
    """A record (1,) of a random game, its mask (actions,) int8, returns (seats,) float32 and key."""

    seed: int
    states: np.ndarray
    mask: np.ndarray
    returns: np.ndarray
    key: int

    @property
    def to_move(self) -> int:
        return int(self.states["to_move"][0])


class Trial:
    """Random games, chance events included; `positions` are a spread of theirs, with every start and end."""

    def __init__(self, game: Game, games: int = 20, seed: int = 0) -> None:
        self.game, self.seeds = game, range(seed, seed + games)
        self.positions: list[Position] = []
        for each in self.seeds:
            played = list(self.walk(each, self.start(each)))
            wanted = np.random.default_rng(each).random(len(played)) * len(played) < SPREAD
            wanted[0] = wanted[-1] = True
            self.positions += [position for position, kept in zip(played, wanted, strict=True) if kept]

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
            decides = position.to_move >= 0
            events = 0 if decides else events + 1
            self.require(events <= EVENTS, position, f"{EVENTS} chance events follow each other")
            states = states.copy()
            likely = position.mask if decides else self.odds(position)
            self.kernel(_advance)(states, lots.choice(np.flatnonzero(likely)))
            rise = states["ply"][0] - position.states["ply"][0]
            self.require(
                rise == decides, position, f"ply rises by {rise}: every step raises it by one, chance does not"
            )

    def look(self, seed: int, states: np.ndarray) -> Position:
        """Write a position's mask and returns over old ones; its record must stay as it is."""
        mask, r = np.full(self.game.actions, 77, np.int8), np.full(self.game.seats, np.nan, np.float32)
        keys, before = np.zeros(1, np.uint64), _bytes(states)
        count = self.kernel(_look)(states, mask, r, keys)
        position = Position(seed, states, mask, r, int(keys[0]))
        mover, longest = position.to_move, self.game.longest
        self.require(_bytes(states) == before, position, "key, returns or legal changes the record")
        self.require(CUT <= mover < self.game.seats, position, "to_move is no seat and no protocol constant")
        self.require(states["ply"][0] <= longest, position, f"this is longer than the longest game, {longest}")
        self.require(((mask == 0) | (mask == 1)).all(), position, "the mask was not all written, or not with 0 and 1")
        self.require(mask.sum() == count, position, f"legal counts {count} actions, the mask holds {mask.sum()}")
        self.require((count > 0) == (mover >= 0), position, f"there are {count} legal actions here")
        return position

    def odds(self, position: Position) -> np.ndarray:
        """Write the probabilities (outcomes,) of a chance event."""
        p = np.full(max(1, self.game.chance_outcomes), np.nan)
        self.require(
            self.game.chance_outcomes > 0, position, "a chance event, but the spec declares no chance_outcomes"
        )
        n = self.kernel(_chance)(position.states, p)
        good = 0 < n <= p.size and (p[:n] >= 0).all() and abs(p[:n].sum() - 1) < 1e-9
        self.require(good, position, f"{n} outcomes have the probabilities {p[:n]}, which do not sum to 1")
        return p[:n]

    def observe(self, position: Position, seat: int, encoder: str, filling: float = np.nan) -> np.ndarray:
        """Observe a position over a buffer full of `filling`; its record must stay as it is."""
        x, before = np.full((1, *self.game.shape(encoder)), filling, np.float32), _bytes(position.states)
        rows, seats = np.zeros(1, np.int64), np.array([seat])
        self.kernel(kernels.observe_rows, encoder)(0, 1, position.states, rows, seats, x)
        self.require(_bytes(position.states) == before, position, f"observe_{encoder} changes the record")
        return x[0]

    def require(self, promise: Any, position: Position | None, failure: str) -> None:
        """Raise `GameError` with the position's seed, ply and diagram, unless the promise is kept."""
        if not promise:
            raise GameError(self.report(position, failure))

    def report(self, position: Position | None, failure: str) -> str:
        if position is None:
            return f"game {self.game}, seeds {self.seeds.start} to {self.seeds.stop - 1}: {failure}"
        state = position.states[0]
        try:
            diagram = self.game.module("text").diagram(state)
        except Exception as error:
            diagram = f"(its diagram raises {error!r}) {state}"
        return f"game {self.game}, seed {position.seed}, ply {state['ply']}: {failure}\n{diagram}"

    @contextmanager
    def blame(self, position: Position, name: str) -> Iterator[None]:
        """Turn what the game's Python raises into a `GameError` that names the function."""
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


def _snapshot(batch: Batch) -> tuple[bytes, ...]:
    return _bytes(batch.states), batch.mask.tobytes(), batch.sample().tobytes()


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
    low, high, zero_sum = trial.game.low, trial.game.high, trial.game.spec.zero_sum
    for position in trial.positions:
        r = position.returns
        trial.require((r == 0).all() or position.to_move < CHANCE, position, f"returns {r} are not zero before the end")
        trial.require(((r >= low) & (r <= high)).all(), position, f"returns {r} are not all in [{low}, {high}]")
        trial.require(not zero_sum or abs(r.sum()) < 1e-5, position, f"returns {r} do not sum to zero")


def keys(trial: Trial) -> None:
    """Positions with one key have one seat to move and one mask."""
    known: dict[int, Position] = {}
    for position in trial.positions:
        twin = known.setdefault(position.key, position)
        same = twin.to_move == position.to_move and (twin.mask == position.mask).all()
        trial.require(same, position, f"key takes this position for another:\n{trial.report(twin, 'the other')}\n")


def texts(trial: Trial) -> None:
    """A name is unique and `parse` takes it back; `read` takes back a diagram; both refuse nonsense."""
    text = trial.game.module("text")
    for position in trial.positions:
        state = position.states[0]
        with trial.blame(position, "name or parse"):
            names = {text.name(state, a): a for a in np.flatnonzero(position.mask).tolist()}
            trial.require(len(names) == position.mask.sum(), position, "name gives two legal actions one name")
            for name, a in names.items():
                trial.require(
                    text.parse(state, name) == a, position, f"parse({name!r}) is not action {a}, of that name"
                )
        with trial.blame(position, "diagram or read"):
            diagram = text.diagram(state)
            back = text.read(diagram)
            same = back.dtype == position.states.dtype and text.diagram(back[0]) == diagram
            trial.require(same, position, "read(diagram(s)) has another diagram or dtype")
            trial.require(
                trial.look(position.seed, back).key == position.key, position, "key(read(diagram(s))) != key(s)"
            )
    state = trial.positions[0].states[0]
    for name, call in {"parse": lambda: text.parse(state, "?!"), "read": lambda: text.read("?!")}.items():
        with trial.blame(trial.positions[0], name):
            _must_refuse(trial, name, call)


def _must_refuse(trial: Trial, name: str, call: Any) -> None:
    try:
        call()
    except BoyiError:
        return
    trial.require(False, trial.positions[0], f"{name} takes nonsense instead of raising BoyiError")


def drawings(trial: Trial) -> None:
    """`svg` draws a start, an end and a position between them as one SVG document."""
    for position in trial.positions[:: max(1, len(trial.positions) // 2)]:
        with trial.blame(position, "svg"):
            root = ElementTree.fromstring(trial.game.module("draw").svg(position.states[0]))
            trial.require(root.tag.endswith("svg"), position, "svg returns no SVG document")


def observations(trial: Trial) -> None:
    """Every number of an observation is written, whatever the buffer held, and in [0, 1]."""
    for position in trial.positions:
        for encoder in trial.game.spec.encoders:
            for seat in range(trial.game.seats):
                x, again = (trial.observe(position, seat, encoder, filling) for filling in (np.nan, 0.5))
                whose = f"observe_{encoder} for seat {seat}"
                trial.require(not np.isnan(x).any(), position, f"{whose} leaves numbers unwritten")
                trial.require(((x >= 0) & (x <= 1)).all(), position, f"{whose} writes numbers outside [0, 1]")
                trial.require((x == again).all(), position, f"{whose} depends on what the buffer held")


def frames(trial: Trial) -> None:
    """An encoder's permutations are permutations of the actions, one a seat."""
    game = trial.game
    for encoder in game.spec.encoders:
        table = Frame(game, encoder).permutation
        if table is not None:
            good = table.shape == (game.seats, game.actions) and (np.sort(table) == np.arange(game.actions)).all()
            trial.require(good, None, f"permutation_{encoder} is not one permutation of the actions for each seat")


def secrets(trial: Trial) -> None:
    """What is redealt for a seat it cannot see: its observation and mask stay, and the game can go on."""
    if not trial.game.spec.hidden:
        return
    dealt_anew = False
    for k, position in enumerate(position for position in trial.positions if position.to_move >= 0):
        for seat in range(trial.game.seats):
            states = position.states.copy()
            trial.kernel(_redeal)(states, seat, _stream(k))
            dealt_anew |= _bytes(states) != _bytes(position.states)
            _check_unseen(trial, position, trial.look(position.seed, states), seat)
        for _ in trial.walk(position.seed, states):
            pass
    trial.require(dealt_anew, None, "redeal changes nothing: is anything hidden?")


def _check_unseen(trial: Trial, position: Position, dealt: Position, seat: int) -> None:
    for field in ("ply", "to_move"):
        same = dealt.states[field] == position.states[field]
        trial.require(same, position, f"redeal for seat {seat} changes {field}")
    for encoder in trial.game.spec.encoders:
        same = trial.observe(position, seat, encoder) == trial.observe(dealt, seat, encoder)
        trial.require(same.all(), position, f"redeal for seat {seat} changes what observe_{encoder} shows to it")
    same = position.to_move != seat or (position.mask == dealt.mask).all()
    trial.require(same, position, f"redeal for seat {seat} changes its own mask")


def chances(trial: Trial) -> None:
    """Probabilities sum to 1, every possible outcome moves on, and outcomes come up as often as they say."""
    events = [position for position in trial.positions if position.to_move == CHANCE]
    met = {trial.odds(position).tobytes(): position for position in events}
    trial.require(met or not trial.game.chance_outcomes, None, "chance_outcomes are declared, but chance had no turn")
    for position in list(met.values())[:4]:
        _compare_frequencies(trial, position)


def _compare_frequencies(trial: Trial, position: Position) -> None:
    expected: Counter[bytes] = Counter()
    p = trial.odds(position)
    for o in np.flatnonzero(p):
        after = position.states.copy()
        trial.kernel(_advance)(after, o)
        trial.require(_bytes(after) != _bytes(position.states), position, f"outcome {o} changes nothing")
        expected[_bytes(after)] += p[o]
    drawn = np.repeat(position.states, DRAWS)
    trial.kernel(_draw)(drawn, _stream(position.seed), np.zeros(trial.game.chance_outcomes))
    found = Counter(_bytes(drawn[i : i + 1]) for i in range(DRAWS))
    trial.require(found.keys() <= expected.keys(), position, "an outcome of probability 0 came up")
    for record, q in expected.items():
        likely = abs(found[record] - DRAWS * q) <= SURE * (DRAWS * q * (1 - q)) ** 0.5 + 1e-6
        trial.require(likely, position, f"an outcome of probability {q:.3f} came up {found[record]} times of {DRAWS}")


def batches(trial: Trial) -> None:
    """A seed names a game: batches of any size on any number of threads and single games agree to the byte."""
    game, seed = trial.game, trial.seeds.start
    one, many = (Batch(game, ROWS, seed, threads=threads, autoreset="same_step") for threads in (1, 3))
    singles = {row: Batch(game, 1, seed + row, autoreset="same_step") for row in (0, ROWS // 2, ROWS - 1)}
    for _ in range(STEPS):
        actions = one.sample()
        answers, others = one.step(actions), many.step(actions)
        same = all((a == b).all() for a, b in zip(answers, others, strict=True)) and _snapshot(one) == _snapshot(many)
        trial.require(same, None, "one thread and several play other games from the same seeds")
        for row, single in singles.items():
            single.step(actions[row : row + 1])
            same = _bytes(single.states) == _bytes(one.states[row : row + 1])
            trial.require(same, None, f"row {row} of a batch of {ROWS} is not the single game of seed {seed + row}")


def isolation(trial: Trial) -> None:
    """Stepping one row changes no byte of another."""
    batch = Batch(trial.game, 3, trial.seeds.start)
    while (batch.to_move >= 0).all():
        before = batch.states[::2]
        batch.step(batch.sample()[1:2], [1])
        trial.require(_bytes(before) == _bytes(batch.states[::2]), None, "stepping row 1 changes other rows")


def histories(trial: Trial) -> None:
    """Equal histories give equal bytes, whoever looks on: scratch fields are zero between calls."""
    game, seed, n = trial.game, trial.seeds.start, len(trial.seeds)
    quiet = Batch(game, n, seed, encoder=None)
    watched = [Batch(game, n, seed, encoder=encoder) for encoder in game.spec.encoders]
    while (rows := np.flatnonzero(quiet.to_move >= 0)).size:
        actions = quiet.sample()[rows]
        quiet.step(actions, rows)
        for batch in watched:
            for seat in range(game.seats):
                batch.observe(seat)
            batch.view()
            batch.step(actions, rows)
            same = _snapshot(batch) == _snapshot(quiet)
            trial.require(same, None, f"equal histories give other bytes where seats look on with {batch.encoder!r}")


def copies(trial: Trial) -> None:
    """A clone, deep copy, pickle or saved file keeps the positions, goes on alike and leaves the original alone."""
    batch = Batch(trial.game, len(trial.seeds), trial.seeds.start, autoreset="same_step")
    for _ in range(min(STEPS, trial.game.longest // 2)):
        batch.step(batch.sample())
    file, loaded = io.BytesIO(), batch.clone()
    np.save(file, batch.states)
    file.seek(0)
    loaded.states = np.load(file)
    twins = {"clone": batch.clone(), "deepcopy": copy.deepcopy(batch), "numpy.save": loaded}
    twins["pickle"] = pickle.loads(pickle.dumps(batch))
    before, ends = _snapshot(batch), set()
    for name, twin in twins.items():
        trial.require(_snapshot(twin) == before, None, f"{name} does not keep the positions")
        for _ in range(STEPS):
            twin.step(twin.sample())
        trial.require(_snapshot(batch) == before, None, f"playing on after {name} changes the original")
        ends.add(_snapshot(twin))
    trial.require(len(ends) == 1, None, "copies of the same positions go on differently")


def refusals(trial: Trial) -> None:
    """An action outside the mask raises and touches nothing, or forfeits with the declared returns."""
    strict, lenient = (Batch(trial.game, 2, trial.seeds.start, illegal=illegal) for illegal in ("raise", "forfeit"))
    while (strict.to_move >= 0).all():
        actions, before = strict.sample(), _snapshot(strict)
        for a in (-1, trial.game.actions, *np.flatnonzero(strict.mask[1] == 0)[:2].tolist()):
            wrong = np.array([actions[0], a])
            try:
                strict.step(wrong)
            except IllegalAction:
                trial.require(_snapshot(strict) == before, None, f"illegal action {a} raises, but changes something")
            else:
                trial.require(False, None, f"illegal action {a} is played")
            _check_forfeit(trial, lenient.clone(), wrong)
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
    good = tables.shape[1:] == (game.actions,) and (np.sort(tables) == np.arange(game.actions)).all()
    trial.require(good, None, "symmetries returns no permutations of the actions")
    for k, table in enumerate(tables[:8]):
        _play_renamed(trial, table, trial.seeds[k % len(trial.seeds)])


def _play_renamed(trial: Trial, table: np.ndarray, seed: int) -> None:
    """Play one random game twice, the second time with every action renamed by `table`."""
    lots, here, there = np.random.default_rng(seed), trial.start(seed), trial.start(seed)
    while True:
        a, b = trial.look(seed, here), trial.look(seed, there)
        same = a.to_move == b.to_move and (b.mask[table] == a.mask).all() and (a.returns == b.returns).all()
        same = same and _planes_renamed(trial, a, b, table)
        trial.require(same, a, f"symmetry {table} makes this another game:\n{trial.report(b, 'the other')}\n")
        if a.to_move < CHANCE:
            return
        decides = a.to_move >= 0
        choice = lots.choice(np.flatnonzero(a.mask if decides else trial.odds(a)))
        trial.kernel(_advance)(here, choice)
        trial.kernel(_advance)(there, table[choice] if decides else choice)


def _planes_renamed(trial: Trial, a: Position, b: Position, table: np.ndarray) -> bool:
    """Action i is cell i of the planes: where the table moves cells to cells, the planes move with them."""
    shape = trial.game.shape("planes")
    cells = int(np.prod(shape[1:]))
    if cells > table.size or (table[:cells] >= cells).any():
        return True
    x, y = (trial.observe(position, 0, "planes").reshape(shape[0], cells) for position in (a, b))
    return bool((y[:, table[:cells]] == x).all())


ITEMS = (
    starts, results, keys, texts, drawings, observations, frames, secrets, chances, batches, isolation, histories,
    copies, refusals, symmetries,
)  # fmt: skip
"""Every promise, as a function of a `Trial`."""
