"""The finished games of many rows as lines of JSON."""

from __future__ import annotations

from ...envs.records.files import PathOf, as_path
from ..recording import Recorder
from .shell import VectorEnv, VectorShell


class RecordGames(VectorShell):
    """Appends each finished game to the file `path` as a line of JSON; see `boyi.wrappers.RecordGames`."""

    def __init__(self, env: VectorEnv, path: PathOf) -> None:
        super().__init__(env, path=str(as_path(path)))
        self.recorder: Recorder = Recorder(self.seating, path)
