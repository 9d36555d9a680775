"""The draws of a whole trial at once, for systems whose surrogate and weights never change.

Such draws do not depend on any value, so a trial's order, its q and the terms of its signals (paper, Eq. 1) can be
computed before the first value is looked at, in a few passes over the pool instead of one a round. The law of the
draws is that of `certify.Proposal`, and the terms are those of `certify.signals.terms`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.pool import Floats

Order = NDArray[np.intp]


@dataclass(frozen=True)
class Course:
    """The first T draws of a trial; arrays have the shape (T,).

    Attributes
    ----------
    size : int
        N.
    order : int array
        The items drawn.
    left : int array
        n_t.
    q, s, rest, low, high : arrays
        As in `certify.signals.Terms`.
    """

    size: int
    order: Order
    left: NDArray[np.intp]
    q: Floats
    s: Floats
    rest: Floats
    low: Floats
    high: Floats

    @property
    def rounds(self) -> int:
        """Number of draws T."""
        return len(self.order)

    def rated(self, values: Floats) -> Floats:
        """Sum of the values over the rounds before each round."""
        sums = np.concatenate([[0.0], np.cumsum(values[self.order])])
        return sums[:-1]

    def signals(self, values: Floats) -> Floats:
        """S_t of each round."""
        y = values[self.order]
        signals: Floats = (self.rated(values) + self.rest) / self.size + (y - self.s) / (self.size * self.q)
        return signals

    def bounds(self, values: Floats) -> tuple[Floats, Floats]:
        """a_t and b_t of each round."""
        base = (self.rated(values) + self.rest) / self.size
        return base + self.low, base + self.high


def draw(weights: Floats | None, size: int, beta: float, rounds: int, rng: np.random.Generator) -> Order:
    """Draw items by q_t(j) = beta/n_t + (1-beta) w(j) / sum_{k in J} w(k), without replacement.

    One order is a random permutation. A second one, by exponential clocks that run at the speeds w, is what drawing
    by the weights alone gives. Each round takes the first item left of the second order with probability 1 - beta,
    else of the first. Neither order tells anything of the other, so what is left of each remains as random as it was.

    Parameters
    ----------
    weights : array of shape (N,), optional
        Not negative; None draws uniformly.
    size : int
        N.
    beta : float
        In (0, 1].
    rounds : int
        T, at most N.
    rng : Generator

    Returns
    -------
    int array of shape (T,)
    """
    uniform = rng.permutation(size)
    if weights is None or beta >= 1.0:
        return uniform[:rounds]
    with np.errstate(divide="ignore", over="ignore"):
        clocks = rng.exponential(size=size) / weights  # never, where a weight is 0
    some = min(size, rounds)
    first = np.argpartition(clocks, some - 1)[:some]
    first = first[np.argsort(clocks[first])]
    weighted = first[weights[first] > 0]
    by_weight = rng.random(rounds) >= beta
    taken = bytearray(size)
    queues = (uniform.tolist(), weighted.tolist())
    heads = [0, 0]
    ends = (size, len(weighted))
    order = np.empty(rounds, dtype=np.intp)
    for round_, wanted in enumerate(by_weight.tolist()):
        while wanted and heads[1] < ends[1] and taken[queues[1][heads[1]]]:
            heads[1] += 1
        which = 1 if wanted and heads[1] < ends[1] else 0
        queue, head = queues[which], heads[which]
        while taken[queue[head]]:
            head += 1
        order[round_] = queue[head]
        taken[queue[head]] = 1
        heads[which] = head + 1
    return order


def course(order: Order, surrogate: Floats, weights: Floats | None, beta: float) -> Course:
    """The terms of the rounds that draw these items in this order.

    Parameters
    ----------
    order : int array of shape (T,)
    surrogate : array of shape (N,)
    weights : array of shape (N,), optional
    beta : float
    """
    size, rounds = len(surrogate), len(order)
    undrawn = np.ones(size, dtype=np.bool_)
    undrawn[order] = False
    left = size - np.arange(rounds)
    floor, scale = 1.0 / left, np.zeros(rounds)
    if weights is not None and beta < 1.0:
        totals = _sums_left(weights, order, undrawn)
        active = totals > 0.0
        floor = np.where(active, beta / left, floor)
        scale[active] = (1.0 - beta) / totals[active]
        q = floor + scale * weights[order]
    else:
        weights, q = None, floor
    return Course(
        size=size,
        order=order,
        left=left,
        q=q,
        s=surrogate[order],
        rest=_sums_left(surrogate, order, undrawn),
        low=-_largest(surrogate, weights, order, floor, scale) / size,
        high=_largest(1.0 - surrogate, weights, order, floor, scale) / size,
    )


def _sums_left(column: Floats, order: Order, undrawn: NDArray[np.bool_]) -> Floats:
    """Sum over the items not drawn before each round; added from the last one on, so that it ends in exact zeros."""
    parts = np.concatenate([[column[undrawn].sum()], column[order][::-1]])
    return np.cumsum(parts)[1:][::-1]


def _largest(column: Floats, weights: Floats | None, order: Order, floor: Floats, scale: Floats) -> Floats:
    """Largest x(j) / q_t(j) over the items left in each round, q_t(j) = floor_t + scale_t w(j).

    It is found among a few items, see `_front`, which stay the same until one of them is drawn.
    """
    size, rounds = len(column), len(order)
    drawn_at = np.full(size, rounds)
    drawn_at[order] = np.arange(rounds)
    w = np.zeros(size) if weights is None else weights
    with np.errstate(divide="ignore"):
        ratio = floor / scale
    result = np.empty(rounds)
    alive = np.arange(size)
    start = 0
    while start < rounds:
        alive = alive[drawn_at[alive] >= start]
        front = alive[_front(column[alive], w[alive], ratio[start:])]
        end = min(int(drawn_at[front].min()) + 1, rounds)
        q = floor[start:end, None] + scale[start:end, None] * w[front]
        result[start:end] = (column[front] / q).max(axis=1)
        start = end
    return result


def _front(x: Floats, w: Floats, ratio: Floats) -> list[int]:
    """The items that have the largest x / (c + w) for some c between the least and the greatest of the ratios.

    They are corners of the convex hull of the points (w, x). Between two neighbours that are equally good at some c
    there is another corner only if something is better there.
    """

    def best(c: float) -> int:
        return int((x / (c + w)).argmax()) if 0 < c < np.inf else int(x.argmax())

    first, last = best(float(ratio.min())), best(float(ratio.max()))
    found = {first, last}
    pairs = [(first, last)]
    while pairs:
        i, j = pairs.pop()
        if x[i] == x[j]:
            continue
        c = float((x[j] * w[i] - x[i] * w[j]) / (x[i] - x[j]))
        if not 0 < c < np.inf:
            continue
        k = best(c)
        if k in found or x[k] / (c + w[k]) <= x[i] / (c + w[i]) * (1 + 1e-13):
            continue
        found.add(k)
        pairs += [(i, k), (k, j)]
    return sorted(found)
