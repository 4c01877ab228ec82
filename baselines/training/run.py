"""``boyi train``: a learner from a config, in a folder from which it can go on after a kill at any moment.

``runs/NAME`` holds ``config.json`` and ``versions.json``; ``log.jsonl`` and TensorBoard's files;
``checkpoint.safetensors``, all that the next step depends on; ``model.safetensors``, what ``"dqn:runs/NAME"`` or
``"az:runs/NAME"`` plays; the pictures ``curves.png`` and ``moves.png``; and ``games.jsonl``, the games of the latest
evaluation. A run that was killed and resumed goes on exactly as if it had not been, as long as its opponents decide
from the position alone.
"""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from torch.utils.tensorboard import SummaryWriter

from ...envs.engine.errors import BoyiError, is_number, shown
from ...envs.engine.machine import processor
from ...envs.engine.schema import Form, Whole, fit, parse_json
from ...envs.engine.version import __version__
from ...envs.records.files import Growing, PathOf, as_path, lock, read_lines, replace_file
from ...envs.records.game_record import GameRecord
from ..arena.matches import evaluate
from ..learning.checkpoint import read_file, write_file
from ..learning.shipped import FILE
from .alphazero_trainer import AlphaZeroTrainer
from .config import FIELDS, Config
from .curves import curves, heat_map
from .dqn_trainer import DQNTrainer
from .hand_trainer import HandTrainer
from .trainer import Figures, Trainer

FORMAT = "boyi-run-2"
TRAINERS: dict[str, type[Trainer]] = {"dqn": DQNTrainer, "alphazero": AlphaZeroTrainer, "hand_dqn": HandTrainer}
FREE = (
    "steps", "checkpoint_interval", "evaluation_interval", "evaluation_games", "evaluation_opening", "evaluation_sims",
    "log_interval", "ladder", "learning_rate", "decay_games", "decay", "sims", "quick_sims", "full_share", "c",
    "fpu", "fpu_from", "workers", "cluster",
)  # fmt: skip
"""Fields that may change when a run is resumed."""

STOPPED = "stopped"
"""Why a run that was asked to stop has stopped: it does so at once, without an evaluation."""

FRESH = 30.0  # seconds after which an evaluation draws the pictures again

Report = Callable[[int, Figures], None]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to stop before the config's steps: after `minutes`, at a score of `until` against `against`, if `asked`."""

    minutes: float | None = None
    until: float | None = None
    against: str | None = None
    asked: Callable[[], bool] = bool

    def __post_init__(self) -> None:
        if self.minutes is not None and not is_number(self.minutes, 0):
            raise BoyiError(f"minutes must be a number, at least 0, not {shown(self.minutes)}")
        if self.until is not None and not is_number(self.until, 0, 1):
            raise BoyiError(f"until must be a score from 0 to 1, not {shown(self.until)}")


