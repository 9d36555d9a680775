"""What a store gives and takes: plain, immutable rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

#: Why an item could not be rated. "other" needs a text.
REASONS = ("empty", "language", "context", "unsafe", "other")
ROLES = ("rater", "lead", "admin")

#: Makes the next draw: the events to append, of which the last, and no other, is a "draw"; [] = no more.
NextDraw = Callable[[], list[tuple[str, dict[str, Any]]]]


@dataclass(frozen=True)
class ItemRow:
    """One item of a pool: its place (0, 1, 2, …), its id, its texts, and anything else that JSON can hold."""

    position: int
    item_id: str
    prompt: str
    response: str
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PoolRow:
    """A stored pool; `meta` is what the caller gave."""

    id: int
    hash: str
    name: str
    meta: dict[str, Any]
    items: int
    at: datetime


@dataclass(frozen=True)
class SessionRow:
    """A session; `settings` are the caller's, with the defaults of the store's own filled in."""

    id: int
    name: str
    pool: int
    settings: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class Claim:
    """A rater's right to rate one draw until `expires` (and after, as long as nobody else takes the draw)."""

    lease: str
    session: int
    round: int
    position: int
    expires: datetime
    draft: str | None


@dataclass(frozen=True)
class Nothing:
    """There is no work for this rater now.

    `held_by_others` counts the draws that others hold, `next_free_at` is when the first of those leases ends,
    `counts` has the draws by state ("open", "done", "unratable").
    """

    held_by_others: int
    next_free_at: datetime | None
    counts: dict[str, int]


@dataclass(frozen=True)
class Saved:
    """The receipt of a rating: what is on the disk, and since when."""

    session: int
    round: int
    value: float
    at: datetime
    answer: dict[str, Any] | None = None


@dataclass(frozen=True)
class RatingRow:
    """A rating as it stands: `value` and `answer` are the current ones, `corrected` says that they once were others."""

    round: int
    position: int
    rater: str
    value: float
    duration_ms: int
    comment: str | None
    at: datetime
    corrected: bool
    answer: dict[str, Any] | None = None


@dataclass(frozen=True)
class OwnWork:
    """One rater's own ratings: today's, all, the usual time of the last ones, and the time of all."""

    today: int
    ratings: int
    median_ms: float | None
    total_ms: int


@dataclass(frozen=True)
class Remark:
    """What a rater wrote about an item, or that it was flagged."""

    round: int
    item_id: str
    name: str
    value: float
    flag: bool
    comment: str
    at: datetime


@dataclass(frozen=True)
class ControlRow:
    """A gold or repeated item as a rater rated it.

    `of` is "gold" or "repeat"; `expected` is the known answer, or the rater's own rating of the first time.
    """

    round: int
    rater: str
    name: str
    item_id: str
    of: str
    expected: float
    value: float
    at: datetime


@dataclass(frozen=True)
class Dispute:
    """A draw whose first ratings differ by more than the session allows.

    `state` is "open", "done" or "unratable", `ratings` are (opaque id, name, value, comment) in the order of arrival,
    `decided` is the value that a lead decided, None where none did.
    """

    round: int
    state: str
    wanted: int
    item: ItemRow
    ratings: tuple[tuple[str, str, float, str | None], ...]
    decided: float | None


@dataclass(frozen=True)
class Held:
    """Who holds a draw, until when."""

    round: int
    rater: str
    name: str
    expires: datetime


@dataclass(frozen=True)
class QueueCounts:
    """The state of a session's queue.

    `first_open` is the earliest draw that is not finished, `waiting` how many finished draws come after it,
    `reported` how many open draws somebody reported as not ratable (they need another rater's opinion),
    `contested` how many draws were given one rating more because the first ones differed.
    """

    open: int
    done: int
    unratable: int
    ratings: int
    held: tuple[Held, ...]
    first_open: int | None
    waiting: int
    reported: int
    contested: int

    @property
    def blocking(self) -> tuple[Held, ...]:
        """Who holds the draw that the finished ones wait for; empty where it waits for its next rater."""
        return tuple(held for held in self.held if held.round == self.first_open)


@dataclass(frozen=True)
class RaterStats:
    """One rater's work in a session; `put_off` and `unratable` count the draws that stand so now."""

    rater: str
    name: str
    ratings: int
    put_off: int
    unratable: int
    median_ms: float | None
    last_at: datetime | None


@dataclass(frozen=True)
class PersonRow:
    """A person: the opaque id that the ledger knows, and what it does not.

    `login` is what the person signs in by, if not by links alone: an e-mail address or a name, in small letters.
    """

    id: str
    name: str
    at: datetime
    login: str | None = None


@dataclass(frozen=True)
class PasswordRow:
    """A person's password, as its Argon2 hash, and the role that it gives."""

    person: str
    role: str
    hash: str


@dataclass(frozen=True)
class InviteRow:
    """An invitation; `session` None means every session of the database.

    `via` is "link", "password" or "provider": what proved who its holder is.
    """

    token_hash: str
    role: str
    session: int | None
    person: str
    name: str
    expires: datetime
    revoked: datetime | None
    at: datetime
    via: str = "link"
