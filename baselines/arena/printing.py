"""What commands print: tables for the terminal, plain text of any width everywhere else, in ASCII where need be.

Where an output's encoding lacks a character, the nearest in ASCII is written, whatever prints it: `fit_outputs` makes
this process's streams treat such characters that way.
"""

import codecs
import io
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

PLAIN = {
    "±": "+-", "∞": "inf", "µ": "u", "×": "x", "·": ".", "•": "*", "→": "->", "←": "<-", "≤": "<=", "≥": ">=",
    "−": "-", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "ß": "ss",
}  # fmt: skip
DEGRADE = "boyi_plain"
WIDTH = 200  # columns where there is no terminal: nothing of ours is wider, so nothing is folded
COLUMNS = 80  # of tables of agents there, whose names may be of any length


def text_table(*columns: str, left: tuple[str, ...] = ()) -> Table:
    """Make a table without lines whose columns are aligned right, those named in `left` aligned left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", overflow="fold")
    return table


def fitted(
    console: Console, options: ConsoleOptions, names: Sequence[str], tables: Callable[[Mapping[str, str]], list[Table]]
) -> Iterator[RenderableType]:
    """Yield tables that `tables` lays out from what is shown for each name: a number where names make them too wide.

    Numbers are explained above the tables. Too wide means wider than the terminal or, elsewhere, than `COLUMNS`.
    """
    limit, endless = options.max_width if console.is_terminal else COLUMNS, options.update(width=sys.maxsize)
    shown = {name: name for name in names}
    if any(Measurement.get(console, endless, table).maximum > limit for table in tables(shown)):
        shown = {name: f"#{number}" for number, name in enumerate(shown, 1)}
        yield from (Text(f"{number} {name}") for name, number in shown.items())
    yield from tables(shown)


def console(file: TextIO | None = None) -> Console:
    """Open a console (default: stdout) that prints text as it is, markup and emoji names included."""
    plain = {"markup": False, "emoji": False, "highlight": False}
    found = Console(file=file, **plain)  # type: ignore[arg-type]
    return found if found.is_terminal else Console(file=file, width=WIDTH, color_system=None, **plain)  # type: ignore[arg-type]


def as_text(what: RenderableType) -> str:
    """Render to plain text, without blanks at the ends of lines."""
    file = io.StringIO()
    console(file).print(what)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def show(*parts: RenderableType) -> None:
    """Print on stdout: in colour and as wide as the terminal, or as plain text."""
    out = console()
    for part in parts:
        if out.is_terminal:
            out.print(part)
        else:
            print(as_text(part))


def complain(sentence: str) -> None:
    """Print a line on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def fit_outputs() -> None:
    """Let stdout and stderr write in ASCII what their encoding lacks, and stdin replace what it cannot decode."""
    codecs.register_error(DEGRADE, _degrade)
    for file, errors in ((sys.stdout, DEGRADE), (sys.stderr, DEGRADE), (sys.stdin, "replace")):
        if isinstance(file, io.TextIOWrapper):
            file.reconfigure(errors=errors)


def _degrade(error: UnicodeError) -> tuple[str, int]:
    """Write in ASCII the characters that an encoder has stopped at, in the form that `codecs` asks for."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(plain, error.object[error.start : error.end])), error.end


def plain(character: str) -> str:
    """Write one character in ASCII: ± as +-, ü as u, lines of boxes as - | and +, anything without a likeness as ?."""
    if character in PLAIN:
        return PLAIN[character]
    name = unicodedata.name(character, "")
    if name.startswith("BOX DRAWINGS"):
        return {"HORIZONTAL": "-", "VERTICAL": "|"}.get(name.split(maxsplit=3)[-1], "+")
    letters = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    return letters if letters and letters.isascii() else "?"
