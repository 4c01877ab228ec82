"""The command ``boyi mutants``: which test of a game notices which one-line bug."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...envs.conformance.mutants import UNCHANGED, judge, mutants_of, told
from ...envs.engine.errors import unknown
from ...envs.engine.spec import Game
from ..arena.printing import complain, show, text_table
from .check import declared


def mutants(
    game: Annotated[str, typer.Argument(help="A game: hex; or your own: module:SPEC.")],
    tests: Annotated[
        Path | None, typer.Option(help="The folder of its tests and its GAME_mutants.py; else tests/envs/GAME.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Just the bug of this name, and how it is noticed.")] = None,
) -> None:
    """Put each of a list of one-line bugs into a copy of a game and print which of its tests has noticed it."""
    found = declared(game)
    spec = found.spec if isinstance(found, Game) else found
    folder = Path("tests/envs") / spec.name if tests is None else tests
    listed = mutants_of(spec, folder)
    chosen = [mutant for mutant in listed if only in (None, mutant.name)]
    if not chosen:
        raise unknown("mutant", only, [mutant.name for mutant in listed])
    unchanged, *verdicts = judge(spec, folder.resolve(), [UNCHANGED, *chosen], Path.cwd())
    if unchanged.outcome != "survived":
        complain(f"boyi: the tests do not pass on an unchanged copy; {told(unchanged)}")
        raise typer.Exit(1)
    table = text_table("mutant", "file", "outcome", "by", left=("mutant", "file", "outcome", "by"))
    for mutant, verdict in zip(chosen, verdicts, strict=True):
        table.add_row(mutant.name, mutant.file, verdict.outcome, verdict.by)
        if only is not None:
            print(verdict.said)
    killed = sum(verdict.outcome == "killed" for verdict in verdicts)
    show(table, f"{killed} of {len(verdicts)} killed")
    if killed < len(verdicts):
        for verdict in verdicts if only is None else ():  # else it has been printed
            if verdict.outcome not in ("killed", "survived"):
                complain(told(verdict))
        raise typer.Exit(1)
