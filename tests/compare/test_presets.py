"""Which systems a session may have, and for which target."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.inference import Inference
from celeus_label.certify.signals import Terms


def pool(size: int = 30_000) -> Pool:
    return Pool(
        [f"item-{row}" for row in range(size)], np.full(size, 0.2), Scale(0, 1), features={"w": np.ones(size)}
    )


@pytest.mark.parametrize("preset", ["oracle", "cer-eval"])
def test_systems_for_comparison_only_make_no_design(preset: str) -> None:
    with pytest.raises(
        ValueError, match=f"preset {preset} is for comparison only, and nothing is certified with it"
    ):
        Design(preset=preset)


def test_raw_ratings_certify_the_population_alone() -> None:
    with pytest.raises(ValueError, match="evalue is not valid for the target pool"):
        Certifier(pool(), Design(preset="evalue"))
    assert Certifier(pool(), Design(preset="evalue", target="population")).status == "open"


def test_raw_ratings_take_no_weights() -> None:
    with pytest.raises(ValueError, match="sampling by 'w' would bias it"):
        Certifier(pool(), Design(preset="evalue", target="population", weights="w"))


@pytest.mark.parametrize("risk", [0.1, 0.5, 0.8])
def test_raw_ratings_of_an_iid_sample_keep_to_alpha(risk: float) -> None:
    """Exact: over every sample of nine values from a coin with this risk, in the order of the draws."""
    count, alpha = 9, 0.6
    small = Pool([f"item-{row}" for row in range(count)], np.zeros(count), Scale(0, 1))
    design = Design(preset="evalue", target="population", alpha=alpha, c=0.01, width=0.9)
    missed = 0.0
    for values in itertools.product((0.0, 1.0), repeat=count):
        inference = Inference(small, design, np.zeros(count))
        inside = True
        for round_, value in enumerate(values):
            left = count - round_
            inference.commit(Terms(count, left, 1 / left, 0.0, 0.0, 0.0, left / count), value, value)
            inside = inside and inference.lower <= risk <= inference.upper
        if not inside:
            missed += risk ** math.fsum(values) * (1 - risk) ** (count - math.fsum(values))
    # the interval before the step to the population has alpha1 of alpha, and covers the population's mean itself
    assert 0.1 * design.alpha1 < missed <= design.alpha1
