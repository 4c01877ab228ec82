"""Trust in agent strings: those from others start no program and run no module unless somebody says that they may.

A string that a person types, or that a program of theirs passes, is their own. What stands in a file from elsewhere,
such as a training config, is read under `untrusted`, which holds for all agents made from it, however deeply nested
in other strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..envs.engine.errors import BoyiError

_doubted: ContextVar[str] = ContextVar("_doubted", default="")


@contextmanager
def untrusted(source: str) -> Iterator[None]:
    """Refuse, in the block, agent strings that start programs or run modules: they come from `source`."""
    token = _doubted.set(source)
    try:
        yield
    finally:
        _doubted.reset(token)


def check_trusted(deed: str) -> None:
    """Raise `BoyiError` where somebody else's string would do what only a person's own may."""
    if source := _doubted.get():
        raise BoyiError(f"{source} would {deed}; if you trust it, --allow-programs lets it")
