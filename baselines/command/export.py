"""The command ``boyi export``: what a run has learned as a file to give away."""

from pathlib import Path
from typing import Annotated

import typer

from ...envs.engine.errors import BoyiError


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a run, such as runs/einstein_az.")],
    file: Annotated[Path, typer.Argument(help="The file to write, such as einstein.safetensors.")],
) -> None:
    """Write what a run has learned in half precision, with a card that says how it was made."""
    try:
        from ..training.export import export as write
    except ImportError as error:
        raise BoyiError(f'runs need {error.name}: pip install "boyi[baselines]"') from None
    card = write(run, file)
    agent = "az" if card.algorithm == "alphazero" else card.algorithm
    print(f"{file}: {file.stat().st_size:,} bytes, plays as {agent}:{file}; {card.made['ladder'] or 'never evaluated'}")
