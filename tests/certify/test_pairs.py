"""Pairs: the order in which they are shown, and what a verdict is worth."""

from __future__ import annotations

import hashlib

import pytest

from celeus_label.certify import Design, Pool, Scale, pairs


def test_the_order_is_a_coin_that_a_stranger_can_toss_again() -> None:
    for seed, item_id in ((0, "a"), (7, "item 1"), (2**62, "é =1+1")):
        even = hashlib.sha256(f"{seed} {item_id}".encode()).digest()[0] % 2 == 0
        assert pairs.left_of(seed, item_id) == ("A" if even else "B")


def test_the_coin_is_fair_and_each_seed_has_its_own() -> None:
    a = [pairs.left_of(3, f"i{n}") == "A" for n in range(4000)]
    b = [pairs.left_of(4, f"i{n}") == "A" for n in range(4000)]
    assert abs(sum(a) - 2000) < 4 * 1000**0.5
    assert abs(sum(x == y for x, y in zip(a, b, strict=True)) - 2000) < 4 * 1000**0.5


@pytest.mark.parametrize("left", ["A", "B"])
def test_a_win_of_a_is_1_on_whichever_side_it_stands(left: str) -> None:
    worth = {verdict: pairs.value_of(verdict, left) for verdict in pairs.VERDICTS}
    assert worth == {"left": float(left == "A"), "right": float(left == "B"), "tie": 0.5, "both bad": 0.5}
    for verdict in ("left", "right", "tie"):
        assert pairs.verdict_of(worth[verdict], left) == verdict


def test_what_follows_from_nothing_is_refused() -> None:
    left = pairs.left_of(7, "q")
    other = "B" if left == "A" else "A"
    pairs.check(7, "q", {"left": left, "verdict": "left"}, float(left == "A"))
    for answer, value, told in (
        (None, 0.5, "must say which response stood on the left"),
        ({"left": other, "verdict": "tie"}, 0.5, "by the seed it was"),
        ({"left": left, "verdict": "left"}, float(left == "B"), "is worth"),
        ({"left": left, "verdict": "tie"}, 1.0, "is worth 0.5, not 1.0"),
        ({"left": left, "verdict": "Left"}, 1.0, "must be one of left, right, tie, both bad"),
        ({"left": left}, 0.5, "the verdict is 'None'"),
    ):
        with pytest.raises(ValueError, match=told):
            pairs.check(7, "q", answer, value)


def test_a_pairwise_design_needs_the_scale_of_pairs_and_the_common_one_is_written_as_before() -> None:
    assert "task" not in Design().to_dict()
    design = Design(task="pairwise")
    assert Design.from_dict(design.to_dict()) == design
    with pytest.raises(ValueError, match=r"scale 0 to 1 in steps of 0\.5"):
        design.resolved(Pool(["a"], [0.5], Scale(0, 1)))
    assert design.resolved(Pool(["a"], [0.7], pairs.SCALE)) == design
    with pytest.raises(ValueError, match="task must be one of single, pairwise"):
        Design(task="ranking")
