"""PostgreSQL connections that are opened once and lent many times, to one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

Raw = psycopg.Connection[Any]


class AllLent(Exception):
    """No connection came back for as long as anybody waits for one."""


class Lending:
    """At most so many connections at once.

    Who finds the database away is told at once, and nothing is remembered of it: the first who asks once it is back
    has a connection. (A pool that mends itself behind its users' backs waits longer and longer between two attempts,
    and keeps them waiting meanwhile.)
    """

    def __init__(self, opened: Callable[[], Raw], most: int, seconds: float) -> None:
        self._opened, self._seconds = opened, seconds
        self._places = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._idle: list[Raw] = []
        self._ended = False

    @contextmanager
    def connection(self) -> Iterator[Raw]:
        """Lend one that works.

        Raises
        ------
        AllLent
            All are in use.
        psycopg.OperationalError
            The database can't be reached.
        """
        if not self._places.acquire(timeout=self._seconds):
            raise AllLent
        try:
            raw = self._working() or self._opened()
            try:
                yield raw
            finally:
                self._give_back(raw)
        finally:
            self._places.release()

    def close(self) -> None:
        """Close what is not lent now, and the rest when it comes back."""
        with self._lock:
            self._ended = True
            idle, self._idle = self._idle, []
        for raw in idle:
            raw.close()

    def _working(self) -> Raw | None:
        """An idle one; those that a restart of the database cut go without anybody's work failing by it."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                raw = self._idle.pop()
            try:
                raw.execute("SELECT 1")
            except psycopg.OperationalError:
                raw.close()
            else:
                return raw

    def _give_back(self, raw: Raw) -> None:
        with self._lock:
            if not self._ended and raw.info.transaction_status == TransactionStatus.IDLE:
                self._idle.append(raw)
                return
        raw.close()
