"""What one server stores, another hears of; and where nothing is heard, the ledger is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from celeus_label.session import Workspace
from celeus_label.store import Store, open_store
from scripts import postgres
from tests.office import Office
from tests.store.desk import START, Desk, behind_its_back


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def heard(store: Store, session: int) -> object:
    until(lambda: store.news(session) is not None)
    return store.news(session)


def test_a_server_hears_what_another_stores_and_of_no_other_session(postgres_server: postgres.Server) -> None:
    desk = Desk(postgres_server.new_database())
    other = desk.new_session("second")
    watching = open_store(desk.address)
    before, quiet = heard(watching, desk.session), heard(watching, other)
    desk.rate(desk.claim(desk.ann), desk.ann)
    until(lambda: watching.news(desk.session) != before)
    assert watching.news(other) == quiet
    # what a server stores itself it knows at once
    before = watching.news(desk.session)
    watching.append(desk.session, "width", {"width": 0.2}, START)
    assert watching.news(desk.session) != before
    watching.close()
    desk.store.close()


def test_after_a_lost_line_everything_counts_as_new(postgres_server: postgres.Server) -> None:
    desk = Desk(postgres_server.new_database())
    before = heard(desk.store, desk.session)
    with behind_its_back(desk.address) as sql:
        sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN celeus_event'")
    until(lambda: desk.store.news(desk.session) not in (None, before))
    desk.store.close()


def test_a_forked_process_hears_for_itself(postgres_server: postgres.Server) -> None:
    desk = Desk(postgres_server.new_database())
    before = heard(desk.store, desk.session)
    child = os.fork()
    if child == 0:
        try:
            mine = heard(desk.store, desk.session)
            until(lambda: desk.store.news(desk.session) != mine)
            os._exit(0)
        except BaseException:
            os._exit(1)
    end = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        assert time.monotonic() < end, "the child hears nothing"
        desk.store.append(desk.session, "width", {"width": 0.2}, START)
        time.sleep(0.05)
    assert ended == (child, 0)
    assert desk.store.news(desk.session) != before
    desk.store.close()


def test_a_file_tells_nothing_so_that_it_is_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "a.db")
    assert desk.store.news(desk.session) is None
    desk.store.close()


def test_the_monitors_of_two_servers_show_the_same(address: Callable[[], str]) -> None:
    database = address()
    office = Office(database)
    watcher = Workspace(database)
    lead = watcher.local()
    for n in range(6):
        office.rate(office.ada, 1 + n % 5)
        mine = office.workspace.monitor(office.lead, office.id).interval
        until(lambda mine=mine: watcher.monitor(lead, office.id).interval == mine)  # type: ignore[misc]
    watcher.store.close()
    office.workspace.store.close()
