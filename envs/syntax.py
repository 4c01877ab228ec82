"""The one syntax for games and agents: ``name[:positional][,key=value…]``, with quotes where a value needs them.

``hex``, ``hex:board_size=5,swap=true``, ``mcts:sims=400``, ``dqn:runs/NAME``, ``gtp:cmd='mohex --seed 1'``.
"""

import re
from ast import literal_eval
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from .errors import BoyiError

_ITEM = re.compile(r"""\s*(?:(?P<key>[A-Za-z_]\w*)\s*=)?\s*(?P<value>'[^']*'|"[^"]*"|[^,'"]*)\s*(?:,|$)""")


def parse(text: str) -> tuple[str, str | None, dict[str, Any]]:
    """Split ``text`` into its name, its positional part (None when absent) and its typed parameters."""
    name, colon, rest = text.partition(":")
    positional: str | None = None
    values: dict[str, Any] = {}
    at = 0
    if not name.strip() or (colon and not rest.strip()):
        raise _malformed(text)
    while at < len(rest):
        item = _ITEM.match(rest, at)
        if item is None or not item["value"]:
            raise _malformed(text)
        if item["key"] is None:
            if at:
                raise _malformed(text)
            positional = item["value"].strip("'\" ")
        elif item["key"] in values:
            raise BoyiError(f"{text!r} gives {item['key']} twice")
        else:
            values[item["key"]] = _typed(item["value"].strip())
        at = item.end()
    return name.strip(), positional, values


def write(name: str, positional: str | None = None, values: Mapping[str, Any] | None = None) -> str:
    """Write what `parse` reads back to the same name, positional part and parameters."""
    items = [_quoted(positional)] if positional is not None else []
    items += [f"{key}={_quoted(value)}" for key, value in (values or {}).items()]
    return f"{name}:{','.join(items)}" if items else name


def expect(form: str, text: str, what: str, example: str) -> re.Match[str]:
    """Match a part of `what` with a regular expression; `BoyiError` shows how it is written."""
    found = re.fullmatch(form, text)
    if found is None:
        raise BoyiError(f"not {what}: cannot read {text!r}: write it like {example!r}")
    return found


def expect_same(lines: list[str], written: list[str], what: str) -> None:
    """Compare the lines of `what` with those that would be written; `BoyiError` shows the first that differ."""
    for line, other in zip_longest(lines, written, fillvalue=""):
        if line != other:
            raise BoyiError(f"not {what}: {line!r} should be {other!r}")


def _typed(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _quoted(value: Any) -> str:
    text = str(value)
    if isinstance(value, str) and (_typed(text) != text or re.search(r"[,='\"\s]|^$", text)):
        return f'"{text}"' if "'" in text else f"'{text}'"
    return text


def _malformed(text: str) -> BoyiError:
    return BoyiError(f"cannot read {text!r}: write name, name:value or name:key=value,key=value")
