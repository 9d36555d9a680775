"""The judge against the humans, and the pool's groups: for leads alone."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.certificate.words import ends, mean_of
from celeus_label.certify import Design, Scale
from celeus_label.certify.slices import Slice
from celeus_label.session import Workspace
from celeus_label.session.types import Identity
from celeus_label.ui import figures
from celeus_label.ui.charts import calibration_figure, slices_figure
from celeus_label.ui.progress import numbers
from celeus_label.ui.working import in_steps


def calibration(workspace: Workspace, who: Identity, session: int, scale: Scale, design: Design) -> None:
    """Mean ratings in bins of the judge's score, correlation, bias; of pairs win rates and the judge's preference."""
    mean_name = mean_of(design.task)
    items, says = ("pairs", "preference") if design.task == "pairwise" else ("items", "score")
    found = in_steps(
        f"calibration {session}",
        "Computing the intervals …",
        lambda progress: workspace.calibration(who, session, progress),
    )
    if found is None:
        return
    correlation = "not yet" if found.correlation is None else f"{found.correlation:.2f}"
    if found.bias is None:
        bias = "contradicted"
    else:
        bias = f"{found.bias[0]:+.3g} to {found.bias[1]:+.3g}"
    numbers({"Correlation, estimated": correlation, f"Judge's mean less the {mean_name}": bias})
    bins = found.bins
    low = [one.lower for one in bins]
    high = [one.upper for one in bins]
    mean = [one.estimate for one in bins]
    figures.shown(
        calibration_figure(
            found.judge, low, high, mean, (scale.lower, scale.upper), mean_name, f"judge's {says}"
        ),
        {
            "judge": found.judge,
            "mean": mean,
            "lower": low,
            "upper": high,
            "items": [one.items for one in bins],
            "rated": [one.rated for one in bins],
        },
        key="calibration",
        label=f"{mean_name[:1].upper()}{mean_name[1:]} against the judge's {says}",
        height=380,
    )
    st.caption(
        f"Each point stands for the {items} of the pool with such a {says} of the judge. The bars are intervals for "
        f"their {mean_name}; all {len(bins)} hold together with the session's confidence, at any moment. Dashed: a "
        "judge that is right on average. The judge need not be right: only its spread around a line costs ratings."
    )


def slices(workspace: Workspace, who: Identity, session: int, scale: Scale, design: Design) -> None:
    """An interval for each group of a column that the lead chooses."""
    columns = list(workspace.group_columns(who, session))
    if not columns:
        st.info("The pool has no column of groups. Choose them on the page Set up, before the freeze.")
        return
    column = st.selectbox("Groups", columns)
    found = in_steps(
        f"slices {session} {column}",
        "Computing the intervals …",
        lambda progress: workspace.slices(who, session, column, progress),
    )
    if found is None:
        return
    figures.shown(
        slices_figure(
            [one.name for one in found],
            [one.lower for one in found],
            [one.upper for one in found],
            [one.estimate for one in found],
            [one.status == "ok" for one in found],
            (scale.lower, scale.upper),
            mean_of(design.task),
        ),
        {
            "slice": [one.name for one in found],
            "items": [one.items for one in found],
            "rated": [one.rated for one in found],
            "estimate": [one.estimate for one in found],
            "lower": [one.lower for one in found],
            "upper": [one.upper for one in found],
            "alpha": [one.alpha for one in found],
            "status": [one.status for one in found],
        },
        key="slices",
        label="An interval for each group",
        height=100 + 34 * len(found),
    )
    st.dataframe(pd.DataFrame([_row(one, scale) for one in found]), hide_index=True)
    alpha = design.alpha
    about = (
        "They are about the pool's items."
        if design.target == "pool"
        else "They are about the population that each group's items are a sample of, and so wider by a step that more "
        "ratings cannot shrink."
    )
    st.caption(
        f"Many slices at once need a share each: every interval here allows an error of {alpha:g} / {len(found)} = "
        f"{alpha / len(found):.3g}, so that all {len(found)} hold together with {(1 - alpha) * 100:g} % confidence, "
        f"at any moment. {about} Another column is another statement of that confidence. "
        f"Computed from the first {sum(one.rated for one in found):,} rated items."
    )


def _row(one: Slice, scale: Scale) -> dict[str, object]:
    low, high = ends(one.lower, one.upper, scale)
    return {
        "Slice": one.name,
        "Items": one.items,
        "Rated": one.rated,
        "Estimate": f"{one.estimate:.3g}",
        "Interval": f"{low} – {high}" if one.status != "contradicted" else "none",
        "Remark": "" if one.status == "ok" else one.status,
    }
