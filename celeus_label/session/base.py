"""What every part of the workspace stands on: the store, the clock, the certifiers, and who may do what."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from celeus_label.certify import Certifier, Pool
from celeus_label.session.live import Live, current, read_pool
from celeus_label.session.types import Identity, NotAllowed
from celeus_label.store import Store, open_store


class Base:
    """One database, and the sessions that this process has in memory."""

    def __init__(self, db: str | Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.store: Store = open_store(db)
        self._clock = clock
        self._live: dict[int, Live] = {}
        self._pools: dict[int, Pool] = {}
        self._lock = threading.Lock()

    def _check(self, who: Identity, role: str, session: int | None) -> None:
        allowed = {"rater": ("rater", "lead", "admin"), "lead": ("lead", "admin"), "admin": ("admin",)}[role]
        if who.invite is not None:
            row = self.store.invite(who.invite, self._clock())
            if row is None or (row.person, row.role, row.session) != (who.person, who.role, who.session):
                raise NotAllowed("your invitation has ended; ask the lead for a new link")
        if who.role not in allowed:
            raise NotAllowed(f"a {who.role} may not do this; it takes a {role}")
        if who.session is not None and who.session != session:
            raise NotAllowed("your invitation is for another session")

    def _loaded(self, session: int) -> Live:
        with self._lock:
            if session not in self._live:
                row = self.store.session(session)
                if row.pool not in self._pools:
                    self._pools[row.pool] = read_pool(self.store, row.pool)
                self._live[session] = Live(self.store, row, self._pools[row.pool])
            return self._live[session]

    def _certifier(self, session: int) -> AbstractContextManager[Certifier]:
        return current(self._loaded(session), self.store, session)

    def _watched(self, session: int) -> AbstractContextManager[Certifier]:
        """As `_certifier`, for what is looked at every few seconds; it may be behind other servers by a moment."""
        return current(self._loaded(session), self.store, session, watching=True)
