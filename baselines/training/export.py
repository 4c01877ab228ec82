"""What a run has learned as a file to give away: weights in half precision, and a card that says how they were made."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import fit, parse_json
from ...envs.engine.version import __version__
from ...envs.records.files import PathOf, as_path, read_lines
from ..learning.alphazero_agent import FORMAT, AlphaZeroCard
from ..learning.checkpoint import read_file, write_file
from ..learning.model_agent import FILE
from .run import latest, read_log


def export(run: PathOf, file: PathOf) -> AlphaZeroCard:
    """Write the network of a run of AlphaZero in half precision; return its card. `BoyiError` says what is wrong.

    The card's `made` says in words: command, commit, config (as JSON), games and decisions of self-play, hours,
    machine, and the latest scores on the ladder.
    """
    folder = as_path(run)
    weights, card = read_file(folder / FILE, AlphaZeroCard, FORMAT)
    config, versions = (_read_facts(folder / f"{name}.json") for name in ("config", "versions"))
    lines = read_log(folder / "log.jsonl")
    scores = next((line for line in reversed(lines) if any(name.startswith("eval/") for name in line)), {})
    made = {
        "command": f"boyi train {folder.name}",
        "commit": _commit(),
        "config": json.dumps(config),
        "games": f"{latest(lines, 'rollout/games'):.0f}",
        "decisions": f"{latest(lines, 'steps'):.0f}",
        "hours": f"{latest(lines, 'time/hours'):.1f}",
        "machine": f"{versions.get('processor', '')}, {versions.get('machine', '')}, torch {versions.get('torch', '')}",
        "ladder": ", ".join(
            f"{score:.1%} of {config['evaluation_games']} against {name.removeprefix('eval/')}"
            for name, score in scores.items()
            if name.startswith("eval/")
        ),
    }
    card = msgspec.structs.replace(card, made=made)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    for name, array in halves.items():
        if not np.isfinite(array).all():
            raise BoyiError(f"{folder / FILE}: {name} does not fit half precision")
    write_file(as_path(file), halves, msgspec.to_builtins(card))
    return card


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
