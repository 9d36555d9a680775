"""Cer-Eval as METHOD has it, and that it misses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from celeus_label.compare.cereval import _bins, _Neighbours, _Run, cer_eval
from celeus_label.compare.pools import diagnostic


def radius(n: int, variance: float, parts: int = 1, alpha: float = 0.05) -> float:
    eta = math.sqrt((2 * math.log(math.log(n) + 1) + math.log(4 * parts / alpha)) / (2 * n))
    return 2 * eta**2 / 3 + 2 * math.sqrt(variance) * eta


def test_with_one_part_the_interval_is_the_mean_and_its_bound() -> None:
    """Where nothing is near to anything of its own kind, there is one part only."""
    rng = np.random.default_rng(3)
    values = (rng.random(3000) < 0.1).astype(float)
    found = cer_eval(values, rng.standard_normal((3000, 4)), rng=np.random.default_rng(1), rounds=400)
    order = np.random.default_rng(1).permutation(3000)
    for at in (0, 30, len(found.ratings) - 1):
        n = int(found.ratings[at])
        seen = values[order[:n]]
        wide = radius(n, float(seen.var()))
        assert found.estimate[at] == pytest.approx(seen.mean())
        assert found.upper[at] - found.estimate[at] == pytest.approx(wide)
        assert found.estimate[at] - found.lower[at] == pytest.approx(wide)


def test_with_two_parts_means_and_radii_are_weighted_by_size() -> None:
    """Two clusters, told apart by the nearest neighbour; nearly everything rated, so that two parts pay."""
    rng = np.random.default_rng(0)
    bad = np.arange(400) % 4 == 0
    values = np.where(bad, 0.9, 0.1)
    run = _Run(values, np.where(bad, 5.0, 0.0)[:, None] + 0.1 * rng.standard_normal((400, 1)), 0.05, rng)
    while run.rated < 380:
        run.rate(1)
    run._partition()
    assert sorted(run._sizes) == [100, 300]
    estimate, wide = run.interval()
    assert estimate == pytest.approx(0.25 * 0.9 + 0.75 * 0.1)
    rated = values[run._rated]
    expected = 0.0
    for level, size in ((0.1, 300), (0.9, 100)):
        n = int((rated == level).sum())
        share = n / size
        middle = share * level + (1 - share) * rated.mean()
        # law of total variance of a part's own ratings (which do not vary) and of all ratings
        mixed = (
            (1 - share) * rated.var()
            + share * (level - middle) ** 2
            + (1 - share) * (rated.mean() - middle) ** 2
        )
        expected += size / 400 * radius(n, mixed, parts=2)
    assert wide == pytest.approx(expected)


def test_the_next_item_is_of_the_part_whose_radius_shrinks_most() -> None:
    rng = np.random.default_rng(0)
    bad = np.arange(400) % 4 == 0
    run = _Run(np.where(bad, 0.9, 0.1), np.where(bad, 5.0, 0.0)[:, None], 0.05, rng)
    while run.rated < 340:
        run.rate(1)
    run._partition()
    assert len(run._counts) == 2
    assert all(run._queues), "both parts have items left"

    def shrinks(k: int) -> float:
        n, (_, variance), size = run._counts[k], run._spread(k), run._sizes[k]
        return size * (radius(n, variance, 2) - radius(n + 1, variance, 2))

    before, left = list(run._counts), [len(queue) for queue in run._queues]
    expected = max((k for k in (0, 1) if left[k]), key=shrinks)
    run.rate(1)
    (chosen,) = [k for k in (0, 1) if run._counts[k] > before[k]]
    assert chosen == expected


def test_nearest_neighbours_are_those_of_a_plain_search() -> None:
    rng = np.random.default_rng(2)
    points, items = rng.standard_normal((300, 5)), rng.permutation(300)[:40]
    bins = rng.integers(3, size=40)
    distances = ((points[:, None, :] - points[items][None, :, :]) ** 2).sum(axis=2)
    assert _Neighbours(points).bins(items, bins, 3).tolist() == bins[distances.argmin(axis=1)].tolist()


def test_bins_cut_the_values_evenly() -> None:
    assert _bins(np.array([0.0, 0.49, 0.51, 1.0]), 2).tolist() == [0, 0, 1, 1]
    assert _bins(np.array([0.0, 0.3, 0.5, 0.99, 1.0]), 5).tolist() == [0, 1, 2, 4, 4]


def test_it_ends_when_everything_is_rated() -> None:
    values = np.arange(60) % 2 * 1.0
    found = cer_eval(values, values[:, None], rng=np.random.default_rng(0))
    assert found.stop == 0
    assert found.ratings[-1] == 60
    assert found.estimate[-1] == pytest.approx(0.5)


def test_on_the_diagnostic_pool_it_misses_far_more_often_than_it_says() -> None:
    missed = 0
    for seed in range(40):
        pool = diagnostic(seed)
        assert pool.embedding is not None
        found = cer_eval(pool.values, pool.embedding, rng=np.random.default_rng([seed, 1]))
        assert found.stop == found.ratings[-1] > 0
        missed += not found.lower[-1] <= pool.mean <= found.upper[-1]
    # of an interval that misses at most 5 % of the time, six misses in 40 are an event of probability 0.014
    assert missed >= 6
