from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celeus_label.certify import Scale


def test_ends_map_to_zero_and_one_also_when_lower_is_better() -> None:
    for scale in (Scale(1, 5), Scale(5, 1), Scale(-2.5, 100), Scale(0, 1, 0.25)):
        assert scale.to_unit(scale.lower) == 0.0
        assert scale.to_unit(scale.upper) == 1.0
        assert scale.from_unit(0.0) == scale.lower
        assert scale.from_unit(1.0) == scale.upper
    assert Scale(5, 1).to_unit(2) == 0.75


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1))
def test_to_unit_undoes_from_unit(lower: float, upper: float, unit: float) -> None:
    if abs(upper - lower) < 1e-3:
        return
    scale = Scale(lower, upper)
    assert math.isclose(scale.to_unit(scale.from_unit(unit)), unit, abs_tol=1e-6)


def test_zero_is_a_value() -> None:
    assert Scale(0, 1, step=1).check(0, "a rating") == 0.0
    assert Scale(-1, 1).check(0, "a rating") == 0.0


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.99, "row 17: judge_score is 0.99, outside the scale 1 to 5 in steps of 1"),
        (7.2, "row 17: judge_score is 7.2, outside the scale 1 to 5 in steps of 1"),
        (2.5, "row 17: judge_score is 2.5, between two steps of the scale 1 to 5 in steps of 1"),
        (math.nan, "row 17: judge_score is nan, not a finite number"),
        (math.inf, "row 17: judge_score is inf, not a finite number"),
        ("good", "row 17: judge_score is 'good', not a number"),
        (None, "row 17: judge_score is None, not a number"),
    ],
)
def test_a_value_that_is_none_of_the_scale_is_named_with_its_place(value: object, told: str) -> None:
    with pytest.raises(ValueError) as caught:
        Scale(1, 5, step=1).check(value, "row 17: judge_score")  # type: ignore[arg-type]
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("value", [1, 1.0, 3, 5, 4.0])
def test_values_on_steps_are_taken(value: float) -> None:
    for scale in (Scale(1, 5, step=1), Scale(5, 1, step=1), Scale(1, 5, step=0.1)):
        assert scale.check(value, "a rating") == value


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((1, 1), "its ends must differ"),
        ((math.nan, 1), "its ends must be finite"),
        ((0, math.inf), "its ends must be finite"),
        ((0, 1, 0), r"the step must lie in \(0, 1\], got 0"),
        ((0, 1, -0.5), "the step must lie in"),
        ((0, 1, 2), "the step must lie in"),
        ((0, 1, 0.3), "is no whole number of steps of 0.3"),
    ],
)
def test_a_scale_that_is_none_is_refused(arguments: tuple[float, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Scale(*arguments)


def test_a_scale_goes_through_a_dict() -> None:
    for scale in (Scale(1, 5), Scale(5, 1, 1, ("bad", "good")), Scale(0, 1, 0.1)):
        assert Scale.from_dict(scale.to_dict()) == scale
