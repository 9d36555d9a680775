"""Further aspects of a rubric: against a straight-line oracle, and as a fold over what happens in a session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from celeus_label.certify import Aspect, Certifier, Design, Pool, Scale
from celeus_label.certify.aspects import Aspects, aspect_intervals
from tests.certify.straight_line import celeus

LIKERT = Scale(1, 5, 1)
CLEAR = Aspect("clarity", LIKERT, "clarity_judge", Scale(0, 1))
BRIEF = Aspect("brevity", Scale(0, 100))


def make(size: int = 300, seed: int = 1) -> tuple[Pool, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    main = rng.integers(1, 6, size).astype(float)
    clear = np.clip(main + rng.integers(-1, 2, size), 1, 5).astype(float)
    judge = np.clip((clear - 1) / 4 + rng.normal(0, 0.15, size), 0, 1)
    judge[::9] = np.nan
    features = {"clarity_judge": judge, "w": rng.random(size) + 0.1}
    pool = Pool(
        [f"i{n}" for n in range(size)],
        np.clip(main + rng.normal(0, 1, size), 1, 5),
        LIKERT,
        Scale(1, 5),
        features,
    )
    return pool, main, {"clarity": clear, "brevity": rng.integers(0, 101, size).astype(float)}


def design(**more: Any) -> Design:
    return Design(**{"width": 0.1, "aspects": (CLEAR, BRIEF), "main_aspect": "help", "seed": 3, **more})


def run(certifier: Certifier, main: np.ndarray, values: dict[str, np.ndarray], rounds: int) -> None:
    for _ in range(rounds):
        draw = certifier.ask()
        place = draw.position
        certifier.tell(draw, main[place], aspects={name: column[place] for name, column in values.items()})


def test_it_agrees_with_the_method_written_straight_down() -> None:
    """The hedged bets on a grid, with a least-squares line through the ratings before as the surrogate."""
    size, rounds, grid = 2_000, 300, 10_000
    pool, main, values = make(size)
    frozen = design(preset="celeus", weights="w", beta=0.4)
    certifier = Certifier(pool, frozen)
    run(certifier, main, values, rounds)
    judge = pool.features["clarity_judge"]
    judge = np.where(np.isnan(judge), np.nanmean(judge), judge)
    y = (values["clarity"] - 1) / 4

    def line(before: list[int]) -> np.ndarray:
        n = len(before)
        centre = (2 * judge.mean() + y[before].sum()) / (2 + n)
        if n < 2:
            return np.full(size, centre)
        g = judge[before] - judge[before].mean()
        slope = (g * (y[before] - y[before].mean())).sum() / ((g**2).sum() + 1)
        return np.clip(centre + slope * (judge - judge[before].mean()), 0, 1)

    drawn = [round_.draw for round_ in certifier.rounds]
    low, high = celeus(
        [draw.position for draw in drawn], [draw.q for draw in drawn], y, line, pool.features["w"],
        beta=0.4, alpha1=0.025, alpha2=None, theta=0.5, c=0.5, grid=grid,
    )  # fmt: skip
    clear, _ = aspect_intervals(certifier, frozen)
    assert clear.alpha == 0.025
    assert clear.lower_unit == pytest.approx(low[-1], abs=1.5 / grid)
    assert clear.upper_unit == pytest.approx(high[-1], abs=1.5 / grid)
    assert clear.upper_unit - clear.lower_unit < 0.5


@pytest.mark.parametrize(
    ("preset", "target"),
    [
        ("target-aware", "pool"), ("target-aware", "population"), ("celeus", "pool"), ("celeus", "population"),
        ("celeus-no-surrogate", "pool"), ("evalue", "population"),
    ],
)  # fmt: skip
def test_every_preset_and_target_gives_intervals_that_shrink_around_the_truth(
    preset: str, target: str
) -> None:
    pool, main, values = make()
    frozen = design(preset=preset, target=target, width=0.3).resolved(pool)
    certifier = Certifier(pool, frozen)
    run(certifier, main, values, 60)
    early = aspect_intervals(certifier, frozen)
    run(certifier, main, values, 120)
    late = aspect_intervals(certifier, frozen)
    for before, after, (name, column) in zip(early, late, values.items(), strict=True):
        assert (after.name, after.rated) == (name, 180)
        assert before.upper - before.lower > after.upper - after.lower > 0
        assert after.lower <= column.mean() <= after.upper
        assert after.lower <= after.estimate <= after.upper
    assert all(one.alpha == 0.025 for one in late)
    each = replace(frozen, aspects_alpha="each")
    assert all(one.alpha == 0.05 for one in aspect_intervals(certifier, each))


def test_a_whole_pool_gives_the_mean_itself() -> None:
    pool, main, values = make(40)
    frozen = design(width=0.001)
    certifier = Certifier(pool, frozen)
    run(certifier, main, values, 40)
    for one, column in zip(aspect_intervals(certifier, frozen), values.values(), strict=True):
        assert one.lower == pytest.approx(column.mean(), abs=1e-6)
        assert one.upper == pytest.approx(column.mean(), abs=1e-6)


def test_following_a_session_is_the_same_as_starting_anew_also_after_a_correction() -> None:
    pool, main, values = make()
    frozen = design()
    certifier, aspects = Certifier(pool, frozen), Aspects(pool, frozen)
    for step in (1, 30, 0, 25):
        run(certifier, main, values, step)
        assert aspects.follow(certifier) == aspect_intervals(certifier, frozen)
    certifier.correct(7, 3, aspects={"clarity": 1, "brevity": 0})
    changed = aspects.follow(certifier)
    assert changed == aspect_intervals(certifier, frozen)
    certifier.go_on(0.01)  # a later width sizes none of their bets
    assert aspects.follow(certifier) == changed


def test_the_main_interval_is_that_of_a_session_without_further_aspects() -> None:
    pool, main, values = make()
    with_, without = Certifier(pool, design()), Certifier(pool, design(aspects=(), main_aspect=None))
    run(with_, main, values, 80)
    for _ in range(80):
        draw = without.ask()
        without.tell(draw, main[draw.position])
    assert with_.interval == without.interval


def test_several_raters_and_items_that_nobody_can_rate() -> None:
    pool, _, _ = make(20)
    frozen = design(ratings_per_item=2, aspects=(BRIEF,), disagreement=1)
    certifier = Certifier(pool, frozen)
    first = certifier.ask()
    certifier.tell(first, 1, "a", {"brevity": 10})
    certifier.tell(first, 2, "b", {"brevity": 30})
    assert certifier.rounds[0].aspect_value(BRIEF) == (0.2, 0.2)
    second = certifier.ask()
    certifier.cannot_rate(second, "a")
    certifier.cannot_rate(second, "b")
    assert certifier.rounds[1].aspect_value(BRIEF) == (0.0, 1.0)
    third = certifier.ask()
    certifier.tell(third, 1, "a", {"brevity": 0})
    certifier.tell(third, 5, "b", {"brevity": 100})
    certifier.adjudicate(third, 4)  # the main aspect's value alone
    assert certifier.rounds[2].value == (0.75, 0.75)
    assert certifier.rounds[2].aspect_value(BRIEF) == (0.5, 0.5)
    assert aspect_intervals(certifier, frozen)[0].rated == 3


def test_every_aspect_needs_a_value_on_its_scale_and_nothing_is_kept_of_what_is_refused() -> None:
    pool, _, _ = make(20)
    certifier = Certifier(pool, design())
    draw = certifier.ask()
    good = {"clarity": 2, "brevity": 0}
    for wrong, told in (
        (None, "the values of the aspects are missing"),
        ({"clarity": 2}, "the value of the aspect brevity is missing"),
        ({**good, "tone": 1}, "there is no aspect 'tone'"),
        ({**good, "clarity": 2.5}, "clarity is 2.5, between two steps"),
        ({**good, "brevity": 101}, "brevity is 101, outside the scale 0 to 100"),
        ({**good, "brevity": float("nan")}, "not a finite number"),
    ):
        with pytest.raises(ValueError, match=told):
            certifier.tell(draw, 3, aspects=wrong)
    assert certifier.ratings == 0
    certifier.tell(draw, 3, aspects=good)
    plain = Certifier(pool, Design())
    with pytest.raises(ValueError, match="but the design has none"):
        plain.tell(plain.ask(), 3, aspects=good)


def test_a_design_with_aspects_is_checked_and_read_back() -> None:
    pool, _, _ = make(20)
    frozen = design(aspects_alpha="each")
    assert Design.from_dict(frozen.to_dict()) == frozen
    assert not {"aspects", "main_aspect", "aspects_alpha"} & set(Design().to_dict())
    assert Design(aspects=(BRIEF,)).main_aspect == "overall"
    for wrong, told in (
        ({"aspects": (CLEAR, CLEAR)}, "two aspects have the name 'clarity'"),
        ({"main_aspect": "clarity"}, "two aspects have the name 'clarity'"),
        ({"task": "pairwise"}, "a pair has one verdict"),
        ({"aspects": ()}, "there is no other one"),
        ({"aspects_alpha": "none"}, "aspects_alpha must be one of shared, each"),
    ):
        with pytest.raises(ValueError, match=told):
            design(**wrong)
    for name in ("", " ", "x" * 61):
        with pytest.raises(ValueError, match="1 to 60 characters"):
            Aspect(name, LIKERT)
    with pytest.raises(ValueError, match="its judge is the feature 'tone'"):
        design(aspects=(Aspect("tone", LIKERT, "tone"),)).resolved(pool)
    with pytest.raises(ValueError, match=r"row 1: w is .*, outside the scale 1 to 5"):
        design(aspects=(Aspect("tone", LIKERT, "w"),)).resolved(pool)
