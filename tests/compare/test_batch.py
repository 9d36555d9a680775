"""Trials side by side are the certifier's, number for number."""

from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify import Certifier
from celeus_label.compare.batch import paths
from celeus_label.compare.courses import course
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.systems import STATIC, design_of, signals


def hidden(seed: int, size: int = 400, binary: bool = True) -> HiddenPool:
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
    pools = [hidden(seed, binary=seed % 2 == 0) for seed in range(3)]
    design = design_of(system, **options)
    if system == "evalue" and design.target == "pool":
        design = design_of(system, **{**options, "target": "population", "width": 0.3})
    courses, lines = [], []
    for seed, pool in enumerate(pools):
        certifier = Certifier(pool.pool(system), design_of_seed(design, seed))
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
            np.subtract(*design.widen(low, high, 400)[::-1])
            for low, high in zip(line["lower"], line["upper"], strict=True)
        ]
        narrow = np.flatnonzero(np.array(widths) <= design.width)
        assert found.stop[trial] == (narrow[0] + 1 if len(narrow) else 0)


def design_of_seed(design, seed):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(design, seed=seed)
