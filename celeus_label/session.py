"""The one place where the store and the statistics meet; who may do what is decided here, at every action."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from celeus_label.certificate import export_bundle
from celeus_label.certify import (
    Certifier,
    Design,
    Interval,
    Pool,
    Scale,
    design_body,
    draw_events,
    fold,
)
from celeus_label.certify.pool import Floats
from celeus_label.ingest import Loaded
from celeus_label.store import (
    ItemRow,
    Nothing,
    QueueCounts,
    RaterStats,
    Saved,
    SessionRow,
    SqliteStore,
    StoreError,
)

__all__ = [
    "Identity",
    "Idle",
    "InviteInfo",
    "Monitor",
    "NotAllowed",
    "OwnRating",
    "Saved",
    "SessionInfo",
    "StoreError",
    "Task",
    "Trajectory",
    "Workspace",
]

# More points than this are thinned for a chart; the last one always stays.
_CHART_POINTS = 2_000


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
class SessionInfo:
    """A session as its own people may see it; raters are shown neither design nor progress by it."""

    id: int
    name: str
    items: int
    scale: Scale
    design: Design
    guidelines: str
    status: str
    ratings: int


@dataclass(frozen=True)
class Task:
    """An item to rate: its texts and nothing that could sway a rater."""

    lease: str
    round: int
    prompt: str
    response: str
    scale: Scale
    expires: datetime
    own_today: int
    draft: str | None


@dataclass(frozen=True)
class Idle:
    """No item for this rater now: `reason` is "stopped", "held by others" or "nothing left"."""

    reason: str
    held: int
    next_free_at: datetime | None
    own_today: int


@dataclass(frozen=True)
class OwnRating:
    """One of a rater's own ratings as it stands."""

    round: int
    prompt: str
    response: str
    value: float
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


@dataclass(frozen=True)
class InviteInfo:
    """An invitation, by the hash of its token; the token itself is shown once and kept nowhere."""

    id: str
    role: str
    name: str
    session: int | None
    expires: datetime
    revoked: bool


class _Live:
    """A session's certifier in this process; it folds in the events that it has not seen."""

    def __init__(self, store: SqliteStore, row: SessionRow, pool: Pool) -> None:
        self.pool = pool
        first = store.events(row.id)[0]
        self.design = Design.from_dict(first.body["design"])
        self.certifier = Certifier(self.pool, self.design)
        self.seen = 0
        self.lock = threading.Lock()

    def catch_up(self, store: SqliteStore, session: int) -> Certifier:
        """Call with `lock` held. Reads only, so it may run inside a claim's transaction."""
        for event in store.events(session, after=self.seen):
            fold(self.certifier, event)
            self.seen = event.seq
        return self.certifier


