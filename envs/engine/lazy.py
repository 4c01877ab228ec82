"""Names that a package imports when they are first asked for, so that importing the package stays light."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Build a package's ``__getattr__`` from the module that each name lives in.

    A library that is not installed is an `ImportError` that says what installs it.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - it is to be a module's
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f".{homes[name]}", package), name)
        except ModuleNotFoundError as error:
            raise ImportError(f'{package}.{name} needs {error.name}: pip install "boyi[baselines]"') from None

    return __getattr__
