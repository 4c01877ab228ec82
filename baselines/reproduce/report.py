"""What a reproduction writes: a page of text in Markdown, and its pictures."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from ...envs.records.files import replace_file
from ..arena.rating import Estimate

Curves = Mapping[str, Sequence[tuple[float, float, float, float]]]
"""By name, the points of a curve: where, how high, and the ends of its interval."""


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out a table: its first column is text, the others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def share(score: Estimate) -> str:
    """Write a share and its interval."""
    return f"{score.value:.1%} ({100 * score.low:.1f} to {100 * score.high:.1f})"


def curves_picture(
    panels: Mapping[str, Curves], unit: str, what: str, most: float | None = None, least: float | None = 0.0
) -> bytes:
    """Draw values with their intervals over `unit` side by side, a panel for every title, as PNG.

    They are drawn from `least` to `most`; where one of these is None, as far as they reach.
    """
    figure = Figure(figsize=(4 * len(panels), 3.5), layout="constrained")
    several = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, curves) in zip(several, panels.items(), strict=True):
        for name, points in curves.items():
            where, value, low, high = zip(*points, strict=True)
            (line,) = axes.plot(where, value, marker=".", label=name)
            axes.fill_between(where, low, high, alpha=0.2, color=line.get_color())
        axes.set(title=title, xlabel=unit)
        axes.grid(alpha=0.3)
        axes.legend(loc="best", fontsize="small")
    figure.axes[0].set(ylabel=what, ylim=(least, most))
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100)
    return file.getvalue()


def write_report(folder: Path, lines: Sequence[str], pictures: Mapping[str, bytes]) -> Path:
    """Write ``report.md`` and its pictures into a folder; return the page."""
    for name, picture in pictures.items():
        replace_file(folder / name, picture)
    page = folder / "report.md"
    replace_file(page, ("\n".join(lines) + "\n").encode())
    return page
