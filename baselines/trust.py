"""Whose word it is: agent strings from others start no program and run no module unless somebody says that they may.

A string that a person types, or that a program of theirs hands over, is theirs. What stands in a file from elsewhere,
as a training config does, is read under `untrusted`, which holds for all agents that are made of it, however deep in
other strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..envs.engine.errors import BoyiError

_doubted: ContextVar[str] = ContextVar("_doubted", default="")


@contextmanager
def untrusted(source: str) -> Iterator[None]:
    """Refuse, within, agent strings that start programs or run modules: they come from `source`."""
    token = _doubted.set(source)
    try:
        yield
    finally:
        _doubted.reset(token)


def check_trusted(deed: str) -> None:
    """Raise `BoyiError` where a string of somebody else's would do what only a person's own may."""
    if source := _doubted.get():
        raise BoyiError(f"{source} would {deed}; if you trust it, --allow-programs lets it")
