"""Find where two tables or two JSON values differ, and say so in sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from celeus_label.certificate.cells import cell_of
from celeus_label.certificate.tables import Column, Table

_MOST_PER_FILE = 5
_LONGEST_VALUE = 80
_LONGEST_SENTENCE = 600


class Differences:
    """Sentences in the order in which they were found, a few for each file."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._by_file: Counter[str] = Counter()

    def add(self, file: str, sentence: str) -> None:
        """Note a difference in a file; the file's name is put before the sentence where it is not there."""
        self._by_file[file] += 1
        if self._by_file[file] <= _MOST_PER_FILE:
            told = sentence if sentence.startswith(file) else f"{file}: {sentence}"
            self._sentences.append(short(told))

    def any_in(self, file: str) -> bool:
        """Whether a difference in this file was found so far."""
        return self._by_file[file] > 0

    def sentences(self) -> list[str]:
        """All of them, and how many more there are."""
        more = [
            f"{file}: {count - _MOST_PER_FILE} more differences"
            for file, count in self._by_file.items()
            if count > _MOST_PER_FILE
        ]
        return self._sentences + more


def compare(table: Table, rows: Iterator[list[str]], found: Differences) -> str | None:
    """Compare a file's rows with a table, cell by cell.

    Numbers that were computed may differ by their column's tolerance, everything else must be the same text.

    Parameters
    ----------
    table : Table
        What the rows must be.
    rows : iterator of list of str
        Header and rows of the file.
    found : Differences

    Returns
    -------
    str or None
        The first cell that is the same within its tolerance only, as a sentence.
    """
    header = [column.name for column in table.columns]
    if next(rows, None) != header:
        found.add(table.name, f"its header is not {','.join(header)}")
        return None
    rounded = None
    expected = iter(table.rows)
    number = 0
    while True:
        number += 1
        have, want = next(rows, None), next(expected, None)
        if have is None and want is None:
            return rounded
        place = f"{table.name} row {number}"
        if want is None:
            found.add(
                table.name,
                f"{place}: a row too many, after the {number - 1} there must be: {_row(have or [])}",
            )
            return rounded
        cells = [cell_of(value) for value in want]
        if have is None:
            found.add(table.name, f"{place}: it is missing; {table.source} {_row(cells)}")
            return rounded
        if len(have) != len(cells):
            found.add(table.name, f"{place}: it has {len(have)} cells, the header has {len(cells)}")
            continue
        for column, cell, wanted in zip(table.columns, have, cells, strict=True):
            if cell == wanted or column.free:
                continue
            sentence = f"{place}, column {column.name}: {shown(cell)}, but {table.source} {shown(wanted)}"
            if not _close(column, cell, wanted):
                found.add(table.name, sentence)
            elif rounded is None:
                rounded = sentence


def json_differences(have: Any, want: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """Place, value there and value wanted of every difference between two JSON values."""
    if isinstance(have, dict) and isinstance(want, dict):
        for key in sorted({*have, *want}):
            inner = f"{place}.{key}" if place else str(key)
            if key not in have:
                yield inner, "missing", shown(json.dumps(want[key]))
            elif key not in want:
                yield inner, shown(json.dumps(have[key])), "nothing of it"
            else:
                yield from json_differences(have[key], want[key], inner)
    elif json.dumps(have) != json.dumps(want):
        yield place, shown(json.dumps(have)), shown(json.dumps(want))


def shown(text: str) -> str:
    """A value for a sentence: never long, and no character that could play tricks with the reader."""
    if text == "":
        return "(blank)"
    cut = text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
    return cut if cut.isprintable() else repr(cut)


def short(sentence: str) -> str:
    """A sentence of bounded length on one line."""
    line = sentence if sentence.isprintable() else "".join(c if c.isprintable() else "�" for c in sentence)
    return line if len(line) <= _LONGEST_SENTENCE else line[:_LONGEST_SENTENCE] + "…"


def _close(column: Column, cell: str, wanted: str) -> bool:
    if column.tolerance == 0.0:
        return False
    try:
        return abs(float(cell) - float(wanted)) <= column.tolerance
    except ValueError:
        return False


def _row(cells: list[str]) -> str:
    return shown(",".join(cells))
