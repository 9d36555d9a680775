"""JSON in its kinds: an object a line, a list of objects (streamed), or one object of columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from celeus_label.ingest.encoding import find_encoding
from celeus_label.ingest.jsonlist import DECODER, SPACE, NamedTwice, list_rows
from celeus_label.ingest.limits import MAX_LINE_CHARACTERS, MAX_WHOLE_BYTES, IngestError
from celeus_label.ingest.report import Reading, Refusal, shown
from celeus_label.ingest.source import Source, lines, not_in_encoding, text_stream
from celeus_label.ingest.table import SAMPLE_ROWS, Record, Table, columns_of
from celeus_label.ingest.watch import is_json

_ROW_PATHS = (
    ("results", "results"), ("samples",), ("results",), ("data",), ("rows",), ("items",), ("records",),
    ("examples",), ("instances",),
)  # fmt: skip


def read_json(source: Source, encoding: str | None) -> Table:
    """Open a JSON file of whichever kind its first characters and its name say."""
    encoding, notes = find_encoding(source, encoding)
    kind = _kind(source, encoding)
    if kind == "list":
        return _table(source, "json", encoding, notes, lambda reading: list_rows(source, encoding, reading))
    if kind == "lines":
        return _table(source, "jsonl", encoding, notes, lambda reading: _line_rows(source, encoding, reading))
    rows, note = _document_rows(source, _whole(source, encoding))
    return _table(source, "json", encoding, notes + note, rows)


def _table(source: Source, kind: str, encoding: str, notes: tuple[str, ...], read: Any) -> Table:
    refused: list[Refusal] = []
    columns = columns_of([row for _, row in islice(read(Reading(refused.append)), SAMPLE_ROWS)])
    if not columns:
        first = f"; the first: {refused[0]}" if refused else ""
        raise IngestError(f"{source.name} has no row with a value that can be read{first}")
    return Table(source.name, kind, columns, read, encoding, None, notes)


def _kind(source: Source, encoding: str) -> str:
    """A "list", "lines" (an object on each: by name, or by the first two lines), or an "object"."""
    name = source.name.lower().removesuffix(".gz")
    first = ""
    with text_stream(source, encoding) as stream:
        try:
            while line := stream.readline(MAX_LINE_CHARACTERS):
                if not line.strip(SPACE):
                    continue
                if first:
                    return "lines" if is_json(first) else "object"
                first = line.strip(SPACE)
                if first.startswith("["):
                    return "list"
                if name.endswith((".jsonl", ".ndjson")):
                    return "lines"
        except UnicodeDecodeError as fault:
            raise not_in_encoding(source, encoding, fault, 0) from None
    if not first:
        raise IngestError(f"{source.name} is empty")
    return "object"


def _line_rows(source: Source, encoding: str, reading: Reading) -> Iterator[Record]:
    for number, line in enumerate(lines(source, encoding, reading), start=1):
        if not line.strip():
            continue
        try:
            row = DECODER.decode(line)
        except NamedTwice as fault:
            reading.refuse(Refusal(number, "", shown(line), str(fault)))
        except json.JSONDecodeError as fault:
            reading.refuse(
                Refusal(number, "", shown(line), f"is not JSON: {fault.msg} at character {fault.colno}")
            )
        except (ValueError, RecursionError) as fault:
            reading.refuse(Refusal(number, "", shown(line), f"can't be read: {shown(str(fault))}"))
        else:
            if isinstance(row, dict):
                yield number, row
            else:
                reading.refuse(Refusal(number, "", shown(line), "is no JSON object ({…})"))


def _whole(source: Source, encoding: str) -> dict[str, Any]:
    with source.open() as stream:
        data = stream.read(MAX_WHOLE_BYTES + 1)
    if len(data) > MAX_WHOLE_BYTES:
        raise IngestError(
            f"{source.name} is one JSON object of more than {MAX_WHOLE_BYTES // 1024**2} MB, which can't be"
            " read in parts; write it as JSONL (one object a line) or as a list of objects"
        )
    try:
        text = data.decode(encoding)
        del data  # the text and its values are large enough
        document = DECODER.decode(text)
    except UnicodeDecodeError as fault:
        raise not_in_encoding(source, encoding, fault, 0) from None
    except json.JSONDecodeError as fault:
        raise IngestError(f"row {fault.lineno}: {source.name} is not JSON: {fault.msg}") from None
    except (ValueError, RecursionError) as fault:
        raise IngestError(f"{source.name} can't be read as JSON: {shown(str(fault))}") from None
    if not isinstance(document, dict):
        raise IngestError(f"{source.name} holds one JSON value; a list of objects is needed")
    return document


def _document_rows(
    source: Source, document: dict[str, Any]
) -> tuple[Callable[[Reading], Iterator[Record]], tuple[str, ...]]:
    """A pass over the rows of one object, and a note on where they were found.

    A list of objects under a usual name; or a list of values a column (or an object of values by row number,
    as pandas writes); or an object of the same keys a row, by id; or else the object is the one row.
    """
    for path in _ROW_PATHS:
        found: Any = document
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
            return partial(_numbered, found), (f"the rows are the list under {'.'.join(path)}",)
    columns = {key: _column(value) for key, value in document.items()}
    full = {key: column for key, column in columns.items() if column is not None}
    if _is_by_id(document):
        by_id: list[Any] = [{"item_id": key, **row} for key, row in document.items()]
        return partial(_numbered, by_id), ("the keys of the file's object are taken for item_id",)
    if not full or len(full) < len(columns):
        return lambda reading: iter([(1, document)]), ()
    if len({len(column) for column in full.values()}) > 1:
        told = ", ".join(f"{key} has {len(column):,}" for key, column in full.items())
        raise IngestError(f"{source.name}: the columns are not equally long: {told}")
    names = tuple(full)

    def read(reading: Reading) -> Iterator[Record]:
        for place, values in enumerate(zip(*full.values(), strict=True), 1):
            yield place, dict(zip(names, values, strict=True))
            reading.fraction = place / len(full[names[0]])

    return read, ()


def _is_by_id(document: dict[str, Any]) -> bool:
    """Whether each value is an object, and all have the same keys, more than row numbers."""
    keys = {tuple(value) if isinstance(value, dict) else () for value in document.values()}
    names = next(iter(keys), ())
    return (
        len(document) > 1 and len(keys) == 1 and bool(names) and names != tuple(map(str, range(len(names))))
    )


def _numbered(rows: list[Any], reading: Reading) -> Iterator[Record]:
    return enumerate(rows, 1)


def _column(value: object) -> list[object] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and list(value) == [str(place) for place in range(len(value))]:
        return list(value.values())
    return None
