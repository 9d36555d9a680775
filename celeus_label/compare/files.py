"""Label probabilities from a file: CSV, Parquet and the like, or NPZ."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from celeus_label.certify.pool import Floats
from celeus_label.compare.losses import Probabilities
from celeus_label.ingest import IngestError, Table, cell, read_table
from celeus_label.ingest.cells import read_number

LABEL = "label"
_ARRAYS = ("target_p", "surrogate_p", LABEL)


def read_probabilities(path: Path) -> Probabilities:
    """Read a target and a surrogate model's label probabilities, and the true labels.

    A table has the columns ``target_p_0``, ``target_p_1``, …, ``surrogate_p_0``, … and ``label``, a whole number from
    0. An NPZ file has the arrays ``target_p`` and ``surrogate_p`` of shape (N, K) and ``label`` of shape (N,).

    Raises
    ------
    ValueError
        A column or an array is missing, or a cell is no number, or as for `Probabilities`; the place is named.
    """
    if not path.is_file():
        raise IngestError(f"there is no file {path}")
    target, surrogate, label = _npz(path) if path.suffix.lower() == ".npz" else _table(path)
    try:
        return Probabilities(target, surrogate, label, path.stem)
    except ValueError as fault:
        raise IngestError(f"{path.name}: {fault}") from None


def _npz(path: Path) -> tuple[Floats, Floats, Any]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            missing = [name for name in _ARRAYS if name not in arrays]
            if missing:
                raise IngestError(
                    f"{path.name}: the array {missing[0]!r} is missing; it has {', '.join(arrays) or 'none'}"
                )
            return arrays["target_p"], arrays["surrogate_p"], arrays[LABEL]
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as fault:
        if isinstance(fault, IngestError):
            raise
        raise IngestError(f"{path.name} can't be read as NPZ: {fault}") from None


def _table(path: Path) -> tuple[Floats, Floats, Any]:
    table = read_table(path)
    names = {model: _numbered(table, f"{model}_p_") for model in ("target", "surrogate")}
    if len(names["target"]) != len(names["surrogate"]):
        raise IngestError(
            f"{path.name}: {len(names['target'])} columns target_p_… and {len(names['surrogate'])} surrogate_p_…; "
            f"both models need a probability for every label"
        )
    if LABEL not in table.columns:
        raise IngestError(f"{path.name}: the column {LABEL!r} is missing; it has {', '.join(table.columns)}")
    wanted = [*names["target"], *names["surrogate"], LABEL]
    rows = []
    for place, row in table.rows():
        numbers = [read_number(cell(row, name)) for name in wanted]
        if None in numbers:
            name = wanted[numbers.index(None)]
            raise IngestError(f"row {place}: {name} is {cell(row, name)!r}, not a number")
        rows.append(numbers)
    if not rows:
        raise IngestError(f"{path.name}: it has no row")
    columns = np.array(rows, dtype=np.float64)
    count = len(names["target"])
    return columns[:, :count], columns[:, count : 2 * count], columns[:, -1]


def _numbered(table: Table, start: str) -> list[str]:
    """The columns start0, start1, … in that order."""
    found: list[str] = []
    while f"{start}{len(found)}" in table.columns:
        found.append(f"{start}{len(found)}")
    if len(found) < 2:
        raise IngestError(
            f"{table.name}: the column {start}{len(found)} is missing; a model needs a probability for at least two "
            f"labels, in columns {start}0, {start}1, …"
        )
    return found
