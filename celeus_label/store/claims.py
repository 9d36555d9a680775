"""Giving out work: which draw a rater gets next."""

from __future__ import annotations

import secrets
from datetime import datetime

from celeus_label.store.connection import Db
from celeus_label.store.controls import control
from celeus_label.store.errors import NotFound
from celeus_label.store.events import QUEUE_KINDS, append_event
from celeus_label.store.leases import Leases, hold, lapse
from celeus_label.store.rows import Claim, NextDraw, Nothing, SessionRow
from celeus_label.store.sessions import session_row
from celeus_label.store.times import moment, stamp

# Places that are taken on draw d.
_TAKEN = """(SELECT count(*) FROM lease l
    WHERE l.session = d.session AND l.round = d.round AND l.state IN ('held', 'rated'))"""


class Claims(Leases):
    """The queue as a rater meets it."""

    def claim(self, session_id: int, rater: str, now: datetime, next_draw: NextDraw) -> Claim | Nothing:
        """Give a rater work: what they hold, else what they let lapse, else the oldest open draw, else a new.

        Where the session has gold or repeated items, one of them may come before the last two (see `controls`).
        A rater gets no draw that they rated or reported as not ratable. One that they put off comes back to
        them after 10 further draws, or when there is nothing else.

        Parameters
        ----------
        next_draw
            Called within the transaction, where the ledger can't change, if no open draw is free for this
            rater. It returns the events to append, the last of which is the draw, or [] if there are to be no
            more draws. It may read this store, in this thread, and must not write to it.

        Raises
        ------
        NotFound
            There is no such session or person.
        ValueError
            `next_draw` returned something else than described, or a draw of the wrong round or item.
        """
        with self._writing(session_id) as db:
            session = session_row(db, session_id)
            if db.execute("SELECT 1 FROM person WHERE id = ?", (rater,)).fetchone() is None:
                raise NotFound(f"there is no person {rater!r}")
            lapse(db, session_id, now, session.settings)
            round = (
                _own(db, session_id, rater)
                or control(db, session, rater, now)
                or _open(db, session_id, rater)
                or _new(db, session, next_draw, now)
                or _put_off(db, session_id, rater)
            )
            if round is None:
                return _nothing(db, session_id, rater)
            return _lease(db, session, round, rater, now)


def _own(db: Db, session: int, rater: str) -> int | None:
    """The draw this rater holds, else the last one they let lapse that still has a place."""
    row = db.execute(
        "SELECT round FROM lease WHERE session = ? AND rater = ? AND state = 'held'", (session, rater)
    ).fetchone()
    row = (
        row
        or db.execute(
            f"""
        SELECT d.round FROM lease own JOIN draw d ON d.session = own.session AND d.round = own.round
        WHERE own.session = ? AND own.rater = ? AND own.state = 'lapsed' AND d.state = 'open'
            AND {_TAKEN} < d.wanted
        ORDER BY own.expires DESC LIMIT 1
        """,
            (session, rater),
        ).fetchone()
    )
    return None if row is None else int(row[0])


def _open(db: Db, session: int, rater: str) -> int | None:
    """The oldest open draw that has a place and that this rater may take now."""
    row = db.execute(
        f"""
        SELECT d.round FROM draw d
        LEFT JOIN lease own ON own.session = d.session AND own.round = d.round AND own.rater = ?
        WHERE d.session = ? AND d.state = 'open' AND (d.round > 0 OR own.token IS NOT NULL)
            AND (own.token IS NULL OR own.state = 'lapsed'
            OR (own.state = 'later' AND own.again_from <= ?)) AND {_TAKEN} < d.wanted
        ORDER BY d.round LIMIT 1
        """,
        (rater, session, last_round(db, session)),
    ).fetchone()
    return None if row is None else int(row[0])


def _put_off(db: Db, session: int, rater: str) -> int | None:
    """The oldest open draw that this rater put off and that has a place."""
    row = db.execute(
        f"""
        SELECT d.round FROM draw d
        JOIN lease own ON own.session = d.session AND own.round = d.round AND own.rater = ?
        WHERE d.session = ? AND d.state = 'open' AND own.state = 'later' AND {_TAKEN} < d.wanted
        ORDER BY d.round LIMIT 1
        """,
        (rater, session),
    ).fetchone()
    return None if row is None else int(row[0])


def _new(db: Db, session: SessionRow, next_draw: NextDraw, now: datetime) -> int | None:
    """Append what `next_draw` makes, and open its draw."""
    made = next_draw()
    if not made:
        return None
    kinds = [kind for kind, _ in made]
    if kinds[-1] != "draw" or QUEUE_KINDS.intersection(kinds[:-1]):
        raise ValueError(f"next_draw returned events {kinds}; the last one, and no other, must be the draw")
    body = made[-1][1]
    round, position = body["round"], body["position"]
    if round != last_round(db, session.id) + 1:
        raise ValueError(f"next_draw made round {round!r}; the next one is {last_round(db, session.id) + 1}")
    item = db.execute(
        "SELECT item_id FROM item WHERE pool = ? AND position = ?", (session.pool, position)
    ).fetchone()
    if item is None or item[0] != body["item"]:
        raise ValueError(
            f"next_draw drew item {body['item']!r} at position {position!r}; the pool has no such item there"
        )
    for kind, content in made:
        append_event(db, session.id, kind, content, now)
    db.execute(
        "INSERT INTO draw (session, round, pool, position, wanted) VALUES (?, ?, ?, ?, ?)",
        (session.id, round, session.pool, position, session.settings["ratings_per_item"]),
    )
    return int(round)


def _lease(db: Db, session: SessionRow, round: int, rater: str, now: datetime) -> Claim:
    """Hold a draw for a rater: with the lease they had on it before, if they had one, and its draft."""
    db.execute(
        "INSERT INTO lease (token, session, round, rater, state, expires) VALUES (?, ?, ?, ?, 'lapsed', ?)"
        " ON CONFLICT (session, round, rater) DO NOTHING",
        (secrets.token_urlsafe(16), session.id, round, rater, stamp(now)),
    )
    token, draft, position = db.execute(
        "SELECT l.token, l.draft, d.position"
        " FROM lease l JOIN draw d ON d.session = l.session AND d.round = l.round"
        " WHERE l.session = ? AND l.round = ? AND l.rater = ?",
        (session.id, round, rater),
    ).fetchone()
    return Claim(token, session.id, round, position, hold(db, token, now, session.settings), draft)


def _nothing(db: Db, session: int, rater: str) -> Nothing:
    held, free_at = db.execute(
        "SELECT count(DISTINCT round), min(expires) FROM lease"
        " WHERE session = ? AND state = 'held' AND rater <> ? AND round > 0",
        (session, rater),
    ).fetchone()
    states = dict(
        db.execute(
            "SELECT state, count(*) FROM draw WHERE session = ? AND round > 0 GROUP BY state", (session,)
        ).fetchall()
    )
    counts = {state: states.get(state, 0) for state in ("open", "done", "unratable")}
    return Nothing(held, None if free_at is None else moment(free_at), counts)


def last_round(db: Db, session: int) -> int:
    """The number of the newest draw; 0 before the first."""
    row = db.execute(
        "SELECT coalesce(max(round), 0) FROM draw WHERE session = ? AND round > 0", (session,)
    ).fetchone()
    return int(row[0])
