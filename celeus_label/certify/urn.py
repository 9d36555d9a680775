"""The items that are left, so arranged that a draw costs a few hundred numbers and not a pass over the pool.

Every column is cut into blocks of about sqrt(N) items with a summary of each. A question looks at the summaries and
then into a few blocks; taking an item out makes one block's summary anew. So each answer depends on which items are
left alone, not on the order in which the others were taken, and no rounding adds up over the rounds.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.blocks import LENGTH, blocks
from celeus_label.certify.pool import Floats
from celeus_label.certify.proposals import Mask, Proposal
from celeus_label.certify.signals import Terms

Kind = TypeVar("Kind", bound=np.generic)

# Below this share of what they once were, the weights left are scaled up again.
_FAINT = 1e-100


class Urn:
    """The items not drawn yet, under one surrogate and one proposal.

    Parameters
    ----------
    surrogate : array of shape (N,)
        s_t in [0, 1].
    proposal : Proposal
    remaining : bool array of shape (N,)
        The items not drawn yet.
    """

    def __init__(self, surrogate: Floats, proposal: Proposal, remaining: Mask) -> None:
        self.size = len(surrogate)
        self.left = int(remaining.sum())
        self._surrogate = surrogate
        self._beta = proposal.beta
        self._there = _Cumulated(remaining)
        self._raw = proposal.weights if proposal.beta < 1.0 else None
        self._weigh(remaining)

    def q(self, position: int) -> float:
        """q_t of an item that is left, as `Proposal.probabilities` defines it."""
        floor, scale = self._mixture()
        return floor if scale == 0.0 or self._weights is None else floor + scale * self._weights.at(position)

    def pick(self, u: float) -> int:
        """Position of the item that the random number u in [0, 1) draws.

        The share beta of u draws uniformly in the order of the pool, the rest by the cumulated weights.
        """
        share = u
        if self._weights is not None and self._weights.total > 0.0:
            if u >= self._beta:
                return self._weights.find((u - self._beta) / (1.0 - self._beta) * self._weights.total)
            share = u / self._beta
        return self._there.find(min(int(share * self.left), self.left - 1))

    def terms(self, position: int) -> Terms:
        """What the signal of a round needs that draws this item, as `signals.terms` defines it."""
        floor, scale = self._mixture()
        least, most = self._extremes.ratios(self.size * floor, self.size * scale)
        return Terms(
            size=self.size,
            left=self.left,
            q=self.q(position),
            s=float(self._surrogate[position]),
            rest=self._extremes.total,
            low=-least,
            high=most,
        )

    def take(self, position: int) -> None:
        """Take an item out."""
        self.left -= 1
        self._there.take(position)
        self._extremes.take(position)
        if self._weights is not None:
            self._weights.take(position)
            if 0.0 < self._weights.total < _FAINT:
                self._weigh(self._there.column.astype(np.bool_))

    def _weigh(self, remaining: Mask) -> None:
        scaled = None if self._raw is None else _scaled(self._raw, remaining)
        self._weights = None if scaled is None else _Cumulated(scaled, remaining)
        self._extremes = _Extremes(self._surrogate, scaled, remaining)

    def _mixture(self) -> tuple[float, float]:
        """q_t(j) = floor + scale * weight(j)."""
        if self._weights is None or self._weights.total <= 0.0:
            return 1.0 / self.left, 0.0
        return self._beta / self.left, (1.0 - self._beta) / self._weights.total


def _scaled(weights: Floats, remaining: Mask) -> Floats:
    """The weights, the largest of those left between 1/2 and 1, so that neither a sum nor its inverse overflows."""
    parts = blocks(len(weights))
    _, exponent = math.frexp(
        max(float(np.where(remaining[part], weights[part], 0.0).max()) for part in parts)
    )
    with np.errstate(over="ignore"):
        scaled: Floats = np.ldexp(weights, -exponent)  # a power of 2 changes no digit
    return np.minimum(scaled, 1.0, out=scaled)  # what was drawn may have been larger by any factor


def _blocks(size: int) -> int:
    """Width of a block."""
    return max(math.isqrt(size), 16)


def _in_rows(column: NDArray[Kind], width: int, order: NDArray[np.intp] | None = None) -> NDArray[Kind]:
    """The column, in another order if one is given, in rows of a block each, the last one filled up with zeros."""
    rows = np.zeros((-(-len(column) // width), width), dtype=column.dtype)
    flat = rows.ravel()[: len(column)]
    if order is None:
        flat[:] = column
    else:
        column.take(order, out=flat, mode="clip")  # the mode "raise" makes a copy
    return rows


class _Cumulated:
    """A column of weights, not negative, or of things that are there or not, with its running sum."""

    def __init__(self, column: NDArray[Any], remaining: Mask | None = None) -> None:
        self._size, self._width = len(column), _blocks(len(column))
        self._rows = _in_rows(column, self._width)
        if remaining is not None:
            self._rows.ravel()[: self._size] *= remaining
        self._sums = self._rows.sum(axis=1)
        self.total = float(self._sums.sum())

    @property
    def column(self) -> Floats:
        """The values, 0 for what was taken; shape (N,)."""
        column: Floats = self._rows.ravel()[: self._size]
        return column

    def at(self, position: int) -> float:
        """The value of an item."""
        return float(self._rows.ravel()[position])

    def find(self, point: float) -> int:
        """The item in whose part of the running sum a point in [0, total) lies; one with a positive value."""
        sums = np.cumsum(self._sums)
        block = int(sums.searchsorted(point, side="right"))
        if block == len(sums):  # rounding: past the last one
            block = int(np.flatnonzero(self._sums)[-1])
        inside = np.cumsum(self._rows[block])
        rest = max(point - (sums[block - 1] if block else 0), 0)
        place = int(inside.searchsorted(rest, side="right"))
        if place == self._width:
            place = int(np.flatnonzero(self._rows[block])[-1])
        return block * self._width + place

    def take(self, position: int) -> None:
        """Set an item's value to 0."""
        block = position // self._width
        self._rows[block, position % self._width] = 0
        self._sums[block] = self._rows[block].sum()
        self.total = float(self._sums.sum())


