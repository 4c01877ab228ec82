"""Options of several commands."""

from typing import Annotated

import typer

Workers = Annotated[
    int, typer.Option(help="Processes that share the work; 0: one on each core.", metavar="N", min=0, show_default=True)
]
Cluster = Annotated[
    str | None, typer.Option(help="Run them on the nodes of a Ray cluster, not on this machine.", metavar="ray")
]
