"""What a run has learned as a file to give away: weights in half precision, and a card that says how they were made."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import fit, parse_json
from ...envs.engine.version import __version__
from ...envs.records.files import PathOf, as_path, read_lines
from ..learning.alphazero_agent import FORMAT as AZ_FORMAT
from ..learning.alphazero_agent import AlphaZeroCard
from ..learning.checkpoint import read_file, write_file
from ..learning.model_agent import FORMAT, Card
from ..learning.shipped import FILE
from .run import latest, read_log
from .trainer import Figures


def export(run: PathOf, file: PathOf) -> AlphaZeroCard | Card:
    """Write the network of a run in half precision; return its card. `BoyiError` says what is wrong.

    The card's `made` says in words: command, commit, config (as JSON), games and decisions of self-play, hours,
    machine, and the latest scores on the ladder, in points where more than two sit at a table.
    """
    folder = as_path(run)
    config, versions = (_read_facts(folder / f"{name}.json") for name in ("config", "versions"))
    weights, card = _read_network(folder / FILE, config)
    lines = read_log(folder / "log.jsonl")
    scores = next((line for line in reversed(lines) if any(name.startswith("eval/") for name in line)), {})
    made = {
        "command": f"boyi train {folder.name}",
        "commit": _commit(),
        "config": json.dumps(config),
        "games": f"{_games(lines):.0f}",
        "decisions": f"{latest(lines, 'steps'):.0f}",
        "hours": f"{latest(lines, 'time/hours'):.1f}",
        "machine": f"{versions.get('processor', '')}, {versions.get('machine', '')}, torch {versions.get('torch', '')}",
        "ladder": ", ".join(
            f"{_score(scores, name)} of {config['evaluation_games']} against {name}"
            for name in (key.removeprefix("eval/") for key in scores if key.startswith("eval/"))
        ),
    }
    card = msgspec.structs.replace(card, made=made)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    for name, array in halves.items():
        if not np.isfinite(array).all():
            raise BoyiError(f"{folder / FILE}: {name} does not fit half precision")
    write_file(as_path(file), halves, msgspec.to_builtins(card))
    return card


def _read_network(file: Path, config: dict[str, Any]) -> tuple[dict[str, np.ndarray], AlphaZeroCard | Card]:
    """Read the network of a run, of AlphaZero or of one that values actions."""
    if config.get("algorithm") == "alphazero":
        return read_file(file, AlphaZeroCard, AZ_FORMAT)
    return read_file(file, Card, FORMAT)


def _games(lines: Sequence[Figures]) -> float:
    """Say how many games of self-play a log tells of: from their count or, for DQN, from their mean length."""
    games, before = latest(lines, "rollout/games") or latest(lines, "rollout/hands"), 0.0
    if not games:
        for line in lines:
            if line.get("rollout/ep_len_mean"):
                games += (line["steps"] - before) / line["rollout/ep_len_mean"]
                before = line["steps"]
    return games


def _score(scores: Mapping[str, float], agent: str) -> str:
    """Write a score against an agent: points a game where the log has them."""
    points = scores.get(f"return/{agent}")
    return f"{scores[f'eval/{agent}']:.1%}" if points is None else f"{points:+.0f} points a game"


def _read_facts(path: Path) -> dict[str, Any]:
    """Read a table of a run's folder."""
    found: dict[str, Any] = fit(parse_json(b"".join(read_lines(path)), str(path)), dict[str, Any], str(path))
    return found


def _commit() -> str:
    """Name the commit that this is run from, or the version where there is no repository."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return f"boyi {__version__}"
