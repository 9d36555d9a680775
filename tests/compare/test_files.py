"""Label probabilities are the same from every kind of file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from celeus_label.compare.files import read_probabilities
from celeus_label.compare.pools import REGIMES, probabilities

KNOWN = probabilities(REGIMES["agnews"], items=40)


def frame() -> pd.DataFrame:
    columns = {
        f"{name}_p_{k}": getattr(KNOWN, name)[:, k]
        for name in ("target", "surrogate")
        for k in range(KNOWN.labels)
    }
    return pd.DataFrame({"label": KNOWN.label, **columns, "note": "x"})


def written(folder: Path, name: str) -> Path:
    path = folder / name
    if name.endswith(".npz"):
        np.savez(path, target_p=KNOWN.target, surrogate_p=KNOWN.surrogate, label=KNOWN.label)
    elif name.endswith(".parquet"):
        frame().to_parquet(path)
    else:
        frame().to_csv(path, index=False, sep="\t" if name.endswith(".tsv") else ",")
    return path


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.csv.gz", "p.parquet", "p.npz"])
def test_every_format_reads_the_same(tmp_path: Path, name: str) -> None:
    found = read_probabilities(written(tmp_path, name))
    assert found.target == pytest.approx(KNOWN.target)
    assert found.surrogate == pytest.approx(KNOWN.surrogate)
    assert found.label.tolist() == KNOWN.label.tolist()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.drop(columns="label"), "the column 'label' is missing; it has target_p_0"),
        (lambda f: f.drop(columns="target_p_1"), "the column target_p_1 is missing; a model needs"),
        (lambda f: f.drop(columns="surrogate_p_3"), "4 columns target_p_… and 3 surrogate_p_…"),
        (
            lambda f: f.assign(target_p_2=["?", *f["target_p_2"][1:]]),
            r"row 2: target_p_2 is '\?', not a number",
        ),
        (lambda f: f.assign(target_p_0=f["target_p_0"] + 1), "item 1: the target's probabilities"),
        (lambda f: f.head(0), "it has no row"),
    ],
)
def test_faults_of_a_table_are_named(tmp_path: Path, change: object, sentence: str) -> None:
    path = tmp_path / "p.csv"
    change(frame()).to_csv(path, index=False)  # type: ignore[operator]
    with pytest.raises(ValueError, match=sentence):
        read_probabilities(path)


def test_faults_of_an_archive_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    np.savez(path, target_p=KNOWN.target, label=KNOWN.label)
    with pytest.raises(ValueError, match="the array 'surrogate_p' is missing; it has target_p, label"):
        read_probabilities(path)
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(ValueError, match="can't be read as NPZ"):
        read_probabilities(path)
    np.savez(path, target_p=np.array([{}], dtype=object), surrogate_p=KNOWN.surrogate, label=KNOWN.label)
    with pytest.raises(ValueError, match="can't be read as NPZ"):
        read_probabilities(path)
    with pytest.raises(ValueError, match="there is no file"):
        read_probabilities(tmp_path / "none.npz")
