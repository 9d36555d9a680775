"""The certificate as one HTML page for people: no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from celeus_label.certificate.claim import Claim, claim_of, frozen_design
from celeus_label.certificate.deviations import deviations
from celeus_label.certificate.figure import figure
from celeus_label.certificate.tables import trajectory_table
from celeus_label.certificate.words import (
    aspect_sentences,
    claim_sentence,
    ends,
    estimate_text,
    heading,
    not_claimed,
)
from celeus_label.certify import Certifier
from celeus_label.ledger import Event

_STYLE = """
body { font: 15px/1.5 sans-serif; color: #111; background: #fff }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem } .claim { font-size: 1.15rem }
.warn { border-left: 4px solid #b3261e; padding-left: .8rem }
table { border-collapse: collapse; width: 100% } td { padding: .15rem 0; vertical-align: top }
td:first-child { width: 14rem; color: #555 } td { overflow-wrap: anywhere } svg { width: 100%; height: auto }
@media print { body { margin: 0 } }
"""


def certificate_html(
    certifier: Certifier, events: Sequence[Event], quantity: str = "rating", items: str = "answers"
) -> str:
    """Write the certificate of a session as one page.

    Parameters
    ----------
    certifier : Certifier
        The fold of `events`.
    events : sequence of Event
        The whole ledger.
    quantity, items : str
        As for `claim_sentence`.

    Returns
    -------
    str
        A whole HTML document. It is for reading; only the bundle can be verified.
    """
    claim = claim_of(certifier, events)
    title = f"{heading(claim)}: {claim.session}"
    warn = "" if claim.certified else " warn"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p class="claim{warn}">{escape(claim_sentence(claim, quantity, items))}</p>
{_figure(certifier, claim)}
{_aspects(claim)}
<h2>What this does not say</h2>
<ul>{"".join(f"<li>{escape(sentence)}</li>" for sentence in not_claimed(claim))}</ul>
<h2>Numbers</h2>
{_table(_numbers(claim))}
<h2>Deviations</h2>
{_table(deviations(claim, events))}
<h2>Design, frozen before the first draw</h2>
{_table((name, value) for name, value in frozen_design(events).to_dict().items() if value is not None)}
<h2>Verify</h2>
<p>This page is for reading and proves nothing. With the bundle of the session,
<code>celeus-label verify bundle.zip</code> computes all of it again;
compare the hash of its ledger with the one above.</p>
</body>
</html>
"""


def _aspects(claim: Claim) -> str:
    sentences = aspect_sentences(claim)
    return "".join(
        ["<h2>Further aspects</h2>" if sentences else "", *(f"<p>{escape(one)}</p>" for one in sentences)]
    )


def _figure(certifier: Certifier, claim: Claim) -> str:
    rows = [[float(cell or 0.0) for cell in row[1:4]] for row in trajectory_table(certifier).rows]
    if not rows:
        return "<p>No item is rated yet.</p>"
    lower, upper, estimate = zip(*rows, strict=True)
    return figure(lower, upper, estimate, claim.scale, claim.eps * claim.scale.range)


def _numbers(claim: Claim) -> Iterable[tuple[str, object]]:
    points = claim.scale.range
    yield "Status", claim.status
    yield "Stopping rules that hold", claim.stopping_rule
    if claim.lower is not None and claim.upper is not None and claim.width is not None:
        low, high = ends(claim.lower, claim.upper, claim.scale)
        yield "Interval", f"{low} to {high}"
        yield "Estimate", estimate_text(claim)
        yield "Width", f"{claim.width:.4g} points, {100 * claim.width / points:.3g} % of the scale"
    yield "Target width", f"{claim.eps * points:.4g} points, {100 * claim.eps:.3g} % of the scale"
    if claim.eps != claim.eps_design:
        yield "Target width at the start", f"{100 * claim.eps_design:.3g} % of the scale"
    yield "Target", claim.target
    yield "Items in the pool", f"{claim.items:,}"
    yield "Items drawn", f"{claim.draws:,}, of which {claim.committed:,} are in the interval"
    yield "Ratings", f"{claim.ratings:,} by {claim.raters:,} {'rater' if claim.raters == 1 else 'raters'}"
    if claim.task == "pairwise":
        yield "Verdicts for neither", f"{claim.ties:,} ties, {claim.both_bad:,} both bad"
    yield (
        "Error allowed",
        f"{claim.alpha:g} (pool {claim.alpha1:.4g}, step to the population {claim.alpha2:.4g})",
    )
    yield "First and last rating", f"{claim.first_rating or 'none'} and {claim.last_rating or 'none'}"
    yield "Pool", claim.pool_hash
    yield "Ledger", f"{claim.ledger_rows:,} rows, ending with {claim.ledger_hash}"
    yield "Made with", f"celeus-label {claim.package_version}"


def _table(rows: Iterable[tuple[str, object]]) -> str:
    cells = (f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table>{''.join(cells)}</table>"
