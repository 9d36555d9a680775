"""The synthetic pools come out as they were calibrated."""

from __future__ import annotations

import numpy as np
import pytest

from celeus_label.compare.losses import losses
from celeus_label.compare.pools import DIAGNOSTIC_RISK, REGIMES, diagnostic, probabilities

# Printed by the paper (Figure 2 right): what guided draws save of the variance.
SAVED = {"sst2": 0.27, "mmlu": 0.20, "agnews": 0.05}


@pytest.mark.parametrize("name", REGIMES)
def test_a_regime_has_the_papers_size_and_nearly_its_variances(name: str) -> None:
    regime = REGIMES[name]
    known = probabilities(regime)
    assert known.size == {"sst2": 68_221, "mmlu": 115_700, "agnews": 127_600}[name]
    assert known.labels == {"sst2": 2, "mmlu": 4, "agnews": 4}[name]
    pool = losses(known)
    assert pool.weights is not None
    residual = pool.values - pool.surrogate
    q = 0.4 / pool.size + 0.6 * pool.weights / pool.weights.sum()
    uniform = (residual**2).mean() - residual.mean() ** 2
    guided = (residual**2 / q).sum() / pool.size**2 - residual.mean() ** 2
    assert abs(1 - guided / uniform - SAVED[name]) < 0.07
    surrogate_errors = (known.surrogate.argmax(axis=1) != known.label).mean()
    assert surrogate_errors > pool.mean, "the surrogate model is the worse one"


def test_the_third_regime_has_the_weakest_surrogate() -> None:
    right = {}
    for name, regime in REGIMES.items():
        known = probabilities(regime, items=20_000)
        right[name] = (known.surrogate.argmax(axis=1) == known.label).mean()
    assert min(right, key=lambda name: right[name]) == "agnews"


def test_a_regimes_pool_is_the_same_each_time() -> None:
    one, other = (probabilities(REGIMES["mmlu"], items=500) for _ in range(2))
    assert one.target.tolist() == other.target.tolist()
    assert one.label.tolist() == other.label.tolist()


def test_diagnostic_pools_are_fresh_samples_of_one_population() -> None:
    pools = [diagnostic(seed) for seed in range(40)]
    means = np.array([pool.mean for pool in pools])
    assert len(set(means)) > 30
    spread = 0.6 * (0.3 * 0.7 / 2500) ** 0.5
    assert abs(means.mean() - DIAGNOSTIC_RISK) < 4 * spread / 40**0.5
    assert means.std() == pytest.approx(spread, rel=0.4)
    assert {pool.risk for pool in pools} == {DIAGNOSTIC_RISK}


def test_the_nearest_neighbour_of_a_failure_is_a_right_answer() -> None:
    pool = diagnostic(0)
    assert pool.embedding is not None
    fails = pool.values > 0.5
    some = np.flatnonzero(fails)[:100]
    distances = ((pool.embedding[some][:, None, :] - pool.embedding[None, :, :]) ** 2).sum(axis=2)
    distances[np.arange(100), some] = np.inf
    assert fails[distances.argmin(axis=1)].mean() < 0.05
