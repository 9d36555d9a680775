"""JSON in its kinds: an object a line, a list of objects (streamed), or one object of columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from celeus_label.ingest.encoding import find_encoding
from celeus_label.ingest.limits import MAX_LINE_CHARACTERS, MAX_WHOLE_BYTES, IngestError
from celeus_label.ingest.report import Reading, Refusal, shown
from celeus_label.ingest.source import Source, lines, not_in_encoding, text_stream
from celeus_label.ingest.table import SAMPLE_ROWS, Record, Table, columns_of

_CHUNK = 1024 * 1024
_ROW_PATHS = (
    ("results", "results"), ("samples",), ("results",), ("data",), ("rows",), ("items",), ("records",),
    ("examples",), ("instances",),
)  # fmt: skip
_SPACE = " \t\r\n"


class _Twice(ValueError):
    """An object names a key twice; Python's reader would keep the last one without a word."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Twice(f'the key "{twice}" stands twice in one object')
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def read_json(source: Source, encoding: str | None) -> Table:
    """Open a JSON file of whichever kind its first characters and its name say."""
    encoding, notes = find_encoding(source, encoding)
    first = next((line for line in lines(source, encoding) if line.strip()), None)
    if first is None:
        raise IngestError(f"{source.name} is empty")
    start = first.lstrip(_SPACE)
    if start.startswith("["):
        return _table(source, "json", encoding, notes, lambda reading: _list_rows(source, encoding, reading))
    if _is_lines(source, encoding, first):
        return _table(source, "jsonl", encoding, notes, lambda reading: _line_rows(source, encoding, reading))
    rows, note = _document_rows(source, _whole(source, encoding))
    return _table(source, "json", encoding, notes + note, lambda reading: iter(rows))


def _table(source: Source, kind: str, encoding: str, notes: tuple[str, ...], read: Any) -> Table:
    table = Table(source.name, kind, (), read, encoding, None, notes)
    columns = columns_of(table.head(SAMPLE_ROWS))
    return Table(source.name, kind, columns, read, encoding, None, notes)


def _is_lines(source: Source, encoding: str, first: str) -> bool:
    """Whether each line is an object of its own: by name, or by the first two lines."""
    name = source.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return True
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    full = (line for line in lines(source, encoding) if line.strip())
    next(full)
    return next(full, None) is not None


def _line_rows(source: Source, encoding: str, reading: Reading) -> Iterator[Record]:
    for number, line in enumerate(lines(source, encoding, reading), start=1):
        if not line.strip():
            continue
        try:
            row = _DECODER.decode(line)
        except _Twice as fault:
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


def _list_rows(source: Source, encoding: str, reading: Reading) -> Iterator[Record]:
    """The objects of a list, one at a time, without the whole file in memory."""
    with text_stream(source, encoding, reading) as stream:
        buffer = _Buffer(source, encoding, stream)
        buffer.expect("[")
        if buffer.peek() == "]":
            buffer.finish()
            return
        while True:
            buffer.peek()
            line = buffer.line
            value = buffer.value()
            if isinstance(value, dict):
                yield line, value
            else:
                reading.refuse(Refusal(line, "", shown(value), "is no JSON object ({…})"))
            if buffer.peek() == "]":
                buffer.finish()
                return
            buffer.expect(",")


