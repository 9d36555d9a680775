from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from celeus_label.certify.population import bernoulli_kl, chernoff_kl, hoeffding

SIZES = st.integers(1, 200_000)
ALPHAS = st.floats(1e-6, 0.9)
UNITS = st.floats(0, 1)


@given(UNITS, UNITS, SIZES, ALPHAS)
def test_kl_contains_the_pool_interval_and_lies_in_hoeffdings(
    one: float, other: float, size: int, alpha2: float
) -> None:
    lower, upper = sorted((one, other))
    low, high = chernoff_kl(lower, upper, size, alpha2)
    wide_low, wide_high = hoeffding(lower, upper, size, alpha2)
    assert 0 <= wide_low <= low + 1e-9 and low <= lower
    assert upper <= high and high - 1e-9 <= wide_high <= 1


@pytest.mark.parametrize("mean", [0.0, 1e-4, 0.1, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("size", [3, 40, 68_221])
@pytest.mark.parametrize("alpha2", [0.3, 0.025, 1e-4])
def test_kl_step_against_brute_force(mean: float, size: int, alpha2: float) -> None:
    """The step reaches to the outermost r of a fine grid that the definition keeps, and less than a step beyond."""
    low, high = chernoff_kl(mean, mean, size, alpha2)
    reach = 1.5 * math.sqrt(math.log(2 / alpha2) / (2 * size)) + 0.01
    grid = np.linspace(max(mean - reach, 0), min(mean + reach, 1), 4_001)[1:-1].tolist()
    kept = [r for r in grid if size * bernoulli_kl(mean, r) <= math.log(2 / alpha2)]
    assert min(kept) >= low and max(kept) <= high
    step = grid[1] - grid[0]
    assert min(kept) - low <= step + 1e-9 and high - max(kept) <= step + 1e-9


def test_kl_is_much_shorter_near_the_ends() -> None:
    low, high = chernoff_kl(0.1, 0.1, 5000, 0.025)
    wide_low, wide_high = hoeffding(0.1, 0.1, 5000, 0.025)
    assert (high - low) / (wide_high - wide_low) == pytest.approx(0.6, abs=0.02)
    assert chernoff_kl(0.0, 1.0, 10, 0.1) == (0.0, 1.0)


@pytest.mark.parametrize("step", [hoeffding, chernoff_kl])
@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("alpha2", [0.5, 0.05])
def test_exact_miscoverage_of_the_step(step: object, size: int, alpha2: float) -> None:
    """Summed over every 0/1 pool, whose mean is known."""
    intervals = [step(ones / size, ones / size, size, alpha2) for ones in range(size + 1)]  # type: ignore[operator]
    for p in np.linspace(0.005, 0.995, 199):
        missed = [ones for ones, (low, high) in enumerate(intervals) if not low <= p <= high]
        assert binom.pmf(missed, size, p).sum() <= alpha2


def test_mirror() -> None:
    low, high = chernoff_kl(0.2, 0.3, 500, 0.01)
    assert chernoff_kl(0.7, 0.8, 500, 0.01) == pytest.approx((1 - high, 1 - low), abs=1e-11)
