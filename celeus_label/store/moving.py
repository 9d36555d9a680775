"""Everything of one database into another, of whichever kind."""

from __future__ import annotations

from celeus_label.store.connection import Connections, Db
from celeus_label.store.errors import StoreError

# Columns and key of each. Every row comes after those that it refers to, and in the order of arrival where it matters.
# Attempts at passwords are of the moment, and stay behind.
_TABLES: dict[str, tuple[str, str]] = {
    "pool": ("id, hash, texts_hash, name, meta, items, at", "id"),
    "item": ("pool, position, item_id, prompt, response, extra", "pool, position"),
    "session": ("id, name, pool, settings, at", "id"),
    "event": ("session, seq, kind, body, at, hash", "session, seq"),
    "draw": ("session, round, pool, position, wanted, state, decided", "session, round"),
    "person": ("id, name, at, login", "rowid"),
    "lease": ("token, session, round, rater, state, expires, again_from, draft", "session, round, rater"),
    "rating": (
        "session, round, rater, lease, value, duration_ms, comment, at, seq, set_by",
        "session, round, rater",
    ),
    "invite": ("token_hash, role, session, person, expires, revoked, at, via", "rowid"),
    "password": ("person, role, hash, at", "person"),
}
_PAGE = 1000


def move(source: Connections, target: Connections) -> None:
    """Copy every row, as it was at one moment, in one transaction.

    Raises
    ------
    StoreError
        The target holds something already.
    """
    with source._snapshot() as old, target._writing() as new:
        for table in ("pool", "person"):
            if new.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None:
                raise StoreError(f"{target.name} holds something already; name a database that is empty")
        for table, (columns, order) in _TABLES.items():
            _copy(old, new, table, columns, order)
        target._number_on(new)


def _copy(old: Db, new: Db, table: str, columns: str, key: str) -> None:
    """A page at a time, each from where the last one ended."""
    width = columns.count(",") + 1
    insert = f"INSERT INTO {table} ({columns}) VALUES ({_marks(width)})"
    select = f"SELECT {columns}, {key} FROM {table}"
    after, last = "", ()
    while True:
        rows = old.execute(f"{select} {after} ORDER BY {key} LIMIT {_PAGE}", last).fetchall()
        if rows:
            new.executemany(insert, [row[:width] for row in rows])
        if len(rows) < _PAGE:
            return
        after, last = f"WHERE ({key}) > ({_marks(len(rows[-1]) - width)})", rows[-1][width:]


def _marks(count: int) -> str:
    return ", ".join("?" * count)
