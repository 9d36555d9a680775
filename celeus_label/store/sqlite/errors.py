"""SQLite's failures as sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celeus_label.store.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    StoreError,
)

# By SQLite's primary result code, which is the lowest byte of the extended one.
_SENTENCES: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (
        DatabaseBusy,
        "{path} is locked by another process; nothing of this step was stored, try again in a moment",
    ),
    sqlite3.SQLITE_LOCKED: (
        DatabaseBusy,
        "{path} is locked by another process; nothing of this step was stored, try again in a moment",
    ),
    # What the WAL index says when too many processes start at once.
    sqlite3.SQLITE_PROTOCOL: (
        DatabaseBusy,
        "{path} is locked by another process; nothing of this step was stored, try again in a moment",
    ),
    sqlite3.SQLITE_FULL: (
        DatabaseFull,
        "{path} can't grow: the disk is full; nothing of this step was stored, all that was saved before "
        "is safe; free some space and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        DatabaseReadOnly,
        "{path} may not be written; nothing of this step was stored, all that was saved before is safe; "
        "give the server write permission on the file and its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        DatabaseUnavailable,
        "{path} can't be opened: the folder must exist, and the server needs write permission on it "
        "and on the file",
    ),
    sqlite3.SQLITE_CORRUPT: (
        DatabaseDamaged,
        "{path} is damaged ({fault}); stop the server and restore the last backup",
    ),
    sqlite3.SQLITE_NOTADB: (DatabaseDamaged, "{path} is not a celeus-label database"),
    sqlite3.SQLITE_IOERR: (
        DatabaseUnavailable,
        "{path} can't be read or written: the disk reports {fault}; nothing of this step was stored, "
        "all that was saved before is safe; check the disk and its free space",
    ),
}


@contextmanager
def in_sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's environmental failures into the errors above; let every other exception through."""
    try:
        yield
    except sqlite3.DatabaseError as fault:
        code = getattr(fault, "sqlite_errorcode", None)
        if code is None or code & 0xFF not in _SENTENCES:
            raise
        kind, sentence = _SENTENCES[code & 0xFF]
        raise kind(sentence.format(path=path, fault=f"{fault} [{fault.sqlite_errorname}]")) from fault
