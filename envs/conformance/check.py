"""Conformance: what every game owes the engine, checked on random games. Authors of new games call `check_game`.

`pieces` looks for everything a game's folder must hold; a `Probe` plays random games and watches masks and plies; then
each function in `ITEMS` checks one promise. A broken one is a `GameError` with game, seed, ply and diagram.
"""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..engine import protocol
from ..engine.batch import Batch
from ..engine.bind import PLAYERS, home_of, kernel_names
from ..engine.errors import BoyiError, IllegalAction
from ..engine.protocol import CHANCE, OVER
from ..engine.spec import Game, Spec, find
from ..faces.frame import Frame
from ..faces.symmetry import symmetries as shown_images
from .kernels import advance_one, draw_rows, redeal_one
from .oracle import Oracle, compare
from .players import evaluations, policies, proofs, rollouts
from .random_games import GameError, Position, Probe, field_bytes, open_stream
from .rules_page import check_page
from .tampering import tampering, validity

DRAWS = 2000  # taken from one chance event to compare frequencies
SURE = 5.0  # standard deviations by which a frequency may be off; chance alone exceeds it once in a million events
ROWS, STEPS = 257, 40  # size of the batches that threads share, and how long copies and batches are played
_PIECES = {
    "rules": ("state_dtype", "blank", "reset", "legal", "step", "returns", "key"),
    "encode": (),
    "valid": ("flaw",),
    "text": ("name", "parse", "diagram", "read"),
    "draw": ("svg",),
}


def check_game(
    game: str | Spec | Game,
    games: int = 20,
    seed: int = 0,
    *,
    oracle: type[Oracle] | None = None,
    report: Callable[[Game, str], None] | None = None,
) -> None:
    """Check a game, or every tested parameter set of a spec, on `games` random games each; `GameError` if it fails.

    With an `oracle`, see `Oracle`, the two are compared at every ply as well. `report` is called with each game and
    promise before it is checked.
    """
    chosen = [Game.bind(game, params) for params in game.tested] if isinstance(game, Spec) else [find(game)]
    for each in chosen:
        pieces(each)
        probe = Probe(each, games, seed)
        items: list[tuple[str, Callable[[Probe], None]]] = [(item.__name__, item) for item in ITEMS]
        if oracle is not None:
            items.append(("oracle", partial(compare, oracle=oracle)))
        for name, item in items:
            if report is not None:
                report(each, name)
            item(probe)
    check_page(chosen[0].spec)
    light_drawing(chosen[0])


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
    for part in (*_PIECES, *dict.fromkeys(PLAYERS.values())):
        _check_names(game, part)
    _expect_rules_of_records(game)
    _expect("planes" in game.spec.encoders, game, "there is no encoder 'planes'")
    dtype = game.module("rules").state_dtype(**game.params)
    for name, kind in (("to_move", np.dtype(np.int8)), ("ply", np.dtype(np.int32))):
        _expect(dict(dtype.fields or {}).get(name, (None,))[0] == kind, game, f"its record has no {kind} {name!r}")
    _expect(dtype.isalignedstruct and not dtype.hasobject, game, "its record is not aligned, or holds Python objects")
    _expect(game.blank.shape == (1,) and game.dtype == dtype, game, "blank() is not one record of its state_dtype()")


def light_drawing(game: Game) -> None:
    """Raise `GameError` where drawing a position would import Numba: pictures are wanted where nothing is played."""
    code = f"import sys, {game.spec.package}.draw; sys.exit('numba' in sys.modules)"
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True)
    _expect(done.returncode == 0, game, "its draw.py cannot be imported, or imports Numba with it")


def _check_names(game: Game, part: str) -> None:
    """Raise `GameError` for a module that uses a name of the protocol, meant for another module, for its own function.

    `bind` takes what ``rules.py`` has under such a name for the protocol's, wherever it was imported from.
    """
    if not game.has(part):
        return
    module = game.module(part)
    for name in kernel_names():
        home = home_of(name)
        found = getattr(module, name, None)
        own = part == "rules" or getattr(found, "__module__", None) == module.__name__
        alien = found is not None and own and getattr(found, "__module__", None) != protocol.__name__
        _expect(part == home or not alien, game, f"{name!r} in its {part}.py is a name of the protocol, of {home}.py")


