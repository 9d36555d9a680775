"""Items whose ratings differ by more than the design allows, and the lead's decision on each."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.session import Dispute, Identity, SessionInfo, StoreError, Workspace
from celeus_label.ui import desk, items, say
from celeus_label.ui.progress import numbers


def shown(workspace: Workspace, who: Identity, session: SessionInfo) -> None:
    """How many there are, and one of them at a time: its texts, its ratings, the decision."""
    step = session.design.disagreement
    if step is None:
        st.info(
            "The design of this session asks for no further rating where raters differ, so nothing waits for a "
            "decision. The rule is set before the freeze, for two ratings an item or more."
        )
        return
    found = sorted(workspace.disputes(who, session.id), key=_done)
    waiting = [one for one in found if not _done(one)]
    decided = sum(one.decided is not None for one in found)
    numbers(
        {
            "Waiting for a decision": len(waiting),
            "Settled by a further rating": len(found) - len(waiting) - decided,
            "Decided by a lead": decided,
        }
    )
    st.caption(
        f"The first ratings of these items differ by more than {step:g}, on the scale {session.scale}. Each is offered "
        "to one more rater, and a lead may decide its value, before that rating or after it. Until either comes, it is "
        "not finished."
    )
    if "decided" in st.session_state:
        st.success(st.session_state.pop("decided"))
    if not found:
        st.caption("No item's ratings differ by that much so far.")
        return
    by_round = {one.round: one for one in found}
    round = st.selectbox(
        "Item", list(by_round), format_func=lambda one: f"Draw {one}, {_state(by_round[one])}"
    )
    _item(by_round[round])
    _decide(workspace, who, session, by_round[round])


def _done(one: Dispute) -> bool:
    return one.decided is not None or one.state != "open"


def _state(one: Dispute) -> str:
    if one.decided is not None:
        return f"decided: {desk.number(one.decided)}"
    return {"open": "waiting", "done": "settled by a further rating"}.get(one.state, "cannot be rated")


def _item(one: Dispute) -> None:
    items.verbatim(one.item)
    rows = [
        {"Rater": name, "Rating": value, "Comment": comment or ""} for _, name, value, comment in one.ratings
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def _decide(workspace: Workspace, who: Identity, session: SessionInfo, one: Dispute) -> None:
    with st.form(f"decide {one.round}"):
        value = items.value(session.scale)
        st.caption(
            "Decide by the guidelines, not by what it does to the interval. The ratings stay; the decision is a row of "
            "the ledger, and the certificate counts it."
        )
        label = "Decide" if one.decided is None else "Decide again"
        if not st.form_submit_button(label):
            return
    if value is None:
        say.problem("Choose the value first: nothing was decided.", "There is no value yet.")
        return
    try:
        workspace.adjudicate(who, session.id, one.round, value)
    except (ValueError, StoreError) as error:
        say.problem(error, "Nothing was changed.")
        return
    st.session_state["decided"] = f"Draw {one.round} is decided: {desk.number(value)}."
    st.rerun()
