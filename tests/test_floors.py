"""The house as docs and CONTRIBUTING draw it: a room imports only what stands before it, and nothing in a circle."""

from graphlib import CycleError, TopologicalSorter

import pytest
from house import FLOORS, MODULES, PICTURE, arrows, draw, imported, room
from places import Kept


def test_every_module_stands_on_a_floor() -> None:
    assert {room(module) for module in MODULES} == set(FLOORS)


def test_nothing_imports_what_stands_above_it() -> None:
    upward = [(a, b) for a, b in arrows() if FLOORS.index(room(a)) < FLOORS.index(room(b))]
    assert not upward


def test_the_picture_shows_the_house_as_it_is(kept: Kept) -> None:
    kept(PICTURE, draw())


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
