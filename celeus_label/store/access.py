"""Passwords, and how often they were tried."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from celeus_label.store.connection import Connections
from celeus_label.store.errors import NotFound
from celeus_label.store.rows import PasswordRow
from celeus_label.store.times import stamp


class Access(Connections):
    """Hashes go in and come out as they are; who made them knows how to check one."""

    def set_password(self, person: str, role: str, hash: str, now: datetime) -> None:
        """Give a person a password, in the place of any other. `NotFound` if there is no such person."""
        with self._writing() as db:
            if db.execute("SELECT 1 FROM person WHERE id = ?", (person,)).fetchone() is None:
                raise NotFound(f"there is no person {person!r}")
            db.execute(
                "INSERT INTO password (person, role, hash, at) VALUES (?, ?, ?, ?) ON CONFLICT (person)"
                " DO UPDATE SET role = excluded.role, hash = excluded.hash, at = excluded.at",
                (person, role, hash, stamp(now)),
            )

    def password(self, login: str) -> PasswordRow | None:
        """The password of whoever signs in by that login, if there is one."""
        with self._reading() as db:
            row = db.execute(
                "SELECT w.person, w.role, w.hash FROM password w JOIN person p ON p.id = w.person"
                " WHERE p.login = ?",
                (login,),
            ).fetchone()
        return None if row is None else PasswordRow(*row)

    def has_passwords(self) -> bool:
        """Whether anybody signs in by a password."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM password").fetchone() is not None

    def count_attempt(self, limits: Mapping[str, int], since: datetime, now: datetime) -> bool:
        """Count an attempt under each key, unless one of them has its limit's number since then: then False.

        Attempts from before `since` are deleted.
        """
        with self._writing() as db:
            db.execute("DELETE FROM attempt WHERE at <= ?", (stamp(since),))
            for key, limit in limits.items():
                made = db.execute("SELECT count(*) FROM attempt WHERE key = ?", (key,)).fetchone()[0]
                if made >= limit:
                    return False
            for key in limits:
                db.execute("INSERT INTO attempt (key, at) VALUES (?, ?)", (key, stamp(now)))
            return True

    def forgive_attempts(self, key: str) -> None:
        """Forget the attempts under a key: the last one was right."""
        with self._writing() as db:
            db.execute("DELETE FROM attempt WHERE key = ?", (key,))
