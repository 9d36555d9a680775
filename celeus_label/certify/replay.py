"""The state of a session is a fold over its ledger: the app, a restart and a verifier all run this."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from celeus_label.certify import pairs
from celeus_label.certify.certifier import Certifier
from celeus_label.certify.design import Design
from celeus_label.certify.pool import Pool
from celeus_label.certify.rounds import Draw
from celeus_label.certify.surrogates import Fit
from celeus_label.ledger import Event


def replay(pool: Pool, design: Design, events: Iterable[Event]) -> Certifier:
    """Rebuild a session's certifier from its ledger.

    Parameters
    ----------
    pool : Pool
    design : Design
        As frozen; a `width` event changes its width from there on.
    events : iterable of Event
        In the order of the ledger, from the first on.

    Raises
    ------
    ValueError
        An event breaks a rule (another pool, a draw that the rule does not make, a rating off the scale, …);
        its row in the ledger is named.
    """
    certifier = Certifier(pool, design)
    for event in events:
        fold(certifier, event)
    return certifier


def fold(certifier: Certifier, event: Event) -> None:
    """Apply one event to a certifier.

    Raises
    ------
    ValueError
        As for `replay`.
    """
    try:
        _apply(certifier, event.kind, event.body)
    except (ValueError, KeyError, TypeError) as fault:
        told = f"the field {fault} is missing" if isinstance(fault, KeyError) else str(fault)
        raise ValueError(f"ledger row {event.seq} ({event.kind}): {told}") from fault


def draw_events(draw: Draw) -> list[tuple[str, dict[str, Any]]]:
    """The events of a draw, kind and content: its fit where it is the first to use one, and the draw."""
    body = {
        "round": draw.round,
        "item": draw.item_id,
        "position": draw.position,
        "q": draw.q,
        "u": draw.u,
        "committed": draw.committed,
        "fits": draw.fits,
    }
    return [*([] if draw.fit is None else [("fit", draw.fit.to_dict())]), ("draw", body)]


def design_body(name: str, pool: Pool, design: Design) -> dict[str, Any]:
    """The content of a session's first event."""
    return {
        "name": name,
        "pool_hash": pool.hash,
        "items": pool.size,
        "scale": pool.scale.to_dict(),
        "design": design.to_dict(),
    }


def _apply(certifier: Certifier, kind: str, body: dict[str, Any]) -> None:
    if kind == "design":
        if body["pool_hash"] != certifier.pool.hash:
            raise ValueError(
                f"the session is on a pool with the hash {body['pool_hash']}, not on this one ({certifier.pool.hash})"
            )
    elif kind == "fit":
        certifier.adopt(Fit.from_dict(body))
    elif kind == "draw":
        certifier.add(
            Draw(
                body["round"],
                body["item"],
                body["position"],
                body["q"],
                body["u"],
                body["committed"],
                body["fits"],
            )
        )
    elif kind == "rating":
        aspects = _answer(certifier, body, body["value"])
        certifier.tell(body["round"], body["value"], body["rater"], aspects)
    elif kind == "unratable":
        certifier.cannot_rate(body["round"], body["rater"])
    elif kind == "correction":
        aspects = _answer(certifier, body, body["new"])
        certifier.correct(body["round"], body["new"], body["rater"], aspects)
    elif kind == "further":
        certifier.announce_further(body["round"], body["wanted"])
    elif kind == "adjudication":
        _check_old(certifier.adjudicated(body["round"]), body["old"], body["round"])
        certifier.adjudicate(body["round"], body["new"])
    elif kind == "width":
        certifier.go_on(body["width"])
    elif kind == "stopping":
        certifier.stop_at(body["above"], body["below"], body["budget"])
    elif kind not in ("later", "control", "archive"):
        raise ValueError("no such kind of event is known; was the ledger made by a later version?")


def _answer(certifier: Certifier, body: dict[str, Any], value: float) -> Any:
    """The values of the further aspects, where there are any; the answer on a pair is checked against its value."""
    design = certifier.design
    if design.task == "pairwise":
        pairs.check(design.seed, certifier.item_id(body["round"]), body.get("answer"), value)
    if not design.aspects:
        return None
    answer = body.get("answer")
    return answer.get("aspects") if isinstance(answer, dict) else None


def _check_old(is_: float | None, said: float | None, round_: int) -> None:
    if said != is_:
        raise ValueError(f"draw {round_}: its old value is {said!r}, but what was decided before is {is_!r}")
