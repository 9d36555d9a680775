"""Mirror symmetry, order of arrival and corrections, over every sequence of draws of a tiny pool."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Draw
from tests.exact import laws
from tests.exact.tree import (
    early_fits,
    few_cells,
    forced_draws,
    grow,
    make_pool,
    mean,
    numbers_for_each_item,
    telling,
)

JUDGE, WEIGHTS, VALUES = (0.9, 0.3, 0.6, 0.2, 0.7), (0.0, 1.0, 4.0, 0.0, 2.0), (1.0, 0.0, 0.5, 0.25, 1.0)


@pytest.mark.parametrize("bounds", ["local", "global"])
@pytest.mark.parametrize("surrogate", ["judge", "fitted"])
@pytest.mark.parametrize("bet", ["hedged", "target"])
def test_mirrored_values_swap_the_ends(bet: str, surrogate: str, bounds: str) -> None:
    values, judge, weights = (1.0, 1.0, 0.25, 1.0, 0.0), (1.0, 0.9, 1.0, 0.8, 1.0), (0.0, 1.0, 4.0, 0.0, 2.0)
    options = {"alpha": 0.9, "bet": bet, "surrogate": surrogate, "bounds": bounds, "weights": "w", "c": 0.01}
    plain = grow(
        make_pool(judge, weights),
        Design(theta=0.3, width=0.3, **options),  # type: ignore[arg-type]
        telling(values),
        mean(values),
        fit_every=3,
    )
    mirrored = tuple(1 - value for value in values)
    other = grow(
        make_pool(tuple(1 - score for score in judge), weights),
        Design(theta=0.7, width=0.3, **options),  # type: ignore[arg-type]
        telling(mirrored),
        mean(mirrored),
        fit_every=3,
    )
    rejected = [0, 0]
    for one, two in zip(plain.nodes(), other.nodes(), strict=True):
        assert one.path == two.path
        assert one.probability == pytest.approx(two.probability, rel=1e-9)
        assert (one.lower, one.upper) == pytest.approx((1 - two.upper, 1 - two.lower), abs=1e-9)
        assert one.wealth == pytest.approx(two.wealth[::-1], rel=1e-6)
        known = [values[position] for position in one.path]
        rejected[0] += one.lower > sum(known) / 5 + 1e-9
        rejected[1] += one.upper < (sum(known) + 5 - len(known)) / 5 - 1e-9
    if bounds == "local" and bet == "hedged":
        assert max(rejected) > 0, "ends that only follow the ratings say nothing about the bets"


@pytest.mark.parametrize("bet", ["hedged", "target"])
@pytest.mark.parametrize("surrogate", ["judge", "fitted"])
def test_ratings_count_in_the_order_of_the_draws(surrogate: str, bet: str) -> None:
    """All items are out at once; in whatever order their ratings arrive, the path of the interval is the same."""
    values = VALUES[:4]
    design = Design(alpha=0.5, bet=bet, surrogate=surrogate, width=0.3)
    for draws in itertools.permutations(range(4)):
        paths = []
        for arrivals in itertools.permutations(range(1, 5)):
            certifier = _drawn(design, draws)
            for number, round_ in enumerate(arrivals, start=1):
                certifier.tell(round_, values[draws[round_ - 1]])
                finished = set(arrivals[:number])
                ready = next(count for count in range(5) if count + 1 not in finished)
                assert certifier.ratings == ready, "a round counts once every round before it is finished"
            paths.append(np.array([certifier.trajectory[name] for name in ("lower", "upper", "estimate")]))
        assert all(np.array_equal(path, paths[0]) for path in paths)


def _drawn(design: Design, positions: tuple[int, ...]) -> Certifier:
    """A certifier that has drawn these items and heard of no rating."""
    with forced_draws() as number, few_cells(48):
        certifier = Certifier(make_pool(JUDGE[: len(positions)]), design)
        for position in positions:
            for u in numbers_for_each_item(certifier, number):
                number[0] = u
                draw = certifier.propose()
                if draw is not None and draw.position == position:
                    certifier.ask()
                    break
    assert certifier.draws == len(positions)
    return certifier


@pytest.mark.parametrize("bet", ["hedged", "target"])
def test_a_corrected_session_is_the_one_with_the_right_rating(bet: str) -> None:
    """Every sequence of draws, a wrong rating in any round, corrected at any later time."""
    design = Design(alpha=0.5, bet=bet, surrogate="judge", width=0.3)
    values = VALUES[:4]
    for draws in itertools.permutations(range(4)):
        right = _drawn(design, draws)
        for round_, position in enumerate(draws, start=1):
            right.tell(round_, values[position])
        for wrong, when in itertools.combinations_with_replacement(range(1, 5), 2):
            corrected = _drawn(design, draws)
            for round_, position in enumerate(draws, start=1):
                truth = values[position]
                corrected.tell(round_, 1 - truth if round_ == wrong else truth)
                if round_ == when:
                    corrected.correct(wrong, values[draws[wrong - 1]])
            assert corrected.interval == right.interval
            for name, path in right.trajectory.items():
                np.testing.assert_array_equal(corrected.trajectory[name], path)


@pytest.mark.parametrize("surrogate", ["judge", "fitted"])
def test_a_correction_to_the_same_value_changes_nothing(surrogate: str) -> None:
    """Asked at every node: what was rated, drawn and reported stays, fits included."""

    def rate(certifier: Certifier, draw: Draw) -> None:
        certifier.tell(draw, VALUES[draw.position])
        before = certifier.interval, {k: v.tolist() for k, v in certifier.trajectory.items()}
        for round_ in certifier.rounds:
            certifier.correct(round_.draw, VALUES[round_.draw.position])
        assert before == (certifier.interval, {k: v.tolist() for k, v in certifier.trajectory.items()})

    design = Design(alpha=0.5, surrogate=surrogate, width=0.3)
    root = grow(make_pool(JUDGE[:4]), design, rate, mean(VALUES[:4]))
    laws.check_signals(root, VALUES[:4])
    laws.check_wealth(root)


def test_going_on_between_a_draw_and_its_rating_gives_no_advantage() -> None:
    """Whoever sees the item, or its rating, before the rounds before it are in, must not choose its bet."""
    values = (1.0, 0.0, 1.0, 0.0)

    def rate(certifier: Certifier, draw: Draw) -> None:
        if values[draw.position] == 1.0 and certifier.design.width > 0.3:
            certifier.go_on(0.01)
        certifier.tell(draw, values[draw.position])

    design = Design(alpha=0.5, surrogate="judge", width=0.5)
    root = grow(make_pool((0.5,) * 4), design, rate, mean(values))
    laws.check_wealth(root)


def test_fits_are_made_of_committed_rounds_only() -> None:
    """A rating that waits for an earlier one is not in the fit: the next draw is the same whatever its value."""
    design = Design(alpha=0.5, width=0.3, seed=5)
    proposals = []
    for late in (0.0, 1.0):
        with early_fits(1):
            certifier = Certifier(make_pool(JUDGE, WEIGHTS), design)
            first, second, third, fourth = (certifier.ask() for _ in range(4))
            certifier.tell(first, 0.25)
            certifier.tell(second, 0.75)
            certifier.tell(fourth, late)
            proposals.append(certifier.propose())
    assert proposals[0] is not None and proposals[0].fit is not None
    assert proposals[0] == proposals[1]
    assert proposals[0].committed == third.round - 1
