"""A list of JSON objects, read one at a time however long the list; and JSON without silent losses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from celeus_label.ingest.limits import MAX_LINE_CHARACTERS, IngestError
from celeus_label.ingest.report import Reading, Refusal, shown
from celeus_label.ingest.source import Source, not_in_encoding, text_stream
from celeus_label.ingest.table import Record

SPACE = " \t\r\n"
_CHUNK = 1024 * 1024


class NamedTwice(ValueError):
    """An object names a key twice; Python's reader would keep the last one without a word."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NamedTwice(f'the key "{twice}" stands twice in one object')
    return made


DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def list_rows(source: Source, encoding: str, reading: Reading) -> Iterator[Record]:
    """The objects of a list, one at a time, without the whole file in memory.

    Their places are lines, or their numbers where the second stands in the line of the first: a file of one line.
    """
    with text_stream(source, encoding, reading) as stream:
        buffer = _Buffer(source, encoding, stream)
        buffer.expect("[")
        if buffer.peek() == "]":
            buffer.finish()
            return
        first, in_one_line = 0, False
        for number in count(1):
            buffer.peek()
            line = buffer.line
            if number == 1:
                first = line
            elif number == 2:
                in_one_line = line == first
            place = number if in_one_line else line
            value = buffer.value()
            if isinstance(value, dict):
                yield place, value
            else:
                reading.refuse(Refusal(place, "", shown(value), "is no JSON object ({…})"))
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
            while self._at < len(self._text) and self._text[self._at] in SPACE:
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
                value, end = DECODER.raw_decode(self._text, self._at)
            except NamedTwice as fault:
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
