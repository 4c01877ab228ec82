"""`check_game` can fail: broken copies of the toy and a broken engine are caught by messages that name the fault.

The copies are played in one process without JIT, where nothing has to be compiled.
"""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import toy
from places import SUPPORT

from boyi.envs import Batch, find
from boyi.envs.conformance import check
from boyi.envs.conformance import tampering as tamper
from boyi.envs.conformance.check import GameError, check_game

TOY = SUPPORT / "toy"
PARAMS = {"side": 2, "spare": 1}  # small, and large enough for every fault to show in a few games


class Fault(NamedTuple):
    """One edit of one file of the toy, and what `check_game` must say about it. With `old` empty, the file goes."""

    file: str
    old: str
    new: str
    says: str


FAULTS = {
    "no rules": Fault("rules.py", "", "", "there is no rules.py"),
    "no drawing": Fault("draw.py", "", "", "there is no draw.py"),
    "no page": Fault("RULES.md", "", "", "there is no RULES.md"),
    "no valid": Fault("valid.py", "", "", "there is no valid.py"),
    "no flaw": Fault("valid.py", "def flaw(", "def sound(", "there is no 'flaw' in its valid.py"),
    "no flaws": Fault("valid.py", "FLAWS = (", "FAULTS = (", "there is no tuple 'FLAWS'"),
    "no constant": Fault("valid.py", '("limit",)', '("ply",)', "valid.py refuses what play has led to"),
    "no such constant": Fault("valid.py", '("limit",)', '("bound",)', "there is no tuple 'CONSTANTS' of fields"),
    "no key": Fault("rules.py", "def key(", "def kee(", "there is no 'key' in its rules.py"),
    "no redeal": Fault("rules.py", "redeal(s", "shuffle(s", "there is no 'redeal' in its rules.py"),
    "no resolve": Fault("rules.py", "def resolve(", "def solve(", "there is no 'resolve' in its rules.py"),
    "a name of the protocol": Fault(
        "rules.py",
        "@kernel\ndef key(",
        "@kernel\ndef follow(a, b):\n    return a\n\n\n@kernel\ndef key(",
        "'follow' in its rules.py is a name of the protocol, of evaluate.py",
    ),
    "a name that was imported": Fault(
        "rules.py",
        "import numpy as np\n",
        "import numpy as np\nfrom math import fsum as tactics\n",
        "'tactics' in its rules.py is a name of the protocol, of evaluate.py",
    ),
    "a rule elsewhere": Fault(
        "text.py",
        "def diagram(",
        "def step(s):\n    return s\n\n\ndef diagram(",
        "'step' in its text.py is a name of the protocol, of rules.py",
    ),
    "no diagram": Fault("text.py", "def diagram(", "def show(", "there is no 'diagram' in its text.py"),
    "no encoder": Fault(
        "encode.py", "def observe_turned(", "def turned(", "there is no 'observe_turned' in its encode.py"
    ),
    "no planes": Fault("__init__.py", '"planes": _shape, ', "", "there is no encoder 'planes'"),
    "wide ply": Fault("rules.py", '("ply", "i4")', '("ply", "i8")', "its record has no int32 'ply'"),
    "two blanks": Fault("rules.py", "np.zeros(1,", "np.zeros(2,", "blank() is not one record"),
    "mask of twos": Fault("rules.py", "= s.ring[i] == 0", "= 2 * (s.ring[i] == 0)", "not with 0 and 1"),
    "old mask": Fault(
        "rules.py", "    mask[:] = 0\n    if s.to_move < 0:", "    if s.to_move < 0:", "was not all written"
    ),
    "miscount": Fault("rules.py", "return s.empty + mask[n]", "return s.empty", "actions, the mask holds"),
    "empty mask": Fault("rules.py", "if s.to_move < 0:", "if s.to_move != 0:", "there are 0 legal actions here"),
    "late mask": Fault("rules.py", "if s.to_move < 0:", "if s.to_move == OVER:", "legal actions here"),
    "no such seat": Fault("rules.py", "s.turn = (s.turn + 1) % SEATS", "s.turn += 1", "to_move is no seat"),
    "ply": Fault("rules.py", "s.ply += 1", "s.ply += 2", "ply rises by 2"),
    "too long": Fault("__init__.py", "SEATS * side + spare)", "SEATS * side - 1)", "longer than the longest game, 5"),
    "undeclared": Fault("__init__.py", "chance_outcomes=_outcomes,", "", "declares no chance_outcomes"),
    "die": Fault("rules.py", "1.0 / 3.0)", "1.0 / 2.0)", "do not sum to 1"),
    "loaded die": Fault(
        "rules.py",
        "p[0], p[1] = DIE",
        "p[0] = 0.8 if np.isnan(p[0]) else 0.2\n        p[1] = 1 - p[0]",
        "an outcome of probability 0.",
    ),
    "idle outcome": Fault(
        "rules.py",
        "s.stones = o + 1\n",
        "s.stones = o\n        if o == 0:\n            return\n",
        "outcome 0 changes nothing",
    ),
    "endless chance": Fault("rules.py", "s.stones = o + 1\n", "return\n", "1000 chance events follow each other"),
    "seat 1 first": Fault(
        "rules.py", "    s.to_move = CHANCE\n\n\n", "    s.turn = 1\n    s.to_move = CHANCE\n\n\n", "seat 0"
    ),
    "unseeded": Fault(
        "rules.py", "NOBODY, rng)", "NOBODY, np.random.randint(0, 99, 2).astype(np.uint64))", "two starts"
    ),
    "early returns": Fault("rules.py", "if s.empty > 0:", "if s.empty > 9:", "are not zero before the end"),
    "too much": Fault("rules.py", "SEATS / winners - 1.0", "SEATS / winners", "are not all in [-1.0, 2.0]"),
    "not zero-sum": Fault("rules.py", "== best else -1.0", "== best else -0.5", "do not sum to zero"),
    "returns write": Fault("rules.py", "    r[:] = 0.0\n", "    r[:] = 0.0\n    s.limit += 1\n", "changes the record"),
    "one key": Fault(
        "rules.py", "return h ^", "return np.uint64(5) | np.uint64(0) *", "key takes this position for another"
    ),
    "one name": Fault("text.py", "else str(a + 1)", "else str(a // 2 + 1)", "gives two legal actions one name"),
    "parse": Fault("text.py", "int(word) - 1", "int(word) % 6", "parse('1') is not action 0"),
    "nonsense": Fault(
        "text.py", '    raise BoyiError(f"no action', '    return 0\n    raise BoyiError(f"no', "parse takes nonsense"
    ),
    "read": Fault("text.py", "s[field] = int(values[field])", "s[field] = 0", "diagram or read raises"),
    "lost field": Fault("text.py", '".ABC"', '".ABB"', "key(read(diagram(s))) != key(s)"),
    "svg": Fault("draw.py", "return document", 'return "<svg>" + document', "svg raises"),
    "unwritten": Fault(
        "encode.py", "    x[SEATS] = s.stones / 2.0\n", "", "observe_planes for seat 0 leaves numbers unwritten"
    ),
    "out of range": Fault("encode.py", "s.stones / 2.0", "s.stones / 1.0", "writes numbers outside [0, 1]"),
    "observer": Fault(
        "encode.py", "    x[SEATS] =", "    s.limit += 1\n    x[SEATS] =", "observe_planes changes the record"
    ),
    "leak": Fault("encode.py", "s.place[card] == seat + 1", "s.place[card] > 0", "changes what observe_planes shows"),
    "own card": Fault("rules.py", "if q != seat and card", "if card", "changes what observe_planes shows"),
    "no secret": Fault("rules.py", "if q != seat and card", "if seat == NOBODY and card", "redeal changes nothing"),
    "redealt ply": Fault(
        "rules.py",
        "            holders +=",
        "            s.ply += seat != NOBODY\n            holders +=",
        "changes ply",
    ),
    "kept secret": Fault(
        "rules.py",
        "holders += 1 << q",
        "holders += 1 << q\n            rng[0] += np.uint64(card)",
        "depends on what it hides",
    ),
    "redealt mask": Fault(
        "rules.py", "mask[n] = in_deck(s) > 0", "mask[n] = s.place[0] == DECK", "changes its own mask"
    ),
    "takes everything": Fault(
        "valid.py", "empty, gone = 0, 0", "return -1\n    empty, gone = 0, 0", "is taken for a position, but"
    ),
    "trusts a count": Fault("valid.py", "s.empty != empty", "s.empty < empty", "bytes in empty is taken for"),
    "trusts a byte": Fault("valid.py", "s.ring[i] < 0", "s.ring[s.ring[i]] < 0", "flaw raises IndexError"),
    "too many flaws": Fault("valid.py", "return 7", "return 17", "flaw returns 17"),
    "refuses a forfeit": Fault(
        "valid.py",
        "s.to_move == OVER or s.to_move == s.turn",
        "s.to_move == s.turn",
        "what a forfeit has led to",
    ),
    "refuses a draw": Fault(
        "valid.py",
        "return 7\n    return -1",
        "return 7\n    return -1 if s.to_move + s.stones <= 0 else 6",
        "diagram or read raises BoyiError",
    ),
    "reads anything": Fault("text.py", "flaw(s.view(np.recarray)[0]) < 0 and ", "", "read takes what valid.py refuses"),
    "permutation": Fault(
        "encode.py", "arange(SEATS)[:, None]) % cells", "arange(SEATS)[:, None]) % 5", "permutation_turned"
    ),
    "no symmetry": Fault(
        "rules.py",
        "(np.arange(cells)[:, None] + np.arange(cells)) % cells",
        "[[3, 1, 2, 0, *range(4, cells)]] * cells",
        "another game",
    ),
    "no identity": Fault(
        "rules.py", "+ np.arange(cells)) % cells", "+ np.arange(1, cells + 1)) % cells", "planes is not the identity"
    ),
    "no permutations": Fault("rules.py", "np.full(cells, cells)]", "np.zeros(cells, int)]", "no permutations"),
}


