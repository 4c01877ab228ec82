"""Symmetric images: one form for every game and encoder, true to the rules and to the frame of the seat that observes.

Games that have them in their rules are played beside their images by `check.images`, in the conformance tests.
"""

import math
import random
from typing import Any

import numpy as np
import pytest
import toy
from einstein_positions import by_hand, changes, dealt, every_set, image, record
from histories import seen
from playing import SEEN

from boyi.envs import BoyiError, Game, Spec, find
from boyi.envs.conformance import check
from boyi.envs.conformance.check import GameError
from boyi.envs.einstein import SPEC as EINSTEIN
from boyi.envs.einstein import encode as einstein_encode
from boyi.envs.engine.facts import facts
from boyi.envs.engine.protocol import CHANCE
from boyi.envs.faces.symmetry import symmetries
from boyi.envs.hex import encode as hex_encode
from boyi.envs.hex import rules as hex_rules


@pytest.mark.parametrize(("spec", "encoder"), SEEN, ids=lambda part: getattr(part, "name", part))
def test_every_game_and_encoder_has_its_images(spec: Spec, encoder: str) -> None:
    game = Game.bind(spec, {})
    numbers, actions = symmetries(game, encoder)
    size, images = math.prod(game.shape(encoder)), facts(game).images
    assert (numbers.shape, actions.shape) == ((images, size), (images, game.actions))
    assert len({row.tobytes() for row in numbers}) == images
    assert (np.sort(numbers) == np.arange(size)).all() and (np.sort(actions) == np.arange(game.actions)).all()
    assert (numbers[0] == np.arange(size)).all() and (actions[0] == np.arange(game.actions)).all()


@every_set
def test_a_game_of_einstein_and_its_images(game: Game) -> None:
    """Its start and its dice change with the image, so the positions of a random game are put beside their images."""
    rng, batch = random.Random(3), by_hand(game, seed=5)
    many, oracle = by_hand(game, len(changes(game))), dealt(game, batch.states[0])
    tables = {encoder: symmetries(game, encoder) for encoder in EINSTEIN.encoders}
    while True:
        if batch.to_move[0] == CHANCE:
            face = rng.randrange(game.params["stones"])
            batch.resolve(np.array([face]))
            oracle.die = face + 1
        many.states = np.concatenate([record(game, image(oracle, change)) for change in changes(game)])
        for encoder, (numbers, actions) in tables.items():
            x = seen(game, many.states, encoder, oracle.turn).reshape(len(actions), -1)
            for k, mask in enumerate(many.mask):
                assert (mask[actions[k]] == batch.mask[0]).all()
                assert (x[k][numbers[k]] == x[0]).all()
        if oracle.over():
            return
        action = rng.choice(np.flatnonzero(batch.mask[0]).tolist())
        batch.step(np.array([action]))
        oracle.play(action)
        if oracle.over():
            return


def kept_planes(encoder: str, **params: Any) -> tuple[np.ndarray, np.ndarray]:
    """Turn the padded board, but leave the planes of the two ends in their places."""
    numbers, actions = hex_encode_symmetries(encoder, **params)
    if encoder == "neurohex":
        cells = numbers.shape[1] // 6
        numbers[1] = (np.arange(6)[:, None] * cells + np.arange(cells)[::-1]).ravel()
    return numbers, actions


hex_encode_symmetries = hex_encode.symmetries


def test_broken_tables_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = check.Probe(find("hex:board_size=3"), games=3)
    check.images(probe)
    monkeypatch.setattr(hex_encode, "symmetries", kept_planes)
    with pytest.raises(GameError, match="neurohex does not show the image that its symmetries give"):
        check.images(probe)
    monkeypatch.setattr(hex_encode, "symmetries", lambda encoder, **params: kept_planes("planes", **params))
    with pytest.raises(GameError, match="the symmetries of neurohex are no permutations"):
        check.images(probe)


def test_a_frame_that_is_turned_for_one_seat_has_tables_of_its_own() -> None:
    """The toy's rotations are the same in every seat's frame; where a frame makes them differ, nobody is misled."""
    game = find(toy.SPEC)
    assert (symmetries(game, "turned")[1] == symmetries(game, "planes")[1]).all()


def test_games_without_symmetries_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BoyiError, match=r"unknown encoder of hex 'plane': did you mean 'planes'\?"):
        symmetries(find("hex"), "plane")
    monkeypatch.delattr(hex_encode, "symmetries")
    with pytest.raises(BoyiError, match="hex: its symmetries do not say how they change the observations of 'neurohex"):
        symmetries(find("hex"), "neurohex")
    with pytest.raises(GameError, match="do not say how they change the observations of 'neurohex'"):
        check.images(check.Probe(find("hex:board_size=3"), games=1))
    assert symmetries(find("hex:board_size=3"), "planes")[0].shape == (2, 27)
    monkeypatch.delattr(hex_rules, "symmetries")
    with pytest.raises(BoyiError, match="hex declares no symmetries: no image of it is the same game"):
        symmetries(find("hex"))
    monkeypatch.delattr(einstein_encode, "symmetries")
    with pytest.raises(BoyiError, match="einstein declares no symmetries"):
        symmetries(find("einstein"))


def test_a_mirrored_frame_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    shifted = np.stack([np.arange(10), [1, 0, *range(2, 10)], np.arange(10)])
    monkeypatch.setattr(find(toy.SPEC).module("encode"), "permutation_turned", lambda **_: shifted)
    with pytest.raises(BoyiError, match="the symmetries of 'turned' differ between the seats"):
        symmetries(find(toy.SPEC), "turned")
