"""The bundle's CSV: one way to write each row, and text that no spreadsheet takes for a formula.

A cell is quoted only where it has to be, a row ends with a line feed, and a float is written so that it reads
back bit for bit. As there is one way to write a row, a reader can tell any other from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from celeus_label.certificate.archive import MAX_LINE

Cell = str | int | float | None

ESCAPE = "'"
# What a spreadsheet may take for the beginning of a formula, in ASCII and in full width.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_TO_QUOTE = re.compile('[",\r\n]')
_CELL = re.compile('(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|\n)')


def text_cell(text: str) -> str:
    """Put an apostrophe before a text that begins like a formula, or with an apostrophe.

    >>> text_cell("=1+1"), text_cell("'quoted'"), text_cell("plain")
    ("'=1+1", "''quoted'", 'plain')
    """
    return ESCAPE + text if text.startswith((*_FORMULA, ESCAPE)) else text


def read_text(cell: str) -> str:
    """Read what `text_cell` wrote.

    Raises
    ------
    ValueError
        `text_cell` writes no such cell.
    """
    text = cell[1:] if cell.startswith(ESCAPE) else cell
    if text_cell(text) != cell:
        raise ValueError(f"the text {cell[:60]!r} is not written as in a bundle")
    return text


def read_number(cell: str) -> float:
    """Read a float that was written by `row_of`.

    Raises
    ------
    ValueError
        `row_of` writes no float like that.
    """
    try:
        number = float(cell)
    except ValueError:
        number = None
    if number is None or repr(number) != cell:
        raise ValueError(f"{cell[:60]!r} is not a number as a bundle writes it")
    return number


def cell_of(value: Cell) -> str:
    """A value as the text of a cell: texts made harmless, numbers as they are, None blank.

    >>> cell_of(-0.1), cell_of("-0.1"), cell_of(None)
    ('-0.1', "'-0.1", '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return text_cell(value)
    return repr(value) if isinstance(value, float) else str(value)


def row_of(values: Iterable[Cell]) -> str:
    """One row, with its line end."""
    return _join([cell_of(value) for value in values])


def read_rows(lines: Iterable[str], longest: int = MAX_LINE) -> Iterator[list[str]]:
    """The cells of each row, without their quotes; a cell may run over several lines.

    Parameters
    ----------
    lines : iterable of str
        With their ends.
    longest : int
        The most characters of a row.

    Raises
    ------
    ValueError
        A row that `row_of` would not have written; its first line is named.
    """
    parts: list[str] = []
    quotes = first = size = 0
    for number, line in enumerate(lines, start=1):
        if not parts:
            first = number
        parts.append(line)
        quotes += line.count('"')
        size += len(line)
        if size > longest:
            raise ValueError(f"line {first}: the row that begins here is longer than {longest:,} characters")
        if quotes % 2 == 0:
            yield _cells("".join(parts), first)
            parts, quotes, size = [], 0, 0
    if parts:
        raise ValueError(f"line {first}: a quoted cell begins here and never ends")


def _cells(row: str, line: int) -> list[str]:
    if '"' not in row:
        cells = row.removesuffix("\n").split(",")
    else:
        cells = [
            bare if quoted is None else quoted.replace('""', '"')
            for quoted, bare in (found.group(1, 2) for found in _CELL.finditer(row))
        ]
    if _join(cells) != row:
        raise ValueError(f"line {line}: its quotes or its line end are not as a bundle writes them")
    return cells


def _join(cells: Sequence[str]) -> str:
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _TO_QUOTE.search(cell) else cell
