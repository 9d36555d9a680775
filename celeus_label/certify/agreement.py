"""How far raters agree: percent agreement and Krippendorff's alpha, overall and for each rater.

Krippendorff, *Computing Krippendorff's Alpha-Reliability* (2011). Nothing of the interval depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.pool import Floats

LEVELS = ("nominal", "ordinal", "interval")

_NO_PAIR = "no item has ratings by two raters"
_NO_PAIR_OF = "no item of this rater has a rating by another"
_ALL_SAME = "all ratings are the same value, so that there is no disagreement by chance to compare with"


@dataclass(frozen=True)
class Measure:
    """A number, or why there is none.

    Attributes
    ----------
    value : float or None
        Percent agreement in [0, 1]; alpha at most 1, 0 for agreement as by chance, negative below it.
    why : str
        Why `value` is None, else "".
    """

    value: float | None
    why: str = ""


@dataclass(frozen=True)
class Agreement:
    """Agreement on the items that two raters or more have rated; the others have no say in it.

    Attributes
    ----------
    items, ratings : int
        Items with two ratings or more, and the ratings of those.
    percent : Measure
        Share of the other raters of the same item who gave the same value, on average over the ratings.
    nominal, ordinal, interval : Measure
        Krippendorff's alpha where values are the same or not, where their order counts, where their differences do.
    """

    items: int
    ratings: int
    percent: Measure
    nominal: Measure
    ordinal: Measure
    interval: Measure


def agreement(ratings: Iterable[tuple[object, str, float]]) -> tuple[Agreement, dict[str, Agreement]]:
    """Agreement overall and by rater.

    A rater's alpha is 1 - D/De: D is the mean disagreement of the rater's ratings with the others of the same items,
    De the disagreement by chance of all raters together. So the overall alpha is the mean of the raters' alphas,
    weighted by the ratings of each that can be compared, and the rater far below it is the one who differs.

    Parameters
    ----------
    ratings : iterable of (item, rater, value)
        At most one of each rater for an item.

    Returns
    -------
    Agreement
        Overall.
    dict of str to Agreement
        Of each rater who gave a rating.

    Examples
    --------
    >>> overall, raters = agreement([(1, "a", 4), (1, "b", 4), (2, "a", 2), (2, "b", 3), (3, "a", 5)])
    >>> overall.items, overall.percent.value, raters["b"].ratings
    (2, 0.5, 2)
    >>> agreement([(1, "a", 4), (2, "b", 4)])[0].interval.why
    'no item has ratings by two raters'
    """
    rows = list(ratings)
    item = _codes([row[0] for row in rows])
    rater = np.array([row[1] for row in rows], dtype=object)
    value = np.array([row[2] for row in rows], dtype=np.float64)
    paired = np.bincount(item)[item] >= 2 if rows else np.zeros(0, dtype=np.bool_)
    item, value, of = item[paired], value[paired], rater[paired]
    item = _codes(item.tolist())
    parts = {level: _disagreement(level, item, value) for level in LEVELS}

    def measured(mine: NDArray[np.bool_], why: str) -> Agreement:
        if not mine.any():
            none = Measure(None, why)
            return Agreement(0, 0, none, none, none, none)
        alphas = [_alpha(float(seen[mine].mean()), chance) for seen, chance in parts.values()]
        percent = Measure(1 - float(parts["nominal"][0][mine].mean()))
        return Agreement(len(np.unique(item[mine])), int(mine.sum()), percent, *alphas)

    everybody = measured(np.ones(len(item), dtype=np.bool_), _NO_PAIR)
    return everybody, {name: measured(of == name, _NO_PAIR_OF) for name in dict.fromkeys(rater)}


def _disagreement(level: str, item: NDArray[np.intp], value: Floats) -> tuple[Floats, float]:
    """Each rating's mean disagreement with the others of its item, and the mean one of any two ratings."""
    if not len(value):
        return np.zeros(0), 0.0
    total = len(value)
    values, code, count = np.unique(value, return_inverse=True, return_counts=True)
    if len(values) == 1:
        return np.zeros(total), 0.0
    others = np.bincount(item)[item] - 1
    if level == "nominal":
        _, place, times = np.unique(item * len(values) + code, return_inverse=True, return_counts=True)
        same = times[place] - 1
        return 1 - same / others, 1 - float((count * (count - 1)).sum()) / (total * (total - 1))
    # Krippendorff's ordinal difference of two values is the difference of their mean ranks.
    x = (np.cumsum(count) - count / 2)[code] if level == "ordinal" else value
    if level == "interval":
        x = x - x.mean()
    size = others + 1
    off = x - (np.bincount(item, x) / np.bincount(item))[item]
    seen = (size * off**2 + np.bincount(item, off**2)[item]) / others
    # on average over all pairs (x_i - x_j)^2 is twice the variance
    return seen, 2 * float(np.var(x)) * total / (total - 1)


def _alpha(seen: float, chance: float) -> Measure:
    return Measure(None, _ALL_SAME) if chance == 0.0 else Measure(1 - seen / chance)


def _codes(names: list[object]) -> NDArray[np.intp]:
    """0, 1, 2, … for each different name, in the order of their first appearance."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.intp)
