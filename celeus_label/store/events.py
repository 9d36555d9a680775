"""The rows of the ledger: the only place that writes table `event`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from celeus_label.ledger import GENESIS, Event, canonical, chain_hash
from celeus_label.store.connection import Db
from celeus_label.store.times import stamp

#: Kinds that stand for a row of the queue's tables: only the operation that writes both may append them.
QUEUE_KINDS = frozenset(
    {"design", "draw", "rating", "later", "unratable", "further", "correction", "adjudication", "control"}
)


def append_event(db: Db, session: int, kind: str, body: Mapping[str, Any], now: datetime) -> Event:
    """Append within the caller's transaction."""
    last = db.execute(
        "SELECT seq, hash FROM event WHERE session = ? ORDER BY seq DESC LIMIT 1", (session,)
    ).fetchone()
    seq, before = (1, GENESIS) if last is None else (last[0] + 1, last[1])
    # Through JSON and back, so that what is hashed is what a reader will hash: keys are texts, tuples lists.
    content = json.loads(canonical(body))
    at = stamp(now)
    event = Event(seq, kind, content, at, chain_hash(before, seq, kind, content, at))
    db.execute(
        "INSERT INTO event (session, seq, kind, body, at, hash) VALUES (?, ?, ?, ?, ?, ?)",
        (session, seq, kind, canonical(content), at, event.hash),
    )
    return event


def append_work(db: Db, session: int, kind: str, body: Mapping[str, Any], now: datetime) -> Event:
    """Append what a rater did with a draw; of a control, whose round is below 0, it is of the one kind "control"."""
    if body["round"] > 0:
        return append_event(db, session, kind, body, now)
    return append_event(db, session, "control", {"what": kind, **body}, now)


def read_events(db: Db, session: int, after: int = 0, until: int | None = None) -> list[Event]:
    """Events with after < seq <= until, in order."""
    rows = db.execute(
        "SELECT seq, kind, body, at, hash FROM event WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq",
        (session, after, 2**62 if until is None else until),
    )
    return [Event(seq, kind, json.loads(body), at, digest) for seq, kind, body, at, digest in rows.fetchall()]


def read_event(db: Db, session: int, seq: int) -> Event:
    """The one event of that number, which the caller knows to exist."""
    return read_events(db, session, seq - 1, seq)[0]
