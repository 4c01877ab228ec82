"""The one syntax for games and agents: ``name[:positional][,key=value…]``, with quotes where a value needs them.

``hex``, ``hex:board_size=5,swap=true``, ``mcts:sims=400``, ``dqn:runs/NAME``, ``gtp:cmd='mohex --seed 1'``. A value is
a boolean, a number or text; within quotes it is text as it stands, but for the quote itself, which is written twice.
"""

import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from .errors import BoyiError, shown

LONGEST = 1 << 16  # characters of a string: nobody writes a longer one
QUOTES = ("'", '"')
_QUOTED = r"""'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*\""""
# Spaces belong to only one part of this, so the time to read a string grows no faster than its length.
_ITEM = re.compile(rf"""(?:\s*(?P<key>[A-Za-z_]\w*)\s*=)?(?P<value>\s*(?:{_QUOTED})\s*|[^,'"]*)(?:,|$)""")
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_REAL = re.compile(r"[+-]?(?:[0-9]{1,330}(?:\.[0-9]{0,330})?|\.[0-9]{1,330})(?:[eE][+-]?[0-9]{1,3})?")


def parse(text: str) -> tuple[str, str | None, dict[str, Any]]:
    """Split ``text`` into its name, its positional part (None when absent) and its typed parameters."""
    if len(text) > LONGEST:
        raise BoyiError(f"cannot read {shown(text)}: it has {len(text)} characters, the most is {LONGEST}")
    name, colon, rest = text.partition(":")
    positional: str | None = None
    values: dict[str, Any] = {}
    at = 0
    if not name.strip() or (colon and not rest.strip()):
        raise _malformed(text)
    while at < len(rest):
        item = _ITEM.match(rest, at)
        if item is None or not (value := item["value"].strip()):
            raise _malformed(text)
        if item["key"] is None:
            if at:
                raise _malformed(text)
            positional = _unquoted(value)
        elif item["key"] in values:
            raise BoyiError(f"{shown(text)} gives {shown(item['key'])} twice")
        else:
            values[item["key"]] = read_value(value)
        at = item.end()
    return name.strip(), positional, values


def write(name: str, positional: str | None = None, values: Mapping[str, Any] | None = None) -> str:
    """Write what `parse` reads back to the same name, positional part and parameters: booleans, numbers and text.

    `BoyiError` for a value that is none of these, and where it would be too long to read.
    """
    items = [_quoted(positional)] if positional is not None else []
    items += [f"{key}={_written(value)}" for key, value in (values or {}).items()]
    text = f"{name}:{','.join(items)}" if items else name
    if len(text) > LONGEST:
        raise BoyiError(f"cannot write {shown(text)}: it has {len(text)} characters, the most is {LONGEST}")
    return text


def read_value(text: str) -> Any:
    """Read a value: text in quotes, a boolean, a number, or else text."""
    if text.startswith(QUOTES):
        return _unquoted(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text


def pieces(text: str, between: str) -> list[str]:
    """Split text at a mark wherever it stands outside of quotes."""
    parts = re.findall(rf"""(?:{_QUOTED}|[^'"{between}])+|{between}|['"]""", text)
    found = [""]
    for part in parts:
        if part == between:
            found.append("")
        else:
            found[-1] += part
    return [piece.strip() for piece in found]


def lines_of(text: str, what: str) -> list[str]:
    """Split the text of `what` into lines, less those that are empty at its ends; `BoyiError` for what is not text."""
    if not isinstance(text, str):
        raise BoyiError(f"not {what}: that is text, not {shown(text)}")
    return text.strip("\n").split("\n")


def expect(form: str, text: str, what: str, example: str) -> re.Match[str]:
    """Match a part of `what` with a regular expression; `BoyiError` shows how it is written."""
    found = re.fullmatch(form, text)
    if found is None:
        raise BoyiError(f"not {what}: cannot read {shown(text)}: write it like {example!r}")
    return found


def expect_same(lines: list[str], written: list[str], what: str) -> None:
    """Compare the lines of `what` with those that would be written; `BoyiError` shows the first that differ."""
    for line, other in zip_longest(lines, written, fillvalue=""):
        if line != other:
            raise BoyiError(f"not {what}: {shown(line)} should be {shown(other)}")


def _unquoted(text: str) -> str:
    return text[1:-1].replace(2 * text[0], text[0]) if text.startswith(QUOTES) else text


def _written(value: Any) -> str:
    """Write a value as `read_value` reads it."""
    text = _quoted(value) if isinstance(value, str) else str(value)
    back = read_value(text)
    if type(back) is not type(value) or back != value:
        raise BoyiError(f"cannot write {shown(value)}: a value is true, false, a number or text")
    return text


def _quoted(text: str) -> str:
    """Put text in quotes where it would not be read as text, or not as a whole."""
    if text and not re.search(r"[,;='\"\s]", text) and read_value(text) == text:
        return text
    quote = '"' if "'" in text and '"' not in text else "'"
    return f"{quote}{text.replace(quote, 2 * quote)}{quote}"


def _malformed(text: str) -> BoyiError:
    return BoyiError(f"cannot read {shown(text)}: write name, name:value or name:key=value,key=value")
