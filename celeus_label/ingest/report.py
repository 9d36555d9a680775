"""What happened to each row of a file: taken, refused by a rule, or read as something else."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field

SHOWN_CHARACTERS = 200
_HARMLESS_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Place(int):
    """The place of a row where a pool has several files: the line, and of which file.

    >>> f"row {Place(17, 'b.csv')}"
    'row 17 of b.csv'
    """

    def __new__(cls, line: int, file: str) -> Place:
        """A line of a file."""
        place = super().__new__(cls, line)
        place.file = file
        return place

    file: str

    def __str__(self) -> str:
        return f"{int(self)} of {self.file}"

    def __format__(self, spec: str) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row that was not taken, and why.

    Attributes
    ----------
    line : int
        The place: in a text file the line where the row begins, as a text editor counts (the header is line 1); of a
        JSON list in one line the row, from 1; in an Excel sheet the row as Excel counts; in Parquet the row, from 1.
        A `Place` where the pool has several files.
    column : str
        The column at fault; empty when it is the row as a whole.
    value : str
        The cell as it stands, cut after 200 characters.
    rule : str
        The rest of the sentence: "is 7.2, outside the scale 1 to 5".
    """

    line: int
    column: str
    value: str
    rule: str

    def __str__(self) -> str:
        column = f"{self.column} " if self.column else ""
        return f"row {self.line}: {column}{self.rule}"


@dataclass(frozen=True, slots=True)
class Change:
    """Values of one column that were read as something else than they say, all for the same reason.

    `line`, `value` and `taken` are the first example, `rows` counts them all.
    """

    column: str
    rule: str
    rows: int
    line: int
    value: str
    taken: str

    def __str__(self) -> str:
        rows = count_rows(self.rows)
        first = f"first in row {self.line}: {self.value} read as {self.taken}"
        return f"{self.column}: {self.rule} in {rows}, {first}"


@dataclass
class Report:
    """What a file would give, to be read before anything is stored.

    Attributes
    ----------
    rows : int
        Rows in the file, without the header and blank lines.
    taken : int
        Rows in the pool.
    gold : int
        Rows that are gold items, set apart from the pool.
    refused : list of Refusal
        In the order of the file.
    changed : list of Change
    warnings : list of str
        Sentences for a person: what was taken although it looks odd.
    """

    rows: int = 0
    taken: int = 0
    refused: list[Refusal] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    gold: int = 0

    def refused_csv(self) -> bytes:
        """The refused rows as CSV: UTF-8 with BOM, which Excel needs, and no cell that it would run."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["line", "column", "value", "rule"])
        for refusal in self.refused:
            writer.writerow(
                [refusal.line, harmless(refusal.column), harmless(refusal.value), harmless(refusal.rule)]
            )
        return out.getvalue().encode("utf-8-sig", errors="backslashreplace")

    def summary(self) -> str:
        """One sentence: rows read, taken, set apart and refused."""
        gold = f"{self.gold:,} set apart as gold items, " if self.gold else ""
        return f"{self.rows:,} rows read, {self.taken:,} taken, {gold}{len(self.refused):,} refused"


def harmless(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula; plain numbers stay.

    >>> harmless("=1+1"), harmless("-1"), harmless("good")
    ("'=1+1", '-1', 'good')
    """
    if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and not _HARMLESS_NUMBER.fullmatch(text):
        return "'" + text
    return text


def count_rows(rows: int) -> str:
    """The number of rows in words.

    >>> count_rows(1), count_rows(1200)
    ('1 row', '1,200 rows')
    """
    return "1 row" if rows == 1 else f"{rows:,} rows"


def storable(text: str) -> str:
    r"""The text with each half of a character, which no file and no page can take, as its number.

    >>> storable("café \ud800")
    'café \\ud800'
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def shown(value: object) -> str:
    """A cell's value as text for a message, cut after 200 characters."""
    text = storable(value if isinstance(value, str) else repr(value))
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def quoted(value: object) -> str:
    """A cell's value inside a sentence: text in quotes, numbers bare.

    >>> quoted("good"), quoted(7.2), quoted("")
    ('"good"', '7.2', 'blank')
    """
    if isinstance(value, str):
        return f'"{shown(value)}"' if value.strip() else "blank"
    return shown(value)


RefuseRow = Callable[[Refusal], None]


class Reading:
    """One pass over a table: where bad rows go, and how far it has come.

    Attributes
    ----------
    fraction : float
        Share of the file read so far, 0 to 1.
    """

    def __init__(self, refuse: RefuseRow) -> None:
        self.refuse = refuse
        self.fraction = 0.0