class Workspace:
    """One database and what people do in it.

    Parameters
    ----------
    db : path
        The SQLite file; made if there is none.
    clock : callable
        The present time, aware and in UTC.
    """

    def __init__(self, db: str | Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.store = SqliteStore(db)
        self._clock = clock
        self._live: dict[int, _Live] = {}
        self._pools: dict[int, Pool] = {}
        self._lock = threading.Lock()

    # --- who --------------------------------------------------------------------------------------------

    def local(self) -> Identity:
        """The user of this machine's command line, who can read the file anyway."""
        return Identity("local", "local", "admin", None)

    def sign_in(self, token: str) -> Identity | None:
        """Who an invite link's token belongs to; None where it is unknown, expired or revoked."""
        row = self.store.invite(_hashed(token), self._clock())
        return None if row is None else Identity(row.person, row.name, row.role, row.session, row.token_hash)

    def invite(self, who: Identity, role: str, session: int | None, name: str, days: float = 30) -> str:
        """Make an invite link's token, 256 random bits; it is returned once and stored as a hash.

        Raises
        ------
        NotAllowed
            Only leads and admins invite, and a lead of one session only to that one.
        ValueError
            No such role, or a rater's invitation without a session.
        """
        self._check(who, "lead", session)
        if role == "admin" and who.role != "admin":
            raise NotAllowed("only an admin may invite an admin")
        if role == "rater" and session is None:
            raise ValueError("a rater's invitation needs a session")
        token = secrets.token_urlsafe(32)
        now = self._clock()
        person = self.store.add_person(name.strip() or role, now)
        self.store.add_invite(_hashed(token), role, session, person, now + timedelta(days=days), now)
        return token

    def invites(self, who: Identity, session: int) -> list[InviteInfo]:
        """Every invitation to a session."""
        self._check(who, "lead", session)
        return [
            InviteInfo(row.token_hash, row.role, row.name, row.session, row.expires, row.revoked is not None)
            for row in self.store.invites(session)
        ]

    def revoke(self, who: Identity, session: int, invite: str) -> None:
        """End an invitation; its holder's next action is refused and what they hold goes back to the queue."""
        self._check(who, "lead", session)
        found = [row for row in self.store.invites(session) if row.token_hash == invite]
        if not found:
            raise ValueError("there is no such invitation to this session")
        now = self._clock()
        self.store.revoke_invite(invite, now)
        self.store.release_all(found[0].person, now)

    def sign_out(self, who: Identity) -> None:
        """Give back what a person holds."""
        if who.invite is not None:
            self.store.release_all(who.person, self._clock())

    def _check(self, who: Identity, role: str, session: int | None) -> None:
        allowed = {"rater": ("rater", "lead", "admin"), "lead": ("lead", "admin"), "admin": ("admin",)}[role]
        if who.invite is not None:
            row = self.store.invite(who.invite, self._clock())
            if row is None or (row.person, row.role, row.session) != (who.person, who.role, who.session):
                raise NotAllowed("your invitation has ended; ask the lead for a new link")
        if who.role not in allowed:
            raise NotAllowed(f"a {who.role} may not do this; it takes a {role}")
        if who.session is not None and who.session != session:
            raise NotAllowed("your invitation is for another session")

    # --- sessions ---------------------------------------------------------------------------------------

    def sessions(self, who: Identity) -> list[SessionInfo]:
        """The sessions that a person may see."""
        rows = self.store.sessions()
        visible = [row for row in rows if who.session in (None, row.id)]
        for row in visible[:1]:
            self._check(who, "rater", row.id)
        return [self._info(row) for row in visible]

    def session(self, who: Identity, session: int) -> SessionInfo:
        """One session."""
        self._check(who, "rater", session)
        return self._info(self.store.session(session))

    def _info(self, row: SessionRow) -> SessionInfo:
        with self._certifier(row.id) as certifier:
            return SessionInfo(
                id=row.id,
                name=row.name,
                items=certifier.pool.size,
                scale=certifier.pool.scale,
                design=certifier.design,
                guidelines=row.settings.get("guidelines", ""),
                status=certifier.status,
                ratings=certifier.ratings,
            )

    def create(
        self,
        who: Identity,
        name: str,
        loaded: Loaded,
        design: Design,
        guidelines: str = "",
        lease_seconds: int = 300,
    ) -> SessionInfo:
        """Store a pool and freeze a design on it.

        Raises
        ------
        ValueError
            The design does not fit the pool (see `Design.resolved`), or the name is taken.
        """
        self._check(who, "lead", None)
        pool = loaded.pool
        resolved = design.resolved(pool)
        now = self._clock()
        meta = {
            "scale": pool.scale.to_dict(),
            "judge_scale": pool.judge_scale.to_dict(),
            "features": list(pool.features),
            "groups": list(pool.groups),
        }
        pool_id = self.store.add_pool(pool.hash, name, meta, _item_rows(loaded), now)
        settings = {
            "guidelines": guidelines,
            "ratings_per_item": resolved.ratings_per_item,
            "unratable_after": resolved.unratable_after,
            "lease_seconds": lease_seconds,
        }
        body = design_body(name, pool, resolved)
        body["guidelines_hash"] = hashlib.sha256(guidelines.encode()).hexdigest()
        return self._info(self.store.session(self.store.add_session(name, pool_id, body, settings, now)))

    # --- raters -----------------------------------------------------------------------------------------

    def claim(self, who: Identity, session: int) -> Task | Idle:
        """The item that this rater should rate now."""
        self._check(who, "rater", session)
        live = self._loaded(session)
        with self._certifier(session) as certifier:
            stopped = certifier.stopped
        if stopped:
            self.store.release_all(who.person, self._clock())
            return Idle("stopped", 0, None, self._own_today(who, session))

        def next_draw() -> list[tuple[str, dict[str, Any]]]:
            with live.lock:
                certifier = live.catch_up(self.store, session)
                draw = None if certifier.stopped else certifier.propose()
                return [] if draw is None else draw_events(draw)

        claim = self.store.claim(session, who.person, self._clock(), next_draw)
        if isinstance(claim, Nothing):
            with self._certifier(session) as certifier:
                stopped = certifier.stopped
            reason = "stopped" if stopped else "held by others" if claim.held_by_others else "nothing left"
            return Idle(reason, claim.held_by_others, claim.next_free_at, self._own_today(who, session))
        item = self.store.item(self.store.session(session).pool, claim.position)
        return Task(
            lease=claim.lease,
            round=claim.round,
            # a pool without texts has nothing else to show
            prompt=item.prompt if item.prompt or item.response else item.item_id,
            response=item.response,
            scale=live.pool.scale,
            expires=claim.expires,
            own_today=self._own_today(who, session),
            draft=claim.draft,
        )

    def rate(
        self,
        who: Identity,
        session: int,
        lease: str,
        value: float,
        duration_ms: int,
        comment: str | None = None,
    ) -> Saved:
        """Store a rating; once this returns it is on the disk.

        Raises
        ------
        ValueError
            The value is not on the scale.
        StoreError
            The lease is unknown, or somebody else took the draw after it expired.
        """
        self._check(who, "rater", session)
        number = self._loaded(session).pool.scale.check(value, "the rating")
        return self.store.rate(lease, who.person, number, duration_ms, self._clock(), comment)

    def later(self, who: Identity, session: int, lease: str) -> None:
        """Put an item off: it is offered to others."""
        self._check(who, "rater", session)
        self.store.later(lease, who.person, self._clock())

    def unratable(self, who: Identity, session: int, lease: str, reason: str, text: str = "") -> None:
        """Report an item that can't be rated."""
        self._check(who, "rater", session)
        self.store.unratable(lease, who.person, reason, text, self._clock())

    def renew(self, who: Identity, session: int, lease: str) -> datetime:
        """Keep a lease while its rater is active; its new end."""
        self._check(who, "rater", session)
        return self.store.renew(lease, who.person, self._clock())

    def save_draft(self, who: Identity, session: int, lease: str, text: str) -> None:
        """Keep a half-written comment on the server."""
        self._check(who, "rater", session)
        self.store.save_draft(lease, who.person, text)

    def recent(self, who: Identity, session: int, limit: int = 10) -> list[OwnRating]:
        """A rater's own last ratings, newest first."""
        self._check(who, "rater", session)
        pool = self.store.session(session).pool
        found = []
        for row in self.store.recent(session, who.person, limit):
            item = self.store.item(pool, row.position)
            found.append(OwnRating(row.round, item.prompt, item.response, row.value, row.at))
        return found

    def correct(self, who: Identity, session: int, round: int, value: float) -> None:
        """Change one's own rating; the old one stays in the ledger.

        Raises
        ------
        ValueError
            The value is not on the scale.
        StoreError
            There is no such rating.
        """
        self._check(who, "rater", session)
        number = self._loaded(session).pool.scale.check(value, "the rating")
        self.store.correct(session, round, who.person, number, who.person, self._clock())

    def item_id(self, session: int, task: Task) -> str:
        """Which item a task is about, for the server's own use: an id may name the system that answered."""
        with self._certifier(session) as certifier:
            return certifier.item_id(task.round)

    def _own_today(self, who: Identity, session: int) -> int:
        return self.store.ratings_since(
            session, who.person, self._clock().replace(hour=0, minute=0, second=0)
        )

    # --- leads ------------------------------------------------------------------------------------------

    def monitor(self, who: Identity, session: int) -> Monitor:
        """The state of a session as it is now."""
        self._check(who, "lead", session)
        counts = self.store.counts(session, self._clock())
        raters = tuple(self.store.rater_stats(session))
        with self._certifier(session) as certifier:
            return Monitor(
                interval=certifier.interval,
                trajectory=_trajectory(certifier),
                design=certifier.design,
                scale=certifier.pool.scale,
                items=certifier.pool.size,
                draws=certifier.draws,
                counts=counts,
                raters=raters,
            )

    def go_on(self, who: Identity, session: int, width: float) -> None:
        """Aim at another width, a fraction of the scale's range; allowed at any time.

        Raises
        ------
        ValueError
            The width is not in (0, 1).
        """
        self._check(who, "lead", session)
        if not 0 < width < 1:
            raise ValueError(f"the width must lie between 0 and 1 (a fraction of the scale), got {width:g}")
        self.store.append(session, "width", {"width": width}, self._clock())

    def take_back(self, who: Identity, session: int, round: int) -> int:
        """End the leases on a draw, so that somebody else gets it; how many."""
        self._check(who, "lead", session)
        return self.store.take_back(session, round, self._clock())

    def export(self, who: Identity, session: int, path: str | Path) -> Path:
        """Write the certificate bundle."""
        self._check(who, "lead", session)
        live = self._loaded(session)
        with self._certifier(session) as certifier:
            # not one event more than the certifier has seen
            events = self.store.events(session)[: live.seen]
            return export_bundle(path, pool=live.pool, design=live.design, events=events, certifier=certifier)

    # --- the certifier of a session ---------------------------------------------------------------------

    def _loaded(self, session: int) -> _Live:
        with self._lock:
            if session not in self._live:
                row = self.store.session(session)
                if row.pool not in self._pools:
                    self._pools[row.pool] = _read_pool(self.store, row.pool)
                self._live[session] = _Live(self.store, row, self._pools[row.pool])
            return self._live[session]

    def _certifier(self, session: int) -> _Current:
        return _Current(self._loaded(session), self.store, session)


class _Current:
    """A session's certifier, up to date and locked for the length of a `with` block."""

    def __init__(self, live: _Live, store: SqliteStore, session: int) -> None:
        self._live, self._store, self._session = live, store, session

    def __enter__(self) -> Certifier:
        self._live.lock.acquire()
        try:
            return self._live.catch_up(self._store, self._session)
        except BaseException:
            self._live.lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._live.lock.release()


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _item_rows(loaded: Loaded) -> Iterator[ItemRow]:
    pool = loaded.pool
    for position, (item_id, (prompt, response)) in enumerate(zip(pool.item_ids, loaded.texts, strict=True)):
        features = {name: _number(column[position]) for name, column in pool.features.items()}
        groups = {name: values[position] for name, values in pool.groups.items()}
        extra = {"judge": float(pool.judge[position]), "features": features, "groups": groups}
        yield ItemRow(position, item_id, prompt, response, extra)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _read_pool(store: SqliteStore, pool_id: int) -> Pool:
    meta = store.pool(pool_id).meta
    ids: list[str] = []
    judge: list[float] = []
    features: dict[str, list[float]] = {name: [] for name in meta["features"]}
    groups: dict[str, list[str]] = {name: [] for name in meta["groups"]}
    for item in store.pool_items(pool_id):
        ids.append(item.item_id)
        judge.append(item.extra["judge"])
        for name, column in features.items():
            value = item.extra["features"][name]
            column.append(np.nan if value is None else value)
        for name, words in groups.items():
            words.append(item.extra["groups"][name])
    return Pool(
        ids, judge, Scale.from_dict(meta["scale"]), Scale.from_dict(meta["judge_scale"]), features, groups
    )


def _trajectory(certifier: Certifier) -> Trajectory:
    path = certifier.trajectory
    count = len(path["lower"])
    keep: list[int] = np.unique(
        np.linspace(0, max(count - 1, 0), min(count, _CHART_POINTS)).round().astype(int)
    ).tolist()
    scale, size = certifier.pool.scale, certifier.pool.size
    ends = [
        certifier.design.widen(float(path["lower"][t]), float(path["upper"][t]), size)
        if path["lower"][t] <= path["upper"][t]
        else (float(path["lower"][t]), float(path["upper"][t]))
        for t in keep
    ]
    return Trajectory(
        rounds=np.array([t + 1 for t in keep], dtype=np.float64),
        lower=np.array([scale.from_unit(low) for low, _ in ends]),
        upper=np.array([scale.from_unit(high) for _, high in ends]),
        estimate=np.array([scale.from_unit(float(path["estimate"][t])) for t in keep]),
    )
