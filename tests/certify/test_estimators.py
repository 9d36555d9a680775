"""LURE and its neighbours against their formulas, and their means over every sequence of draws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from celeus_label.certify.estimators import Lure, Naive, Precision

Floats = NDArray[np.float64]


def _naive_lure(s: Floats, y: list[float], chosen: list[int], q: list[float]) -> float:
    """Paper Eq. 4, term by term."""
    size, t = len(s), len(chosen)
    total = 0.0
    for m in range(1, t + 1):
        if m == size:
            u = 1.0
        else:
            u = 1 + (size - t) / (size - m) * (1 / ((size - m + 1) * q[m - 1]) - 1)
        total += u * (y[m - 1] - s[chosen[m - 1]])
    return float(s.mean() + total / t)


def test_lure_is_its_formula_in_every_round() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 30):
        s, order = rng.random(size), rng.permutation(size).tolist()
        y, q = rng.random(size).tolist(), [*(0.01 + 0.98 * rng.random(size - 1)).tolist(), 1.0]
        lure = Lure(float(s.mean()), size)
        assert lure.get() == pytest.approx(s.mean())
        for t in range(1, size + 1):
            lure.update(q[t - 1], y[t - 1] - s[order[t - 1]])
            assert lure.get() == pytest.approx(_naive_lure(s, y[:t], order[:t], q[:t]), abs=1e-12)


Y, S, W = (
    np.array([1.0, 0.0, 0.5, 1.0, 0.2]),
    np.array([0.9, 0.4, 0.1, 0.8, 0.8]),
    np.array([0.0, 1, 5, 0.2, 1]),
)


def _means(beta: float) -> tuple[list[float], list[float]]:
    """Exact mean after t = 1 … N rounds of `Lure` and of `Naive`, over every sequence of draws."""
    size = len(Y)
    lure_means, naive_means = [0.0] * size, [0.0] * size
    for order in itertools.permutations(range(size)):
        lure, naive = Lure(float(S.mean()), size), Naive(float(S.mean()))
        probability = 1.0
        for t, item in enumerate(order):
            left = [j for j in range(size) if j not in order[:t]]
            total = W[left].sum()
            q = 1 / len(left) if total == 0 else beta / len(left) + (1 - beta) * W[item] / total
            probability *= q
            lure.update(q, float(Y[item] - S[item]))
            naive.update(float(Y[item] - S[item]))
            # every completion of this prefix counts once
            rest = 1.0 / np.prod([*range(1, size - t)], dtype=float)
            lure_means[t] += probability * rest * lure.get()
            naive_means[t] += probability * rest * naive.get()
    return lure_means, naive_means


@pytest.mark.parametrize("beta", [0.1, 0.4, 1.0])
def test_lure_is_unbiased_at_every_fixed_time(beta: float) -> None:
    lure_means, naive_means = _means(beta)
    assert lure_means == pytest.approx([Y.mean()] * len(Y), abs=1e-12)
    if beta < 1:
        assert abs(naive_means[0] - Y.mean()) > 0.01, (
            "the naive estimate is biased where the draws are not uniform"
        )
    else:
        assert naive_means == pytest.approx([Y.mean()] * len(Y), abs=1e-12)


def test_naive_is_lure_without_its_weights() -> None:
    naive = Naive(0.4)
    assert naive.get() == 0.4
    for residual in (0.2, -0.1, 0.5):
        naive.update(residual)
    assert naive.get() == pytest.approx(0.4 + 0.2)


def test_precision_weights_the_signals() -> None:
    precision = Precision(0.5)
    assert precision.get() == 0.5
    precision.update(0.2, 0.1)
    precision.update(0.8, 0.3)
    assert precision.get() == pytest.approx((0.2 / 0.1 + 0.8 / 0.3) / (1 / 0.1 + 1 / 0.3))
