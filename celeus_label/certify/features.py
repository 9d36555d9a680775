"""What is known of every item before it is rated, as columns that a regression can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.blocks import blocks
from celeus_label.certify.pool import Floats, Pool

# A group column gets a coefficient only for its levels rated at least this often, the most frequent first.
_FEWEST_OF_LEVEL = 3


@dataclass(frozen=True)
class Coefficients:
    """A linear function of an item's columns.

    Attributes
    ----------
    intercept : float
    numbers : dict of str to float
        By column, for the column scaled to mean 0 and standard deviation 1 over the pool.
    groups : dict of str to dict of str to float
        By group column and level; a level without a coefficient counts as 0.
    """

    intercept: float
    numbers: dict[str, float]
    groups: dict[str, dict[str, float]]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"intercept": self.intercept, "numbers": self.numbers, "groups": self.groups}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Coefficients:
        """Read what `to_dict` wrote."""
        return cls(
            fields["intercept"], dict(fields["numbers"]), {k: dict(v) for k, v in fields["groups"].items()}
        )


class Features:
    """The pool's columns, scaled; constant ones are left out.

    The judge comes first, with its square where it has more than two values; then every numeric feature, missing
    values at the mean and marked in a column of their own; then the group columns.

    Parameters
    ----------
    pool : Pool
    """

    def __init__(self, pool: Pool) -> None:
        self.size = pool.size
        self.numbers: dict[str, Floats] = {}
        self._add("judge", pool.surrogate)
        if "judge" in self.numbers:
            self._add("judge squared", self.numbers["judge"] ** 2)
        self.judge_columns = len(self.numbers)
        for name, column in pool.features.items():
            missing = np.isnan(column)
            if missing.all():
                continue
            known = column if not missing.any() else np.where(missing, column[~missing].mean(), column)
            self._add(f"feature {name}", known)
            if missing.any():
                self._add(f"feature {name} missing", missing.astype(np.float64))
        self.groups: dict[str, tuple[list[str], NDArray[np.int32]]] = {}
        for name, values in pool.groups.items():
            names = {
                value: value.rstrip("\0") for value in set(values)
            }  # as numpy's arrays of texts have them
            levels = sorted(set(names.values()))
            if len(levels) > 1:
                place = {level: code for code, level in enumerate(levels)}
                code_of = {value: place[level] for value, level in names.items()}
                codes = np.fromiter(map(code_of.__getitem__, values), np.int32, self.size)
                self.groups[name] = (levels, codes)

    def _add(self, name: str, column: Floats) -> None:
        largest = max(float(column.max()), -float(column.min()))
        if largest > 0.0:
            column = column / largest  # squares of numbers like 1e300 would overflow
        spread = float(column.std())
        # a square of a column with two values, or a copy that scaling makes equal, adds nothing
        if spread > 1e-9:
            column -= column.mean()
            column /= spread
            self.numbers[name] = column

    def rows(
        self, positions: NDArray[np.intp], most_levels: int
    ) -> tuple[Floats, list[tuple[str, str, str]]]:
        """The design matrix of some items, and a name for each of its columns.

        Parameters
        ----------
        positions : int array of shape (n,)
        most_levels : int
            How many levels of groups get a column at most.

        Returns
        -------
        array of shape (n, p)
        list of (kind, column, level)
            "number" or "group" first.
        """
        columns = [values[positions] for values in self.numbers.values()]
        names = [("number", name, "") for name in self.numbers]
        counted = []
        for name, (levels, codes) in self.groups.items():
            counts = np.bincount(codes[positions], minlength=len(levels))
            counted += [
                (-int(counts[level]), name, level) for level in np.flatnonzero(counts >= _FEWEST_OF_LEVEL)
            ]
        for _, name, level in sorted(counted)[:most_levels]:
            levels, codes = self.groups[name]
            columns.append((codes[positions] == level).astype(np.float64))
            names.append(("group", name, levels[level]))
        matrix = np.array(columns).T if columns else np.empty((len(positions), 0))
        return matrix, names

    def coefficients(
        self, intercept: float, values: Floats, names: list[tuple[str, str, str]]
    ) -> Coefficients:
        """Coefficients by name, from a fit's vector in the order of `rows`."""
        numbers = {}
        groups: dict[str, dict[str, float]] = {}
        for value, (kind, name, level) in zip(values.tolist(), names, strict=True):
            if kind == "number":
                numbers[name] = value
            else:
                groups.setdefault(name, {})[level] = value
        return Coefficients(float(intercept), numbers, groups)

    def predict(self, fit: Coefficients) -> Floats:
        """The linear function at every item, shape (N,); added column by column, the same on every machine."""
        result = np.full(self.size, fit.intercept)
        numbers = [(value, self.numbers[name]) for name, value in fit.numbers.items() if value != 0.0]
        groups = []
        for name, effects in fit.groups.items():
            levels, codes = self.groups[name]
            groups.append((np.array([effects.get(level, 0.0) for level in levels]), codes))
        for part in blocks(self.size):
            here = result[part]
            for value, column in numbers:
                here += value * column[part]
            for by_level, codes in groups:
                here += by_level[codes[part]]
        return result
