"""Items that test the rater and not the pool: gold items, whose answer is known, and the rater's own once more.

A control is a draw below round 0 for one rater. Everything that a rater can do with a draw can be done with it, so
that nobody can tell it from one; but its events are of a kind of their own, which the interval knows nothing of.
"""

from __future__ import annotations

import json
import random
from datetime import datetime
from typing import Any

from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import LeaseUnknown, NotFound
from celeus_label.store.events import append_event
from celeus_label.store.rows import ControlRow, ItemRow, SessionRow
from celeus_label.store.sessions import item_row, session_row
from celeus_label.store.times import moment

#: A rater sees an own item again after this many further ratings at the earliest.
REPEAT_AFTER = 10


class Controls(Connections):
    """Reading the controls; `Claims.claim` gives them out, `Ratings` stores what raters say of them."""

    def shown(self, session_id: int, round: int) -> ItemRow:
        """The item that a round showed, also one below 0, or `NotFound`."""
        with self._reading() as db:
            row = db.execute(
                """
                SELECT i.position, i.item_id, i.prompt, i.response, i.extra
                FROM draw d JOIN item i ON i.pool = d.pool AND i.position = d.position
                WHERE d.session = ? AND d.round = ?
                """,
                (session_id, round),
            ).fetchone()
        if row is None:
            raise NotFound(f"there is no draw {round} in session {session_id}")
        return item_row(row)

    def leased(self, lease: str) -> ItemRow:
        """The item that a lease is on, or `LeaseUnknown`."""
        with self._reading() as db:
            row = db.execute("SELECT session, round FROM lease WHERE token = ?", (lease,)).fetchone()
        if row is None:
            raise LeaseUnknown("this lease was never given out; ask for the next item")
        return self.shown(*row)

    def controls(self, session_id: int) -> list[ControlRow]:
        """Every control that was rated, in the order in which they were."""
        with self._snapshot() as db:
            gold = session_row(db, session_id).settings["gold_pool"]
            rows = db.execute(
                """
                SELECT r.round, r.rater, p.name, i.item_id, d.pool, i.extra, r.value, first.value, r.at
                FROM rating r
                JOIN draw d ON d.session = r.session AND d.round = r.round
                JOIN item i ON i.pool = d.pool AND i.position = d.position
                JOIN person p ON p.id = r.rater
                LEFT JOIN draw drawn ON drawn.session = d.session AND drawn.position = d.position
                    AND drawn.pool = d.pool AND drawn.round > 0
                LEFT JOIN rating first ON first.session = r.session AND first.round = drawn.round
                    AND first.rater = r.rater
                WHERE r.session = ? AND r.round < 0 ORDER BY r.seq
                """,
                (session_id,),
            ).fetchall()
        return [
            ControlRow(
                round, rater, name, item_id, "gold" if pool == gold else "repeat",
                float(json.loads(extra)["answer"] if pool == gold else first), value, moment(at),
            )
            for round, rater, name, item_id, pool, extra, value, first, at in rows
        ]  # fmt: skip


def control(db: Db, session: SessionRow, rater: str, now: datetime) -> int | None:
    """Make a control for a rater where one is due, and return its round.

    Whether it is due, and which, follows from how much the rater has done so far: asking twice changes nothing, and
    who doesn't know the opaque ids can't foresee it.
    """
    settings = session.settings
    if settings["gold_rate"] == 0 and settings["repeat_rate"] == 0:
        return None
    done = db.execute(
        "SELECT count(*) FROM lease WHERE session = ? AND rater = ? AND state NOT IN ('held', 'lapsed')",
        (session.id, rater),
    ).fetchone()[0]
    chance = random.Random(f"{session.id} {rater} {done}")
    lot = chance.random()
    if lot < settings["gold_rate"]:
        of, among = "gold", _new_gold(db, session, rater)
    elif lot < settings["gold_rate"] + settings["repeat_rate"]:
        of, among = "repeat", _own_work(db, session, rater)
    else:
        return None
    if not among:
        return None
    pool, position, item_id = chance.choice(among)
    first = db.execute(
        "SELECT coalesce(min(round), 0) FROM draw WHERE session = ?", (session.id,)
    ).fetchone()[0]
    round = min(first, 0) - 1
    body = {"what": "given", "round": round, "rater": rater, "of": of, "item": item_id, "position": position}
    append_event(db, session.id, "control", body, now)
    db.execute(
        "INSERT INTO draw (session, round, pool, position, wanted) VALUES (?, ?, ?, ?, 1)",
        (session.id, round, pool, position),
    )
    return int(round)


def _new_gold(db: Db, session: SessionRow, rater: str) -> list[tuple[Any, ...]]:
    """The gold items that this rater has not had."""
    return db.execute(
        """
        SELECT i.pool, i.position, i.item_id FROM item i WHERE i.pool = ? AND NOT EXISTS (
            SELECT 1 FROM draw d JOIN lease l ON l.session = d.session AND l.round = d.round
            WHERE d.session = ? AND l.rater = ? AND d.round < 0 AND d.pool = i.pool AND d.position = i.position)
        ORDER BY i.position
        """,
        (session.settings["gold_pool"], session.id, rater),
    ).fetchall()


def _own_work(db: Db, session: SessionRow, rater: str) -> list[tuple[Any, ...]]:
    """The pool's items that this rater rated a while ago and has not had again."""
    return db.execute(
        """
        SELECT i.pool, i.position, i.item_id
        FROM (SELECT session, rater, round, seq FROM rating WHERE session = ? AND rater = ? AND round > 0
            ORDER BY seq DESC LIMIT 9223372036854775807 OFFSET ?) r
        JOIN draw d ON d.session = r.session AND d.round = r.round
        JOIN item i ON i.pool = d.pool AND i.position = d.position
        WHERE NOT EXISTS (
            SELECT 1 FROM draw again JOIN lease l ON l.session = again.session AND l.round = again.round
            WHERE again.session = r.session AND again.round < 0 AND l.rater = r.rater
                AND again.pool = d.pool AND again.position = d.position)
        ORDER BY r.seq
        """,
        (session.id, rater, REPEAT_AFTER),
    ).fetchall()
