"""Reading the queue for people: own ratings, the state of the draws, the raters' work."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from statistics import median

from celeus_label.store.connection import Connections
from celeus_label.store.rows import Held, QueueCounts, RaterStats, RatingRow
from celeus_label.store.sessions import session_row
from celeus_label.store.times import moment, stamp


class Reports(Connections):
    """Reads only; each answer is counted from rows, never from a counter that could drift."""

    def recent(self, session_id: int, rater: str, limit: int = 10) -> list[RatingRow]:
        """A rater's own last ratings, newest first."""
        with self._reading() as db:
            rows = db.execute(
                """
                SELECT r.round, d.position, r.rater, r.value, r.duration_ms, r.comment, r.at, r.set_by > r.seq
                FROM rating r JOIN draw d ON d.session = r.session AND d.round = r.round
                WHERE r.session = ? AND r.rater = ? ORDER BY r.seq DESC LIMIT ?
                """,
                (session_id, rater, limit),
            ).fetchall()
        return [
            RatingRow(round, position, who, value, duration, comment, moment(at), bool(corrected))
            for round, position, who, value, duration, comment, at, corrected in rows
        ]

    def ratings_since(self, session_id: int, rater: str, since: datetime) -> int:
        """How many ratings a rater gave from that time on."""
        with self._reading() as db:
            row = db.execute(
                "SELECT count(*) FROM rating WHERE session = ? AND rater = ? AND at >= ?",
                (session_id, rater, stamp(since)),
            ).fetchone()
        return int(row[0])

    def counts(self, session_id: int, now: datetime) -> QueueCounts:
        """The draws by state, who holds which, and which finished ones wait for which earlier one."""
        with self._snapshot() as db:
            settings = session_row(db, session_id).settings
            states = dict(
                db.execute(
                    "SELECT state, count(*) FROM draw WHERE session = ? GROUP BY state", (session_id,)
                ).fetchall()
            )
            ratings = db.execute("SELECT count(*) FROM rating WHERE session = ?", (session_id,)).fetchone()[0]
            held = db.execute(
                """
                SELECT l.round, l.rater, p.name, l.expires FROM lease l JOIN person p ON p.id = l.rater
                WHERE l.session = ? AND l.state = 'held' AND l.expires > ? ORDER BY l.round, l.expires
                """,
                (session_id, stamp(now)),
            ).fetchall()
            first_open = db.execute(
                "SELECT min(round) FROM draw WHERE session = ? AND state = 'open'", (session_id,)
            ).fetchone()[0]
            waiting = db.execute(
                "SELECT count(*) FROM draw WHERE session = ? AND state <> 'open' AND round > ?",
                (session_id, first_open),
            ).fetchone()[0]
            contested = db.execute(
                "SELECT count(*) FROM draw WHERE session = ? AND wanted > ?",
                (session_id, settings["ratings_per_item"]),
            ).fetchone()[0]
            reported = db.execute(
                """
                SELECT count(DISTINCT d.round) FROM draw d
                JOIN lease l ON l.session = d.session AND l.round = d.round
                WHERE d.session = ? AND d.state = 'open' AND l.state = 'unratable'
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
                SELECT l.rater, p.name, sum(l.state = 'later'), sum(l.state = 'unratable')
                FROM lease l JOIN person p ON p.id = l.rater
                WHERE l.session = ? GROUP BY l.rater ORDER BY p.name, p.id
                """,
                (session_id,),
            ).fetchall()
            ratings = db.execute(
                "SELECT rater, duration_ms, at FROM rating WHERE session = ? ORDER BY seq", (session_id,)
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
