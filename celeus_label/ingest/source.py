"""The bytes of a file, plain or gzipped, as a stream with a bound; and the text in them."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from celeus_label.ingest.limits import MAX_FILE_BYTES, MAX_LINE_CHARACTERS, IngestError
from celeus_label.ingest.report import Reading

GZIP = b"\x1f\x8b"
_BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Source:
    """One file: a path, or the bytes of an upload.

    Attributes
    ----------
    origin : Path or bytes
    name : str
        What people call it; its ending is a hint of the format.
    """

    origin: Path | bytes
    name: str

    def size(self) -> int:
        """Bytes as stored (compressed, where it is)."""
        return len(self.origin) if isinstance(self.origin, bytes) else self.origin.stat().st_size

    def raw(self) -> IO[bytes]:
        """The bytes as stored."""
        if isinstance(self.origin, bytes):
            return io.BytesIO(self.origin)
        return self.origin.open("rb")

    def packed(self) -> bool:
        """Whether the bytes are gzipped."""
        with self.raw() as stream:
            return stream.read(2) == GZIP

    def open(self, reading: Reading | None = None) -> IO[bytes]:
        """The bytes, decompressed where they are gzipped, up to a bound; `reading` is kept informed."""
        return cast(IO[bytes], io.BufferedReader(_Bounded(self, reading), _BLOCK))

    def head(self, size: int) -> bytes:
        """The first bytes after decompression."""
        with self.open() as stream:
            return stream.read(size)


class _Bounded(io.RawIOBase):
    """Reads a source to a bound and turns the faults of compression into sentences."""

    def __init__(self, source: Source, reading: Reading | None) -> None:
        self._name = source.name
        self._size = max(source.size(), 1)
        self._raw = source.raw()
        self._stream = self._raw
        if source.packed():
            self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=self._raw))
        self._reading = reading
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        try:
            data = self._stream.read(len(view))
        except (EOFError, gzip.BadGzipFile, zlib.error) as fault:
            raise IngestError(f"{self._name}: the gzip data are damaged ({fault}); export it again") from None
        view[: len(data)] = data
        self._count += len(data)
        if self._count > MAX_FILE_BYTES:
            raise IngestError(
                f"{self._name} holds more than {MAX_FILE_BYTES // 1024**3} GB after decompression,"
                " the most that is read; split the file"
            )
        if self._reading is not None:
            self._reading.fraction = min(self._raw.tell() / self._size, 1.0)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._raw.close()
        super().close()


def text_stream(source: Source, encoding: str, reading: Reading | None = None) -> io.TextIOWrapper:
    """The file as text, line ends untouched."""
    return io.TextIOWrapper(source.open(reading), encoding=encoding, errors="strict", newline="")


def lines(source: Source, encoding: str, reading: Reading | None = None) -> Iterator[str]:
    """The file's lines with their ends, each within a bound."""
    number = 0
    with text_stream(source, encoding, reading) as stream:
        while True:
            try:
                line = stream.readline(MAX_LINE_CHARACTERS)
            except UnicodeDecodeError as fault:
                raise not_in_encoding(source, encoding, fault, number) from None
            if not line:
                return
            number += 1
            if len(line) == MAX_LINE_CHARACTERS:
                raise IngestError(
                    f"row {number}: the line is longer than {MAX_LINE_CHARACTERS // 1024**2} million"
                    " characters; is this file really text?"
                )
            yield line


def not_in_encoding(source: Source, encoding: str, fault: UnicodeDecodeError, line: int) -> IngestError:
    """The error for bytes that the encoding doesn't know."""
    wrong = fault.object[fault.start : fault.start + 1].hex()
    return IngestError(
        f"{source.name}: somewhere after row {line} is the byte 0x{wrong}, which is not {encoding};"
        " name the file's encoding (utf-8, utf-16, cp1252, …)"
    )


def is_encoding(name: str) -> bool:
    """Whether Python knows a text encoding of this name."""
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False
