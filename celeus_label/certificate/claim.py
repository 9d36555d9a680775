"""What a session's certificate claims, as numbers."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import dataclass

from celeus_label.certificate.cells import Cell
from celeus_label.certificate.history import read_history
from celeus_label.certify import Certifier, Design, Scale
from celeus_label.certify.aspects import AspectInterval, aspect_intervals
from celeus_label.ledger import Event


@dataclass(frozen=True)
class Claim:
    """The certificate of a session at one moment.

    Attributes
    ----------
    session : str
        Its name.
    status : str
        "open", "target met", "budget spent", "exhausted" or "contradicted".
    stopping_rule : str
        Every rule of the design that holds, or "none".
    task : str
        "single", or "pairwise": the mean is the win rate of A over B.
    main_aspect : str or None
        What is rated, where there are further aspects.
    target : str
        "pool" or "population".
    items : int
        N.
    pool_hash : str
    scale : Scale
        Of the raters.
    alpha, alpha1, alpha2 : float
        Miscoverage over the whole session; its parts for the pool interval and the step to the population.
    eps_design, eps : float
        Target width as frozen, and as it is in force: fractions of the scale's range.
    preset, unratable_rule : str
    estimate_unit, lower_unit, upper_unit : float or None
        On [0, 1]; None where the session is contradicted, which certifies nothing.
    draws, committed : int
        Draws made, and those of them whose values are in the interval.
    ratings, raters : int
        Ratings as they stand, and the people who gave them.
    ties, both_bad : int
        Ratings of pairs that prefer neither response.
    unratable, corrections : int
        Draws closed because nobody could rate them; ratings changed.
    disputed, decided : int
        Draws that were asked for a further rating because the first ones differ; draws whose value a lead decided.
    late_changes : int
        Ratings changed and values decided after a stopping rule had fired.
    first_rating, last_rating : str or None
        Times, UTC, ISO 8601.
    package_version : str
    ledger_rows : int
    ledger_hash : str
        The hash of the last row, which stands for the whole ledger.
    aspects : tuple of AspectInterval
        The further aspects, each with an interval of its own alpha.
    """

    session: str
    status: str
    stopping_rule: str
    task: str
    main_aspect: str | None
    target: str
    items: int
    pool_hash: str
    scale: Scale
    alpha: float
    alpha1: float
    alpha2: float
    eps_design: float
    eps: float
    preset: str
    unratable_rule: str
    estimate_unit: float | None
    lower_unit: float | None
    upper_unit: float | None
    draws: int
    committed: int
    ratings: int
    raters: int
    ties: int
    both_bad: int
    unratable: int
    corrections: int
    disputed: int
    decided: int
    late_changes: int
    first_rating: str | None
    last_rating: str | None
    package_version: str
    ledger_rows: int
    ledger_hash: str
    aspects: tuple[AspectInterval, ...] = ()

    @property
    def estimate(self) -> float | None:
        """On the raters' scale."""
        return None if self.estimate_unit is None else self.scale.from_unit(self.estimate_unit)

    @property
    def lower(self) -> float | None:
        """On the raters' scale."""
        return None if self.lower_unit is None else self.scale.from_unit(self.lower_unit)

    @property
    def upper(self) -> float | None:
        """On the raters' scale."""
        return None if self.upper_unit is None else self.scale.from_unit(self.upper_unit)

    @property
    def width_unit(self) -> float | None:
        """As a fraction of the scale's range."""
        return (
            None if self.lower_unit is None or self.upper_unit is None else self.upper_unit - self.lower_unit
        )

    @property
    def width(self) -> float | None:
        """On the raters' scale."""
        return None if self.width_unit is None else self.width_unit * self.scale.range

    @property
    def certified(self) -> bool:
        """Whether a stopping rule fired and the interval stands."""
        return self.status not in ("open", "contradicted")

    def fields(self) -> dict[str, Cell]:
        """The fields of certificate.csv, without the hashes of the files."""
        return {
            "session": self.session,
            "status": self.status,
            "stopping_rule": self.stopping_rule,
            "task": self.task,
            "main_aspect": self.main_aspect,
            "target": self.target,
            "items": self.items,
            "pool_hash": self.pool_hash,
            "scale_lower": self.scale.lower,
            "scale_upper": self.scale.upper,
            "scale_step": self.scale.step,
            "alpha": self.alpha,
            "alpha1": self.alpha1,
            "alpha2": self.alpha2,
            "eps_design": self.eps_design,
            "eps": self.eps,
            "preset": self.preset,
            "unratable_rule": self.unratable_rule,
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
            "width": self.width,
            "estimate_unit": self.estimate_unit,
            "lower_unit": self.lower_unit,
            "upper_unit": self.upper_unit,
            "width_unit": self.width_unit,
            "draws": self.draws,
            "committed": self.committed,
            "ratings": self.ratings,
            "raters": self.raters,
            "ties": self.ties,
            "both_bad": self.both_bad,
            "unratable": self.unratable,
            "corrections": self.corrections,
            "disputed": self.disputed,
            "decided": self.decided,
            "late_changes": self.late_changes,
            "first_rating": self.first_rating,
            "last_rating": self.last_rating,
            "package_version": self.package_version,
            "ledger_rows": self.ledger_rows,
            "ledger_hash": self.ledger_hash,
        }


