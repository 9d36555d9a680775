from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from celeus_label.ledger import first_break
from celeus_label.store import ItemRow, open_store
from tests.faults.processes import drain, running, start, strike
from tests.faults.workers import Receipt, rate_until_killed
from tests.store.desk import START, Desk, items

KILLS = 100
WRITERS = 3


def test_nothing_acknowledged_is_lost_in_a_hundred_kills(
    address: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(5)
    size = 60_000
    desk = Desk(address(), size=size, ratings_per_item=1, lease_seconds=1)
    raters = [desk.store.add_person(f"rater {i}", START) for i in range(WRITERS)]
    receipts: list[Receipt] = []
    began = time.perf_counter()
    writers = [
        start(rate_until_killed, desk.address, desk.session, size, rater, i) for i, rater in enumerate(raters)
    ]
    try:
        for kill in range(KILLS):
            victim = chance.randrange(WRITERS)
            process, receive = writers[victim]
            # The writer is at work, as are the others; the moment is random, so it may be in a commit.
            receipts += strike(process, receive, chance.uniform(0, 0.08))
            if kill % 10 == 9:
                # A server that starts right after a crash finds a sound file.
                fresh = open_store(desk.address)
                assert first_break(fresh.events(desk.session)) is None
                fresh.close()
            writers[victim] = start(
                rate_until_killed, desk.address, desk.session, size, raters[victim], 1000 + kill
            )
    finally:
        for process, receive in writers:
            process.kill()
            process.join()
            receipts += drain(receive)
    seconds = time.perf_counter() - began
    with capsys.disabled():
        print(f"\n{KILLS} kills of {WRITERS} writers: {len(receipts)} ratings acknowledged, {seconds:.1f} s")

    assert len(receipts) >= KILLS
    assert len({lease for lease, _, _, _ in receipts}) == len(receipts)
    with desk.store._reading() as db:
        stored = db.execute("SELECT lease, round, rater, value FROM rating").fetchall()
    # A kill may come between the commit and the receipt: then there is one rating more, but never one less.
    lost = Counter(receipts) - Counter(stored)
    assert not lost
    assert len(stored) - len(receipts) <= KILLS + WRITERS
    assert max(Counter(round for _, round, _, _ in stored).values()) == 1
    assert desk.store.check() == []
    desk.store.close()


def test_a_forked_process_does_not_use_the_parents_connection(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "fork.db")
    desk.claim(desk.ann)
    parents = desk.store._idle[0]
    child = os.fork()
    if child == 0:
        try:
            desk.claim(desk.bob)
            assert desk.store._idle[0] is not parents
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert desk.claim(desk.cid).round == 3
    assert desk.store.check() == []
    desk.store.close()


def load_a_pool(address: str, out: Connection) -> None:
    def slowly() -> Iterator[ItemRow]:
        for item in items(200_000):
            if item.position == 3000:
                out.send("in the middle")
            yield item

    open_store(address).add_pool("h", "pool", {}, slowly(), START)
    out.send("done")


def test_a_pool_half_loaded_is_not_there(address: Callable[[], str]) -> None:
    database = address()
    with running((load_a_pool, database)) as [(process, receive)]:
        assert receive.poll(60)
        assert receive.recv() == "in the middle"
        process.kill()
    store = open_store(database)
    assert store.check() == []
    pool = store.add_pool("h", "pool", {}, items(10), START)
    assert len(list(store.pool_items(pool))) == 10
    store.close()
