"""What went otherwise than in a session without incidents: corrections, rules changed later, missing judge's scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celeus_label.certificate.claim import Claim
from celeus_label.ledger import Event


def deviations(claim: Claim, events: Sequence[Event]) -> list[tuple[str, str]]:
    """What, and how much of it or what instead; the counts first, also where nothing happened.

    Parameters
    ----------
    claim : Claim
    events : sequence of Event
        The whole ledger.
    """
    frozen = events[0].body
    rows = [
        ("Ratings corrected", f"{claim.corrections:,}"),
        (
            "Items on which raters differed",
            f"{claim.disputed:,}, of which the lead decided {claim.decided:,}",
        ),
        ("Changes after a stopping rule had fired", f"{claim.late_changes:,}"),
        (
            "Items that could not be rated",
            f"{claim.unratable:,}, counted by the rule “{claim.unratable_rule}”",
        ),
    ]
    missing = frozen.get("judge_stand_in")
    told = (
        "0"
        if missing is None
        else f"{missing['items']:,}; the mean of the others, {missing['value']:g}, stands in"
    )
    rows.append(("Judge's scores that were missing", told))
    controls = frozen.get("controls")
    if controls is not None:
        rows.append(
            (
                "Gold items and repeated ones",
                f"{controls['gold']:,} gold items at a rate of {controls['gold_rate']:.0%}, repeats at "
                f"{controls['repeat_rate']:.0%}; none of their ratings is in the interval",
            )
        )
    return [*rows, *_changes(events)]


def _changes(events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """Other widths and stopping rules than those that were frozen, and when the session was archived."""
    for event in events:
        when = f"Changed {event.at[:19].replace('T', ' ')} UTC"
        if event.kind == "width":
            yield when, f"width {event.body['width']:g} of the scale"
        elif event.kind == "stopping":
            rules = ", ".join(
                f"{name} {event.body[name]:g}"
                for name in ("above", "below", "budget")
                if event.body[name] is not None
            )
            yield when, f"stop at: {rules or 'the width alone'}"
