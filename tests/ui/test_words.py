"""The rater's texts in every language."""

from __future__ import annotations

import re

import pytest

from celeus_label.ui.ratercard import HERE, PARTS, script
from celeus_label.ui.words import RATER

ENGLISH = RATER["en"]


def places(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("code", sorted(set(RATER) - {"en"}))
def test_a_language_says_everything_and_fills_in_the_same_values(code: str) -> None:
    assert set(RATER[code]) == set(ENGLISH)
    for name, text in RATER[code].items():
        assert text.strip(), name
        assert places(text) == places(ENGLISH[name]), name


def test_the_card_names_no_text_that_there_is_not_and_leaves_none_unused() -> None:
    source = "\n".join((HERE / f"{part}.js").read_text("utf-8") for part in PARTS)
    named = set(re.findall(r"words\.(\w+)", source))
    assert named - set(ENGLISH) == set()
    by_name = {"own_name", "no_undo", "saved", "corrected"}  # looked up by a name that a variable holds
    unused = {
        name
        for name in set(ENGLISH) - named - by_name
        if not name.startswith(("reason_", "idle_", "trouble_", "verdict_", "lost_"))
    }
    assert unused == set()


def test_the_card_never_makes_elements_from_text() -> None:
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval("):
        assert forbidden not in script()
