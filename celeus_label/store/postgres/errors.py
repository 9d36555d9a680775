"""PostgreSQL's failures as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from celeus_label.store.errors import (
    DatabaseAway,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    StoreError,
)
from celeus_label.store.postgres.lending import AllLent

_BUSY = "{name} is locked by another process; nothing of this step was stored, try again in a moment"
_ALL_LENT = (
    "all of this server's connections to {name} are in use; nothing of this step was stored, try again"
)
_FULL = (
    "{name} can't grow: the disk of the database server is full; nothing of this step was stored, all that was "
    "saved before is safe; free some space and try again"
)
_READ_ONLY = (
    "{name} may not be written ({fault}); nothing of this step was stored, all that was saved before is safe; "
    "give the account the right to write, or name the primary and not a standby"
)
_AWAY = (
    "{name} can't be reached or does not answer ({fault}); what was not confirmed may not be stored, try again; "
    "all that was saved before is safe"
)

# The first that an error is an instance of.
_SENTENCES: tuple[tuple[type[BaseException], type[StoreError], str], ...] = (
    (pg.LockNotAvailable, DatabaseBusy, _BUSY),
    (pg.DeadlockDetected, DatabaseBusy, _BUSY),
    (pg.SerializationFailure, DatabaseBusy, _BUSY),
    (pg.QueryCanceled, DatabaseBusy, _BUSY),
    (pg.DiskFull, DatabaseFull, _FULL),
    (pg.ReadOnlySqlTransaction, DatabaseReadOnly, _READ_ONLY),
    (pg.InsufficientPrivilege, DatabaseReadOnly, _READ_ONLY),
    (pg.DataCorrupted, DatabaseDamaged, "{name} is damaged ({fault}); restore the last backup"),
    (pg.IndexCorrupted, DatabaseDamaged, "{name} is damaged ({fault}); restore the last backup"),
    (psycopg.OperationalError, DatabaseAway, _AWAY),
    # what psycopg says of a connection that was lost in the middle of a block
    (psycopg.InterfaceError, DatabaseAway, _AWAY),
)


@contextmanager
def in_sentences(name: str) -> Iterator[None]:
    """Turn PostgreSQL's environmental failures into the store's errors; let every other exception through."""
    try:
        yield
    except AllLent as fault:
        raise DatabaseBusy(_ALL_LENT.format(name=name)) from fault
    except psycopg.Error as fault:
        for kind, becomes, sentence in _SENTENCES:
            if isinstance(fault, kind):
                first = (str(fault).strip() or type(fault).__name__).splitlines()[0]
                raise becomes(sentence.format(name=name, fault=first)) from fault
        raise
