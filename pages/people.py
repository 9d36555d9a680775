from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from celeus_label.ui import people, say, signin

who = signin.need("lead")
workspace = signin.workspace()

st.title("People", anchor=False)

with st.form("invite", clear_on_submit=True):
    st.subheader("Invite a lead or an admin of every session", anchor=False)
    left, right = st.columns([3, 2])
    name = left.text_input("Name", max_chars=100)
    role = right.selectbox("Role", ["lead", "admin"])
    if st.form_submit_button("Make the link"):
        st.session_state["invited"] = (name, workspace.invite(who, role, None, name))
say.new_link()

st.subheader("Everybody", anchor=False)
people.table(workspace, who, datetime.now(UTC))

st.subheader("Backup", anchor=False)


def backup() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backup.db"
        workspace.backup(who, path)
        return path.read_bytes()


st.download_button(
    "Download a backup", backup, "celeus-label-backup.db", "application/octet-stream", on_click="ignore"
)
st.caption(
    "One file with everything, names included: keep it as safe as the server. "
    "To go back to it: celeus-label restore."
)
