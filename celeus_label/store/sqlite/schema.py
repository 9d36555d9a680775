"""The tables, and how an older file is brought up to date.

`event` is the truth: every other table of a session is an index over it (the queue, the unique constraints),
so that claims need no replay. A change to the tables is a new function at the end, never an edit of an old
one.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing it loads pandas, which a file that is up to date need not wait for
    from sqlite_utils import Database

_SET = "celeus_label.store"


def m001_ledger(db: Database) -> None:
    """Pools, sessions, the ledger, the queue and the people."""
    for statement in _LEDGER:
        db.conn.execute(statement)


def m002_controls(db: Database) -> None:
    """Draws beside the pool's (gold and repeated items, below round 0), and values that a lead decided."""
    for statement in _CONTROLS:
        db.conn.execute(statement)
    broken = db.conn.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise ValueError(
            f"the tables can't be brought up to date: {broken[0][0]} refers to a row that is not there"
        )


def m003_access(db: Database) -> None:
    """Ways in beside links: what a person signs in by, passwords, and the attempts at them."""
    for statement in _ACCESS:
        db.conn.execute(statement)


#: In the order in which they are applied. Before a step is added: tests/store/fixtures/make.py.
STEPS = (m001_ledger, m002_controls, m003_access)


def pending(conn: sqlite3.Connection) -> list[str]:
    """The names of the steps still to be applied, in order; of a new file all of them. Writes nothing.

    Raises
    ------
    ValueError
        The file was written by a newer version.
    """
    known = [step.__name__ for step in STEPS]
    applied: set[str] = set()
    if conn.execute("SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'").fetchone():
        rows = conn.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = ?", (_SET,))
        applied = {row[0] for row in rows.fetchall()}
    unknown = applied - set(known)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValueError(f"written by a newer version of celeus-label (it has {names})")
    return [name for name in known if name not in applied]


def migrate(conn: sqlite3.Connection) -> None:
    """Apply what is missing; the caller holds the write lock, so that processes take turns.

    References must not be enforced meanwhile, which SQLite can switch off outside of a transaction only.
    """
    from sqlite_utils import Database, Migrations

    migrations = Migrations(_SET)
    for step in STEPS:
        migrations()(step)
    migrations.apply(Database(conn))


