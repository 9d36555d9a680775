"""Intervals of groups: every sequence of draws of tiny pools."""

from __future__ import annotations

import itertools
import math
import pickle

import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.slices import slices
from tests.exact.tree import early_fits, few_cells, forced_draws, numbers_for_each_item

GROUPS = ("a", "b", "a", "b", "a")
JUDGE = (0.9, 0.1, 0.6, 0.5, 0.2)
POOL = Pool([f"i{n}" for n in range(5)], JUDGE, Scale(0, 1), features={"w": [1.0, 2.0, 4.0, 1.0, 3.0]})


@pytest.mark.parametrize("values", [(0, 1, 1, 0, 1), (1, 1, 0, 0, 0), (0.2, 0.9, 0.4, 0.3, 0.5)])
@pytest.mark.parametrize(
    "design",
    [
        Design(alpha=0.9, width=0.3),
        Design(alpha=0.9, width=0.3, preset="celeus", weights="w"),
        Design(alpha=0.9, width=0.3, preset="celeus-no-surrogate", beta=1.0),
    ],
    ids=["target-aware", "celeus by weights", "no surrogate"],
)
def test_each_slice_misses_its_mean_no_more_often_than_its_share_of_alpha(
    design: Design, values: tuple[float, ...]
) -> None:
    truth = {
        name: math.fsum(y for y, group in zip(values, GROUPS, strict=True) if group == name)
        / GROUPS.count(name)
        for name in "ab"
    }
    missed = {"a": 0.0, "b": 0.0}
    rejections = 0

    def walk(certifier: Certifier, probability: float, lost: frozenset[str]) -> None:
        nonlocal rejections
        for one in slices(certifier, design, GROUPS):
            assert one.alpha == 0.45
            rejections += one.rated > 0 and one.width < 1
            inside = one.lower <= truth[one.name] <= one.upper
            if not inside and one.name not in lost:
                missed[one.name] += probability
                lost |= {one.name}
            if one.rated == one.items:
                assert one.width < 1e-9 if inside else one.name in lost
        if certifier.draws == certifier.pool.size:
            return
        here = pickle.dumps(certifier)
        for u in numbers_for_each_item(certifier, number):
            number[0] = u
            child: Certifier = pickle.loads(here)
            draw = child.ask()
            child.tell(draw, values[draw.position])
            walk(child, probability * draw.q, lost)

    with forced_draws() as number, few_cells(48), early_fits(1):
        walk(Certifier(POOL, design), 1.0, frozenset())
    assert rejections > 0
    assert all(share <= 0.45 + 1e-9 for share in missed.values()), missed


POPULATION = Pool([f"i{n}" for n in range(4)], (0.9, 0.1, 0.6, 0.5), Scale(0, 1))


@pytest.mark.parametrize("mean", [0.08, 0.5])
def test_a_slice_of_the_population_misses_no_more_often_than_its_share_of_alpha(mean: float) -> None:
    """Every sample of four items of an item that is 1 with that probability, and every order of its draws."""
    design = Certifier(
        POPULATION, Design(alpha=0.99, width=0.9, target="population", alpha_split=0.6, preset="celeus")
    ).design
    groups = ("a", "b", "a", "b")
    missed = {"a": 0.0, "b": 0.0}
    widths = set()

    def walk(certifier: Certifier, values: tuple[int, ...], probability: float, lost: frozenset[str]) -> None:
        for one in slices(certifier, design, groups):
            widths.add(round(one.width, 3))
            if not one.lower <= mean <= one.upper and one.name not in lost:
                missed[one.name] += probability
                lost |= {one.name}
        if certifier.draws == 4:
            return
        here = pickle.dumps(certifier)
        for u in numbers_for_each_item(certifier, number):
            number[0] = u
            child: Certifier = pickle.loads(here)
            draw = child.ask()
            child.tell(draw, values[draw.position])
            walk(child, values, probability * draw.q, lost)

    with forced_draws() as number, few_cells(48):
        for values in itertools.product((0, 1), repeat=4):
            weight = math.prod(mean if y else 1 - mean for y in values)
            walk(Certifier(POPULATION, design), values, weight, frozenset())
    assert min(widths) < 0.9
    assert all(share <= 0.495 + 1e-9 for share in missed.values()), missed
