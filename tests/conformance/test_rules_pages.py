"""The RULES.md of every game against its facts, its diagrams and its tests: nothing the page states may drift away."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest
from places import TESTS

from boyi.envs import Game, find, games

every_game = pytest.mark.parametrize("name", games())


def page(name: str) -> str:
    return (Path(find(name).module("rules").__file__ or "").parent / "RULES.md").read_text(encoding="utf-8")


def instances(name: str) -> list[Game]:
    spec = find(name).spec
    return [find(spec, **params) for params in spec.tested]


def value(formula: str, game: Game) -> Any:
    """Evaluate a formula of the page, such as ``n² + swap``, for one set of parameters."""
    python = re.sub(r"(?<=[\dn)])²", "**2", formula.replace("·", "*"))
    n = game.params.get("board_size")
    return eval(python, {"__builtins__": {}}, {"n": n, "m": game.params.get("columns") or n, **game.params})


def table(text: str, first: str) -> list[list[str]]:
    """Return the rows, split into cells, of the table whose first column is headed `first`."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows: list[list[str]] = []
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def prose(source: str) -> Iterator[str]:
    """Yield the comments and docstrings of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


@every_game
def test_every_clause_is_cited_by_a_test(name: str) -> None:
    """Clauses are numbered from 1 without a gap; the game's tests cite each by its number, and none that is missing."""
    clauses = [int(number) for number in re.findall(r"^\*\*§(\d+)", page(name), re.MULTILINE)]
    assert clauses == list(range(1, len(clauses) + 1)) != []
    cited: set[int] = set()
    for path in (TESTS / "envs" / name).glob("*.py"):
        for text in prose(path.read_text(encoding="utf-8")):
            cited.update(int(number) for number in re.findall(r"§(\d+)", text))
    assert cited == set(clauses)


@every_game
def test_parameters(name: str) -> None:
    """The table of parameters names every parameter, its default and what is allowed."""
    stated = {cells[0].strip("`"): cells[1:3] for cells in table(page(name), "parameter")}
    declared = {}
    for key, param in find(name).spec.params.items():
        choices = ("true", "false") if isinstance(param.default, bool) else param.choices
        allowed = set(choices) if choices else {f"{param.low} to {param.high}", *(["even"] if param.even else [])}
        declared[key] = [str(param.default).lower(), allowed]
    assert {key: [default, set(allowed.split(", "))] for key, (default, allowed) in stated.items()} == declared


@every_game
def test_encoders(name: str) -> None:
    """The page gives every encoder in order, the default first, with its shape and a line for every plane or entry."""
    sections = re.split(r"(?m)^(?=`\w+`(?: \(default\))?, shape )", page(name).split("\n## Observations\n")[1])[1:]
    heads = [re.match(r"`(\w+)`( \(default\))?, shape \(([^)]*)\)", section) for section in sections]
    assert [head[1] for head in heads if head] == list(find(name).spec.encoders)
    assert [bool(head[2]) for head in heads if head] == [True] + [False] * (len(heads) - 1)
    for head, section in zip(heads, sections, strict=True):
        assert head is not None
        what = "plane" if "| plane |" in section else "entry"
        lines = [cells[0] for cells in table(section, what)]

        def size(game: Game, encoder: str = head[1], what: str = what) -> int:
            return game.shape(encoder)[0] if what == "plane" else prod(game.shape(encoder))

        widest = max(size(game) for game in instances(name))
        for game in instances(name):
            assert value(f"({head[3]},)", game) == game.shape(head[1])
            told = [number for line in lines for number in numbers(line, game)]
            assert told == list(range(len(told)))
            # The last lines may be about planes that only some parameters have.
            assert size(game) <= len(told) <= widest


def numbers(line: str, game: Game) -> list[int]:
    """Read ``0``, ``2, 3`` or ``n² to 2·n² - 1``."""
    if " to " in line:
        first, last = (value(formula, game) for formula in line.split(" to "))
        return list(range(first, last + 1))
    return [value(formula, game) for formula in line.split(",")]


@every_game
def test_actions_and_longest_game(name: str) -> None:
    """The page's number of actions, and the longest game where it is given, are those declared."""
    actions = re.search(r"`Discrete\((.*)\)`", page(name))
    cases = r"(?:, (.+?) with `(\w+)=true`| with the (default) parameters)?"
    longest = re.search(rf"A game has at most (.+?) actions{cases}\.", " ".join(page(name).split()))
    assert actions is not None
    assert longest is not None
    for game in instances(name):
        assert value(actions[1], game) == game.actions
        formula = longest[2] if longest[3] and game.params[longest[3]] else longest[1]
        if not longest[4] or game == find(name):
            assert value(formula, game) == game.longest


@every_game
def test_diagrams_read_back(name: str) -> None:
    """Every indented block that starts with the game's name is a diagram that reads back and is written the same."""
    text = find(name).module("text")
    blocks = re.findall(rf"(?m)^    {name} .*\n(?:    .*\n)*", page(name))
    assert blocks
    for block in blocks:
        diagram = "\n".join(line[4:] for line in block.splitlines())
        assert text.diagram(text.read(diagram)[0]) == diagram


@every_game
def test_ids_and_version(name: str) -> None:
    """The ids at the top of the page are the registered ones, and its version history reaches the current version."""
    spec = find(name).spec
    assert page(name).startswith(f"# {spec.title}\n")
    assert f"`boyi/{spec.title}-v{spec.version}` (Gymnasium), `boyi/{name}-v{spec.version}`" in page(name)
    history = page(name).split("\n## Version history\n")[1]
    versions = [int(number) for number in re.findall(r"(?m)^- v(\d+): ", history)]
    assert sorted(versions) == list(range(spec.version + 1))
