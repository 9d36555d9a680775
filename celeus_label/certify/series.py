"""Rows of numbers that grow a round at a time and can be cut back."""

from __future__ import annotations

import math

import numpy as np

from celeus_label.certify.pool import Floats


class Series:
    """A table of floats with named columns and amortised constant-time `append`.

    Examples
    --------
    >>> series = Series("signal", "variance")
    >>> series.append(0.5, 0.1)
    >>> series["variance"]
    array([0.1])
    """

    def __init__(self, *names: str) -> None:
        self._columns = {name: column for column, name in enumerate(names)}
        self._rows = np.empty((len(names), 64))
        self._count = 0

    def append(self, *values: float) -> None:
        """Add one row, a value for each column."""
        if self._count == self._rows.shape[1]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)], axis=1)
        self._rows[:, self._count] = values
        self._count += 1

    def cut(self, count: int) -> None:
        """Forget every row after the first `count`."""
        self._count = min(self._count, count)

    def __getitem__(self, name: str) -> Floats:
        view = self._rows[self._columns[name], : self._count]
        view.flags.writeable = False
        return view

    def __len__(self) -> int:
        return self._count


class ExactSum:
    """A running sum without rounding error: Shewchuk's partial sums, as in `math.fsum`.

    Examples
    --------
    >>> total = ExactSum()
    >>> for _ in range(10):
    ...     total.add(0.1)
    >>> total.value
    1.0
    """

    def __init__(self) -> None:
        self._partials: list[float] = []

    def add(self, value: float) -> None:
        """Add a number."""
        kept = []
        for partial in self._partials:
            larger, smaller = (value, partial) if abs(value) >= abs(partial) else (partial, value)
            value = larger + smaller
            lost = smaller - (value - larger)
            if lost:
                kept.append(lost)
        self._partials = [*kept, value]

    @property
    def value(self) -> float:
        """The sum so far, rounded once."""
        return math.fsum(self._partials)
