"""Backup, restore, and a doctor who finds whatever is wrong."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from celeus_label.ledger import append, canonical
from celeus_label.session import StoreError, Workspace, restore
from tests.office import busy_office


@pytest.fixture(scope="module")
def worked_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session in which much has happened."""
    path = tmp_path_factory.mktemp("worked") / "work.db"
    busy_office(path, 40).workspace.store.close()
    return path


@pytest.fixture
def worked(worked_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(worked_once, tmp_path / "work.db"))


def doctor(path: Path) -> list[str]:
    workspace = Workspace(path)
    found = workspace.doctor(workspace.local())
    workspace.store.close()
    return found


def behind_its_back(path: Path, *statements: str) -> None:
    """Change a file as nothing of ours would."""
    db = sqlite3.connect(path, isolation_level=None)
    for trigger in ("event_only_next", "event_no_update", "event_no_delete"):
        db.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        assert db.execute(statement).rowcount > 0
    db.close()


def test_a_backup_while_people_work_is_restored_with_all_that_was_there(worked: Path, tmp_path: Path) -> None:
    workspace = Workspace(worked)
    local = workspace.local()
    copy, again = tmp_path / "monday.db", tmp_path / "again.db"
    workspace.backup(local, copy)
    seen = workspace.monitor(local, 1)
    workspace.correct(local, 1, 1, 5, rater=workspace.store.ratings(1)[0].rater)
    restore(copy, again)
    other = Workspace(again)
    assert other.monitor(local, 1).interval == seen.interval
    assert other.doctor(local) == []
    assert len(other.store.events(1)) == len(workspace.store.events(1)) - 1
    assert doctor(worked) == []
    # a backup is one file, and stays what it was
    assert sorted(path.name for path in tmp_path.glob("monday*")) == ["monday.db"]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere.db", "there is no backup"),
        ("rubbish.db", r"rubbish\.db is not a celeus-label database"),
        ("unsound.db", "is not sound, and nothing was restored: "),
        ("used.db", "is a database in use"),
    ],
)
def test_what_is_no_sound_backup_is_not_restored(
    worked: Path, tmp_path: Path, source: str, sentence: str
) -> None:
    (tmp_path / "rubbish.db").write_bytes(b"not a database at all" * 500)
    behind_its_back(Path(shutil.copy(worked, tmp_path / "unsound.db")), "UPDATE rating SET value = 1.5")
    used = Workspace(shutil.copy(worked, tmp_path / "used.db"))
    used.invite(used.local(), "lead", None, "somebody")
    with pytest.raises(StoreError, match=sentence):
        restore(tmp_path / source, tmp_path / "again.db")
    assert list(tmp_path.glob("again*")) == []
    used.store.close()


def test_a_database_is_never_overwritten(worked: Path, tmp_path: Path) -> None:
    workspace = Workspace(worked)
    workspace.backup(workspace.local(), tmp_path / "monday.db")
    before = worked.read_bytes()
    with pytest.raises(StoreError, match="a database is never overwritten"):
        restore(tmp_path / "monday.db", worked)
    with pytest.raises(StoreError, match="exists already"):
        workspace.backup(workspace.local(), tmp_path / "monday.db")
    assert worked.read_bytes() == before
    workspace.store.close()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE event SET body = json_replace(body, '$.value', 2.5) WHERE kind = 'rating' AND seq < 20",
            "session 'helpful': ledger row",
        ),
        (
            "UPDATE item SET response = 'better' WHERE pool = 1 AND position = 7",
            "are not those that were loaded",
        ),
        (
            "DELETE FROM item WHERE pool = 1 AND position = 7",
            "session 'helpful': its items are not those of the pool that it was frozen on",
        ),
        (
            "UPDATE item SET extra = json_replace(extra, '$.answer', 5.5) WHERE pool = 2",
            "session 'helpful': its gold items are not those that were frozen",
        ),
        (
            "UPDATE session SET settings = json_replace(settings, '$.disagreement', 3)",
            "session 'helpful': disagreement is 3, but the design froze 1.0",
        ),
        ("UPDATE draw SET decided = 5 WHERE decided IS NOT NULL", "the ledger says"),
        ("UPDATE draw SET position = (position + 1) % 9 WHERE round = -1", "draw -1: the ledger says"),
        ("UPDATE rating SET value = value + 0.5 WHERE round < 0", "the ledger says"),
        ("DELETE FROM person", "refers to a row of table person that is not there"),
        (
            "DELETE FROM event WHERE seq = (SELECT min(seq) FROM event WHERE kind = 'further')",
            "the event there has number",
        ),
        ("DELETE FROM event", "the ledger does not begin with the design"),
    ],
)
def test_the_doctor_names_what_is_wrong(worked: Path, statement: str, sentence: str) -> None:
    assert doctor(worked) == []
    behind_its_back(worked, statement)
    faults = doctor(worked)
    assert any(sentence in fault for fault in faults), faults


def made_up(path: Path, kind: str, field: str, value: object) -> None:
    """Change a field of the last event of a kind, and make every hash after it right again."""
    db = sqlite3.connect(path, isolation_level=None)
    for trigger in ("event_only_next", "event_no_update", "event_no_delete"):
        db.execute(f"DROP TRIGGER {trigger}")
    rows = db.execute("SELECT seq, kind, body, at FROM event ORDER BY seq").fetchall()
    last = max(seq for seq, of, _, _ in rows if of == kind)
    before = None
    for seq, of, text, at in rows:
        body = json.loads(text) | ({field: value} if seq == last else {})
        before = append(before, of, body, at)
        db.execute("UPDATE event SET body = ?, hash = ? WHERE seq = ?", (canonical(body), before.hash, seq))
    db.close()


@pytest.mark.parametrize(
    ("kind", "field", "value", "sentence"),
    [
        ("draw", "u", 0.5, "its u is 0.5, but the rule gives"),
        ("draw", "q", 0.5, "its q is 0.5, but the rule gives"),
        ("adjudication", "old", 2, "its old value is 2, but what was decided before is None"),
        ("further", "wanted", 4, "4 ratings are asked for after 1"),
    ],
)
def test_the_doctor_replays_every_rule(
    worked: Path, kind: str, field: str, value: object, sentence: str
) -> None:
    """Whoever makes every hash right again still has to follow the design."""
    made_up(worked, kind, field, value)
    faults = doctor(worked)
    assert not any("hash" in fault for fault in faults)
    assert any("it can't be replayed: ledger row" in fault and sentence in fault for fault in faults), faults


def test_a_damaged_file_is_said_to_be_one(worked: Path) -> None:
    data = bytearray(worked.read_bytes())
    for page in range(5, len(data) // 4096, 3):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    worked.write_bytes(data)
    try:
        faults = doctor(worked)
    except StoreError as fault:
        faults = [str(fault)]
    assert any("damaged" in fault or "the file:" in fault for fault in faults), faults
