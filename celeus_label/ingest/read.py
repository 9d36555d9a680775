"""One way in for every format: the app, the command line and the API all read through `read_table`."""

from __future__ import annotations

from pathlib import Path

from celeus_label.ingest.archive import is_eval_log, read_eval_log
from celeus_label.ingest.delimited import read_delimited
from celeus_label.ingest.excel import read_excel
from celeus_label.ingest.jsonfile import read_json
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.parquet import MAGIC, read_parquet
from celeus_label.ingest.presets import PRESETS, recognise
from celeus_label.ingest.source import GZIP, Source
from celeus_label.ingest.table import Table

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PACKED = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"7z\xbc\xaf": "7-Zip",
    b"PK\x05\x06": "zip, and is empty",
}


def read_table(
    source: Path | bytes,
    name: str | None = None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Open a file of any format that is known: the content decides, the name's ending helps.

    Parameters
    ----------
    source : Path or bytes
        A file, or the bytes of an upload; gzip is undone.
    name : str, optional
        The file's name; the path's own where it is None.
    encoding, delimiter : str, optional
        Of a text file, where the guess is wrong.
    sheet : str, optional
        Of a workbook; the first visible one that holds a row where it is None.

    Raises
    ------
    IngestError
        The file is empty, of an unknown kind, damaged, or past a limit.
    """
    if name is None:
        name = source.name if isinstance(source, Path) else "upload"
    if isinstance(source, Path) and not source.is_file():
        raise IngestError(f"there is no file {source}")
    return recognise(_read(Source(source, name), encoding, delimiter, sheet), PRESETS)


def _read(source: Source, encoding: str | None, delimiter: str | None, sheet: str | None) -> Table:
    name = source.name
    head = source.head(4096)
    _check_kind(head, source)
    if head.startswith(MAGIC):
        return read_parquet(source)
    if head.startswith(_ZIP):
        return read_eval_log(source) if is_eval_log(source) else read_excel(source, sheet)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise IngestError(f"{name} is empty")
    ending = Path(name.lower().removesuffix(".gz")).suffix
    if ending in (".json", ".jsonl", ".ndjson") or (ending not in (".csv", ".tsv") and _begins_json(head)):
        return read_json(source, encoding)
    return read_delimited(source, encoding, delimiter)


def _check_kind(head: bytes, source: Source) -> None:
    """Say of kinds that can't be read what to do instead."""
    name = source.name
    if head.startswith((_ZIP, MAGIC)) and source.packed():
        raise IngestError(f"{name} is compressed twice, by its format and by gzip; undo the gzip")
    if head.startswith(_OLE):
        raise IngestError(
            f"{name} is an old Excel file, or has a password; save it as plain .xlsx, or as CSV"
        )
    if head.startswith(GZIP):
        raise IngestError(f"{name} is compressed twice; undo one of them")
    for magic, kind in _PACKED.items():
        if head.startswith(magic):
            raise IngestError(f"{name} is compressed with {kind}; unpack it, or use gzip")


def _begins_json(head: bytes) -> bool:
    return head.replace(b"\0", b"").lstrip(b" \t\r\n\xef\xbb\xbf\xff\xfe")[:1] in (b"{", b"[")
