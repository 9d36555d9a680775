"""An interval for each group of the pool, from the same draws.

Round t's item falls into a group g with the probability Q = sum_{j in g} q_t(j). Once it is known that it did, it is
a draw from the group with the probabilities q_t(j) / Q, so the signal of METHOD 2, taken in the group alone,

    S_t = ( sum of the group's ratings before t + sum_{j in g, left} s_t(j) ) / N_g + (y - s_t(i_t)) Q / (N_g q_t(i_t)),

has the mean R_g whatever came before. Bets are made in the rounds that fell into the group, none in the others: each
is fixed by what was known before its rating, so the wealth at R_g is a martingale, and the interval holds at any
stopping time, also at one that the pool's interval chose.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from celeus_label.certify.certifier import Certifier
from celeus_label.certify.design import Design
from celeus_label.certify.inference import Inference
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.proposals import Mask
from celeus_label.certify.signals import terms

# An interval wider than this share of the scale says too little to be read.
_TOO_WIDE = 0.4
_NARROWEST_AIM, _WIDEST_AIM = 1e-3, 0.9


@dataclass(frozen=True)
class Slice:
    """A group of the pool's items.

    Attributes
    ----------
    name : str
    items, rated : int
        Items of the pool in it, and those of them whose values are in its interval.
    lower, upper, estimate : float
        For the mean of its items in the pool, on the raters' scale.
    width : float
        Of the interval, as a fraction of the scale's range.
    alpha : float
        Miscoverage of this interval.
    status : str
        "ok"; "too few" where the interval is wider than 40 % of the scale; or "contradicted".
    """

    name: str
    items: int
    rated: int
    lower: float
    upper: float
    estimate: float
    width: float
    alpha: float
    status: str


def slices(certifier: Certifier, frozen: Design, groups: Sequence[str]) -> list[Slice]:
    """The groups in the order of their names; all their intervals hold together with 1 - alpha (Bonferroni).

    Parameters
    ----------
    certifier : Certifier
    frozen : Design
        As frozen: a width that was chosen later, from the ratings, may not size the bets of earlier rounds.
    groups : sequence of str, length N
        Each item's group, known before the first draw.
    """
    names, places = np.unique(np.array(groups, dtype=np.str_), return_inverse=True)
    alpha = frozen.alpha / len(names)
    parts = [_Part(certifier.pool, frozen, alpha, str(name), places == k) for k, name in enumerate(names)]
    for round_, surrogate, q, remaining in certifier.retrace():
        which = int(places[round_.draw.position])
        parts[which].commit(round_.draw.position, surrogate, q, remaining, *round_.value)
    return [part.slice() for part in parts]


class _Part:
    """One group on the way."""

    def __init__(self, pool: Pool, frozen: Design, alpha: float, name: str, inside: Mask) -> None:
        self._name, self._alpha = name, alpha
        self._members = np.flatnonzero(inside)
        self._place = {int(position): k for k, position in enumerate(self._members)}
        self._pool = Pool(
            [pool.item_ids[k] for k in self._members],
            pool.judge[self._members],
            pool.scale,
            pool.judge_scale,
        )
        # at the moment when the pool's interval is as wide as its target, this one is wider, by its share and alpha
        wider = math.sqrt(pool.size / len(self._members)) * ndtri(alpha / 2) / ndtri(frozen.alpha / 2)
        width = min(max(frozen.width * float(wider), _NARROWEST_AIM), _WIDEST_AIM)
        design = dataclasses.replace(
            frozen, alpha=alpha, width=width, target="pool", signal="corrected", bounds="local",
            above=None, below=None, budget=None, weights=None, warm_start=None, alpha_split=None,
        )  # fmt: skip
        known = self._pool.surrogate if design.surrogate == "judge" else np.zeros(self._pool.size)
        self._inference = Inference(self._pool, design, known)

    def commit(
        self, position: int, surrogate: Floats, q: Floats, remaining: Mask, low: float, high: float
    ) -> None:
        left, inside = remaining[self._members], q[self._members]
        known = terms(
            self._place[position], surrogate[self._members], inside / float(inside[left].sum()), left
        )
        self._inference.commit(known, low, high)

    def slice(self) -> Slice:
        found, scale = self._inference, self._pool.scale
        width = found.upper - found.lower
        status = "contradicted" if width < 0 else "too few" if width > _TOO_WIDE else "ok"
        return Slice(
            name=self._name,
            items=self._pool.size,
            rated=found.rounds,
            lower=scale.from_unit(found.lower),
            upper=scale.from_unit(found.upper),
            estimate=scale.from_unit(found.estimate),
            width=width,
            alpha=self._alpha,
            status=status,
        )
