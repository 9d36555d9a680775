"""Planning a session before its design is frozen: what a width takes, and which can't be had."""

from __future__ import annotations

import dataclasses
import math

import pandas as pd
import streamlit as st

from celeus_label.certify import Design, Pool
from celeus_label.certify.planning import Assumed, Plan, plan_ahead, seen_in
from celeus_label.ingest import Loaded
from celeus_label.session import Workspace
from celeus_label.session.types import Identity
from celeus_label.ui import figures, say
from celeus_label.ui.charts import plan_figure

TYPICAL = Assumed(correlation=0.4, deviation=0.25, agreement=0.6)
COUNTS = (1, 2, 3, 5)
# Where what is assumed comes from, beside the ids of earlier sessions.
_SAID, _PILOT = -1, -2


def show(workspace: Workspace, who: Identity, design: Design, loaded: Loaded) -> None:
    """Ask for what is assumed, and say what follows: a sentence, a chart, and what other choices would take."""
    pool = loaded.pool
    assumed = _assumed(workspace, who, loaded)
    left, right = st.columns(2)
    seconds = left.number_input("Seconds for a rating", min_value=1.0, value=60.0, format="%g")
    price = right.number_input("Price of an hour of rating", min_value=0.0, value=20.0, format="%g")
    try:
        planned = _planned(design, pool, assumed)
    except ValueError as error:
        say.problem(error, "There is no plan for this.")
        return
    st.text(sentence(planned, design, pool, seconds, price))
    points = planned.widths * pool.scale.range
    figures.shown(
        plan_figure(
            points,
            planned.ratings,
            (design.width * pool.scale.range, planned.wanted),
            planned.smallest * pool.scale.range,
        ),
        {"width": points, "width_share": planned.widths, "ratings": planned.ratings},
        key="plan",
        label="Expected ratings against the width of the interval",
        height=280,
    )
    rows = [
        _row(_other(design, target, count), pool, assumed, seconds, price)
        for target in (("population",) if design.preset == "evalue" else ("pool", "population"))
        for count in COUNTS
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        "A plan, not a promise: about 8 of 10 sessions take between two thirds and one and a half times as many. "
        "What the session certifies does not depend on it."
    )


def sentence(planned: Plan, design: Design, pool: Pool, seconds: float, price: float) -> str:
    """The plan in one sentence."""
    reach = pool.scale.range
    if math.isnan(planned.wanted):
        return (
            f"A width of {say.points(design.width, reach)} is out of reach for the population: with all {pool.size:,} "
            f"items rated the interval would still be {say.points(planned.smallest, reach)} wide. Ask for more than "
            f"that, take a larger sample, or choose the pool as the target."
        )
    hours = planned.wanted * seconds / 3600
    told = (
        f"About {planned.wanted:,.0f} ratings to a width of {say.points(design.width, reach)}: "
        f"{say.duration(hours * 3600)} of work, a cost of {hours * price:,.0f}."
    )
    if planned.smallest > 0:
        told += f" No width below {say.points(planned.smallest, reach)} can be reached with this pool."
    if planned.alpha_split is not None:
        told += (
            f" Of the error allowed, {planned.alpha_split:.0%} is best spent on the ratings and the rest on the step "
            "to the population."
        )
    return told


def _assumed(workspace: Workspace, who: Identity, loaded: Loaded) -> Assumed:
    reach = loaded.pool.scale.range
    earlier = {one.id: one.name for one in workspace.sessions(who) if one.ratings}
    pilot = None if loaded.human is None else seen_in(loaded.pool, loaded.human)
    named = {_SAID: "I say below", _PILOT: f"in the pilot ({loaded.mapping.human})"}
    choices = [*([_PILOT] if pilot else []), _SAID, *earlier]
    source = st.selectbox(
        "Judge and raters will be as",
        choices,
        format_func=lambda one: named.get(one) or f"in {earlier[one]}",
        help="A pilot is a column of ratings of this file (chosen above); an earlier session tells it too.",
        key=f"source {pilot is None}",
    )
    if loaded.human is not None and pilot is None:
        st.caption("The pilot has too few ratings to tell: it takes 20 that differ.")
    start = TYPICAL
    if pilot is not None and source == _PILOT:
        start = _start(pilot.correlation, pilot.deviation)
        st.caption(
            f"{pilot.ratings:,} ratings of the pilot: the correlation lies between {pilot.low:.2f} and "
            f"{pilot.high:.2f} with 95 % confidence, if its items were taken at random."
        )
    elif source != _SAID:
        seen = workspace.outlook(who, source)
        if seen.correlation is not None and seen.deviation is not None:
            start = _start(seen.correlation, seen.deviation)
        else:
            st.caption("That session has too few ratings to tell.")
    a, b, c = st.columns(3)
    return Assumed(
        a.number_input("Correlation of judge and ratings", -1.0, 1.0, start.correlation, 0.05, "%g"),
        b.number_input(
            "Standard deviation of ratings, points",
            0.0,
            reach / 2,
            min(start.deviation, 0.5) * reach,  # of a few ratings at both ends it is a little more
            reach / 100,
            "%g",
        )
        / reach,
        c.number_input(
            "Agreement of raters, 0 to 1",
            0.0,
            1.0,
            start.agreement,
            0.05,
            "%g",
            help="Share of the ratings' variance that raters agree on. It matters for several ratings an item alone.",
        ),
    )


def _start(correlation: float, deviation: float) -> Assumed:
    """What was seen elsewhere, with an agreement of raters that allows it."""
    # a correlation is at most the root of the agreement; a quarter of what is left is given on top
    least = correlation**2 + (1 - correlation**2) / 4
    return Assumed(round(correlation, 2), round(deviation, 3), max(TYPICAL.agreement, round(least, 2)))


def _planned(design: Design, pool: Pool, assumed: Assumed) -> Plan:
    """Computed anew only when something of it has changed."""
    key = (design.to_dict(), pool.hash, assumed)
    kept = st.session_state.setdefault("plans", [])
    for before, planned in kept:
        if before == key:
            return planned  # type: ignore[no-any-return]
    planned = plan_ahead(design, pool, assumed)
    kept.append((key, planned))
    del kept[:-20]
    return planned


def _other(design: Design, target: str, count: int) -> Design:
    """The design with another target and number of ratings; a single one can't differ from others."""
    disagreement = design.disagreement if count > 1 else None
    return dataclasses.replace(design, target=target, ratings_per_item=count, disagreement=disagreement)


def _row(design: Design, pool: Pool, assumed: Assumed, seconds: float, price: float) -> dict[str, object]:
    row: dict[str, object] = {"Target": design.target, "Ratings an item": design.ratings_per_item}
    planned = _planned(design, pool, assumed)
    wanted = planned.wanted
    if math.isnan(wanted):
        smallest = f"out of reach: no width below {planned.smallest * pool.scale.range:.3g} points"
        return row | {"Items": smallest, "Ratings": "", "Work": "", "Cost": ""}
    spent = wanted * seconds
    return row | {
        "Items": f"{wanted / design.ratings_per_item:,.0f}",
        "Ratings": f"{wanted:,.0f}",
        "Work": say.duration(spent),
        "Cost": f"{spent / 3600 * price:,.0f}",
    }
