"""A claim in words: one sentence, and what it does not say."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from celeus_label.certificate.claim import Claim
from celeus_label.certify import Scale


def heading(claim: Claim) -> str:
    """What the document is, in a few words."""
    if claim.status == "contradicted":
        return "Contradicted — not a certificate"
    return "Certificate" if claim.certified else "Open — not a certificate yet"


def claim_sentence(claim: Claim, quantity: str = "rating", items: str = "answers") -> str:
    """The claim in one sentence; a session that is open or contradicted says so first.

    Parameters
    ----------
    claim : Claim
    quantity : str
        What is rated: "rating", "helpfulness", …; of pairs it is the win rate.
    items : str
        What the items are, in the plural.

    Returns
    -------
    str
        The ends of the interval are rounded outwards.
    """
    if quantity == "rating" and claim.main_aspect is not None:
        quantity = claim.main_aspect
    mean = mean_of(claim.task, quantity)
    if claim.lower is None or claim.upper is None:
        return (
            f"{heading(claim)}: no {mean} agrees with the {claim.ratings:,} ratings of this session "
            f"under its design, so nothing is claimed."
        )
    pool = f"pool of {claim.items:,} {items if claim.task == 'single' else f'pairs of {items}'}"
    of = f"this {pool}" if claim.target == "pool" else f"the population that this {pool} was sampled from"
    low, high = ends(claim.lower, claim.upper, claim.scale)
    how = (
        f"rated {_scale(claim.scale)}"
        if claim.task == "single"
        else "where a verdict for neither counts as half a win"
    )
    sure = f"{100 * (1 - claim.alpha):.6g} %"
    sentence = (
        f"he {mean} {'of' if claim.task == 'single' else 'in'} {of}, {how}, is between {low} and {high}, with {sure} "
        f"confidence at any stopping time"
    )
    if claim.status == "open":
        return f"{heading(claim)}: no stopping rule has fired. So far, t{sentence}."
    return f"T{sentence}."


def aspect_sentences(claim: Claim) -> list[str]:
    """What is claimed of each further aspect, a sentence each, and how far all of them hold together."""
    if not claim.aspects:
        return []
    sentences = []
    for one in claim.aspects:
        if one.contradicted:
            sentences.append(f"No mean {one.name} agrees with its ratings, so nothing is claimed of it.")
            continue
        low, high = ends(one.lower, one.upper, one.scale)
        sentences.append(
            f"The mean {one.name}, rated {_scale(one.scale)}, is between {low} and {high}, with "
            f"{100 * (1 - one.alpha):.6g} % confidence at any stopping time."
        )
    count, total = len(claim.aspects), sum(one.alpha for one in claim.aspects)
    together = f"the {count} further aspects together" if count > 1 else "it"
    sentences.append(
        f"{'These are' if count > 1 else 'This is'} from the same draws, which follow {claim.main_aspect} alone. Of "
        f"all such sessions at most a share of {total:.6g} ever misses the mean of {together}, and at most "
        f"{total + claim.alpha:.6g} that or the mean of {claim.main_aspect}."
    )
    return sentences


def mean_of(task: str, quantity: str = "rating") -> str:
    """What the interval is about.

    >>> mean_of("single", "helpfulness"), mean_of("pairwise")
    ('mean helpfulness', 'win rate of A over B')
    """
    return f"mean {quantity}" if task == "single" else "win rate of A over B"


def ends(lower: float, upper: float, scale: Scale) -> tuple[str, str]:
    """An interval as texts, rounded outwards, to about a tenth of its width.

    >>> ends(2.4567, 2.6501, Scale(1, 5))
    ('2.45', '2.66')
    """
    places = _places(upper - lower, scale)
    return _rounded(lower, places, ROUND_FLOOR), _rounded(upper, places, ROUND_CEILING)


def estimate_text(claim: Claim) -> str:
    """The estimate, to the places of the interval's ends; "none" where there is no interval."""
    if claim.estimate is None or claim.width is None:
        return "none"
    return _rounded(claim.estimate, _places(claim.width, claim.scale), ROUND_HALF_EVEN)


def not_claimed(claim: Claim) -> list[str]:
    """What a reader might take from the claim although it is not in it, a sentence each."""
    if claim.status == "contradicted":
        return [
            "Contradictory ratings happen by chance with a probability of at most "
            f"{claim.alpha:.6g}; look for a fault in the data, the scale or the design before you start anew."
        ]
    if claim.target == "pool":
        about = (
            f"It is about these {claim.items:,} items alone. How well they stand for other items is for "
            f"whoever chose them to argue; no number of ratings can show it."
        )
    else:
        about = (
            "The step from the pool to the population holds if the items are an independent random sample of "
            "that population. For a pool that was chosen in another way only the narrower interval for the "
            "pool (the last columns of trajectory.csv) holds."
        )
    sentences = [
        about,
        "It is about the ratings that these raters gave under the guidelines of this session. Other raters "
        "or other guidelines may have another mean.",
        "It is about the mean. It says nothing about a single item, nor about any part of the pool.",
        f"It may be wrong: of all sessions with this confidence, at most a share of {claim.alpha:.6g} ever "
        f"report an interval without the true mean in it.",
    ]
    if claim.ties or claim.both_bad:
        sentences.append(
            f"A win rate above one half does not say that A is good: {claim.ties:,} verdicts are ties and "
            f"{claim.both_bad:,} call both responses bad, each counted as half a win."
        )
    if claim.unratable:
        values = {
            "bound": "so that the interval holds whatever their ratings would have been",
            "worst": f"as if they were rated {claim.scale.lower:g}",
            "best": f"as if they were rated {claim.scale.upper:g}",
        }
        sentences.append(
            f"Drawn items that could not be rated: {claim.unratable:,}. They count "
            f'{values[claim.unratable_rule]} (the rule "{claim.unratable_rule}" of the design).'
        )
    if claim.decided:
        sentences.append(
            f"Items on which the raters differed and whose value the lead decided: {claim.decided:,}. The mean is that "
            f"of the values as decided."
        )
    if claim.late_changes:
        sentences.append(
            f"Ratings corrected, or values decided, after a stopping rule had fired: {claim.late_changes:,}. Whoever "
            f"made these changes could see the interval; the ledger says who, when, and what it was before."
        )
    return sentences


def _scale(scale: Scale) -> str:
    if len(scale.labels) < 2:
        return f"{scale.lower:g} to {scale.upper:g}"
    return f"{scale.lower:g} ({scale.labels[0]}) to {scale.upper:g} ({scale.labels[-1]})"


def _places(width: float, scale: Scale) -> int:
    """Decimal places: two digits of the width, but at most one part in 10,000 of the scale."""
    finest = 4 - math.floor(math.log10(scale.range))
    wanted = finest if width <= 0.0 else 1 - math.floor(math.log10(width))
    return max(0, min(wanted, finest))


def _rounded(value: float, places: int, way: str) -> str:
    # Decimal(value) is the float itself, so nothing is lost before the rounding; + 0 makes -0 a 0
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), way) + 0:f}"
