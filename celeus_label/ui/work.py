"""What each rater has done."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.session import Monitor, Remark


def table(state: Monitor) -> None:
    """One line a rater; a table of Streamlit's shows names letter by letter."""
    if not state.raters:
        st.caption("Nobody has rated yet.")
        return
    rows = [
        {
            "Rater": one.name,
            "Ratings": one.ratings,
            "Median seconds": None if one.median_ms is None else one.median_ms / 1000,
            "Put off": one.put_off,
            "Cannot be rated": one.unratable,
            "Last rating": one.last_at,
        }
        for one in state.raters
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "Median seconds": st.column_config.NumberColumn(format="%.1f"),
            "Last rating": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss"),
        },
    )


def remarks(rows: list[Remark]) -> None:
    """Every comment and flag, newest first."""
    if not rows:
        st.caption("Nobody has commented on an item or flagged one.")
        return
    shown = [
        {
            "Item": one.item_id,
            "Rater": one.name,
            "Rating": one.value,
            "Flag": one.flag,
            "Comment": one.comment,
            "At": one.at,
        }
        for one in rows
    ]
    st.dataframe(
        pd.DataFrame(shown),
        hide_index=True,
        column_config={"At": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")},
    )
