"""CSV in its kinds: comma, semicolon, tab or bar, quoted line breaks, any line end."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from celeus_label.ingest.cells import read_number
from celeus_label.ingest.encoding import find_encoding
from celeus_label.ingest.limits import MAX_CELL_CHARACTERS, MAX_COLUMNS, IngestError
from celeus_label.ingest.report import Reading, Refusal
from celeus_label.ingest.source import Source, lines
from celeus_label.ingest.table import Record, Table

DELIMITERS = (",", ";", "\t", "|")
_SNIFFED_CHARACTERS = 64 * 1024
_SNIFFED_RECORDS = 200


def read_delimited(source: Source, encoding: str | None, delimiter: str | None) -> Table:
    """Open a delimited file: its encoding, delimiter and header."""
    encoding, notes = find_encoding(source, encoding)
    if delimiter is None:
        delimiter = _told(next(lines(source, encoding), "")) or _sniff(source, encoding)
    elif len(delimiter) != 1 or delimiter in '"\r\n':
        raise IngestError(f"delimiter {delimiter!r} must be one character, such as , ; | or a tab")
    header, _ = next(_records(source, encoding, delimiter, Reading(lambda refusal: None)), ([], 0))
    if not header:
        raise IngestError(f"{source.name} is empty: there is no header line")
    columns, renamed = column_names(header)
    if any(read_number(name) is not None for name in columns):
        notes += ("the first line holds a number: is it a row, and the header missing?",)

    def read(reading: Reading) -> Iterator[Record]:
        records = _records(source, encoding, delimiter, reading)
        next(records)
        width = len(columns)
        for cells, line in records:
            if len(cells) == width:
                yield line, dict(zip(columns, cells, strict=True))
            else:
                count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                reading.refuse(Refusal(line, "", "", f"has {count}, the header has {width}"))

    return Table(source.name, "csv", columns, read, encoding, delimiter, notes + renamed)


def column_names(header: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns' names: unique, and none blank."""
    if len(header) > MAX_COLUMNS:
        raise IngestError(
            f"the header has {len(header):,} columns, more than {MAX_COLUMNS:,}; is the delimiter right?"
        )
    columns = [name.strip() or f"column_{place}" for place, name in enumerate(header, start=1)]
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise IngestError(f'the header names the column "{twice[0]}" more than once; rename one of them')
    unnamed = [name for name, old in zip(columns, header, strict=True) if not old.strip()]
    return tuple(columns), tuple(f"a column without a name is called {name}" for name in unnamed)


def _records(
    source: Source, encoding: str, delimiter: str, reading: Reading
) -> Iterator[tuple[list[str], int]]:
    """Each record's cells and the line where it begins; blank lines are no records."""
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    text = lines(source, encoding, reading)
    before = 0
    first = next(text, None)
    if first is not None and _told(first):
        before, first = 1, next(text, None)
    if first is None:
        return
    # strict: without it a stray quote is dropped without a word, and an open one swallows the file
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    while True:
        begin = before + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            _refuse_record(fault, begin, before + reader.line_num, reading)
            continue
        if cells:
            yield cells, begin


def _refuse_record(fault: csv.Error, begin: int, end: int, reading: Reading) -> None:
    if "field larger" in str(fault):
        raise IngestError(
            f"row {begin}: a cell is longer than {MAX_CELL_CHARACTERS // 10**6} million characters;"
            " was a quote opened and never closed?"
        )
    if "unexpected end" in str(fault):
        swallowed = f"; it holds everything to the end, line {end}" if end > begin else ""
        rule = f"a quote opened here is never closed{swallowed}; close it, or double quotes inside cells"
    else:
        rule = f"the quotes are wrong ({fault}); quotes inside a quoted cell must be doubled"
    reading.refuse(Refusal(begin, "", "", rule))


def _told(first: str) -> str | None:
    """The delimiter that a first line ``sep=;`` tells, which Excel writes and reads."""
    line = first.rstrip("\r\n")
    return line[4] if line.lower().startswith("sep=") and len(line) == 5 else None


def _sniff(source: Source, encoding: str) -> str:
    """The delimiter under which the first records have the header's number of cells most often."""
    sample: list[str] = []
    characters = 0
    for line in lines(source, encoding):
        sample.append(line)
        characters += len(line)
        if characters > _SNIFFED_CHARACTERS:
            break

    def fit(delimiter: str) -> tuple[float, int]:
        widths = []
        try:
            for cells in csv.reader(sample, delimiter=delimiter):
                widths.append(len(cells))
                if len(widths) > _SNIFFED_RECORDS:
                    break
        except csv.Error:
            return 0.0, 0
        widths = [width for width in widths if width]
        if not widths or widths[0] < 2:
            return 0.0, 0
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    csv.field_size_limit(MAX_CELL_CHARACTERS)
    return max(DELIMITERS, key=fit)