class _Extremes:
    """Largest s / (floor + scale w) and (1 - s) / (floor + scale w) over the items left, and the sum of their s.

    Blocks are of items with neighbouring weights: none of a block's ratios is above its largest numerator over its
    smallest denominator, and few blocks have a bound above the best ratio found.
    """

    def __init__(self, surrogate: Floats, weights: Floats | None, remaining: Mask) -> None:
        self._width = _blocks(len(surrogate))
        self._weights: Floats | None = None
        order: NDArray[np.intp] | None = None
        if weights is not None:
            # in the order of 65,536 steps, which a radix sort finds in two passes; neighbours need be no nearer
            steps = np.empty(len(weights), dtype=np.uint16)
            np.multiply(weights, 65535, out=steps, casting="unsafe")
            order = np.argsort(steps, kind="stable")
            self._weights = _in_rows(weights, self._width, order)
            self._rank = np.empty(len(order), dtype=np.int32)
            for part in blocks(len(order)):
                self._rank[order[part]] = np.arange(part.start, part.stop, dtype=np.int32)
            self._lightest = self._weights.min(axis=1)
            self._lightest[-1] = self._weights.ravel()[
                (len(self._weights) - 1) * self._width : len(order)
            ].min()
        self._there = _in_rows(remaining, self._width, order)
        self._rows = _in_rows(surrogate, self._width, order)
        self._sums, self._most, self._least = np.empty((3, len(self._rows)))
        for part in blocks(len(self._rows), max(LENGTH // self._width, 1)):
            there, rows = self._there[part], self._rows[part]
            self._sums[part] = np.where(there, rows, 0.0).sum(axis=1)
            self._most[part] = np.where(there, rows, -np.inf).max(axis=1)
            self._least[part] = np.where(there, rows, np.inf).min(axis=1)
        self.total = float(self._sums.sum())

    def take(self, position: int) -> None:
        """Take an item out."""
        place = position if self._weights is None else int(self._rank[position])
        block = place // self._width
        self._there[block, place % self._width] = False
        row = self._rows[block]
        there = self._there[block]
        self._sums[block] = np.where(there, row, 0.0).sum()
        self._most[block] = np.where(there, row, -np.inf).max()
        self._least[block] = np.where(there, row, np.inf).min()
        self.total = float(self._sums.sum())

    def ratios(self, floor: float, scale: float) -> tuple[float, float]:
        """Both, for a floor > 0 and a scale >= 0."""
        if scale == 0.0 or self._weights is None:
            return float(self._most.max()) / floor, (1.0 - float(self._least.min())) / floor
        denominators = floor + scale * self._lightest
        return (
            self._largest(self._most / denominators, floor, scale, False),
            self._largest((1.0 - self._least) / denominators, floor, scale, True),
        )

    def _largest(self, bounds: Floats, floor: float, scale: float, mirrored: bool) -> float:
        first = int(bounds.argmax())
        found = self._best(np.array([first]), floor, scale, mirrored)
        others = np.flatnonzero(bounds > found)
        return max(found, self._best(others, floor, scale, mirrored)) if len(others) else found

    def _best(self, blocks: NDArray[np.intp], floor: float, scale: float, mirrored: bool) -> float:
        """The largest ratio in some blocks."""
        assert self._weights is not None
        numerators = 1.0 - self._rows[blocks] if mirrored else self._rows[blocks]
        ratios = np.where(self._there[blocks], numerators, -np.inf) / (floor + scale * self._weights[blocks])
        return float(ratios.max())
