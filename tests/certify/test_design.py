from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from celeus_label.certify import PRESETS, Certifier, Design, Pool, Scale


def _pool(size: int = 2000, **options: Any) -> Pool:
    return Pool([str(row) for row in range(size)], np.linspace(0, 1, size), Scale(0, 1), **options)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fills_what_is_left_open_and_nothing_else(preset: str) -> None:
    design = Design(preset=preset)
    for name, value in PRESETS[preset].items():
        assert getattr(design, name) == value
    assert Design(preset=preset, beta=0.7, c=0.25).beta == 0.7
    assert Design.from_dict(design.to_dict()) == design


@pytest.mark.parametrize("name", ["width", "alpha", "theta", "alpha_split"])
@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, math.nan, math.inf])
def test_shares_lie_strictly_between_0_and_1(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"design: {name} must lie in \(0, 1\), got {value}"):
        Design(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("beta", 0, r"beta must lie in \(0, 1\], got 0"),
        ("beta", 1.01, r"beta must lie in \(0, 1\]"),
        ("beta", math.nan, r"beta must lie in \(0, 1\]"),
        ("c", 0, "c must be positive, got 0"),
        ("c", math.inf, "c must be positive"),
        ("c", math.nan, "c must be positive"),
        ("seed", -1, "seed must be a whole number from 0 to"),
        ("seed", 2**63, "seed must be a whole number"),
        ("seed", 1.0, "seed must be a whole number"),
        ("ratings_per_item", 0, "ratings_per_item must be a whole number, at least 1 and at most .* got 0"),
        ("ratings_per_item", 1.5, "ratings_per_item must be a whole number"),
        ("unratable_after", 0, "unratable_after must be a whole number"),
        ("budget", 0, "budget must be a whole number, at least 1 and at most .* got 0"),
        ("budget", 2**53, r"budget must be a whole number, .* at most 2\^53 - 1, got 9007199254740992"),
        ("unratable_after", 10**23, "unratable_after must be a whole number"),
        ("ratings_per_item", 2**63, "ratings_per_item must be a whole number"),
        ("preset", "best", "preset must be one of target-aware, celeus"),
        ("target", "everything", "target must be one of pool, population, got 'everything'"),
        ("aggregate", "mode", "aggregate must be one of mean, median"),
        ("unratable", "drop", "unratable must be one of bound, worst, best"),
        ("bounds", "none", "bounds must be one of local, global"),
        ("population_step", "t", "population_step must be one of hoeffding, kl"),
        ("surrogate", "magic", "surrogate must be one of fitted, judge, none"),
        ("bet", "all", "bet must be one of hedged, target"),
        ("signal", "loud", "signal must be one of corrected, raw"),
    ],
)
def test_a_value_that_none_may_have_is_refused(name: str, value: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Design(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", ["oracle", "cer-eval"])
def test_what_certifies_nothing_makes_no_design(preset: str) -> None:
    with pytest.raises(ValueError, match="for comparison only"):
        Design(preset=preset)


def test_a_field_that_no_design_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no design has the field 'magic'"):
        Design.from_dict({**Design().to_dict(), "magic": 1})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"weights": "w"}, "weights name the feature 'w'; the pool's features are gap, negative"),
        ({"weights": "gap"}, "row 2: gap is nan; a sampling weight must be a number, 0 or more"),
        ({"weights": "negative"}, "row 1: negative is -1; a sampling weight"),
        ({"above": 5.5}, "above is 5.5, outside the scale 1 to 5"),
        ({"below": 0}, "below is 0, outside the scale 1 to 5"),
        ({"above": math.nan}, "above is nan, outside the scale"),
        (
            {"target": "population", "width": 0.05},
            "width 0.05 is out of reach for the population of a pool of 3 items",
        ),
        ({"preset": "evalue"}, "is not valid for the target pool"),
        ({"preset": "evalue", "target": "population", "weights": "gap"}, "would bias it"),
    ],
)
def test_what_does_not_fit_the_pool_is_refused_before_the_first_draw(
    options: dict[str, Any], told: str
) -> None:
    pool = Pool(
        ["a", "b", "c"],
        [1, 2, 5],
        Scale(1, 5),
        features={"gap": [1, math.nan, 1], "negative": [-1, 1, 1]},
    )
    with pytest.raises(ValueError, match=told):
        Certifier(pool, Design(**options))


def test_raw_ratings_and_learnt_weights_are_refused() -> None:
    with pytest.raises(ValueError, match=r"raw|as they are"):
        Certifier(_pool(), Design(target="population", signal="raw", width=0.2))


# --- the two shares of alpha ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["target-aware", "celeus"])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_shares_of_alpha_add_up(preset: str, alpha: float) -> None:
    pool = _pool()
    whole = Design(preset=preset, alpha=alpha).resolved(pool)
    assert (whole.alpha1, whole.alpha2) == (alpha, 0)
    split = Design(preset=preset, alpha=alpha, target="population", width=0.2).resolved(pool)
    assert split.alpha1 > 0 and split.alpha2 > 0
    assert split.alpha1 + split.alpha2 == pytest.approx(alpha, abs=1e-15)
    if preset == "celeus":
        assert split.alpha1 == alpha / 2


def test_half_width_is_where_the_widened_interval_has_the_width() -> None:
    for step in ("hoeffding", "kl"):
        design = Design(target="population", width=0.2, population_step=step, alpha_split=0.5)
        for centre in (0.0, 0.05, 0.5, 0.98, 1.0):
            half = design.half_width(2000, centre)
            low, high = design.widen(max(centre - half, 0), min(centre + half, 1), 2000)
            assert high - low == pytest.approx(0.2, abs=1e-6)
    assert Design(width=0.2).half_width(10, 0.5) == 0.1
    assert Design(target="population", width=0.05, alpha_split=0.5).half_width(100, 0.5) == 0


def test_global_bounds() -> None:
    assert Design(beta=0.4, surrogate="judge").global_bounds == (-2.5, 3.5)
    assert Design(beta=0.4).global_bounds[0] < -2.5  # a learnt floor may be lower
