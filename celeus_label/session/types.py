"""What people see of a session: plain, immutable records; and what they may not do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from celeus_label.certify import Design, Interval, Scale
from celeus_label.certify.aspects import AspectInterval
from celeus_label.certify.pool import Floats
from celeus_label.store import QueueCounts, RaterStats


class NotAllowed(Exception):
    """The person may not do this: another role, another session, or an invitation that ended."""


@dataclass(frozen=True)
class Identity:
    """Who acts. `session` None means every session of the database; `invite` None a user of this machine."""

    person: str
    name: str
    role: str
    session: int | None
    invite: str | None = None


@dataclass(frozen=True)
class Example:
    """An item that the lead has rated in the guidelines, and why so; any text may be empty but the response."""

    prompt: str
    response: str
    rating: str
    why: str


@dataclass(frozen=True)
class SessionInfo:
    """A session as its own people may see it; raters are shown neither design nor progress by it."""

    id: int
    name: str
    items: int
    scale: Scale
    design: Design
    guidelines: str
    examples: tuple[Example, ...]
    status: str
    ratings: int
    archived: bool = False
    follows: int | None = None


@dataclass(frozen=True)
class Task:
    """An item to rate: its texts and nothing that could sway a rater.

    `response` is the one on the left, and `right` the other, where there are two to compare.
    """

    lease: str
    round: int
    prompt: str
    response: str
    right: str | None
    scale: Scale
    expires: datetime
    own_today: int
    draft: str | None


@dataclass(frozen=True)
class Idle:
    """No item for this rater now: `reason` says why.

    "stopped" at its target, "finished" by any other rule, "archived", "held by others" or "nothing left".
    """

    reason: str
    held: int
    next_free_at: datetime | None
    own_today: int


@dataclass(frozen=True)
class OwnRating:
    """One of a rater's own ratings as it stands; of a pair, the texts as they stood and the verdict.

    `aspects` are the values of the further aspects, None where the design has none.
    """

    round: int
    prompt: str
    response: str
    right: str | None
    value: float
    verdict: str | None
    aspects: dict[str, float] | None
    at: datetime


@dataclass(frozen=True)
class Trajectory:
    """The interval for the target after each committed round (thinned), on the raters' scale."""

    rounds: Floats
    lower: Floats
    upper: Floats
    estimate: Floats


@dataclass(frozen=True)
class Monitor:
    """What a lead watches."""

    interval: Interval
    trajectory: Trajectory
    design: Design
    scale: Scale
    items: int
    draws: int
    counts: QueueCounts
    raters: tuple[RaterStats, ...]
    aspects: tuple[AspectInterval, ...] = ()


@dataclass(frozen=True)
class InviteInfo:
    """An invitation, by the hash of its token; the token itself is shown once and kept nowhere."""

    id: str
    role: str
    name: str
    session: int | None
    expires: datetime
    revoked: bool
    via: str = "link"


@dataclass(frozen=True)
class Person:
    """Somebody whom the database knows, for admins: the opaque id, all that is personal, and every way in.

    `password` is the role that the person's password gives, None where there is no password.
    """

    id: str
    name: str
    login: str | None
    invites: tuple[InviteInfo, ...]
    password: str | None
