"""What commands print: tables for the terminal, plain text of any width everywhere else, in ASCII where need be.

An output whose encoding has no word for a character gets the nearest that ASCII has, whoever prints it: `fit_outputs`
makes that the way in which this process's streams treat such characters.
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
    """Make a table without lines whose columns stand right, those named in `left` left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", overflow="fold")
    return table


def fitted(
    console: Console, options: ConsoleOptions, names: Sequence[str], tables: Callable[[Mapping[str, str]], list[Table]]
) -> Iterator[RenderableType]:
    """Yield tables that `tables` lays out of what is shown for each name: a number where they are too wide else.

    Numbers are explained above the tables. Too wide is what the terminal is narrower than, elsewhere `COLUMNS`.
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
    """Let stdout and stderr write in ASCII what their encoding does not have, and stdin read what it cannot decode."""
    codecs.register_error(DEGRADE, _degrade)
    for file, errors in ((sys.stdout, DEGRADE), (sys.stderr, DEGRADE), (sys.stdin, "replace")):
        if isinstance(file, io.TextIOWrapper):
            file.reconfigure(errors=errors)


def _degrade(error: UnicodeError) -> tuple[str, int]:
    """Write the characters that an encoder has stopped at in ASCII, as codecs ask for it."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(plain, error.object[error.start : error.end])), error.end


def plain(character: str) -> str:
    """Write one character in ASCII: ± as +-, ü as u, lines of boxes as - | and +, what nothing resembles as ?."""
    if character in PLAIN:
        return PLAIN[character]
    name = unicodedata.name(character, "")
    if name.startswith("BOX DRAWINGS"):
        return {"HORIZONTAL": "-", "VERTICAL": "|"}.get(name.split(maxsplit=3)[-1], "+")
    letters = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    return letters if letters and letters.isascii() else "?"
