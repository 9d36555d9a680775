"""What was corrected in a session, and what could be: for leads, who may change any rating."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from celeus_label.session.answers import in_order
from celeus_label.session.base import Base
from celeus_label.session.types import Identity
from celeus_label.store import ItemRow


@dataclass(frozen=True)
class Given:
    """One rating of the pool's items as it stands; `rater` is the opaque id."""

    round: int
    rater: str
    name: str
    value: float


@dataclass(frozen=True)
class Correction:
    """A rating that was changed: whose, what it was, what it is since, who changed it and when.

    Of a rubric `old_aspects` and `new_aspects` are the values of the further aspects; None where it has none.
    """

    round: int
    name: str
    old: float
    new: float
    by: str
    at: datetime
    old_aspects: dict[str, float] | None
    new_aspects: dict[str, float] | None


class Correcting(Base):
    """Reads only; the change itself is `Rating.correct`."""

    def given(self, who: Identity, session: int) -> list[Given]:
        """Every rating as it stands, newest first; no gold or repeated item."""
        self._check(who, "lead", session)
        names = self._names()
        rows = self.store.ratings(session)
        return [
            Given(row.round, row.rater, names.get(row.rater, row.rater), row.value) for row in reversed(rows)
        ]

    def item_of(self, who: Identity, session: int, round: int) -> ItemRow:
        """The item of a draw, with all that is stored of it."""
        self._check(who, "lead", session)
        return self.store.shown(session, round)

    def corrections(self, who: Identity, session: int) -> list[Correction]:
        """Every correction of such a rating, newest first, from the ledger."""
        self._check(who, "lead", session)
        names, design = self._names(), self._loaded(session).design
        said: dict[tuple[int, str], dict[str, float] | None] = {}  # the further aspects as they stood
        found = []
        for event in self.store.events(session):
            if event.kind not in ("rating", "correction"):
                continue
            body = event.body
            key = body["round"], body["rater"]
            before, said[key] = said.get(key), in_order(design, body.get("answer")).get("aspects")
            if event.kind == "correction":
                name, by = (names.get(one, one) for one in (body["rater"], body["by"]))
                at = datetime.fromisoformat(event.at)
                found.append(Correction(key[0], name, body["old"], body["new"], by, at, before, said[key]))
        return found[::-1]

    def _names(self) -> dict[str, str]:
        return {person.id: person.name for person in self.store.people()}
