"""Draw the moving picture of the README, games.gif: ``python docs/moving.py``.

Six games are played side by side, from the transcripts beside the tests, each to the position of its game's picture.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from boyi.envs import find
from boyi.envs.faces import drawing
from boyi.envs.records import transcript

ROOT = Path(__file__).parents[1]
GAMES = ("hex", "gomoku", "jiu", "einstein", "amazons", "surakarta")
COLUMNS, SIDE, FRAMES = 3, 250, 40


def positions(game: str) -> list[np.void]:
    """Return the positions that the transcript of a game's picture goes through."""
    text = (ROOT / "tests" / "envs" / game / "picture.txt").read_text(encoding="utf-8")
    return [states[0] for states in transcript.read(text)]


def picture(game: str, state: np.void) -> Image.Image:
    """Draw a position in the middle of a square of paper."""
    drawn = Image.fromarray(drawing.rgb(find(game).module("draw").svg(state)))
    drawn.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    square = Image.new("RGB", (SIDE, SIDE), drawing.PAPER)
    square.paste(drawn, ((SIDE - drawn.width) // 2, (SIDE - drawn.height) // 2))
    return square


def frame(games: dict[str, list[np.void]], moment: float) -> Image.Image:
    """Put all games beside one another, each at the same share of its length."""
    whole = Image.new("RGB", (COLUMNS * SIDE, -(-len(games) // COLUMNS) * SIDE), drawing.PAPER)
    for k, (game, states) in enumerate(games.items()):
        state = states[round(moment * (len(states) - 1))]
        whole.paste(picture(game, state), (k % COLUMNS * SIDE, k // COLUMNS * SIDE))
    return whole


if __name__ == "__main__":
    games = {game: positions(game) for game in GAMES}
    frames = [frame(games, moment) for moment in np.linspace(0, 1, FRAMES)]
    # One palette for all of them: what does not change is not written again.
    sample = Image.new("RGB", (frames[0].width, 2 * frames[0].height))
    for k, image in enumerate(frames[FRAMES // 2 :: FRAMES // 2 - 1]):
        sample.paste(image, (0, k * image.height))
    colours = sample.quantize(96, dither=Image.Dither.NONE)
    first, *others = [image.quantize(palette=colours, dither=Image.Dither.NONE) for image in frames]
    times = [250] * (FRAMES - 1) + [4000]
    first.save(ROOT / "docs" / "games.gif", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
