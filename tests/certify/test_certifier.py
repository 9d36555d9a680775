"""A session's rules: what is refused, when it stops, how several ratings make one value."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.inference import Inference
from celeus_label.certify.signals import Terms
from tests.certify.recorded import likert_pool
from tests.exact.tree import few_cells

FIVE = Scale(1, 5, step=1)


def _pool(size: int = 4, scale: Scale = FIVE) -> Pool:
    return Pool(
        [f"item-{row}" for row in range(size)],
        np.linspace(scale.lower, scale.upper, size),
        scale,
        Scale(scale.lower, scale.upper),
    )


def _run(certifier: Certifier, values: Any, rounds: int | None = None) -> Certifier:
    """Rate until it stops, or for some rounds."""
    while not certifier.stopped if rounds is None else certifier.draws < rounds:
        draw = certifier.ask()
        certifier.tell(draw, float(values[draw.position]))
    return certifier


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (7, r"draw 1 \(item-\d\): the rating is 7, outside the scale 1 to 5"),
        (0, "the rating is 0, outside the scale"),
        (2.5, "the rating is 2.5, between two steps"),
        (float("nan"), "not a finite number"),
    ],
)
def test_a_rating_off_the_scale_changes_nothing(value: float, told: str) -> None:
    certifier = Certifier(_pool(), Design())
    draw = certifier.ask()
    before = certifier.interval
    with pytest.raises(ValueError, match=told):
        certifier.tell(draw, value)
    assert certifier.interval == before and certifier.ratings == 0
    certifier.tell(draw, 3)
    with pytest.raises(ValueError, match=told):
        certifier.correct(draw, value)
    assert certifier.ratings == 1


def test_a_rater_rates_a_draw_once() -> None:
    certifier = Certifier(_pool(), Design(ratings_per_item=2))
    draw = certifier.ask()
    certifier.tell(draw, 3, "ann")
    with pytest.raises(ValueError, match="draw 1: rater ann rated it before; use correct"):
        certifier.tell(draw, 3, "ann")
    certifier.tell(draw, 4, "ben")
    with pytest.raises(ValueError, match="draw 1: it is finished and takes no further rating"):
        certifier.tell(draw, 4, "cem")
    with pytest.raises(ValueError, match="draw 1: rater cem has no rating there to correct"):
        certifier.correct(draw, 4, "cem")
    assert certifier.ratings == 1


def test_a_draw_that_was_never_made_takes_nothing() -> None:
    certifier = Certifier(_pool(), Design())
    certifier.ask()
    for number in (0, 2, -1):
        for act in (certifier.cannot_rate, lambda n: certifier.tell(n, 3), lambda n: certifier.correct(n, 3)):
            with pytest.raises(ValueError, match=f"draw {number}: no such draw; 1 were made"):
                act(number)


def test_a_finished_unratable_draw_takes_no_rating() -> None:
    certifier = Certifier(_pool(), Design(unratable_after=2))
    draw = certifier.ask()
    certifier.cannot_rate(draw, "ann")
    certifier.cannot_rate(draw, "ann")
    assert certifier.ratings == 0, "one rater counts once"
    certifier.cannot_rate(draw, "ben")
    assert certifier.ratings == 1
    with pytest.raises(ValueError, match="it is finished"):
        certifier.tell(draw, 3, "cem")


def test_no_item_is_drawn_twice_and_none_after_the_last() -> None:
    certifier = Certifier(_pool(6), Design(seed=3))
    drawn = [certifier.ask() for _ in range(6)]
    assert sorted(draw.position for draw in drawn) == list(range(6))
    assert [draw.round for draw in drawn] == [1, 2, 3, 4, 5, 6]
    assert drawn[-1].q == pytest.approx(1)
    assert certifier.propose() is None
    with pytest.raises(IndexError, match="every one of the 6 items was drawn"):
        certifier.ask()


def test_propose_changes_nothing() -> None:
    certifier = Certifier(_pool(), Design(seed=8))
    assert certifier.propose() == certifier.propose() == certifier.ask()
    assert certifier.draws == 1


@pytest.mark.parametrize("width", [0, 1, -0.1, float("nan")])
def test_going_on_needs_a_width(width: float) -> None:
    certifier = Certifier(_pool(), Design())
    with pytest.raises(ValueError, match=r"width must lie in \(0, 1\), got"):
        certifier.go_on(width)
    assert certifier.design.width == 0.05


# --- when it stops ------------------------------------------------------------------------------------------


def test_it_stops_when_the_width_is_reached_and_goes_on_when_asked() -> None:
    pool, values = likert_pool(400)
    certifier = _run(Certifier(pool, Design(width=0.2, seed=1)), values)
    first = certifier.interval
    assert first.status == "target met" and first.width <= 0.2 and first.ratings < 400
    assert first.width == pytest.approx((first.upper - first.lower) / 4)
    assert first.lower <= first.estimate <= first.upper
    certifier.go_on(0.1)
    assert not certifier.stopped
    second = _run(certifier, values).interval
    assert second.width <= 0.1 and second.ratings > first.ratings
    assert first.lower <= second.lower and second.upper <= first.upper


@pytest.mark.parametrize(("rule", "value"), [("above", 2.5), ("below", 4.5)])
def test_it_stops_on_one_side_of_a_threshold(rule: str, value: float) -> None:
    pool, values = likert_pool(400)
    certifier = _run(Certifier(pool, Design(width=0.01, seed=1, **{rule: value})), values)
    interval = certifier.interval
    assert interval.status == "target met" and interval.width > 0.01
    assert interval.lower > value if rule == "above" else interval.upper < value


def test_a_threshold_that_is_never_passed_stops_nothing() -> None:
    pool, values = likert_pool(60)
    certifier = _run(Certifier(pool, Design(width=0.001, above=5, below=1, seed=1)), values)
    assert certifier.status == "target met" and certifier.ratings == 60


def test_a_budget_ends_it() -> None:
    pool, values = likert_pool(60)
    certifier = _run(Certifier(pool, Design(width=0.001, budget=9)), values)
    assert (certifier.status, certifier.ratings) == ("budget spent", 9)


def test_a_population_is_not_exhausted_by_its_pool() -> None:
    """With every item rated the width need not be reached: at another mean than the judge's the step is longer."""
    size = 200
    pool = Pool([str(row) for row in range(size)], np.full(size, 0.02), Scale(0, 1))
    design = Design(target="population", width=0.12, alpha_split=0.5)
    certifier = _run(Certifier(pool, design), np.arange(size) % 2)
    assert (certifier.status, certifier.ratings) == ("exhausted", size)
    assert certifier.interval.width > 0.12


