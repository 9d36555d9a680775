"""An interval for each group of the pool, from the same draws.

Round t's item falls into a group g with the probability Q = sum_{j in g} q_t(j). Once it is known that it did, it is
a draw from the group with the probabilities q_t(j) / Q, so the signal of METHOD 2, taken in the group alone,

    S_t = ( sum of the group's ratings before t + sum_{j in g, left} s_t(j) ) / N_g + (y - s_t(i_t)) Q / (N_g q_t(i_t)),

has the mean R_g whatever came before. Bets are made in the rounds that fell into the group, none in the others: each
is fixed by what was known before its rating, so the wealth at R_g is a martingale, and the interval holds at any
stopping time, also at one that the pool's interval chose.

Under the population target each group of the pool is a sample of its own population, of N_g items, and the step of
METHOD 4 is taken for each with its share of alpha.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from celeus_label.certify.certifier import Certifier
from celeus_label.certify.design import Design
from celeus_label.certify.inference import Inference
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.population import STEPS
from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import Terms

# An interval wider than this share of the scale says too little to be read.
_TOO_WIDE = 0.4
_NARROWEST_AIM, _WIDEST_AIM = 1e-3, 0.9
# Below this share of what they once were, the weights left are scaled up again.
_FAINT = 1e-100
_PROGRESS_ROUNDS = 100

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Slice:
    """A group of the pool's items.

    Attributes
    ----------
    name : str
    items, rated : int
        Items of the pool in it, and those of them whose values are in its interval.
    lower, upper, estimate : float
        On the raters' scale, for the mean of its items in the pool; under the population target for that of the
        population that they are a sample of.
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
    """The slices as they are now, computed from the first round on; see `Slicer`."""
    return Slicer(certifier.pool, frozen, groups).follow(certifier)


class Slicer:
    """The groups of a pool in the order of their names; all their intervals hold together with 1 - alpha (Bonferroni).

    Parameters
    ----------
    pool : Pool
    frozen : Design
        As frozen: a width that was chosen later, from the ratings, may not size the bets of earlier rounds.
    groups : sequence of str, length N
        Each item's group, known before the first draw.
    """

    def __init__(self, pool: Pool, frozen: Design, groups: Sequence[str]) -> None:
        self._pool, self._frozen = pool, frozen
        names, self._places = np.unique(np.array(groups, dtype=np.str_), return_inverse=True)
        self._names = [str(name) for name in names]
        self._members = [np.flatnonzero(self._places == k) for k in range(len(names))]
        self._begin()

    def _begin(self) -> None:
        alpha = self._frozen.alpha / len(self._names)
        self._parts = [
            _Part(self._pool, self._frozen, alpha, name, inside)
            for name, inside in zip(self._names, self._members, strict=True)
        ]
        self._left = GroupsLeft(self._places, self._members)
        self._values: list[tuple[float, float]] = []  # of the rounds that are in

    def follow(self, certifier: Certifier, progress: Progress | None = None) -> list[Slice]:
        """Add the rounds committed since the last call; all of them again where an earlier value was changed.

        Parameters
        ----------
        certifier : Certifier
            The same at each call.
        progress : callable, optional
            Called where there is much to do, with the share of all rounds that are in, 0 to 1. It may raise, which ends
            the call: the next one goes on from there.
        """
        rounds = certifier.rounds
        if [round_.value for round_ in rounds[: len(self._values)]] != self._values:
            self._begin()
        known = len(self._values)
        for done, (round_, surrogate, proposal) in enumerate(certifier.retrace(known)):
            if progress is not None and done and done % _PROGRESS_ROUNDS == 0:
                progress((known + done) / len(rounds))
            position, value = round_.draw.position, round_.value
            self._left.use(surrogate, proposal)
            self._parts[int(self._places[position])].commit(self._left.take(position), *value)
            self._values.append(value)
        return [part.slice() for part in self._parts]


