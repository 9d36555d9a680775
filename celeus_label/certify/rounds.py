"""One draw and what was said of its item: when it is finished, and what its value is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from celeus_label.certify.design import Design
from celeus_label.certify.rubric import Aspect, check_values
from celeus_label.certify.scale import Scale
from celeus_label.certify.signals import Terms
from celeus_label.certify.surrogates import Fit, Outlook


@dataclass(frozen=True)
class Draw:
    """Round t's item.

    Attributes
    ----------
    round : int
        t, from 1.
    item_id : str
    position : int
        The item's index in the pool, from 0.
    q : float
        Probability with which the item was drawn.
    u : float
        The random number in [0, 1) that drew it.
    committed : int
        Number of rounds that were in the interval when the item was drawn.
    fits : int
        Number of fits made until then, this draw's own included.
    fit : Fit, optional
        The fit that this draw is the first to use.
    """

    round: int
    item_id: str
    position: int
    q: float
    u: float
    committed: int
    fits: int = 0
    fit: Fit | None = None


@dataclass
class Round:
    """A draw with its ratings; the rules are those of the design as it was frozen.

    Attributes
    ----------
    draw : Draw
    terms : Terms
        What the draw fixed.
    outlook : Outlook or None
        What a new fit expects of the signals from this round on.
    design : Design
    scale : Scale
        Of the raters.
    wanted : int
        Ratings that finish it: k, or k + 1 where the first k differ by more than the design allows.
    ratings : dict
        The current value of each rater, in the order of arrival.
    unable : set of str
        Who could not rate it.
    decided : float or None
        The value that a lead decided.
    aspects : dict
        Of each rater, the current values of the further aspects by their names.
    """

    draw: Draw
    terms: Terms
    outlook: Outlook | None
    design: Design
    scale: Scale
    wanted: int = 0
    ratings: dict[str, float] = field(default_factory=dict)
    unable: set[str] = field(default_factory=set)
    decided: float | None = None
    aspects: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.wanted = self.design.ratings_per_item

    @property
    def finished(self) -> bool:
        """Whether it takes no further rating."""
        return (
            self.decided is not None
            or len(self.ratings) >= self.wanted
            or len(self.unable) >= self.design.unratable_after
        )

    @property
    def value(self) -> tuple[float, float]:
        """The item's value on [0, 1], for the lower and for the upper side; of a finished round."""
        if self.decided is not None:
            unit = self.scale.to_unit(self.decided)
            return unit, unit
        if len(self.ratings) < self.wanted:
            return self._unratable
        return self._of(list(self.ratings.values()), self.scale)

    def aspect_value(self, aspect: Aspect) -> tuple[float, float]:
        """As `value`, of a further aspect; what a lead decides is the main one's value alone."""
        if self.decided is None and len(self.ratings) < self.wanted:
            return self._unratable
        return self._of([given[aspect.name] for given in self.aspects.values()], aspect.scale)

    @property
    def _unratable(self) -> tuple[float, float]:
        return {"bound": (0.0, 1.0), "worst": (0.0, 0.0), "best": (1.0, 1.0)}[self.design.unratable]

    def _of(self, values: list[float], scale: Scale) -> tuple[float, float]:
        value = (
            math.fsum(values) / len(values) if self.design.aggregate == "mean" else float(np.median(values))
        )
        unit = scale.to_unit(value)
        return unit, unit

    def rate(self, rater: str, value: float, aspects: Mapping[str, float] | None = None) -> None:
        """See `Certifier.tell`."""
        number = self._on_scale(value, "the rating")
        given = self._aspects(aspects)
        if rater in self.ratings:
            raise ValueError(
                f"draw {self.draw.round}: rater {rater} rated it before; use correct to change a rating"
            )
        if self.finished:
            raise ValueError(f"draw {self.draw.round}: it is finished and takes no further rating")
        k, step = self.design.ratings_per_item, self.design.disagreement
        if step is not None and len(self.ratings) + 1 == k:
            values = [*self.ratings.values(), number]
            # a leeway for rounding, the same as the store's: 0.3 and 0.2 differ by no more than 0.1
            differ = max(values) - min(values) > step + 1e-9
            if self.wanted > k and not differ:
                raise ValueError(
                    f"draw {self.draw.round}: a further rating was asked for, though the first {k} differ by no more "
                    f"than {step:g}"
                )
            self.wanted = k + differ
        self.ratings[rater] = number
        if given:
            self.aspects[rater] = given

    def announce_further(self, wanted: int) -> None:
        """See `Certifier.announce_further`."""
        k, step = self.design.ratings_per_item, self.design.disagreement
        if step is None:
            raise ValueError(f"draw {self.draw.round}: the design asks for no further rating")
        if wanted != k + 1 or self.wanted != k or len(self.ratings) != k - 1:
            raise ValueError(
                f"draw {self.draw.round}: {wanted!r} ratings are asked for after {len(self.ratings)}; the rule is {k}, "
                f"and one more at the last of them where they differ by more than {step:g}"
            )
        self.wanted = wanted

    def _aspects(self, given: Mapping[str, float] | None) -> dict[str, float]:
        where = f"draw {self.draw.round} ({self.draw.item_id})"
        if self.design.aspects:
            return check_values(self.design.aspects, given, where)
        if given:
            raise ValueError(f"{where}: values of aspects are given, but the design has none")
        return {}

    def correct(self, rater: str, value: float, aspects: Mapping[str, float] | None = None) -> None:
        """See `Certifier.correct`."""
        number = self._on_scale(value, "the rating")
        given = self._aspects(aspects)
        if rater not in self.ratings:
            raise ValueError(f"draw {self.draw.round}: rater {rater} has no rating there to correct")
        self.ratings[rater] = number
        if given:
            self.aspects[rater] = given

    def decide(self, value: float) -> None:
        """See `Certifier.adjudicate`."""
        number = self._on_scale(value, "the value decided")
        k = self.design.ratings_per_item
        if self.wanted == k or len(self.ratings) < k:
            raise ValueError(
                f"draw {self.draw.round}: a value is decided only where the first ratings differ by more than the "
                f"design allows"
            )
        self.decided = number

    def _on_scale(self, value: float, what: str) -> float:
        return self.scale.check(value, f"draw {self.draw.round} ({self.draw.item_id}): {what}")
