"""A plotly figure that stays as its viewer has zoomed it while its data grow.

Streamlit's own chart is mounted anew whenever its figure changes, which throws the zoom away; this component
calls `Plotly.react` on the figure that is there.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

_chart = st.components.v2.component(
    "celeus_label_live_chart",
    js=(HERE / "chart.js").read_text("utf-8"),
    isolate_styles=False,  # plotly writes its styles into the document
)


_save = st.components.v2.component(
    "celeus_label_save_chart",
    js=(HERE / "save.js").read_text("utf-8"),
    css=(HERE / "save.css").read_text("utf-8"),
    isolate_styles=False,
)


def live_chart(figure_json: str, *, key: str, label: str, height: int) -> None:
    """Draw a figure; one whose JSON has not changed costs nothing.

    Parameters
    ----------
    figure_json : str
        What `Figure.to_json` gives. Colours of text, grid and ground come from the page's theme.
    key : str
        Keeps the chart of one run and the next the same.
    label : str
        What a screen reader says instead of the drawing.
    height : int
        In pixels.
    """
    _chart(key=key, data={"figure": figure_json, "label": label, "height": height, "chart": key})


def save_button(chart: str) -> None:
    """Draw a button that saves the picture of the chart with that key."""
    _save(key=f"{chart} png", data={"chart": chart, "text": "Picture as PNG"}, width="content")
