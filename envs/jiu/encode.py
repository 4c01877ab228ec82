"""Observation encoders of Jiu; RULES.md lists every plane."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import write_stones
from .constants import DROP, JUMP, LAYOUT
from .rules import flies


@kernel
def observe_layout4(s, seat, x):
    """Write (4, n, n): my stones, theirs, the point they used last, and whether I am seat 0."""
    v, points = x.reshape(x.size), s.board.size
    write_stones(s.board, seat, v)
    v[2 * points : 3 * points] = 0.0
    if s.latest[1 - seat] >= 0:
        v[2 * points + s.latest[1 - seat]] = 1.0
    v[3 * points : 4 * points] = 1.0 - seat


@kernel
def observe_planes(s, seat, x):
    """Write (13, n, n): the planes of `layout4`, and what the battle depends on."""
    observe_layout4(s, seat, x)
    v, points = x.reshape(x.size), s.board.size
    fill_plane(v, points, 4, s.phase != LAYOUT)
    fill_plane(v, points, 5, 0.0)
    if s.runner >= 0:
        v[5 * points + s.runner] = 1.0
    fill_plane(v, points, 6, s.phase == JUMP)
    fill_plane(v, points, 7, s.phase == DROP)
    fill_plane(v, points, 8, s.due / 8.0)
    battle = s.phase != LAYOUT
    fill_plane(v, points, 9, battle and flies(s, seat))
    fill_plane(v, points, 10, battle and flies(s, 1 - seat))
    fill_plane(v, points, 11, min(1.0, s.quiet / s.no_capture_limit) if s.no_capture_limit > 0 else 0.0)
    fill_plane(v, points, 12, min(1.0, max(0, s.seen - 1) / 2.0))


@kernel
def fill_plane(v, points, plane, value):
    """Write a number everywhere in a plane."""
    v[plane * points : plane * points + points] = np.float32(value)
