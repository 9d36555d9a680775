"""Agreement against published worked examples, and against its definition written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from celeus_label.certify.agreement import LEVELS, Agreement, agreement

Rating = tuple[int, str, float]


def table(*rows: str) -> list[Rating]:
    """Ratings from a row of values for each rater, "." where there is none; letters are categories."""
    values = {letter: float(number) for number, letter in enumerate("abcde", start=1)}
    return [
        (item, f"rater {rater}", values.get(cell) or float(cell))
        for rater, row in enumerate(rows)
        for item, cell in enumerate(row.split())
        if cell != "."
    ]


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections A, B, C and D.
BINARY = table("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
NOMINAL = table("a a b b d c c c e d d a", "b a b b b c c c e d d d")
MISSING = table(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
# The example of the article "Krippendorff's alpha" in Wikipedia.
ENCYCLOPEDIA = table(
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)


@pytest.mark.parametrize(
    ("ratings", "level", "published"),
    [
        (BINARY, "nominal", 0.095),
        (NOMINAL, "nominal", 0.692),
        (MISSING, "nominal", 0.743),
        (MISSING, "ordinal", 0.815),
        (MISSING, "interval", 0.849),
        (ENCYCLOPEDIA, "nominal", 0.691),
        (ENCYCLOPEDIA, "interval", 0.811),
    ],
)
def test_alpha_is_the_published_one(ratings: list[Rating], level: str, published: float) -> None:
    assert getattr(agreement(ratings)[0], level).value == pytest.approx(published, abs=0.0005)


def test_items_with_one_rating_have_no_say() -> None:
    # in MISSING the twelfth item has one rating: 11 items and 40 ratings count, as published
    overall = agreement(MISSING)[0]
    assert (overall.items, overall.ratings) == (11, 40)
    assert agreement([*MISSING, (99, "rater 0", 5.0)])[0] == overall


@pytest.mark.parametrize(("ratings", "share"), [(BINARY, 0.6), (NOMINAL, 0.75)])
def test_percent_agreement_of_two_raters_is_the_share_of_items_they_agree_on(
    ratings: list[Rating], share: float
) -> None:
    overall, raters = agreement(ratings)
    assert overall.percent.value == pytest.approx(share)
    assert {one.percent.value for one in raters.values()} == {overall.percent.value}


def by_definition(ratings: list[Rating], level: str, rater: str | None = None) -> tuple[float, float]:
    """Alpha (of one rater) and percent agreement, by loops over the pairs."""
    items: dict[int, list[tuple[str, float]]] = {}
    for item, who, value in ratings:
        items.setdefault(item, []).append((who, value))
    units = [unit for unit in items.values() if len(unit) >= 2]
    values = [value for unit in units for _, value in unit]

    def delta(one: float, two: float) -> float:
        if level == "nominal":
            return float(one != two)
        if level == "interval":
            return (one - two) ** 2
        low, high = min(one, two), max(one, two)
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(low) + values.count(high)) / 2) ** 2 if low != high else 0.0

    seen, same = [], []
    for unit in units:
        for n, (who, value) in enumerate(unit):
            if rater in (None, who):
                others = [other for m, (_, other) in enumerate(unit) if m != n]
                seen.append(np.mean([delta(value, other) for other in others]))
                same.append(np.mean([value == other for other in others]))
    chance = [delta(one, two) for one, two in itertools.permutations(values, 2)]
    return 1 - float(np.mean(seen) / np.mean(chance)), float(np.mean(same))


def random_ratings(seed: int) -> list[Rating]:
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(12):
        truth = rng.normal(3, 1)
        for rater in range(rng.integers(1, 5)):
            value = float(np.clip(np.round(2 * (truth + rng.normal(0, 0.3 * rater))) / 2, 1, 5))
            rows.append((item, f"r{rater}", value))
    return rows


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_its_definition(level: str, seed: int) -> None:
    ratings = random_ratings(seed)
    overall, raters = agreement(ratings)
    alpha, percent = by_definition(ratings, level)
    assert getattr(overall, level).value == pytest.approx(alpha, rel=1e-12)
    assert overall.percent.value == pytest.approx(percent, rel=1e-12)
    for name, one in raters.items():
        alpha, percent = by_definition(ratings, level, name)
        assert getattr(one, level).value == pytest.approx(alpha, rel=1e-12)
        assert one.percent.value == pytest.approx(percent, rel=1e-12)


@pytest.mark.parametrize("level", [*LEVELS, "percent"])
def test_the_overall_measure_is_the_weighted_mean_of_the_raters(level: str) -> None:
    overall, raters = agreement(random_ratings(7))
    total = math.fsum(one.ratings * getattr(one, level).value for one in raters.values())
    assert total / overall.ratings == pytest.approx(getattr(overall, level).value, rel=1e-12)
    assert sum(one.ratings for one in raters.values()) == overall.ratings


def measures(one: Agreement) -> list[tuple[float | None, str]]:
    return [(m.value, m.why) for m in (one.percent, one.nominal, one.ordinal, one.interval)]


def test_what_is_not_defined_says_why() -> None:
    none = (None, "no item has ratings by two raters")
    for ratings in ([], [(1, "a", 2.0)], [(1, "a", 2.0), (2, "b", 2.0)]):
        assert measures(agreement(ratings)[0]) == [none] * 4
    overall, raters = agreement([(1, r, 0.1) for r in "abcefg"] + [(2, "d", 0.3)])
    why = "all ratings are the same value, so that there is no disagreement by chance to compare with"
    assert measures(overall) == [(1.0, ""), (None, why), (None, why), (None, why)]
    assert measures(raters["d"]) == [(None, "no item of this rater has a rating by another")] * 4


def test_nothing_changes_with_the_unit_or_the_order_of_the_ratings() -> None:
    ratings = random_ratings(3)
    overall = agreement(ratings)[0]
    moved = agreement([(item, rater, 1e6 + 1000 * value) for item, rater, value in reversed(ratings)])[0]
    for one, two in zip(measures(overall), measures(moved), strict=True):
        assert one[0] == pytest.approx(two[0], rel=1e-9)
    assert agreement([(i, r, 6 - v) for i, r, v in ratings])[0].ordinal.value == pytest.approx(
        overall.ordinal.value or 0, rel=1e-9
    )


def test_many_ratings_are_quick() -> None:
    rng = np.random.default_rng(1)
    ratings = [(n // 3, f"r{n % 3}", float(v)) for n, v in enumerate(rng.random(60_000))]
    overall, raters = agreement(ratings)
    assert overall.items == 20_000
    assert len(raters) == 3
    assert overall.interval.value == pytest.approx(0, abs=0.05)
