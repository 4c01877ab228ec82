"""The tests of a game must notice a bug in it: every one-line bug of its ``<game>_mutants.py`` is caught by a check.

``pytest --write`` notes in the game's ``killers.json`` which test has caught which.
"""

import json
import re
from pathlib import Path

import pytest
from places import ROOT, of_game

from boyi.envs import BoyiError, find, games
from boyi.envs.conformance.mutants import KILLERS, UNCHANGED, Mutant, judge, mutants_of, told

HEX = find("hex").spec


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_every_mutant_is_killed(game: str, request: pytest.FixtureRequest) -> None:
    """An unchanged copy passes the game's tests, and in every broken one a check fails."""
    spec, tests = find(game).spec, of_game(game)
    unchanged, *found = judge(spec, tests, [UNCHANGED, *mutants_of(spec, tests)], ROOT)
    assert unchanged.outcome == "survived", told(unchanged)
    others = [told(verdict) for verdict in found if verdict.outcome != "killed"]
    assert not others, "\n".join(others)
    if request.config.getoption("write"):
        killers = {verdict.mutant: verdict.by for verdict in found}
        (tests / KILLERS).write_text(json.dumps(killers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import numpy as np\n", "import numpi as np\n"),
        ("def legal(s, mask):", "def legal(s):"),
        ("np.int64(s.to_move)", "np.int64(s.mover)"),
    ],
)
def test_a_crash_is_no_kill(old: str, new: str) -> None:
    """A copy that cannot be imported, called or run has not been caught by a check."""
    (verdict,) = judge(HEX, of_game("hex"), [Mutant("crash", "rules.py", old, new)], ROOT)
    assert verdict.outcome == "crashed" and "Error" in told(verdict)


@pytest.mark.slow
def test_another_package_is_no_verdict(tmp_path: Path) -> None:
    """The battery judges only the copies that it has made, and not being able to start is no kill either."""
    early = tmp_path / "early.py"
    early.write_text("import sys, boyi\nfrom boyi.envs.conformance.battery import main\nmain(sys.argv[1])\n")
    (verdict,) = judge(HEX, of_game("hex"), [UNCHANGED], ROOT, early)
    assert verdict.outcome == "no verdict" and "another package" in verdict.said


def test_a_place_that_is_not_there_is_an_error() -> None:
    with pytest.raises(BoyiError, match=r"mutant 'stale': 'no such line' occurs 0 times in rules\.py"):
        list(judge(HEX, of_game("hex"), [Mutant("stale", "rules.py", "no such line", "")], ROOT))


def test_pytest_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BoyiError, match=r'which is not installed: pip install "boyi\[dev\]"'):
        list(judge(HEX, of_game("hex"), [UNCHANGED], ROOT))


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BoyiError, match=re.escape(f"there is no {tmp_path / 'hex_mutants.py'}: it holds MUTANTS")):
        mutants_of(HEX, tmp_path)
    (tmp_path / "hex_mutants.py").write_text("MUTANTS = [('one', 'rules.py', 'a', 'b')]\n")
    with pytest.raises(BoyiError, match="MUTANTS are at least 15 rows, each with a name of its own, not 1"):
        mutants_of(HEX, tmp_path)
    with pytest.raises(BoyiError, match=r"it needs files test_hex\*\.py"):
        list(judge(HEX, tmp_path, [UNCHANGED], ROOT))
