"""The database's server goes away and comes back: who asks meanwhile is told, who asks afterwards is served."""

from __future__ import annotations

import threading

import pytest

from celeus_label.store import DatabaseAway, DatabaseBusy, Store
from celeus_label.store.postgres import PostgresStore
from scripts import postgres
from tests.store.desk import Desk


class Holding:
    """So many threads that each have a connection of the store, until they are let go."""

    def __init__(self, store: Store, count: int) -> None:
        self._store, self._all = store, threading.Barrier(count + 1)
        self._threads = [threading.Thread(target=self._hold) for _ in range(count)]

    def _hold(self) -> None:
        with self._store._reading() as db:  # type: ignore[attr-defined]
            db.execute("SELECT 1").fetchall()
            self._all.wait(30)
            self._all.wait(30)

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()
        self._all.wait(30)

    def __exit__(self, *_: object) -> None:
        self._all.wait(30)
        for thread in self._threads:
            thread.join(30)


def test_after_a_restart_of_the_database_the_next_step_works_whatever_was_open(
    postgres_server: postgres.Server,
) -> None:
    desk = Desk(postgres_server.new_database())
    with Holding(desk.store, PostgresStore.most_connections):
        pass
    lease = desk.claim(desk.ann)
    for signal in ("QUIT", "INT"):
        postgres_server.stop(signal)
        try:
            for _ in range(2):
                with pytest.raises(DatabaseAway, match="can't be reached or does not answer"):
                    desk.claim(desk.ann)
        finally:
            postgres_server.start()
        assert desk.claim(desk.ann).lease == lease.lease
    desk.rate(lease, desk.ann)
    assert desk.counts().ratings == 1
    desk.store.close()


def test_a_server_takes_no_more_connections_than_its_share(
    postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresStore, "most_connections", 2)
    monkeypatch.setattr(PostgresStore, "busy_seconds", 0.05)
    desk = Desk(postgres_server.new_database())
    with (
        Holding(desk.store, 2),
        pytest.raises(DatabaseBusy, match="all of this server's connections to postgresql://celeus@"),
    ):
        desk.store.sessions()
    assert [session.id for session in desk.store.sessions()] == [desk.session]
    desk.store.close()