class GroupsLeft:
    """The items not drawn yet: those of each group side by side, so that a round costs no pass over the pool."""

    def __init__(self, places: NDArray[np.intp], members: list[NDArray[np.intp]]) -> None:
        self._places = places
        self._sizes = [len(inside) for inside in members]
        # a group's first items are those left; a drawn one changes places with the last of them
        self._order = [inside.copy() for inside in members]
        self._at = np.empty(len(places), dtype=np.intp)
        for inside in members:
            self._at[inside] = np.arange(len(inside))
        self._counts = list(self._sizes)
        self._surrogate: Floats | None = None
        self._proposal: Proposal | None = None

    def use(self, surrogate: Floats, proposal: Proposal) -> None:
        """Draw by these from now on."""
        if surrogate is self._surrogate and proposal is self._proposal:
            return
        self._surrogate, self._proposal = surrogate, proposal
        self._s = [surrogate[order] for order in self._order]
        self._scale_weights()

    def _scale_weights(self) -> None:
        """The weights left, the largest 1, so that neither their sum nor its inverse can overflow."""
        proposal = self._proposal
        assert proposal is not None
        self._weights: list[Floats] | None = None
        if proposal.weights is None or proposal.beta >= 1.0:
            return
        raw = [proposal.weights[order] for order in self._order]
        left = zip(raw, self._counts, strict=True)
        largest = max((float(column[:count].max()) for column, count in left if count), default=0.0)
        if largest > 0.0:
            self._weights = [column / largest for column in raw]
            self._sums = [float(w[:n].sum()) for w, n in zip(self._weights, self._counts, strict=True)]

    def take(self, position: int) -> Terms:
        """Draw an item: the terms of its round in its group."""
        group, at = int(self._places[position]), int(self._at[position])
        size, count = self._sizes[group], self._counts[group]
        floor, scale = self._mixture()
        s = self._s[group][:count]
        if self._weights is None or scale == 0.0:
            q = np.full(count, 1.0 / count)
        else:
            inside = floor + scale * self._weights[group][:count]
            q = inside / float(inside.sum())
        scaled = size * q
        known = Terms(
            size=size,
            left=count,
            q=float(q[at]),
            s=float(s[at]),
            rest=float(s.sum()),
            low=float(np.min(-s / scaled)),
            high=float(np.max((1.0 - s) / scaled)),
        )
        self._drop(group, at, count - 1)
        return known

    def _mixture(self) -> tuple[float, float]:
        """q_t(j) = floor + scale * weight(j)."""
        count = sum(self._counts)
        if self._weights is None:
            return 1.0 / count, 0.0
        assert self._proposal is not None
        total = math.fsum(self._sums)
        if total <= 0.0:
            return 1.0 / count, 0.0
        return self._proposal.beta / count, (1.0 - self._proposal.beta) / total

    def _drop(self, group: int, at: int, last: int) -> None:
        order = self._order[group]
        columns = [order, self._s[group]] + ([] if self._weights is None else [self._weights[group]])
        for column in columns:
            column[at], column[last] = column[last], column[at]
        self._at[order[at]], self._at[order[last]] = at, last
        self._counts[group] = last
        if self._weights is not None:
            self._sums[group] = float(self._weights[group][:last].sum())
            if 0.0 < math.fsum(self._sums) < _FAINT:
                self._scale_weights()


class _Part:
    """One group on the way."""

    def __init__(
        self, pool: Pool, frozen: Design, alpha: float, name: str, members: NDArray[np.intp]
    ) -> None:
        self._name, self._alpha = name, alpha
        self._pool = Pool(
            [pool.item_ids[k] for k in members],
            pool.judge[members],
            pool.scale,
            pool.judge_scale,
        )
        # of a raw signal's alpha nothing is spent on the step; a slice's signal is the corrected one, and needs it
        share = 0.5 if frozen.alpha_split is None or frozen.signal == "raw" else frozen.alpha_split
        self._alpha1 = alpha if frozen.target == "pool" else alpha * share
        self._step = None if frozen.target == "pool" else STEPS[str(frozen.population_step)]
        # at the moment when the pool's interval is as wide as its target, this one is wider, by its share and alpha
        wider = math.sqrt(pool.size / len(members)) * ndtri(self._alpha1 / 2) / ndtri(frozen.alpha1 / 2)
        aimed = 2 * frozen.aim(pool.size, float(pool.surrogate.mean()))
        width = min(max(aimed * float(wider), _NARROWEST_AIM), _WIDEST_AIM)
        design = dataclasses.replace(
            frozen, alpha=self._alpha1, width=width, target="pool", signal="corrected", bounds="local",
            above=None, below=None, budget=None, weights=None, warm_start=None, alpha_split=None,
        )  # fmt: skip
        known = self._pool.surrogate if design.surrogate == "judge" else np.zeros(self._pool.size)
        self._inference = Inference(self._pool, design, known)

    def commit(self, known: Terms, low: float, high: float) -> None:
        self._inference.commit(known, low, high)

    def slice(self) -> Slice:
        found, scale = self._inference, self._pool.scale
        lower, upper, contradicted = found.lower, found.upper, found.lower > found.upper
        if self._step is not None and not contradicted:
            lower, upper = self._step(lower, upper, self._pool.size, self._alpha - self._alpha1)
        width = upper - lower
        status = "contradicted" if contradicted else "too few" if width > _TOO_WIDE else "ok"
        return Slice(
            name=self._name,
            items=self._pool.size,
            rated=found.rounds,
            lower=scale.from_unit(lower),
            upper=scale.from_unit(upper),
            estimate=scale.from_unit(found.estimate),
            width=width,
            alpha=self._alpha,
            status=status,
        )
