"""Conformance: a game's RULES.md against its spec and its diagrams, so that nothing that it states goes out of date.

The page begins with ``# Title``, has a table of parameters, numbered clauses (``**§1 Start.**``), the spaces as
formulas of the parameters (`n` is `board_size`, `m` is `columns`), diagrams as indented blocks, and its history.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Any

from ..engine.batch import Batch
from ..engine.errors import BoyiError
from ..engine.spec import GAMES, Game, Spec
from .random_games import GameError


def page_of(spec: Spec) -> str:
    """Read a game's RULES.md; `GameError` where there is none."""
    file = spec.folder / "RULES.md"
    if not file.is_file():
        raise GameError(f"game {spec.name}: there is no RULES.md")
    return file.read_text(encoding="utf-8")


def clauses(page: str) -> list[int]:
    """List the numbers of a page's clauses, in order."""
    return [int(number) for number in re.findall(r"^\*\*§(\d+)", page, re.MULTILINE)]


def check_page(spec: Spec) -> None:
    """Compare a game's RULES.md with its facts; `GameError` says which line the page should have."""
    page, games = page_of(spec), [Game.bind(spec, params) for params in spec.tested]
    _want(spec, page.startswith(f"# {spec.title}\n"), f"begins with the line '# {spec.title}'")
    ids = f"`boyi/{spec.title}-v{spec.version}` (Gymnasium), `boyi/{spec.name}-v{spec.version}` (PettingZoo)"
    registered = spec.package.startswith(f"{GAMES}.")
    _want(spec, not registered or ids in " ".join(page.split()), f"names the ids: {ids}")
    numbered = clauses(page)
    good = numbered == list(range(1, len(numbered) + 1)) != []
    _want(spec, good, f"numbers its clauses from 1 without a gap, as in '**§1 Start.**', not {numbered}")
    _check_parameters(spec, page)
    _check_spaces(spec, page, games)
    _check_observations(spec, page, games)
    _check_diagrams(spec, page)
    history = page.partition("\n## Version history\n")[2]
    versions = sorted(int(number) for number in re.findall(r"(?m)^- v(\d+): ", history))
    wanted = list(range(spec.version + 1))
    _want(spec, versions == wanted, f"has a '## Version history' with a line '- vN: …' for each of {wanted}")


def _want(spec: Spec, promise: Any, wanted: str) -> None:
    if not promise:
        raise GameError(f"game {spec.name}: its RULES.md is not true to it: it should be a page that {wanted}")


def _table(text: str, first: str) -> list[list[str]]:
    """Return the rows, split into cells, of the table whose first column is headed `first`; none without the table."""
    rows: list[list[str]] = []
    lines = iter(text.splitlines())
    if any(line.startswith(f"| {first} |") for line in lines):
        next(lines, "")
        for line in lines:
            if not line.startswith("|"):
                break
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def _check_parameters(spec: Spec, page: str) -> None:
    """Compare the table of parameters: every name, its default and what is allowed."""
    stated = {cells[0].strip("`"): cells for cells in _table(page, "parameter")}
    for name, param in spec.params.items():
        choices = ("true", "false") if isinstance(param.default, bool) else param.choices
        allowed = list(choices) if choices else [f"{param.low} to {param.high}", *(["even"] if param.even else [])]
        default = str(param.default).lower()
        row = stated.pop(name, None)
        good = row is not None and row[1] == default and set(row[2].split(", ")) == set(allowed)
        _want(spec, good, f"has in its table of parameters: | `{name}` | {default} | {', '.join(allowed)} | meaning |")
    _want(spec, not stated, f"has no rows in its table of parameters for {', '.join(stated)}, which it does not take")


def _value(formula: str, game: Game) -> Any:
    """Evaluate a formula of the page, such as ``n² + swap``, for one set of parameters."""
    python = re.sub(r"(?<=[\dn)])²", "**2", formula.replace("·", "*"))
    n = game.params.get("board_size")
    names = {"n": n, "m": game.params.get("columns") or n, **game.params}
    try:
        return eval(python, {"__builtins__": {}}, names)
    except Exception as error:
        wanted = f"gives formulas of {', '.join(names)}: {formula!r} cannot be computed, {error}"
        raise GameError(f"game {game}: its RULES.md is not true to it: it should be a page that {wanted}") from None


