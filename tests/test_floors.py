"""The house as docs and CONTRIBUTING draw it: a room imports only what stands before it, and nothing in a circle."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
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


def test_every_module_stands_on_a_floor() -> None:
    assert {room(module) for module in MODULES} == set(FLOORS)


def test_nothing_imports_what_stands_above_it() -> None:
    upward = [(a, b) for a, b in arrows() if FLOORS.index(room(a)) < FLOORS.index(room(b))]
    assert not upward


def test_there_is_no_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for a, b in arrows():
        graph[a].add(b)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize(
    ("module", "text", "told"),
    [
        ("envs.engine.batch", "from ..faces.frame import Frame", ["envs.faces.frame"]),
        ("baselines.search.mcts", "def later():\n    from ..agents import make_agent", ["baselines.agents"]),
        ("envs.hex.rules", "from . import text\nfrom ..engine import bind", ["envs.hex.text", "envs.engine.bind"]),
        ("boyi", "from .envs.engine.spec import games\nimport numpy", ["envs.engine.spec"]),
    ],
)
def test_arrows_are_found(module: str, text: str, told: list[str]) -> None:
    assert list(imported(module, text)) == told
