"""Ratings that were corrected, and a lead's means to correct one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.session import Identity, SessionInfo, StoreError, Workspace
from celeus_label.ui import desk, items, say


def shown(workspace: Workspace, who: Identity, session: SessionInfo) -> None:
    """Old and new value, who and when; then one rating at a time."""
    if "corrected" in st.session_state:
        st.success(st.session_state.pop("corrected"))
    found = workspace.corrections(who, session.id)
    if found:
        rows = [
            {
                "Draw": one.round,
                "Rater": one.name,
                "Was": desk.scores(one.old, one.old_aspects),
                "Is": desk.scores(one.new, one.new_aspects),
                "By": one.by,
                "At": one.at,
            }
            for one in found
        ]
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            column_config={"At": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")},
        )
    else:
        st.caption("No rating was corrected.")
    st.caption(
        "Raters correct their own by Undo or from their last ten. A correction is a row of the ledger beside the "
        "rating, also after the session has stopped; the interval is computed again, and the certificate counts it."
    )
    if session.design.task == "pairwise":
        return  # a verdict is about the order in which its rater saw the two
    given = {(one.round, one.rater): one for one in workspace.given(who, session.id)}
    if not given:
        return
    st.subheader("Correct a rating", anchor=False)
    chosen = st.selectbox(
        "Rating",
        list(given),
        format_func=lambda key: f"Draw {key[0]}, {given[key].name}: {desk.number(given[key].value)}",
    )
    one = given[chosen]
    items.verbatim(workspace.item_of(who, session.id, one.round))
    with st.form(f"correct {one.round} {one.rater}"):
        value = items.value(session.scale)
        if session.design.aspects:  # a name is somebody's words
            st.text(
                f"This is the value of {session.design.main_aspect}. The further aspects stay as they are."
            )
        if not st.form_submit_button("Correct"):
            return
    if value is None:
        say.problem("Choose the value first: nothing was corrected.", "There is no value yet.")
        return
    try:
        workspace.correct(who, session.id, one.round, value, rater=one.rater)
    except (ValueError, StoreError) as error:
        say.problem(error, "Nothing was changed.")
        return
    st.session_state["corrected"] = (
        f"Draw {one.round}: {desk.number(one.value)} was corrected to {desk.number(value)}."
    )
    st.rerun()
