"""The life of a rating: rate a draw, put it off, report it as not ratable, correct it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from celeus_label.ledger import Event
from celeus_label.store.claims import last_round
from celeus_label.store.connection import Db
from celeus_label.store.errors import NotDisputed, NotFound
from celeus_label.store.events import append_event, append_work, read_event
from celeus_label.store.leases import Lease, Leases, ensure, find
from celeus_label.store.rows import REASONS, Saved
from celeus_label.store.sessions import session_row
from celeus_label.store.times import moment

#: A draw put off comes back to the rater who did so after this many further draws: nobody else took it.
PUT_OFF_DRAWS = 10


class Ratings(Leases):
    """Every operation here is one transaction that writes the ledger and its index together."""

    def rate(
        self,
        lease: str,
        rater: str,
        value: float,
        duration_ms: int,
        now: datetime,
        comment: str | None = None,
        flag: bool = False,
        answer: Mapping[str, Any] | None = None,
    ) -> Saved:
        """Store a rating and return its receipt, once it is on the disk.

        The same lease again, whatever the value, changes nothing and returns the first receipt. A lease that
        ended still counts as long as nobody else took the draw. The draw is done when it has all the ratings
        it wants.

        Parameters
        ----------
        value
            On the raters' scale, which the caller checks; 0 is a value.
        duration_ms
            Time at work, milliseconds, 0 or more.
        flag
            Point the item out to the lead.
        answer
            What the rater said, where the value alone does not tell it; kept as it is.

        Raises
        ------
        LeaseUnknown, LeaseExpired
        ValueError
            The value is not a finite number, or the duration is negative.
        """
        value = _finite(value)
        if duration_ms < 0:
            raise ValueError(f"duration_ms is {duration_ms}; it must be 0 or more")
        with self._writing(lease=lease) as db:
            row = find(db, lease, rater)
            first = db.execute("SELECT seq FROM rating WHERE lease = ?", (lease,)).fetchone()
            if first is not None:
                event = read_event(db, row.session, first[0])
                return Saved(
                    row.session, row.round, event.body["value"], moment(event.at), event.body.get("answer")
                )
            ensure(db, row, now)
            finished = _finishes(db, row, value, now)
            body: dict[str, Any] = {
                "round": row.round,
                "rater": rater,
                "value": value,
                "duration_ms": int(duration_ms),
            }
            if comment is not None:
                body["comment"] = comment
            if flag:
                body["flag"] = True
            if answer is not None:
                body["answer"] = dict(answer)
            event = append_work(db, row.session, "rating", body, now)
            db.execute(
                "INSERT INTO rating"
                " (session, round, rater, lease, value, duration_ms, comment, at, seq, set_by)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row.session,
                    row.round,
                    rater,
                    lease,
                    value,
                    duration_ms,
                    comment,
                    event.at,
                    event.seq,
                    event.seq,
                ),
            )
            db.execute("UPDATE lease SET state = 'rated', draft = NULL WHERE token = ?", (lease,))
            if finished:
                _close(db, row.session, row.round, "done")
        return Saved(row.session, row.round, value, moment(event.at), event.body.get("answer"))

    def later(self, lease: str, rater: str, now: datetime) -> None:
        """Put a draw off: it is offered to others first. The same lease again changes nothing.

        Raises
        ------
        LeaseUnknown, LeaseExpired, AlreadyRated
        """
        with self._writing(lease=lease) as db:
            row = find(db, lease, rater)
            if row.state == "later":
                return
            ensure(db, row, now)
            append_work(db, row.session, "later", {"round": row.round, "rater": rater}, now)
            again_from = last_round(db, row.session) + PUT_OFF_DRAWS
            db.execute(
                "UPDATE lease SET state = 'later', again_from = ? WHERE token = ?", (again_from, lease)
            )

    def unratable(self, lease: str, rater: str, reason: str, text: str, now: datetime) -> None:
        """Report that a draw can't be rated; the session's `unratable_after`-th report closes it.

        The same lease again changes nothing.

        Raises
        ------
        LeaseUnknown, LeaseExpired, AlreadyRated
        ValueError
            The reason is none of `REASONS`, or is "other" with a blank text.
        """
        if reason not in REASONS:
            raise ValueError(f"reason {reason!r} is none of {', '.join(REASONS)}")
        if reason == "other" and not text.strip():
            raise ValueError('reason "other" needs a text that says what is wrong')
        with self._writing(lease=lease) as db:
            row = find(db, lease, rater)
            if row.state == "unratable":
                return
            ensure(db, row, now)
            body = {"round": row.round, "rater": rater, "reason": reason, "text": text}
            append_work(db, row.session, "unratable", body, now)
            db.execute("UPDATE lease SET state = 'unratable' WHERE token = ?", (lease,))
            reports = db.execute(
                "SELECT count(*) FROM lease WHERE session = ? AND round = ? AND state = 'unratable'",
                (row.session, row.round),
            ).fetchone()[0]
            if row.round < 0 or reports >= session_row(db, row.session).settings["unratable_after"]:
                _close(db, row.session, row.round, "unratable")

    def correct(
        self,
        session_id: int,
        round: int,
        rater: str,
        value: float,
        by: str,
        now: datetime,
        answer: Mapping[str, Any] | None = None,
    ) -> Event:
        """Change a rating by a new event that has the old and the new value, and return that event.

        The value and answer it has already change nothing, and return the event that set them.

        Raises
        ------
        NotFound
            This rater has no rating of this draw.
        ValueError
            The value is not a finite number.
        """
        value = _finite(value)
        key = (session_id, round, rater)
        with self._writing(session_id) as db:
            found = db.execute(
                "SELECT value, set_by FROM rating WHERE session = ? AND round = ? AND rater = ?", key
            ).fetchone()
            if found is None:
                raise NotFound(f"there is no rating of draw {round} by {rater!r} to correct")
            old, set_by = found
            setting = read_event(db, session_id, set_by)
            if old == value and setting.body.get("answer") == (None if answer is None else dict(answer)):
                return setting
            body: dict[str, Any] = {"round": round, "rater": rater, "old": old, "new": value, "by": by}
            if answer is not None:
                body["answer"] = dict(answer)
            event = append_work(db, session_id, "correction", body, now)
            db.execute(
                "UPDATE rating SET value = ?, set_by = ? WHERE session = ? AND round = ? AND rater = ?",
                (value, event.seq, *key),
            )
            return event

    def adjudicate(self, session_id: int, round: int, value: float, by: str, now: datetime) -> Event:
        """Decide the value of a draw whose first ratings differ by more than the session allows; return the event.

        It closes the draw; the ratings stay as they are. A later decision replaces it.

        Raises
        ------
        NotFound
            There is no such draw.
        NotDisputed
            The ratings of the draw don't differ that much.
        ValueError
            The value is not a finite number.
        """
        value = _finite(value)
        with self._writing(session_id) as db:
            row = db.execute(
                "SELECT wanted, decided FROM draw WHERE session = ? AND round = ? AND round > 0",
                (session_id, round),
            ).fetchone()
            if row is None:
                raise NotFound(f"there is no draw {round} to decide")
            wanted, old = row
            if wanted == session_row(db, session_id).settings["ratings_per_item"]:
                raise NotDisputed(
                    f"draw {round}: its ratings don't differ by more than the session allows; nothing was changed"
                )
            body = {"round": round, "old": old, "new": value, "by": by}
            event = append_event(db, session_id, "adjudication", body, now)
            db.execute(
                "UPDATE draw SET decided = ? WHERE session = ? AND round = ?", (value, session_id, round)
            )
            _close(db, session_id, round, "done")
            return event


def _finishes(db: Db, lease: Lease, value: float, now: datetime) -> bool:
    """Whether this rating is the last one the draw wants.

    Where the ratings wanted at first differ by more than the session allows, one more is wanted. The event
    that says so comes before the rating, so that a reader of the ledger never takes the draw for done too
    early.
    """
    wanted = db.execute(
        "SELECT wanted FROM draw WHERE session = ? AND round = ?", (lease.session, lease.round)
    ).fetchone()[0]
    values = [value] + [
        other
        for (other,) in db.execute(
            "SELECT value FROM rating WHERE session = ? AND round = ?", (lease.session, lease.round)
        ).fetchall()
    ]
    if len(values) < wanted:
        return False
    settings = session_row(db, lease.session).settings
    step = settings["disagreement"]
    if (
        step is None
        or lease.round < 0
        or wanted > settings["ratings_per_item"]
        or max(values) - min(values) <= step + 1e-9
    ):
        return True
    append_event(db, lease.session, "further", {"round": lease.round, "wanted": wanted + 1}, now)
    db.execute(
        "UPDATE draw SET wanted = ? WHERE session = ? AND round = ?", (wanted + 1, lease.session, lease.round)
    )
    return False


def _close(db: Db, session: int, round: int, state: str) -> None:
    """End a draw, and whatever is still held on it."""
    key = (session, round)
    db.execute("UPDATE draw SET state = ? WHERE session = ? AND round = ?", (state, *key))
    db.execute("UPDATE lease SET state = 'lapsed' WHERE session = ? AND round = ? AND state = 'held'", key)


def _finite(value: float) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"the value is {value!r}; it must be a finite number")
    return number
