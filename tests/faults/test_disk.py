"""A full disk, a file that may not be written, a lock that never ends: a clear sentence, and nothing lost."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from celeus_label.store import (
    DatabaseBusy,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    Saved,
    SqliteStore,
    StoreError,
)
from tests.faults.processes import running
from tests.store.desk import START, Desk, items


def rate_until_full(desk: Desk) -> tuple[list[Saved], StoreError]:
    saved: list[Saved] = []
    while True:
        try:
            claim = desk.claim(desk.ann)
            # A long comment fills the file faster.
            saved.append(desk.store.rate(claim.lease, desk.ann, len(saved), 10, desk.now, comment="x" * 3000))
        except StoreError as error:
            return saved, error


def test_a_full_disk(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "full.db", size=500)
    with desk.store._reading() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 30}")
    saved, error = rate_until_full(desk)
    assert isinstance(error, DatabaseFull)
    assert str(error) == (
        f"{desk.store.path} can't grow: the disk is full; nothing of this step was stored, "
        "all that was saved before is safe; free some space and try again"
    )
    assert len(saved) > 10
    rows = desk.store.recent(desk.session, desk.ann, limit=1000)
    assert [row.value for row in reversed(rows)] == [receipt.value for receipt in saved]
    assert desk.store.check() == []

    # A pool that does not fit leaves nothing behind.
    with pytest.raises(DatabaseFull):
        desk.store.add_pool("big", "big", {}, items(20_000), START)
    assert desk.store.check() == []

    # With space again, the same rater goes on with the same draw.
    with desk.store._reading() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    claim = desk.claim(desk.ann)
    assert claim.round == len(saved) + 1
    desk.rate(claim, desk.ann)
    assert desk.store.check() == []
    desk.store.close()


def under_a_file_size_limit(path: str, out: Connection) -> None:
    """Let the system itself refuse to write, in the middle of the log."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    desk = Desk(Path(path), size=500)
    grown = os.path.getsize(path + "-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (grown + 2_000_000, resource.RLIM_INFINITY))
    saved, error = rate_until_full(desk)
    in_file = [row.value for row in reversed(desk.store.recent(desk.session, desk.ann, limit=1000))]
    out.send(([receipt.value for receipt in saved], in_file, type(error), str(error)))


def test_a_disk_that_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "refused.db"
    with running((under_a_file_size_limit, str(path))) as [(_, receive)]:
        assert receive.poll(60)
        saved, in_file, kind, sentence = receive.recv()
    assert kind in (DatabaseFull, DatabaseUnavailable)
    assert "nothing of this step was stored, all that was saved before is safe" in sentence
    assert saved == in_file
    assert len(saved) > 10
    # The file is sound for the next server, and has all that was acknowledged.
    store = SqliteStore(path)
    assert store.check() == []
    assert store.counts(1, START).ratings == len(saved)
    store.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without rights may enter, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def without_rights(path: str, out: Connection) -> None:
    """Read and write as a user who may only read. Root may write anything, so it becomes nobody first."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    said: list[object] = []
    try:
        store = SqliteStore(path)
        said.append(store.counts(1, START).ratings)
        person = store.rater_stats(1)[0].rater
        writes: list[Callable[[], object]] = [
            lambda: store.add_person("Eve", START),
            lambda: store.claim(1, person, START, lambda: []),
            lambda: store.correct(1, 1, person, 1, person, START),
        ]
        for write in writes:
            try:
                write()
                said.append("written")
            except StoreError as error:
                said.append((type(error), str(error)))
    except StoreError as error:
        said.append((type(error), str(error)))
    out.send(said)


def test_a_file_that_may_not_be_written(open_folder: Path) -> None:
    path = open_folder / "read-only.db"
    desk = Desk(path)
    desk.rate(desk.claim(desk.ann), desk.ann, 5)
    # A server has the file open, as the log and its index beside it show; another user looks on.
    for part in open_folder.iterdir():
        part.chmod(0o444)
    open_folder.chmod(0o555)
    with running((without_rights, str(path))) as [(_, receive)]:
        assert receive.poll(60)
        ratings, *refusals = receive.recv()
    assert ratings == 1
    assert [kind for kind, _ in refusals] == [DatabaseReadOnly] * 3
    assert refusals[0][1] == (
        f"{path} may not be written; nothing of this step was stored, all that was saved before is safe; "
        "give the server write permission on the file and its folder"
    )
    assert desk.store.check() == []
    assert desk.counts().ratings == 1
    desk.store.close()


def test_a_folder_that_may_not_be_written(open_folder: Path) -> None:
    path = open_folder / "closed.db"
    desk = Desk(path)
    desk.store.close()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    with running((without_rights, str(path))) as [(_, receive)]:
        assert receive.poll(60)
        [(kind, sentence)] = receive.recv()
    assert kind in (DatabaseUnavailable, DatabaseReadOnly)
    assert "write permission" in sentence


def test_a_lock_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteStore, "busy_seconds", 0.05)
    desk = Desk(tmp_path / "busy.db")
    claim = desk.claim(desk.ann)
    other = sqlite3.connect(desk.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(
        DatabaseBusy, match="is locked by another process; nothing of this step was stored, try"
    ):
        desk.rate(claim, desk.ann, 4)
    # Reading goes on all the while.
    assert desk.counts().open == 1
    other.execute("ROLLBACK")
    other.close()
    assert desk.rate(claim, desk.ann, 4).value == 4
    desk.store.close()
