"""Gold items and own items again, and how each rater did: for leads alone."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.session import Identity, Score, SessionInfo, Workspace
from celeus_label.ui import figures
from celeus_label.ui.progress import numbers

KINDS = {"gold": "gold", "repeat": "own again"}


def shown(workspace: Workspace, who: Identity, session: SessionInfo) -> None:
    """What tests the raters, and what came of it."""
    frozen = workspace.control_rules(who, session.id)
    if frozen is None:
        st.info(
            "This session tests nobody. Choose a column of known answers, or a share of own items again, on the page "
            "Set up before the freeze."
        )
        return
    numbers(
        {
            "Gold items": f"{frozen.gold:,}",
            "Share of gold items": f"{frozen.gold_rate * 100:.3g} %",
            "Share of own items again": f"{frozen.repeat_rate * 100:.3g} %",
        }
    )
    st.caption(
        "Both look like any other item to a rater, and raters are never told how they did. They are no part of the "
        "interval."
    )
    reports = workspace.rater_reports(who, session.id)
    gold = [(one.name, one.gold) for one in reports if one.gold is not None]
    again = [(one.name, one.repeats) for one in reports if one.repeats is not None]
    if not gold and not again:
        st.caption("Nobody has rated a gold item or an own item again yet.")
        return
    for title, scores in (("Against the known answers", gold), ("Against the own first rating", again)):
        if scores:
            st.subheader(title, anchor=False)
            _table(scores)
    st.caption(
        "Same: share rated exactly as expected. Off by: mean distance, in points. Gives more: mean of rating less what "
        "was expected, so below 0 for a strict rater."
    )
    st.subheader("Each test", anchor=False)
    table = pd.DataFrame(
        [
            {
                "Item": one.item_id,
                "Rater": one.name,
                "Kind": KINDS[one.of],
                "Expected": one.expected,
                "Rated": one.value,
                "At": one.at,
            }
            for one in reversed(workspace.controls(who, session.id))
        ]
    )
    figures.table(
        table,
        key="tests",
        columns={"At": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")},
    )


def _table(scores: list[tuple[str, Score]]) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "Rater": name,
                    "Rated": one.items,
                    "Same": one.same,
                    "Off by": one.off,
                    "Gives more": one.bias,
                }
                for name, one in scores
            ]
        ),
        hide_index=True,
        column_config={
            "Same": st.column_config.NumberColumn(format="percent"),
            "Off by": st.column_config.NumberColumn(format="%.2f"),
            "Gives more": st.column_config.NumberColumn(format="%+.2f"),
        },
    )
