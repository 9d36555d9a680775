"""The score buttons of every kind of scale."""

from __future__ import annotations

import pytest

from celeus_label.certify import Scale
from celeus_label.ui.desk import ends, options


def keys(scale: Scale) -> list[tuple[str, str]]:
    return [(one["text"], one["key"]) for one in options(scale) or []]


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (Scale(0, 1, 1), [("0", "0"), ("1", "1")]),
        (Scale(1, 5, 1), [(str(i), str(i)) for i in range(1, 6)]),
        (Scale(0, 9, 1), [(str(i), str(i)) for i in range(10)]),
        (Scale(1, 10, 1), [(str(i), str(i % 10)) for i in range(1, 11)]),
        (Scale(0, 1, 0.25), [("0", "1"), ("0.25", "2"), ("0.5", "3"), ("0.75", "4"), ("1", "5")]),
        (Scale(-1, 1, 1), [("-1", "1"), ("0", "2"), ("1", "3")]),
        (Scale(0.1, 0.3, 0.1), [("0.1", "1"), ("0.2", "2"), ("0.3", "3")]),
        (Scale(5, 1, 1), [(str(i), str(i)) for i in range(1, 6)]),
    ],
)
def test_every_point_of_a_short_scale_has_a_button_with_its_own_key(
    scale: Scale, expected: list[tuple[str, str]]
) -> None:
    assert keys(scale) == expected
    assert len({key for _, key in expected}) == len(expected)


@pytest.mark.parametrize("scale", [Scale(0, 100), Scale(0, 1), Scale(0, 10, 1), Scale(0, 100, 5)])
def test_a_scale_of_more_than_ten_points_takes_a_number(scale: Scale) -> None:
    assert options(scale) is None


def test_every_button_is_a_rating_that_the_scale_takes() -> None:
    for scale in (Scale(0, 1, 0.1111111111111111), Scale(0.1, 0.7, 0.1), Scale(5, 1, 0.5)):
        for one in options(scale) or []:
            scale.check(one["value"], "rating")


def test_words_stand_at_their_points_or_at_the_ends() -> None:
    each = Scale(1, 3, 1, ("bad", "fair", "good"))
    assert [one["word"] for one in options(each) or []] == ["bad", "fair", "good"]
    assert ends(each) == []
    two = Scale(1, 5, 1, ("bad", "good"))
    assert [one["word"] for one in options(two) or []] == [""] * 5
    assert ends(two) == ["bad", "good"]
    assert ends(Scale(0, 100, None, ("bad", "good"))) == ["bad", "good"]


def test_two_words_on_two_points_are_the_words_of_the_points() -> None:
    scale = Scale(0, 1, 1, ("no", "yes"))
    assert [one["word"] for one in options(scale) or []] == ["no", "yes"]
    assert ends(scale) == []


def test_a_scale_with_its_ends_swapped_keeps_words_with_their_scores() -> None:
    scale = Scale(3, 1, 1, ("bad", "fair", "good"))  # 3 is bad
    assert [(one["value"], one["word"]) for one in options(scale) or []] == [
        (1, "good"),
        (2, "fair"),
        (3, "bad"),
    ]
    assert ends(Scale(5, 1, 1, ("bad", "good"))) == ["good", "bad"]
