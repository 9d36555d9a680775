"""`celeus-label serve` itself, killed under the hands of raters at their pages."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from websockets import WebSocketException

from celeus_label.certify import Design, replay
from celeus_label.session import Workspace
from tests.faults.serving import servers
from tests.faults.test_servers import same_to_the_last_bit, uninterrupted
from tests.faults.wire import Cookies, Page, cookies_of, opened
from tests.office import pool_of

KILLS = 30
RATERS = 4


class RaterAtWork(threading.Thread):
    """Does all that raters do, opens the page anew whenever the server is gone, and keeps what was called saved."""

    def __init__(self, port: int, cookies: Cookies, seed: int) -> None:
        super().__init__()
        self._port, self._cookies, self._chance = port, cookies, random.Random(seed)
        self.receipts: list[tuple[str, float]] = []  # lease and value
        self.refused: list[str] = []
        self.going = True
        self.fault: BaseException | None = None

    def run(self) -> None:
        while self.going:
            try:
                with opened(self._port, self._cookies) as page:
                    while self.going:
                        self._work(page)
            except (OSError, WebSocketException):
                time.sleep(0.02)
            except BaseException as fault:
                self.fault = fault
                return

    def _work(self, page: Page) -> None:
        card = page.card
        if card["mode"] == "correct":
            page.act(do="correct", score=self._chance.randint(1, 5))
            return
        if card["mode"] == "idle":
            page.act(do="look")
            return
        lease, what = card["lease"], self._chance.random()
        if what < 0.04:
            page.act(do="later", lease=lease)
        elif what < 0.07:
            page.act(do="unratable", lease=lease, reason="context")
        elif what < 0.12:
            page.act(do="undo")
        elif what < 0.17:
            page.act(do="draft", lease=lease, comment="half a", flag=False)
        else:
            value = self._chance.randint(1, 5)
            told = page.act(do="rate", lease=lease, score=value, dwell_ms=700)
            if told["saved"] is None:
                self.refused.append(told["notice"])
            else:
                assert told["saved"]["value"] == str(value)
                self.receipts.append((lease, value))


def test_what_raters_saw_saved_outlives_every_kill_of_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size, chance = 1500, random.Random(3)
    db = tmp_path / "served.db"
    workspace = Workspace(db)  # of another process than the server
    local = workspace.local()
    design = Design(width=0.0001, seed=4, ratings_per_item=2, disagreement=2.0, unratable_after=1)
    info = workspace.create(local, "served", pool_of(size), design)
    raters: list[RaterAtWork] = []
    began = time.perf_counter()
    with servers(db) as served:
        served.start()
        for number in range(RATERS):
            token = workspace.invite(local, "rater", info.id, f"rater {number}")
            cookies = cookies_of(f"http://127.0.0.1:{served.port}/?invite={token}")
            raters.append(RaterAtWork(served.port, cookies, number))
        try:
            for rater in raters:
                rater.start()
            for kill in range(KILLS):
                before = [len(rater.receipts) for rater in raters]
                until = time.monotonic() + 60
                # all are at work again, so that the moment may be within anything that they do
                while any(len(rater.receipts) == count for rater, count in zip(raters, before, strict=True)):
                    assert [rater.fault for rater in raters] == [None] * RATERS
                    assert time.monotonic() < until, served.log.read_text()
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.08))
                served.kill()
                if kill % 10 == 9:
                    fresh = Workspace(db)  # as the next server finds it
                    watched = workspace.monitor(local, info.id).interval
                    assert fresh.monitor(local, info.id).interval == watched
                    fresh.store.close()
                served.start()
        finally:
            for rater in raters:
                rater.going = False
            for rater in raters:
                rater.join(60)
    seconds = time.perf_counter() - began
    receipts = [receipt for rater in raters for receipt in rater.receipts]
    assert [rater.fault for rater in raters] == [None] * RATERS
    # the one refusal that a kill may bring: the lease ran out, and somebody else has the item
    assert {notice for rater in raters for notice in rater.refused} <= {"lost_taken"}
    # what a rater was told is saved is there, once, with its value; the rest are ratings whose answer was cut off
    connection = sqlite3.connect(db)
    stored = connection.execute(
        "SELECT r.lease, e.body ->> 'value', r.round FROM rating r"
        " JOIN event e ON e.session = r.session AND e.seq = r.seq"
    ).fetchall()
    connection.close()
    with capsys.disabled():
        print(
            f"\n{KILLS} kills of celeus-label serve under {RATERS} raters at their pages: {len(receipts)} ratings "
            f"called saved, {len(stored) - len(receipts)} more whose answer was cut off, {seconds:.1f} s"
        )
    assert len(receipts) >= KILLS * RATERS
    assert not Counter(receipts) - Counter((lease, value) for lease, value, _ in stored)
    assert len(stored) - len(receipts) <= (KILLS + 1) * RATERS
    assert max(Counter(round for _, _, round in stored).values()) <= 3
    assert workspace.doctor(local) == []  # the file's integrity, every chain, and each session replayed
    events = workspace.store.events(info.id)
    assert {event.kind for event in events} >= {"draw", "fit", "rating", "later", "unratable", "correction"}
    workspace.monitor(local, info.id)
    watched_all = workspace._loaded(info.id).certifier
    same_to_the_last_bit(watched_all, replay(pool_of(size).pool, info.design, events))
    same_to_the_last_bit(watched_all, uninterrupted(events, size, info.design))
    workspace.store.close()
