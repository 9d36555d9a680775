from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from celeus_label.ui import agreeing, choose, controls, corrections, disputes, say, signin, work

VIEWS = {
    "Agreement": agreeing.shown,
    "Gold items": controls.shown,
    "Differences": disputes.shown,
    "Corrections": corrections.shown,
}

who = signin.need("lead")
workspace = signin.workspace()

st.title("Raters", anchor=False)
session = choose.session(who)
view = st.segmented_control(
    "View", ["People", *VIEWS], default="People", required=True, label_visibility="collapsed"
)
if view in VIEWS:
    VIEWS[view](workspace, who, session)
    st.stop()

with st.form("invite", clear_on_submit=True):
    st.subheader("Invite somebody", anchor=False)
    left, middle, right = st.columns([3, 2, 2])
    name = left.text_input("Name", max_chars=100)
    role = middle.selectbox("Role", ["rater", "lead"])
    days = right.number_input("Link ends after days", min_value=1, max_value=365, value=30)
    if st.form_submit_button("Make the link"):
        st.session_state["invited"] = (name, workspace.invite(who, role, session.id, name, days=int(days)))
say.new_link()

st.subheader("Work done", anchor=False)
work.table(workspace.monitor(who, session.id))

st.subheader("Comments and flags", anchor=False)
work.remarks(workspace.remarks(who, session.id))

st.subheader("Links", anchor=False)
invites = workspace.invites(who, session.id)
now = datetime.now(UTC)
if not invites:
    st.caption("No link has been made for this session.")
for invite in invites:
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        ended = "revoked" if invite.revoked else "ended" if invite.expires <= now else None
        st.text(f"{invite.name} · {invite.role}", width="stretch")
        st.caption(ended or f"until {invite.expires:%Y-%m-%d}", width="content")
        if ended is None and st.button("Revoke", key=f"revoke {invite.id}"):
            workspace.revoke(who, session.id, invite.id)
            st.rerun()
