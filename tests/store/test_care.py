from __future__ import annotations

import threading
from pathlib import Path

import pytest

from celeus_label.store import Claim, DatabaseDamaged, DatabaseUnavailable, SqliteStore, StoreError
from tests.store.desk import Desk, draw_after


def test_a_backup_is_a_whole_database(desk: Desk, tmp_path: Path) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann)
    target = tmp_path / "backup.db"
    desk.store.backup(target)
    desk.rate(desk.claim(desk.ann), desk.ann)
    restored = SqliteStore(target)
    assert restored.check() == []
    assert restored.events(desk.session) == desk.store.events(desk.session)[:3]
    # Work goes on from the backup.
    claim = restored.claim(desk.session, desk.bob, desk.now, draw_after(restored, desk.session, desk.size))
    assert isinstance(claim, Claim) and claim.round == 2
    assert restored.check() == []
    restored.close()


def test_a_backup_never_overwrites_and_leaves_nothing_half_done(desk: Desk, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    target.write_text("precious")
    with pytest.raises(StoreError, match=r"backup\.db exists already"):
        desk.store.backup(target)
    assert target.read_text() == "precious"
    with pytest.raises(DatabaseUnavailable, match="the folder must exist"):
        desk.store.backup(tmp_path / "no such folder" / "backup.db")
    assert sorted(path.name for path in tmp_path.glob("*.part")) == []


def test_backups_while_raters_work(desk: Desk, tmp_path: Path) -> None:
    acknowledged: list[int] = []
    stop = threading.Event()

    def work(rater: str) -> None:
        while not stop.is_set() and len(acknowledged) < desk.size:
            claim = desk.ask(rater)
            if isinstance(claim, Claim):
                acknowledged.append(desk.rate(claim, rater).round)

    raters = [threading.Thread(target=work, args=(rater,)) for rater in (desk.ann, desk.bob)]
    for thread in raters:
        thread.start()
    for number in range(5):
        before = len(acknowledged)
        desk.store.backup(tmp_path / f"{number}.db")
        copy = SqliteStore(tmp_path / f"{number}.db")
        assert copy.check() == []
        assert copy.counts(desk.session, desk.now).ratings >= before
        copy.close()
    stop.set()
    for thread in raters:
        thread.join()


def test_a_damaged_file_is_reported_not_raised(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    desk = Desk(path, size=2000)
    desk.store.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 20_000] = b"\xff" * 20_000
    path.write_bytes(content)
    store = SqliteStore(path)
    assert store.check() != []
    store.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all, but long enough to be read as a header" * 20)
    with pytest.raises(DatabaseDamaged, match=r"notes\.txt is not a celeus-label database"):
        SqliteStore(path)
    assert path.read_text().startswith("not a database")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match="the folder must exist"):
        SqliteStore(tmp_path / "nowhere" / "a.db")


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(DatabaseUnavailable, match="put it in a file on a local disk"):
        SqliteStore(":memory:")
