"""A chart, and under it the buttons that save its picture and its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from celeus_label.ingest.report import harmless
from celeus_label.ui.livechart import live_chart, save_button


def shown(figure: go.Figure | str, data: Mapping[str, object], *, key: str, label: str, height: int) -> None:
    """Draw a figure, or one that is JSON already, with the columns that it was drawn from as a CSV file."""
    drawn = figure if isinstance(figure, str) else figure.to_json()
    live_chart(drawn, key=key, label=label, height=height)
    with st.container(horizontal=True, gap="medium"):
        _csv_button(lambda: csv(data), key)
        save_button(key)


def table(rows: pd.DataFrame, *, key: str, columns: Mapping[str, Any]) -> None:
    """Show a table, and the same as a CSV file; `columns` says how some of them are written."""
    st.dataframe(rows, hide_index=True, column_config=dict(columns))
    _csv_button(lambda: csv({str(name): rows[name] for name in rows}), key)


def _csv_button(content: Callable[[], bytes], key: str) -> None:
    st.download_button(
        "Data as CSV",
        content,
        f"{key}.csv",
        "text/csv",
        key=f"{key} csv",
        on_click="ignore",
        type="tertiary",
    )


def csv(data: Mapping[str, object]) -> bytes:
    r"""Columns as CSV, with no cell that a spreadsheet would run.

    >>> csv({"a": [1, 2], "b": ["x", "=1+1"]})
    b"a,b\n1,x\n2,'=1+1\n"
    """
    frame = pd.DataFrame({name: list(column) for name, column in data.items()})  # type: ignore[call-overload]
    frame = frame.map(lambda one: harmless(one) if isinstance(one, str) else one)
    text: str = frame.to_csv(index=False)
    return text.encode("utf-8")
