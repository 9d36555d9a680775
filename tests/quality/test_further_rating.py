"""The rule for ratings that differ: one more rating, and a lead's decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale, design_body, draw_events, replay
from celeus_label.ledger import Event, append

SCALE = Scale(1, 5)
AT = "2026-03-01T09:00:00.000000+00:00"


def pool(size: int = 6) -> Pool:
    return Pool([f"i{n}" for n in range(size)], np.linspace(1, 5, size), SCALE)


def design(**options: Any) -> Design:
    return Design(**{"ratings_per_item": 2, "disagreement": 1.0, "width": 0.01, "seed": 2, **options})


def first_draw(**options: Any) -> Certifier:
    certifier = Certifier(pool(), design(**options))
    certifier.ask()
    return certifier


def value(certifier: Certifier) -> float:
    """The value of the first draw, on the raters' scale."""
    return SCALE.from_unit(certifier._rounds[0].value[0])


@pytest.mark.parametrize(
    ("ratings", "done"), [((2, 3), True), ((2, 3.01), False), ((2, 2), True), ((0.3 + 1, 1 + 1.3), True)]
)
def test_a_difference_above_the_step_asks_for_one_more(ratings: tuple[float, float], done: bool) -> None:
    certifier = first_draw()
    for n, rating in enumerate(ratings):
        certifier.tell(1, rating, f"p{n}")
    assert certifier.ratings == done
    if not done:
        certifier.tell(1, 4, "p3")
        assert certifier.ratings == 1
        assert value(certifier) == pytest.approx((sum(ratings) + 4) / 3)
        with pytest.raises(ValueError, match="finished"):
            certifier.tell(1, 4, "p4")


def test_a_decision_is_the_value_before_the_further_rating_or_after_it() -> None:
    certifier = first_draw()
    certifier.tell(1, 1, "a")
    certifier.tell(1, 5, "b")
    certifier.adjudicate(1, 4)
    assert (certifier.ratings, value(certifier), certifier.adjudicated(1)) == (1, 4, 4)
    with pytest.raises(ValueError, match="finished"):
        certifier.tell(1, 5, "c")
    after = first_draw()
    for rater, rating in zip("abc", (1, 5, 2), strict=True):
        after.tell(1, rating, rater)
    assert value(after) == pytest.approx(8 / 3)
    after.adjudicate(1, 4)
    assert after.interval == certifier.interval
    after.adjudicate(1, 2)
    assert value(after) == 2
    after.correct(1, 3, "a")
    assert value(after) == 2


def test_a_draw_whose_ratings_agree_is_not_for_a_lead_to_decide() -> None:
    certifier = first_draw()
    with pytest.raises(ValueError, match="only where the first ratings differ"):
        certifier.adjudicate(1, 3)
    certifier.tell(1, 3, "a")
    certifier.tell(1, 4, "b")
    with pytest.raises(ValueError, match="only where the first ratings differ"):
        certifier.adjudicate(1, 3)
    certifier.correct(1, 1, "a")  # the rule looks at the ratings as they were given
    assert certifier.ratings == 1
    with pytest.raises(ValueError, match="only where the first ratings differ"):
        certifier.adjudicate(1, 3)


def test_a_further_rating_that_nobody_can_give_leaves_the_rule_for_such_items() -> None:
    certifier = first_draw()
    certifier.tell(1, 1, "a")
    certifier.tell(1, 5, "b")
    certifier.cannot_rate(1, "c")
    assert certifier.ratings == 0
    certifier.cannot_rate(1, "d")
    assert certifier.ratings == 1
    assert certifier._rounds[0].value == (0.0, 1.0)
    certifier.adjudicate(1, 3)
    assert certifier._rounds[0].value == (0.5, 0.5)