class Run:
    """A training run in its folder: a new one or, with `resume`, the one that is there."""

    def __init__(self, config: Config, folder: PathOf, *, resume: bool = False, device: str = "auto") -> None:
        self.config, self.folder = config, (folder := as_path(folder))
        self.file, self.log_file = folder / "checkpoint.safetensors", folder / "log.jsonl"
        if not resume and (folder / "config.json").exists():
            raise BoyiError(f"{folder} holds a run: --resume goes on with it, --name NAME starts another")
        kept = read_file(self.file, Checkpoint, FORMAT) if resume and self.file.exists() else None
        if kept is not None:
            _check_same(config, kept[1].config, self.file)
        self.trainer = TRAINERS[config["algorithm"]](config, device)
        self.lines: list[Figures] = []
        if kept is not None:
            arrays, facts = kept
            self.trainer.unpack(arrays, facts.learner, str(self.file))
            self.lines = read_log(self.log_file, facts.lines)

    @property
    def steps(self) -> int:
        """Steps so far: transitions, or decisions in self-play."""
        return self.trainer.steps

    @property
    def scores(self) -> Figures:
        """The latest scores (0 to 1) by opponent."""
        last: Figures = next(
            (line for line in reversed(self.lines) if any(key.startswith("eval/") for key in line)), {}
        )
        return {key.removeprefix("eval/"): value for key, value in last.items() if key.startswith("eval/")}

    def train(self, limits: Limits | None = None, report: Report | None = None) -> str:
        """Train to the config's steps or the first limit; return why it stopped.

        `report` is called with the steps and the figures of every line of the log.
        """
        keeper = _Keeper(self, limits or Limits(), report or (lambda steps, figures: None))
        with hold(self.folder), self._logs():
            try:
                if self.steps < self.config["steps"]:
                    self.trainer.train(keeper.between)
                keeper.finish()
            except _Stop as stop:
                return str(stop)
        return f"all {self.steps} steps are done"

    @contextmanager
    def _logs(self) -> Iterator[None]:
        """Write what the folder says of the run, and open the logs where they go on."""
        _write_json(self.folder / "config.json", self.config.facts)
        _write_json(self.folder / "versions.json", versions())
        replace_file(self.log_file, "".join(map(_line, self.lines)).encode())
        self.log_lines = Growing(self.log_file)
        purged = self.steps + 1 if self.lines else None
        self.board = SummaryWriter(str(self.folder), purge_step=purged)
        try:
            yield
        finally:
            self.board.close()

    def evaluate(self, against: str | None = None) -> Figures:
        """Play the ladder, and `against`; keep the games, and return the scores as figures of the log."""
        ladder = list(dict.fromkeys([*self.config.ladder, *([against] if against else [])]))
        config = self.config
        games, opening = config["evaluation_games"], config["evaluation_opening"]
        records: list[GameRecord] = []
        result = evaluate(self.trainer.agent(), config.game, ladder, games, config["seed"], opening, records.append)
        replace_file(self.folder / "games.jsonl", "".join(record.line() for record in records).encode())
        played = dict(zip(ladder, result.pairings, strict=True))
        scores = {f"eval/{agent}": row.score.value for agent, row in played.items()}
        if result.graded:
            scores |= {f"return/{agent}": row.mean_return for agent, row in played.items()}
        return scores

    def draw(self) -> None:
        """Draw the pictures."""
        replace_file(self.folder / "curves.png", curves(self.lines, self.trainer.unit))
        replace_file(self.folder / "moves.png", heat_map(self.config.game, self.trainer.moves))

    def log(self, figures: Figures) -> None:
        """Append a line to the log, and to TensorBoard's."""
        self.lines.append({"steps": self.steps, **figures})
        self.log_lines.append(_line(self.lines[-1]))
        for name, value in figures.items():
            self.board.add_scalar(name, value, self.steps)

    def save(self) -> None:
        """Write model and checkpoint, each whole or not at all."""
        self.trainer.export(self.folder / FILE)
        arrays, learner = self.trainer.pack()
        facts = Checkpoint(config=self.config.facts, lines=len(self.lines), learner=learner)
        write_file(self.file, arrays, msgspec.to_builtins(facts))


class Checkpoint(Form, frozen=True, kw_only=True):
    """The facts of a run: its config, how many lines of the log it knows, and those of its learner."""

    format: str = FORMAT
    config: dict[str, Any]
    lines: Whole
    learner: dict[str, Any]


class _Stop(Exception):
    """Leaves a learner's loop between two rounds, where everything is consistent."""


