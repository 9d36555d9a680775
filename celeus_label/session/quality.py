"""How raters do: agreement, gold and repeated items, and the items on which they differ. For leads alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from celeus_label.certify.agreement import Agreement, agreement
from celeus_label.session.base import Base
from celeus_label.session.types import Identity
from celeus_label.store import ControlRow, Dispute


@dataclass(frozen=True)
class Score:
    """A rater's ratings of gold items, or of own items again, against what was expected of them.

    Attributes
    ----------
    items : int
        How many, at least 1.
    same : float
        Share of them with exactly the value expected, in [0, 1].
    off : float
        Mean distance from the value expected, on the raters' scale.
    bias : float
        Mean of rating less value expected: positive for a rater who gives more.
    """

    items: int
    same: float
    off: float
    bias: float


@dataclass(frozen=True)
class RaterReport:
    """One rater's work in a session, for leads.

    Attributes
    ----------
    rater, name : str
        Opaque id and name.
    ratings, put_off, unratable : int
        Of the pool's items, as they stand.
    median_ms : float or None
        Median time for an item.
    last_at : datetime or None
    gold : Score or None
        Against the known answers; None where there was no gold item.
    repeats : Score or None
        Against the rater's own first ratings; None where no item came again.
    agreement : Agreement or None
        With the other raters of the same items; None without a rating.
    """

    rater: str
    name: str
    ratings: int
    put_off: int
    unratable: int
    median_ms: float | None
    last_at: datetime | None
    gold: Score | None
    repeats: Score | None
    agreement: Agreement | None


@dataclass(frozen=True)
class ControlRules:
    """What tests the raters, as it was frozen: how many gold items, and shares of what a rater gets."""

    gold: int
    gold_rate: float
    repeat_rate: float


class Quality(Base):
    """Reads, and the one decision that is a lead's: the value of an item on which raters differ."""

    def agreement(self, who: Identity, session: int) -> Agreement:
        """Agreement of all raters, from the ratings as they stand; gold and repeated items have no part in it."""
        self._check(who, "lead", session)
        return agreement((row.round, row.rater, row.value) for row in self.store.ratings(session))[0]

    def rater_reports(self, who: Identity, session: int) -> list[RaterReport]:
        """Everybody who ever held an item of the session, by name."""
        self._check(who, "lead", session)
        _, agreements = agreement((row.round, row.rater, row.value) for row in self.store.ratings(session))
        controls = self.store.controls(session)
        reports = []
        for row in self.store.rater_stats(session):
            own = [control for control in controls if control.rater == row.rater]
            reports.append(
                RaterReport(
                    rater=row.rater,
                    name=row.name,
                    ratings=row.ratings,
                    put_off=row.put_off,
                    unratable=row.unratable,
                    median_ms=row.median_ms,
                    last_at=row.last_at,
                    gold=_score([control for control in own if control.of == "gold"]),
                    repeats=_score([control for control in own if control.of == "repeat"]),
                    agreement=agreements.get(row.rater),
                )
            )
        return reports

    def control_rules(self, who: Identity, session: int) -> ControlRules | None:
        """What tests the raters of a session; None where nothing does."""
        self._check(who, "lead", session)
        frozen = self.store.events(session)[0].body.get("controls")
        return (
            None
            if frozen is None
            else ControlRules(frozen["gold"], frozen["gold_rate"], frozen["repeat_rate"])
        )

    def controls(self, who: Identity, session: int) -> list[ControlRow]:
        """Every rating of a gold or repeated item beside the value expected, in the order of the ledger."""
        self._check(who, "lead", session)
        return self.store.controls(session)

    def disputes(self, who: Identity, session: int) -> list[Dispute]:
        """The items whose first ratings differ by more than the design allows, oldest first; decided ones too."""
        self._check(who, "lead", session)
        return self.store.disputes(session)

    def adjudicate(self, who: Identity, session: int, round: int, value: float) -> None:
        """Decide the value of an item on which raters differ; the ratings stay, and the certificate counts it.

        It may be decided before the further rating has come or after it, and again. The interval holds for the mean of
        the values as they are decided: decide by the guidelines, not by what it does to the interval.

        Raises
        ------
        ValueError
            The value is not on the scale.
        StoreError
            There is no such draw, or its ratings don't differ by more than the design allows.
        """
        self._check(who, "lead", session)
        number = self._loaded(session).pool.scale.check(value, "the value decided")
        self.store.adjudicate(session, round, number, who.person, self._clock())


def _score(rows: Sequence[ControlRow]) -> Score | None:
    if not rows:
        return None
    gaps = [row.value - row.expected for row in rows]
    count = len(gaps)
    return Score(
        items=count,
        same=sum(abs(gap) < 1e-9 for gap in gaps) / count,
        off=math.fsum(map(abs, gaps)) / count,
        bias=math.fsum(gaps) / count,
    )
