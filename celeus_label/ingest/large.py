"""Pools past memory: the scores of a Parquet file in columns, its ids and texts left in the file.

A pool that the app stores is read by `load`, which reports every row and keeps the texts. Here tens of millions of
rows are read for `Certifier` alone: a number an item for the judge and for each feature, and of the texts the one
that is to be rated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from celeus_label.certify import Pool, Scale
from celeus_label.certify.pool import Floats, StoredIds
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.parquet import damaged

_BATCH_ROWS = 65_536
# Texts are long, and all but one of a batch are read for nothing.
_TEXT_ROWS = 256
# Bytes of a column that are read ahead; without this the whole of a row group's column is.
_BUFFER = 1024**2


@dataclass(frozen=True)
class LargePool:
    """A pool and the file that it was read from, which must stay as it is.

    Attributes
    ----------
    pool : Pool
        Its ids are read from the file.
    rows : Rows
    """

    pool: Pool
    rows: Rows

    def texts(self, position: int, *columns: str) -> tuple[str, ...]:
        """The text of an item in each of some columns, "" where it has none.

        A row group is read up to the item, so a file with row groups of some 10,000 rows answers in milliseconds.
        """
        values = self.rows.at(position, columns)
        return tuple("" if value is None else str(value) for value in values)


def open_parquet(
    path: Path,
    *,
    judge: str = "judge_score",
    scale: Scale,
    judge_scale: Scale | None = None,
    item_id: str = "item_id",
    features: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> LargePool:
    """Make a pool of a Parquet file of any length.

    Parameters
    ----------
    path : Path
    judge, item_id : str
        Their columns.
    scale, judge_scale : Scale
        As for `Pool`.
    features, groups : sequence of str
        Further columns of numbers, and of categories of which there are few.

    Raises
    ------
    IngestError
        The file is none, lacks a column, a judge's score or an id, or has an id twice; the row is named, counted
        from 1.
    ValueError
        As for `Pool`.
    """
    rows = Rows(path)
    for name in (judge, *features):
        rows.check_numbers(name)
    ids = _FileIds(rows, item_id)
    ids.check_unique()
    scores = rows.numbers(judge)
    if np.isnan(scores).any():
        raise IngestError(
            f"row {int(np.isnan(scores).argmax()) + 1}: {judge} is missing; every item needs one"
        )
    pool = Pool(
        ids,
        scores,
        scale,
        judge_scale,
        {name: rows.numbers(name) for name in features},
        {name: rows.categories(name) for name in groups},
    )
    return LargePool(pool, rows)


class Rows:
    """A Parquet file by columns in batches, and by single rows.

    Parameters
    ----------
    path : Path

    Raises
    ------
    IngestError
        It can't be read.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise IngestError(f"there is no file {path}")
        self.name = path.name
        try:
            self._file = pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
        except Exception as fault:  # a damaged file shows in faults of many kinds
            raise damaged(self.name, fault) from None
        about = self._file.metadata
        self.size: int = about.num_rows
        sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        self._ends = np.cumsum(sizes)

    def batches(self, column: str) -> Iterator[Any]:
        """A column from the first row to the last, as Arrow arrays."""
        self._check(column)
        for batch in self._read([column], _BATCH_ROWS):
            yield batch.column(0)

    def at(self, position: int, columns: Sequence[str]) -> list[Any]:
        """The cells of one row."""
        for column in columns:
            self._check(column)
        if not 0 <= position < self.size:
            raise IndexError(f"{self.name} has {self.size} rows, and none at position {position}")
        group = int(self._ends.searchsorted(position, side="right"))
        place = position - (int(self._ends[group - 1]) if group else 0)
        for batch in self._read(list(columns), _TEXT_ROWS, [group]):
            if place < batch.num_rows:
                return [batch.column(column)[place].as_py() for column in columns]
            place -= batch.num_rows
        raise AssertionError(f"{self.name}: row group {group} has fewer rows than the file says")

    def check_numbers(self, column: str) -> None:
        """Raise `IngestError` where a column is missing or not of numbers."""
        self._check(column)
        kind = self._file.schema_arrow.field(column).type
        kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean
        if not any(fits(kind) for fits in kinds):
            raise IngestError(f"{self.name}: the column {column!r} is of the type {kind}, not of numbers")

    def numbers(self, column: str) -> Floats:
        """A column of numbers, NaN where there is none; shape (N,)."""
        found, done = np.empty(self.size), 0
        for batch in self.batches(column):
            found[done : done + len(batch)] = batch.cast(pa.float64()).to_numpy(zero_copy_only=False)
            done += len(batch)
        return found

    def categories(self, column: str) -> list[str]:
        """A column of categories, "" where there is none; every text is held once."""
        known: dict[str, str] = {}
        found: list[str] = []
        for batch in self.batches(column):
            texts = ("" if value is None else str(value) for value in batch.to_pylist())
            found += [known.setdefault(text, text) for text in texts]
        return found

    def _check(self, column: str) -> None:
        names = self._file.schema_arrow.names
        if names.count(column) != 1:
            many = "has no column" if column not in names else "has more than one column"
            raise IngestError(f"{self.name} {many} {column!r}; its columns are {', '.join(names)}")

    def _read(self, columns: list[str], rows: int, groups: list[int] | None = None) -> Iterator[Any]:
        try:
            yield from self._file.iter_batches(rows, row_groups=groups, columns=columns)
        except (pa.ArrowException, OSError) as fault:
            raise damaged(self.name, fault) from None


class _FileIds(StoredIds):
    """The ids in a column of a file."""

    def __init__(self, rows: Rows, column: str) -> None:
        self._rows, self._column = rows, column
        self._last: tuple[int, str] | None = None  # the item just drawn is asked for more than once

    def __len__(self) -> int:
        return self._rows.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no item {index}: the pool has {len(self)}")
        position = index % len(self)
        if self._last is None or self._last[0] != position:
            self._last = position, str(self._rows.at(position, [self._column])[0])
        return self._last[1]

    def __iter__(self) -> Iterator[str]:
        for batch in self._rows.batches(self._column):
            yield from map(str, batch.to_pylist())

    def check_unique(self) -> None:
        """Raise `IngestError` where an id is missing or there twice, in 8 bytes an item and not in its letters."""
        hashes, done = np.empty(len(self), dtype=np.int64), 0
        for batch in self._rows.batches(self._column):
            values = batch.to_pylist()
            if batch.null_count:
                row = done + values.index(None) + 1
                raise IngestError(f"row {row}: {self._column} is missing; every item needs one")
            hashes[done : done + len(values)] = np.fromiter(
                map(hash, map(str, values)), np.int64, len(values)
            )
            done += len(values)
        order = np.sort(hashes)
        twice = set(order[1:][order[1:] == order[:-1]].tolist())
        first: dict[str, int] = {}
        for row, item_id in enumerate(self if twice else (), start=1):
            if hash(item_id) not in twice:
                continue
            if item_id in first:
                raise IngestError(
                    f"row {row}: {self._column} {item_id!r} was already used in row {first[item_id]}; "
                    f"ids must be unique"
                )
            first[item_id] = row
