"""What the operations of the store ask of a database: connections lent to one thread, and transactions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol


class Rows(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""
        ...

    def fetchone(self) -> Any:
        """The next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Db(Protocol):
    """A connection. The statements are written once, in what SQLite and PostgreSQL both speak, with `?` for values."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Rows:
        """Run a statement."""
        ...

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Rows:
        """Run a statement once for each of many rows."""
        ...


class Connections(ABC):
    """The base of the store: what each database does in its own way.

    A shared connection would let one thread's rollback erase what another just stored. Ours are lent to one
    thread for one operation; an operation within another one of the same thread shares its connection.
    """

    #: Where the database is, as people are told it: a path, or an address without its password.
    name: str

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Db]:
        """Lend a connection.

        Fetch all rows before the end: a half-read cursor would hold on to an old snapshot.
        """

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend this thread a connection for all that it does in the block, so that nothing in there waits for one."""
        with self._reading():
            yield

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Db]:
        """Lend a connection on which every read sees the database as it was at the first."""

    @abstractmethod
    def _writing(
        self, session: int | None = None, lease: str | None = None, rater: str | None = None
    ) -> AbstractContextManager[Db]:
        """One transaction, on the disk when the block is left, or nothing of it.

        Of those on one session (named by its id or by one of its leases) there is one at a time, which is what puts
        draws and events in one order; of those on none there is one at a time too, and none on a session where
        `rater` ever held a draw. A read sees all that came before.
        """

    @abstractmethod
    def _loading(self) -> AbstractContextManager[Db]:
        """A transaction that may take minutes and holds up nobody where the database can do so."""

    @abstractmethod
    def _number_on(self, db: Db) -> None:
        """See that what is added next gets a number above those that were copied in."""

    @abstractmethod
    def _damage(self, db: Db) -> list[str]:
        """What the database itself finds wrong with what it stored, a sentence each."""

    def news(self, session_id: int) -> object | None:
        """A value that changes whenever a session's ledger has grown; None where only reading the ledger tells.

        It is of this moment: what is read after it was asked for is at least as new.
        """
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the connections that no thread is using; the store can still be used, and opens new ones."""
