"""Figures of studies and comparisons, and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from celeus_label.compare.systems import NAMES

# Colours that eyes of every kind tell apart (after Okabe and Ito), and that stand out from light and dark ground.
COLOURS = {
    "evalue": "#d55e00",
    "celeus-no-surrogate": "#e69f00",
    "celeus-no-surrogate-guided": "#b8860b",
    "celeus": "#0072b2",
    "oracle": "#009e73",
    "cer-eval": "#cc79a7",
    "target-aware": "#7f3fbf",
}
_OTHERS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
_SIZE = {"width": 760, "height": 460, "scale": 2}


def colour(name: str, place: int = 0) -> str:
    """A system's colour, or for anything else one by its place."""
    return COLOURS.get(name, _OTHERS[place % len(_OTHERS)])


def bands(
    lines: Mapping[str, pd.DataFrame],
    *,
    x: str,
    y: str,
    x_title: str,
    y_title: str,
    title: str = "",
    target: float | None = None,
    log_x: bool = False,
    log_y: bool = False,
    marks: Mapping[str, float] | None = None,
) -> go.Figure:
    """Means over seeds with a band of one standard deviation.

    Parameters
    ----------
    lines : mapping of str to DataFrame
        By the line's name; rows with the columns `x` and `y`, several rows for each x.
    target : float, optional
        Where a dashed line is drawn.
    marks : mapping of str to float, optional
        An x to mark on each line.
    """
    figure = go.Figure(layout=_layout(title, x_title, y_title))
    for place, (name, frame) in enumerate(lines.items()):
        summary = frame.groupby(x)[y].agg(["mean", "std", "count"]).reset_index()
        summary = summary[summary["count"] >= summary["count"].max() / 2]  # where most seeds are still going
        mean, spread = summary["mean"], summary["std"].fillna(0.0)
        shade = colour(name, place)
        around = [*summary[x], *summary[x][::-1]]
        low = (mean - spread).clip(lower=1e-9) if log_y else mean - spread
        figure.add_scatter(
            x=around,
            y=[*(mean + spread), *low[::-1]],
            fill="toself",
            fillcolor=_faint(shade),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_scatter(
            x=summary[x], y=mean, name=NAMES.get(name, name), mode="lines", line={"color": shade, "width": 2}
        )
        if marks is not None and name in marks and target is not None:
            figure.add_scatter(
                x=[marks[name]],
                y=[target],
                mode="markers",
                marker={"symbol": "triangle-down", "size": 11, "color": shade},
                showlegend=False,
                hovertemplate="median %{x:,} ratings<extra></extra>",
            )
    if target is not None:
        figure.add_hline(y=target, line={"color": "#888", "dash": "dash", "width": 1})
    figure.update_xaxes(type="log" if log_x else "linear")
    figure.update_yaxes(type="log" if log_y else "linear")
    return figure


def dots(
    names: Sequence[str],
    values: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    y_title: str,
    title: str = "",
    target: float | None = None,
) -> go.Figure:
    """A value with its interval for each name."""
    figure = go.Figure(layout=_layout(title, "", y_title))
    for place, name in enumerate(names):
        figure.add_scatter(
            x=[NAMES.get(name, name)],
            y=[values[place]],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [upper[place] - values[place]],
                "arrayminus": [values[place] - lower[place]],
            },
            mode="markers",
            marker={"size": 10, "color": colour(name, place)},
            showlegend=False,
        )
    if target is not None:
        figure.add_hline(y=target, line={"color": "#888", "dash": "dash", "width": 1})
    figure.update_yaxes(rangemode="tozero")
    return figure


def write(figures: Mapping[str, go.Figure], folder: Path) -> str:
    """Write each figure as HTML and as PNG.

    The HTML files share one plotly.min.js beside them, so they need no network.

    Returns
    -------
    str
        Why there are no PNG files; empty where there are.
    """
    import kaleido  # it is slow to load, and pages need the figures alone
    from kaleido.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError

    for name, figure in figures.items():
        figure.write_html(folder / f"{name}.html", include_plotlyjs="directory")
    wanted = [
        {"fig": figure, "path": folder / f"{name}.png", "opts": {"format": "png", **_SIZE}}
        for name, figure in figures.items()
    ]
    try:
        kaleido.write_fig_from_object_sync(wanted)
    except ChromeNotFoundError:
        return (
            "no PNG files were drawn, since no Chrome or Chromium was found; install one, or name it in the "
            "environment variable BROWSER_PATH, and run the study again: finished trials are kept"
        )
    except (BrowserFailedError, BrowserClosedError) as fault:
        reason = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        return (
            f"no PNG files were drawn, since the browser did not start ({reason}); name another in the environment "
            f"variable BROWSER_PATH, and run the study again: finished trials are kept"
        )
    return ""


def _layout(title: str, x_title: str, y_title: str) -> go.Layout:
    return go.Layout(
        template="simple_white",
        title={"text": title, "font": {"size": 16}},
        margin={"l": 64, "r": 16, "t": 48 if title else 16, "b": 56},
        xaxis={"title": x_title},
        yaxis={"title": y_title},
        legend={"x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top"},
        font={"size": 14},
        hovermode="closest",
    )


def _faint(shade: str) -> str:
    red, green, blue = (int(shade[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.14)"


def rows_of(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have these values."""
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame
