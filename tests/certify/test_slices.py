"""Intervals of groups: each round's terms against the same written straight down, and the step to the population."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.population import STEPS
from celeus_label.certify.signals import terms
from celeus_label.certify.slices import GroupsLeft, Slicer, slices

SIZE = 90
RNG = np.random.default_rng(3)
NAMES = ("a", "b", "c")
PLACES = np.array([n % 7 % 3 for n in range(SIZE)])
GROUPS = [NAMES[place] for place in PLACES]
MEMBERS = [np.flatnonzero([place == k for place in PLACES]) for k in range(3)]
JUDGE = RNG.integers(1, 6, SIZE).astype(float)
VALUES = np.clip(JUDGE + RNG.choice([-1, 0, 1], SIZE), 1, 5)
POOL = Pool(
    [f"i{n}" for n in range(SIZE)],
    JUDGE,
    Scale(1, 5, 1),
    features={"w": RNG.uniform(0, 1, SIZE) ** 8, "faint": 10.0 ** (-3.0 * np.arange(SIZE))},
)


def all_rated(design: Design) -> Certifier:
    certifier = Certifier(POOL, design)
    while certifier.draws < SIZE:
        draw = certifier.ask()
        certifier.tell(draw, VALUES[draw.position])
    return certifier


@pytest.mark.parametrize(
    "design",
    [
        Design(seed=2),
        Design(seed=2, preset="celeus", weights="w"),
        Design(seed=2, preset="celeus", weights="faint", beta=0.1),
        Design(seed=2, preset="celeus-no-surrogate", beta=1.0),
    ],
    ids=["fitted", "by weights", "by weights of 270 powers of ten", "uniform"],
)
def test_each_round_has_the_terms_of_its_group_alone(design: Design) -> None:
    remaining = np.ones(SIZE, dtype=np.bool_)
    groups = GroupsLeft(PLACES, MEMBERS)
    for round_, surrogate, proposal in all_rated(design).retrace():
        position = round_.draw.position
        inside = MEMBERS[PLACES[position]]
        left, q = remaining[inside], proposal.probabilities(remaining)[inside]
        expected = terms(list(inside).index(position), surrogate[inside], q / q[left].sum(), left)
        groups.use(surrogate, proposal)
        found = groups.take(position)
        for name, value in vars(expected).items():
            assert getattr(found, name) == pytest.approx(value, rel=1e-9, abs=1e-12), (round_.draw, name)
        remaining[position] = False
    assert not remaining.any()


@pytest.mark.parametrize("preset", ["target-aware", "celeus", "evalue"])
def test_a_slice_of_the_population_is_wider_by_the_step_from_its_own_sample(preset: str) -> None:
    design = Certifier(POOL, Design(seed=2, preset=preset, target="population", width=0.7)).design
    found = slices(all_rated(design), design, GROUPS)
    for one, inside in zip(found, MEMBERS, strict=True):
        share = 0.5 if preset == "evalue" else design.alpha_split
        alpha2 = design.alpha / 3 * (1 - share)
        truth = float((VALUES[inside].mean() - 1) / 4)
        low, high = STEPS[design.population_step](truth, truth, len(inside), alpha2)
        assert (one.lower, one.upper) == pytest.approx((1 + 4 * low, 1 + 4 * high), abs=1e-6)
        assert one.width == pytest.approx(high - low, abs=1e-6)
        assert one.width > 0.3


def test_slices_follow_a_session_whatever_is_rated_corrected_or_interrupted(monkeypatch: Any) -> None:
    monkeypatch.setattr("celeus_label.certify.slices._PROGRESS_ROUNDS", 10)
    certifier = Certifier(POOL, Design(seed=2, width=0.2))
    slicer = Slicer(POOL, certifier.design, GROUPS)
    told: list[float] = []

    def rate(count: int) -> None:
        for _ in range(count):
            draw = certifier.ask()
            certifier.tell(draw, VALUES[draw.position])

    def halt(share: float) -> None:
        told.append(share)
        if share > 0.5:
            raise InterruptedError

    rate(40)
    with pytest.raises(InterruptedError):
        slicer.follow(certifier, halt)
    assert told == [0.25, 0.5, 0.75]
    assert slicer.follow(certifier) == slices(certifier, certifier.design, GROUPS)
    rate(20)
    assert slicer.follow(certifier) == slices(certifier, certifier.design, GROUPS)
    certifier.correct(7, 1.0 if VALUES[certifier.rounds[6].draw.position] > 3 else 5.0)
    corrected = slicer.follow(certifier)
    assert corrected == slices(certifier, certifier.design, GROUPS)
    assert sum(one.rated for one in corrected) == 60
