"""News of the ledgers: what other servers store is heard of, so that watching need not ask the database."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import psycopg

_CHANNEL = "celeus_event"
_AGAIN_SECONDS = 2.0  # after the connection was lost
_SIGN_SECONDS = 5.0  # between two signs of life; a line that is dead without saying so is found out by them
#: How long a connection is waited for, and when one whose other end is gone without a word counts as lost.
LINE: dict[str, Any] = {
    "connect_timeout": 10,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
}


class News:
    """Counts the events that PostgreSQL tells of, by session, in a thread of its own."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._heard: Counter[int] = Counter()
        self._lost = 0
        self._listening = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="news of the ledgers", daemon=True)
        self._thread.start()

    def of(self, session: int) -> tuple[int, int] | None:
        """A value that changes with every event of a session; None while nothing is heard."""
        if not self._listening.is_set():
            return None
        return self._lost, self._heard[session]

    def add(self, session: int) -> None:
        """Count what this process has stored itself, at once."""
        self._heard[session] += 1

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        self._thread.join()

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True, **LINE) as connection:
                    connection.execute(f"LISTEN {_CHANNEL}")
                    # what came while nobody listened is unknown: everything counts as changed
                    self._lost += 1
                    self._listening.set()
                    signed = time.monotonic()
                    while not self._ended.is_set():
                        for told in connection.notifies(timeout=0.5):
                            self._heard[int(told.payload)] += 1
                        if time.monotonic() - signed > _SIGN_SECONDS:
                            connection.execute("SELECT 1")
                            signed = time.monotonic()
            except psycopg.Error:
                self._listening.clear()
                self._ended.wait(_AGAIN_SECONDS)
        self._listening.clear()
