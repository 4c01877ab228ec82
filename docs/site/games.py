"""Pages of the games: what games/ says of each, and what the code does: spaces, planes, agents, a recorded game."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np

from boyi.baselines.arena.ladder import read_standing
from boyi.baselines.arena.ladders import LADDERS
from boyi.baselines.arena.results import elo_interval, elo_value
from boyi.envs import Batch, Game, find
from boyi.envs.records import transcript

mpl.use("agg")

import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2]
STRONGEST = 6
"""How many agents a game's page names."""


def write_game(name: str, folder: Path) -> str:
    """Return a game's page, and draw what its encoders see into `folder`."""
    game = find(name)
    said = (Path(__file__).parent / "games" / f"{name}.md").read_text(encoding="utf-8")
    text = (ROOT / "tests" / "envs" / name / "picture.txt").read_text(encoding="utf-8")
    *_, last = transcript.read(text)
    parts = [said.rstrip(), _make(game), _parameters(name), _spaces(game)]
    parts += [_planes(game, last, folder), _agents(name), _record(name)]
    parts.append(f"```{{toctree}}\n:hidden:\n\nAll the rules <../envs/{name}/RULES>\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def _make(game: Game) -> str:
    spec = game.spec
    return f"""## Make it

```python
import boyi
import gymnasium as gym
from boyi.envs import {spec.name}_v{spec.version}

env = gym.make("boyi/{spec.title}-v{spec.version}", opponent="random")  # one seat learns
env = {spec.name}_v{spec.version}.env()  # PettingZoo: agents take turns
envs = gym.make_vec("boyi/{spec.title}-v{spec.version}", num_envs=64, opponent="random")
```"""


def _parameters(name: str) -> str:
    page = (ROOT / "envs" / name / "RULES.md").read_text(encoding="utf-8")
    rows = page[page.index("| parameter |") :].partition("\n\n")[0]
    return f"## Parameters\n\n{rows}\n\n§ numbers are clauses of [the rules](../envs/{name}/RULES.md)."


def _spaces(game: Game) -> str:
    rows = [f"| `{encoder}` | {game.shape(encoder)} |" for encoder in game.spec.encoders]
    rows[0] = rows[0].replace("` |", "`, the default |")
    said = f"{game.spec.seats} seats; actions `Discrete({game.actions})`; observations are float32 from 0 to 1:"
    rules = f"../envs/{game.spec.name}/RULES.md#observations"
    more = f"What each plane holds, and what each action is, is in [the rules]({rules})."
    return "\n".join(["## Spaces", "", said, "", "| `encoder=` | shape |", "|---|---|", *rows, "", more])


def _planes(game: Game, states: np.ndarray, folder: Path) -> str:
    pictures = []
    for encoder in game.spec.encoders:
        batch = Batch(game, 1, seed=0, encoder=encoder)
        batch.states = states
        seen = batch.observe(np.array([max(int(batch.to_move[0]), 0)]))[0]
        if seen.ndim == 3:
            _draw(seen, folder / f"{game.spec.name}_{encoder}.png")
            pictures.append(f"**`{encoder}`**\n\n![Planes of {encoder}]({game.spec.name}_{encoder}.png)")
    said = "The position of the picture above as its mover sees it, plane by plane from 0; dark is 1."
    return "\n\n".join(["## What a network sees", said, *pictures])


def _draw(planes: np.ndarray, path: Path) -> None:
    """Draw planes side by side, at most eight a row."""
    across = min(8, len(planes))
    down = math.ceil(len(planes) / across)
    high = planes.shape[1] / planes.shape[2]
    figure, axes = plt.subplots(down, across, figsize=(1.25 * across, down * (1.25 * high + 0.3)), squeeze=False)
    for k, axis in enumerate(axes.flat):
        axis.set_axis_off()
        if k < len(planes):
            axis.imshow(planes[k], cmap="Greys", vmin=0, vmax=1)
            axis.add_patch(plt.Rectangle((0, 0), 1, 1, transform=axis.transAxes, fill=False, color="#8a8170"))
            axis.set_title(str(k), fontsize=8)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def _agents(name: str) -> str:
    """Return the strongest of the rungs and of the agents that were measured between them."""
    if name not in LADDERS:
        return ""
    ladder = LADDERS[name]
    standings = [read_standing(path, name) for path in (ROOT / "docs" / "ladder").glob(f"{name}_*.json")]
    rated = [(rung.elo, rung.agent, f"{rung.elo:+d}", f"{rung.low:+d} to {rung.high:+d}") for rung in ladder.rungs]
    for each in standings:
        rated.append((each.rating.value, each.agent, elo_value(each.rating), elo_interval(each.rating)))
    rows = [f"| `{agent}` | {elo} | {bounds} |" for _, agent, elo, bounds in sorted(rated, reverse=True)[:STRONGEST]]
    said = "The strongest of those on [the ladder](../docs/ladder.md), where `random` is 0. Most are "
    said += "stronger the more time they have: [how strong](../docs/strength.md)."
    return "\n".join(["## Strong agents", "", said, "", "| agent | Elo | 95 % |", "|---|---|---|", *rows])


def _record(name: str) -> str:
    return f"""## A recorded game

```{{literalinclude}} ../tests/envs/{name}/picture.txt
:language: text
```

`boyi.envs.records.transcript` writes and reads such games; `boyi play {name} --save FILE` keeps one of yours, and
`boyi arena --out FILE` all of a match."""
