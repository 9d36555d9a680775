"""SQLite connections, each in the hands of one thread at a time, and transactions that are all or nothing."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path

from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import DatabaseUnavailable
from celeus_label.store.sqlite import schema
from celeus_label.store.sqlite.copying import copy_to
from celeus_label.store.sqlite.errors import in_sentences

# SQLite forbids even closing a connection that was opened before a fork, so a child keeps it, unused.
_from_before_a_fork: list[deque[sqlite3.Connection]] = []


class SqliteConnections(Connections):
    """Opens the file, brings its tables up to date, lends connections.

    They are kept for the next operation, of whichever thread: the app runs each click in a new one.
    """

    #: How long a write waits for the writes of other processes.
    busy_seconds = 20.0

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)
        self._idle: deque[sqlite3.Connection] = deque()
        self._pid = os.getpid()
        self._mine = threading.local()
        with self._reading() as db:
            if _patiently(db, "PRAGMA journal_mode").fetchone()[0] != "wal":
                mode = _patiently(db, "PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    raise DatabaseUnavailable(
                        f"{self.path} can't be shared by processes (its journal mode stays {mode!r}); "
                        "put it in a file on a local disk"
                    )
            try:
                behind = bool(schema.pending(db))
            except ValueError as fault:
                raise DatabaseUnavailable(f"{self.path} was {fault}; update celeus-label") from fault
        if behind:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        """Apply the steps that are missing, after a copy of a file that holds anything."""
        with self._reading() as db:
            db.execute("PRAGMA foreign_keys = OFF")
            try:
                with self._writing():
                    steps = schema.pending(db)  # another process may have been first
                    if steps and len(steps) < len(schema.STEPS):
                        self._keep_as_it_was(steps[0])
                    if steps:
                        schema.migrate(db)
            finally:
                db.execute("PRAGMA foreign_keys = ON")

    def _keep_as_it_was(self, step: str) -> None:
        """Copy the file beside itself, as it was before a step; over no other copy."""
        target = self.path.with_name(f"{self.path.name}.before-{step}")
        for number in count(2):
            if not target.exists():
                break
            target = self.path.with_name(f"{self.path.name}.before-{step}-{number}")
        # a connection of its own: the one that holds the write lock can't be read from meanwhile
        source = sqlite3.connect(str(self.path), timeout=self.busy_seconds)
        try:
            copy_to(source, target)
        finally:
            source.close()

    def close(self) -> None:
        """Close the connections that no thread is using; the store can still be used, and opens new ones."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        held: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if held is not None:
            yield held
            return
        with in_sentences(self.path):
            db = self._take()
            self._mine.connection = db
            fit = True
            try:
                yield db
            except sqlite3.OperationalError as fault:
                # a connection that could not write can't do so either when the file may be written again
                fit = getattr(fault, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_READONLY
                raise
            finally:
                self._mine.connection = None
                self._idle.append(db)
                if not fit:
                    self.close()

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")

    @contextmanager
    def _writing(
        self, session: int | None = None, lease: str | None = None, rater: str | None = None
    ) -> Iterator[sqlite3.Connection]:
        # one write lock for the whole file, from the start of the transaction
        with self._reading() as db:
            if db.in_transaction:
                raise RuntimeError("next_draw may read the store, but must not write to it")
            _begin(db, self.busy_seconds)
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _loading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._writing()

    def _number_on(self, db: Db) -> None:
        pass  # SQLite does so by itself

    def _damage(self, db: Db) -> list[str]:
        faults = [f"the file: {row[0]}" for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return faults + [
            f"table {row[0]}, row {row[1]}: refers to a row of table {row[2]} that is not there"
            for row in db.execute("PRAGMA foreign_key_check")
        ]

    def backup(self, target: str | Path) -> None:
        """Copy the database as it is at this moment into a new file, while others go on writing.

        Raises
        ------
        StoreError
            The target exists (a backup never overwrites), or the copy does not pass SQLite's integrity check.
        """
        with self._reading() as db:
            copy_to(db, Path(target))

    def _take(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            _from_before_a_fork.append(self._idle)
            self._idle, self._pid = deque(), os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            # check_same_thread is off because another thread may be lent it next.
            db = sqlite3.connect(
                str(self.path), timeout=self.busy_seconds, isolation_level=None, check_same_thread=False
            )
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA recursive_triggers = ON")
            return db


def _begin(db: sqlite3.Connection, seconds: float) -> None:
    """Take the write lock, or raise SQLite's error after that many seconds.

    SQLite's own waiting asks ever less often, down to every 0.1 s, so that a newcomer starves among busy
    writers: of 20 at once, one got 2 turns and another 322. Asking often, at random moments, is fairer.
    """
    db.execute("PRAGMA busy_timeout = 0")
    try:
        end, pause = time.monotonic() + seconds, 0.001
        while True:
            try:
                db.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(1.2 * pause, 0.01)
    finally:
        db.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


def _patiently(db: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Run a statement for which SQLite does not always wait, though another process may be in its way."""
    for _ in range(100):
        try:
            return db.execute(statement)
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        time.sleep(0.01)
    return db.execute(statement)
