"""An interval for each further aspect of a rubric, from the draws that the main aspect made.

The draws know nothing of an aspect's values beyond what was rated before, so that with the same q_t and a surrogate
of its own, learnt from its own earlier ratings, the signal of METHOD 2

    S_t = ( sum of the aspect's values before t + sum_{j left} s_t(j) ) / N + (y - s_t(i_t)) / (N q_t(i_t))

has the mean of the aspect over the pool as its own, whatever came before. Its bets are fixed by what was known before
the rating, so the wealth at that mean is a martingale, and the interval holds at any stopping time: also at the one
that the main aspect chose.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from celeus_label.certify.certifier import Certifier
from celeus_label.certify.design import Design
from celeus_label.certify.inference import Inference
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.proposals import Mask
from celeus_label.certify.rounds import Round
from celeus_label.certify.rubric import Aspect
from celeus_label.certify.scale import Scale
from celeus_label.certify.series import ExactSum
from celeus_label.certify.signals import terms

_NARROWEST_AIM, _WIDEST_AIM = 1e-3, 0.9
# The session may end when the main aspect is known well and another one is not. Bets for twice the width make the
# intervals of such ones some 40 % narrower, and those of easy ones some 2 % wider.
_LESS_AIMED = 2.0
# What the surrogate's mean, and its slope, are drawn to before there are ratings, and what that counts for.
_MEAN_WEIGHT, _SLOPE_PENALTY = 2.0, 1.0


@dataclass(frozen=True)
class AspectInterval:
    """What is known of an aspect's mean.

    Attributes
    ----------
    name : str
    scale : Scale
        Of the raters.
    alpha : float
        Miscoverage of this interval over the whole session.
    rated : int
        Rounds in it.
    lower_unit, upper_unit, estimate_unit : float
        For the design's target, on [0, 1]; lower > upper where it is contradicted.
    """

    name: str
    scale: Scale
    alpha: float
    rated: int
    lower_unit: float
    upper_unit: float
    estimate_unit: float

    @property
    def contradicted(self) -> bool:
        """Whether no mean agrees with the ratings."""
        return self.lower_unit > self.upper_unit

    @property
    def lower(self) -> float:
        """On the raters' scale."""
        return self.scale.from_unit(self.lower_unit)

    @property
    def upper(self) -> float:
        """On the raters' scale."""
        return self.scale.from_unit(self.upper_unit)

    @property
    def estimate(self) -> float:
        """On the raters' scale."""
        return self.scale.from_unit(self.estimate_unit)


def aspect_intervals(certifier: Certifier, frozen: Design) -> list[AspectInterval]:
    """The aspects' intervals as they are now, computed from the first round on; see `Aspects`."""
    return Aspects(certifier.pool, frozen).follow(certifier)


class Aspects:
    """The further aspects of a session, in the order of the design.

    Parameters
    ----------
    pool : Pool
    frozen : Design
        As frozen: a width that was chosen later, from the ratings, may not size the bets of earlier rounds.
    """

    def __init__(self, pool: Pool, frozen: Design) -> None:
        self._pool, self._frozen = pool, frozen
        self._begin()

    def _begin(self) -> None:
        self._parts = [_Part(self._pool, self._frozen, aspect) for aspect in self._frozen.aspects]
        self._left = np.ones(self._pool.size, dtype=np.bool_)
        self._values: list[list[tuple[float, float]]] = []  # of the rounds that are in

    def follow(self, certifier: Certifier) -> list[AspectInterval]:
        """Add the rounds committed since the last call; all of them again where an earlier value was changed."""
        if not self._parts:
            return []
        values = [self._of(round_) for round_ in certifier.rounds]
        if values[: len(self._values)] != self._values:
            self._begin()
        known = len(self._values)
        for value, (round_, _, proposal) in zip(values[known:], certifier.retrace(known), strict=True):
            q = proposal.probabilities(self._left)
            for part, of_aspect in zip(self._parts, value, strict=True):
                part.commit(round_.draw.position, q, self._left, *of_aspect)
            self._left[round_.draw.position] = False
            self._values.append(value)
        return [part.interval() for part in self._parts]

    def _of(self, round_: Round) -> list[tuple[float, float]]:
        return [round_.aspect_value(aspect) for aspect in self._frozen.aspects]


class _Part:
    """One aspect on the way."""

    def __init__(self, pool: Pool, frozen: Design, aspect: Aspect) -> None:
        self._aspect, self._alpha = aspect, frozen.aspect_alpha
        self._raw = frozen.signal == "raw"
        # at the moment when the main interval is as wide as its target, this one is wider by its alpha, and more
        wider = _LESS_AIMED * float(ndtri(self._alpha / 2) / ndtri(frozen.alpha / 2))
        self._design = dataclasses.replace(
            frozen, alpha=self._alpha, width=min(max(frozen.width * wider, _NARROWEST_AIM), _WIDEST_AIM),
            surrogate="none" if self._raw else "fitted", bounds="local", above=None, below=None, budget=None,
            weights=None, warm_start=None, aspects=(), main_aspect=None,
        )  # fmt: skip
        judge = aspect.surrogate(pool)
        known = np.full(pool.size, 0.5) if judge is None else judge
        self._line = _Line(known)
        self._size = pool.size
        unit = Pool(pool.item_ids, known, aspect.scale, Scale(0, 1))
        self._inference = Inference(unit, self._design, known)

    def commit(self, position: int, q: Floats, left: Mask, low: float, high: float) -> None:
        """Add a round: the item drawn, q_t, the items left before it, its value for the lower and the upper side."""
        surrogate = np.zeros(self._size) if self._raw else self._line.predict()
        self._inference.commit(terms(position, surrogate, q, left), low, high)
        if low == high:
            self._line.update(position, low)

    def interval(self) -> AspectInterval:
        """As it is now."""
        found = self._inference
        lower, upper = found.lower, found.upper
        if lower <= upper:
            lower, upper = self._design.widen(lower, upper, self._size)
        aspect = self._aspect
        return AspectInterval(
            aspect.name, aspect.scale, self._alpha, found.rounds, lower, upper, found.estimate
        )


class _Line:
    """The surrogate s_t: a line through the judge's scores, fitted to the ratings before, and drawn to a flat one.

    The sums are exact, so that it is the same on every machine.
    """

    def __init__(self, judge: Floats) -> None:
        self._judge = judge
        self._start = float(judge.mean())
        self._count = 0
        self._sums = {name: ExactSum() for name in ("y", "g", "gg", "gy")}

    def update(self, position: int, y: float) -> None:
        """Add a rating on [0, 1]."""
        g = float(self._judge[position])
        self._count += 1
        for name, value in (("y", y), ("g", g), ("gg", g * g), ("gy", g * y)):
            self._sums[name].add(value)

    def predict(self) -> Floats:
        """Of every item, in [0, 1], shape (N,)."""
        n = self._count
        y, g, gg, gy = (self._sums[name].value for name in ("y", "g", "gg", "gy"))
        centre = (_MEAN_WEIGHT * self._start + y) / (_MEAN_WEIGHT + n)
        if n < 2:
            return np.full(len(self._judge), centre)
        slope = (gy - g * y / n) / (max(gg - g * g / n, 0.0) + _SLOPE_PENALTY)
        return np.clip(centre + slope * (self._judge - g / n), 0.0, 1.0)
