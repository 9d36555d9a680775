"""Cer-Eval, for comparison only: an interval that is not valid (paper, App. D.3; Wang et al. 2025).

The rated items' values are cut into up to five bins, and the pool into as many parts by the bin of each item's nearest
rated neighbour. Each part's mean and variance come from the ratings in it, and the interval from a concentration
bound that holds for parts which were fixed in advance. These were not: the same ratings choose the parts and measure
them, and the ratings in a part are not a fair sample of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.pool import Floats

_MOST_PARTS = 5
# Items rated at first, uniformly at random.
_WARM_UP = 50
# Distances held in memory at a time.
_BLOCK = 4_000_000

Parts = NDArray[np.intp]


@dataclass(frozen=True)
class CerEvalPath:
    """Interval and estimate after each rating from the warm-up on.

    Attributes
    ----------
    ratings : int array of shape (T,)
    lower, upper, estimate : arrays of shape (T,)
        For the mean, not cut to [0, 1].
    stop : int
        Number of ratings at which the width was reached; 0 where it never was.
    """

    ratings: Parts
    lower: Floats
    upper: Floats
    estimate: Floats
    stop: int


def cer_eval(
    values: Floats,
    embedding: Floats,
    *,
    width: float = 0.05,
    alpha: float = 0.05,
    rng: np.random.Generator,
    until_width: bool = True,
    rounds: int | None = None,
) -> CerEvalPath:
    """Run Cer-Eval on a pool.

    Parameters
    ----------
    values : array of shape (N,)
        The hidden values, in [0, 1].
    embedding : array of shape (N, d)
        Where the items lie; nearness is Euclidean.
    width, alpha : float
    rng : Generator
    until_width : bool
        Stop at the width, or go on.
    rounds : int, optional
        Ratings at most; N where it is None.
    """
    run = _Run(values, embedding, alpha, rng)
    most = len(values) if rounds is None else min(rounds, len(values))
    parts = []
    stop = 0
    while True:
        ahead = run.ahead(most)
        narrow = np.flatnonzero(2 * ahead[:, 2] <= width)
        if len(narrow) and not stop:
            stop = int(ahead[narrow[0], 0])
            if until_width:
                ahead = ahead[: narrow[0] + 1]
        parts.append(ahead)
        if (stop and until_width) or ahead[-1, 0] >= most:
            break
        run.rate(len(ahead))
    ratings, estimates, radii = np.concatenate(parts).T
    return CerEvalPath(ratings.astype(np.intp), estimates - radii, estimates + radii, estimates, stop)


class _Run:
    """The ratings so far, the parts, and the sums of the ratings in each part."""

    def __init__(self, values: Floats, embedding: Floats, alpha: float, rng: np.random.Generator) -> None:
        self._values, self._alpha, self._rng = values, alpha, rng
        self._size = len(values)
        self._order = rng.permutation(self._size)
        self._near = _Neighbours(embedding)
        self._was_rated = np.zeros(self._size, dtype=np.bool_)
        self._rated = self._order[: min(_WARM_UP, self._size)].tolist()
        self._was_rated[self._rated] = True
        self._learn_at = 0
        self._partition()

    @property
    def rated(self) -> int:
        """Number of ratings."""
        return len(self._rated)

    def ahead(self, most: int) -> Floats:
        """Ratings, estimate and radius as they are, and after each further rating that needs no decision.

        With a single part the next items are known until it is time to learn the parts anew.

        Returns
        -------
        array of shape (m, 3)
        """
        if len(self._counts) > 1:
            return np.array([[self.rated, *self.interval()]])
        more = min(self._learn_at - 1, most) - self.rated
        coming = self._values[self._queues[0][::-1][: max(more, 0)]]
        n = self.rated + np.arange(len(coming) + 1)
        mean = (self._total + np.concatenate([[0.0], np.cumsum(coming)])) / n
        squares = (self._total_squares + np.concatenate([[0.0], np.cumsum(coming**2)])) / n
        # with one part its own variance and that of all ratings are the same
        eta = np.sqrt((2 * np.log(np.log(n) + 1) + math.log(4 / self._alpha)) / (2 * n))
        radius = 2 * eta**2 / 3 + 2 * np.sqrt(np.maximum(squares - mean**2, 0.0)) * eta
        return np.array([n, mean, radius]).T

    def rate(self, count: int) -> None:
        """Rate items, each of the part whose radius shrinks most by it; learn the parts anew where it is time."""
        for _ in range(count):
            k = 0 if len(self._counts) == 1 else self._best()
            item = self._queues[k].pop()
            self._rated.append(item)
            self._was_rated[item] = True
            self._add(k, float(self._values[item]))
        if self.rated >= self._learn_at:
            self._partition()

    def _best(self) -> int:
        """The part whose radius shrinks most by a rating, of those that have an item left."""
        gains = [
            self._shares[k] * _shrinks(self._counts[k], *self._spread(k), len(self._counts), self._alpha)
            for k in range(len(self._counts))
        ]
        return max((k for k in range(len(gains)) if self._queues[k]), key=lambda k: gains[k])

    def interval(self) -> tuple[float, float]:
        """Estimate and radius: the parts' means and radii weighted by their sizes."""
        count = len(self._counts)
        estimate = radius = 0.0
        for k in range(count):
            if self._counts[k]:
                mean, variance = self._spread(k)
                estimate += self._shares[k] * mean
                radius += self._shares[k] * _radius(self._counts[k], variance, count, self._alpha)
        return estimate, radius

    def _spread(self, k: int) -> tuple[float, float]:
        """A part's mean, and its variance mixed with that of all ratings by the share of the part that is rated."""
        n = self._counts[k]
        if n == 0:
            return 0.0, 0.0
        mean, total = self._sums[k] / n, self._total / self.rated
        own = max(self._squares[k] / n - mean**2, 0.0)
        common = max(self._total_squares / self.rated - total**2, 0.0)
        share = n / self._sizes[k]
        between = share * (1 - share) * (mean - total) ** 2
        return mean, share * own + (1 - share) * common + between

    def _partition(self) -> None:
        """Choose the number of parts with the smallest radius, and the parts."""
        rated = np.array(self._rated)
        z = self._values[rated]
        best, found = math.inf, 1
        for count in range(1, min(int(math.sqrt(len(rated))), _MOST_PARTS) + 1):
            if np.bincount(_bins(z, count), minlength=count).min() == 0:
                break
            parts = self._parts(rated, z, count)
            self._take(parts, rated, z, count)
            if min(self._counts) <= 1:
                break
            radius = self.interval()[1]
            if radius < best:
                best, found = radius, count
        parts = self._parts(rated, z, found)
        self._take(parts, rated, z, found)
        left = self._order[~self._was_rated[self._order]]
        self._queues = [left[parts[left] == k][::-1].tolist() for k in range(found)]
        self._learn_at = max(int(self.rated * 1.1), self.rated + 100)

    def _parts(self, rated: Parts, z: Floats, count: int) -> Parts:
        """The part of every item: the bin of its nearest neighbour among a random half or more of the rated."""
        if count == 1:
            return np.zeros(self._size, dtype=np.intp)
        share = min(0.8, max((len(rated) / self._size) ** 1.5, 0.5))
        bag = self._rng.permutation(len(rated))[: int(len(rated) * share)]
        return self._near.bins(rated[bag], _bins(z[bag], count), count)

    def _take(self, parts: Parts, rated: Parts, z: Floats, count: int) -> None:
        of_rated = parts[rated]
        self._sizes = np.bincount(parts, minlength=count).tolist()
        self._shares = [size / self._size for size in self._sizes]
        self._counts = np.bincount(of_rated, minlength=count).tolist()
        self._sums = np.bincount(of_rated, z, minlength=count).tolist()
        self._squares = np.bincount(of_rated, z**2, minlength=count).tolist()
        self._total, self._total_squares = float(z.sum()), float((z**2).sum())

    def _add(self, k: int, value: float) -> None:
        self._counts[k] += 1
        self._sums[k] += value
        self._squares[k] += value**2
        self._total += value
        self._total_squares += value**2


