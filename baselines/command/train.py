"""The command ``boyi train``: a run from a config, its progress, and where it stopped."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...envs.engine.errors import BoyiError
from ..agents import make_agent
from ..arena.options import Cluster
from ..arena.printing import complain
from ..training.config import Config, read_config, shipped
from ..trust import untrusted
from .progress import progress

if TYPE_CHECKING:
    from ..training.run import Report, Run


def train(
    config: Annotated[str, typer.Argument(help="A config that ships with boyi, such as hex_dqn, or PATH.toml.")],
    name: Annotated[str | None, typer.Option(help="The run's folder in runs/; else the config's name.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is there.")] = False,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
    minutes: Annotated[float | None, typer.Option(help="Stop after this long.", min=0.0)] = None,
    steps: Annotated[int | None, typer.Option(help="Transitions in all; else the config's.", min=1)] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this score against --against.", min=0.0, max=1.0)] = None,
    against: Annotated[str | None, typer.Option(help="An agent that evaluations play, too.")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same run; else the config's.", min=0)] = None,
    workers: Annotated[
        int | None, typer.Option(help="AlphaZero: processes that play; else the config's.", metavar="N", min=0)
    ] = None,
    cluster: Cluster = None,
    allow_programs: Annotated[
        bool, typer.Option("--allow-programs", help="Let agents of a config from elsewhere run programs and modules.")
    ] = False,
) -> None:
    """Train DQN, Double DQN or AlphaZero; the run in runs/NAME survives a kill and plays as dqn: or az:runs/NAME."""
    if (until is None) != (against is None):
        raise BoyiError("--until SCORE and --against AGENT go together")
    # A run's folder may come from others, too: what is in it is not trusted, whatever config it is resumed with.
    trusted = allow_programs or (config in shipped() and not resume)
    with nullcontext() if trusted else untrusted(f"the run of {config}"):
        _train(
            read_config(config, steps=steps, seed=seed, workers=workers, cluster=cluster), name, device, resume=resume,
            minutes=minutes, until=until, against=against,
        )  # fmt: skip


def _train(config: Config, name: str | None, device: str, *, resume: bool, **limits: Any) -> None:
    """Train from a config and print where the run has stopped."""
    for agent in filter(None, (*config.agents, limits["against"])):
        make_agent(agent, config.game)
    try:
        from ..training.run import Limits, Run
    except ImportError as error:
        raise BoyiError(f'training needs {error.name}: pip install "boyi[baselines]"') from None
    asked: list[int] = []
    stop = Limits(**limits, asked=lambda: bool(asked))
    run = Run(config, Path("runs") / (name or config.name), resume=resume, device=device)
    with _pausing(asked), _reporting(run) as report:
        why = run.train(stop, report)
    scores = ", ".join(f"{score:.0%} against {agent}" for agent, score in run.scores.items())
    print(f"{run.folder}: {run.steps} steps, {why}; {scores}")
    if run.steps < config["steps"]:
        words = [*sys.argv[1:], *["--resume"] * ("--resume" not in sys.argv)]
        print(f"go on with: boyi {shlex.join(words)}")
    if asked:
        raise typer.Exit(130)


@contextmanager
def _pausing(asked: list[int]) -> Iterator[None]:
    """Turn the first Ctrl-C into an entry of `asked`, which the run reads between rounds; the second stops the run."""

    def ask(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        complain("boyi: saving; Ctrl-C again stops at once and falls back to the last checkpoint")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _reporting(run: Run) -> Iterator[Report]:
    """Show how far a run is, with its latest figures."""
    latest: dict[str, float] = {}
    with progress(str(run.folder), run.config["steps"], "steps", run.steps, lines=True) as tell:

        def report(steps: int, figures: dict[str, float]) -> None:
            latest.update(figures)
            evaluated = any(name.startswith("eval/") for name in figures)
            tell(steps, _words(latest), _words(figures, *run.trainer.watched), now=evaluated)

        yield report


def _words(figures: dict[str, float], *names: str) -> str:
    """Write the figures that evaluations have found, and those of `names`; without any names, how fast the run is."""
    found = sorted(name for name in figures if name.startswith(("eval/", "return/")))
    return ", ".join(
        f"{name if name.startswith('return/') else name.split('/', 1)[1]} {figures[name]:.3g}"
        for name in (*found, *(names or ("time/fps",)))
        if name in figures
    )