class _Keeper:
    """Logs, evaluates, saves and stops, always between learning and the next move."""

    def __init__(self, run: Run, limits: Limits, report: Report) -> None:
        self.run, self.limits, self.report = run, limits, report
        self.started, self.first, self.seen = time.monotonic(), run.steps, run.steps
        self.drawn = self.started
        self.evaluated = run.steps if run.lines else -1
        self.hours = latest(run.lines, "time/hours")

    def between(self) -> None:
        """Do what is due between two rounds; `_Stop` ends the run."""
        run = self.run
        if self._due("log_interval"):
            self._log()
        if self._due("evaluation_interval"):
            self._evaluate()
        save, self.seen = self._due("checkpoint_interval"), run.steps
        why = self._why()
        if why and why != STOPPED:
            self._evaluate()
        if why:
            run.draw()
        if why or save:
            run.save()
        if why:
            raise _Stop(why)

    def _due(self, interval: str) -> bool:
        """Whether a multiple of the interval has been passed since the last check."""
        return self.run.steps // self.run.config[interval] > self.seen // self.run.config[interval]

    def _why(self) -> str:
        """Say why the run stops here; nothing if it does not."""
        limits, spent = self.limits, (time.monotonic() - self.started) / 60
        if limits.asked():
            return STOPPED
        if limits.until is not None and self.run.scores.get(str(limits.against), 0.0) >= limits.until:
            return f"{limits.until:.0%} against {limits.against} is reached"
        if limits.minutes is not None and spent >= limits.minutes:
            return f"{limits.minutes:g} minutes are over"
        return ""

    def _log(self) -> None:
        passed = max(time.monotonic() - self.started, 1e-9)
        fps, hours = (self.run.steps - self.first) / passed, self.hours + passed / 3600
        self.run.log(self.run.trainer.figures() | {"time/fps": round(fps, 1), "time/hours": round(hours, 4)})
        self.report(self.run.steps, self.run.lines[-1])

    def _evaluate(self) -> None:
        if self.evaluated != self.run.steps:
            self.evaluated = self.run.steps
            self.run.log(self.run.evaluate(self.limits.against))
            if time.monotonic() - self.drawn >= FRESH:
                self.drawn = time.monotonic()
                self.run.draw()
            self.report(self.run.steps, self.run.lines[-1])

    def finish(self) -> None:
        """Evaluate and save at the end of all steps."""
        self._evaluate()
        self.run.draw()
        self.run.save()


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder; `BoyiError` when another one does or nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("w")
    except OSError as error:
        raise BoyiError(f"cannot write {folder}: {error.strerror}") from None
    with file:
        lock(file, folder)
        yield


def versions() -> dict[str, str]:
    """Say what a run was made with."""
    packages = ("numpy", "numba", "torch", "stable_baselines3", "gymnasium")
    machine = {"python": platform.python_version(), "machine": platform.platform(), "processor": processor()}
    return {"boyi": __version__, **machine, **{name: version(name) for name in packages}}


def _check_same(config: Config, kept: Mapping[str, Any], file: Path) -> None:
    """Raise `BoyiError` for a checkpoint that another config wrote."""
    # Fields that are newer than the checkpoint had their defaults then.
    kept = {**{field: param.default for field, param in FIELDS[config["algorithm"]].items()}, **kept}
    for field, value in config.facts.items():
        if field not in FREE and kept.get(field) != value:
            raise BoyiError(f"{file} belongs to another run: its {field} is {kept.get(field)!r}, here it is {value!r}")
    for field in kept.keys() ^ config.facts.keys():
        raise BoyiError(f"{file} belongs to another run: one of the two has no field {field!r} in its config")


def _line(figures: Figures) -> str:
    """Write a line of the log; JSON has no word for what is not finite."""
    return json.dumps({name: value if math.isfinite(value) else None for name, value in figures.items()}) + "\n"


def read_log(path: Path, count: int | None = None) -> list[Figures]:
    """Read the lines of a log, or those that a checkpoint knows; what was logged after it will be logged again."""
    lines = read_lines(path)
    if count is not None and len(lines) < count:
        raise BoyiError(f"{path} is damaged: it holds {len(lines)} lines, its run had logged {count}")
    found = []
    for number, line in enumerate(lines[:count], 1):
        where = f"{path}, line {number},"
        figures = fit(parse_json(line, where), dict[str, int | float | None], where)
        if figures.get("steps") is None:
            raise BoyiError(f"{where} is damaged: it does not say after how many steps")
        found.append({name: math.nan if value is None else value for name, value in figures.items()})
    return found


def latest(lines: Sequence[Figures], name: str) -> float:
    """Return the latest figure of a name in a log; 0 where there is none."""
    return next((line[name] for line in reversed(lines) if name in line), 0.0)


def _write_json(path: Path, facts: Mapping[str, Any]) -> None:
    replace_file(path, (json.dumps(facts, indent=2) + "\n").encode())
