"""A file as rows of named cells, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from celeus_label.ingest.limits import MAX_COLUMNS, IngestError
from celeus_label.ingest.report import Reading, Refusal, storable

Row = dict[str, object]
Record = tuple[int, Row]
SAMPLE_ROWS = 1_000


@dataclass(frozen=True)
class Table:
    """Rows of a file, read anew at each pass; nothing is kept in memory.

    Attributes
    ----------
    name : str
        The file's name.
    format : str
        "csv", "jsonl", "json", "parquet" or "excel".
    columns : tuple of str
        In the order of the file. In JSON the keys of the first 1,000 rows; the keys of an object inside are
        written with a dot: ``scores.quality``.
    read : callable
        Starts a pass over the rows; `rows` is the public way.
    encoding, delimiter : str or None
        Of text files.
    notes : tuple of str
        What a person should know of how the file was read.
    preset : str or None
        The evaluation tool whose output this is, where its shape was recognised.
    judge_scale : (float, float) or None
        The scale of that tool's judge, where its format fixes it.
    sheets : tuple of str
        The visible sheets of a workbook, in its order.
    sheet : str or None
        The one that is read.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    read: Callable[[Reading], Iterator[Record]]
    encoding: str | None = None
    delimiter: str | None = None
    notes: tuple[str, ...] = ()
    preset: str | None = None
    judge_scale: tuple[float, float] | None = None
    sheets: tuple[str, ...] = ()
    sheet: str | None = None

    @property
    def decimal_comma(self) -> bool:
        """Whether "4,5" means 4.5: only where commas don't part the cells."""
        return self.delimiter is not None and self.delimiter != ","

    def rows(self, reading: Reading | None = None) -> Iterator[Record]:
        """Each row with its place: the line of a text file (the header is line 1), else the row's number.

        Parameters
        ----------
        reading : Reading, optional
            Is given the rows that can't be read. Without it the first such row raises `IngestError`.
        """
        return self.read(Reading(_refuse_all) if reading is None else reading)

    def head(self, count: int = SAMPLE_ROWS) -> list[Row]:
        """The first rows that can be read."""
        return [row for _, row in islice(self.rows(Reading(lambda refusal: None)), count)]


def _refuse_all(refusal: Refusal) -> None:
    raise IngestError(str(refusal))


def cell(row: Row, column: str) -> object:
    """A row's cell; `column` may lead into an object by dots. None where there is none.

    >>> cell({"scores": {"quality": 4}}, "scores.quality")
    4
    """
    if column in row:
        return row[column]
    inner: object = row
    for key in column.split("."):
        if not isinstance(inner, dict) or key not in inner:
            return None
        inner = inner[key]
    return inner


def columns_of(rows: list[Row]) -> tuple[str, ...]:
    """All keys of the rows in the order met, with the paths into the objects inside."""
    found: dict[str, None] = {}

    def walk(row: Row, prefix: str, depth: int) -> None:
        for key, value in row.items():
            if storable(key) != key:
                raise IngestError(
                    f'the key "{storable(prefix + key)}" holds half a character, which no text file can store; '
                    "give it another name"
                )
            found[prefix + key] = None
            if len(found) > MAX_COLUMNS:
                raise IngestError(
                    f"the rows have more than {MAX_COLUMNS:,} keys; write them as a list of objects with the same keys"
                )
            if isinstance(value, dict) and depth < 3:
                walk(value, f"{prefix}{key}.", depth + 1)

    for row in rows:
        walk(row, "", 0)
    return tuple(found)