class _Buffer:
    """The part of a JSON text that is being looked at, and the line where it stands."""

    def __init__(self, source: Source, encoding: str, stream: Any) -> None:
        self._source, self._encoding, self._stream = source, encoding, stream
        self._text, self._at, self.line = "", 0, 1

    def peek(self) -> str:
        """The next character that is no white space."""
        if not self._skip_space():
            raise IngestError(
                f"row {self.line}: the JSON ends in the middle of the list; the file is cut short"
            )
        return self._text[self._at]

    def _skip_space(self) -> bool:
        """Go to the next character that is no white space; False at the end of the file."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self.line += self._text[self._at] == "\n"
                self._at += 1
            if self._at < len(self._text):
                return True
            if not self._more(_CHUNK):
                return False

    def expect(self, character: str) -> None:
        """Go past this character, or say that it is missing."""
        if self.peek() != character:
            raise IngestError(f"row {self.line}: the JSON has {self.peek()!r} where {character!r} belongs")
        self._at += 1

    def finish(self) -> None:
        """Go past the list's end; what follows would be lost without a word."""
        self.expect("]")
        if self._skip_space():
            raise IngestError(f"row {self.line}: there is more after the end of the list; is it JSONL?")

    def value(self) -> object:
        """Read one value, with as much more text as it takes."""
        size = _CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except _Twice as fault:
                raise IngestError(f"row {self.line}: {fault}") from None
            except json.JSONDecodeError as fault:
                line = self.line + self._text.count("\n", self._at, fault.pos)
                if len(self._text) - self._at > MAX_LINE_CHARACTERS:
                    raise IngestError(
                        f"row {self.line}: one value of the list is longer than"
                        f" {MAX_LINE_CHARACTERS // 1024**2} million characters"
                    ) from None
                if not self._more(size):
                    raise IngestError(f"row {line}: the file is not JSON: {fault.msg}") from None
                size *= 2
            except (ValueError, RecursionError) as fault:
                raise IngestError(f"row {self.line}: the JSON can't be read: {shown(str(fault))}") from None
            else:
                self.line += self._text.count("\n", self._at, end)
                self._at = end
                return value

    def _more(self, size: int) -> bool:
        try:
            chunk = self._stream.read(size)
        except UnicodeDecodeError as fault:
            raise not_in_encoding(self._source, self._encoding, fault, self.line) from None
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)


def _whole(source: Source, encoding: str) -> dict[str, Any]:
    with source.open() as stream:
        data = stream.read(MAX_WHOLE_BYTES + 1)
    if len(data) > MAX_WHOLE_BYTES:
        raise IngestError(
            f"{source.name} is one JSON object of more than {MAX_WHOLE_BYTES // 1024**2} MB, which can't be"
            " read in parts; write it as JSONL (one object a line) or as a list of objects"
        )
    try:
        document = _DECODER.decode(data.decode(encoding))
    except UnicodeDecodeError as fault:
        raise not_in_encoding(source, encoding, fault, 0) from None
    except json.JSONDecodeError as fault:
        raise IngestError(f"row {fault.lineno}: {source.name} is not JSON: {fault.msg}") from None
    except (ValueError, RecursionError) as fault:
        raise IngestError(f"{source.name} can't be read as JSON: {shown(str(fault))}") from None
    if not isinstance(document, dict):
        raise IngestError(f"{source.name} holds one JSON value; a list of objects is needed")
    return document


def _document_rows(source: Source, document: dict[str, Any]) -> tuple[list[Record], tuple[str, ...]]:
    """The rows of one object, and a note on where they were found.

    A list of objects under a usual name; or a list of values a column (or an object of values by row number,
    as pandas writes); or else the object is the one row.
    """
    for path in _ROW_PATHS:
        found: Any = document
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
            return list(enumerate(found, 1)), (f"the rows are the list under {'.'.join(path)}",)
    columns = {key: _column(value) for key, value in document.items()}
    full = {key: column for key, column in columns.items() if column is not None}
    if not full or len(full) < len(columns):
        return [(1, document)], ()
    if len({len(column) for column in full.values()}) > 1:
        told = ", ".join(f"{key} has {len(column):,}" for key, column in full.items())
        raise IngestError(f"{source.name}: the columns are not equally long: {told}")
    rows = zip(*full.values(), strict=True)
    return [(place, dict(zip(full, values, strict=True))) for place, values in enumerate(rows, 1)], ()


def _column(value: object) -> list[object] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and list(value) == [str(place) for place in range(len(value))]:
        return list(value.values())
    return None
