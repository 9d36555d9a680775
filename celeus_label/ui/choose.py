"""Which session a lead is looking at."""

from __future__ import annotations

import streamlit as st

from celeus_label.session import Identity, SessionInfo
from celeus_label.ui.signin import workspace


def session(who: Identity) -> SessionInfo:
    """The session chosen at the top of the page; with none at all, say so and stop.

    The newest stands first, archived ones last. The choice stands in the address, so that a reload and a copied
    link keep it.
    """
    newest = reversed(workspace().sessions(who))
    known = {info.id: info for info in sorted(newest, key=lambda one: one.archived)}
    if not known:
        st.info("There is no session yet. Make one on the page Set up.")
        st.stop()
    ids = list(known)
    asked = st.query_params.get("session", "")
    wanted = next((one for one in ids if str(one) == asked), st.session_state.get("session", ids[0]))
    place = ids.index(wanted) if wanted in known else 0
    chosen = st.selectbox("Session", ids, index=place, format_func=lambda one: _name(known[one]))
    st.session_state["session"] = chosen
    if asked != str(chosen):
        st.query_params["session"] = str(chosen)
    return known[chosen]


def _name(info: SessionInfo) -> str:
    return f"{info.name} (archived)" if info.archived else info.name
