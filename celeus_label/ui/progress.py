"""How far a session is: its numbers, its two charts, its queue."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.certificate.words import ends, mean_of
from celeus_label.session import Monitor, QueueCounts, SessionInfo, Workspace
from celeus_label.session.types import Identity
from celeus_label.session.watching import Outlook
from celeus_label.ui import figures, say, work
from celeus_label.ui.charts import interval_figure, width_figure


def numbers(values: dict[str, str | int]) -> None:
    """Metrics in a row."""
    with st.container(horizontal=True, gap="medium"):
        for name, value in values.items():
            st.metric(name, value, width="content")


def head(state: Monitor) -> None:
    """The session in five numbers."""
    interval, scale = state.interval, state.scale
    low, high = ends(interval.lower, interval.upper, scale)
    numbers(
        {
            "Status": interval.status,
            "Ratings" if state.design.ratings_per_item == 1 else "Items rated": f"{interval.ratings:,}",
            "Interval": f"{low} – {high}",
            "Estimate": f"{interval.estimate:.4g}",
            "Width": f"{interval.width * scale.range:.3g} ({interval.width * 100:.3g} %)",
        }
    )
    if state.design.task == "pairwise":
        st.caption("The interval is for the win rate of A over B; 0.5 is even.")
    elif state.design.main_aspect is not None:
        st.text(f"The interval is for {state.design.main_aspect}, the main aspect.")  # somebody's words
    st.caption(
        f"The target is a width of {say.points(state.design.width, scale.range)}. "
        "The interval holds at whatever moment one looks: watching it, and stopping early, is allowed."
    )


def aspects(state: Monitor) -> None:
    """The further aspects of a rubric, an interval each."""
    if not state.aspects:
        return
    st.subheader("Further aspects", anchor=False)
    rows = []
    for one in state.aspects:
        shown = "contradicted" if one.contradicted else " – ".join(ends(one.lower, one.upper, one.scale))
        rows.append(
            {
                "Aspect": one.name,
                "Scale": str(one.scale),
                "Interval": shown,
                "Estimate": f"{one.estimate:.4g}",
                "Width": f"{(one.upper - one.lower):.3g} ({(one.upper_unit - one.lower_unit) * 100:.3g} %)",
                "Confidence": f"{100 * (1 - one.alpha):.4g} %",
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        "From the same draws, which follow the main aspect alone; each holds at whatever moment one looks."
    )


def other(workspace: Workspace, who: Identity, session: SessionInfo) -> int | None:
    """Ask which other session on the same scale stands beside this one in the chart."""
    names = {
        one.id: one.name
        for one in workspace.sessions(who)
        if one.id != session.id and one.ratings and one.scale == session.scale
    }
    if not names:
        return None
    options = [None, *names]
    return st.selectbox(
        "Beside it, in grey",
        options,
        index=options.index(session.follows) if session.follows in names else 0,
        key=f"beside {session.id}",
        format_func=lambda one: "no other session" if one is None else names[one],
    )


def charts(session: int, state: Monitor, seen: Outlook, beside: Monitor | None) -> None:
    """Interval and width against ratings, made anew only when something of them has changed."""
    interval, line, design = state.interval, state.trajectory, state.design
    st.text(say.forecast(seen))
    saved = say.savings(seen, interval.ratings * design.ratings_per_item)
    if saved is not None:
        st.caption(saved)
    grey = None if beside is None else beside.trajectory
    drawn = (session, len(line.rounds), interval, design.width, seen, beside and beside.interval)
    if st.session_state.get("drawn") != drawn:
        width = design.width * state.scale.range
        each = design.ratings_per_item
        still = seen.forecast
        coming = None if still is None else (still.low / each, still.ratings / each, still.high / each)
        without = None if seen.without_judge is None else seen.without_judge / each
        drawings = (
            interval_figure(
                line.rounds,
                line.lower,
                line.upper,
                line.estimate,
                (state.scale.lower, state.scale.upper),
                width,
                None if grey is None else (grey.rounds, grey.lower, grey.upper),
                mean_of(design.task),
            ),
            width_figure(
                line.rounds,
                abs(line.upper - line.lower),
                width,
                coming,
                without,
                None if grey is None else (grey.rounds, abs(grey.upper - grey.lower)),
            ),
        )
        for drawing in drawings if each > 1 else ():
            drawing.update_xaxes(title="Items rated")
        st.session_state["figures"] = tuple(drawing.to_json() for drawing in drawings)
        st.session_state["drawn"] = drawn
    interval_json, width_json = st.session_state["figures"]
    st.subheader("Interval and estimate", anchor=False)
    figures.shown(
        interval_json,
        {"ratings": line.rounds, "lower": line.lower, "upper": line.upper, "estimate": line.estimate},
        key="interval",
        label="Interval and estimate against ratings",
        height=340,
    )
    st.subheader("Width", anchor=False)
    figures.shown(
        width_json,
        {"ratings": line.rounds, "width": abs(line.upper - line.lower)},
        key="width",
        label="Width of the interval against ratings",
        height=260,
    )
    st.caption(
        "Dashed: the target. Dotted, with its band: the forecast, which holds in about 8 of 10 sessions. "
        "Cross: what the target would take without the judge."
        + ("" if grey is None else " Grey: the other session.")
    )


def queue(workspace: Workspace, who: Identity, session: int, state: Monitor) -> None:
    """The draws by state, why they wait, and who holds which."""
    st.subheader("Queue", anchor=False)
    counts = state.counts
    numbers(
        {
            "Open": counts.open,
            "Held by raters": len(counts.held),
            "Waiting for an earlier one": counts.waiting,
            "Done": counts.done,
            "Cannot be rated": counts.unratable,
        }
    )
    if counts.waiting and counts.first_open is not None:
        # names are other people's words
        st.text(
            f"{_finished(counts.waiting)} for draw {counts.first_open}, which {_holders(counts)}. Items enter the "
            "interval in the order of their draws, so that slow ones don't bias it."
        )
    if counts.reported:
        st.caption(f"{counts.reported:,} open items need a second opinion: somebody could not rate them.")
    if counts.contested:
        st.caption(
            f"{counts.contested:,} items were given one more rating, because the first ones differed. A lead may "
            "decide them on the page Raters, under Differences."
        )
    if counts.held:
        rows = [{"Draw": one.round, "Rater": one.name, "Held until": one.expires} for one in counts.held]
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            column_config={"Held until": st.column_config.DatetimeColumn(format="HH:mm:ss")},
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            rounds = list(dict.fromkeys(one.round for one in counts.held))
            draw = st.selectbox("Take back draw", rounds, width=160)
            st.button(
                "Take back",
                help="Its rater loses it, and somebody else is given it.",
                on_click=_take_back,
                args=(workspace, who, session, draw),
            )
    st.subheader("Raters", anchor=False)
    work.table(state)


def _take_back(workspace: Workspace, who: Identity, session: int, draw: int) -> None:
    workspace.take_back(who, session, draw)


def _finished(count: int) -> str:
    return "1 finished item waits" if count == 1 else f"{count:,} finished items wait"


def _holders(counts: QueueCounts) -> str:
    """Who has the draw that others wait for."""
    holders = [f"{one.name} holds until {one.expires:%H:%M:%S} UTC" for one in counts.blocking]
    return " and ".join(holders) if holders else "nobody holds: the next rater is given it"
