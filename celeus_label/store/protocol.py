"""What the rest of celeus-label may ask of a store, whichever database is behind it.

Every time is an aware datetime that the caller passes in; a store never reads the clock.
Every method that writes returns only after the write is safe on the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from celeus_label.ledger import Event
from celeus_label.store.rows import (
    Claim,
    ControlRow,
    Dispute,
    InviteRow,
    ItemRow,
    NextDraw,
    Nothing,
    OwnWork,
    PasswordRow,
    PersonRow,
    PoolRow,
    QueueCounts,
    RaterStats,
    RatingRow,
    Remark,
    Saved,
    SessionRow,
)


class Store(Protocol):
    """The operations; each promises the same on every database."""

    name: str
    """Where the database is, as people are told it: a path, or an address without its password."""

    def lent(self) -> AbstractContextManager[None]:
        """Lend this thread a connection for all that it does in the block, so that nothing in there waits for one."""
        ...

    def add_pool(
        self, pool_hash: str, name: str, meta: Mapping[str, Any], items: Iterable[ItemRow], now: datetime
    ) -> int:
        """Store a pool once, and return its id."""
        ...

    def pool(self, pool_id: int) -> PoolRow:
        """The pool of that id."""
        ...

    def pool_items(self, pool_id: int) -> Iterator[ItemRow]:
        """Every item in order, never all in memory."""
        ...

    def item(self, pool_id: int, position: int) -> ItemRow:
        """The item at that place."""
        ...

    def add_session(
        self,
        name: str,
        pool_id: int,
        design_body: Mapping[str, Any],
        settings: Mapping[str, Any],
        now: datetime,
    ) -> int:
        """Make a session whose ledger begins with its design, and return its id."""
        ...

    def sessions(self) -> list[SessionRow]:
        """Every session, oldest first."""
        ...

    def session(self, session_id: int) -> SessionRow:
        """The session of that id."""
        ...

    def session_by_name(self, name: str) -> SessionRow:
        """The session of that name."""
        ...

    def events(self, session_id: int, after: int = 0) -> list[Event]:
        """The ledger's rows with a number above `after`."""
        ...

    def news(self, session_id: int) -> object | None:
        """A value that changes whenever the ledger has grown; None where only reading it tells."""
        ...

    def append(self, session_id: int, kind: str, body: Mapping[str, Any], now: datetime) -> Event:
        """Append an event that no other operation writes."""
        ...

    def claim(self, session_id: int, rater: str, now: datetime, next_draw: NextDraw) -> Claim | Nothing:
        """Give a rater a draw to rate, or say why there is none."""
        ...

    def renew(self, lease: str, rater: str, now: datetime) -> datetime:
        """Extend a lease; its new end."""
        ...

    def release(self, lease: str, rater: str, now: datetime) -> None:
        """Give a lease back."""
        ...

    def release_all(self, rater: str, now: datetime, session_id: int | None = None) -> int:
        """Give back all that a rater holds, in one session or in every one; how many."""
        ...

    def take_back(self, session_id: int, round: int, now: datetime) -> int:
        """End the leases held on a draw; how many."""
        ...

    def save_draft(self, lease: str, rater: str, text: str) -> None:
        """Keep half-done work with its draw."""
        ...

    def draft(self, lease: str, rater: str) -> str | None:
        """What `save_draft` kept last."""
        ...

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
        """Store a rating, once for each lease."""
        ...

    def later(self, lease: str, rater: str, now: datetime) -> None:
        """Put a draw off."""
        ...

    def unratable(self, lease: str, rater: str, reason: str, text: str, now: datetime) -> None:
        """Report that a draw can't be rated, with a reason of `REASONS`."""
        ...

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
        """Change a rating by a new event."""
        ...

    def adjudicate(self, session_id: int, round: int, value: float, by: str, now: datetime) -> Event:
        """Decide the value of a draw whose ratings differ by more than the session allows."""
        ...

    def disputes(self, session_id: int) -> list[Dispute]:
        """The draws whose ratings differ by more than the session allows, oldest first."""
        ...

    def ratings(self, session_id: int) -> list[RatingRow]:
        """Every rating of the pool's draws as it stands, in the order of the ledger."""
        ...

    def shown(self, session_id: int, round: int) -> ItemRow:
        """The item that a round showed; below 0 a gold or repeated one."""
        ...

    def leased(self, lease: str) -> ItemRow:
        """The item that a lease is on."""
        ...

    def controls(self, session_id: int) -> list[ControlRow]:
        """Every gold and repeated item that was rated."""
        ...

    def recent(self, session_id: int, rater: str, limit: int = 10) -> list[RatingRow]:
        """A rater's own last ratings, newest first."""
        ...

    def ratings_since(self, session_id: int, rater: str, since: datetime) -> int:
        """How many ratings a rater gave from that time on."""
        ...

    def own_work(self, session_id: int, rater: str, since: datetime) -> OwnWork:
        """A rater's own numbers, today's from `since` on."""
        ...

    def remarks(self, session_id: int) -> list[Remark]:
        """Every comment and flag, newest first."""
        ...

    def counts(self, session_id: int, now: datetime) -> QueueCounts:
        """The state of the queue."""
        ...

    def rater_stats(self, session_id: int) -> list[RaterStats]:
        """The work of everybody who ever held a draw."""
        ...

    def add_person(self, name: str, now: datetime, login: str | None = None) -> str:
        """Make a person, or find the one of that login; the opaque id."""
        ...

    def person(self, person_id: str) -> PersonRow:
        """The person of that id."""
        ...

    def person_of(self, login: str) -> PersonRow | None:
        """Who signs in by that login."""
        ...

    def people(self) -> list[PersonRow]:
        """Everybody."""
        ...

    def forget(self, person_id: str, now: datetime) -> None:
        """Delete what is known of a person, and nothing of what the person did."""
        ...

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
        """Store the hash of an invitation's token, or move the end of the one that there is."""
        ...

    def invite(self, token_hash: str, now: datetime) -> InviteRow | None:
        """The invitation, if it is valid at that time."""
        ...

    def invites(self, session_id: int | None = None) -> list[InviteRow]:
        """Every invitation, or those of one session."""
        ...

    def revoke_invite(self, token_hash: str, now: datetime) -> None:
        """End an invitation at once."""
        ...

    def set_password(self, person: str, role: str, hash: str, now: datetime) -> None:
        """Give a person a password."""
        ...

    def password(self, login: str) -> PasswordRow | None:
        """The password of that login."""
        ...

    def has_passwords(self) -> bool:
        """Whether anybody signs in by a password."""
        ...

    def count_attempt(self, limits: Mapping[str, int], since: datetime, now: datetime) -> bool:
        """Count an attempt, unless there were too many."""
        ...

    def forgive_attempts(self, key: str) -> None:
        """Forget the attempts under a key."""
        ...

    def backup(self, target: str | Path) -> None:
        """Copy the database into a new file while it is in use."""
        ...

    def check(self) -> list[str]:
        """Every fault found, a sentence each."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