def _expect_rules_of_records(game: Game) -> None:
    module = _module(game, "valid")
    flaws, constants = getattr(module, "FLAWS", None), getattr(module, "CONSTANTS", None)
    told = isinstance(flaws, tuple) and flaws and all(isinstance(flaw, str) for flaw in flaws)
    _expect(told, game, "there is no tuple 'FLAWS' of what its records must be in its valid.py")
    known = isinstance(constants, tuple) and set(constants) <= set(game.dtype.names or ())
    _expect(known, game, "there is no tuple 'CONSTANTS' of fields of its record in its valid.py")


def _module(game: Game, part: str) -> Any:
    try:
        return game.module(part)
    except ModuleNotFoundError as error:
        _expect(error.name != f"{game.spec.package}.{part}", game, f"there is no {part}.py")
        raise


def _expect(promise: Any, game: Game, failure: str) -> None:
    if not promise:
        raise GameError(f"game {game}: {failure}")


def _snapshot(batch: Batch) -> tuple[bytes, ...]:
    return field_bytes(batch.states), batch.mask.tobytes(), batch.sample().tobytes()


# The promises


def starts(probe: Probe) -> None:
    """The declared seat decides first, at ply 0, and the same seed deals the same start."""
    for seed in probe.seeds:
        states = probe.start(seed)
        first = next(position for position in probe.walk(seed, states) if position.to_move != CHANCE)
        seat = probe.game.first_seat
        good = first.to_move == seat and first.states["ply"][0] == 0
        probe.require(good, first, f"seat {seat} does not move first, at ply 0")
        probe.require(field_bytes(states) == field_bytes(probe.start(seed)), first, "the same seed deals two starts")


def results(probe: Probe) -> None:
    """Returns are zero before the end, and at the end in range and, where declared, zero-sum."""
    low, high, zero_sum = probe.game.low, probe.game.high, probe.game.spec.zero_sum
    for position in probe.positions:
        r = position.returns
        probe.require((r == 0).all() or position.to_move < CHANCE, position, f"returns {r} are not zero before the end")
        probe.require(((r >= low) & (r <= high)).all(), position, f"returns {r} are not all in [{low}, {high}]")
        probe.require(not zero_sum or abs(r.sum()) < 1e-5, position, f"returns {r} do not sum to zero")


def keys(probe: Probe) -> None:
    """Positions with one key have one seat to move and one mask."""
    known: dict[int, Position] = {}
    for position in probe.positions:
        twin = known.setdefault(position.key, position)
        same = twin.to_move == position.to_move and (twin.mask == position.mask).all()
        probe.require(same, position, partial(_beside, probe, "key takes this position for another", twin))


def texts(probe: Probe) -> None:
    """A name is unique and `parse` takes it back; `read` takes back a diagram; both refuse nonsense."""
    text = probe.game.module("text")
    for position in probe.positions:
        state = position.states[0]
        with probe.blame(position, "name or parse"):
            names = {text.name(state, a): a for a in np.flatnonzero(position.mask).tolist()}
            probe.require(len(names) == position.mask.sum(), position, "name gives two legal actions one name")
            for name, a in names.items():
                probe.require(
                    text.parse(state, name) == a, position, f"parse({name!r}) is not action {a}, which has that name"
                )
        with probe.blame(position, "diagram or read"):
            diagram = text.diagram(state)
            back = text.read(diagram)
            same = back.dtype == position.states.dtype and text.diagram(back[0]) == diagram
            probe.require(same, position, "read(diagram(s)) has another diagram or dtype")
            probe.require(
                probe.look(position.seed, back).key == position.key, position, "key(read(diagram(s))) != key(s)"
            )
    state = probe.positions[0].states[0]
    for name, call in {"parse": lambda: text.parse(state, "?!"), "read": lambda: text.read("?!")}.items():
        with probe.blame(probe.positions[0], name):
            _must_refuse(probe, name, call)


def _must_refuse(probe: Probe, name: str, call: Any) -> None:
    try:
        call()
    except BoyiError:
        return
    probe.require(False, probe.positions[0], f"{name} takes nonsense instead of raising BoyiError")


