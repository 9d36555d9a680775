"""The database's server goes away and comes back: who asks meanwhile is told, who asks afterwards is served."""

from __future__ import annotations

import threading

import pytest

from celeus_label.certify import Design
from celeus_label.session import Identity, Task, Workspace
from celeus_label.store import DatabaseAway, DatabaseBusy, Store
from celeus_label.store.postgres import PostgresStore
from scripts import postgres
from tests.office import pool_of
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


def test_raters_who_are_more_than_the_connections_wait_for_each_other_and_for_nothing_else(
    postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresStore, "most_connections", 2)
    workspace = Workspace(postgres_server.new_database())
    local = workspace.local()
    info = workspace.create(local, "many", pool_of(400), Design(width=0.0001, seed=1))
    faults: list[BaseException] = []

    def rate(who: Identity) -> None:
        try:
            for _ in range(20):
                assert workspace.session(who, info.id).status == "open"
                task = workspace.claim(who, info.id)
                assert isinstance(task, Task)
                workspace.rate(who, info.id, task.lease, 3, 900)
        except BaseException as fault:
            faults.append(fault)

    threads = []
    for number in range(10):
        who = workspace.sign_in(workspace.invite(local, "rater", info.id, f"rater {number}"))
        assert who is not None
        threads.append(threading.Thread(target=rate, args=(who,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert workspace.monitor(local, info.id).counts.ratings == 200
    workspace.store.close()
