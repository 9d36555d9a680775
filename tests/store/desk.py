"""A session ready to rate, on a real file, for the tests of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from celeus_label.store import Claim, ItemRow, Nothing, QueueCounts, Saved, Store, file_of, open_store

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def items(count: int) -> list[ItemRow]:
    return [
        ItemRow(i, f"item-{i}", f"prompt {i}", f"response {i}", {"judge": i / count}) for i in range(count)
    ]


def draw_after(store: Store, session: int, size: int, stop_at: int | None = None) -> Any:
    """A `next_draw` that takes the items in their order, found from the ledger, as a server process would."""
    drawn = [event for event in store.events(session) if event.kind == "draw"]
    seen = {"seq": drawn[-1].seq, "round": drawn[-1].body["round"]} if drawn else {"seq": 0, "round": 0}

    def next_draw() -> list[tuple[str, dict[str, Any]]]:
        for event in store.events(session, after=seen["seq"]):
            seen["seq"] = event.seq
            if event.kind == "draw":
                seen["round"] = event.body["round"]
        t = seen["round"] + 1
        if t > min(size, size if stop_at is None else stop_at):
            return []
        body = {
            "round": t,
            "item": f"item-{t - 1}",
            "position": t - 1,
            "q": 0.5,
            "u": 0.25,
            "committed": 0,
            "fit": 0,
        }
        return [("draw", body)]

    return next_draw


class Refused(Exception):
    """What the database itself says of a statement that breaks one of its rules."""


@contextmanager
def behind_its_back(address: str | Path) -> Iterator[Callable[..., Any]]:
    """Run SQL on a database as nothing of ours would; each statement is stored at once."""
    file = file_of(address)
    if file is None:
        with psycopg.connect(str(address), autocommit=True) as other:
            yield lambda sql, *values: _told(lambda: other.execute(sql.replace("?", "%s"), values))
        return
    db = sqlite3.connect(file, isolation_level=None)
    yield lambda sql, *values: _told(lambda: db.execute(sql, values))
    db.close()


def _told(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except (sqlite3.IntegrityError, psycopg.IntegrityError, psycopg.errors.RaiseException) as fault:
        raise Refused(str(fault)) from fault


class Desk:
    """A store with one pool and one session; `now` is the time that every call passes on."""

    def __init__(self, address: str | Path, size: int = 20, gold: int = 0, **settings: Any) -> None:
        self.address = address
        self.store = open_store(address)
        self.now = START
        self.size = size
        self.pool = self.store.add_pool("0" * 64, "pool", {"scale": [1, 5]}, items(size), START)
        if gold:
            answered = [
                ItemRow(i, f"gold-{i}", f"gold prompt {i}", "", {"answer": i % 5}) for i in range(gold)
            ]
            settings["gold_pool"] = self.store.add_pool("1" * 64, "gold", {}, answered, START)
        self.session = self.new_session("first", **settings)
        self.next_draw = draw_after(self.store, self.session, size)
        self.ann, self.bob, self.cid, self.dan = (
            self.store.add_person(name, START) for name in ("Ann", "Bob", "Cid", "Dan")
        )

    def new_session(self, name: str, **settings: Any) -> int:
        return self.store.add_session(name, self.pool, {"name": name, "items": self.size}, settings, START)

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def ask(self, rater: str) -> Claim | Nothing:
        return self.store.claim(self.session, rater, self.now, self.next_draw)

    def claim(self, rater: str) -> Claim:
        claim = self.ask(rater)
        assert isinstance(claim, Claim), claim
        return claim

    def rate(self, claim: Claim, rater: str, value: float = 3.0) -> Saved:
        return self.store.rate(claim.lease, rater, value, 1500, self.now)

    def counts(self) -> QueueCounts:
        return self.store.counts(self.session, self.now)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.store.events(self.session)]
