"""Pools, their items, and the sessions on them, each with its ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from celeus_label.ledger import Event, canonical
from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import DuplicateName, NotFound
from celeus_label.store.events import QUEUE_KINDS, append_event, read_events
from celeus_label.store.rows import ItemRow, PoolRow, SessionRow
from celeus_label.store.times import moment, stamp

#: The settings of a session that the store itself obeys; `add_session` has their units.
DEFAULTS: dict[str, Any] = {
    "ratings_per_item": 1,
    "lease_seconds": 300,
    "unratable_after": 2,
    "disagreement": None,
    "gold_pool": None,
    "gold_rate": 0.0,
    "repeat_rate": 0.0,
}

#: The largest share of gold, and of repeated items: most of the work must be for the interval.
MOST_CONTROLS = 0.4

_PAGE = 500


class _AlreadyThere(Exception):
    """Leaves the transaction of `add_pool` when the pool turns out to be stored already."""

    def __init__(self, pool_id: int) -> None:
        self.pool_id = pool_id


class Sessions(Connections):
    """What is rated, and the history of its rating."""

    def add_pool(
        self, pool_hash: str, name: str, meta: Mapping[str, Any], items: Iterable[ItemRow], now: datetime
    ) -> int:
        """Store a pool in one transaction, item by item, and return its id.

        The same hash with the same texts again stores nothing and returns the id it has.

        Raises
        ------
        ValueError
            There is no item, or one is out of its place, has an id that came before, or can't be stored.
        """
        try:
            with self._loading() as db:
                pool_id = db.execute(
                    "INSERT INTO pool (hash, texts_hash, name, meta, items, at)"
                    " VALUES (?, '', ?, ?, 0, ?) RETURNING id",
                    (pool_hash, name, canonical(meta), stamp(now)),
                ).fetchone()[0]
                count, texts_hash = _insert_items(db, pool_id, items)
                known = db.execute(
                    "SELECT id FROM pool WHERE hash = ? AND texts_hash = ?", (pool_hash, texts_hash)
                ).fetchone()
                if known is not None:
                    raise _AlreadyThere(known[0])
                db.execute(
                    "UPDATE pool SET texts_hash = ?, items = ? WHERE id = ?", (texts_hash, count, pool_id)
                )
        except _AlreadyThere as found:
            return found.pool_id
        return int(pool_id)

    def pool(self, pool_id: int) -> PoolRow:
        """The pool of that id, or `NotFound`."""
        with self._reading() as db:
            row = db.execute(
                "SELECT id, hash, name, meta, items, at FROM pool WHERE id = ?", (pool_id,)
            ).fetchone()
        if row is None:
            raise NotFound(f"there is no pool {pool_id}")
        return PoolRow(row[0], row[1], row[2], json.loads(row[3]), row[4], moment(row[5]))

    def pool_items(self, pool_id: int) -> Iterator[ItemRow]:
        """Every item in order, a page at a time, so that a large pool never is in memory whole."""
        last = -1
        while True:
            with self._reading() as db:
                rows = db.execute(
                    "SELECT position, item_id, prompt, response, extra FROM item "
                    "WHERE pool = ? AND position > ? ORDER BY position LIMIT ?",
                    (pool_id, last, _PAGE),
                ).fetchall()
            for row in rows:
                yield item_row(row)
            if len(rows) < _PAGE:
                return
            last = rows[-1][0]

    def item(self, pool_id: int, position: int) -> ItemRow:
        """The item at that place, or `NotFound`."""
        with self._reading() as db:
            row = db.execute(
                "SELECT position, item_id, prompt, response, extra FROM item WHERE pool = ? AND position = ?",
                (pool_id, position),
            ).fetchone()
        if row is None:
            raise NotFound(f"pool {pool_id} has no item at position {position}")
        return item_row(row)

    def add_session(
        self,
        name: str,
        pool_id: int,
        design_body: Mapping[str, Any],
        settings: Mapping[str, Any],
        now: datetime,
    ) -> int:
        """Make a session, whose ledger begins with the event "design", and return its id.

        Parameters
        ----------
        settings
            `ratings_per_item` (1 or more, default 1), `lease_seconds` (above 0, default 300),
            `unratable_after` (1 or more raters, default 2), `disagreement` (None, or a difference on the
            raters' scale, 0 or more: where the first ratings differ by more, one more is asked for),
            `gold_pool` (None, or the id of a pool whose items have an "answer" in their `extra`), `gold_rate` and
            `repeat_rate` (shares of what a rater gets that are gold items and own items again, default 0).
            Other keys are kept as they are.

        Raises
        ------
        DuplicateName
            There is a session of that name.
        NotFound
            There is no such pool.
        ValueError
            The name is blank, or a setting is out of range.
        """
        name = name.strip()
        if not name:
            raise ValueError("a session needs a name that is not blank")
        complete = checked_settings(settings)
        with self._writing() as db:
            if db.execute("SELECT 1 FROM pool WHERE id = ?", (pool_id,)).fetchone() is None:
                raise NotFound(f"there is no pool {pool_id}")
            if db.execute("SELECT 1 FROM session WHERE name = ?", (name,)).fetchone() is not None:
                raise DuplicateName(f"there is a session named {name!r} already; choose another name")
            session_id = db.execute(
                "INSERT INTO session (name, pool, settings, at) VALUES (?, ?, ?, ?) RETURNING id",
                (name, pool_id, canonical(complete), stamp(now)),
            ).fetchone()[0]
            append_event(db, session_id, "design", design_body, now)
        return int(session_id)

    def sessions(self) -> list[SessionRow]:
        """Every session, oldest first."""
        with self._reading() as db:
            rows = db.execute("SELECT id, name, pool, settings, at FROM session ORDER BY id").fetchall()
        return [_session(row) for row in rows]

    def session(self, session_id: int) -> SessionRow:
        """The session of that id, or `NotFound`."""
        with self._reading() as db:
            return session_row(db, session_id)

    def session_by_name(self, name: str) -> SessionRow:
        """The session of that name, or `NotFound` with the names there are."""
        rows = self.sessions()
        for row in rows:
            if row.name == name.strip():
                return row
        names = ", ".join(repr(row.name) for row in rows) or "none yet"
        raise NotFound(f"there is no session named {name!r} in {self.name}; there is: {names}")

    def events(self, session_id: int, after: int = 0) -> list[Event]:
        """The ledger's rows with a number above `after`, in order."""
        with self._reading() as db:
            return read_events(db, session_id, after)

    def append(self, session_id: int, kind: str, body: Mapping[str, Any], now: datetime) -> Event:
        """Append an event that no other operation of the store writes, such as "width".

        Raises
        ------
        ValueError
            The kind belongs to an operation of the store ("rating" to `rate`, and so on).
        NotFound
            There is no such session.
        """
        if kind in QUEUE_KINDS:
            raise ValueError(f"an event {kind!r} is written by the store's own operation, not by append")
        with self._writing(session_id) as db:
            session_row(db, session_id)
            return append_event(db, session_id, kind, body, now)


def session_row(db: Db, session_id: int) -> SessionRow:
    """The session of that id, or `NotFound`, within the caller's transaction."""
    row = db.execute(
        "SELECT id, name, pool, settings, at FROM session WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no session {session_id}")
    return _session(row)


def checked_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the defaults filled in, or ValueError naming the one that is out of range."""
    complete = {**DEFAULTS, **settings}
    for key in ("ratings_per_item", "unratable_after"):
        if type(complete[key]) is not int or complete[key] < 1:
            raise ValueError(f"{key} is {complete[key]!r}; it must be a whole number, 1 or more")
    if (
        not isinstance(complete["lease_seconds"], int | float)
        or not 0 < complete["lease_seconds"] <= 7 * 86400
    ):
        raise ValueError(
            f"lease_seconds is {complete['lease_seconds']!r}; it must be above 0 and at most a week"
        )
    step = complete["disagreement"]
    if step is not None and (not isinstance(step, int | float) or not step >= 0):
        raise ValueError(f"disagreement is {step!r}; it must be None or a difference of 0 or more")
    for key in ("gold_rate", "repeat_rate"):
        if not isinstance(complete[key], int | float) or not 0 <= complete[key] <= MOST_CONTROLS:
            raise ValueError(f"{key} is {complete[key]!r}; it must lie in [0, {MOST_CONTROLS:g}]")
    if complete["gold_rate"] > 0 and complete["gold_pool"] is None:
        raise ValueError(f"gold_rate is {complete['gold_rate']!r}, but there is no gold item")
    return complete


def item_bytes(item_id: str, prompt: str, response: str, extra: str) -> bytes:
    """What `pool.texts_hash` hashes of an item."""
    return canonical([item_id, prompt, response, extra]).encode("utf-8")


def _insert_items(db: Db, pool_id: int, items: Iterable[ItemRow]) -> tuple[int, str]:
    """Insert in order; return how many, and the SHA-256 over all of them."""
    digest = hashlib.sha256()
    count = 0
    page: list[tuple[Any, ...]] = []
    for count, item in enumerate(items, start=1):
        if item.position != count - 1:
            raise ValueError(
                f"item {item.item_id!r} has position {item.position}; the next one is {count - 1}"
            )
        try:
            extra = canonical(item.extra)
            digest.update(item_bytes(item.item_id, item.prompt, item.response, extra))
            (item.item_id + item.prompt + item.response).encode("utf-8")
        except (TypeError, ValueError) as fault:
            raise _unfit(item.item_id, item.position, fault) from fault
        page.append((pool_id, item.position, item.item_id, item.prompt, item.response, extra))
        if len(page) == _PAGE:
            _insert_page(db, page)
            page.clear()
    if page:
        _insert_page(db, page)
    if count == 0:
        raise ValueError("the pool has no item")
    return count, digest.hexdigest()


def _insert_page(db: Db, page: list[tuple[Any, ...]]) -> None:
    """Insert items, of which the database turns one down at most by its id."""
    insert = (
        "INSERT INTO item (pool, position, item_id, prompt, response, extra) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (pool, item_id) DO NOTHING"
    )
    try:
        stored = db.executemany(insert, page).rowcount
    except ValueError as fault:  # a NUL, where the database has none in its texts
        worst = next((row for row in page if "\0" in "".join(row[2:5])), page[0])
        raise _unfit(worst[2], worst[1], fault) from fault
    if stored == len(page):
        return
    for pool_id, position, item_id, *_ in page:
        known = db.execute("SELECT position FROM item WHERE pool = ? AND item_id = ?", (pool_id, item_id))
        if known.fetchone() != (position,):
            raise ValueError(f"item {item_id!r} at position {position} can't be stored: that id came before")


def _unfit(item_id: str, position: int, fault: Exception) -> ValueError:
    return ValueError(f"item {item_id!r} at position {position} has content that can't be stored: {fault}")


def item_row(row: Sequence[Any]) -> ItemRow:
    """An item from its columns position, item_id, prompt, response and extra."""
    return ItemRow(row[0], row[1], row[2], row[3], json.loads(row[4]))


def _session(row: tuple[Any, ...]) -> SessionRow:
    # a session of an older version has not all of the settings
    return SessionRow(row[0], row[1], row[2], {**DEFAULTS, **json.loads(row[3])}, moment(row[4]))
