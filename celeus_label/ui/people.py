"""Everybody whom the database knows, for admins."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from celeus_label.session import Identity, Workspace
from celeus_label.session.types import Person


def table(workspace: Workspace, who: Identity, now: datetime) -> None:
    """One row a person, with what ends a way in, and what deletes all that is personal."""
    sessions = {one.id: one.name for one in workspace.sessions(who)}
    for one in workspace.people(who):
        with st.container(border=True):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(
                    one.name if one.login in (None, one.name) else f"{one.name} · {one.login}",
                    width="stretch",
                )
                st.caption(one.id, width="content")
            if one.password is not None:
                st.text(f"{one.password} of every session, by a password")
            for way in one.invites:
                if way.revoked or way.expires <= now:
                    continue
                with st.container(horizontal=True, vertical_alignment="center"):
                    of = "every session" if way.session is None else sessions[way.session]
                    st.text(
                        f"{way.role} of {of}, by {way.via}, until {way.expires:%Y-%m-%d}", width="stretch"
                    )
                    if st.button("End", key=f"end {way.id}"):
                        workspace.revoke(who, None, way.id)
                        st.rerun()
            if one.id != who.person:
                _deletion(workspace, who, one)


def _deletion(workspace: Workspace, who: Identity, one: Person) -> None:
    with st.popover("Delete what is personal", key=f"ask {one.id}"):
        st.write(
            "The name, the login and the password go, and every way in ends. The ratings stay, under the opaque "
            "id: no interval changes, and every ledger stays whole. Comments are part of the ledger and stay, too. "
            "This can't be undone."
        )
        if st.button("Delete it", key=f"delete {one.id}"):
            workspace.forget(who, one.id)
            st.rerun()