def test_changes_after_the_stop_are_counted() -> None:
    certifier = Certifier(pool(), design(budget=2))
    for _ in range(2):
        draw = certifier.ask()
        certifier.tell(draw, 1, "a")
        certifier.tell(draw, 5, "b")
        certifier.tell(draw, 3, "c")
        certifier.correct(draw, 4, "b") if draw.round == 1 else None
    assert (certifier.status, certifier.late_changes) == ("budget spent", 0)
    certifier.correct(1, 5, "b")
    certifier.adjudicate(2, 5)
    assert (certifier.status, certifier.late_changes) == ("budget spent", 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ratings_per_item": 1}, "with one rating an item there are no two that could differ"),
        ({"disagreement": -0.5}, "must be a difference of ratings, 0 or more, got -0.5"),
        ({"disagreement": float("nan")}, "must be a difference of ratings, 0 or more, got nan"),
        ({"disagreement": "1"}, "must be a difference of ratings, 0 or more, got '1'"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        design(**options)


def test_a_step_that_no_ratings_can_exceed_is_refused_for_the_pool() -> None:
    with pytest.raises(ValueError, match="no two ratings on the scale 1 to 5 differ by more"):
        design(disagreement=4).resolved(pool())


# --- the ledger -------------------------------------------------------------------------------------------


def ledger(*events: tuple[str, dict[str, Any]], **options: Any) -> list[Event]:
    """A session with one draw, and these events after it."""
    draw = Certifier(pool(), design(**options)).propose()
    assert draw is not None
    chain: list[Event] = []
    start = [("design", design_body("s", pool(), design(**options))), *draw_events(draw)]
    for kind, body in [*start, *events]:
        chain.append(append(chain[-1] if chain else None, kind, body, AT))
    return chain


def rating(rater: str, value: float) -> tuple[str, dict[str, Any]]:
    return "rating", {"round": 1, "rater": rater, "value": value, "duration_ms": 1}


FURTHER = ("further", {"round": 1, "wanted": 3})


def decided(old: float | None, new: float) -> tuple[str, dict[str, Any]]:
    return "adjudication", {"round": 1, "old": old, "new": new, "by": "lead"}


def test_a_ledger_with_a_further_rating_and_a_decision_replays() -> None:
    events = ledger(rating("a", 1), FURTHER, rating("b", 5), rating("c", 2), decided(None, 4), decided(4, 3))
    certifier = replay(pool(), design(), events)
    assert value(certifier) == 3
    again = first_draw()
    for rater, number in (("a", 1), ("b", 5), ("c", 2)):
        again.tell(1, number, rater)
    again.adjudicate(1, 3)
    assert again.interval == certifier.interval


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        (
            [rating("a", 1), FURTHER, rating("b", 2)],
            r"row 5 \(rating\): draw 1: a further rating was asked for, though",
        ),
        ([FURTHER, rating("a", 1)], r"row 3 \(further\): draw 1: 3 ratings are asked for after 0"),
        ([rating("a", 1), FURTHER, FURTHER], r"row 5 \(further\): draw 1: 3 ratings are asked for after 1"),
        (
            [rating("a", 1), ("further", {"round": 1, "wanted": 4})],
            r"row 4 \(further\): draw 1: 4 ratings are asked for",
        ),
        (
            [rating("a", 1), FURTHER, rating("b", 5), decided(2, 3)],
            "its old value is 2, but what was decided before is None",
        ),
        (
            [rating("a", 1), rating("b", 2), decided(None, 3)],
            "a value is decided only where the first ratings differ",
        ),
        (
            [rating("a", 1), FURTHER, rating("b", 5), decided(None, 6)],
            "the value decided is 6, outside the scale 1 to 5",
        ),
    ],
)
def test_a_ledger_that_breaks_the_rule_is_found_out(events: list[tuple[str, Any]], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replay(pool(), design(), ledger(*events))


def test_a_ledger_that_leaves_a_further_rating_out_changes_nothing_of_the_rule() -> None:
    events = ledger(rating("a", 1), rating("b", 5))
    assert replay(pool(), design(), events).ratings == 0


def test_a_design_without_the_rule_has_no_further_rating() -> None:
    with pytest.raises(ValueError, match=r"row 4 \(further\): draw 1: the design asks for no further rating"):
        replay(pool(), design(disagreement=None), ledger(rating("a", 1), FURTHER, disagreement=None))
