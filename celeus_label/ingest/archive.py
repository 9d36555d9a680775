"""Inspect's .eval logs: a zip with one JSON file a sample."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator

from celeus_label.ingest.limits import MAX_FILE_BYTES, MAX_LINE_CHARACTERS, IngestError
from celeus_label.ingest.report import Reading, Refusal
from celeus_label.ingest.source import Source
from celeus_label.ingest.table import SAMPLE_ROWS, Record, Table, columns_of

# RuntimeError: the archive has a password
_FAULTS = (ValueError, RecursionError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)


def is_eval_log(source: Source) -> bool:
    """Whether a zip file is an Inspect log."""
    with source.raw() as stream:
        try:
            with zipfile.ZipFile(stream) as parts:
                return bool(_samples(parts))
        except _FAULTS:
            return False


def read_eval_log(source: Source) -> Table:
    """Open an Inspect log; its samples are numbered from 1 in the order of the archive."""

    def read(reading: Reading) -> Iterator[Record]:
        with source.raw() as stream, zipfile.ZipFile(stream) as parts:
            samples = _samples(parts)
            if sum(part.file_size for part in samples) > MAX_FILE_BYTES:
                raise IngestError(
                    f"{source.name} unfolds to more than {MAX_FILE_BYTES // 1024**3} GB; split it"
                )
            for number, part in enumerate(samples, start=1):
                if part.file_size > MAX_LINE_CHARACTERS:
                    rule = f"is longer than {MAX_LINE_CHARACTERS // 1024**2} MB, the most of one row"
                    reading.refuse(Refusal(number, "", part.filename, rule))
                    continue
                try:
                    row = json.loads(parts.read(part))
                except NotImplementedError:
                    raise IngestError(
                        f"{source.name} is compressed with zstandard; run inspect log convert --to json"
                    ) from None
                except _FAULTS as fault:
                    reading.refuse(Refusal(number, "", part.filename, f"can't be read: {fault}"))
                    continue
                if isinstance(row, dict):
                    yield number, row
                else:
                    reading.refuse(Refusal(number, "", part.filename, "is no JSON object ({…})"))
                reading.fraction = number / len(samples)

    table = Table(source.name, "json", (), read)
    return Table(source.name, "json", columns_of(table.head(SAMPLE_ROWS)), read)


def _samples(parts: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    files = parts.infolist()
    return [
        part for part in files if part.filename.startswith("samples/") and part.filename.endswith(".json")
    ]