def drawings(probe: Probe) -> None:
    """`svg` draws a start, an end and a position between them as one SVG document."""
    for position in probe.positions[:: max(1, len(probe.positions) // 2)]:
        with probe.blame(position, "svg"):
            root = ElementTree.fromstring(probe.game.module("draw").svg(position.states[0]))
            probe.require(root.tag.endswith("svg"), position, "svg returns no SVG document")


def observations(probe: Probe) -> None:
    """Every number of an observation is written, whatever the buffer held, and in [0, 1]."""
    for position in probe.positions:
        for encoder in probe.game.spec.encoders:
            for seat in range(probe.game.seats):
                x, again = (probe.observe(position, seat, encoder, filling) for filling in (np.nan, 0.5))
                whose = f"observe_{encoder} for seat {seat}"
                probe.require(not np.isnan(x).any(), position, f"{whose} leaves numbers unwritten")
                probe.require(((x >= 0) & (x <= 1)).all(), position, f"{whose} writes numbers outside [0, 1]")
                probe.require((x == again).all(), position, f"{whose} depends on what the buffer held")


def frames(probe: Probe) -> None:
    """An encoder's permutations are permutations of the actions, one per seat."""
    game = probe.game
    for encoder in game.spec.encoders:
        table = Frame(game, encoder).permutation
        if table is not None:
            good = table.shape == (game.seats, game.actions) and (np.sort(table) == np.arange(game.actions)).all()
            probe.require(good, None, f"permutation_{encoder} is not one permutation of the actions for each seat")


def secrets(probe: Probe) -> None:
    """A redeal for a seat depends on nothing it cannot see: its observation and mask stay, and the game can go on."""
    if not probe.game.spec.hidden:
        return
    dealt_anew = False
    for k, position in enumerate(position for position in probe.positions if position.to_move >= 0):
        for seat in range(probe.game.seats):
            states, again = position.states.copy(), position.states.copy()
            probe.kernel(redeal_one)(states, seat, open_stream(k))
            dealt_anew |= field_bytes(states) != field_bytes(position.states)
            _check_unseen(probe, position, probe.look(position.seed, states), seat)
            dealt = states.copy()
            for each in (again, dealt):
                probe.kernel(redeal_one)(each, seat, open_stream(k + 1))
            same = field_bytes(again) == field_bytes(dealt)
            probe.require(same, position, f"redeal for seat {seat} depends on what it hides")
        for _ in probe.walk(position.seed, states):
            pass
    probe.require(dealt_anew, None, "redeal changes nothing: is anything hidden?")


def _check_unseen(probe: Probe, position: Position, dealt: Position, seat: int) -> None:
    for field in ("ply", "to_move"):
        same = dealt.states[field] == position.states[field]
        probe.require(same, position, f"redeal for seat {seat} changes {field}")
    for encoder in probe.game.spec.encoders:
        same = probe.observe(position, seat, encoder) == probe.observe(dealt, seat, encoder)
        probe.require(same.all(), position, f"redeal for seat {seat} changes what observe_{encoder} shows to it")
    same = position.to_move != seat or (position.mask == dealt.mask).all()
    probe.require(same, position, f"redeal for seat {seat} changes its own mask")


def chances(probe: Probe) -> None:
    """Probabilities sum to 1, every possible outcome changes the record, and outcomes come as often as they say."""
    events = [position for position in probe.positions if position.to_move == CHANCE]
    met = {probe.odds(position).tobytes(): position for position in events}
    probe.require(met or not probe.game.chance_outcomes, None, "chance_outcomes are declared, but chance had no turn")
    for position in list(met.values())[:4]:
        _compare_frequencies(probe, position)


def _compare_frequencies(probe: Probe, position: Position) -> None:
    expected: Counter[bytes] = Counter()
    p = probe.odds(position)
    for o in np.flatnonzero(p):
        after = position.states.copy()
        probe.kernel(advance_one)(after, o)
        probe.require(field_bytes(after) != field_bytes(position.states), position, f"outcome {o} changes nothing")
        expected[field_bytes(after)] += p[o]
    drawn = np.repeat(position.states, DRAWS)
    probe.kernel(draw_rows)(drawn, open_stream(position.seed), np.zeros(probe.game.chance_outcomes))
    found = Counter(field_bytes(drawn[i : i + 1]) for i in range(DRAWS))
    probe.require(found.keys() <= expected.keys(), position, "an outcome of probability 0 came up")
    for record, q in expected.items():
        likely = abs(found[record] - DRAWS * q) <= SURE * (DRAWS * q * (1 - q)) ** 0.5 + 1e-6
        probe.require(likely, position, f"an outcome of probability {q:.3f} came up {found[record]} times of {DRAWS}")


def batches(probe: Probe) -> None:
    """A seed names a game: batches of any size on any number of threads and single games agree to the byte."""
    game, seed = probe.game, probe.seeds.start
    one, many = (Batch(game, ROWS, seed, threads=threads, autoreset="same_step") for threads in (1, 3))
    singles = {row: Batch(game, 1, seed + row, autoreset="same_step") for row in (0, ROWS // 2, ROWS - 1)}
    for _ in range(STEPS):
        actions = one.sample()
        answers, others = one.step(actions), many.step(actions)
        same = all((a == b).all() for a, b in zip(answers, others, strict=True)) and _snapshot(one) == _snapshot(many)
        probe.require(same, None, "one thread and several play different games from the same seeds")
        for row, single in singles.items():
            single.step(actions[row : row + 1])
            same = field_bytes(single.states) == field_bytes(one.states[row : row + 1])
            probe.require(same, None, f"row {row} of a batch of {ROWS} is not the single game of seed {seed + row}")


def isolation(probe: Probe) -> None:
    """Stepping one row changes no byte of another."""
    batch = Batch(probe.game, 3, probe.seeds.start)
    while (batch.to_move >= 0).all():
        before = batch.states[::2]
        batch.step(batch.sample()[1:2], [1])
        probe.require(field_bytes(before) == field_bytes(batch.states[::2]), None, "stepping row 1 changes other rows")


def histories(probe: Probe) -> None:
    """Equal histories give equal bytes, whichever seats observe: scratch fields are zero between calls."""
    game, seed, n = probe.game, probe.seeds.start, len(probe.seeds)
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
            probe.require(same, None, f"equal histories give other bytes where seats look on with {batch.encoder!r}")


def copies(probe: Probe) -> None:
    """A clone, deep copy, pickle or saved file keeps the positions, goes on alike and leaves the original alone."""
    batch = Batch(probe.game, len(probe.seeds), probe.seeds.start, autoreset="same_step")
    for _ in range(min(STEPS, probe.game.longest // 2)):
        batch.step(batch.sample())
    file, loaded = io.BytesIO(), batch.clone()
    np.save(file, batch.states)
    file.seek(0)
    loaded.states = np.load(file)
    twins = {"clone": batch.clone(), "deepcopy": copy.deepcopy(batch), "numpy.save": loaded}
    twins["pickle"] = pickle.loads(pickle.dumps(batch))
    before, ends = _snapshot(batch), set()
    for name, twin in twins.items():
        probe.require(_snapshot(twin) == before, None, f"{name} does not keep the positions")
        for _ in range(STEPS):
            twin.step(twin.sample())
        probe.require(_snapshot(batch) == before, None, f"playing on after {name} changes the original")
        ends.add(_snapshot(twin))
    probe.require(len(ends) == 1, None, "copies of the same positions go on differently")


def refusals(probe: Probe) -> None:
    """An action outside the mask raises and touches nothing, or forfeits with the declared returns."""
    strict, lenient = (Batch(probe.game, 2, probe.seeds.start, illegal=illegal) for illegal in ("raise", "forfeit"))
    while (strict.to_move >= 0).all():
        actions, before = strict.sample(), _snapshot(strict)
        for a in (-1, probe.game.actions, *np.flatnonzero(strict.mask[1] == 0)[:2].tolist()):
            wrong = np.array([actions[0], a])
            try:
                strict.step(wrong)
            except IllegalAction:
                probe.require(_snapshot(strict) == before, None, f"illegal action {a} raises, but changes something")
            else:
                probe.require(False, None, f"illegal action {a} is played")
            _check_forfeit(probe, lenient.clone(), wrong)
        strict.step(actions)
        lenient.step(actions)


def _check_forfeit(probe: Probe, batch: Batch, actions: np.ndarray) -> None:
    offender = batch.to_move[1]
    loss, other = probe.game.spec.forfeit(**probe.game.params)
    rewards, over, _ = batch.step(actions)
    wanted = [loss if seat == offender else other for seat in range(probe.game.seats)]
    good = over[1] and batch.to_move[1] == OVER and not batch.mask[1].any() and np.allclose(rewards[1], wanted)
    probe.require(good, None, f"an illegal action of seat {offender} gives {rewards[1]}, not {wanted} and the end")


def symmetries(probe: Probe) -> None:
    """Where rules.py has ``symmetries(**params)``: each row renames the actions, and the renamed game is the same.

    Where the start differs, ``image(states, k)`` of rules.py puts records (n,) into the k-th image, from which the
    renamed game starts.
    """
    tables = _renamings(probe.game)
    probe.require(_permute(tables, probe.game.actions), None, "symmetries returns no permutations of the actions")
    for k, table in enumerate(tables[:8]):
        for _ in _renamed(probe, table, k):
            pass


def images(probe: Probe) -> None:
    """Every encoder of a game with symmetries shows the images that `symmetry.symmetries` gives, in its own frame.

    A game that declares them for its encoders only, because its start or its chance events change with them, is
    compared with its images by tests of its own.
    """
    tables = _renamings(probe.game)
    if not len(tables) and not hasattr(probe.game.module("encode"), "symmetries"):
        return
    for encoder in probe.game.spec.encoders:
        numbers, actions = _shown(probe, encoder)
        probe.require(len(tables) in (0, len(actions)), None, f"{encoder} does not have as many images as the rules")
        for k, table in enumerate(tables[:8]):
            for a, b in _renamed(probe, table, k):
                same = _look_alike(probe, a, b, encoder, numbers[k], actions[k])
                failure = f"{encoder} does not show the image that its symmetries give"
                probe.require(same, a, partial(_beside, probe, failure, b))


def _renamings(game: Game) -> np.ndarray:
    make = getattr(game.module("rules"), "symmetries", None)
    return np.empty((0, game.actions), int) if make is None else make(**game.params)


def _permute(tables: np.ndarray, n: int) -> bool:
    return tables.shape[1:] == (n,) and bool((np.sort(tables) == np.arange(n)).all())


def _shown(probe: Probe, encoder: str) -> tuple[np.ndarray, np.ndarray]:
    """Find the images that an encoder shows."""
    try:
        numbers, actions = shown_images(probe.game, encoder)
    except BoyiError as error:
        raise GameError(probe.report(None, str(error))) from None
    size = int(np.prod(probe.game.shape(encoder)))
    good = _permute(numbers, size) and _permute(actions, probe.game.actions) and len(numbers) == len(actions)
    probe.require(good, None, f"the symmetries of {encoder} are no permutations of numbers and actions")
    good = (numbers[0] == np.arange(size)).all() and (actions[0] == np.arange(probe.game.actions)).all()
    probe.require(good, None, f"the first of the symmetries of {encoder} is not the identity")
    return numbers, actions


def _renamed(probe: Probe, table: np.ndarray, k: int) -> Iterator[tuple[Position, Position]]:
    """Play one random game twice, the second time as its k-th image, every action renamed by `table`; yield both."""
    seed = probe.seeds[k % len(probe.seeds)]
    generator, here, there = np.random.default_rng(seed), probe.start(seed), probe.start(seed)
    image = getattr(probe.game.module("rules"), "image", None)
    if image is not None:
        there = image(there, k)
    while True:
        a, b = probe.look(seed, here), probe.look(seed, there)
        same = a.to_move == b.to_move and (b.mask[table] == a.mask).all() and (a.returns == b.returns).all()
        probe.require(same, a, partial(_beside, probe, f"symmetry {k} makes this another game", b))
        yield a, b
        if a.to_move < CHANCE:
            return
        decides = a.to_move >= 0
        choice = generator.choice(np.flatnonzero(a.mask if decides else probe.odds(a)))
        here, there = here.copy(), there.copy()
        probe.kernel(advance_one)(here, choice)
        probe.kernel(advance_one)(there, table[choice] if decides else choice)


def _beside(probe: Probe, failure: str, other: Position) -> str:
    """Say what is wrong with a position beside another, its image or twin, which is reported too."""
    return f"{failure}:\n{probe.report(other, 'the other')}\n"


def _look_alike(probe: Probe, a: Position, b: Position, encoder: str, numbers: np.ndarray, actions: np.ndarray) -> bool:
    """Compare what every seat sees of a position and its image, and their masks in the frame of the seat to move."""
    frame = Frame(probe.game, encoder)
    masks = [frame.mask(position.mask, position.to_move) for position in (a, b)]
    same = bool((masks[1][actions] == masks[0]).all())
    for seat in range(probe.game.seats):
        x, y = (probe.observe(position, seat, encoder).ravel() for position in (a, b))
        same = same and bool((y[numbers] == x).all())
    return same


ITEMS = (
    starts, results, keys, texts, drawings, observations, frames, secrets, chances, validity, batches, isolation,
    histories, copies, refusals, symmetries, images, tampering, evaluations, proofs, policies, rollouts,
)  # fmt: skip
"""Every promise, as a function of a `Probe`."""
