"""How ratings make an item's value, and how raters are tested: asked for before the freeze."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from celeus_label.certify import Design, Scale
from celeus_label.certify.design_rules import AGGREGATES, UNRATABLE_RULES
from celeus_label.ingest import Mapping, Table
from celeus_label.ui.poolform import NONE

MOST_PERCENT = 40.0  # of either kind of test; the store refuses more
UNRATABLE = {
    "bound": "whatever it may be: the interval holds in any case",
    "worst": "the worst of the scale",
    "best": "the best of the scale",
}


@dataclass(frozen=True)
class RaterRules:
    """Fields of the design, and shares in [0, 0.4] of what a rater gets that tests the rater."""

    design: dict[str, Any]
    gold_rate: float
    repeat_rate: float


def known_answers(table: Table, mapping: Mapping) -> Mapping:
    """The mapping, with the column of known answers if there is one."""
    column = st.selectbox(
        "Known answers (gold items)",
        [NONE, *table.columns],
        key=f"known answers {table.name}",
        help="Rows that have an answer here test the raters: they are mixed into the work and set apart from the pool, "
        "so that they are never part of the interval.",
    )
    return mapping if column == NONE else replace(mapping, gold=column)


def rules(scale: Scale, gold: int, start: Design) -> RaterRules:
    """Ask for them; `gold` is the number of gold items, `start` the design to begin with."""
    left, right = st.columns(2)
    each = int(
        left.number_input("Ratings for each item", 1, max(20, start.ratings_per_item), start.ratings_per_item)
    )
    aggregate, disagreement = start.aggregate, None
    if each > 1:
        aggregate = right.selectbox(
            "Value of an item",
            list(AGGREGATES),
            AGGREGATES.index(start.aggregate),
            format_func=lambda one: f"their {one}",
        )
        disagreement = st.number_input(
            "One more rating where they differ by more than",
            0.0,
            None,
            start.disagreement,
            format="%g",
            placeholder="no further rating",
            help=f"On the scale {scale}. A lead may then decide the item's value on the page Raters.",
        )
    left, right = st.columns(2)
    unratable_after = left.number_input(
        "Raters who can't rate an item before it is given up",
        1,
        max(20, start.unratable_after),
        start.unratable_after,
    )
    unratable = right.selectbox(
        "Value of an item given up",
        list(UNRATABLE_RULES),
        UNRATABLE_RULES.index(start.unratable),
        format_func=UNRATABLE.__getitem__,
        help="It is counted by this rule and never dropped; the certificate says how many there are.",
    )
    left, right = st.columns(2)
    repeat_percent = left.number_input(
        "Own items again, % of what a rater gets",
        0.0,
        MOST_PERCENT,
        0.0,
        format="%g",
        help="Shows whether a rater rates the same item the same way twice. Only the first rating counts.",
    )
    gold_percent = 0.0
    if gold:
        gold_percent = right.number_input(
            f"Gold items, % of what a rater gets ({gold:,} there are)", 0.0, MOST_PERCENT, 10.0, format="%g"
        )
    fields = {
        "ratings_per_item": each,
        "aggregate": aggregate,
        "disagreement": disagreement,
        "unratable": unratable,
        "unratable_after": int(unratable_after),
    }
    return RaterRules(fields, gold_percent / 100, repeat_percent / 100)
