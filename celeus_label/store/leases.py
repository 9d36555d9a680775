"""Who holds which draw: a lease is a rater's place on a draw, which has a place for each rating it wants."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import AlreadyRated, LeaseExpired, LeaseUnknown
from celeus_label.store.sessions import session_row
from celeus_label.store.times import moment, stamp


@dataclass(frozen=True)
class Lease:
    """A row of table `lease`."""

    token: str
    session: int
    round: int
    rater: str
    state: str
    expires: str


class Leases(Connections):
    """Keeping, giving back and taking back a lease, and the draft that lies on it."""

    def renew(self, lease: str, rater: str, now: datetime) -> datetime:
        """Extend a lease because its rater is at work, and return its new end.

        A lease that had ended is taken up again if nobody else took the draw.

        Raises
        ------
        LeaseUnknown, LeaseExpired, AlreadyRated
        """
        with self._writing(lease=lease) as db:
            row = find(db, lease, rater)
            ensure(db, row, now)
            other = db.execute(
                "SELECT round FROM lease WHERE session = ? AND rater = ? AND state = 'held' AND token <> ?",
                (row.session, rater, lease),
            ).fetchone()
            if other is not None:
                raise LeaseExpired(f"the lease on draw {row.round} was left for draw {other[0]}")
            return hold(db, lease, now, session_row(db, row.session).settings)

    def release(self, lease: str, rater: str, now: datetime) -> None:
        """Give a lease back; a lease that isn't held is left as it is."""
        with self._writing(lease=lease) as db:
            row = find(db, lease, rater)
            db.execute("UPDATE lease SET state = 'lapsed' WHERE token = ? AND state = 'held'", (row.token,))

    def release_all(self, rater: str, now: datetime, session_id: int | None = None) -> int:
        """Give back all that a rater holds, in one session or in every one (sign-out), and return how many."""
        sql = "UPDATE lease SET state = 'lapsed' WHERE rater = ? AND state = 'held'"
        if session_id is not None:
            with self._writing(session_id) as db:
                return db.execute(f"{sql} AND session = ?", (rater, session_id)).rowcount
        with self._writing(rater=rater) as db:
            return db.execute(sql, (rater,)).rowcount

    def take_back(self, session_id: int, round: int, now: datetime) -> int:
        """End the leases held on a draw (a lead does), and return how many there were."""
        with self._writing(session_id) as db:
            sql = "UPDATE lease SET state = 'lapsed' WHERE session = ? AND round = ? AND state = 'held'"
            return db.execute(sql, (session_id, round)).rowcount

    def save_draft(self, lease: str, rater: str, text: str) -> None:
        """Keep half-done work; it comes back with the next claim of the same draw. Dropped once rated."""
        with self._writing(lease=lease) as db:
            find(db, lease, rater)
            db.execute("UPDATE lease SET draft = ? WHERE token = ? AND state <> 'rated'", (text, lease))

    def draft(self, lease: str, rater: str) -> str | None:
        """What `save_draft` kept last."""
        with self._reading() as db:
            find(db, lease, rater)
            kept: str | None = db.execute("SELECT draft FROM lease WHERE token = ?", (lease,)).fetchone()[0]
        return kept


def find(db: Db, token: str, rater: str) -> Lease:
    """The lease, or `LeaseUnknown` if it is not this rater's."""
    row = db.execute(
        "SELECT token, session, round, rater, state, expires FROM lease WHERE token = ?", (token,)
    ).fetchone()
    if row is None:
        raise LeaseUnknown("this lease was never given out; ask for the next item")
    if row[3] != rater:
        raise LeaseUnknown(f"the lease on draw {row[2]} was given to somebody else; ask for the next item")
    return Lease(*row)


def ensure(db: Db, lease: Lease, now: datetime) -> None:
    """See that the lease still gives a right to its draw, or raise `LeaseExpired` or `AlreadyRated`.

    Work is never thrown away for being late: a lease that ended is as good as a live one until its place
    is taken.
    """
    if lease.state == "held" and lease.expires > stamp(now):
        return
    if lease.state == "rated":
        raise AlreadyRated(f"draw {lease.round} has this rater's rating already; correct it instead")
    if lease.state in ("later", "unratable"):
        done = "put off" if lease.state == "later" else "reported as not ratable"
        raise LeaseExpired(
            f"draw {lease.round} was {done} with this lease; nothing was changed, ask for the next item"
        )
    state, wanted, taken = db.execute(
        """
        SELECT d.state, d.wanted, (
            SELECT count(*) FROM lease l WHERE l.session = d.session AND l.round = d.round AND l.token <> ?
            AND (l.state = 'rated' OR (l.state = 'held' AND l.expires > ?)))
        FROM draw d WHERE d.session = ? AND d.round = ?
        """,
        (lease.token, stamp(now), lease.session, lease.round),
    ).fetchone()
    if state != "open":
        raise LeaseExpired(
            f"the lease on draw {lease.round} ended, and the draw was finished by others ({state}); "
            "nothing was changed, ask for the next item"
        )
    if taken >= wanted:
        raise LeaseExpired(
            f"the lease on draw {lease.round} ended, and somebody else has taken the draw; "
            "nothing was changed, ask for the next item"
        )


def hold(db: Db, token: str, now: datetime, settings: dict[str, Any]) -> datetime:
    """Make a lease live from now for the session's lease time, and return its end."""
    expires = now + timedelta(seconds=settings["lease_seconds"])
    db.execute("UPDATE lease SET state = 'held', expires = ? WHERE token = ?", (stamp(expires), token))
    return moment(stamp(expires))


def lapse(db: Db, session_id: int, now: datetime, settings: dict[str, Any]) -> None:
    """End the leases whose time is over.

    A lease that would live longer than a fresh one was given before the clock was set back; it gets a fresh
    one's end, or its draw would be blocked for as long as the clock went back.
    """
    fresh = stamp(now + timedelta(seconds=settings["lease_seconds"]))
    held = "WHERE session = ? AND state = 'held' AND expires"
    db.execute(f"UPDATE lease SET state = 'lapsed' {held} <= ?", (session_id, stamp(now)))
    db.execute(f"UPDATE lease SET expires = ? {held} > ?", (fresh, session_id, fresh))
