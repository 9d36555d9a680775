"""Fewer points for a chart, without hiding anything that stands out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from celeus_label.certify.pool import Floats


def kept(values: Floats, most: int) -> list[int]:
    """Places to keep of a long series: the first, the last, and both extremes of each stretch in between.

    Examples
    --------
    >>> kept(np.array([0.0, 1, 2, 9, 2, 1, -5, 1, 1, 1]), 6)
    [0, 3, 5, 6, 9]
    >>> kept(np.array([1.0, 2.0]), 6)
    [0, 1]
    """
    count = len(values)
    if count <= most:
        return list(range(count))
    edges = np.linspace(0, count, max((most - 2) // 2, 1) + 1).round().astype(int)
    places = {0, count - 1}
    for start, end in pairwise(edges):
        part = values[start:end]
        places |= {int(start + part.argmin()), int(start + part.argmax())}
    return sorted(places)
