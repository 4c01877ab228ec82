"""Names that a package imports when they are first asked for, so that importing the package stays light."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

MODULE = ""
"""The home of a name that is a module of the package."""


def importer(
    package: str, names: Iterable[str], homes: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Build a package's ``__getattr__``, from the module that each name lives in, and a ``__dir__`` of its `names`.

    The home of a name that is a module is `MODULE`. If a library is not installed, an `ImportError` says what installs
    it.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - it is to be a module's
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            if homes[name] == MODULE:
                return import_module(f".{name}", package)
            return getattr(import_module(f".{homes[name]}", package), name)
        except ModuleNotFoundError as error:
            raise ImportError(f'{package}.{name} needs {error.name}: pip install "boyi[baselines]"') from None

    return __getattr__, lambda: sorted(names)