def _check_spaces(spec: Spec, page: str, games: list[Game]) -> None:
    """Compare the number of actions, and the longest game where it is given, for every tested set of parameters."""
    prose = " ".join(page.split())
    cases = r"(?:, (.+?) with `(\w+)=true`| with the (default) parameters)?"
    actions = re.search(r"`Discrete\((.*?)\)`", prose)
    longest = re.search(rf"A game has at most (.+?) actions{cases}\.", prose)
    _want(spec, actions, "gives the number of actions: `Discrete(FORMULA)`")
    _want(spec, longest, "gives the longest game: 'A game has at most FORMULA actions.'")
    assert actions is not None and longest is not None
    for game in games:
        found = _value(actions[1], game)
        _want(spec, found == game.actions, f"gives {game.actions} actions for {game}, not `Discrete({actions[1]})`")
        formula = longest[2] if longest[3] and game.params[longest[3]] else longest[1]
        if not longest[4] or game == Game.bind(spec, {}):
            _want(spec, _value(formula, game) == game.longest, f"gives {game.longest} as the longest game of {game}")


def _check_observations(spec: Spec, page: str, games: list[Game]) -> None:
    """Compare every encoder in its order, the default first, with its shape and a line for every plane or entry."""
    observations = page.partition("\n## Observations\n")[2].partition("\n## ")[0]
    sections = re.split(r"(?m)^(?=`\w+`(?: \(default\))?, shape )", observations)[1:]
    heads = [re.match(r"`(\w+)`( \(default\))?, shape \(([^)]*)\)", section) for section in sections]
    told = [(head[1], bool(head[2])) for head in heads if head]
    wanted = [(encoder, k == 0) for k, encoder in enumerate(spec.encoders)]
    line = "one line each: `planes` (default), shape (FORMULAS):"
    _want(spec, told == wanted, f"has under '## Observations' the encoders {', '.join(spec.encoders)}, {line}")
    for head, section in zip(heads, sections, strict=True):
        assert head is not None
        encoder, what = head[1], "plane" if "| plane |" in section else "entry"
        sizes = [game.shape(encoder)[0] if what == "plane" else prod(game.shape(encoder)) for game in games]
        for game, size in zip(games, sizes, strict=True):
            shape = _value(f"({head[3]},)", game)
            _want(spec, shape == game.shape(encoder), f"gives {encoder} of {game} the shape {game.shape(encoder)}")
            lines = [k for cells in _table(section, what) for k in _numbers(cells[0], game)]
            # The last lines may be about planes that only some parameters have.
            good = lines == list(range(len(lines))) and size <= len(lines) <= max(sizes)
            _want(spec, good, f"has a table of {encoder}'s every {what}, headed '| {what} |', from 0 to {size - 1}")


def _numbers(line: str, game: Game) -> Iterator[int]:
    """Read ``0``, ``2, 3`` or ``n² to 2·n² - 1``."""
    first, _, last = line.partition(" to ")
    if last:
        yield from range(_value(first, game), _value(last, game) + 1)
    else:
        yield from (_value(formula, game) for formula in line.split(","))


def _check_diagrams(spec: Spec, page: str) -> None:
    """Compare every indented block that starts as diagrams do: it reads back and is written the same way."""
    start = Batch(Game.bind(spec, {}), 1, seed=0, encoder=None)
    text = start.game.module("text")
    first = text.diagram(start.states[0]).split()[0]
    blocks = re.findall(rf"(?m)^    {re.escape(first)} .*\n(?:    .*\n)*", page)
    _want(spec, blocks, f"shows a diagram, indented by four spaces, its first line beginning with '{first}'")
    for block in blocks:
        diagram = "\n".join(line[4:] for line in block.splitlines())
        try:
            back = text.diagram(text.read(diagram)[0])
        except BoyiError as error:
            back = str(error)
        _want(spec, back == diagram, f"shows diagrams as they are written; this one is not, but:\n{back}\n")
