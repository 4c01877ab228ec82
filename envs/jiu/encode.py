"""Observation encoders of Jiu; RULES.md lists every plane."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import write_stones
from .constants import (
    BATTLE,
    BEGAN,
    DROP,
    DUE,
    FLYING,
    JUMP,
    JUMPING,
    LATEST,
    LAYOUT,
    LIFTED,
    QUIET,
    RUNNER,
    SEEN,
    THEY_FLY,
)
from .rules import flies


@kernel
def observe_layout4(s, seat, x):
    """Write (planes, n, n): my stones, theirs, the point they used last, and whether I am seat 0."""
    v, points = x.reshape(x.size), s.board.size
    write_stones(s.board, seat, v)
    fill_plane(v, points, LATEST, 0.0)
    if s.latest[1 - seat] >= 0:
        v[LATEST * points + s.latest[1 - seat]] = 1.0
    fill_plane(v, points, BEGAN, 1.0 - seat)


@kernel
def observe_planes(s, seat, x):
    """Write (planes, n, n): the planes of `layout4`, and what the battle depends on."""
    observe_layout4(s, seat, x)
    v, points = x.reshape(x.size), s.board.size
    fill_plane(v, points, BATTLE, s.phase != LAYOUT)
    fill_plane(v, points, RUNNER, 0.0)
    if s.runner >= 0:
        v[RUNNER * points + s.runner] = 1.0
    fill_plane(v, points, JUMPING, s.phase == JUMP)
    fill_plane(v, points, LIFTED, s.phase == DROP)
    fill_plane(v, points, DUE, s.due / 8.0)
    battle = s.phase != LAYOUT
    fill_plane(v, points, FLYING, battle and flies(s, seat))
    fill_plane(v, points, THEY_FLY, battle and flies(s, 1 - seat))
    fill_plane(v, points, QUIET, min(1.0, s.quiet / s.no_capture_limit) if s.no_capture_limit > 0 else 0.0)
    fill_plane(v, points, SEEN, min(1.0, max(0, s.seen - 1) / 2.0))


@kernel
def fill_plane(v, points, plane, value):
    """Write a number everywhere in a plane."""
    v[plane * points : plane * points + points] = np.float32(value)
