"""Parquet, read in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.report import Reading
from celeus_label.ingest.source import Source
from celeus_label.ingest.table import Record, Table

MAGIC = b"PAR1"
# Few rows at a time: cells of a dictionary column are small in the file and large in memory.
_BATCH_ROWS = 1_000


def read_parquet(source: Source) -> Table:
    """Open a Parquet file."""
    with source.raw() as stream:
        file = _open(source, stream)
        columns = tuple(file.schema_arrow.names)
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise IngestError(f'{source.name} names the column "{twice}" more than once; rename one of them')

    def read(reading: Reading) -> Iterator[Record]:
        with source.raw() as stream:
            file = _open(source, stream)
            total = max(file.metadata.num_rows, 1)
            number = 0
            try:
                for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                    for row in batch.to_pylist():
                        number += 1
                        yield number, row
                    reading.fraction = number / total
            except Exception as fault:  # a damaged file shows in faults of many kinds
                raise damaged(source.name, fault) from None

    return Table(source.name, "parquet", columns, read)


def _open(source: Source, stream: Any) -> Any:
    try:
        return pq.ParquetFile(stream)
    except Exception as fault:  # a damaged file shows in faults of many kinds
        raise damaged(source.name, fault) from None


def damaged(name: str, fault: Exception) -> IngestError:
    """The error for a file that turns out to be none."""
    return IngestError(
        f"{name} can't be read as Parquet: {(str(fault) or type(fault).__name__).splitlines()[0]}"
    )
