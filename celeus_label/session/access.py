"""Ways in beside invite links: a password, and the word of an OpenID Connect provider.

Both end in an invitation like any other, so that one table says who may come in, and revoking it ends it.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from datetime import timedelta
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from celeus_label.ledger import canonical
from celeus_label.session.base import Base
from celeus_label.session.logs import action
from celeus_label.session.names import checked, cleaned
from celeus_label.session.types import Identity, NotAllowed

FEWEST_LETTERS, MOST_LETTERS = 12, 1_000
SIGNED_IN = timedelta(days=7)
# Wrong passwords within the time before another is looked at, for one account and for one address.
WITHIN = timedelta(minutes=15)
FOR_ACCOUNT, FOR_ADDRESS = 5, 20
# What a provider vouched for is written anew when half of this has passed.
_PROVIDER = timedelta(days=30)

# A check takes 64 MB, so that many at once would take all the memory there is.
_checking = threading.Semaphore(2)
_hasher = PasswordHasher()


class TooMany(NotAllowed):
    """Too many wrong passwords of late; the right one would be refused as well."""


class Access(Base):
    """Who somebody is, proved by something else than a link."""

    def set_password(self, who: Identity, login: str, password: str, role: str = "lead") -> None:
        """Let somebody sign in by a password, as a lead or an admin of every session; a new one replaces the old.

        Raises
        ------
        ValueError
            The login is blank or long, the password short or very long, or the role is neither lead nor admin.
        """
        self._check(who, "admin", None)
        login = login_of(checked(login, "the name to sign in by"))
        if not 1 <= len(login) <= 200:
            raise ValueError("the name to sign in by must have 1 to 200 characters")
        if not FEWEST_LETTERS <= len(password) <= MOST_LETTERS:
            raise ValueError(
                f"the password has {len(password):,} characters; "
                f"it must have {FEWEST_LETTERS} to {MOST_LETTERS:,}"
            )
        if role not in ("lead", "admin"):
            raise ValueError(f"role {role!r} can't have a password: it is for leads and admins")
        now = self._clock()
        person = self.store.add_person(login, now, login)
        self._end_sign_ins(person)
        self.store.set_password(person, role, _hasher.hash(password), now)

    def has_passwords(self) -> bool:
        """Whether the door should ask for one."""
        return self.store.has_passwords()

    def sign_in_by_password(self, login: str, password: str, address: str) -> str | None:
        """A token for whoever knows the password, as of an invite link; None where it is wrong.

        Raises
        ------
        TooMany
            There were too many attempts for this account, or from this address.
        """
        with action("sign_in_by_password") as line:
            login = login_of(login)
            account = _key("account", login)
            now = self._clock()
            limits = {account: FOR_ACCOUNT, _key("address", address): FOR_ADDRESS}
            if not self.store.count_attempt(limits, now - WITHIN, now):
                raise TooMany(
                    f"there were too many attempts; wait {WITHIN.seconds // 60} minutes and try again"
                )
            known = self.store.password(login)
            right = _matches(_nobodys() if known is None else known.hash, password)
            if known is None or not right:
                line["refused"] = "wrong"
                return None
            line["rater"] = known.person
            self.store.forgive_attempts(account)
            if _hasher.check_needs_rehash(known.hash):
                self.store.set_password(known.person, known.role, _hasher.hash(password), now)
            token = secrets.token_urlsafe(32)
            self.store.add_invite(
                hashed(token), known.role, None, known.person, now + SIGNED_IN, now, "password"
            )
            return token

    def admit(self, login: str, name: str, role: str, session: str | None) -> Identity | None:
        """Let in whom a provider has vouched for; None where a lead has revoked it, or there is no such session.

        The caller has checked the provider's word, and taken role and session from the rules (see `rules`).
        """
        login, now = login_of(login), self._clock()
        number = None
        if session is not None:
            number = next((one.id for one in self.store.sessions() if one.name == session), None)
            if number is None:
                return None
        known = self.store.person_of(login)
        person = (
            self.store.add_person(cleaned(name) or cleaned(login), now, login) if known is None else known.id
        )
        # no token has this hash, so that it lets nobody in by a link
        key = f"provider:{_key(person, canonical([role, number]))}"
        row = self.store.invite(key, now)
        if row is None or row.expires - now < _PROVIDER / 2:
            self.store.add_invite(key, role, number, person, now + _PROVIDER, now, "provider")
            row = self.store.invite(key, now)
        return None if row is None else Identity(row.person, row.name, row.role, row.session, key)

    def _end_sign_ins(self, person: str) -> None:
        """End every sign-in of a person by a password; links stay."""
        for row in self.store.invites():
            if row.person == person and row.via == "password":
                self.store.revoke_invite(row.token_hash, self._clock())


def login_of(text: str) -> str:
    """A login as it is stored: e-mail addresses are written in capitals and small letters alike."""
    return text.strip().casefold()


def hashed(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _key(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()


def _matches(hash: str, password: str) -> bool:
    with _checking:
        try:
            return _hasher.verify(hash, password[: MOST_LETTERS + 1])
        except (VerificationError, InvalidHashError):
            return False


@cache
def _nobodys() -> str:
    """A hash that no password has: an account that there is not takes as long as one that there is."""
    return _hasher.hash(secrets.token_urlsafe(32))
