"""Intervals of further aspects: every sequence of draws of tiny pools."""

from __future__ import annotations

import math
import pickle
from unittest import mock

import pytest

from celeus_label.certify import Aspect, Certifier, Design, Pool, Scale
from celeus_label.certify import aspects as aspects_module
from celeus_label.certify.aspects import aspect_intervals
from celeus_label.certify.signals import Terms
from tests.exact.tree import early_fits, few_cells, forced_draws, numbers_for_each_item

NAN = math.nan
FEATURES = {"w": [1.0, 2.0, 4.0, 1.0, 3.0], "clear": [0.2, 0.9, NAN, 0.4, 0.6]}
POOL = Pool([f"i{n}" for n in range(5)], (0.9, 0.1, 0.6, 0.5, 0.2), Scale(0, 1), features=FEATURES)
MAIN = (1.0, 0.0, 0.7, 0.5, 0.0)
RUBRIC = (Aspect("clear", Scale(0, 1), "clear"), Aspect("brief", Scale(1, 5)))


@pytest.mark.parametrize("brief", [(1, 5, 5, 1, 5), (2, 4, 3, 3, 2)])
@pytest.mark.parametrize(
    "design",
    [
        Design(alpha=0.9, width=0.3, aspects=RUBRIC),
        Design(alpha=0.45, width=0.3, aspects=RUBRIC, aspects_alpha="each"),
        Design(alpha=0.9, width=0.3, preset="celeus", weights="w", aspects=RUBRIC),
        Design(alpha=0.9, width=0.3, preset="celeus-no-surrogate", beta=1.0, aspects=RUBRIC),
    ],
    ids=["target-aware", "alpha each", "celeus by weights", "no surrogate"],
)
def test_an_aspect_misses_its_mean_no_more_often_than_its_alpha(
    design: Design, brief: tuple[int, ...]
) -> None:
    """And the mean of its signal is its own, after every history."""
    values = {"clear": (0.1, 0.9, 0.4, 0.6, 1.0), "brief": brief}
    unit = {"clear": values["clear"], "brief": tuple((one - 1) / 4 for one in brief)}
    truth = {name: math.fsum(column) / 5 for name, column in unit.items()}
    missed = dict.fromkeys(values, 0.0)
    rejections = 0
    made: list[Terms] = []
    terms = aspects_module.terms

    def seen(*args: object) -> Terms:
        made.append(terms(*args))  # type: ignore[arg-type]
        return made[-1]

    def walk(
        certifier: Certifier, path: tuple[int, ...], probability: float, lost: frozenset[str]
    ) -> list[Terms]:
        nonlocal rejections
        made.clear()
        found = aspect_intervals(certifier, design)
        last = made[-2:]  # of this round: one for each aspect
        for one in found:
            assert one.alpha == pytest.approx(0.45)
            assert one.rated == len(path)
            rejections += one.rated > 0 and one.upper_unit - one.lower_unit < 1
            inside = one.lower_unit <= truth[one.name] <= one.upper_unit
            if not inside and one.name not in lost:
                missed[one.name] += probability
                lost |= {one.name}
            if len(path) == 5:
                assert one.upper_unit - one.lower_unit < 1e-9 if inside else one.name in lost
        if len(path) == 5:
            return last
        here = pickle.dumps(certifier)
        expected = [0.0, 0.0]
        for u in numbers_for_each_item(certifier, number):
            number[0] = u
            child: Certifier = pickle.loads(here)
            draw = child.ask()
            place = draw.position
            child.tell(draw, MAIN[place], aspects={name: column[place] for name, column in values.items()})
            known = walk(child, (*path, place), probability * draw.q, lost)
            for which, name in enumerate(values):
                rated = math.fsum(unit[name][earlier] for earlier in path)
                assert known[which].q == pytest.approx(draw.q, rel=1e-12)
                low, high = known[which].bounds(rated)
                signal = known[which].signal(rated, unit[name][place])
                assert low - 1e-12 <= signal <= high + 1e-12
                expected[which] += draw.q * signal
        assert expected == pytest.approx(list(truth.values()), abs=1e-12)
        return last

    with (
        forced_draws() as number,
        few_cells(48),
        early_fits(1),
        mock.patch.object(aspects_module, "terms", seen),
    ):
        walk(Certifier(POOL, design), (), 1.0, frozenset())
    assert rejections > 0
    assert all(share <= 0.45 + 1e-9 for share in missed.values()), missed
