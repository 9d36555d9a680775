"""The form that turns an upload into a pool: file, columns, scales, and the report of every row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from celeus_label.certify import Scale, pairs
from celeus_label.ingest import (
    Loaded,
    Mapping,
    Report,
    Table,
    cell,
    guess_mapping,
    load,
    preview,
    read_tables,
)
from celeus_label.ingest.report import storable
from celeus_label.session import Example
from celeus_label.ui import chat
from celeus_label.ui.say import problem, verbatim
from celeus_label.ui.working import barred

ENDINGS = ["csv", "tsv", "txt", "jsonl", "ndjson", "json", "parquet", "xlsx", "eval", "gz"]
NONE = "(none)"
PREVIEW_ROWS = 5
REPORT_ROWS = 200
PREVIEW_CHARACTERS = 3_000
GUESSED = "as recognised"
ENCODINGS = [GUESSED, "utf-8", "utf-16", "cp1252", "latin-1", "shift_jis", "gb18030"]
DELIMITERS = {GUESSED: None, "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def upload() -> tuple[str, Table] | None:
    """What names the files and how they are read, and their table; None while there is none that can be read."""
    files = st.file_uploader(
        "File of model outputs with the judge's scores",
        type=ENDINGS,
        accept_multiple_files=True,
        help="Several files become one pool: parts of one shape, or outputs and a file of scores that share their "
        "ids, as AlpacaEval's outputs and annotations or MT-Bench's answers and judgments.",
    )
    if not files:
        st.caption(
            "CSV, Excel, Parquet, JSON or JSONL, also gzipped, and what AlpacaEval, MT-Bench, "
            "lm-evaluation-harness, Inspect, promptfoo, Label Studio and Argilla write. Nothing is stored before "
            "you have seen the report of every row. Larger files: celeus-label new, up to 2,000,000 rows."
        )
        return None
    with st.expander("The letters or the columns look wrong?"):
        left, right = st.columns(2)
        encoding = left.selectbox("Encoding of a text file", ENCODINGS)
        delimiter = right.selectbox("Between the cells", list(DELIMITERS))
    sheet = None
    only = files[0].file_id if len(files) == 1 else None
    known, sheets, first = st.session_state.get("sheets", (None, (), ""))
    if len(sheets) > 1 and known == only:
        sheet = st.selectbox("Sheet of the workbook", sheets, sheets.index(first), key=f"sheet {only}")
    way = f"{' '.join(file.file_id for file in files)} {encoding} {delimiter} {sheet}"
    try:
        if st.session_state.get("table", ("",))[0] != way:  # reading checks the encoding of the whole file
            with st.spinner("Reading …"):
                table = read_tables(
                    [(file.getvalue(), file.name) for file in files],
                    encoding=None if encoding == GUESSED else encoding,
                    delimiter=DELIMITERS[delimiter],
                    sheet=sheet,
                )
                st.session_state["table"] = way, table, table.head(PREVIEW_ROWS), guess_mapping(table)
            if len(table.sheets) > 1 and known != only:
                st.session_state["sheets"] = only, table.sheets, table.sheet
                st.rerun()
    except ValueError as error:
        problem(error, "This can't be read.")
        return None
    _, table, head, _ = st.session_state["table"]
    rows = [[_short(cell(row, name)) for name in table.columns] for row in head]
    st.dataframe(pd.DataFrame(rows, columns=list(table.columns)), hide_index=True)
    for note in table.notes:
        st.text(f"• {note}")
    return way, table


def columns(table: Table) -> Mapping:
    """Which column is what, beginning with a guess."""
    guess: Mapping = st.session_state["table"][3]
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
    response_b = one(
        "Second response, to compare",
        guess.response_b,
        "With two responses raters say which is better, and the session is about the win rate of A, the first, over "
        "B, the second. The order on their screens is random, and they never learn which is which.",
    )
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
    pilot = one(
        "Ratings of a pilot",
        None,
        "Scores that people gave to some of the items before, on the raters' scale. The plan below learns from them "
        "how judge and raters go together. The session does not use them, and no rater sees them.",
    )
    return replace(
        guess, judge=judge or "", item_id=item_id, prompt=prompt, response=response, human=pilot,
        features=tuple(features), groups=tuple(groups), response_b=response_b,
    )  # fmt: skip


def as_raters_see_it(table: Table, mapping: Mapping) -> None:
    """The first items with these columns, letter by letter."""
    with st.expander("The first items, as a rater would see them", expanded=True):
        shown = preview(table, mapping, PREVIEW_ROWS)
        if not shown:
            st.caption("No row can be read.")
            return
        places = list(range(1, len(shown) + 1))
        place = st.segmented_control("Item", places, default=1, required=True, label_visibility="collapsed")
        titles = ("Prompt", "Response") if mapping.response_b is None else ("Prompt", "A", "B")
        for title, text in zip(titles, shown[(place or 1) - 1], strict=True):
            turns = chat.shown(text)
            if isinstance(turns, str):
                st.caption(title)
                verbatim(_short(turns, PREVIEW_CHARACTERS) or "(empty)")
                continue
            for turn in turns:
                st.text(f"{title} · {turn['role']}")
                verbatim(_short(turn["text"], PREVIEW_CHARACTERS) or "(empty)")


def scales(table: Table, start: Scale | None = None, pair: bool = False) -> tuple[Scale, Scale | None]:
    """The raters' scale and the judge's, None where they are the same.

    Parameters
    ----------
    table : Table
        The format of some tools fixes the judge's scale.
    start : Scale, optional
        The raters' scale to begin with.
    pair : bool
        Whether raters compare two responses, which fixes their scale.

    Raises
    ------
    ValueError
        Of `Scale`.
    """
    scale = pairs.SCALE if pair else _raters_scale(start or Scale(1.0, 5.0, 1.0))
    lower, upper = scale.lower, scale.upper
    if pair:
        st.caption(
            "A wins: 1. B wins: 0. Equally good, or both bad: 0.5. The mean is the win rate of A over B."
        )
    known = table.judge_scale
    if st.checkbox("The judge scores on the same scale", value=known in (None, (lower, upper))):
        return scale, None
    a, b, _ = st.columns(3)
    worst, best = known or (0.0, 1.0)
    worst_is, best_is = ("that B is better", "that A is better") if pair else ("worst", "best")
    judge_lower = a.number_input(f"Judge's score that means {worst_is}", value=float(worst), format="%g")
    judge_upper = b.number_input(f"Judge's score that means {best_is}", value=float(best), format="%g")
    return scale, Scale(judge_lower, judge_upper)


def _raters_scale(start: Scale) -> Scale:
    a, b, c = st.columns(3)
    lower = a.number_input("Lowest rating", value=start.lower, format="%g")
    upper = b.number_input("Highest rating", value=start.upper, format="%g")
    step = c.number_input(
        "Step", value=start.step or 0.0, min_value=0.0, format="%g", help="0 allows every value in between."
    )
    words = st.text_input(
        "Words for the ratings, with commas between",
        value=", ".join(start.labels),
        help="One for each rating, or two for the ends.",
    )
    labels = tuple(word.strip() for word in words.split(",")) if words.strip() else ()
    return Scale(lower, upper, step if step > 0 else None, labels)


def examples() -> list[Example]:
    """Rated examples that raters are shown with the guidelines; a row without a response is none."""
    columns = {"prompt": "Prompt", "response": "Response", "rating": "Rating", "why": "Why"}
    with st.expander("Examples for raters"):
        table = st.data_editor(
            pd.DataFrame({name: pd.Series(dtype="str") for name in columns}),
            column_config={
                name: st.column_config.TextColumn(label, required=name == "response")
                for name, label in columns.items()
            },
            num_rows="dynamic",
            hide_index=True,
            key="examples",
        )
    rows = table.fillna("").astype(str).to_dict("records")
    return [
        Example(row["prompt"], row["response"], row["rating"], row["why"]) for row in rows if row["response"]
    ]


def checked(
    way: str, table: Table, mapping: Mapping, scale: Scale, judge_scale: Scale | None
) -> Loaded | None:
    """The pool, once every row of the file has been read with just these columns and scales."""
    fill = st.checkbox(
        "Where the judge's score is missing, the mean of the others stands in",
        help="Otherwise such rows are refused. The design records how many there are, and the mean.",
    )
    wanted = (way, mapping, scale, judge_scale, fill)
    if st.button("Check every row"):
        st.session_state.pop("checked", None)
        try:
            found = barred(
                "check",
                "Reading …",
                lambda show: load(
                    table,
                    mapping,
                    scale,
                    judge_scale,
                    missing_judge="mean" if fill else None,
                    progress=lambda _, share: show(share),
                ),
            )
            st.session_state["checked"] = wanted, found
        except ValueError as error:
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
    rows = [[str(one.line), one.column, one.value, one.rule] for one in found.refused[:REPORT_ROWS]]
    st.dataframe(pd.DataFrame(rows, columns=["line", "column", "value", "rule"]), hide_index=True)
    st.download_button(
        "Download the refused rows", found.refused_csv(), "refused.csv", "text/csv", on_click="ignore"
    )


def _short(value: Any, most: int = 200) -> str:
    text = storable("" if value is None else str(value))
    return text if len(text) <= most else text[: most - 1] + "…"
