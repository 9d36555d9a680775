"""What can go wrong in the store, each as one sentence a person can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreError(Exception):
    """Every error the store raises on purpose; its text is meant for people."""


class NotFound(StoreError):
    """No such pool, item, session, person or rating."""


class DuplicateName(StoreError):
    """A session of that name exists already."""


class LeaseUnknown(StoreError):
    """The lease was never given out, or was given to somebody else."""


class LeaseExpired(StoreError):
    """The lease no longer gives a right to its draw, and nothing was stored."""


class AlreadyRated(StoreError):
    """The draw has this rater's rating already, and nothing was changed."""


class NotDisputed(StoreError):
    """The draw's ratings agree well enough, and nothing was changed."""


class DatabaseBusy(StoreError):
    """Another process kept the database locked for longer than the store waits."""


class DatabaseFull(StoreError):
    """There is no room to write."""


class DatabaseReadOnly(StoreError):
    """The file, or its folder, may not be written."""


class DatabaseDamaged(StoreError):
    """The file is not a database, or a part of it can't be read."""


class DatabaseUnavailable(StoreError):
    """The file can't be opened or used for another reason."""


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
