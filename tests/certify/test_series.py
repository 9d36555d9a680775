from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify.series import Series


def test_rows_grow_beyond_any_first_size_and_are_cut_back() -> None:
    series = Series("a", "b")
    for row in range(1000):
        series.append(row, -row)
    assert len(series) == 1000
    np.testing.assert_array_equal(series["a"], np.arange(1000))
    series.cut(10)
    series.append(77, 0)
    np.testing.assert_array_equal(series["a"], [*range(10), 77])
    series.cut(99)
    assert len(series) == 11


def test_a_column_cannot_be_written_to() -> None:
    series = Series("a")
    series.append(1)
    with pytest.raises(ValueError, match="read-only"):
        series["a"][0] = 2
