from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import pytest

from celeus_label.ledger import first_break
from celeus_label.store import file_of, open_store
from celeus_label.store.postgres import schema as postgres
from celeus_label.store.sqlite import schema as sqlite
from tests.faults.processes import context, gather, running
from tests.faults.workers import Receipt, open_at_once, rate_all
from tests.store.desk import START, Desk


@pytest.mark.parametrize(("size", "k"), [(2000, 1), (300, 3)])
def test_twenty_processes_rate_at_once(
    address: Callable[[], str], capsys: pytest.CaptureFixture[str], size: int, k: int
) -> None:
    desk = Desk(address(), size=size, ratings_per_item=k)
    raters = [desk.store.add_person(f"rater {i}", START) for i in range(20)]
    barrier = context.Barrier(21)
    jobs = [(rate_all, desk.address, desk.session, size, rater, barrier) for rater in raters]
    with running(*jobs) as processes:
        barrier.wait(60)
        began = time.perf_counter()
        receipts: list[Receipt] = gather(processes, 120)
        seconds = time.perf_counter() - began
    with capsys.disabled():
        print(
            f"\n20 processes, {size} items, k = {k}: {len(receipts) / seconds:.0f} ratings a second "
            f"(claim and rate, at the disk's pace), {seconds:.1f} s"
        )

    # Every acknowledged rating is there, once, with its value; and nothing else is.
    assert len(receipts) == size * k
    with desk.store._reading() as db:
        stored = db.execute("SELECT lease, round, rater, value FROM rating").fetchall()
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


def test_one_submit_from_many_processes_is_one_rating(address: Callable[[], str]) -> None:
    desk = Desk(address())
    claim = desk.claim(desk.ann)
    barrier = context.Barrier(8)
    jobs = [(submit, desk.address, claim.lease, desk.ann, float(i), barrier) for i in range(8)]
    with running(*jobs) as processes:
        receipts = []
        for _, receive in processes:
            assert receive.poll(60), "a process is stuck"
            receipts.append(receive.recv())
    assert len(set(receipts)) == 1
    assert desk.kinds() == ["design", "draw", "rating"]
    assert desk.store.events(desk.session)[-1].body["value"] == receipts[0]
    desk.store.close()


def submit(address: str, lease: str, rater: str, value: float, barrier: object, out: object) -> None:
    store = open_store(address)
    barrier.wait(60)  # type: ignore[attr-defined]
    out.send(store.rate(lease, rater, value, 10, START).value)  # type: ignore[attr-defined]


def test_processes_that_start_together_make_the_tables_once(address: Callable[[], str]) -> None:
    for _ in range(10):
        database = address()
        barrier = context.Barrier(4)
        with running(*[(open_at_once, database, barrier)] * 4) as processes:
            for _, receive in processes:
                assert receive.poll(60), "a process is stuck"
                assert receive.recv() is None
        store = open_store(database)
        assert store.check() == []
        with store._reading() as db:
            assert db.execute("SELECT count(*) FROM person").fetchone()[0] == 4
            if file_of(database) is None:
                made, steps = "celeus_step", list(postgres.STEPS)
            else:
                made, steps = "_sqlite_migrations", [step.__name__ for step in sqlite.STEPS]
            assert sorted(name for (name,) in db.execute(f"SELECT name FROM {made}").fetchall()) == sorted(
                steps
            )
        store.close()
