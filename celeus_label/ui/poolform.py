"""The form that turns an upload into a pool: file, columns, scales, and the report of every row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from celeus_label.certify import Scale
from celeus_label.ingest import Loaded, Mapping, Report, Table, cell, guess_mapping, load, read_table
from celeus_label.ui.say import problem

ENDINGS = ["csv", "tsv", "txt", "jsonl", "ndjson", "json", "parquet", "xlsx", "gz"]
NONE = "(none)"
PREVIEW_ROWS = 5
REPORT_ROWS = 200


def upload() -> tuple[str, Table] | None:
    """The uploaded file's id and its table, None while there is none that can be read."""
    file = st.file_uploader("File of model outputs with the judge's scores", type=ENDINGS)
    if file is None:
        return None
    try:
        table = read_table(file.getvalue(), file.name)
        head = table.head(PREVIEW_ROWS)
    except ValueError as error:
        problem(error, "This file can't be read.")
        return None
    rows = [[_short(cell(row, name)) for name in table.columns] for row in head]
    st.dataframe(pd.DataFrame(rows, columns=list(table.columns)), hide_index=True)
    return file.file_id, table


def columns(table: Table) -> Mapping:
    """Which column is what, beginning with a guess."""
    guess = guess_mapping(table)
    any_or_none = [NONE, *table.columns]

    def one(label: str, guessed: str | None, hint: str) -> str | None:
        place = any_or_none.index(guessed) if guessed in any_or_none else 0
        chosen = st.selectbox(label, any_or_none, index=place, help=hint, key=f"{label} {table.name}")
        return None if chosen == NONE else chosen

    left, right = st.columns(2)
    with left:
        judge = one("Judge's score", guess.judge, "A number known of every item before any rating.")
        prompt = one("Prompt", guess.prompt, "What the model was asked. Raters see it.")
    with right:
        item_id = one("Item id", guess.item_id, "None numbers the rows.")
        response = one("Response", guess.response, "What the model wrote. Raters see it.")
    features = st.multiselect(
        "Further numbers known of every item", list(table.columns), list(guess.features),
        help="Spreads, second judges, probabilities. Never shown to raters.",
    )  # fmt: skip
    groups = st.multiselect(
        "Groups",
        list(table.columns),
        list(guess.groups),
        help="System, topic, language. Never shown to raters.",
    )
    return replace(
        guess, judge=judge or "", item_id=item_id, prompt=prompt, response=response,
        features=tuple(features), groups=tuple(groups),
    )  # fmt: skip


def scales() -> tuple[Scale, Scale | None]:
    """The raters' scale and the judge's, None where they are the same.

    Raises
    ------
    ValueError
        Of `Scale`.
    """
    a, b, c = st.columns(3)
    lower = a.number_input("Lowest rating", value=1.0, format="%g")
    upper = b.number_input("Highest rating", value=5.0, format="%g")
    step = c.number_input(
        "Step", value=1.0, min_value=0.0, format="%g", help="0 allows every value in between."
    )
    words = st.text_input(
        "Words for the ratings, with commas between", help="One for each rating, or two for the ends."
    )
    labels = tuple(word.strip() for word in words.split(",")) if words.strip() else ()
    scale = Scale(lower, upper, step if step > 0 else None, labels)
    if st.checkbox("The judge scores on the same scale", value=True):
        return scale, None
    a, b, _ = st.columns(3)
    judge_lower = a.number_input("Judge's score that means worst", value=0.0, format="%g")
    judge_upper = b.number_input("Judge's score that means best", value=1.0, format="%g")
    return scale, Scale(judge_lower, judge_upper)


def checked(
    file_id: str, table: Table, mapping: Mapping, scale: Scale, judge_scale: Scale | None
) -> Loaded | None:
    """The pool, once every row of the file has been read with just these columns and scales."""
    wanted = (file_id, mapping, scale, judge_scale)
    if st.button("Check every row"):
        try:
            with st.spinner("Reading …"):
                st.session_state["checked"] = (wanted, load(table, mapping, scale, judge_scale))
        except ValueError as error:
            st.session_state.pop("checked", None)
            problem(error)
    done, loaded = st.session_state.get("checked", (None, None))
    if done != wanted:
        return None
    report(loaded.report)
    return loaded  # type: ignore[no-any-return]


def report(found: Report) -> None:
    """What became of the file's rows."""
    st.text(found.summary())
    for sentence in [*map(str, found.changed), *found.warnings]:
        st.text(f"• {sentence}")
    if not found.refused:
        return
    rows = [[one.line, one.column, one.value, one.rule] for one in found.refused[:REPORT_ROWS]]
    st.dataframe(pd.DataFrame(rows, columns=["line", "column", "value", "rule"]), hide_index=True)
    st.download_button(
        "Download the refused rows", found.refused_csv(), "refused.csv", "text/csv", on_click="ignore"
    )


def _short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 200 else text[:199] + "…"
