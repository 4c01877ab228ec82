"""The figures of Jiu's RULES.md are what the package draws."""

import re
from typing import NamedTuple

import pytest
from jiu_positions import played, position
from places import ROOT, Kept
from sizes import COMPILES

from boyi.envs import Batch
from boyi.envs.jiu import draw

pytestmark = pytest.mark.kernels


class Figure(NamedTuple):
    """A figure of a clause: what is played from a position in which seat 0, X, begins a turn; without one, a layout."""

    clause: int
    actions: str
    board: str = ""
    shapes: bool = False  # whether they are lit


FIGURES = {
    "layout": Figure(2, "c2, D3"),
    "step": Figure(
        8,
        "e0-e1",
        """
        .O.OO.
        OX..O.
        X.O..X
        .XX.O.
        X.XO.X
        O.X..O
        """,
        True,
    ),
    "jumps": Figure(
        7,
        "f2-f0, f0-d0",
        """
        ..X.O.
        .X.O.X
        O.X.O.
        .O.O.X
        O..XOX
        .OX..O
        """,
    ),
    "double_gate": Figure(
        8,
        "b2-c2",
        """
        .O..O.
        O.X..O
        .X.X..
        OXXX.O
        ..O.O.
        X.O..X
        """,
        True,
    ),
    "gun": Figure(
        9,
        "c5-d5",
        """
        OX..O.
        ..OO.O
        .....X
        XXXXX.
        .O..O.
        O..X.O
        """,
        True,
    ),
    "flight": Figure(
        11,
        "lift e4",
        """
        O..O..
        .XX.O.
        .X...O
        O.O...
        ..O.X.
        O.X..O
        """,
    ),
    "dalian_flat": Figure(
        14,
        "",
        """
        .O..O.
        .XX.X.
        OXXXXO
        ..O...
        O..O..
        .O...O
        """,
        True,
    ),
    "dalian_skew": Figure(
        14,
        "",
        """
        .O..O.
        .XX..O
        OXX.X.
        ..OXX.
        O..O..
        .O...O
        """,
        True,
    ),
    "two_dalians": Figure(
        14,
        "h5-h6",
        """
        ...O..O.
        .XX.XO..
        OXXXX..O
        ..O..O..
        O..O...O
        ..O.XX..
        .O..XX.X
        O....X.X
        """,
        True,
    ),
}


def picture(name: str) -> str:
    """Draw a figure."""
    _, actions, board, shapes = FIGURES[name]
    rows = board.split()
    start = position(*rows, n=len(rows), turns=1) if rows else Batch("jiu", 1, board_size=6, encoder=None).states
    return draw.svg(played(start, actions).states[0], shapes)


# The two dalians are the only figure of 8 lines.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=COMPILES) if name == "two_dalians" else name for name in FIGURES]
)
def test_figures_are_what_the_package_draws(name: str, kept: Kept) -> None:
    kept(ROOT / "docs" / f"jiu_{name}.svg", picture(name))


def test_the_page_shows_every_figure_below_its_clause() -> None:
    page = (ROOT / "envs" / "jiu" / "RULES.md").read_text(encoding="utf-8")
    clauses = re.split(r"(?m)^\*\*§(\d+)", page)
    shown = {
        name: int(number)
        for number, body in zip(clauses[1::2], clauses[2::2], strict=True)
        for name in re.findall(r'<img src="\.\./\.\./docs/jiu_(\w+)\.svg" height="\d+" alt="[^"]+">', body)
    }
    assert shown == {name: figure.clause for name, figure in FIGURES.items()}
    assert {path.stem[4:] for path in (ROOT / "docs").glob("jiu_*.svg")} == set(FIGURES)
