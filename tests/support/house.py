"""The house as the code is: its modules, the floor that each stands on, what imports what, and a picture of that."""

import ast
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from places import ROOT

from boyi import games

FLOORS = (
    "envs.engine", "envs.faces", "envs.records", "envs.conformance", "envs.grid", "a game", "a game's module", "envs",
    "wrappers", "baselines.agent", "baselines.trust", "baselines.workers", "baselines.search", "baselines.mahjong",
    "baselines.players", "baselines.engines", "baselines.learning", "baselines.agents", "baselines.arena",
    "baselines.training", "baselines.reproduce", "baselines.web", "baselines.command", "baselines", "boyi",
)  # fmt: skip
"""Rooms and the modules beside them, each above what it may import."""


def modules() -> dict[str, Path]:
    """List the modules of the package, without ``boyi.`` before their names, and the package itself."""
    paths = [path for top in ("envs", "baselines", "wrappers") for path in (ROOT / top).rglob("*.py")]
    named = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}
    return {"boyi": ROOT / "__init__.py", **named}


MODULES = modules()


def room(module: str) -> str:
    """Name the floor that a module stands on."""
    top, *rest = module.split(".")
    if top == "envs" and rest and rest[0] in games():
        return "a game"
    if top == "envs" and rest and rest[0].rpartition("_v")[0] in games():
        return "a game's module"
    return "wrappers" if top == "wrappers" else ".".join([top, *rest[:1]])


def imported(module: str, text: str) -> Iterator[str]:
    """List the modules of the package that a module imports, wherever in it and for whatever reason."""
    package = [] if module == "boyi" else module.split(".")
    if MODULES[module].name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            whence = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            for alias in node.names:
                full = ".".join(filter(None, [*whence, alias.name]))
                yield full if full in MODULES else full.rpartition(".")[0]


def arrows() -> list[tuple[str, str]]:
    """List who imports whom."""
    return [(m, other) for m, path in MODULES.items() for other in imported(m, path.read_text("utf-8")) if other != m]


PICTURE = ROOT / "docs" / "house.svg"
SAID = {"a game": "The rules, pictures and texts of a game", "a game's module": "Its three lines for PettingZoo"}
"""What rooms hold that are many alike."""
STEP, LEFT, TOP, WIDE = 20, 190, 30, 560  # between floors; where sentences and floors begin; the longest sentence


def sentence(floor: str) -> str:
    """Say what a room holds, in the first words of its docstring."""
    if floor in SAID:
        return SAID[floor]
    told = ast.get_docstring(ast.parse(MODULES[floor].read_text("utf-8"))) or ""
    first = re.split(r"[.;:](?:\s|$)", told.removeprefix("boyi: "))[0]
    return first[:1].upper() + first[1:]


def draw() -> str:
    """Draw the floors, the highest on top, with a dot for every floor that one imports."""
    imports = {(FLOORS.index(room(a)), FLOORS.index(room(b))) for a, b in arrows()}
    right, bottom = LEFT + WIDE, TOP + STEP * len(FLOORS)
    width, height = right + STEP * len(FLOORS) + 10, bottom + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(right, 18, "A dot: that floor imports the one whose number stands below.", "#777"),
    ]
    for k, floor in enumerate(FLOORS):
        y = bottom - STEP * k
        parts += [_text(10, y, str(k + 1), "#777"), _text(36, y, floor), _text(LEFT, y, sentence(floor), "#555")]
        for j in range(k):
            radius, fill = (5, "#2b6cb0") if (k, j) in imports else (1, "#bbb")
            parts.append(f'<circle cx="{right + STEP * j + 6}" cy="{y - 4}" r="{radius}" fill="{fill}"/>')
        parts.append(_text(right + STEP * k, y, str(k + 1), "#777"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, words: str, fill: str = "#000") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}">{escape(words)}</text>'
