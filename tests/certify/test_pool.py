from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from celeus_label.certify import Pool, Scale
from celeus_label.certify.blocks import LENGTH

TABLE: dict[str, list[Any]] = {
    "item_id": ["a", "b", "c"],
    "judge_score": [1, 3, 5],
    "spread": [0.1, None, 0.3],
    "topic": ["x", "y", "x"],
}


def _pool(**changes: Any) -> Pool:
    options: dict[str, Any] = {"features": ["spread"], "groups": ["topic"]}
    return Pool.from_frame({**TABLE, **changes}, scale=(1, 5), **options)


def test_a_data_frame_and_a_dict_of_lists_are_the_same_pool() -> None:
    one = _pool()
    two = Pool.from_frame(pd.DataFrame(TABLE), scale=Scale(1, 5), features=["spread"], groups=["topic"])
    assert one.hash == two.hash
    assert one.item_ids == ("a", "b", "c") and one.size == 3
    np.testing.assert_array_equal(one.surrogate, [0, 0.5, 1])
    assert np.isnan(one.features["spread"][1])
    assert one.groups["topic"] == ("x", "y", "x")


def test_the_judge_has_a_scale_of_its_own_also_upside_down() -> None:
    pool = Pool(["a", "b"], [0, 10], Scale(1, 5), judge_scale=Scale(10, 0))
    np.testing.assert_array_equal(pool.surrogate, [1, 0])


@pytest.mark.parametrize(
    "changes",
    [
        {"item_id": ["a", "b", "d"]},
        {"judge_score": [1, 3, 4.999999]},
        {"spread": [0.1, None, 0.30000001]},
        {"spread": [0.1, 0.0, 0.3]},
        {"topic": ["x", "y", "y"]},
        {"item_id": ["b", "a", "c"], "judge_score": [3, 1, 5]},
    ],
)
def test_the_hash_sees_every_change(changes: dict[str, Any]) -> None:
    assert _pool(**changes).hash != _pool().hash


def test_the_hash_sees_scales_and_names() -> None:
    hashes = {
        Pool(["a"], [1], Scale(1, 5)).hash,
        Pool(["a"], [1], Scale(1, 6)).hash,
        Pool(["a"], [1], Scale(1, 5, 1)).hash,
        Pool(["a"], [1], Scale(1, 5), Scale(0, 5)).hash,
        Pool(["a"], [1], Scale(1, 5), features={"x": [1]}).hash,
        Pool(["a"], [1], Scale(1, 5), features={"y": [1]}).hash,
        Pool(["a"], [1], Scale(1, 5), groups={"x": ["1"]}).hash,
    }
    assert len(hashes) == 7
    assert Pool(["a"], [0.0], Scale(0, 1)).hash == Pool(["a"], [-0.0], Scale(0, 1)).hash


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"judge_score": [1, 7.2, 5]}, "row 2: judge score is 7.2, outside the scale 1 to 5"),
        ({"judge_score": [1, 3, None]}, "row 3: judge score is nan, not a finite number"),
        ({"judge_score": [1, float("inf"), 5]}, "row 2: judge score is inf, not a finite number"),
        ({"judge_score": [1, 3, "five"]}, "row 3: judge score is 'five', not a number"),
        ({"judge_score": [1, 3]}, r"judge score: \(2,\) values for 3 items"),
        ({"item_id": ["a", "b", "a"]}, "row 3: item_id 'a' was already used in row 1"),
        ({"spread": [0, 1, "much"]}, "row 3: feature spread is 'much', not a number"),
        ({"spread": [0, float("-inf"), 1]}, "row 2: feature spread is infinite"),
        ({"topic": ["x", "y"]}, "group topic: 2 values for 3 items"),
    ],
)
def test_a_bad_row_is_named(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        _pool(**changes)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(
        ValueError, match="column 'score' is missing; the columns are item_id, judge_score, spread, topic"
    ):
        Pool.from_frame(TABLE, judge="score", scale=(1, 5))
    with pytest.raises(ValueError, match="it has no item"):
        Pool([], [], Scale(0, 1))
    with pytest.raises(ValueError, match="its lower end must come first"):
        Pool(["a"], [1], Scale(5, 1))


def test_a_pool_cannot_be_changed() -> None:
    pool = _pool()
    with pytest.raises(ValueError, match="read-only"):
        pool.judge[0] = 2
    judge = np.array([1.0, 2.0])
    other = Pool(["a", "b"], judge, Scale(1, 5))
    judge[0] = 5
    assert other.judge[0] == 1.0


def test_rows_are_numbered_where_there_is_no_id() -> None:
    pool = Pool.from_frame({"judge_score": [1, 2]}, scale=(1, 5), item_id=None)
    assert pool.item_ids == ("row-1", "row-2")


def test_the_hash_of_a_long_pool_is_that_of_its_lists_as_json() -> None:
    size = LENGTH + 3
    ids, judge = [f'é"{row}' for row in range(size)], np.linspace(1, 5, size)
    levels = [f"g{row % 5}" for row in range(size)]
    pool = Pool(ids, judge, Scale(1, 5), groups={"g": levels})
    scale = Scale(1, 5).to_dict()
    header = {"scale": scale, "judge_scale": scale, "features": [], "groups": ["g"]}
    whole = json.dumps([header, ids], sort_keys=True).encode() + judge.tobytes() + json.dumps(levels).encode()
    assert pool.hash == hashlib.sha256(whole).hexdigest()
