"""The RULES.md of every game: true to its facts, and every clause cited by a test; a page that is not is told so."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import of_game
from playing import SPECS

from boyi.envs import Spec, find, games
from boyi.envs.conformance import rules_page
from boyi.envs.conformance.random_games import GameError
from boyi.envs.conformance.rules_page import check_page, clauses, page_of


def prose(source: str) -> Iterator[str]:
    """Yield the comments and docstrings of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_page_is_true_to_the_game(spec: Spec) -> None:
    check_page(spec)


@pytest.mark.parametrize("name", games())
def test_every_clause_is_cited_by_a_test(name: str) -> None:
    """The game's tests cite each clause by its number, and none that is missing."""
    cited: set[int] = set()
    for path in of_game(name).glob("*.py"):
        for text in prose(path.read_text(encoding="utf-8")):
            cited.update(int(number) for number in re.findall(r"§(\d+)", text))
    assert cited == set(clauses(page_of(find(name).spec)))


HEX = find("hex").spec
TABLE, ROW = "its table of parameters", "| `swap` | false |"
FORMULA, PLANES = "`Discrete(n² + swap)`", "`planes` (default), shape"
DRIFTED = {
    "title": ("# Hex", "# Hexagons", "begins with the line '# Hex'"),
    "ids": ("`boyi/Hex-v0` (Gymnasium)", "`boyi/Hex-v1` (Gymnasium)", "names the ids: `boyi/Hex-v0` (Gymnasium)"),
    "clauses": ("**§2 Start.**", "**§3 Start.**", "numbers its clauses from 1 without a gap"),
    "range": ("| 1 to 26 |", "| 1 to 19 |", f"has in {TABLE}: | `board_size` | 11 | 1 to 26 | meaning |"),
    "missing": (
        "| `swap` | false |",
        "| `pie` | false |",
        f"has in {TABLE}: | `swap` | false | true, false | meaning |",
    ),
    "too many": ("| `swap` |", "| `pie` | 1 | 1 | x |\n| `swap` |", f"has no rows in {TABLE} for pie"),
    "actions": (FORMULA, "`Discrete(n²)`", "gives 2 actions for hex:board_size=1,swap=True"),
    "formula": (FORMULA, "`Discrete(x)`", "'x' cannot be computed, name 'x' is not defined"),
    "longest": (
        "A game has at most",
        "It has at most",
        "gives the longest game: 'A game has at most FORMULA actions.'",
    ),
    "shape": (f"{PLANES} (3 + swap, n, n)", f"{PLANES} (3, n, n)", "gives planes of hex:"),
    "order": (PLANES, "`planes`, shape", "has under '## Observations' the encoders planes, oriented, neurohex"),
    "planes": ("| 2, 3 | on the observer's", "| 2 | on the observer's", "has a table of neurohex's every plane"),
    "diagram": ("     1  . X .", "     1  X X .", "shows diagrams as they are written"),
    "history": ("- v0: first", "- v2: first", "has a '## Version history'"),
}


@pytest.mark.parametrize("drift", DRIFTED)
def test_a_page_that_has_drifted_away_is_told_what_it_should_say(drift: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, wanted = DRIFTED[drift]
    page = page_of(HEX)
    assert old in page
    monkeypatch.setattr(rules_page, "page_of", lambda spec: page.replace(old, new, 1))
    with pytest.raises(GameError, match=re.escape(wanted)):
        check_page(HEX)


def test_a_game_without_a_page_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_file", lambda path: path.name != "RULES.md")
    with pytest.raises(GameError, match=r"game hex: there is no RULES\.md"):
        check_page(HEX)
