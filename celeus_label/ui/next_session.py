"""A session that begins where another one ended: same scale, guidelines and design, a pool of its own."""

from __future__ import annotations

from typing import Any

import streamlit as st

from celeus_label.session import SessionInfo, Workspace
from celeus_label.session.types import Identity


def source(workspace: Workspace, who: Identity) -> SessionInfo | None:
    """The session that the lead asked to begin from, if any."""
    wanted = st.session_state.get("next_from")
    found = [one for one in workspace.sessions(who) if one.id == wanted]
    if not found:
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"Scale, guidelines and design are those of {found[0].name} to begin with.")
        if st.button("Begin with nothing"):
            del st.session_state["next_from"]
            st.rerun()
    return found[0]


def warm_start(workspace: Workspace, who: Identity, before: SessionInfo | None) -> dict[str, Any] | None:
    """What that session learnt of its judge, if the lead wants it used from the first draw on."""
    learnt = None if before is None else workspace.learnt(who, before.id)
    if learnt is None:
        return None
    wanted = st.checkbox(
        "Begin with what that session learnt of its judge",
        value=True,
        help="It saves ratings where judge and raters are alike. It is fixed before the first draw, so the interval "
        "holds whether they are or not.",
    )
    return learnt if wanted else None
