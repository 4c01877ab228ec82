"""The form of the files that we read, and the one way to read them.

JSON and TOML are parsed, then fitted to a `Form`: every field is there and no other, each of its type. That fields
agree is checked by each form, in its ``__post_init__``, with a `ValueError`. Each array is fitted to an `ArrayForm`.
Whatever is wrong raises one `BoyiError` that begins with where it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import msgspec
import numpy as np

from .errors import BoyiError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEEP = 20  # levels of nested lists and tables: our own files have five at most
WIDE = 128  # bits of a number: the state of a random generator has that many
LONG = 300  # characters of what is said about a file that may hold anything

T = TypeVar("T")
F = TypeVar("F", bound="Form")

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""A whole number that counts, or that points at something."""


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of exactly these fields; subclasses must also say that they are frozen and take fields by keyword."""


def parse_json(content: bytes | str, where: str, what: str = "JSON") -> Any:
    """Read JSON; a `BoyiError` says it is not `what` if it is not JSON, is too deep or has numbers nobody writes."""
    return _parse(msgspec.json.decode, content, where, what)


def parse_toml(content: bytes, where: str) -> dict[str, Any]:
    """Read TOML; `BoyiError` as for JSON."""
    found: dict[str, Any] = _parse(lambda text: tomllib.loads(text.decode()), content, where, "TOML")
    return found


def _parse(parser: Callable[..., Any], content: bytes | str, where: str, what: str) -> Any:
    try:
        found = parser(content)
    except RecursionError:
        raise BoyiError(f"{where} is not {what}: it is nested too deeply") from None
    except (ValueError, msgspec.MsgspecError) as error:
        raise BoyiError(f"{where} is not {what}: {_clause(error)}") from None
    level = [found]
    for _ in range(DEEP):
        if any(isinstance(each, int) and each.bit_length() > WIDE for each in level):
            raise BoyiError(f"{where} is not {what}: it holds a number of more than {WIDE} bits")
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [each for container in inside for each in container]
    if level:
        raise BoyiError(f"{where} is not {what}: it is nested too deeply")
    return found


def fit(content: Any, form: type[T], where: str) -> T:
    """Fit what was parsed to a form, or to another type; `BoyiError` says what is missing, unknown or wrong."""
    try:
        return msgspec.convert(content, form)
    except msgspec.ValidationError as error:
        raise BoyiError(f"{where} is damaged: {_clause(error)}{_allowed(form, error)}") from None


def _allowed(form: Any, error: msgspec.ValidationError) -> str:
    """Name the few words that a field may hold, which the library's error leaves out."""
    found = re.search(r"^Invalid enum value .* at `\$\.(\w+)`$", str(error))
    hint = get_type_hints(form).get(found[1]) if found is not None else None
    words = list(hint) if isinstance(hint, type) and issubclass(hint, Enum) else get_args(hint)
    return f", allowed: {', '.join(map(str, words))}" if words else ""


def read(
    content: bytes | str,
    form: type[F],
    *,
    where: str,
    what: str,
    format: str,
    earlier: Mapping[str, Mapping[str, Any]] | None = None,
    unwritten: Callable[[Any], Any] = lambda content: content,
) -> F:
    """Read JSON of a form whose `format` says what it is; `earlier` formats did not have the fields given there.

    `unwritten` puts into what was parsed the values that JSON has no word for.
    """
    what, earlier = f"{what} of format {format}", earlier or {}
    found = parse_json(content, where, what)
    if not isinstance(found, dict) or found.get("format") not in (format, *earlier):
        raise BoyiError(f"{where} is not {what}")
    later = earlier.get(found["format"], {})
    for name in later.keys() & found.keys():
        raise BoyiError(f"{where} is damaged: object contains unknown field `{name}`")
    known = {**later, **found, "format": format}
    for name in form.__struct_fields__:
        if name not in known:  # defaults are for those who write
            raise BoyiError(f"{where} is damaged: object missing required field `{name}`")
    return fit(unwritten(known), form, where)


def _clause(error: Exception) -> str:
    """Write what a library says as the rest of a sentence, on one line."""
    said = " ".join(str(error).split())
    return (said[:1].lower() + said[1:] if said[1:2].islower() else said)[:LONG]


class ArrayForm(NamedTuple):
    """An array's shape, the dtypes that it may have and the range of its numbers, which are finite."""

    shape: tuple[int, ...]
    dtypes: tuple[Any, ...]
    low: float = -np.inf
    high: float = np.inf


def fit_arrays(arrays: Mapping[str, np.ndarray], forms: Mapping[str, ArrayForm], where: str) -> None:
    """Check that the arrays are those of the forms, none missing and none extra; `BoyiError` names what is wrong."""
    for name in forms:
        if name not in arrays:
            raise BoyiError(f"{where} is damaged: there is no array {name}")
    for name, array in arrays.items():
        if name not in forms:
            raise BoyiError(f"{where} is damaged: there is an array {name[:LONG]}, which does not belong there")
        _fit_array(name, array, forms[name], where)


def _fit_array(name: str, array: np.ndarray, form: ArrayForm, where: str) -> None:
    dtypes = [np.dtype(each) for each in form.dtypes]
    if array.shape != form.shape or array.dtype not in dtypes:
        wanted = f"{' or '.join(map(str, dtypes))} of shape {form.shape}"
        raise BoyiError(f"{where} is damaged: {name} must be {wanted}, not {array.dtype} of shape {array.shape}")
    # A boolean is a byte that is 0 or 1; a byte read from a file need not be.
    numbers = array.view(np.uint8) if array.dtype == np.bool_ else array
    low, high = (0, 1) if array.dtype == np.bool_ else (form.low, form.high)
    if not (np.isfinite(numbers) & (numbers >= low) & (numbers <= high)).all():
        wanted = "finite" if (low, high) == (-np.inf, np.inf) else f"from {low:g} to {high:g}"
        raise BoyiError(f"{where} is damaged: numbers of {name} are not {wanted}")
