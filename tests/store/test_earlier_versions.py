"""A database that an earlier version wrote opens in this one, with all it holds."""

from __future__ import annotations

import json
import lzma
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from celeus_label.session import Task, Workspace
from celeus_label.store import SqliteStore
from celeus_label.store.sqlite import schema

FIXTURES = Path(__file__).parent / "fixtures"
EARLIER = [step.__name__ for step in schema.STEPS[:-1]]


def test_there_is_a_database_of_every_version_whose_tables_were_others() -> None:
    kept = {path.name.removesuffix(".db.xz") for path in FIXTURES.glob("*.db.xz")}
    assert set(EARLIER) <= kept, "tests/store/fixtures/make.py writes one, with the version before"


@pytest.mark.parametrize("version", sorted(path.name.split(".")[0] for path in FIXTURES.glob("*.db.xz")))
def test_a_database_of_an_earlier_version_goes_on_where_it_was(version: str, tmp_path: Path) -> None:
    db = tmp_path / "old.db"
    db.write_bytes(lzma.decompress((FIXTURES / f"{version}.db.xz").read_bytes()))
    then = json.loads((FIXTURES / f"{version}.json").read_text("utf-8"))
    workspace = Workspace(db, lambda: datetime(2026, 3, 1, 9, 31, tzinfo=UTC))
    local = workspace.local()
    assert workspace.doctor(local) == []  # every hash, every draw, and the replay of each session
    (info,) = workspace.sessions(local)
    seen = workspace.monitor(local, info.id)
    assert workspace.store.events(info.id)[-1].hash == then["ledger"]
    assert (seen.interval.ratings, seen.interval.status, seen.draws) == (
        then["ratings"],
        then["status"],
        then["draws"],
    )
    for name in ("lower", "upper", "estimate"):
        assert getattr(seen.interval, name) == pytest.approx(then[name], rel=1e-12)

    # whoever was at work goes on with the same item, and others join
    holder = next(row for row in workspace.store.invites(info.id) if row.name == "Bob Old")
    bob = workspace.sign_in(workspace.invite(local, "rater", info.id, "Bob again"))
    assert bob is not None
    assert workspace.store.draft(then["held"], holder.person) is None
    workspace.store.rate(then["held"], holder.person, 3.0, 900, workspace._clock())
    task = workspace.claim(bob, info.id)
    assert isinstance(task, Task)
    workspace.rate(bob, info.id, task.lease, 4, 900)
    assert workspace.doctor(local) == []
    assert workspace.export(local, info.id, tmp_path / "bundle.zip").is_file()
    copies = [path.name for path in tmp_path.glob("old.db.before-*")]
    missing = [step.__name__ for step in schema.STEPS][
        [step.__name__ for step in schema.STEPS].index(version) + 1 :
    ]
    assert copies == [f"old.db.before-{step}" for step in missing[:1]]


def test_a_file_is_copied_as_it_was_before_it_is_brought_up_to_date(tmp_path: Path) -> None:
    db = tmp_path / "old.db"
    db.write_bytes(lzma.decompress((FIXTURES / "m001_ledger.db.xz").read_bytes()))
    first = tmp_path / "old.db.before-m002_controls"
    first.write_bytes(b"of an earlier attempt")
    store = SqliteStore(db)
    SqliteStore(db).close()  # it is up to date now, and not copied again
    assert first.read_bytes() == b"of an earlier attempt"
    assert [path.name for path in tmp_path.glob("old.db.before-*-*")] == [f"{first.name}-2"]
    copy = sqlite3.connect(tmp_path / f"{first.name}-2")
    assert schema.pending(copy) == [step.__name__ for step in schema.STEPS[1:]]
    assert copy.execute("SELECT count(*) FROM event").fetchone()[0] == len(store.events(1))
    copy.close()
    with store._reading() as connection:
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute(
                "INSERT INTO draw (session, round, pool, position, wanted) VALUES (1, 99, 1, 999, 1)"
            )
    store.close()
