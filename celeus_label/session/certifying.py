"""The certificate of a session, for the screen and for people without this program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from celeus_label.certificate import Claim, certificate_html, claim_of, claim_sentence, not_claimed
from celeus_label.certificate.deviations import deviations
from celeus_label.session.base import Base
from celeus_label.session.types import Identity


@dataclass(frozen=True)
class Certificate:
    """What a session claims at this moment.

    Attributes
    ----------
    claim : Claim
    sentence : str
    not_claimed : list of str
    deviations : list of (str, str)
        What and how much: corrections, items that could not be rated, rules changed after the freeze, …
    """

    claim: Claim
    sentence: str
    not_claimed: list[str]
    deviations: list[tuple[str, str]]


class Certifying(Base):
    """Reads only."""

    def certificate(self, who: Identity, session: int, quantity: str, items: str) -> Certificate:
        """The claim in numbers and words; `quantity` and `items` are the nouns of its sentence."""
        self._check(who, "lead", session)
        live = self._loaded(session)
        with self._certifier(session) as certifier:
            events = self.store.events(session)[: live.seen]
            claim = claim_of(certifier, events, live.aspects())
        return Certificate(
            claim=claim,
            sentence=claim_sentence(claim, quantity, items),
            not_claimed=not_claimed(claim),
            deviations=deviations(claim, events),
        )

    def certificate_page(self, who: Identity, session: int, quantity: str, items: str) -> str:
        """The certificate as one HTML page."""
        self._check(who, "lead", session)
        live = self._loaded(session)
        with self._certifier(session) as certifier:
            return certificate_html(certifier, self.store.events(session)[: live.seen], quantity, items)

    def learnt(self, who: Identity, session: int) -> dict[str, Any] | None:
        """What a session learnt of its judge, as the warm start of another; None where it learnt nothing."""
        self._check(who, "lead", session)
        with self._certifier(session) as certifier:
            fit = certifier.learnt
        return None if fit is None else {"fit": fit.to_dict(), "source": self.store.session(session).name}
