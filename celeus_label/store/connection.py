"""One SQLite connection a thread, and transactions that either happen whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celeus_label.store import schema
from celeus_label.store.errors import DatabaseUnavailable, in_sentences

# SQLite forbids even closing a connection that was opened before a fork, so the child keeps it, unused.
_from_before_fork: list[sqlite3.Connection] = []


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly, which the plain one can't."""


class Connections:
    """The base of the store: opens the file, brings its tables up to date, hands out transactions."""

    #: How long a write waits for another process's write, a try; there are three tries.
    busy_seconds = 10.0

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._local = threading.local()
        # Only for `close`: a thread that ends drops its connection, and the entry here with it.
        self._open: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
        with in_sentences(self.path):
            conn = self._connection()
            try:
                if _patiently(conn, "PRAGMA journal_mode").fetchone()[0] != "wal":
                    mode = _patiently(conn, "PRAGMA journal_mode = WAL").fetchone()[0]
                    if mode != "wal":
                        raise DatabaseUnavailable(
                            f"{self.path} can't be shared by processes (its journal mode stays {mode!r}); "
                            "put it in a file on a local disk"
                        )
                behind = schema.outdated(conn)
            except ValueError as fault:
                raise DatabaseUnavailable(f"{self.path} was {fault}; update celeus-label") from fault
        if behind:
            with self._writing() as conn:
                schema.migrate(conn)

    def close(self) -> None:
        """Close every connection of this store. No thread may be using it any more."""
        for conn in list(self._open):
            conn.close()
        self._open.clear()
        self._local = threading.local()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection. Fetch all rows: a half-read cursor would hold an old snapshot."""
        with in_sentences(self.path):
            yield self._connection()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction with the write lock from its start; on the disk when the block is left."""
        with in_sentences(self.path):
            conn = self._connection()
            _patiently(conn, "BEGIN IMMEDIATE")
            try:
                yield conn
                conn.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                raise

    def _connection(self) -> sqlite3.Connection:
        conn: sqlite3.Connection | None = getattr(self._local, "conn", None)
        if conn is not None and self._local.pid != os.getpid():
            _from_before_fork.append(conn)
            self._open = weakref.WeakSet()
            conn = None
        if conn is None:
            # check_same_thread is off for `close` alone: the connection stays in this thread's hands.
            conn = sqlite3.connect(
                str(self.path),
                timeout=self.busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                factory=_Connection,
            )
            conn.execute("PRAGMA foreign_keys = ON")
            conn.execute("PRAGMA synchronous = FULL")
            conn.execute("PRAGMA recursive_triggers = ON")
            self._local.conn, self._local.pid = conn, os.getpid()
            self._open.add(conn)
        return conn


def _patiently(conn: sqlite3.Connection, statement: str, tries: int = 3) -> sqlite3.Cursor:
    """Run a statement that may find the database locked; SQLite itself waits `busy_seconds` at each try."""
    for left in reversed(range(tries)):
        try:
            return conn.execute(statement)
        except sqlite3.OperationalError as fault:
            if left == 0 or fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
    raise AssertionError("unreachable")
