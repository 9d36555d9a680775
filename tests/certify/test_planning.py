"""Planning before the first rating, and what the judge saved afterwards: both against sessions really run."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.planning import Assumed, plan_ahead, seen_in, smallest_width
from celeus_label.certify.savings import needed_without_judge, spread

SIZE = 3000


def pool_and_values(noise: float = 0.12) -> tuple[Pool, np.ndarray]:
    rng = np.random.default_rng(8)
    values = np.clip(rng.normal(0.55, 0.2, SIZE), 0, 1)
    judge = np.clip(values + rng.normal(0, noise, SIZE), 0, 1)
    return Pool([f"i{n}" for n in range(SIZE)], judge, Scale(0, 1)), values


def run(pool: Pool, values: np.ndarray, design: Design) -> Certifier:
    certifier = Certifier(pool, design)
    while not certifier.stopped:
        draw = certifier.ask()
        certifier.tell(draw, float(values[draw.position]))
    return certifier


def test_what_ignoring_the_judge_would_have_needed_is_what_a_session_without_it_needs() -> None:
    pool, values = pool_and_values()
    certifier = run(pool, values, Design(seed=1))
    known = spread(certifier)
    assert known is not None
    assert known.correlation == pytest.approx(np.corrcoef(pool.judge, values)[0, 1], abs=0.1)
    assert known.deviation == pytest.approx(values.std(), abs=0.03)
    plain = [run(pool, values, Design(seed=seed, surrogate="none", beta=1.0)) for seed in range(2, 6)]
    needed = needed_without_judge(certifier, known)
    assert needed == pytest.approx(np.mean([one.ratings for one in plain]), rel=0.25)
    assert needed is not None
    assert needed > 1.4 * certifier.ratings


def test_a_useless_judge_saves_nothing() -> None:
    pool, values = pool_and_values()
    shuffled = np.random.default_rng(1).permutation(pool.judge)
    certifier = run(Pool(pool.item_ids, shuffled, pool.scale), values, Design(seed=1))
    known = spread(certifier)
    assert known is not None
    assert needed_without_judge(certifier, known) == pytest.approx(certifier.ratings, rel=0.25)


def test_nothing_is_said_of_the_savings_before_there_are_ratings() -> None:
    pool, values = pool_and_values()
    certifier = Certifier(pool, Design(seed=1))
    assert spread(certifier) is None
    draw = certifier.ask()
    certifier.tell(draw, float(values[draw.position]))
    assert spread(certifier) is None


def test_the_plan_expects_what_a_session_takes() -> None:
    pool, values = pool_and_values()
    design = Design(width=0.04)
    assumed = Assumed(float(np.corrcoef(pool.judge, values)[0, 1]), float(values.std()))
    planned = plan_ahead(design, pool, assumed)
    really = [run(pool, values, dataclasses.replace(design, seed=seed)).ratings for seed in range(4)]
    assert planned.wanted == pytest.approx(np.mean(really), rel=0.35)
    assert (planned.smallest, planned.alpha_split) == (0.0, None)
    assert (np.diff(planned.ratings) <= 1e-9).all()  # wider is cheaper
    assert planned.wanted in planned.ratings


def test_the_plan_names_the_smallest_width_that_the_population_allows() -> None:
    pool, _ = pool_and_values()
    design = Design(width=0.03, target="population")
    planned = plan_ahead(design, pool, Assumed(0.6, 0.2))
    assert np.isnan(planned.wanted)
    assert planned.smallest > 0.03
    dataclasses.replace(design, width=planned.smallest * 1.01).resolved(pool)
    with pytest.raises(ValueError, match="out of reach"):
        dataclasses.replace(design, width=planned.smallest * 0.99).resolved(pool)
    wider = plan_ahead(dataclasses.replace(design, width=0.1), pool, Assumed(0.6, 0.2))
    assert wider.alpha_split is not None
    assert wider.wanted > plan_ahead(Design(width=0.1), pool, Assumed(0.6, 0.2)).wanted
    assert smallest_width(Design(), 10, 0.5) == 0.0


def test_more_ratings_an_item_cost_more_unless_raters_disagree_a_lot() -> None:
    pool, _ = pool_and_values()

    def cost(count: int, agreement: float) -> float:
        return plan_ahead(Design(ratings_per_item=count), pool, Assumed(0.3, 0.25, agreement)).wanted

    assert cost(2, 1.0) == pytest.approx(2 * cost(1, 1.0))
    assert cost(1, 0.3) == cost(1, 0.9)  # one rating has all the noise already
    assert cost(1, 0.3) < cost(2, 0.3) < 1.7 * cost(1, 0.3)


def test_a_pilot_tells_correlation_and_deviation_of_the_items_that_have_ratings() -> None:
    rng = np.random.default_rng(8)
    judge = rng.uniform(0, 1, 400)
    pool = Pool([f"i{n}" for n in range(400)], judge, Scale(1, 5), Scale(0, 1))
    values = 1 + 4 * np.clip(0.6 * judge + rng.uniform(0, 0.4, 400), 0, 1)
    values[100:] = np.nan
    seen = seen_in(pool, values)
    assert seen is not None
    assert seen.ratings == 100
    assert seen.correlation == pytest.approx(np.corrcoef(judge[:100], values[:100])[0, 1])
    assert seen.deviation == pytest.approx(values[:100].std(ddof=1) / 4)
    error = np.arctanh([seen.low, seen.correlation, seen.high])
    assert np.diff(error) == pytest.approx([1.96 / np.sqrt(97)] * 2)


@pytest.mark.parametrize("known", [[4.0] * 19, [4.0] * 30, []])
def test_a_pilot_of_few_ratings_or_of_one_value_tells_nothing(known: list[float]) -> None:
    rng = np.random.default_rng(8)
    pool = Pool([f"i{n}" for n in range(40)], rng.uniform(1, 5, 40), Scale(1, 5))
    assert seen_in(pool, np.array(known + [np.nan] * (40 - len(known)))) is None


def test_a_judge_that_agrees_with_a_rater_more_than_raters_can_is_not_planned_for() -> None:
    pool, _ = pool_and_values()
    with pytest.raises(
        ValueError, match=r"correlation of judge and ratings is 0\.9, more than .* of 0\.6 allows"
    ):
        plan_ahead(Design(), pool, Assumed(0.9, 0.3, 0.6))
    assert plan_ahead(Design(), pool, Assumed(0.9, 0.3, 0.81)).wanted > 0
