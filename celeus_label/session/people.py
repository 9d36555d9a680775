"""Who comes in, and how: invitations, sign-in, sign-out."""

from __future__ import annotations

import secrets
from datetime import timedelta

from celeus_label.session.access import hashed
from celeus_label.session.base import Base
from celeus_label.session.names import checked
from celeus_label.session.types import Identity, InviteInfo, NotAllowed, Person
from celeus_label.store import ROLES, InviteRow

MOST_DAYS = 3_650  # of an invite link


class People(Base):
    """Invitations and the identities they give."""

    def local(self) -> Identity:
        """The user of this machine's command line, who can read the file anyway."""
        return Identity("local", "local", "admin", None)

    def sign_in(self, token: str) -> Identity | None:
        """Who an invite link's token belongs to; None where it is unknown, expired or revoked."""
        row = self.store.invite(hashed(token), self._clock())
        return None if row is None else Identity(row.person, row.name, row.role, row.session, row.token_hash)

    def invite(self, who: Identity, role: str, session: int | None, name: str, days: float = 30) -> str:
        """Make an invite link's token, 256 random bits; it is returned once and stored as a hash.

        Raises
        ------
        NotAllowed
            Only leads and admins invite, and a lead of one session only to that one.
        ValueError
            No such role, a rater's invitation without a session, no such number of days, or an invisible character
            in the name.
        """
        self._check(who, "lead", session)
        if role == "admin" and who.role != "admin":
            raise NotAllowed("only an admin may invite an admin")
        if role == "rater" and session is None:
            raise ValueError("a rater's invitation needs a session")
        if role not in ROLES:
            raise ValueError(f"role {role!r} is none of {', '.join(ROLES)}")
        if not 0 < days <= MOST_DAYS:
            raise ValueError(f"a link ends after more than 0 and at most {MOST_DAYS:,} days, got {days:g}")
        name = checked(name, "the name") or role
        token = secrets.token_urlsafe(32)
        now = self._clock()
        person = self.store.add_person(name, now)
        self.store.add_invite(hashed(token), role, session, person, now + timedelta(days=days), now)
        return token

    def invites(self, who: Identity, session: int) -> list[InviteInfo]:
        """Every invitation to a session."""
        self._check(who, "lead", session)
        return [_info(row) for row in self.store.invites(session)]

    def people(self, who: Identity) -> list[Person]:
        """Everybody whom the database knows, with what they come in by; for those who look after it."""
        self._check(who, "admin", None)
        ways: dict[str, list[InviteInfo]] = {}
        for row in self.store.invites():
            ways.setdefault(row.person, []).append(_info(row))
        found = []
        for one in self.store.people():
            password = None if one.login is None else self.store.password(one.login)
            role = None if password is None else password.role
            found.append(Person(one.id, one.name, one.login, tuple(ways.get(one.id, ())), role))
        return found

    def forget(self, who: Identity, person: str) -> None:
        """Delete a person's name, login and password, and end every way in; ratings and ledger stay as they are.

        What the person wrote in comments is part of the ledger, and stays.

        Raises
        ------
        NotFound
            There is no such person.
        """
        self._check(who, "admin", None)
        self.store.forget(person, self._clock())

    def revoke(self, who: Identity, session: int | None, invite: str) -> None:
        """End an invitation; its holder's next action is refused and what they hold goes back to the queue.

        `session` None is for admins: any invitation.
        """
        self._check(who, "lead" if session is not None else "admin", session)
        found = [row for row in self.store.invites(session) if row.token_hash == invite]
        if not found:
            raise ValueError("there is no such invitation")
        now = self._clock()
        self.store.revoke_invite(invite, now)
        self.store.release_all(found[0].person, now)

    def sign_out(self, who: Identity) -> None:
        """Give back what a person holds; a sign-in by password ends with it, a link can be opened again."""
        if who.invite is None:
            return
        now = self._clock()
        row = self.store.invite(who.invite, now)
        if row is not None and row.person == who.person:
            self.store.release_all(who.person, now)
            if row.via == "password":
                self.store.revoke_invite(who.invite, now)


def _info(row: InviteRow) -> InviteInfo:
    return InviteInfo(
        row.token_hash, row.role, row.name, row.session, row.expires, row.revoked is not None, row.via
    )
