"""What raters do: take an item, rate it, put it off, report it, correct it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from celeus_label.certify import draw_events
from celeus_label.session.answers import Said, in_order, read_score, responses
from celeus_label.session.base import Base
from celeus_label.session.types import Identity, Idle, OwnRating, Task
from celeus_label.store import Nothing, OwnWork, Saved


class Rating(Base):
    """The life of a rating; each action checks the rater's invitation anew."""

    def claim(self, who: Identity, session: int) -> Task | Idle:
        """The item that this rater should rate now."""
        self._check(who, "rater", session)
        live = self._loaded(session)
        with self._certifier(session):
            stopped = live.stopped
        if stopped:
            self.store.release_all(who.person, self._clock(), session)
            return Idle(live.ended, 0, None, self._own_today(who, session))

        def next_draw() -> list[tuple[str, dict[str, Any]]]:
            with live.lock:
                certifier = live.catch_up(self.store, session)
                budget = certifier.design.budget
                # those who wait for a draw that somebody holds don't spend more than the budget meanwhile
                spent = budget is not None and certifier.draws >= budget
                draw = None if live.stopped or spent else certifier.propose()
                return [] if draw is None else draw_events(draw)

        claim = self.store.claim(session, who.person, self._clock(), next_draw)
        if isinstance(claim, Nothing):
            with self._certifier(session):
                stopped = live.stopped
            reason = live.ended if stopped else "held by others" if claim.held_by_others else "nothing left"
            return Idle(reason, claim.held_by_others, claim.next_free_at, self._own_today(who, session))
        item = self.store.shown(session, claim.round)
        response, right = responses(live.design, item)
        return Task(
            lease=claim.lease,
            round=claim.round,
            # a pool without texts has nothing else to show
            prompt=item.prompt if item.prompt or item.response or right else item.item_id,
            response=response,
            right=right,
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
        value: Said,
        duration_ms: int,
        comment: str | None = None,
        flag: bool = False,
        aspects: Mapping[str, float] | None = None,
    ) -> Saved:
        """Store a rating; once this returns it is on the disk.

        Parameters
        ----------
        value
            On the raters' scale; of a pair, one of `certify.pairs.VERDICTS` on it as it was shown.
        aspects
            The value of each further aspect by its name, where the design has any.

        Raises
        ------
        ValueError
            The value is not on the scale, or no verdict.
        StoreError
            The lease is unknown, or somebody else took the draw after it expired.
        """
        self._check(who, "rater", session)
        live = self._loaded(session)
        number, answer = read_score(live, who, value, aspects, lambda: self.store.leased(lease))
        saved = self.store.rate(lease, who.person, number, duration_ms, self._clock(), comment, flag, answer)
        return replace(saved, answer=in_order(live.design, saved.answer) or None)

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

    def own_work(self, who: Identity, session: int) -> OwnWork:
        """A rater's own numbers: today's ratings (by UTC), all of them, and their pace."""
        self._check(who, "rater", session)
        midnight = self._clock().replace(hour=0, minute=0, second=0, microsecond=0)
        return self.store.own_work(session, who.person, midnight)

    def recent(self, who: Identity, session: int, limit: int = 10) -> list[OwnRating]:
        """A rater's own last ratings, newest first."""
        self._check(who, "rater", session)
        design = self._loaded(session).design
        found = []
        for row in self.store.recent(session, who.person, limit):
            item = self.store.shown(session, row.round)
            response, right = responses(design, item)
            said = in_order(design, row.answer)
            verdict, aspects = said.get("verdict"), said.get("aspects")
            found.append(
                OwnRating(row.round, item.prompt, response, right, row.value, verdict, aspects, row.at)
            )
        return found

    def correct(
        self,
        who: Identity,
        session: int,
        round: int,
        value: Said,
        rater: str | None = None,
        aspects: Mapping[str, float] | None = None,
    ) -> None:
        """Change a rating, also after the session has stopped; the old one stays in the ledger.

        Everybody may change their own; `rater` (opaque id) names another's, which takes a lead.
        `value` and `aspects` are as for `rate`; without `aspects` those stay as they are.

        Raises
        ------
        ValueError
            The value is not on the scale.
        StoreError
            There is no such rating.
        """
        own = rater in (None, who.person)
        self._check(who, "rater" if own else "lead", session)
        live = self._loaded(session)
        whose = rater or who.person
        if aspects is None and live.design.aspects:
            aspects = self._aspects(session, round, whose)
        number, answer = read_score(live, who, value, aspects, lambda: self.store.shown(session, round))
        self.store.correct(session, round, whose, number, who.person, self._clock(), answer)

    def _aspects(self, session: int, round: int, rater: str) -> Mapping[str, float] | None:
        for row in self.store.ratings(session):
            if (row.round, row.rater) == (round, rater) and row.answer is not None:
                return dict(row.answer["aspects"])
        return None

    def item_id(self, session: int, task: Task) -> str:
        """Which item a task is about, for the server's own use: an id may name the system that answered."""
        return self.store.shown(session, task.round).item_id

    def _own_today(self, who: Identity, session: int) -> int:
        return self.store.ratings_since(
            session, who.person, self._clock().replace(hour=0, minute=0, second=0)
        )
