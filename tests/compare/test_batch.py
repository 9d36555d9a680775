"""Trials side by side are the certifier's, number for number."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from celeus_label.certify import Certifier
from celeus_label.compare.batch import paths
from celeus_label.compare.courses import course
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.systems import STATIC, design_of, signals, trials


def hidden(seed: int, size: int = 160, binary: bool = True) -> HiddenPool:
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.6, 2.0, size)
    values = (rng.random(size) < chance).astype(float) if binary else np.round(chance, 2)
    surrogate = np.clip(chance + rng.normal(0, 0.15, size), 0, 1)
    weights = np.abs((rng.random(size) < 0.3) - surrogate) * (rng.random(size) < 0.9)
    return HiddenPool(f"pool {seed}", values, surrogate, weights)


OPTIONS = (
    {},
    {"bounds": "global"},
    {"theta": 0.3, "c": 0.2, "beta": 0.15},
    {"target": "population", "width": 0.3, "alpha": 0.2, "alpha_split": 0.6},
    {"target": "population", "width": 0.3, "alpha": 0.2, "population_step": "kl"},
)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("system", STATIC)
def test_side_by_side_equals_the_certifier(system: str, options: dict) -> None:
    pools = [hidden(seed, binary=seed % 2 == 0) for seed in range(2)]
    design = design_of(system, **options)
    if system == "evalue" and design.target == "pool":
        design = design_of(system, **{**options, "target": "population", "width": 0.3})
    courses, lines = [], []
    for seed, pool in enumerate(pools):
        certifier = Certifier(pool.pool(system), dataclasses.replace(design, seed=seed))
        for _ in range(pool.size):
            drawn = certifier.ask()
            certifier.tell(drawn, pool.values[drawn.position])
        order = np.array([round_.draw.position for round_ in certifier._rounds])
        weights = None if design.weights is None else pool.weights_of(system)
        surrogate = pool.surrogate if design.surrogate == "judge" else np.zeros(pool.size)
        courses.append(course(order, surrogate, weights, float(design.beta or 1)))
        for t, round_ in enumerate(certifier._rounds):
            for name in ("q", "s", "rest", "low", "high"):
                assert getattr(courses[-1], name)[t] == pytest.approx(
                    getattr(round_.terms, name), abs=1e-12, rel=1e-9
                )
        lines.append(certifier.trajectory)
    found = paths(signals(pools, courses, design), design, until="end")
    for trial, line in enumerate(lines):
        assert found.lower[trial] == pytest.approx(line["lower"], abs=1e-11)
        assert found.upper[trial] == pytest.approx(line["upper"], abs=1e-11)
        widths = [
            np.subtract(*design.widen(low, high, pools[0].size)[::-1])
            for low, high in zip(line["lower"], line["upper"], strict=True)
        ]
        narrow = np.flatnonzero(np.array(widths) <= design.width)
        assert found.stop[trial] == (narrow[0] + 1 if len(narrow) else 0)


@pytest.mark.parametrize("system", STATIC)
def test_trials_have_fewer_cells_than_the_certifier_and_hardly_other_ends(system: str) -> None:
    pools = [hidden(seed, 500) for seed in range(4)]
    design = design_of(system)
    found = trials(pools, system, design, range(4), until="all")
    fine = paths(signals(pools, found.courses, design), design, until="all")
    assert np.abs(found.paths.stop - fine.stop).max() <= 4
    for name in ("lower", "upper"):
        coarse, exact = getattr(found.paths, name), getattr(fine, name)
        known = ~np.isnan(coarse) & ~np.isnan(exact)
        assert np.abs(coarse - exact)[known].max() < 5e-4  # half a cell
        at_stop = [
            coarse[trial, stop - 1] - exact[trial, stop - 1] for trial, stop in enumerate(found.paths.stop)
        ]
        assert np.abs(at_stop).max() < 3e-5


def test_trials_go_on_as_long_as_they_are_asked_to() -> None:
    pools = [hidden(seed, 500) for seed in range(4)]
    design = design_of("celeus", width=0.2)
    each, everyone, end = (
        trials(pools, "celeus", design, range(4), until=until).paths for until in ("each", "all", "end")
    )
    assert each.stop.tolist() == everyone.stop.tolist() == end.stop.tolist()
    assert (each.stop > 0).all()
    for trial, stop in enumerate(each.stop):
        assert np.isnan(each.upper[trial, stop:]).all()
        assert each.upper[trial, :stop].tolist() == end.upper[trial, :stop].tolist()
        assert np.isnan(everyone.upper[trial]).sum() == 500 - each.stop.max()
    assert not np.isnan(end.upper).any()


def test_an_interval_that_loses_the_truth_ends_empty() -> None:
    """A trial whose values contradict every candidate is stopped, and its interval is not made up."""
    pool = hidden(3, 160)
    design = design_of("celeus", alpha=0.9, width=0.01)
    seen = signals([pool] * 2, [trials([pool], "celeus", design, [1]).courses[0]] * 2, design)
    # a signal at its upper bound again and again, as no honest draws would give
    worse = dataclasses.replace(seen, signal=np.where(np.arange(2)[:, None] == 0, seen.high, seen.signal))
    found = paths(worse, design, until="end")
    assert (found.lower[0] > found.upper[0]).any()
    assert found.stop[0] > 0


def test_the_target_bet_is_not_run_side_by_side() -> None:
    pool = hidden(1)
    known = trials([pool], "celeus", design_of("celeus"), [0]).courses
    with pytest.raises(ValueError, match="hedged bet, not for 'target'"):
        paths(signals([pool], known, design_of("celeus")), design_of("target-aware"))
    with pytest.raises(ValueError, match=r"side by side are for evalue, .* not for 'target-aware'"):
        trials([pool], "target-aware", design_of("target-aware"), [0])
