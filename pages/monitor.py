from __future__ import annotations

import streamlit as st

from celeus_label.ui import choose, judging, progress, signin, stopping

EVERY_SECONDS = 2
VIEWS = ["Progress", "Judge", "Slices", "Stopping"]

st.title("Monitor", anchor=False)
session = choose.session(signin.need("lead"))
view = st.segmented_control("View", VIEWS, default=VIEWS[0], required=True, label_visibility="collapsed")

beside = progress.other(signin.workspace(), signin.need("lead"), session) if view == VIEWS[0] else None


@st.fragment(run_every=EVERY_SECONDS)
def live() -> None:
    who, workspace = signin.need("lead"), signin.workspace()
    state = workspace.monitor(who, session.id)
    progress.head(state)
    if state.interval.status != "open":
        st.info("No further items are given out. To go on to a smaller width, see Stopping.")
    if view == "Judge":
        judging.calibration(workspace, who, session.id, session.scale, state.design)
    elif view == "Slices":
        judging.slices(workspace, who, session.id, session.scale, state.design)
    elif view == "Progress":
        compared = None if beside is None else workspace.monitor(who, beside)
        progress.charts(session.id, state, workspace.outlook(who, session.id), compared)
        progress.aspects(state)
        progress.queue(workspace, who, session.id, state)


live()
if view == "Stopping":
    me = signin.need("lead")
    stopping.change(signin.workspace(), me, session.id, signin.workspace().monitor(me, session.id))
