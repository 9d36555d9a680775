"""Pools whose ids and texts stay in a Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.ingest import IngestError
from celeus_label.ingest.large import open_parquet

SIZE = 2_345
GROUP = 500  # rows of a row group


@pytest.fixture
def columns() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {
        "item_id": [f"item-{row} ü" for row in range(SIZE)],
        "judge_score": rng.integers(1, 6, SIZE).tolist(),
        "length": [None if row % 9 == 0 else float(row) for row in range(SIZE)],
        "topic": [None if row % 7 == 0 else f"t{row % 3}" for row in range(SIZE)],
        "prompt": [f"What is {row}?" for row in range(SIZE)],
        "response": [None if row == 1234 else f"It is {row}. 日本\0" for row in range(SIZE)],
    }


def written(folder: Path, columns: dict[str, Any]) -> Path:
    path = folder / "pool.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=GROUP)
    return path


def test_it_is_the_pool_that_memory_would_hold(tmp_path: Path, columns: dict[str, Any]) -> None:
    large = open_parquet(written(tmp_path, columns), scale=Scale(1, 5), features=["length"], groups=["topic"])
    plain = Pool(
        columns["item_id"],
        columns["judge_score"],
        Scale(1, 5),
        features={"length": [np.nan if one is None else one for one in columns["length"]]},
        groups={"topic": ["" if one is None else one for one in columns["topic"]]},
    )
    assert large.pool.hash == plain.hash
    assert list(large.pool.item_ids) == columns["item_id"]
    for position in (0, GROUP - 1, GROUP, SIZE - 1, -1):
        assert large.pool.item_ids[position] == columns["item_id"][position]
    assert large.pool.item_ids[498:502] == columns["item_id"][498:502]
    with pytest.raises(IndexError, match=f"there is no item {SIZE}: the pool has {SIZE}"):
        large.pool.item_ids[SIZE]
    one, other = Certifier(large.pool, Design(width=0.1, seed=1)), Certifier(plain, Design(width=0.1, seed=1))
    for _ in range(60):
        draw = one.ask()
        assert draw == other.ask()
        for certifier in (one, other):
            certifier.tell(draw.round, columns["judge_score"][draw.position])
    assert one.interval == other.interval


def test_texts_are_fetched_one_at_a_time(tmp_path: Path, columns: dict[str, Any]) -> None:
    large = open_parquet(written(tmp_path, columns), scale=Scale(1, 5))
    for position in (0, 499, 500, 1_999, SIZE - 1):
        expected = columns["prompt"][position], columns["response"][position]
        assert large.texts(position, "prompt", "response") == expected
    assert large.texts(1234, "response") == ("",)
    with pytest.raises(IngestError, match=r"pool\.parquet has no column 'answer'; its columns are item_id, "):
        large.texts(0, "answer")
    with pytest.raises(IndexError, match=f"pool.parquet has {SIZE} rows, and none at position {SIZE}"):
        large.texts(SIZE, "prompt")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"item_id": {2000: "item-7 ü"}}, "row 2001: item_id 'item-7 ü' was already used in row 8"),
        ({"item_id": {2000: None}}, "row 2001: item_id is missing; every item needs one"),
        ({"judge_score": {1700: None}}, "row 1701: judge_score is missing; every item needs one"),
        ({"judge_score": {1700: 6}}, "row 1701: judge score is 6, outside the scale 1 to 5"),
        ({"length": {1700: float("inf")}}, "row 1701: feature length is infinite"),
    ],
)
def test_the_row_that_is_wrong_is_named(
    tmp_path: Path, columns: dict[str, Any], changes: dict[str, dict[int, Any]], sentence: str
) -> None:
    for name, cells in changes.items():
        for row, cell in cells.items():
            columns[name][row] = cell
    with pytest.raises(ValueError, match=sentence):
        open_parquet(written(tmp_path, columns), scale=Scale(1, 5), features=["length"])


def test_a_file_that_does_not_serve_is_named(tmp_path: Path, columns: dict[str, Any]) -> None:
    path = written(tmp_path, columns)
    with pytest.raises(IngestError, match=r"pool\.parquet has no column 'score'"):
        open_parquet(path, judge="score", scale=Scale(1, 5))
    with pytest.raises(IngestError, match="column 'topic' is of the type string, not of numbers"):
        open_parquet(path, scale=Scale(1, 5), features=["topic"])
    with pytest.raises(IngestError, match="there is no file"):
        open_parquet(tmp_path / "none.parquet", scale=Scale(1, 5))
    path.write_bytes(path.read_bytes()[:5_000])
    with pytest.raises(IngestError, match=r"pool\.parquet can't be read as Parquet"):
        open_parquet(path, scale=Scale(1, 5))
    path.write_bytes(b"")
    with pytest.raises(IngestError, match=r"pool\.parquet can't be read as Parquet"):
        open_parquet(path, scale=Scale(1, 5))
    pq.write_table(pa.table({name: values[:0] for name, values in columns.items()}), path)
    with pytest.raises(IngestError, match="of the type null, not of numbers"):
        open_parquet(path, scale=Scale(1, 5))
