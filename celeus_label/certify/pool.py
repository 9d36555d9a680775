"""The pool: item ids, judge scores and features, fixed before the first draw. It holds no texts and no human values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.blocks import LENGTH, blocks
from celeus_label.certify.scale import Scale

Floats = NDArray[np.float64]


class StoredIds(Sequence[str]):
    """Item ids that stay where they are stored, read one at a time, or all in order where they are iterated.

    Whoever stores them has made sure that each is there once and that none changes.
    """


class Pool:
    """N items with what is known of them before any rating.

    Parameters
    ----------
    item_ids : sequence of str, length N
        Unique names; `StoredIds` are not taken into memory.
    judge : array_like, shape (N,)
        The judge's scores on `judge_scale`.
    scale : Scale
        The scale of the raters.
    judge_scale : Scale, optional
        The scale of the judge; the raters' scale where it is None.
    features : mapping of str to array_like of shape (N,), optional
        Further numbers known of every item; NaN where missing.
    groups : mapping of str to sequence of str, optional
        Further categories of every item (system, topic, …).

    Raises
    ------
    ValueError
        No item, a duplicate id, a score outside its scale, or columns of different lengths; the row is named,
        counted from 1.
    """

    def __init__(
        self,
        item_ids: Sequence[str],
        judge: Sequence[float] | Floats,
        scale: Scale,
        judge_scale: Scale | None = None,
        features: Mapping[str, Sequence[float] | Floats] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if scale.lower > scale.upper:
            raise ValueError(f"scale of the raters: its lower end must come first, got {scale}")
        stored = isinstance(item_ids, StoredIds)
        self.item_ids = item_ids if stored else tuple(str(item_id) for item_id in item_ids)
        self.scale = scale
        self.judge_scale = judge_scale or scale
        if not self.item_ids:
            raise ValueError("pool: it has no item; a pool needs at least one")
        if not stored:
            self._check_unique()
        self.judge = _column("judge score", judge, self.size)
        self._check_judge()
        self.features = {
            name: _column(f"feature {name}", values, self.size) for name, values in (features or {}).items()
        }
        for name, column in self.features.items():
            if np.isinf(column).any():
                raise ValueError(
                    f"row {int(np.argmax(np.isinf(column))) + 1}: feature {name} is infinite; leave it blank"
                )
        self.groups = {name: tuple(str(value) for value in values) for name, values in (groups or {}).items()}
        for name, values in self.groups.items():
            if len(values) != self.size:
                raise ValueError(f"group {name}: {len(values)} values for {self.size} items")

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        judge: str = "judge_score",
        scale: Scale | tuple[float, float] = (1, 5),
        judge_scale: Scale | tuple[float, float] | None = None,
        item_id: str | None = "item_id",
        features: Sequence[str] = (),
        groups: Sequence[str] = (),
    ) -> Pool:
        """Build a pool from a data frame, or any mapping of column names to columns.

        Parameters
        ----------
        frame : mapping of str to sequence
            A pandas DataFrame, a dict of lists, …
        judge, item_id : str
            Their columns; ``item_id=None`` numbers the rows instead.
        scale, judge_scale : Scale or (lower, upper)
            Of the raters and of the judge (the same where it is None).
        features, groups : sequence of str
            Further columns of numbers and of categories.

        Raises
        ------
        ValueError
            A column is missing, or as for `Pool`.
        """
        wanted = [judge, *([] if item_id is None else [item_id]), *features, *groups]
        for name in wanted:
            if name not in frame:
                raise ValueError(f"column {name!r} is missing; the columns are {', '.join(map(str, frame))}")
        ids = (
            [f"row-{row}" for row in range(1, len(frame[judge]) + 1)]
            if item_id is None
            else list(frame[item_id])
        )
        return cls(
            ids,
            list(frame[judge]),
            _scale(scale),
            None if judge_scale is None else _scale(judge_scale),
            {name: list(frame[name]) for name in features},
            {name: list(frame[name]) for name in groups},
        )

    @property
    def size(self) -> int:
        """Number of items N."""
        return len(self.item_ids)

    @cached_property
    def surrogate(self) -> Floats:
        """The judge's scores on [0, 1], shape (N,)."""
        low, high = self.judge_scale.lower, self.judge_scale.upper
        surrogate = self.judge - low
        surrogate /= high - low
        return surrogate

    @cached_property
    def hash(self) -> str:
        """SHA-256 over ids, judge scores, features, groups and scales, 64 hex digits."""
        digest = hashlib.sha256()
        header = {
            "scale": self.scale.to_dict(),
            "judge_scale": self.judge_scale.to_dict(),
            "features": sorted(self.features),
            "groups": sorted(self.groups),
        }
        digest.update(f"[{json.dumps(header, sort_keys=True)}, ".encode())
        _add_list(digest, self.item_ids)
        digest.update(b"]")
        for column in [self.judge, *(self.features[name] for name in sorted(self.features))]:
            for part in blocks(self.size):
                # one bit pattern for every NaN and for both zeros
                clean = np.where(np.isnan(column[part]), np.nan, column[part] + 0.0)
                digest.update(clean.astype("<f8").tobytes())
        for name in sorted(self.groups):
            _add_list(digest, self.groups[name])
        return digest.hexdigest()

    def _check_unique(self) -> None:
        if len(set(self.item_ids)) == self.size:
            return
        first: dict[str, int] = {}
        for row, item_id in enumerate(self.item_ids, start=1):
            if item_id in first:
                raise ValueError(
                    f"row {row}: item_id {item_id!r} was already used in row {first[item_id]}; ids must be unique"
                )
            first[item_id] = row

    def _check_judge(self) -> None:
        low, high = sorted((self.judge_scale.lower, self.judge_scale.upper))
        wrong = ~((self.judge >= low) & (self.judge <= high))  # NaN compares false, so it is found too
        if wrong.any():
            row = int(np.argmax(wrong))
            self.judge_scale.check(float(self.judge[row]), f"row {row + 1}: judge score")

    def __repr__(self) -> str:
        return f"Pool({self.size} items, scale {self.scale}, judge scale {self.judge_scale})"


def _scale(scale: Scale | tuple[float, float]) -> Scale:
    return scale if isinstance(scale, Scale) else Scale(float(scale[0]), float(scale[1]))


def _add_list(digest: Any, values: Iterable[str]) -> None:
    """Add ``json.dumps(list(values))`` to a hash, some at a time."""
    digest.update(b"[")
    before, rest = "", iter(values)
    while part := list(islice(rest, LENGTH)):
        digest.update((before + json.dumps(part)[1:-1]).encode())
        before = ", "
    digest.update(b"]")


def _column(name: str, values: Sequence[float] | Floats, size: int) -> Floats:
    try:
        column = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        for row, value in enumerate(values, start=1):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(f"row {row}: {name} is {value!r}, not a number") from None
        raise
    if column.shape != (size,):
        raise ValueError(f"{name}: {column.shape} values for {size} items")
    column.flags.writeable = False
    return column
