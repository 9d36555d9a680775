"""Connections to PostgreSQL, and transactions that take turns session by session."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from celeus_label.store.connection import Connections, Db, Rows
from celeus_label.store.errors import DatabaseUnavailable, StoreError
from celeus_label.store.moving import move
from celeus_label.store.postgres import schema
from celeus_label.store.postgres.errors import in_sentences
from celeus_label.store.postgres.lending import Lending, Raw
from celeus_label.store.postgres.news import LINE, News
from celeus_label.store.sqlite import SqliteStore

# What was opened before a fork is the parent's, and the child must not even close it.
_from_before_a_fork: list[tuple[Lending | None, News | None]] = []
_TURN = 0x63656C65  # "cele": the lock of whatever is of no session


class PostgresConnections(Connections):
    """Brings the tables up to date, lends connections.

    Of one session there is one writer at a time: whoever writes locks its row first. Every rating is a link of the
    session's one chain, so that two writers could not go on side by side; other sessions are not held up.
    """

    #: How long a write waits for other writes, and an operation for a connection.
    busy_seconds = 20.0
    #: A server's share of the connections that PostgreSQL allows, 100 if it was not told otherwise.
    most_connections = 16

    def __init__(self, address: str) -> None:
        self.address = address
        self.name = psycopg_name(address)
        self._mine = threading.local()
        self._lending: Lending | None = None
        self._news: News | None = None
        self._opening = threading.Lock()
        self._pid = os.getpid()
        with self._reading() as db:
            try:
                behind = bool(schema.pending(db))
            except ValueError as fault:
                raise DatabaseUnavailable(f"{self.name} was {fault}; update celeus-label") from fault
        if behind:
            with self._writing() as db:
                schema.migrate(db)

    def close(self) -> None:
        """Close the connections that no thread is using; the store can still be used, and opens new ones."""
        with self._opening:
            self._leave_to_the_parent()
            lending, self._lending = self._lending, None
            news, self._news = self._news, None
        if news is not None:
            news.close()
        if lending is not None:
            lending.close()

    @contextmanager
    def _reading(self) -> Iterator[_Connection]:
        held: _Connection | None = getattr(self._mine, "connection", None)
        if held is not None:
            yield held
            return
        with in_sentences(self.name), self._lender().connection() as raw:
            self._mine.connection = _Connection(raw)
            try:
                yield self._mine.connection
            finally:
                self._mine.connection = None

    @contextmanager
    def _snapshot(self) -> Iterator[_Connection]:
        with self._reading() as db:
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield db
            finally:
                db.roll_back()

    @contextmanager
    def _writing(
        self, session: int | None = None, lease: str | None = None, rater: str | None = None
    ) -> Iterator[_Connection]:
        with self._loading() as db:
            if lease is not None:
                locked = db.execute(
                    f"{_LOCK} = (SELECT session FROM lease WHERE token = ?) {_ITS_ROW}", (lease,)
                )
            elif session is not None:
                locked = db.execute(f"{_LOCK} = ? {_ITS_ROW}", (session,))
            else:
                locked = db.execute("SELECT 0 FROM pg_advisory_xact_lock(?)", (_TURN,))
            if rater is not None:
                db.execute(f"{_LOCK} IN (SELECT session FROM lease WHERE rater = ?) {_ITS_ROW}", (rater,))
            (of,) = locked.fetchone() or (0,)
            yield db
        if of and self._news is not None:
            self._news.add(of)

    def news(self, session_id: int) -> object | None:
        """A value that changes whenever a session's ledger has grown; None while the database tells nothing."""
        with self._opening:
            self._leave_to_the_parent()
            if self._news is None:
                self._news = News(self.address)
            return self._news.of(session_id)

    @contextmanager
    def _loading(self) -> Iterator[_Connection]:
        with self._reading() as db:
            if db.in_transaction:
                raise RuntimeError("next_draw may read the store, but must not write to it")
            db.execute("BEGIN")
            try:
                yield db
                db.commit()
            except BaseException:
                db.roll_back()
                raise

    def _number_on(self, db: Db) -> None:
        for table in ("pool", "session"):
            last = f"SELECT max(id) FROM {table}"
            db.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), n) FROM ({last}) AS l (n)")

    def _damage(self, db: Db) -> list[str]:
        # PostgreSQL checks references as they are written, and its pages by `pg_amcheck` and checksums
        return []

    def backup(self, target: str | Path) -> None:
        """Copy the database as it is at this moment into a new SQLite file, while others go on writing.

        Raises
        ------
        StoreError
            The target exists: a backup never overwrites.
        """
        target = Path(target)
        if target.exists():
            raise StoreError(f"{target} exists already; name a file that does not")
        if not target.parent.is_dir():
            raise DatabaseUnavailable(f"{target} can't be written: the folder must exist")
        with TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent) as folder:
            file = SqliteStore(Path(folder) / "part.db")
            move(self, file)
            file.backup(target)
            file.close()

    def _lender(self) -> Lending:
        with self._opening:
            self._leave_to_the_parent()
            if self._lending is None:
                self._lending = Lending(self._connect, self.most_connections, self.busy_seconds)
            return self._lending

    def _leave_to_the_parent(self) -> None:
        """In a process that was forked: what was opened before is the parent's, the thread that hears news too."""
        if self._pid != os.getpid():
            _from_before_a_fork.append((self._lending, self._news))
            self._lending, self._news, self._pid = None, None, os.getpid()

    def _connect(self) -> Raw:
        options = f"-c lock_timeout={self.busy_seconds * 1000:.0f} -c client_encoding=UTF8"
        return psycopg.connect(self.address, autocommit=True, options=options, **LINE)


