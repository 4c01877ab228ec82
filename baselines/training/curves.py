"""The pictures of a training run, as PNG: learning curves, and where the learner plays."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ...envs.engine.spec import Game

COUNTED = {"train/samples", "train/steps", "train/learning_rate", "train/n_updates", "train/promotions"}
"""Figures of learning that are no measure of it."""


def curves(lines: Sequence[dict[str, float]], unit: str) -> bytes:
    """Draw the scores against the ladder, the mean returns where there are any, and the losses, over the steps, which
    are counted in `unit`.
    """
    drawn = {"eval/": "score", "return/": "mean return", "train/": "loss, mean value"}
    if not any(key.startswith("return/") for line in lines for key in line):
        del drawn["return/"]
    figure = Figure(figsize=(8, 3 * len(drawn)), layout="constrained")
    panels = dict(zip(drawn, figure.subplots(len(drawn), 1, sharex=True), strict=True))
    for prefix, axes in panels.items():
        for name in sorted({key for line in lines for key in line if key.startswith(prefix)} - COUNTED):
            points = [(line["steps"], line[name]) for line in lines if name in line]
            axes.plot(*zip(*points, strict=True), marker="" if prefix == "train/" else ".", label=name)
        axes.set_ylabel(drawn[prefix])
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(loc="best", fontsize="small")
    panels["eval/"].set_ylim(-0.02, 1.02)
    panels["train/"].set_xlabel(unit)
    return _png(figure)


def heat_map(game: Game, moves: np.ndarray) -> bytes:
    """Draw the share of each action (actions,): on the board where actions are its cells, else as bars."""
    shares = moves / max(1, moves.sum())
    board = game.shape(game.encoder)[1:]
    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    # Hex has one action besides its cells: the swap.
    if len(board) == 2 and 0 <= game.actions - int(np.prod(board)) <= 1:
        image = axes.imshow(shares[: int(np.prod(board))].reshape(board), cmap="magma")
        figure.colorbar(image, label="share of moves")
    else:
        axes.bar(np.arange(game.actions), shares)
        axes.set(xlabel="action", ylabel="share of moves")
    axes.set_title(f"{game}: {moves.sum():,} moves")
    return _png(figure)


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100)
    return file.getvalue()
