"""Forecasts and plans: in the right place, with a band that is wide enough."""

from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.forecast import by_information, by_width, plan

N = 2_000
RNG = np.random.default_rng(8)
Y = np.round(np.clip(RNG.normal(0.6, 0.2, N), 0, 1) * 4) / 4
POOL = Pool([f"i{n}" for n in range(N)], np.clip(Y + RNG.normal(0.1, 0.2, N), 0, 1), Scale(0, 1))


@pytest.mark.parametrize("preset", ["target-aware", "celeus"])
def test_a_forecast_made_early_is_near_what_happens(preset: str) -> None:
    inside, ratios = 0, []
    for seed in range(12):
        certifier = Certifier(POOL, Design(seed=seed, preset=preset, width=0.06))
        told = None
        while not certifier.stopped:
            draw = certifier.ask()
            certifier.tell(draw, float(Y[draw.position]))
            if certifier.ratings < 20:
                assert certifier.forecast() is None
            elif certifier.ratings == 60:
                told = certifier.forecast()
        if told is not None:
            actual = certifier.ratings - 60
            inside += told.low <= actual <= told.high
            ratios.append(told.ratings / max(actual, 1))
            assert told.low <= told.ratings <= told.high
        after = certifier.forecast()
        assert after is not None
        assert after.ratings == 0
    if preset == "target-aware":
        assert inside >= 7
        assert 0.7 < np.median(ratios) < 1.5


def test_more_information_needed_means_more_ratings_but_never_more_than_are_left() -> None:
    numbers = [
        by_information(100, 900, 0.04, 0.3, information, 0.025).ratings  # type: ignore[union-attr]
        for information in (10, 100, 1_000, 10_000, 1e9)
    ]
    assert numbers == sorted(numbers)
    assert numbers[-1] == 900
    assert by_width(100, 900, 0.1, 0.1).ratings <= 1  # type: ignore[union-attr]
    assert by_width(10, 900, 0.1, 0.05) is None


def test_a_plan_falls_with_width_and_with_a_better_judge_and_says_what_is_out_of_reach() -> None:
    widths = np.array([0.02, 0.05, 0.1, 0.2])
    none = plan(Design(), N, widths, mean=0.6, deviation=0.2, correlation=0.0)
    good = plan(Design(), N, widths, mean=0.6, deviation=0.2, correlation=0.8)
    assert (np.diff(none) < 0).all()
    assert (good < none).all()
    assert none.max() <= N
    population = plan(Design(target="population"), N, widths, mean=0.5, deviation=0.2, correlation=0.5)
    assert np.isnan(population[0])
    assert np.isfinite(population[-1])
