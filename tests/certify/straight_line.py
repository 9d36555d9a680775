"""METHOD 2 to 4 written straight down, as an oracle: a grid of candidates, plain products, nothing shared.

It knows nothing of the package but what a draw reports: the items and the probabilities that they were drawn with.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def celeus(
    draws: list[int],
    qs: list[float],
    y: Floats,
    s: Floats | Callable[[list[int]], Floats],
    weights: Floats | None,
    *,
    beta: float,
    alpha1: float,
    alpha2: float | None,
    theta: float,
    c: float,
    grid: int,
) -> tuple[Floats, Floats]:
    """Lower and upper end after each round, on [0, 1]; `alpha2` None leaves out the step to the population.

    `s` may be a rule that makes the surrogate of a round from the items drawn before.
    The ends are the outermost of `grid` + 1 candidates that no round has rejected.
    """
    size = len(y)
    rule = s if callable(s) else lambda before: s
    v = np.linspace(0.0, 1.0, grid + 1)
    alive = np.ones(grid + 1, dtype=bool)
    above, below = np.ones(grid + 1), np.ones(grid + 1)
    squares = np.full(grid + 1, 0.25)
    left = np.ones(size, dtype=bool)
    rated = 0.0
    delta = 0.0 if alpha2 is None else math.sqrt(math.log(2 / alpha2) / (2 * size))
    lows, highs = [], []
    for t, (item, reported) in enumerate(zip(draws, qs, strict=True), start=1):
        n = size - t + 1
        q = np.zeros(size)
        if weights is None or weights[left].sum() == 0:
            q[left] = 1 / n
        else:
            q[left] = beta / n + (1 - beta) * weights[left] / weights[left].sum()
        assert math.isclose(q[item], reported, rel_tol=1e-9), f"round {t}: q {reported} is not {q[item]}"

        s = rule(draws[: t - 1])
        base = (rated + s[left].sum()) / size
        a = base + ((0 - s[left]) / (size * q[left])).min()
        b = base + ((1 - s[left]) / (size * q[left])).max()
        signal = base + (y[item] - s[item]) / (size * q[item])

        scaled, candidates = (signal - a) / (b - a), (v - a) / (b - a)
        variance = squares / t
        wanted = np.sqrt(2 * math.log(2 / alpha1) / (variance * t * math.log(t + 1)))
        possible = (candidates >= 0) & (candidates <= 1)  # the mean lies between a and b
        room_above = np.where(possible, candidates + c, 1.0)
        room_below = np.where(possible, 1 - candidates + c, 1.0)
        above = above * (1 + np.minimum(wanted, 1 / room_above) * (scaled - candidates))
        below = below * (1 - np.minimum(wanted, 1 / room_below) * (scaled - candidates))
        squares = squares + (scaled - candidates) ** 2
        wealth = theta * above + (1 - theta) * below
        alive &= possible & (wealth < 1 / alpha1)

        survivors = v[alive]
        lows.append(max(0.0, survivors[0] - delta))
        highs.append(min(1.0, survivors[-1] + delta))
        rated += y[item]
        left[item] = False
    return np.array(lows), np.array(highs)