def _bins(z: Floats, count: int) -> Parts:
    return np.floor(z * (count - 0.01 / count)).astype(np.intp)


def _eta(n: int, parts: int, alpha: float) -> float:
    return math.sqrt((2 * math.log(math.log(n) + 1) + math.log(4 * parts / alpha)) / (2 * n))


def _radius(n: int, variance: float, parts: int, alpha: float) -> float:
    eta = _eta(n, parts, alpha)
    return 2 * eta**2 / 3 + 2 * math.sqrt(variance) * eta


def _shrinks(n: int, mean: float, variance: float, parts: int, alpha: float) -> float:
    """How much a part's radius shrinks by one more rating, to first order."""
    if n == 0:
        return 0.0
    eta = _eta(n, parts, alpha)
    return (4 / 3 * eta + 2 * math.sqrt(variance)) * eta / n


class _Neighbours:
    """Nearest neighbours by Euclidean distance."""

    def __init__(self, embedding: Floats) -> None:
        points = embedding.astype(np.float32)
        squares = (points**2).sum(axis=1, keepdims=True)
        # |x - p|^2 = |p|^2 - (2x, -|x|^2) (p, 1), so that the nearest x has the largest product
        self._points = np.concatenate([points, np.ones_like(squares)], axis=1)
        self._among = np.concatenate([2 * points, -squares], axis=1)

    def bins(self, items: Parts, bins: Parts, count: int) -> Parts:
        """For each item of the pool the bin of the nearest of the items.

        Parameters
        ----------
        items, bins : int arrays of shape (n,)
            The bins from 0 to count - 1.
        count : int
        """
        items = items[np.argsort(bins, kind="stable")]
        ends = np.cumsum([0, *np.bincount(bins, minlength=count)])
        found = np.empty(len(self._points), dtype=np.intp)
        step = max(1, _BLOCK // len(items))
        for start in range(0, len(found), step):
            part = slice(start, start + step)
            nearness = self._among[items] @ self._points[part].T
            best = [nearness[ends[k] : ends[k + 1]].max(axis=0, initial=-np.inf) for k in range(count)]
            found[part] = np.argmax(best, axis=0)
        return found
