"""Excel workbooks (.xlsx): one sheet, the values that its cells show."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import IO, Any

from celeus_label.ingest.delimited import column_names
from celeus_label.ingest.limits import MAX_WHOLE_BYTES, MAX_WORKBOOK_BYTES, IngestError
from celeus_label.ingest.report import Reading, Refusal
from celeus_label.ingest.source import Source
from celeus_label.ingest.table import Record, Table


def read_excel(source: Source, wanted: str | None = None) -> Table:
    """Open a workbook at a sheet, or the first visible one with a row; rows are numbered as Excel numbers them."""
    with source.raw() as stream:
        book, sheets = _open(source, stream, wanted)
        headers = ((sheet, next((values for _, values in _rows(source, sheet)), None)) for sheet in sheets)
        sheet, header = next((found for found in headers if found[1] is not None), (sheets[0], None))
        title = sheet.title
        visible = tuple(one.title for one in _visible(book))
        others = [name for name in book.sheetnames if name != title]
        book.close()
    if header is None:
        raise IngestError(f"{source.name} is empty: its sheet {title} has no header row")
    columns, notes = column_names(["" if name is None else str(name) for name in header])
    if others:
        left = ", ".join(others)
        notes += (f"read from the sheet {title}; these are left out: {left}",)

    def read(reading: Reading) -> Iterator[Record]:
        with source.raw() as stream:
            book, (sheet,) = _open(source, stream, title)
            total = max(sheet.max_row or 1, 1)
            records = _rows(source, sheet)
            next(records)
            for number, values in records:
                if len(values) > len(columns):
                    reading.refuse(
                        Refusal(number, "", "", f"has a cell beyond the last column, {columns[-1]}")
                    )
                else:
                    padded = values + (None,) * (len(columns) - len(values))
                    yield number, dict(zip(columns, padded, strict=True))
                reading.fraction = min(number / total, 1.0)
            book.close()

    return Table(source.name, "excel", columns, read, notes=notes, sheets=visible, sheet=title)


def _open(source: Source, stream: IO[bytes], wanted: str | None) -> tuple[Any, list[Any]]:
    """The workbook, and its sheet of that name or all that are visible."""
    try:
        with zipfile.ZipFile(stream) as parts:
            sizes = {part.filename: part.file_size for part in parts.infolist()}
        size = sum(sizes.values())
        if size > MAX_WORKBOOK_BYTES or sizes.get("xl/sharedStrings.xml", 0) > MAX_WHOLE_BYTES:
            raise IngestError(
                f"{source.name} unfolds to {size // 1024**2:,} MB, more than is read of a workbook; save it as CSV"
            )
        if "[Content_Types].xml" not in sizes:
            raise IngestError(
                f"{source.name} is a zip archive and no workbook; unpack it, and give what is in it"
            )
        stream.seek(0)
        from openpyxl import load_workbook  # takes a fifth of a second, and few people bring a workbook

        book = load_workbook(stream, read_only=True, data_only=True)
        sheets = _visible(book)
    except Exception as fault:  # openpyxl lets through whatever its many parts raise
        raise _damaged(source, fault) from None
    if not sheets:
        raise IngestError(f"{source.name} has no visible sheet")
    if wanted is None:
        return book, sheets
    named = [sheet for sheet in sheets if sheet.title == wanted]
    if not named:
        there = ", ".join(sheet.title for sheet in sheets)
        raise IngestError(f'{source.name} has no visible sheet "{wanted}"; the sheets are {there}')
    return book, named


def _visible(book: Any) -> list[Any]:
    return [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]


def _rows(source: Source, sheet: Any) -> Iterator[tuple[int, tuple[object, ...]]]:
    """Rows with at least one value, without the empty cells at their ends."""
    # the size that a file states for its sheet is often wrong, and rows beyond it would be dropped
    sheet.reset_dimensions()
    rows = enumerate(sheet.iter_rows(values_only=True), start=1)
    while True:
        try:
            number, values = next(rows)
        except StopIteration:
            return
        except Exception as fault:  # openpyxl lets through whatever its many parts raise
            raise _damaged(source, fault) from None
        end = len(values)
        while end and values[end - 1] is None:
            end -= 1
        if end:
            yield number, tuple(values[:end])


def _damaged(source: Source, fault: Exception) -> IngestError:
    if isinstance(fault, IngestError):
        return fault
    told = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
    return IngestError(f"{source.name} can't be read as an Excel workbook ({told}); save it again, or as CSV")
