"""Spots of pictures: every action can be pointed at or has a name for a button, and is played where one points."""

import re

import numpy as np
import pytest
from pictures import changed
from sizes import small_game

from boyi.envs import Batch, find, games
from boyi.envs.faces import drawing
from boyi.envs.faces.picking import paths
from boyi.envs.faces.render import seen

BUTTONS = {
    "jiu": r"stop",
    "hex": r"swap",
    "mahjong": r"kong .*|win|pong|kong|chow .*|pass",
}
"""Actions that are nowhere on the board."""


def spots(picture):
    """Find the middle of every spot that is a circle, and its radius, in pixels of the picture."""
    x, y = map(float, re.search(r'<g transform="translate\((\S+) (\S+)\)">', picture).groups())
    found = re.findall(r'<circle data-at="(\w+)" cx="(\S+)" cy="(\S+)" r="(\S+)"', picture)
    return {name: (x + float(cx), y + float(cy), float(r)) for name, cx, cy, r in found}


@pytest.mark.parametrize("name", games())
def test_every_action_is_somewhere(name):
    for params in find(name).spec.tested:
        game = find(name, **params)
        batch, text, svg = Batch(game, 1, 3, encoder=None), game.module("text"), seen(game, "draw", "svg")
        for ply in range(120):
            if batch.to_move[0] < 0:
                break
            if ply % 5 == 0:
                state, legal = batch.states[0], np.flatnonzero(batch.mask[0])
                found = paths(game, state, legal.tolist(), svg(state, int(batch.to_move[0])))
                assert found.keys() == set(legal.tolist())
                pointed = [tuple(path) for path in found.values() if path]
                assert len(set(pointed)) == len(pointed)
                for action, path in found.items():
                    assert path or re.fullmatch(BUTTONS.get(name, ""), text.name(state, action))
            batch.step(batch.sample())


@pytest.mark.parametrize("name", sorted({*games()} - {"mahjong"}))
def test_where_one_points_something_changes(name):
    game = small_game(name)
    batch, svg = Batch(game, 1, 5, encoder=None), game.module("draw").svg
    seen_spots = 0
    for _ in range(60):
        if batch.to_move[0] < 0:
            break
        before, action = batch.states[0].copy(), batch.sample()
        picture = svg(before)
        path = paths(game, before, action.tolist(), picture)[int(action[0])]
        batch.step(action)
        both = [drawing.rgb(svg(state)) for state in (before, batch.states[0])]
        if not path or both[0].shape != both[1].shape:
            continue
        x, y, radius = spots(picture)[path[-1]]
        away = np.hypot(*(changed(*both) - [y, x]).T)
        assert (away < radius).any()
        seen_spots += 1
    assert seen_spots > 3


def test_a_column_may_be_called_x():
    game = find("hex:board_size=26")
    state, text = Batch(game, 1, encoder=None).states[0], game.module("text")
    action = text.parse(state, "x12")
    assert paths(game, state, [action], game.module("draw").svg(state)) == {action: ["x12"]}


def test_a_tile_of_the_viewer_is_a_spot_and_no_other_is():
    game = find("mahjong")
    state, svg = Batch(game, 1, 1, encoder=None).states[0], game.module("draw").svg
    for seat in range(4):
        held = int(state["hand"][seat].sum())
        names = re.findall(r'data-at="([^"]*)"', svg(state, seat))
        assert len(names) == held and "back" not in names
    assert len(re.findall("data-at", svg(state))) == int(state["hand"][0].sum())


def test_of_actions_with_the_same_spots_the_shortest_name_has_them():
    batch, text = Batch("mahjong", 300, 1, encoder=None), find("mahjong").module("text")
    svg, met = find("mahjong").module("draw").svg, 0
    for _ in range(40):
        for row in np.flatnonzero(batch.mask[:, 34:68].any(axis=1) & batch.mask[:, :34].any(axis=1)):
            state, legal = batch.states[row], np.flatnonzero(batch.mask[row]).tolist()
            found = paths(batch.game, state, legal, svg(state, int(batch.to_move[row])))
            for action in legal:
                name = text.name(state, action)
                assert found[action] == ([name] if action < 34 else [])
                met += name.startswith("kong") and name[5:] in {text.name(state, a) for a in legal}
        going = np.flatnonzero(batch.to_move >= 0)
        batch.step(batch.sample(going), going)
    assert met > 5


def test_names_are_escaped():
    assert drawing.at('a"<') == 'data-at="a&quot;&lt;"'
