"""Reading the queue for people: own ratings, the state of the draws, the raters' work."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime
from statistics import median
from typing import Any

from celeus_label.store.connection import Connections
from celeus_label.store.rows import Dispute, Held, OwnWork, QueueCounts, RaterStats, RatingRow, Remark
from celeus_label.store.sessions import item_row, session_row
from celeus_label.store.times import moment, stamp


class Reports(Connections):
    """Reads only; each answer is counted from rows, never from a counter that could drift."""

    def recent(self, session_id: int, rater: str, limit: int = 10) -> list[RatingRow]:
        """A rater's own last ratings, newest first."""
        with self._reading() as db:
            rows = db.execute(
                """
                SELECT r.round, d.position, r.rater, r.value, r.duration_ms, r.comment, r.at, r.set_by > r.seq,
                    e.body
                FROM rating r JOIN draw d ON d.session = r.session AND d.round = r.round
                JOIN event e ON e.session = r.session AND e.seq = r.set_by
                WHERE r.session = ? AND r.rater = ? ORDER BY r.seq DESC LIMIT ?
                """,
                (session_id, rater, limit),
            ).fetchall()
        return [_rating(row) for row in rows]

    def ratings(self, session_id: int) -> list[RatingRow]:
        """Every rating of the pool's draws as it stands, in the order of the ledger; no gold or repeated item."""
        with self._reading() as db:
            rows = db.execute(
                """
                SELECT r.round, d.position, r.rater, r.value, r.duration_ms, r.comment, r.at, r.set_by > r.seq,
                    e.body
                FROM rating r JOIN draw d ON d.session = r.session AND d.round = r.round
                JOIN event e ON e.session = r.session AND e.seq = r.set_by
                WHERE r.session = ? AND r.round > 0 ORDER BY r.seq
                """,
                (session_id,),
            ).fetchall()
        return [_rating(row) for row in rows]

    def disputes(self, session_id: int) -> list[Dispute]:
        """The draws whose first ratings differ by more than the session allows, oldest first."""
        with self._snapshot() as db:
            asked = session_row(db, session_id).settings["ratings_per_item"]
            draws = db.execute(
                """
                SELECT d.round, d.state, d.wanted, d.decided, i.position, i.item_id, i.prompt, i.response, i.extra
                FROM draw d JOIN item i ON i.pool = d.pool AND i.position = d.position
                WHERE d.session = ? AND d.round > 0 AND d.wanted > ? ORDER BY d.round
                """,
                (session_id, asked),
            ).fetchall()
            ratings: dict[int, list[tuple[str, str, float, str | None]]] = defaultdict(list)
            rows = db.execute(
                """
                SELECT r.round, r.rater, p.name, r.value, r.comment
                FROM rating r JOIN draw d ON d.session = r.session AND d.round = r.round
                JOIN person p ON p.id = r.rater
                WHERE r.session = ? AND r.round > 0 AND d.wanted > ? ORDER BY r.seq
                """,
                (session_id, asked),
            )
            for round, *rating in rows.fetchall():
                ratings[round].append(tuple(rating))
        return [
            Dispute(round, state, wanted, item_row(item), tuple(ratings[round]), decided)
            for round, state, wanted, decided, *item in draws
        ]

    def ratings_since(self, session_id: int, rater: str, since: datetime) -> int:
        """How many ratings a rater gave from that time on."""
        with self._reading() as db:
            row = db.execute(
                "SELECT count(*) FROM rating WHERE session = ? AND rater = ? AND at >= ?",
                (session_id, rater, stamp(since)),
            ).fetchone()
        return int(row[0])

    def own_work(self, session_id: int, rater: str, since: datetime) -> OwnWork:
        """A rater's own numbers; `today` counts from `since` on, the median is of the last 50 ratings."""
        with self._snapshot() as db:
            ratings, today, total = db.execute(
                "SELECT count(*), count(*) FILTER (WHERE at >= ?), CAST(coalesce(sum(duration_ms), 0) AS BIGINT)"
                " FROM rating WHERE session = ? AND rater = ?",
                (stamp(since), session_id, rater),
            ).fetchone()
            last = db.execute(
                "SELECT duration_ms FROM rating WHERE session = ? AND rater = ? ORDER BY seq DESC LIMIT 50",
                (session_id, rater),
            ).fetchall()
        return OwnWork(today, ratings, median(ms for (ms,) in last) if last else None, total)

    def remarks(self, session_id: int) -> list[Remark]:
        """Every comment and flag, newest first."""
        with self._reading() as db:
            rows = db.execute(
                """
                SELECT r.round, i.item_id, p.name, r.value, e.body, r.comment, r.at
                FROM rating r
                JOIN event e ON e.session = r.session AND e.seq = r.seq
                JOIN person p ON p.id = r.rater
                JOIN draw d ON d.session = r.session AND d.round = r.round
                JOIN item i ON i.pool = d.pool AND i.position = d.position
                WHERE r.session = ? AND (r.comment IS NOT NULL OR e.body LIKE '%"flag":true%')
                ORDER BY r.seq DESC
                """,
                (session_id,),
            ).fetchall()
        return [
            Remark(round, item_id, name, value, bool(json.loads(body).get("flag")), comment or "", moment(at))
            for round, item_id, name, value, body, comment, at in rows
        ]

    def counts(self, session_id: int, now: datetime) -> QueueCounts:
        """The draws by state, who holds which, and which finished ones wait for which earlier one."""
        with self._snapshot() as db:
            settings = session_row(db, session_id).settings
            states = dict(
                db.execute(
                    "SELECT state, count(*) FROM draw WHERE session = ? AND round > 0 GROUP BY state",
                    (session_id,),
                ).fetchall()
            )
            ratings = db.execute(
                "SELECT count(*) FROM rating WHERE session = ? AND round > 0", (session_id,)
            ).fetchone()[0]
            held = db.execute(
                """
                SELECT l.round, l.rater, p.name, l.expires FROM lease l JOIN person p ON p.id = l.rater
                WHERE l.session = ? AND l.round > 0 AND l.state = 'held' AND l.expires > ? ORDER BY l.round, l.expires
                """,
                (session_id, stamp(now)),
            ).fetchall()
            first_open = db.execute(
                "SELECT min(round) FROM draw WHERE session = ? AND state = 'open' AND round > 0",
                (session_id,),
            ).fetchone()[0]
            waiting = db.execute(
                "SELECT count(*) FROM draw WHERE session = ? AND state <> 'open' AND round > ?",
                (session_id, first_open),
            ).fetchone()[0]
            contested = db.execute(
                "SELECT count(*) FROM draw WHERE session = ? AND round > 0 AND wanted > ?",
                (session_id, settings["ratings_per_item"]),
            ).fetchone()[0]
            reported = db.execute(
                """
                SELECT count(DISTINCT d.round) FROM draw d
                JOIN lease l ON l.session = d.session AND l.round = d.round
                WHERE d.session = ? AND d.round > 0 AND d.state = 'open' AND l.state = 'unratable'
                """,
                (session_id,),
            ).fetchone()[0]
        return QueueCounts(
            open=states.get("open", 0),
            done=states.get("done", 0),
            unratable=states.get("unratable", 0),
            ratings=ratings,
            held=tuple(Held(round, rater, name, moment(expires)) for round, rater, name, expires in held),
            first_open=first_open,
            waiting=waiting,
            reported=reported,
            contested=contested,
        )

    def rater_stats(self, session_id: int) -> list[RaterStats]:
        """Everybody who ever held a draw of the session, by name."""
        with self._reading() as db:
            leases = db.execute(
                """
                SELECT l.rater, p.name, count(*) FILTER (WHERE l.state = 'later'),
                    count(*) FILTER (WHERE l.state = 'unratable')
                FROM lease l JOIN person p ON p.id = l.rater
                WHERE l.session = ? AND l.round > 0 GROUP BY l.rater, p.id, p.name ORDER BY p.name, p.id
                """,
                (session_id,),
            ).fetchall()
            ratings = db.execute(
                "SELECT rater, duration_ms, at FROM rating WHERE session = ? AND round > 0 ORDER BY seq",
                (session_id,),
            ).fetchall()
        durations: dict[str, list[int]] = defaultdict(list)
        last_at: dict[str, str] = {}
        for rater, duration, at in ratings:
            durations[rater].append(duration)
            last_at[rater] = at
        return [
            RaterStats(
                rater,
                name,
                len(durations[rater]),
                put_off,
                unratable,
                median(durations[rater]) if durations[rater] else None,
                moment(last_at[rater]) if rater in last_at else None,
            )
            for rater, name, put_off, unratable in leases
        ]


def _rating(row: tuple[Any, ...]) -> RatingRow:
    round, position, rater, value, duration, comment, at, corrected, body = row
    return RatingRow(
        round,
        position,
        rater,
        value,
        duration,
        comment,
        moment(at),
        bool(corrected),
        json.loads(body).get("answer"),
    )
