"""The certificate on the screen: the claim, the design, what changed, and files of it."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from celeus_label.certificate.words import aspect_sentences, ends, estimate_text
from celeus_label.certify import Design
from celeus_label.session import SessionInfo, Workspace
from celeus_label.session.certifying import Certificate
from celeus_label.session.types import Identity
from celeus_label.ui import figures, say


def claim(found: Certificate) -> None:
    """The sentence, and what it does not say."""
    with st.container(border=True):
        st.text(found.sentence)
    for sentence in aspect_sentences(found.claim):
        st.text(f"• {sentence}")
    if found.claim.status == "open":
        st.caption("The interval is valid now, too: it holds at whatever moment one looks.")
    st.subheader("What it does not claim", anchor=False)
    for sentence in found.not_claimed:
        st.text(f"• {sentence}")


def numbers(found: Certificate) -> None:
    """The claim in numbers, and every deviation from a session without incidents."""
    one = found.claim
    rows: list[tuple[str, object]] = [("Status", one.status), ("Stopping rules that hold", one.stopping_rule)]
    if one.lower is not None and one.upper is not None and one.width_unit is not None:
        low, high = ends(one.lower, one.upper, one.scale)
        rows += [
            ("Interval", f"{low} – {high}"),
            ("Estimate", estimate_text(one)),
            ("Width", say.points(one.width_unit, one.scale.range)),
        ]
    rows += [
        ("Items drawn", f"{one.draws:,} of {one.items:,}; {one.committed:,} are in the interval"),
        ("Ratings", f"{one.ratings:,} by {one.raters:,} {'rater' if one.raters == 1 else 'raters'}"),
        ("First rating, UTC", _moment(one.first_rating)),
        ("Last rating, UTC", _moment(one.last_rating)),
    ]
    st.subheader("Numbers", anchor=False)
    _table(rows)
    st.subheader("Deviations", anchor=False)
    _table(list(found.deviations))


def design(frozen: Design) -> None:
    """Every rule, as it was frozen or is in force now."""
    with st.expander("The design"):
        fields = {name: value for name, value in frozen.to_dict().items() if value is not None}
        if "warm_start" in fields:
            fields["warm_start"] = f"what {fields['warm_start']['source']} had learnt"
        _table(list(fields.items()))


def files(workspace: Workspace, who: Identity, session: SessionInfo, quantity: str, items: str) -> None:
    """The certificate to take away, each file made when it is asked for."""

    def fields() -> dict[str, object]:
        return dict(workspace.certificate(who, session.id, quantity, items).claim.fields())

    stem = f"certificate-{session.id}"
    with st.container(horizontal=True):
        st.download_button(
            "Page (HTML)",
            lambda: workspace.certificate_page(who, session.id, quantity, items).encode("utf-8"),
            f"{stem}.html",
            "text/html",
            on_click="ignore",
        )
        st.download_button(
            "Numbers (CSV)",
            lambda: figures.csv({name: [value] for name, value in fields().items()}),
            f"{stem}.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Numbers (JSON)",
            lambda: json.dumps(fields(), ensure_ascii=False, indent=2).encode("utf-8"),
            f"{stem}.json",
            "application/json",
            on_click="ignore",
        )


def _moment(at: str | None) -> str:
    return "none" if at is None else at[:19].replace("T", " ")


def _table(rows: list[tuple[str, object]]) -> None:
    st.dataframe(
        pd.DataFrame([(name, str(value)) for name, value in rows], columns=["What", "Value"]),
        hide_index=True,
        column_config={"What": st.column_config.TextColumn(width=240)},
    )