_LEDGER = (
    """
    CREATE TABLE pool (
        id INTEGER PRIMARY KEY,
        hash TEXT NOT NULL,
        texts_hash TEXT NOT NULL,
        name TEXT NOT NULL,
        meta TEXT NOT NULL,
        items INTEGER NOT NULL,
        at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX pool_once ON pool (hash, texts_hash)",
    """
    CREATE TABLE item (
        pool INTEGER NOT NULL REFERENCES pool (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        item_id TEXT NOT NULL,
        prompt TEXT NOT NULL,
        response TEXT NOT NULL,
        extra TEXT NOT NULL,
        PRIMARY KEY (pool, position),
        UNIQUE (pool, item_id)
    ) STRICT
    """,
    """
    CREATE TABLE session (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE CHECK (name <> ''),
        pool INTEGER NOT NULL REFERENCES pool (id),
        settings TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE event (
        session INTEGER NOT NULL REFERENCES session (id),
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        at TEXT NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (session, seq)
    ) STRICT
    """,
    # The ledger grows at its end and nowhere else; this also stops INSERT OR REPLACE.
    """
    CREATE TRIGGER event_only_next BEFORE INSERT ON event
    WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event WHERE session = NEW.session)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: a row may only follow the last one'); END
    """,
    """
    CREATE TRIGGER event_no_update BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: a row may not be changed'); END
    """,
    """
    CREATE TRIGGER event_no_delete BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: a row may not be deleted'); END
    """,
    # An item is drawn without replacement: once a session at most.
    """
    CREATE TABLE draw (
        session INTEGER NOT NULL REFERENCES session (id),
        round INTEGER NOT NULL CHECK (round >= 1),
        position INTEGER NOT NULL,
        wanted INTEGER NOT NULL CHECK (wanted >= 1),
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'unratable')),
        PRIMARY KEY (session, round),
        UNIQUE (session, position)
    ) STRICT
    """,
    "CREATE INDEX draw_open ON draw (session, round) WHERE state = 'open'",
    """
    CREATE TABLE person (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL CHECK (name <> ''),
        at TEXT NOT NULL
    ) STRICT
    """,
    # One row for a draw and a rater, for ever. "held" and "rated" take up one of the places a draw has.
    """
    CREATE TABLE lease (
        token TEXT PRIMARY KEY,
        session INTEGER NOT NULL,
        round INTEGER NOT NULL,
        rater TEXT NOT NULL REFERENCES person (id),
        state TEXT NOT NULL CHECK (state IN ('held', 'lapsed', 'later', 'unratable', 'rated')),
        expires TEXT NOT NULL,
        again_from INTEGER,
        draft TEXT,
        UNIQUE (session, round, rater),
        FOREIGN KEY (session, round) REFERENCES draw (session, round)
    ) STRICT
    """,
    "CREATE UNIQUE INDEX lease_one_each ON lease (session, rater) WHERE state = 'held'",
    "CREATE INDEX lease_held ON lease (session, expires) WHERE state = 'held'",
    "CREATE INDEX lease_lapsed ON lease (session, rater) WHERE state = 'lapsed'",
    # value is the current one; seq is the event that first stored it, set_by the one that set it last.
    """
    CREATE TABLE rating (
        session INTEGER NOT NULL,
        round INTEGER NOT NULL,
        rater TEXT NOT NULL REFERENCES person (id),
        lease TEXT NOT NULL UNIQUE REFERENCES lease (token),
        value REAL NOT NULL,
        duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
        comment TEXT,
        at TEXT NOT NULL,
        seq INTEGER NOT NULL,
        set_by INTEGER NOT NULL,
        PRIMARY KEY (session, round, rater),
        FOREIGN KEY (session, round) REFERENCES draw (session, round),
        FOREIGN KEY (session, seq) REFERENCES event (session, seq),
        FOREIGN KEY (session, set_by) REFERENCES event (session, seq)
    ) STRICT
    """,
    "CREATE INDEX rating_by_rater ON rating (session, rater, seq)",
    """
    CREATE TRIGGER rating_within_wanted BEFORE INSERT ON rating
    WHEN (SELECT count(*) FROM rating WHERE session = NEW.session AND round = NEW.round)
        >= (SELECT wanted FROM draw WHERE session = NEW.session AND round = NEW.round)
    BEGIN SELECT RAISE(ABORT, 'the draw has all its ratings'); END
    """,
    """
    CREATE TABLE invite (
        token_hash TEXT PRIMARY KEY,
        role TEXT NOT NULL CHECK (role IN ('rater', 'lead', 'admin')),
        session INTEGER REFERENCES session (id),
        person TEXT NOT NULL REFERENCES person (id),
        expires TEXT NOT NULL,
        revoked TEXT,
        at TEXT NOT NULL
    ) STRICT
    """,
)

# SQLite can't change a table's constraints, so that `draw` is built anew. An item may be shown to its rater again,
# and a gold item is of a pool of its own; only the draws of the design are without replacement.
_CONTROLS = (
    "DROP TRIGGER rating_within_wanted",
    """
    CREATE TABLE draw_new (
        session INTEGER NOT NULL REFERENCES session (id),
        round INTEGER NOT NULL CHECK (round <> 0),
        pool INTEGER NOT NULL,
        position INTEGER NOT NULL,
        wanted INTEGER NOT NULL CHECK (wanted >= 1),
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'unratable')),
        decided REAL,
        PRIMARY KEY (session, round),
        FOREIGN KEY (pool, position) REFERENCES item (pool, position)
    ) STRICT
    """,
    """
    INSERT INTO draw_new (session, round, pool, position, wanted, state)
    SELECT d.session, d.round, s.pool, d.position, d.wanted, d.state
    FROM draw d JOIN session s ON s.id = d.session
    """,
    "DROP TABLE draw",
    "ALTER TABLE draw_new RENAME TO draw",
    "CREATE INDEX draw_open ON draw (session, round) WHERE state = 'open'",
    "CREATE UNIQUE INDEX draw_once ON draw (session, position) WHERE round > 0",
    """
    CREATE TRIGGER rating_within_wanted BEFORE INSERT ON rating
    WHEN (SELECT count(*) FROM rating WHERE session = NEW.session AND round = NEW.round)
        >= (SELECT wanted FROM draw WHERE session = NEW.session AND round = NEW.round)
    BEGIN SELECT RAISE(ABORT, 'the draw has all its ratings'); END
    """,
)

# `login` is an e-mail address or a name, in small letters: with `name` all that is known of anybody.
# An attempt's key is a hash, and its rows are deleted when they no longer count.
_ACCESS = (
    "ALTER TABLE person ADD COLUMN login TEXT CHECK (login <> '')",
    "CREATE UNIQUE INDEX person_login ON person (login) WHERE login IS NOT NULL",
    """
    ALTER TABLE invite ADD COLUMN via TEXT NOT NULL DEFAULT 'link'
    CHECK (via IN ('link', 'password', 'provider'))
    """,
    """
    CREATE TABLE password (
        person TEXT PRIMARY KEY REFERENCES person (id),
        role TEXT NOT NULL CHECK (role IN ('lead', 'admin')),
        hash TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE TABLE attempt (key TEXT NOT NULL, at TEXT NOT NULL) STRICT",
    "CREATE INDEX attempt_by_key ON attempt (key, at)",
)
