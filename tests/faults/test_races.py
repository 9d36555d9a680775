from __future__ import annotations

import sqlite3
import time
from collections import Counter
from pathlib import Path

import pytest

from celeus_label.ledger import first_break
from celeus_label.store import SqliteStore
from celeus_label.store.schema import STEPS
from tests.faults.processes import context, gather, running
from tests.faults.workers import Receipt, open_at_once, rate_all
from tests.store.desk import START, Desk


@pytest.mark.parametrize(("size", "k"), [(2000, 1), (300, 3)])
def test_twenty_processes_rate_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: int, k: int
) -> None:
    path = tmp_path / "race.db"
    desk = Desk(path, size=size, ratings_per_item=k)
    raters = [desk.store.add_person(f"rater {i}", START) for i in range(20)]
    barrier = context.Barrier(21)
    jobs = [(rate_all, str(path), desk.session, size, rater, barrier) for rater in raters]
    with running(*jobs) as processes:
        barrier.wait(60)
        began = time.perf_counter()
        receipts: list[Receipt] = gather(processes, 120)
        seconds = time.perf_counter() - began
    with capsys.disabled():
        print(
            f"\n20 processes, {size} items, k = {k}: {len(receipts) / seconds:.0f} ratings a second "
            f"(claim and rate, synchronous = FULL), {seconds:.1f} s"
        )

    # Every acknowledged rating is there, once, with its value; and nothing else is.
    assert len(receipts) == size * k
    db = sqlite3.connect(path)
    stored = db.execute("SELECT lease, round, rater, value FROM rating").fetchall()
    db.close()
    assert Counter(stored) == Counter(receipts)
    assert set(Counter(round for _, round, _, _ in receipts).values()) == {k}
    assert len({(round, rater) for _, round, rater, _ in receipts}) == size * k
    # The ledger says the same, in one whole chain, with the draws in their order.
    events = desk.store.events(desk.session)
    assert first_break(events) is None
    assert [e.body["round"] for e in events if e.kind == "draw"] == list(range(1, size + 1))
    ledger = [(e.body["round"], e.body["rater"], e.body["value"]) for e in events if e.kind == "rating"]
    assert Counter(ledger) == Counter((round, rater, value) for _, round, rater, value in receipts)
    assert desk.store.check() == []
    desk.store.close()


def test_one_submit_from_many_processes_is_one_rating(tmp_path: Path) -> None:
    path = tmp_path / "submit.db"
    desk = Desk(path)
    claim = desk.claim(desk.ann)
    barrier = context.Barrier(8)
    jobs = [(submit, str(path), claim.lease, desk.ann, float(i), barrier) for i in range(8)]
    with running(*jobs) as processes:
        receipts = []
        for _, receive in processes:
            assert receive.poll(60), "a process is stuck"
            receipts.append(receive.recv())
    assert len(set(receipts)) == 1
    assert desk.kinds() == ["design", "draw", "rating"]
    assert desk.store.events(desk.session)[-1].body["value"] == receipts[0]
    desk.store.close()


def submit(path: str, lease: str, rater: str, value: float, barrier: object, out: object) -> None:
    store = SqliteStore(path)
    barrier.wait(60)  # type: ignore[attr-defined]
    out.send(store.rate(lease, rater, value, 10, START).value)  # type: ignore[attr-defined]


def test_processes_that_start_together_make_the_tables_once(tmp_path: Path) -> None:
    for attempt in range(10):
        path = tmp_path / f"{attempt}.db"
        barrier = context.Barrier(4)
        with running(*[(open_at_once, str(path), barrier)] * 4) as processes:
            for _, receive in processes:
                assert receive.poll(60), "a process is stuck"
                assert receive.recv() is None
        store = SqliteStore(path)
        assert store.check() == []
        with store._reading() as db:
            assert db.execute("SELECT count(*) FROM person").fetchone()[0] == 4
            made = db.execute("SELECT name FROM _sqlite_migrations").fetchall()
            assert sorted(name for (name,) in made) == sorted(step.__name__ for step in STEPS)
        store.close()
