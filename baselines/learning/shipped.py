"""The networks that come with the package, by the agents that play them, and the files of others."""

from __future__ import annotations

from os.path import isdir
from pathlib import Path

from ...envs.engine.errors import BoyiError, shown
from ...envs.records.files import PathOf, as_path

FILE = "model.safetensors"
"""The file in a run's folder that holds what it has learned."""
WEIGHTS = Path(__file__).parent / "weights"


def shipped_weights(agent: str) -> list[str]:
    """List the names of the networks that come with the package for an agent."""
    return sorted(path.stem for path in (WEIGHTS / agent).glob("*.safetensors"))


def weights_file(agent: str, path: PathOf) -> Path:
    """Find the file of a network that an agent is to play by, from the name of one that ships, its file or the folder
    of its run; `BoyiError` for a name that nothing has.
    """
    known = shipped_weights(agent)
    place = WEIGHTS / agent / f"{path}.safetensors" if path in known else as_path(path)
    file = place / FILE if isdir(place) else place
    if known and not file.exists() and "/" not in str(path):
        raise BoyiError(
            f"no weights are called {shown(str(path))}: those that ship are {', '.join(known)}; name others by path"
        )
    return file
