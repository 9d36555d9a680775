"""The rules that end a session: asked for before the freeze, and changed while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from celeus_label.certify import Design, Scale
from celeus_label.session import Monitor, StoreError, Workspace
from celeus_label.session.types import Identity
from celeus_label.ui import say


@dataclass(frozen=True)
class Rules:
    """Stopping rules beside the width; None is no rule."""

    above: float | None
    below: float | None
    budget: int | None


def rules(scale: Scale, now: Design | None = None) -> Rules:
    """Ask for them; each may be left empty."""
    start: Any = Rules(None, None, None) if now is None else now
    above, below, budget = st.columns(3)
    lower, upper = float(scale.lower), float(scale.upper)
    return Rules(
        above.number_input(
            "Also stop once the mean is above",
            lower,
            upper,
            start.above,
            format="%g",
            placeholder="no such rule",
            help="As soon as the whole interval lies above this value: “certified at least …”.",
        ),
        below.number_input(
            "Also stop once the mean is below",
            lower,
            upper,
            start.below,
            format="%g",
            placeholder="no such rule",
            help="As soon as the whole interval lies below this value.",
        ),
        budget.number_input(
            "Also stop after so many items",
            1,
            None,
            start.budget,
            step=1,
            placeholder="no budget",
            help="The interval is then as wide as it is, and valid.",
        ),
    )


def width_percent(now: Design, place: DeltaGenerator | None = None) -> float:
    """Ask for the target width in percent of the scale, beginning with a design's, however small or large that is."""
    percent = now.width * 100
    return (place or st).number_input(
        "Target width, % of the scale",
        min_value=min(0.1, percent),
        max_value=max(99.0, percent),
        value=percent,
        format="%g",
    )


def change(workspace: Workspace, who: Identity, session: int, state: Monitor) -> None:
    """Another width, and other rules, for a session that runs."""
    design, scale = state.design, state.scale
    st.text(
        "Why this is allowed at any time: the interval holds at every moment at once, not at a moment fixed before. "
        "So it also holds at the moment that you choose after looking, whatever made you choose it."
    )
    with st.form("width"):
        percent = width_percent(design)
        st.caption(
            f"Now {say.points(design.width, scale.range)}. Reached: {say.points(state.interval.width, scale.range)}."
        )
        if st.form_submit_button("Go on to this width"):
            _do(lambda: workspace.go_on(who, session, percent / 100))
    with st.form("rules"):
        wanted = rules(scale, design)
        if st.form_submit_button("Stop by these rules"):
            _do(lambda: workspace.stop_at(who, session, wanted.above, wanted.below, wanted.budget))
    st.caption("Each change is a row of the ledger, and stands in the certificate.")


def _do(action: Callable[[], None]) -> None:
    try:
        action()
    except (ValueError, StoreError) as error:
        say.problem(error, "Nothing was changed.")
        return
    st.rerun()