# In the order of the ids, so that no two wait for each other; new rows may refer to one that is locked.
_LOCK = "SELECT id FROM session WHERE id"
_ITS_ROW = "ORDER BY id FOR NO KEY UPDATE"


class _Connection:
    """A connection that speaks as `connection.Db` says."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self._raw = raw

    @property
    def in_transaction(self) -> bool:
        return self._raw.info.transaction_status != TransactionStatus.IDLE

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        try:
            return self._raw.execute(_spoken(sql), parameters)
        except psycopg.DataError as fault:  # a text with a NUL, which PostgreSQL can't hold
            raise ValueError(str(fault).splitlines()[0]) from fault

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Rows:
        cursor = self._raw.cursor()
        try:
            cursor.executemany(_spoken(sql), parameters)
        except psycopg.DataError as fault:
            raise ValueError(str(fault).splitlines()[0]) from fault
        return cursor

    def commit(self) -> None:
        # PostgreSQL answers the commit of a transaction that failed with a rollback, and no error
        done = self._raw.execute("COMMIT").statusmessage
        if done != "COMMIT":
            raise RuntimeError(f"the transaction was not stored: the database answered {done}")

    def roll_back(self) -> None:
        if not self._raw.closed and self.in_transaction:
            self._raw.execute("ROLLBACK")


@lru_cache(maxsize=1024)
def _spoken(sql: str) -> bytes:
    """The statement with psycopg's placeholders; no statement of ours has a question mark of another meaning."""
    return sql.replace("%", "%%").replace("?", "%s").encode("utf-8")


def psycopg_name(address: str) -> str:
    """The address as people may be told it: without its password.

    Raises
    ------
    DatabaseUnavailable
        It is none.

    >>> psycopg_name("postgresql://lea:secret@db.example.org:5432/ratings")
    'postgresql://lea@db.example.org:5432/ratings'
    """
    try:
        parts = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError as fault:
        raise DatabaseUnavailable(f"the address of the database can't be read: {fault}") from fault
    user = f"{parts['user']}@" if "user" in parts else ""
    port = f":{parts['port']}" if "port" in parts else ""
    return f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}"
