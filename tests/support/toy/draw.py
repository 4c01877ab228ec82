"""Draw a Ring position: the cells around a circle, every seat's stones in its colour, cell 1 on top."""

from math import cos, pi, sin

import numpy as np

from boyi.envs.faces.drawing import circle, document, label

RADIUS, CELL = 80.0, 9.0
COLORS = ("#efe9dc", "#d9483b", "#2762a8", "#3f8f4f")  # an empty cell, then the seats


def svg(state: np.void) -> str:
    """Return the picture of one Ring record."""
    ring = state["ring"]
    parts = [label(str(int(state["ply"])), RADIUS + 20, RADIUS + 20, 14, "#6e6657")]
    for i, stone in enumerate(ring):
        angle = 2 * pi * i / ring.size
        x, y = RADIUS * (1 + sin(angle)) + 20, RADIUS * (1 - cos(angle)) + 20
        parts.append(circle(x, y, CELL, COLORS[stone], "#6e6657"))
    return document(2 * RADIUS + 40, 2 * RADIUS + 40, parts, "#fbf9f4")
