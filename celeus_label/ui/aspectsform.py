"""The form for the further aspects of a rubric."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from celeus_label.certify import Aspect, Design, Pool, Scale

ALPHAS = {"shared": "all of them together", "each": "each of them for itself"}
NUMBERS = {
    "lowest": "Lowest",
    "highest": "Highest",
    "step": "Step",
    "judge_worst": "Judge's worst",
    "judge_best": "Judge's best",
}
START: dict[str, Any] = {
    "name": "",
    "lowest": 1.0,
    "highest": 5.0,
    "step": 1.0,
    "words": "",
    "judge": "",
    "judge_worst": None,
    "judge_best": None,
}


def ask(pool: Pool, start: Design) -> dict[str, Any]:
    """The fields of a design that speak of aspects.

    Raises
    ------
    ValueError
        Of `Scale` and `Aspect`.
    """
    with st.expander("Further aspects", expanded=bool(start.aspects)):
        st.caption(
            "Raters score these as well, on the same items. The first scale above is the main aspect: it alone decides "
            "which items are drawn and when the session may stop. Each further one gets an interval of its own."
        )
        rows = _rows(pool, start)
        if not rows:
            return {}
        left, right = st.columns(2)
        main = left.text_input("Name of the main aspect", start.main_aspect or "overall", max_chars=60)
        shares = right.selectbox(
            "The error rate alpha of the further aspects is for",
            list(ALPHAS),
            list(ALPHAS).index(start.aspects_alpha),
            format_func=lambda one: ALPHAS[one],
            help="The main aspect keeps its own alpha. Together: each of three further ones has a third of it.",
        )
    aspects = tuple(map(_aspect, rows))
    return {"aspects": aspects, "main_aspect": main.strip(), "aspects_alpha": shares}


def _rows(pool: Pool, start: Design) -> list[dict[str, Any]]:
    before = [_row(aspect) for aspect in start.aspects]
    table = st.data_editor(
        pd.DataFrame(before, columns=list(START)).astype(dict.fromkeys(NUMBERS, "float")),
        column_config={
            "name": st.column_config.TextColumn("Aspect", required=True, max_chars=60),
            **{
                name: st.column_config.NumberColumn(
                    label, default=START[name], required=name in ("lowest", "highest")
                )
                for name, label in NUMBERS.items()
            },
            "words": st.column_config.TextColumn("Words, with commas between", default=""),
            "judge": st.column_config.SelectboxColumn(
                "Judge's column", options=["", *pool.features], default=""
            ),
        },
        num_rows="dynamic",
        hide_index=True,
        key="aspects",
    )
    found = [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    return [row for row in found if isinstance(row["name"], str) and row["name"].strip()]


def _row(aspect: Aspect) -> dict[str, Any]:
    scale, judge = aspect.scale, aspect.judge_scale
    return {
        "name": aspect.name, "lowest": scale.lower, "highest": scale.upper, "step": scale.step,
        "words": ", ".join(scale.labels), "judge": aspect.judge or "",
        "judge_worst": None if judge is None else judge.lower, "judge_best": None if judge is None else judge.upper,
    }  # fmt: skip


def _aspect(row: dict[str, Any]) -> Aspect:
    words = _text(row["words"])
    labels = tuple(word.strip() for word in words.split(",")) if words else ()
    step, worst, best = (_number(row[name]) for name in ("step", "judge_worst", "judge_best"))
    return Aspect(
        row["name"].strip(),
        Scale(row["lowest"], row["highest"], step or None, labels),
        _text(row["judge"]) or None,
        None if worst is None or best is None else Scale(worst, best),
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    return None if not isinstance(value, int | float) or math.isnan(value) else float(value)
