"""The finished games of many rows as lines of JSON."""

from __future__ import annotations

from os import PathLike, fspath

from ..recording import Recorder
from .shell import VectorEnv, VectorShell


class RecordGames(VectorShell):
    """Appends each finished game to the file `path` as a line of JSON; see `boyi.wrappers.RecordGames`."""

    def __init__(self, env: VectorEnv, path: str | PathLike[str]) -> None:
        super().__init__(env, path=fspath(path))
        self.recorder = Recorder(self.table, path)
