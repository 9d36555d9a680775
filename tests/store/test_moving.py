"""Everything from one database into another, of either kind, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from celeus_label.session import Workspace, copy
from celeus_label.store import (
    DatabaseUnavailable,
    ItemRow,
    StoreError,
    file_of,
    open_store,
    restore,
    whole_address,
)
from scripts import postgres
from tests.office import Office, busy_office
from tests.store.desk import START, behind_its_back

TABLES = ("pool", "item", "session", "event", "draw", "person", "lease", "rating", "invite", "password")


def contents(address: str) -> dict[str, list[tuple[object, ...]]]:
    with behind_its_back(address) as sql:
        columns = {table: ", ".join(sorted(_columns(sql, address, table) - {"rowid"})) for table in TABLES}
        return {
            table: sorted(map(repr, sql(f"SELECT {columns[table]} FROM {table}").fetchall()))
            for table in TABLES
        }


def _columns(sql: Callable[..., object], address: str, table: str) -> set[str]:
    ask = (
        f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'"
        if file_of(address) is None
        else f"SELECT name FROM pragma_table_info('{table}')"
    )
    return {name for (name,) in sql(ask).fetchall()}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database in which much has happened, on a file."""
    path = tmp_path_factory.mktemp("worked") / "work.db"
    office = busy_office(path, 60)
    office.workspace.set_password(office.workspace.local(), "lea", "a long password of hers", "lead")
    office.workspace.claim(office.ada, office.id)
    office.workspace.store.close()
    return str(path)


def test_there_and_back_again_every_row_is_what_it_was(
    worked: str, postgres_server: postgres.Server, tmp_path: Path
) -> None:
    there, back = postgres_server.new_database(), f"sqlite:///{tmp_path / 'back.db'}"
    (moved,) = copy(worked, there)
    (again,) = copy(there, back)
    assert moved == again
    assert contents(worked) == contents(there) == contents(back)
    workspace = Workspace(there)
    assert workspace.doctor(workspace.local()) == []
    assert [person.name for person in workspace.store.people()] == [
        person.name for person in open_store(worked).people()
    ]
    # Work goes on, and new rows have numbers of their own.
    pool = workspace.store.add_pool("f" * 64, "next", {}, [ItemRow(0, "x", "", "")], START)
    assert pool == 1 + max(row.pool for row in workspace.store.sessions()) + 1
    assert workspace.store.add_session("next", pool, {}, {}, START) == 2
    workspace.store.close()


def test_a_copy_while_people_rate_is_of_one_moment(postgres_server: postgres.Server, tmp_path: Path) -> None:
    office = Office(postgres_server.new_database())
    for n in range(5):
        office.rate(office.ada, 1 + n % 5)
    office.workspace.backup(office.workspace.local(), tmp_path / "monday.db")
    seen = office.workspace.monitor(office.lead, office.id).interval
    office.rate(office.ada, 5)
    restore(tmp_path / "monday.db", other := postgres_server.new_database())
    again = Workspace(other)
    assert again.monitor(again.local(), office.id).interval == seen
    assert again.doctor(again.local()) == []
    again.store.close()
    office.workspace.store.close()


def test_nothing_is_copied_onto_something(worked: str, address: Callable[[], str]) -> None:
    target = address()
    store = open_store(target)
    store.add_person("Somebody", START)
    before = contents(target)
    with pytest.raises(StoreError, match="holds something already; name a database that is empty"):
        copy(worked, target)
    assert contents(target) == before
    store.close()


def test_a_file_that_is_not_there_is_not_copied_as_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database .*nowhere\.db, so that nothing was copied"):
        copy(tmp_path / "nowhere.db", tmp_path / "b.db")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_postgresql_cannot_hold_is_named(postgres_server: postgres.Server) -> None:
    store = open_store(postgres_server.new_database())
    items = [ItemRow(0, "a", "fine", "fine"), ItemRow(1, "b", "a NUL \0 in it", "fine")]
    with pytest.raises(ValueError, match=r"item 'b' at position 1 has content that can't be stored: .*NUL"):
        store.add_pool("h", "pool", {}, items, START)
    assert store.add_pool("h", "pool", {}, items[:1], START) > 0
    store.close()


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("mysql://somewhere/x", "begins with mysql://; it must be a file, sqlite:///FILE, or postgresql://"),
        ("postgresql://nobody@127.0.0.1:1/x", "can't be reached"),
        ("postgresql://nobody:secret@127.0.0.1:port/x", "can't be"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(address: str, sentence: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=sentence) as told:
        open_store(address)
    assert "secret" not in str(told.value)


def test_the_address_of_a_file_is_the_same_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert whole_address("a.db") == whole_address("sqlite:///a.db") == str(tmp_path / "a.db")
    assert whole_address("postgresql://x/y") == "postgresql://x/y"
