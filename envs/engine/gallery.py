"""Positions as a notebook shows them: pictures side by side."""

from __future__ import annotations

from base64 import b64encode

import numpy as np

from .spec import Game

SHOWN = 8  # games at most, the first ones
WIDTH = 220  # of a picture, in pixels


def gallery(game: Game, states: np.ndarray) -> str:
    """Write positions (n,) as HTML: pictures of the first few, with nothing hidden, and how many follow."""
    svg = game.module("draw").svg
    coded = [b64encode(svg(state).encode()).decode() for state in states[:SHOWN]]
    pictures = [
        f'<img width="{WIDTH}" alt="game {row}" src="data:image/svg+xml;base64,{picture}">'
        for row, picture in enumerate(coded)
    ]
    more = f"<p>and {states.size - SHOWN:,} more games of {game}</p>" if states.size > SHOWN else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(pictures)}</div>{more}'
