"""An upload beside the pools that sessions have already."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.ingest import Comparison, Loaded
from celeus_label.session import Identity, Workspace

SHOWN = 200


def beside_stored(workspace: Workspace, who: Identity, loaded: Loaded) -> None:
    """What an upload has that the pool of a session has not, and the other way round.

    A new session gets a pool of its own: nothing of a stored one changes.
    """
    sessions = {one.id: one.name for one in workspace.sessions(who)}
    if not sessions:
        return
    known = st.session_state.get("likely")
    if known is None or known[0] is not loaded:
        known = loaded, workspace.likely_source(who, loaded)
        st.session_state["likely"] = known
    options = [None, *sessions]
    chosen = st.selectbox(
        "Compare with the pool of the session",
        options,
        index=options.index(known[1]),
        format_func=lambda one: "(none)" if one is None else sessions[one],
    )
    if chosen is None:
        return
    kept = st.session_state.get("compared")
    if kept is None or kept[0] is not loaded or kept[1] != chosen:
        with st.spinner("Comparing …"):
            kept = loaded, chosen, workspace.compare(who, chosen, loaded)
        st.session_state["compared"] = kept
    found: Comparison = kept[2]
    st.text(f"Against that pool: {found}.")
    st.caption("That session keeps its pool as it is; a session made from this file gets a pool of its own.")
    rows = [
        *([one, f"{what} changed"] for one, what in found.changed.items()),
        *([one, f"stored as {other}"] for one, other in found.conflicts.items()),
        *([one, "new"] for one in (() if not found.same and not found.changed else found.new)),
        *([one, "no longer there"] for one in found.missing),
    ]
    if rows:
        st.dataframe(pd.DataFrame(rows[:SHOWN], columns=["item", "what"]), hide_index=True)
