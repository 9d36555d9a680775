"""One way in for every format: the app, the command line and the API all read through `read_table`."""

from __future__ import annotations

from pathlib import Path

from celeus_label.ingest.delimited import read_delimited
from celeus_label.ingest.jsonfile import read_json
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.source import Source
from celeus_label.ingest.table import Table


def read_table(
    source: Path | bytes,
    name: str | None = None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
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

    Raises
    ------
    IngestError
        The file is empty, of an unknown kind, damaged, or past a limit.
    """
    if name is None:
        name = source.name if isinstance(source, Path) else "upload"
    if isinstance(source, Path) and not source.is_file():
        raise IngestError(f"there is no file {source}")
    opened = Source(source, name)
    head = opened.head(4096)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise IngestError(f"{name} is empty")
    ending = Path(name.lower().removesuffix(".gz")).suffix
    if ending in (".json", ".jsonl", ".ndjson") or (ending not in (".csv", ".tsv") and _begins_json(head)):
        return read_json(opened, encoding)
    return read_delimited(opened, encoding, delimiter)


def _begins_json(head: bytes) -> bool:
    return head.replace(b"\0", b"").lstrip(b" \t\r\n\xef\xbb\xbf\xff\xfe")[:1] in (b"{", b"[")
