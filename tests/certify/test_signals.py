from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify.signals import conditional_variance, terms

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_terms_against_the_formulas(size: int) -> None:
    y, s = RNG.random(size), RNG.random(size)
    remaining = RNG.random(size) < 0.7
    remaining[0] = True
    q = np.where(remaining, RNG.random(size) + 0.05, 0.0)
    q /= q.sum()
    rated = float(y[~remaining].sum())
    signals, chances = [], []
    for item in np.flatnonzero(remaining).tolist():
        known = terms(item, s, q, remaining)
        base = (rated + sum(s[j] for j in range(size) if remaining[j])) / size
        low = base + min((0 - s[j]) / (size * q[j]) for j in range(size) if remaining[j])
        high = base + max((1 - s[j]) / (size * q[j]) for j in range(size) if remaining[j])
        assert known.bounds(rated) == pytest.approx((low, high), abs=1e-14)
        signal = base + (y[item] - s[item]) / (size * q[item])
        assert known.signal(rated, float(y[item])) == pytest.approx(signal, abs=1e-14)
        assert (known.size, known.left, known.q) == (size, remaining.sum(), q[item])
        signals.append(signal)
        chances.append(q[item])
    mean = float(np.dot(chances, signals))
    assert mean == pytest.approx(y.mean(), abs=1e-13)
    variance = float(np.dot(chances, (np.array(signals) - mean) ** 2))
    assert conditional_variance(y, s, q, remaining) == pytest.approx(variance, abs=1e-12)


def test_the_last_item_makes_the_signal_the_mean() -> None:
    y, s = np.array([1.0, 0.0, 0.25]), np.array([0.3, 0.3, 0.9])
    remaining = np.array([False, False, True])
    known = terms(2, s, remaining * 1.0, remaining)
    assert known.signal(1.0, 0.25) == pytest.approx(y.mean(), abs=1e-15)
    assert known.bounds(1.0) == pytest.approx((1 / 3, 2 / 3), abs=1e-15)


def test_the_oracle_proposal_has_no_variance_where_all_residuals_have_one_sign() -> None:
    """METHOD 2: q proportional to |y - s|."""
    y, s = np.array([1.0, 0.9, 0.4]), np.array([0.3, 0.3, 0.3])
    remaining = np.ones(3, dtype=bool)
    assert conditional_variance(y, s, (y - s) / (y - s).sum(), remaining) == pytest.approx(0, abs=1e-15)
    assert conditional_variance(y, s, np.full(3, 1 / 3), remaining) > 0.01
