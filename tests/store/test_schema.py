from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from celeus_label.store import DatabaseUnavailable, SqliteStore, Store, open_store
from tests.store.desk import Desk


def test_every_table_is_strict_and_the_file_is_in_wal_mode(file_desk: Desk) -> None:
    db = sqlite3.connect(file_desk.address)
    tables = db.execute(
        "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
    ).fetchall()
    ours = {name: strict for name, strict in tables if not name.startswith(("sqlite_", "_sqlite"))}
    assert set(ours) == {
        "pool",
        "item",
        "session",
        "event",
        "draw",
        "lease",
        "rating",
        "person",
        "invite",
        "password",
        "attempt",
    }
    assert all(ours.values())
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    db.close()


def test_connections_sync_at_every_commit_and_mind_references(file_desk: Desk) -> None:
    with file_desk.store._reading() as db:
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_opening_again_changes_nothing(desk: Desk) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann)
    again = open_store(desk.address)
    assert again.events(desk.session) == desk.store.events(desk.session)
    again.close()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    SqliteStore(path).close()
    db = sqlite3.connect(path)
    db.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
        " VALUES ('celeus_label.store', 'm099_future', '2030')"
    )
    db.commit()
    db.close()
    with pytest.raises(
        DatabaseUnavailable, match=r"newer version of celeus-label \(it has m099_future\); update"
    ):
        SqliteStore(path)


def test_a_broken_migration_leaves_no_half_made_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from celeus_label.store.sqlite import schema

    monkeypatch.setattr(schema, "_LEDGER", (*schema._LEDGER, "CREATE TABLE nonsense"))
    with pytest.raises(sqlite3.OperationalError):
        SqliteStore(tmp_path / "a.db")
    monkeypatch.undo()
    store = SqliteStore(tmp_path / "a.db")
    assert store.sessions() == []
    assert store.check() == []
    store.close()


def test_each_store_is_a_store(desk: Desk) -> None:
    """The type checker reads this: every operation of the protocol, with its types."""
    store: Store = desk.store
    operations = {name for name in vars(Store) if not name.startswith("_")}
    assert operations <= set(dir(store))


def test_opening_a_file_that_is_up_to_date_loads_no_pandas(file_desk: Desk) -> None:
    program = "import sys; from celeus_label.store import SqliteStore; SqliteStore(sys.argv[1]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(file_desk.address)], capture_output=True, text=True, check=True
    )
    assert "celeus_label.store.sqlite" in done.stdout.split()
    assert not {"pandas", "sqlite_utils"} & set(done.stdout.split())
