from __future__ import annotations

import streamlit as st

from celeus_label.ui import choose, say, signin, work
from celeus_label.ui.charts import interval_figure, width_figure
from celeus_label.ui.livechart import live_chart

EVERY_SECONDS = 2

st.title("Monitor", anchor=False)
session = choose.session(signin.need("lead"))
scale = session.scale


def _numbers(values: dict[str, str | int]) -> None:
    with st.container(horizontal=True, gap="medium"):
        for name, value in values.items():
            st.metric(name, value, width="content")


@st.fragment(run_every=EVERY_SECONDS)
def live() -> None:
    state = signin.workspace().monitor(signin.need("lead"), session.id)
    interval, line, target = state.interval, state.trajectory, state.design.width
    low, high = say.ends(interval, scale)
    _numbers(
        {
            "Status": interval.status,
            "Ratings": f"{interval.ratings:,}",
            "Interval": f"{low} – {high}",
            "Estimate": f"{interval.estimate:.4g}",
            "Width": f"{interval.width * scale.range:.3g} ({interval.width * 100:.3g} %)",
        }
    )
    st.caption(
        f"The target is a width of {say.points(target, scale.range)}. "
        "The interval holds at whatever moment one looks: watching it, and stopping early, is allowed."
    )
    # A figure is made anew only when a rating has come in or was corrected.
    seen = (session.id, interval, target)
    if st.session_state.get("drawn") != seen:
        width = target * scale.range
        ends = (scale.lower, scale.upper)
        st.session_state["figures"] = (
            interval_figure(line.rounds, line.lower, line.upper, line.estimate, ends, width).to_json(),
            width_figure(line.rounds, abs(line.upper - line.lower), width).to_json(),
        )
        st.session_state["drawn"] = seen
    charts = st.session_state["figures"]
    st.subheader("Interval and estimate", anchor=False)
    live_chart(charts[0], key="interval", label="Interval and estimate against ratings", height=340)
    st.subheader("Width", anchor=False)
    live_chart(charts[1], key="width", label="Width of the interval against ratings", height=240)

    st.subheader("Queue", anchor=False)
    queue = state.counts
    _numbers(
        {
            "Open": queue.open,
            "Held by raters": len(queue.held),
            "Waiting for an earlier one": queue.waiting,
            "Done": queue.done,
            "Cannot be rated": queue.unratable,
        }
    )
    st.subheader("Raters", anchor=False)
    work.table(state)


live()
