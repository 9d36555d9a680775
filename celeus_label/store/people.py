"""Persons and the invitations that let them in."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from celeus_label.store.connection import Connections
from celeus_label.store.errors import NotFound
from celeus_label.store.rows import ROLES, InviteRow, PersonRow
from celeus_label.store.sessions import session_row
from celeus_label.store.times import moment, stamp

_INVITES = """
    SELECT i.token_hash, i.role, i.session, i.person, p.name, i.expires, i.revoked, i.at, i.via
    FROM invite i JOIN person p ON p.id = i.person
"""


class People(Connections):
    """Who may come in, and under which opaque id the ledger knows them."""

    def add_person(self, name: str, now: datetime, login: str | None = None) -> str:
        """Make a person and return the opaque id. Two persons may bear the same name, but not sign in by the same.

        With the `login` of a person whom there is, that one's id, and nothing changes.

        Raises
        ------
        ValueError
            The name or the login is blank.
        """
        if not name.strip() or login == "":
            raise ValueError("a person needs a name that is not blank")
        person = secrets.token_hex(8)
        with self._writing() as db:
            if login is not None:
                known = db.execute("SELECT id FROM person WHERE login = ?", (login,)).fetchone()
                if known is not None:
                    return str(known[0])
            db.execute(
                "INSERT INTO person (id, name, at, login) VALUES (?, ?, ?, ?)",
                (person, name.strip(), stamp(now), login),
            )
        return person

    def person(self, person_id: str) -> PersonRow:
        """The person of that id, or `NotFound`."""
        with self._reading() as db:
            row = db.execute("SELECT id, name, at, login FROM person WHERE id = ?", (person_id,)).fetchone()
        if row is None:
            raise NotFound(f"there is no person {person_id!r}")
        return PersonRow(row[0], row[1], moment(row[2]), row[3])

    def person_of(self, login: str) -> PersonRow | None:
        """Who signs in by that login, if anybody does."""
        with self._reading() as db:
            row = db.execute("SELECT id, name, at FROM person WHERE login = ?", (login,)).fetchone()
        return None if row is None else PersonRow(row[0], row[1], moment(row[2]), login)

    def people(self) -> list[PersonRow]:
        """Everybody, in the order of arrival."""
        with self._reading() as db:
            rows = db.execute("SELECT id, name, at, login FROM person ORDER BY rowid").fetchall()
        return [PersonRow(id, name, moment(at), login) for id, name, at, login in rows]

    def forget(self, person_id: str, now: datetime) -> None:
        """Delete what is known of a person: name, login, password, drafts; and every way in.

        The opaque id stays, and with it the ratings and the ledger. `NotFound` if there is no such person.
        """
        with self._writing(rater=person_id) as db:
            changed = db.execute(
                "UPDATE person SET name = 'deleted ' || substr(id, 1, 4), login = NULL WHERE id = ?",
                (person_id,),
            )
            if changed.rowcount == 0:
                raise NotFound(f"there is no person {person_id!r}")
            db.execute("DELETE FROM password WHERE person = ?", (person_id,))
            db.execute(
                "UPDATE invite SET revoked = coalesce(revoked, ?) WHERE person = ?", (stamp(now), person_id)
            )
            db.execute("UPDATE lease SET draft = NULL WHERE rater = ?", (person_id,))
            db.execute("UPDATE lease SET state = 'lapsed' WHERE rater = ? AND state = 'held'", (person_id,))

    def add_invite(
        self,
        token_hash: str,
        role: str,
        session_id: int | None,
        person: str,
        expires: datetime,
        now: datetime,
        via: str = "link",
    ) -> None:
        """Store the hash of a secret token, never the token. `session_id` None: every session.

        Of an invitation that there is, only the end is moved: one that was revoked stays so.

        Raises
        ------
        ValueError
            The role is none of `ROLES`, or `expires` is not after `now`.
        NotFound
            No such person or session.
        """
        if role not in ROLES:
            raise ValueError(f"role {role!r} is none of {', '.join(ROLES)}")
        if expires <= now:
            raise ValueError(f"the invite would have expired already, at {stamp(expires)}")
        with self._writing() as db:
            if db.execute("SELECT 1 FROM person WHERE id = ?", (person,)).fetchone() is None:
                raise NotFound(f"there is no person {person!r}")
            if session_id is not None:
                session_row(db, session_id)
            db.execute(
                "INSERT INTO invite (token_hash, role, session, person, expires, at, via)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (token_hash) DO UPDATE SET expires = excluded.expires",
                (token_hash, role, session_id, person, stamp(expires), stamp(now), via),
            )

    def invite(self, token_hash: str, now: datetime) -> InviteRow | None:
        """The invitation, if it is known, not expired and not revoked."""
        with self._reading() as db:
            row = db.execute(
                _INVITES + "WHERE i.token_hash = ? AND i.revoked IS NULL AND i.expires > ?",
                (token_hash, stamp(now)),
            ).fetchone()
        return None if row is None else _invite(row)

    def invites(self, session_id: int | None = None) -> list[InviteRow]:
        """Every invitation, revoked and expired ones too, oldest first; of one session if it is named."""
        with self._reading() as db:
            rows = db.execute(_INVITES + "ORDER BY i.rowid").fetchall()
        return [_invite(row) for row in rows if session_id is None or row[2] == session_id]

    def revoke_invite(self, token_hash: str, now: datetime) -> None:
        """End an invitation at once; a second time changes nothing. `NotFound` if there is none."""
        with self._writing() as db:
            changed = db.execute(
                "UPDATE invite SET revoked = coalesce(revoked, ?) WHERE token_hash = ?",
                (stamp(now), token_hash),
            )
            if changed.rowcount == 0:
                raise NotFound("there is no such invite to revoke")


def _invite(row: tuple[Any, ...]) -> InviteRow:
    token_hash, role, session, person, name, expires, revoked, at, via = row
    return InviteRow(
        token_hash,
        role,
        session,
        person,
        name,
        moment(expires),
        None if revoked is None else moment(revoked),
        moment(at),
        via,
    )
