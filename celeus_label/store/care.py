"""A check of everything that can be checked."""

from __future__ import annotations

import hashlib
from typing import Any

from celeus_label.ledger import Event, first_break
from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import DatabaseDamaged
from celeus_label.store.events import read_events
from celeus_label.store.rows import SessionRow
from celeus_label.store.sessions import item_bytes, session_row


class Care(Connections):
    """A check of everything."""

    def check(self) -> list[str]:
        """Every fault found, a sentence each; [] if all is well.

        The database's own integrity, references to rows that are not there, each pool's items against their hash,
        each session's hash chain, and whether the queue's tables say what the ledger says.
        """
        try:
            with self._snapshot() as db:
                return self._damage(db) + _faults(db)
        except DatabaseDamaged as damage:
            return [str(damage)]


def _faults(db: Db) -> list[str]:
    faults: list[str] = []
    pools = db.execute("SELECT id, name, items, texts_hash FROM pool ORDER BY id").fetchall()
    for pool_id, name, *loaded in pools:
        if _items(db, pool_id) != loaded:
            faults.append(f"pool {name!r}: its items are not those that were loaded")
    for session_id, name in db.execute("SELECT id, name FROM session ORDER BY id").fetchall():
        faults += [f"session {name!r}: {fault}" for fault in _session_faults(db, session_id)]
    return faults


def _items(db: Db, pool_id: int) -> list[int | str]:
    """How many items the pool has, and the hash over them."""
    digest, count = hashlib.sha256(), 0
    rows = db.execute(
        "SELECT item_id, prompt, response, extra FROM item WHERE pool = ? ORDER BY position", (pool_id,)
    )
    for row in rows:
        digest.update(item_bytes(*row))
        count += 1
    return [count, digest.hexdigest()]


def _session_faults(db: Db, session_id: int) -> list[str]:
    events = read_events(db, session_id)
    faults = []
    broken = first_break(events)
    if broken is not None:
        faults.append(broken)
    if not events or events[0].kind != "design":
        faults.append("the ledger does not begin with the design")
    draws, ratings = _fold(events, session_row(db, session_id))
    rows = db.execute(
        "SELECT round, pool, position, wanted, state, decided FROM draw WHERE session = ?", (session_id,)
    )
    faults += _differences("draw", draws, {row[0]: tuple(row[1:]) for row in rows.fetchall()})
    rows = db.execute("SELECT round, rater, value, seq, set_by FROM rating WHERE session = ?", (session_id,))
    faults += _differences("rating", ratings, {(row[0], row[1]): tuple(row[2:]) for row in rows.fetchall()})
    stray = db.execute(
        """
        SELECT l.round, l.rater, l.state FROM lease l
        LEFT JOIN rating r ON r.session = l.session AND r.round = l.round AND r.rater = l.rater
        WHERE l.session = ? AND (l.state = 'rated') <> (r.lease IS NOT NULL AND r.lease = l.token)
        """,
        (session_id,),
    )
    faults += [f"the lease on draw {row[0]} of {row[1]} is {row[2]}, the ratings differ" for row in stray]
    return faults


def _fold(
    events: list[Event], session: SessionRow
) -> tuple[dict[Any, tuple[Any, ...]], dict[Any, tuple[Any, ...]]]:
    """What the draws and the ratings must be, from the ledger alone."""
    settings = session.settings
    draws: dict[int, dict[str, Any]] = {}
    ratings: dict[Any, tuple[Any, ...]] = {}
    for event in events:
        body = event.body
        kind = body["what"] if event.kind == "control" else event.kind
        key = body.get("round"), body.get("rater")
        if kind in ("draw", "given"):
            of_gold = body.get("of") == "gold"
            draws[body["round"]] = {
                "pool": settings["gold_pool"] if of_gold else session.pool,
                "position": body["position"],
                "wanted": settings["ratings_per_item"] if kind == "draw" else 1,
                "reports": 0,
                "rated": 0,
                "decided": None,
            }
        elif key[0] not in draws:
            continue
        elif kind == "further":
            draws[body["round"]]["wanted"] = body["wanted"]
        elif kind == "adjudication":
            draws[body["round"]]["decided"] = body["new"]
        elif kind == "unratable":
            draws[body["round"]]["reports"] += 1
        elif kind == "rating":
            draws[body["round"]]["rated"] += 1
            ratings[key] = (body["value"], event.seq, event.seq)
        elif kind == "correction":
            ratings[key] = (body["new"], ratings.get(key, (None, None, None))[1], event.seq)
    found: dict[Any, tuple[Any, ...]] = {}
    for round, draw in draws.items():
        enough = settings["unratable_after"] if round > 0 else 1
        state = "unratable" if draw["reports"] >= enough else "open"
        if draw["decided"] is not None or draw["rated"] >= draw["wanted"]:
            state = "done"
        found[round] = (draw["pool"], draw["position"], draw["wanted"], state, draw["decided"])
    return found, ratings


def _differences(what: str, ledger: dict[Any, Any], table: dict[Any, Any]) -> list[str]:
    return [
        f"{what} {key}: the ledger says {ledger.get(key, 'nothing')}, the table {table.get(key, 'nothing')}"
        for key in sorted(ledger.keys() | table.keys())
        if ledger.get(key) != table.get(key)
    ]
