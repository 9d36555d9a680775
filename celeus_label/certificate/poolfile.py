"""The pool, read back from a bundle."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from celeus_label.certificate.archive import MAX_COLUMNS, MAX_ITEMS
from celeus_label.certificate.cells import read_number, read_text
from celeus_label.certificate.tables import FEATURE, GROUP
from celeus_label.certify import Pool, Scale


def read_scale(fields: Any) -> Scale:
    """A scale from its JSON fields, which must have the right types already: "1" is no number.

    Raises
    ------
    ValueError, TypeError, KeyError
        They are not the fields of a scale.
    """
    labels = fields["labels"]
    if not (isinstance(labels, list) and all(isinstance(label, str) for label in labels)):
        raise ValueError("the labels of a scale are not a list of texts")
    return Scale(fields["lower"], fields["upper"], fields["step"], tuple(labels))


def read_pool(rows: Iterator[list[str]], scale: Scale, judge_scale: Scale) -> Pool:
    """Read pool.csv.

    Parameters
    ----------
    rows : iterator of list of str
        Header and rows, see `cells.read_rows`.
    scale, judge_scale : Scale
        Of the raters and of the judge; they stand in design.json.

    Raises
    ------
    ValueError
        The header or a value is not what a bundle has; its row, counted from 1 after the header, is named.
    """
    header = next(rows, [])
    if header[:3] != ["position", "item_id", "judge_score"]:
        raise ValueError("its header does not begin with position,item_id,judge_score")
    if len(header) - 3 > MAX_COLUMNS:
        raise ValueError(f"it has {len(header) - 3:,} features and groups, more than {MAX_COLUMNS:,}")
    ids: list[str] = []
    judge: list[float] = []
    features: dict[str, list[float]] = {}
    groups: dict[str, list[str]] = {}
    readers: list[tuple[str, Callable[[str], Any], list[Any]]] = []
    for name in header[3:]:
        kind = FEATURE if name.startswith(FEATURE) else GROUP if name.startswith(GROUP) else None
        if kind is None or header.count(name) > 1:
            raise ValueError(f"its header has the column {name[:60]!r}, which a bundle has not or has once")
        if kind == FEATURE and groups:
            raise ValueError(f"its header has the column {name[:60]!r} after a group")
        if kind == FEATURE:
            readers.append((name, _feature, features.setdefault(name.removeprefix(kind), [])))
        else:
            readers.append((name, read_text, groups.setdefault(name.removeprefix(kind), [])))
    columns: list[tuple[str, Callable[[str], Any], list[Any]]] = [
        ("item_id", read_text, ids),
        ("judge_score", read_number, judge),
        *readers,
    ]
    for number, cells in enumerate(rows, start=1):
        if number > MAX_ITEMS:
            raise ValueError(f"it has more than {MAX_ITEMS:,} rows")
        if len(cells) != len(header):
            raise ValueError(f"row {number}: it has {len(cells)} cells, the header has {len(header)}")
        if cells[0] != str(number - 1):
            raise ValueError(
                f"row {number}, column position: {cells[0][:60]!r}, but it must be {number - 1}; "
                f"a row is missing, added or moved"
            )
        for (name, read, column), cell in zip(columns, cells[1:], strict=True):
            try:
                column.append(read(cell))
            except ValueError as fault:
                raise ValueError(f"row {number}, column {name}: {fault}") from fault
    return Pool(ids, judge, scale, judge_scale, features, groups)


def _feature(cell: str) -> float:
    return math.nan if cell == "" else read_number(cell)
