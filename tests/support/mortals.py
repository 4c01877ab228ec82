"""Agents and commands that come to an end while others work for them."""

import multiprocessing
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from boyi.baselines.agent import Agent
from boyi.envs import View
from boyi.envs.records.game_record import GameRecord


def content(records: list[GameRecord]) -> list[Any]:
    """What is the same whoever plays: not the order, and not the seconds."""
    return sorted((r.pairing, r.index, r.seed, r.seats, r.actions, r.returns, r.ended) for r in records)


KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # of which Windows has the latter, and it ends a process as surely


class Doomed(Agent):
    """Plays the first legal action; the first `times` processes that ask it about a second move die."""

    name = "doomed"

    def __init__(self, mark: str, times: int = 1) -> None:
        super().__init__()
        self.mark, self.times, self.home = mark, times, os.getpid()

    def act(self, view: View) -> np.ndarray:
        if os.getpid() != self.home and view.states["ply"][0] > 1:
            for k in range(self.times):
                try:
                    os.close(os.open(f"{self.mark}{k}", os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                os.kill(os.getpid(), KILL)
        return view.mask.argmax(axis=1)


class Liar(Agent):
    """Says that it cannot go on."""

    name = "liar"

    def act(self, view: View) -> np.ndarray:
        raise ValueError("no more")


def gone(seconds: float = 20.0) -> None:
    """Wait until no process is left that this one has started."""
    until = time.monotonic() + seconds
    while multiprocessing.active_children():
        assert time.monotonic() < until
        time.sleep(0.05)


def lives(group: int) -> bool:
    """Whether any process of a group does."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def interrupt(command: list[str], out: Path) -> None:
    """Send Ctrl-C to a command that has written a few games to `out`: it says how to go on, and nobody is left."""
    process = subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.PIPE, text=True, start_new_session=True)
    until = time.monotonic() + 120
    while not (out.exists() and out.read_bytes().count(b"\n") > 4):
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said and "--resume" in said.splitlines()[-1], said
    while lives(process.pid):
        assert time.monotonic() < until + 60
        time.sleep(0.1)
