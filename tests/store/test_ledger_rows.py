"""SQL can't change the ledger's rows, and `check` sees it if the file was changed in another way."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.store.desk import Desk, Refused, behind_its_back


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE event SET body = '{}' WHERE seq = 2", "a row may not be changed"),
        ("DELETE FROM event WHERE seq = 3", "may not be.* deleted"),
        (
            "INSERT INTO event SELECT session, 9, kind, body, at, hash FROM event WHERE seq = 3",
            "only follow the last",
        ),
        (
            "INSERT INTO event SELECT session, seq, kind, body, at, hash FROM event WHERE seq = 3",
            "only follow the last",
        ),
    ],
)
def test_the_ledger_is_append_only(desk: Desk, statement: str, sentence: str) -> None:
    _refused(desk, statement, sentence)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "REPLACE INTO event SELECT session, seq, 'x', body, at, hash FROM event WHERE seq = 2",
            "only follow the last",
        ),
        ("UPDATE OR REPLACE event SET seq = 2 WHERE seq = 3", "a row may not be changed"),
    ],
)
def test_no_replacing_of_sqlite_gets_around_it(file_desk: Desk, statement: str, sentence: str) -> None:
    _refused(file_desk, statement, sentence)


def _refused(desk: Desk, statement: str, sentence: str) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann)
    before = desk.store.events(desk.session)
    with behind_its_back(desk.address) as sql, pytest.raises(Refused, match=sentence):
        sql(statement)
    assert desk.store.events(desk.session) == before


def tamper(desk: Desk, statement: str) -> list[str]:
    """Change the file behind the triggers' back, and check it."""
    db = sqlite3.connect(desk.store.path, isolation_level=None)
    for trigger in ("event_only_next", "event_no_update", "event_no_delete"):
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute(statement)
    db.close()
    return desk.store.check()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE event SET body = replace(body, '3.0', '4.0') WHERE kind = 'rating'",
            "session 'first': ledger row 3 (rating): its hash does not follow",
        ),
        ("UPDATE event SET at = '2026' WHERE seq = 1", "ledger row 1 (design): its hash does not follow"),
        ("DELETE FROM event WHERE seq = 2", "ledger row 2: the event there has number 3"),
        ("UPDATE rating SET value = 4", "rating (1, "),
        (
            "UPDATE draw SET state = 'open'",
            "draw 1: the ledger says (1, 0, 1, 'done', None), the table (1, 0, 1, 'open', None)",
        ),
        (
            "INSERT INTO draw (session, round, pool, position, wanted) VALUES (1, 2, 1, 1, 1)",
            "draw 2: the ledger says nothing",
        ),
        ("UPDATE lease SET state = 'lapsed'", "the lease on draw 1 of"),
        ("DELETE FROM person", "refers to a row of table person that is not there"),
        ("DELETE FROM item WHERE position = 3", "pool 'pool': its items are not those that were loaded"),
        ("UPDATE item SET response = 'better' WHERE position = 3", "pool 'pool': its items are not those"),
    ],
)
def test_check_names_what_was_tampered_with(tmp_path: Path, statement: str, sentence: str) -> None:
    desk = Desk(tmp_path / "desk.db")
    desk.rate(desk.claim(desk.ann), desk.ann)
    assert desk.store.check() == []
    faults = tamper(desk, statement)
    assert any(sentence in fault for fault in faults), faults
    desk.store.close()