def claim_of(
    certifier: Certifier, events: Sequence[Event], aspects: Sequence[AspectInterval] | None = None
) -> Claim:
    """State what a session claims.

    Parameters
    ----------
    certifier : Certifier
        The fold of `events`.
    events : sequence of Event
        The whole ledger.
    aspects : sequence of AspectInterval, optional
        Those of `certifier` at this moment; computed where it is None.

    Raises
    ------
    ValueError
        The ledger is empty, does not begin with a design, or has a row that makes no sense; the row is named.
    """
    frozen = frozen_design(events)
    history = read_history(events)
    ratings = sorted(history.ratings.values(), key=lambda rating: rating.ledger_row)
    design, status = certifier.design, certifier.status
    lower, upper = certifier.unit_interval
    contradicted = status == "contradicted"
    return Claim(
        session=events[0].body["name"],
        status=status,
        stopping_rule="; ".join(_rules(certifier)) or "none",
        task=design.task,
        main_aspect=design.main_aspect,
        target=design.target,
        items=certifier.pool.size,
        pool_hash=certifier.pool.hash,
        scale=certifier.pool.scale,
        alpha=design.alpha,
        alpha1=design.alpha1,
        alpha2=design.alpha2,
        eps_design=frozen.width,
        eps=design.width,
        preset=design.preset,
        unratable_rule=design.unratable,
        estimate_unit=None if contradicted else certifier.estimate,
        lower_unit=None if contradicted else lower,
        upper_unit=None if contradicted else upper,
        draws=len(history.draws),
        committed=certifier.ratings,
        ratings=len(ratings),
        raters=len({rating.rater for rating in ratings}),
        ties=sum(rating.verdict == "tie" for rating in ratings),
        both_bad=sum(rating.verdict == "both bad" for rating in ratings),
        unratable=history.unratable(design.ratings_per_item, design.unratable_after),
        corrections=history.corrections,
        disputed=len(history.further),
        decided=len(history.decided),
        late_changes=certifier.late_changes,
        first_rating=ratings[0].rated_at if ratings else None,
        last_rating=ratings[-1].rated_at if ratings else None,
        package_version=package_version(),
        ledger_rows=len(events),
        ledger_hash=events[-1].hash,
        aspects=tuple(aspect_intervals(certifier, frozen) if aspects is None else aspects),
    )


def frozen_design(events: Sequence[Event]) -> Design:
    """The design that the first row of a ledger freezes.

    Raises
    ------
    ValueError
        The ledger is empty, or its first row is no design, or its content is not that of one.
    """
    if not events:
        raise ValueError("the ledger is empty; a session's first row is its design")
    first = events[0]
    if first.kind != "design":
        raise ValueError(f"ledger row 1: a session begins with its design, not with a {first.kind!r}")
    try:
        if not isinstance(first.body["name"], str):
            raise ValueError(f"the session's name is {first.body['name']!r}, not a text")
        return Design.from_dict(first.body["design"])
    except KeyError as fault:
        raise ValueError(f"ledger row 1 (design): the field {fault} is missing") from fault
    except (ValueError, TypeError, AttributeError, OverflowError) as fault:
        raise ValueError(f"ledger row 1 (design): {fault}") from fault


def package_version() -> str:
    """The version of celeus-label that is installed, or "not installed" where it runs from a folder."""
    try:
        return importlib.metadata.version("celeus-label")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _rules(certifier: Certifier) -> list[str]:
    """Every stopping rule that holds; none where the interval is empty."""
    design, scale = certifier.design, certifier.pool.scale
    lower, upper = certifier.unit_interval
    if lower > upper:
        return []
    rules = []
    if upper - lower <= design.width:
        rules.append(f"width at most {design.width!r} of the scale")
    if design.above is not None and lower > scale.to_unit(design.above):
        rules.append(f"above {design.above!r}")
    if design.below is not None and upper < scale.to_unit(design.below):
        rules.append(f"below {design.below!r}")
    if certifier.ratings == certifier.pool.size:
        rules.append("every item drawn")
    if design.budget is not None and certifier.ratings >= design.budget:
        rules.append(f"budget of {design.budget} items")
    return rules