def broken(name: str, folder: Path) -> str:
    """Copy the toy with a fault into a package of its own; return the package's name."""
    fault, package = FAULTS[name], f"toy_with_{name.replace(' ', '_').replace('-', '_')}"
    shutil.copytree(TOY, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / package / fault.file
    source = path.read_text()
    assert fault.old in source
    if fault.old:
        path.write_text(source.replace(fault.old, fault.new))
    else:
        path.unlink()
    return package


def verdict(package: str) -> str:
    """Check a package's game; return what is wrong with it."""
    try:
        check_game(find(importlib.import_module(package).SPEC, **PARAMS), games=6)
    except GameError as error:
        return str(error)
    except Exception:
        return traceback.format_exc()
    return "nothing is wrong"


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Check every broken copy, and the toy as it is, without JIT."""
    folder = tmp_path_factory.mktemp("faults")
    packages = {name: broken(name, folder) for name in FAULTS}
    path = os.pathsep.join([str(folder), str(TOY.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    command = [sys.executable, __file__, "toy", *packages.values()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return {"toy": told["toy"], **{name: told[package] for name, package in packages.items()}}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_game_is_told_what_is_wrong(name: str, verdicts: dict[str, str]) -> None:
    assert FAULTS[name].says in verdicts[name]
    assert "toy" in verdicts[name]


def test_the_toy_is_told_that_nothing_is(verdicts: dict[str, str]) -> None:
    assert verdicts["toy"] == "nothing is wrong"


def test_a_message_holds_parameters_seed_ply_and_diagram(verdicts: dict[str, str]) -> None:
    head, *diagram = verdicts["early returns"].splitlines()
    assert head.startswith("game toy:side=2,spare=1, seed 0, ply 0: returns [")
    assert diagram == ["ring ......  cards cb-a", "ply 0  limit 0  to_move -1  turn 0  stones 0"]


# What the engine promises for every game

init, step, observe, clone = Batch.__init__, Batch.step, Batch.observe, Batch.clone


def other_seed(self: Batch, game: Any, n: int = 1, seed: Any = None, **options: Any) -> None:
    init(self, game, n, seed + (options.get("threads") == 3), **options)


def other_row(self: Batch, game: Any, n: int = 1, seed: Any = None, **options: Any) -> None:
    init(self, game, n, seed + (n == 1), **options)


def lenient(self: Batch, *args: Any, **options: Any) -> None:
    init(self, *args, **{**options, "illegal": "forfeit"})


def no_penalty(self: Batch, *args: Any, **options: Any) -> None:
    init(self, *args, **options)
    self._penalty[:] = 0.0


def step_another(self: Batch, actions: Any, rows: Any = None) -> Any:
    step(self, self.sample()[:1], [0])
    return step(self, actions, rows)


def touch_first(self: Batch, actions: Any, rows: Any = None) -> Any:
    self._states["stones"] += 1
    return step(self, actions, rows)


def observe_and_touch(self: Batch, *args: Any) -> Any:
    self._states["stones"] += 1
    return observe(self, *args)


def reseeded(self: Batch) -> Batch:
    twin = clone(self)
    twin._seeds += np.uint64(1)
    return twin


def start_over(self: Batch, *_: Any) -> Any:
    return Batch, (self.game, self.n, 0)


ENGINE = {
    "threads": ("__init__", other_seed, check.batches, "one thread and several play different games"),
    "rows": ("__init__", other_row, check.batches, "row 0 of a batch of 257 is not the single game of seed 0"),
    "isolation": ("step", step_another, check.isolation, "stepping row 1 changes other rows"),
    "history": ("observe", observe_and_touch, check.histories, "equal histories give other bytes where seats look on"),
    "clone": ("clone", lambda self: self, check.copies, "playing on after clone changes the original"),
    "reseeded": ("clone", reseeded, check.copies, "copies of the same positions go on differently"),
    "deepcopy": (
        "__deepcopy__",
        lambda self, memo: Batch(self.game, self.n, 99),
        check.copies,
        "deepcopy does not keep",
    ),
    "pickle": ("__reduce__", start_over, check.copies, "pickle does not keep the positions"),
    "played": ("__init__", lenient, check.refusals, "illegal action -1 is played"),
    "touched": ("step", touch_first, check.refusals, "illegal action -1 raises, but changes something"),
    "unpunished": ("__init__", no_penalty, check.refusals, "not [-1.0, 0.5, 0.5] and the end"),
}


@pytest.mark.parametrize("name", ENGINE)
def test_a_broken_engine_is_told_what_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attribute, broken_one, item, says = ENGINE[name]
    probe = check.Probe(find(toy.SPEC), games=4)
    item(probe)
    monkeypatch.setattr(Batch, attribute, broken_one)
    with pytest.raises(GameError, match=re.escape(says)):
        item(probe)


def test_a_constant_that_is_not_declared_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = check.Probe(find(toy.SPEC, side=2, limit=4), games=4)
    check.validity(probe)
    monkeypatch.setattr(probe.game.module("valid"), "CONSTANTS", ())
    with pytest.raises(GameError, match="limit stays as blank"):
        check.validity(probe)


if __name__ == "__main__":
    # Plain Python is slow: smaller batches, fewer draws.
    check.ROWS, check.STEPS, check.DRAWS = 5, 4, 300
    tamper.POSITIONS, tamper.CHANGES, tamper.PLAYED = 3, 200, 60
    print(json.dumps({package: verdict(package) for package in sys.argv[1:]}))
