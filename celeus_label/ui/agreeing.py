"""How far raters agree, overall and each with the others: for leads alone."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from celeus_label.session import Agreement, Identity, Measure, SessionInfo, Workspace
from celeus_label.ui import figures
from celeus_label.ui.progress import numbers


def shown(workspace: Workspace, who: Identity, session: SessionInfo) -> None:
    """Percent agreement and Krippendorff's alpha; where there is no number, why."""
    overall = workspace.agreement(who, session.id)
    st.subheader("All raters", anchor=False)
    numbers({"Items with two ratings or more": f"{overall.items:,}", **_texts(overall)})
    for name, why in _reasons(overall):
        st.caption(f"{name}: {why}.")
    if overall.items == 0 and session.design.ratings_per_item == 1:
        st.caption(
            "This session asks for one rating an item. Agreement takes two or more, which are set before the freeze."
        )
    st.subheader("Each rater with the others", anchor=False)
    reports = [one for one in workspace.rater_reports(who, session.id) if one.agreement is not None]
    if not reports:
        st.caption("Nobody has rated yet.")
        return
    rows = []
    for one in reports:
        assert one.agreement is not None
        why = "; ".join(dict.fromkeys(reason for _, reason in _reasons(one.agreement)))
        rows.append(
            {"Rater": one.name, "Items": one.agreement.items, **_texts(one.agreement), "Why none": why}
        )
    table = pd.DataFrame(rows)
    figures.table(
        table if table["Why none"].any() else table.drop(columns="Why none"), key="agreement", columns={}
    )
    st.caption(
        "Percent agreement is the share of the other raters of an item who gave the same value. Krippendorff's alpha "
        "takes chance into account: 1 is full agreement, 0 what chance would give, less than 0 is worse. Nominal asks "
        "whether two values are the same, ordinal how far apart they are in order, interval by how many points. "
        "The raters' alphas average to the one of all: whoever is far below it rates differently. Gold items and own "
        "items again have no part in it, and the interval depends on none of it."
    )


def _measures(of: Agreement) -> list[tuple[str, Measure]]:
    return [
        ("Percent agreement", of.percent),
        ("Alpha, nominal", of.nominal),
        ("Alpha, ordinal", of.ordinal),
        ("Alpha, interval", of.interval),
    ]


def _texts(of: Agreement) -> dict[str, str | int]:
    found: dict[str, str | int] = {}
    for name, measure in _measures(of):
        if measure.value is None:
            found[name] = "none"
        elif measure is of.percent:
            found[name] = f"{measure.value:.0%}"
        else:
            found[name] = f"{measure.value:.3f}"
    return found


def _reasons(of: Agreement) -> list[tuple[str, str]]:
    """Why there is no number, said once where it is the same for all."""
    missing = [(name, measure.why) for name, measure in _measures(of) if measure.value is None]
    if len(missing) > 1 and len({why for _, why in missing}) == 1:
        return [(" and ".join(dict.fromkeys(name.partition(",")[0] for name, _ in missing)), missing[0][1])]
    return missing