def test_an_empty_interval_is_contradicted_and_never_a_certificate() -> None:
    """Values that no pool mean explains: the first ratings say 1, all others 0, at a large alpha."""
    size = 60
    for seed in range(20):
        pool = Pool([str(row) for row in range(size)], np.full(size, 0.5), Scale(0, 1))
        certifier = Certifier(pool, Design(alpha=0.9, width=0.002, surrogate="none", bet="hedged", seed=seed))
        for round_ in range(size):
            certifier.tell(certifier.ask(), 1.0 if round_ < 15 else 0.0)
        interval = certifier.interval
        if interval.status == "contradicted":
            assert interval.lower > interval.upper and interval.width < 0
            assert certifier.stopped
            return
    raise AssertionError("no session was contradicted")


@pytest.mark.parametrize("judge", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_a_pool_of_one(judge: float, value: float) -> None:
    certifier = Certifier(Pool(["a"], [judge], Scale(0, 1)), Design())
    assert certifier.interval.status == "open"
    interval = _run(certifier, [value]).interval
    assert interval.status == "target met" and interval.ratings == 1
    assert interval.lower <= value <= interval.upper
    assert interval.width < 1e-9


# --- several ratings, unratable items -----------------------------------------------------------------------


@pytest.mark.parametrize(("aggregate", "values"), [("mean", (3.0, 2.0, 4.0)), ("median", (2.0, 1.0, 5.0))])
def test_several_ratings_make_one_value(aggregate: str, values: tuple[float, ...]) -> None:
    """Ratings 1, 2, 6 … of each item in any order: the session is that of their mean, or median."""
    ratings = {
        "mean": ((3, 1, 5), (1, 2, 3), (3, 4, 5)),
        "median": ((2, 1, 5), (1, 1, 4), (5, 2, 5)),
    }[aggregate]
    pool = _pool(3)
    one = Certifier(pool, Design(seed=2))
    many = Certifier(pool, Design(seed=2, ratings_per_item=3, aggregate=aggregate))
    orders = itertools.cycle(itertools.permutations(range(3)))
    for count in range(3):
        draw = one.ask()
        one.tell(draw, values[draw.position])
        again = many.ask()
        assert again.position == draw.position
        for number, rater in enumerate(next(orders)):
            assert many.ratings == count, "an item counts when all its ratings are there"
            many.tell(again, ratings[draw.position][rater], f"rater {rater}")
            del number
    assert one.interval.lower == many.interval.lower and one.interval.upper == many.interval.upper


def test_an_unratable_item_with_one_of_two_ratings_is_unratable() -> None:
    pool = _pool(2)
    certifier = Certifier(pool, Design(ratings_per_item=2, unratable="worst", unratable_after=2))
    draw = certifier.ask()
    certifier.tell(draw, 5, "ann")
    certifier.cannot_rate(draw, "ben")
    assert certifier.ratings == 0
    certifier.cannot_rate(draw, "cem")
    assert certifier.ratings == 1
    other = certifier.ask()
    for rater in ("ann", "ben"):
        certifier.tell(other, 5, rater)
    assert certifier.interval.upper == pytest.approx(3, abs=1e-9)


@pytest.mark.parametrize("known", [0, 1, 2])
def test_a_session_that_begins_with_unratable_items_goes_on(known: int) -> None:
    """Fits are due before there is anything to learn from."""
    pool, values = likert_pool(60)
    certifier = Certifier(pool, Design(unratable_after=1))
    for round_ in range(20):
        draw = certifier.ask()
        if round_ < known:
            certifier.tell(draw, float(values[draw.position]))
        else:
            certifier.cannot_rate(draw)
    assert certifier.propose() is not None
    _run(certifier, values, rounds=60)
    assert certifier.interval.lower <= values.mean() <= certifier.interval.upper


def test_global_bounds_hold_under_a_learnt_floor() -> None:
    rng = np.random.default_rng(92)
    judge = (rng.random(200) < 0.25) * 1.0
    values = np.where(judge == 1, 1.0, (rng.random(200) < 0.1) * 1.0)
    values[rng.choice(np.flatnonzero(judge), 2, replace=False)] = 0
    pool = Pool([str(row) for row in range(200)], judge, Scale(0, 1))
    _run(Certifier(pool, Design(bounds="global", beta=1.0, width=0.002, seed=92)), values, rounds=40)


# --- corrections in a long session --------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [1, 60, 100, 101, 139])
def test_a_correction_far_back_is_recomputed(wrong: int) -> None:
    """Also across the copies that are kept so that it need not begin at the first round."""
    pool, values = likert_pool(150)
    design = Design(surrogate="judge", width=0.001, weights="w", seed=6)
    right = _run(Certifier(pool, design), values, rounds=140)
    certifier = Certifier(pool, design)
    for round_ in range(1, 141):
        draw = certifier.ask()
        truth = float(values[draw.position])
        certifier.tell(draw, 6 - truth if round_ == wrong else truth)
        if round_ == wrong:
            position = draw.position
    assert certifier.interval != right.interval or values[position] == 3
    certifier.correct(wrong, float(values[position]))
    assert certifier.interval == right.interval
    for name, path in right.trajectory.items():
        np.testing.assert_array_equal(certifier.trajectory[name], path)


@pytest.mark.parametrize("when", [5, 110])
@pytest.mark.parametrize("correct", [3, 50, 130])
def test_a_correction_to_the_same_value_changes_nothing_after_going_on(when: int, correct: int) -> None:
    pool, values = likert_pool(150)
    certifier = Certifier(pool, Design(width=0.2, seed=6))
    given = {}
    for round_ in range(1, 141):
        draw = certifier.ask()
        given[round_] = float(values[draw.position])
        certifier.tell(draw, given[round_])
        if round_ == when:
            certifier.go_on(0.05)
    before, path = certifier.interval, certifier.trajectory
    certifier.correct(correct, given[correct])
    assert certifier.interval == before
    for name in path:
        np.testing.assert_array_equal(certifier.trajectory[name], path[name])


# --- long sums ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.1, 0.7])
def test_a_session_to_the_end_contains_the_mean(value: float) -> None:
    """Items whose sum is no round number (METHOD 8.4)."""
    size = 1000
    pool = Pool([str(row) for row in range(size)], np.full(size, 0.2), Scale(0, 1))
    certifier = Certifier(pool, Design(width=1e-9, alpha=0.01, surrogate="none"))
    for _ in range(size):
        certifier.tell(certifier.ask(), value)
    interval = certifier.interval
    assert interval.lower <= value <= interval.upper
    assert interval.width < 1e-9


def test_the_sum_of_twenty_thousand_ratings_contains_the_mean() -> None:
    """Uniform draws from a pool without a surrogate need no array a round (METHOD 8.8)."""
    size, value = 20_000, 0.7
    pool = Pool([str(row) for row in range(size)], np.zeros(size), Scale(0, 1))
    design = Design(surrogate="none", bet="hedged", width=1e-9).resolved(pool)
    with few_cells(2):
        inference = Inference(pool, design, np.zeros(size))
        for left in range(size, 0, -1):
            inference.commit(Terms(size, left, 1 / left, 0.0, 0.0, 0.0, left / size), value, value)
    assert inference.lower <= value <= inference.upper
